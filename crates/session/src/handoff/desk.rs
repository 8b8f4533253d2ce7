//! What each order of an operator does.

use std::collections::BTreeMap;
use std::time::Duration;

use waymark_perception::describe;
use waymark_replay::What;
use waymark_run::{ApprovalAsk, Code, Deed, InterventionState, Resumption, RunEvent};
use waymark_snapshot::{Ix, NodeId, Role, RoleClass, State, UiSnapshot, WindowKey};
use waymark_surface::{
    Act, Ask, ControlError, Delivery, Driver, DriverError, Hold, Holder, Key, Observation, Observe, OptionRule,
    PersonRefused, Settling, TypedText, TypingMode, Until,
};

use super::order::{Element, HandoffStanding, OperatorAsk, OperatorRefused, PersonAct};
use super::{Over, Waiting};
use crate::ids::keyed_hash;

/// How long a page may take to come to rest before a check says that it is still loading.
const SETTLE: Duration = Duration::from_secs(5);

/// How long a look, and an act of a person, may take.
const LOOK: Duration = Duration::from_secs(5);
const ACT: Duration = Duration::from_secs(10);

/// The most changes of a screen that are told.
const CHANGES: usize = 200;

type Answer = Result<HandoffStanding, OperatorRefused>;

/// What came of an order.
pub(super) enum Done {
    /// It waits on.
    Answer(Answer),
    /// It is over.
    Over(Answer, Over),
}

impl<D: Driver> Waiting<'_, '_, D> {
    /// Carries an order out.
    pub(super) async fn obey(&mut self, by: &str, epoch: Option<u64>, ask: OperatorAsk) -> Done {
        let by = by.trim();
        if by.is_empty() {
            return Done::Answer(Err(OperatorRefused::new(Code::InvalidInvocation, "an operator has a name")));
        }
        match ask {
            OperatorAsk::Status {} => Done::Answer(Ok(self.standing())),
            OperatorAsk::Check {} => Done::Answer(self.checked().await),
            OperatorAsk::Claim {} => Done::Answer(self.claim(by)),
            OperatorAsk::Extend {} => Done::Answer(self.extend(by, epoch)),
            OperatorAsk::Release {} => Done::Answer(self.release(by, epoch)),
            OperatorAsk::Elements {} => Done::Answer(self.elements().await),
            OperatorAsk::Act { on, act } => Done::Answer(self.act(by, epoch, on, act).await),
            OperatorAsk::Resume { note } => self.resume(by, epoch, &note, None).await,
            OperatorAsk::Approve { digest, note } => self.resume(by, epoch, &note, Some(digest)).await,
            OperatorAsk::Refuse { reason } => self.give_up(by, epoch, &reason, InterventionState::Refused),
            OperatorAsk::Abort { reason } => self.give_up(by, epoch, &reason, InterventionState::Aborted),
        }
    }

    pub(super) fn standing(&mut self) -> HandoffStanding {
        let now = self.now();
        let control = self.gate.control();
        let epoch = control.epoch();
        let (driver, lease_left_ms) = match control.holder() {
            Holder::Person { name, until_ms } => (Some(name.clone()), Some(until_ms.saturating_sub(now))),
            Holder::Engine | Holder::Nobody => (None, None),
        };
        let left = self.until.saturating_duration_since(tokio::time::Instant::now());
        HandoffStanding {
            intervention: self.document.clone(),
            driver,
            epoch,
            lease_left_ms,
            waits_left_ms: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
            resumption: None,
            elements: Vec::new(),
            delivery: None,
        }
    }

    fn hold(&mut self, by: &str, epoch: Option<u64>) -> Hold {
        let epoch = epoch.unwrap_or_else(|| self.gate.control().epoch());
        Hold { name: by.to_owned(), epoch }
    }

    fn claim(&mut self, by: &str) -> Answer {
        let (now, lease) = (self.now(), millis(self.wait.lease));
        let was = self.gate.control().epoch();
        self.gate.control().claim(by, lease, now).map_err(refused)?;
        if self.gate.control().epoch() != was {
            // From here on they may act in ways that are not told.
            self.drove = true;
            self.stands(InterventionState::Claimed);
        }
        self.tell_control("a person took control");
        Ok(self.standing())
    }

    fn extend(&mut self, by: &str, epoch: Option<u64>) -> Answer {
        let (now, lease, hold) = (self.now(), millis(self.wait.lease), self.hold(by, epoch));
        self.gate.control().extend(&hold, lease, now).map_err(refused)?;
        self.tell_control("the lease was extended");
        Ok(self.standing())
    }

    fn release(&mut self, by: &str, epoch: Option<u64>) -> Answer {
        let (now, hold) = (self.now(), self.hold(by, epoch));
        self.gate.control().release(&hold, now).map_err(refused)?;
        self.stands(InterventionState::Released);
        self.tell_control("a person let go of control");
        Ok(self.standing())
    }

    async fn elements(&mut self) -> Answer {
        // What was just pressed may still lead elsewhere.
        let seen = self.rest().await?.0;
        let screen = self.recorder.concealed().masked(&seen.snapshot);
        let acted_on = |node: &waymark_snapshot::Node| {
            matches!(
                node.role.class(),
                RoleClass::Clickable | RoleClass::TextEntry | RoleClass::Choice | RoleClass::Toggle
            ) && node.bounds.is_some()
        };
        let listed = screen.iter().filter(|(_, node)| acted_on(node)).map(|(ix, node)| Element {
            on: node.id.0.clone(),
            words: self.clean(&describe(&screen, ix)),
            holds: match node.role.class() {
                RoleClass::Toggle => Some(if node.is(State::Checked) { "checked" } else { "not checked" }.to_owned()),
                _ if node.is(State::Protected) => None,
                _ => node.value.as_deref().map(|value| self.clean(value)),
            },
        });
        let elements = listed.collect();
        Ok(HandoffStanding { elements, ..self.standing() })
    }

    /// A text without what must not be seen.
    fn clean(&self, text: &str) -> String {
        self.recorder.redactor.redact_text(text).into_owned()
    }

    async fn act(&mut self, by: &str, epoch: Option<u64>, on: Option<String>, act: PersonAct) -> Answer {
        let (now, hold) = (self.now(), self.hold(by, epoch));
        self.gate.control().check_person(&hold, now).map_err(refused)?;
        let seen = self.look().await?.0;
        let node = match &on {
            Some(on) => {
                let found = seen.snapshot.find(&NodeId::new(on));
                let gone =
                    || OperatorRefused::new(Code::TargetNotFound, format!("there is no element `{on}` any more"));
                Some(found.ok_or_else(gone)?)
            }
            None => None,
        };
        let (ask, with) = question(&seen, node, &act)?;
        let now = self.now();
        let delivery = self.gate.act_for_person(&hold, now, &ask, ACT).await.map_err(|error| match error {
            PersonRefused::Control(error) => refused(error),
            PersonRefused::Policy { .. } => OperatorRefused::new(Code::PolicyBlocked, error.to_string()),
        })?;
        let told = match &delivery {
            Delivery::Delivered { .. } => "delivered".to_owned(),
            Delivery::NotDelivered(why) => format!("not_delivered: {why:?}"),
            Delivery::Unknown(error) => format!("unknown: {error}"),
        };
        let told = self.clean(&told);
        // What signs somebody on is theirs, whatever the field shows of it.
        let with = with.filter(|_| self.intervention.code != Code::SignInNeeded);
        // What reached nothing was not done.
        if matches!(delivery, Delivery::NotDelivered(_)) {
            return Ok(HandoffStanding { delivery: Some(told), ..self.standing() });
        }
        let scope = node.map(|ix| seen.snapshot.scope(seen.snapshot.node(ix).scope));
        let deed = Deed {
            at_ms: self.now(),
            by: by.to_owned(),
            act: ask.act.word().as_str().to_owned(),
            on: ask.control.as_ref().map(|c| format!("{} \"{}\"", c.role.as_str(), c.name)),
            frame: scope.map(|s| s.path.iter().map(|f| f.name.clone()).collect()).unwrap_or_default(),
            with,
        };
        self.recorder.tell(RunEvent::PersonActed { deed: deed.clone() });
        self.intervention.done.push(deed);
        self.stands(InterventionState::Driving);
        Ok(HandoffStanding { delivery: Some(told), ..self.standing() })
    }

    async fn checked(&mut self) -> Answer {
        let (seen, off_limits) = self.rest().await?;
        let resumption = self.machine.would_resume(&seen, off_limits.as_ref(), self.drove, false);
        let resumption = Some(Box::new(self.with_key(resumption)));
        Ok(HandoffStanding { resumption, ..self.standing() })
    }

    async fn resume(&mut self, by: &str, epoch: Option<u64>, note: &str, approved: Option<String>) -> Done {
        // Somebody else's session is not looked at on behalf of this one.
        let now = self.now();
        self.gate.control().expire(now);
        let hold = match self.gate.control().holder() {
            Holder::Person { .. } => {
                let hold = self.hold(by, epoch);
                if let Err(error) = self.gate.control().check_person(&hold, now) {
                    return Done::Answer(Err(refused(error)));
                }
                Some(hold)
            }
            Holder::Nobody | Holder::Engine => None,
        };
        let (seen, off_limits) = match self.rest().await {
            Ok(rest) => rest,
            Err(error) => return Done::Answer(Err(error)),
        };
        let mut resumption = self.machine.would_resume(&seen, off_limits.as_ref(), self.drove, false);
        let yes = approved.is_some();
        if let Some(digest) = &approved {
            let asked = match &resumption {
                Resumption::Stays { approval: Some(asked), .. } => keyed(self.key, asked.clone()).digest,
                other => {
                    let message = format!("nothing waits for a yes: {}", other.words());
                    let resumption = Some(Box::new(self.with_key(resumption)));
                    let refused = OperatorRefused { resumption, ..OperatorRefused::new(Code::NotReady, message) };
                    return Done::Answer(Err(refused));
                }
            };
            if asked != *digest {
                let message = "what the yes was for is not what the screen shows any more; look again";
                let resumption = Some(Box::new(self.with_key(resumption)));
                let refused = OperatorRefused { resumption, ..OperatorRefused::new(Code::ApprovalVoid, message) };
                return Done::Answer(Err(refused));
            }
            resumption = self.machine.would_resume(&seen, off_limits.as_ref(), self.drove, true);
        }
        if let Resumption::Stays { code, message, .. } = &resumption {
            let message = format!("the run cannot go on from here ({code}): {message}");
            let resumption = Some(Box::new(self.with_key(resumption)));
            return Done::Answer(Err(OperatorRefused { resumption, ..OperatorRefused::new(Code::NotReady, message) }));
        }
        let now = self.now();
        let driving = match self.gate.control().resume(hold.as_ref(), now) {
            Ok(driving) => driving,
            Err(error) => return Done::Answer(Err(refused(error))),
        };
        self.tell_control("a person let the run go on");
        if let (Some(digest), Some(step)) = (approved, self.machine.stands_at()) {
            self.recorder.tell(RunEvent::Approved { step, digest, by: by.to_owned() });
        }
        self.intervention.changes = self.changes(&seen.snapshot);
        self.resolve(InterventionState::Resumed, by, note);
        let answer = HandoffStanding { resumption: Some(Box::new(resumption)), ..self.standing() };
        let drove = self.drove;
        let what = What::Resume { seen: Box::new(seen), off_limits, drove, approved: yes };
        Done::Over(Ok(answer), Over::Resumed(what, driving))
    }

    fn give_up(&mut self, by: &str, epoch: Option<u64>, reason: &str, state: InterventionState) -> Done {
        if reason.trim().is_empty() {
            let message = "say why: whoever reads the run later will want to know";
            return Done::Answer(Err(OperatorRefused::new(Code::InvalidInvocation, message)));
        }
        let now = self.now();
        self.gate.control().expire(now);
        if matches!(self.gate.control().holder(), Holder::Person { .. }) {
            let hold = self.hold(by, epoch);
            if let Err(error) = self.gate.control().check_person(&hold, now) {
                return Done::Answer(Err(refused(error)));
            }
        }
        let over = self.end(state, by, reason);
        Done::Over(Ok(self.standing()), over)
    }

    /// Looks, and keeps what is told of documents for the resume.
    async fn look(&mut self) -> Result<(Observation, Option<(String, String)>), OperatorRefused> {
        let request = self.machine.handoff_look();
        self.look_as(&request, LOOK).await
    }

    async fn look_as(
        &mut self,
        request: &Observe,
        within: Duration,
    ) -> Result<(Observation, Option<(String, String)>), OperatorRefused> {
        let gone = |error: DriverError| OperatorRefused::new(Code::SessionGone, error.to_string());
        let mut seen = self.gate.observe(request, within).await.map_err(gone)?;
        self.facts.append(&mut seen.facts);
        seen.facts.clone_from(&self.facts);
        let off_limits = self.gate.landed_off_limits(&seen);
        Ok((seen, off_limits))
    }

    /// Looks until the screen has come to rest, or for as long as that may take.
    async fn rest(&mut self) -> Result<(Observation, Option<(String, String)>), OperatorRefused> {
        let until = tokio::time::Instant::now() + SETTLE;
        let mut seen = self.look().await?;
        while seen.0.settling != Settling::Settled && seen.0.dialog.is_none() {
            let left = until.saturating_duration_since(tokio::time::Instant::now());
            if left.is_zero() {
                break;
            }
            let until = Until::Change { after: seen.0.number };
            let request = Observe { until, ..self.machine.handoff_look() };
            seen = self.look_as(&request, left).await?;
        }
        Ok(seen)
    }

    /// What changed on the screen since the run was blocked, element by element.
    fn changes(&self, after: &UiSnapshot) -> Vec<String> {
        let count = |screen: &UiSnapshot| {
            let mut lines = BTreeMap::<String, i64>::new();
            // What holds others is called after them.
            let tells = |node: &waymark_snapshot::Node| {
                (node.role.is_control() || node.role == Role::Text) && (!node.name.is_empty() || node.value.is_some())
            };
            for (_, node) in screen.iter().filter(|(_, node)| tells(node)) {
                let holds = node.value.as_deref().filter(|_| !node.is(State::Protected)).unwrap_or_default();
                *lines.entry(format!("{} \"{}\" {holds}", node.role.as_str(), node.name)).or_default() += 1;
            }
            lines
        };
        let concealed = self.recorder.concealed();
        let (before, after) = (count(&concealed.masked(&self.before)), count(&concealed.masked(after)));
        let less = |a: &BTreeMap<String, i64>, b: &BTreeMap<String, i64>, sign: char| {
            let more = a.iter().filter(|(line, n)| **n > b.get(*line).copied().unwrap_or(0));
            more.map(|(line, _)| format!("{sign} {}", line.trim_end())).collect::<Vec<_>>()
        };
        let mut changes = less(&before, &after, '-');
        changes.extend(less(&after, &before, '+'));
        changes.truncate(CHANGES);
        changes
    }

    fn with_key(&self, resumption: Resumption) -> Resumption {
        match resumption {
            Resumption::Stays { code, message, approval } => {
                let approval = approval.map(|asked| {
                    let asked = keyed(self.key, asked);
                    let values = asked.values.iter().map(|(name, value)| (self.clean(name), self.clean(value)));
                    ApprovalAsk { values: values.collect(), ..asked }
                });
                Resumption::Stays { code, message: self.clean(&message), approval }
            }
            other => other,
        }
    }
}

/// What is asked of the gate for a person's act, and what of it may be told.
fn question(seen: &Observation, node: Option<Ix>, act: &PersonAct) -> Result<(Ask, Option<String>), OperatorRefused> {
    let screen = &seen.snapshot;
    let id = || {
        let none = || OperatorRefused::new(Code::InvalidInvocation, "say which element, by its handle");
        node.map(|ix| screen.node(ix).id.clone()).ok_or_else(none)
    };
    let hidden = node.is_some_and(|ix| screen.node(ix).is(State::Protected));
    let (act, with) = match act {
        PersonAct::Click {} => (Act::Click { node: id()? }, None),
        PersonAct::Type { text, .. } if hidden => {
            let text = TypedText::Secret(waymark_redact::Secret::new(text.clone()));
            (Act::Type { node: id()?, text, mode: TypingMode::Insert }, None)
        }
        PersonAct::Type { text } => {
            let typed = TypedText::Plain(text.clone());
            (Act::Type { node: id()?, text: typed, mode: TypingMode::Insert }, Some(text.clone()))
        }
        PersonAct::Choose { option } => {
            let chosen = TypedText::Plain(option.clone());
            (Act::Choose { node: id()?, option: chosen, rule: OptionRule::Equals }, Some(option.clone()))
        }
        PersonAct::SetChecked { checked } => {
            (Act::SetChecked { node: id()?, checked: *checked }, Some(checked.to_string()))
        }
        PersonAct::PressKey { key } => {
            let node = node.map(|ix| screen.node(ix).id.clone());
            (Act::PressKey { node, key: Key(key.clone()) }, Some(key.clone()))
        }
        PersonAct::CloseWindow { window } => {
            let known = seen.windows.iter().find(|w| w.window.0 == *window || w.name == *window);
            let main = WindowKey::main();
            let key = known.map(|w| w.window.clone()).filter(|key| *key != main).ok_or_else(|| {
                OperatorRefused::new(Code::InvalidInvocation, format!("there is no other window `{window}`"))
            })?;
            (Act::CloseWindow { window: key }, Some(window.clone()))
        }
        PersonAct::Open { location } => {
            let open = Act::Open { window: WindowKey::main(), location: location.clone() };
            (open, Some(location.clone()))
        }
        PersonAct::Answer { accept, text } => {
            let none = || OperatorRefused::new(Code::InvalidInvocation, "no dialog is open");
            let dialog = seen.dialog.as_ref().ok_or_else(none)?;
            let said = text.clone().map(TypedText::Plain);
            let ask = Ask::answering(Some(screen), dialog, *accept, said, waymark_artifact::Risk::Safe);
            return Ok((ask, Some(if *accept { "yes" } else { "no" }.to_owned())));
        }
    };
    Ok((Ask::about(screen, node, act, waymark_artifact::Risk::Safe, None), with))
}

/// An approval as it is shown: its digest is no plain one, which could be found by trying values out.
pub(super) fn keyed(key: &[u8], ask: ApprovalAsk) -> ApprovalAsk {
    ApprovalAsk { digest: keyed_hash(key, "approval", &ask.digest), ..ask }
}

fn refused(error: ControlError) -> OperatorRefused {
    let code = match &error {
        ControlError::LeaseLost { .. } => Code::LeaseLost,
        ControlError::Held { .. } | ControlError::Foreign => Code::NotDriving,
    };
    OperatorRefused::new(code, error.to_string())
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}
