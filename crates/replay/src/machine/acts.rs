//! Acting: from a found target to a question for the gate, and what came of it.

use waymark_artifact::{
    Action, DialogAnswer, DialogOpens, DisplayFormat, Name, ReadFormat, ResolutionResult, Risk, Step, Type, Typing,
    Value, ValueExpr, read,
};
use waymark_perception::screen_ids;
use waymark_redact::Secret;
use waymark_run::Code;
use waymark_snapshot::{Ix, NodeId, UiSnapshot, WindowKey, squash};
use waymark_surface::{
    Act, Ask, Delivery, DialogFact, DriverError, Key, NotDelivered, ReadBack, Settling, TypedText, TypingMode,
};
use waymark_targeting::Found;

use super::flow::called;
use super::{Acted, Machine, Next, Phase, Purpose};

/// How often a target that slipped away before delivery is looked for again.
const RELOOKS: u32 = 2;

impl Machine {
    /// Asks for the act of the step.
    pub(super) fn act(&mut self, step: &Step, found: Option<&Found>) -> Next {
        let Some(seen) = &self.seen else { return self.look_now() };
        let node = found.map(|f| f.node);
        let id = node.map(|ix| seen.snapshot.node(ix).id.clone());
        let (act, credential) = match self.bind_act(step, id) {
            Ok(bound) => bound,
            Err(message) => return self.end(Code::Internal, message),
        };
        // Toggles that are in the wanted state already are still handed over: the driver looks at the live state.
        let ask = match self.ask(step, act, node) {
            Ok(ask) => ask,
            Err(message) => return self.end(Code::Internal, message),
        };
        let assessed = self.assessed(&ask);
        // What must not be repeated is done on a screen at rest only: what was found is what will be there.
        if assessed >= Risk::Risky && self.walks.iter().any(|w| w.purpose == Purpose::Reconcile) {
            let message = format!("the reconcile check would do what is risky: \"{}\"", called(step));
            return self.end(Code::EffectUnknown, message);
        }
        if assessed >= Risk::Risky && !self.at_rest() {
            if self.now >= self.progress().step_until {
                return self.end(Code::NotSettled, "the screen did not come to rest before a risky step".into());
            }
            return self.keep_looking();
        }
        // What is sent when the time is over has none left to be proven.
        if self.now >= self.progress().step_until {
            let (code, why) =
                self.progress().hindrance.clone().unwrap_or_else(|| {
                    (Code::NotSettled, "the target came when the time of the step was over".to_owned())
                });
            return match self.explains_by_answer() {
                true => self.answers_and_nuisances().unwrap_or_else(|| self.look_now()),
                false => self.end(code, why),
            };
        }
        let held_before =
            step.checkpoint.as_ref().and_then(|c| self.verdict(&c.condition).ok()).is_some_and(|verdict| verdict.holds);
        let approved = match self.approved(step, &ask) {
            Ok(approved) => approved,
            Err(message) => {
                self.asking = Some(Box::new(ask));
                return self.end(Code::RiskApproval, message);
            }
        };
        self.tell_ready();
        if let Some(found) = found {
            let found = found.clone();
            self.report_found(step, &found);
        }
        let (now, run) = (self.now, self.run_left());
        let progress = self.progress();
        progress.phase = Phase::Acting;
        progress.risk = assessed.max(step.risk);
        progress.held_before = held_before;
        let within_ms = progress.step_until.saturating_sub(now).min(run).max(1_000);
        self.asking = Some(Box::new(ask.clone()));
        Next::Act { step: step.id.clone(), ask: Box::new(ask), credential, approved, within_ms }
    }

    /// Whether what the step would do to what was found is more than safe by policy.
    pub(super) fn is_harmful(&mut self, step: &Step, found: &Found) -> bool {
        let Some(seen) = self.seen.as_ref().filter(|_| step.action.changes_state()) else { return false };
        let id = seen.snapshot.node(found.node).id.clone();
        let Ok((act, _)) = self.bind_act(step, Some(id)) else { return true };
        self.ask(step, act, Some(found.node)).map_or(true, |ask| self.assessed(&ask) > Risk::Safe)
    }

    pub(super) fn assessed(&self, ask: &Ask) -> Risk {
        let proposed = ask.proposed(self.plan.artifact.id.application(), self.plan.mode, self.plan.grants);
        self.plan.policy.assess(&proposed).risk
    }

    /// Asks for the answer to a declared dialog.
    pub(super) fn answer_dialog(&mut self, dialog: &DialogFact, declared: &DialogOpens) -> Next {
        let (accept, text) = match &declared.answer {
            DialogAnswer::Accept => (true, None),
            DialogAnswer::Dismiss => (false, None),
            DialogAnswer::Text(expr) => match self.text(expr, None) {
                Ok((text, None)) => (true, Some(text)),
                Ok((_, Some(_))) => return self.end(Code::Internal, "a credential is no answer to a dialog".into()),
                Err(message) => return self.end(Code::Internal, message),
            },
        };
        // Behind the last step there is none under way: it counts as that one's.
        let Some(step) = self.current_id().or_else(|| self.walk().steps.last().map(|s| s.id.clone())) else {
            return self.enter();
        };
        let screen = self.seen.as_ref().map(|seen| &seen.snapshot);
        let ask = Ask::answering(screen, dialog, accept, text, declared.risk);
        let assessed = self.assessed(&ask);
        let (now, run) = (self.now, self.run_left());
        if self.progress().nuisance.is_none() {
            let risk = self.progress().risk.max(assessed);
            self.progress().risk = risk;
        } else if assessed > Risk::Safe {
            // Only what does no harm is answered in passing, whatever the document says of it.
            let message = format!("the answer to a dialog is {}: {}", assessed.as_str(), dialog.text);
            return self.end(Code::UnexpectedDialog, message);
        }
        let progress = self.progress();
        progress.phase = Phase::Answering;
        let within_ms = progress.step_until.saturating_sub(now).min(run).max(1_000);
        self.asking = None;
        Next::Act { step, ask: Box::new(ask), credential: None, approved: false, within_ms }
    }

    /// An act was tried.
    pub(super) fn acted(&mut self, acted: Acted) -> Next {
        let answering = self.progress().phase == Phase::Answering;
        let delivery = match acted {
            Acted::Refused(refusal) => return self.end(refusal.code, refusal.message),
            Acted::Done(delivery) => delivery,
        };
        if let Some((index, phase)) = self.progress().nuisance.take() {
            return self.nuisance_answered(index, phase, delivery);
        }
        match delivery {
            Delivery::Delivered { read_back } => {
                self.committed();
                if answering {
                    self.progress().dialogs += 1;
                    self.progress().phase = Phase::Proving;
                    return self.look_now();
                }
                self.delivered(read_back)
            }
            Delivery::NotDelivered(why) if answering => self.not_answered(&why),
            Delivery::NotDelivered(why) => self.not_delivered(why),
            Delivery::Unknown(error) => {
                self.committed();
                if is_over(&error) {
                    return self.lost(&error);
                }
                self.progress().phase = Phase::Proving;
                self.look_now()
            }
        }
    }

    /// A nuisance was answered, which is no act of the step under way: that stands where it stood.
    fn nuisance_answered(&mut self, index: usize, phase: Phase, delivery: Delivery) -> Next {
        self.progress().phase = phase;
        match delivery {
            Delivery::NotDelivered(why) => self.not_answered(&why),
            Delivery::Unknown(error) if is_over(&error) => self.lost(&error),
            Delivery::Unknown(_) => self.look_now(),
            Delivery::Delivered { .. } => {
                self.tell_recovered(index, "continue");
                self.look_now()
            }
        }
    }

    fn not_answered(&mut self, why: &NotDelivered) -> Next {
        self.gone(Code::UnexpectedDialog, format!("the dialog could not be answered: {why:?}"))
    }

    /// Something was handed to the application, or may have been.
    pub(super) fn committed(&mut self) {
        let risky = self.must_not_repeat();
        let now = self.now;
        let step = self.current_id();
        let is_main = self.is_main();
        let per_step = self.plan.artifact.limits.retries_per_step;
        let progress = self.progress();
        if progress.phase == Phase::Acting {
            progress.delivered = true;
            progress.remedied = false;
            progress.app_errors.clear();
            progress.route_refused = None;
        }
        progress.tried = true;
        progress.committed |= risky;
        progress.hindrance = None;
        // What may be done again gets its share of the time that is left; what may not gets all of it.
        let attempts = if risky { 1 } else { u64::from(per_step.saturating_sub(progress.retries)) + 1 };
        progress.attempt_until = now + progress.step_until.saturating_sub(now) / attempts;
        if risky {
            self.effect = waymark_run::Effect::Unknown;
            self.risked.extend(step.clone());
        }
        if is_main {
            self.last_acted = step;
        }
    }

    fn delivered(&mut self, read_back: Option<ReadBack>) -> Next {
        let Some(step) = self.current().cloned() else { return self.enter() };
        if step.action.reads_back() {
            match self.read_back(&step, read_back.as_ref()) {
                Ok(()) => self.progress().read_back = true,
                Err(message) => self.progress().mismatch = Some(message),
            }
        }
        let proven = self.progress().mismatch.is_none();
        if proven && step.checkpoint.is_none() && step.opens.is_empty() {
            return self.done(None);
        }
        self.progress().phase = Phase::Proving;
        self.look_now()
    }

    fn not_delivered(&mut self, why: NotDelivered) -> Next {
        self.progress().phase = Phase::Looking;
        let late = self.now >= self.progress().step_until;
        let settled = self.settling() == Settling::Settled;
        match why {
            NotDelivered::Stale | NotDelivered::Hidden if self.progress().relooks < RELOOKS => {
                self.progress().relooks += 1;
                self.look_now()
            }
            NotDelivered::Covered { .. } | NotDelivered::Disabled | NotDelivered::Stale | NotDelivered::Hidden
                if self.explains_by_answer() =>
            {
                self.answers_and_nuisances().unwrap_or_else(|| self.look_now())
            }
            NotDelivered::Stale => self.end(Code::TargetNotFound, "the target was replaced again and again".into()),
            NotDelivered::Hidden => self.end(Code::TargetNotFound, "the target is there and not visible".into()),
            NotDelivered::Covered { by } if late => self.end(Code::CoveredBy, format!("the target is covered by {by}")),
            NotDelivered::Covered { by } => self.hindered(Code::CoveredBy, format!("the target is covered by {by}")),
            NotDelivered::Disabled if late => self.end(Code::UnexpectedState, "the target is disabled".into()),
            NotDelivered::Disabled => self.hindered(Code::UnexpectedState, "the target is disabled".into()),
            NotDelivered::OptionAbsent { options } => {
                match self.answer_by_resolution(ResolutionResult::OptionAbsent) {
                    Ok(Some((index, true))) => return self.answer(index, false),
                    Ok(Some((_, false))) => return self.wait_or_unsettled(),
                    Ok(None) => {}
                    Err(error) => return self.end(Code::Internal, error.to_string()),
                }
                if !settled && !late {
                    return self.keep_looking();
                }
                if !settled {
                    let message = "the screen did not come to rest, so an option may be missing only for now";
                    return self.end(Code::NotSettled, message.into());
                }
                let shown: Vec<String> = options.into_iter().take(20).collect();
                self.end(Code::OptionAbsent, format!("there is no such option; it offers: {}", shown.join(", ")))
            }
            NotDelivered::OptionAmbiguous { option } => {
                self.end(Code::TargetAmbiguous, format!("several options read \"{option}\""))
            }
            NotDelivered::Unsupported { why } => self.end(Code::UnexpectedState, why),
            NotDelivered::DialogOpen if late => {
                self.end(Code::UnexpectedDialog, "a dialog holds the application back".into())
            }
            NotDelivered::DialogOpen if self.progress().relooks >= RELOOKS => self.keep_looking(),
            NotDelivered::DialogOpen => {
                self.progress().relooks += 1;
                self.look_now()
            }
            NotDelivered::Failed(error) => self.lost(&error),
        }
    }

    /// Something stands in the way: waits for it to go.
    fn hindered(&mut self, code: Code, message: String) -> Next {
        self.progress().hindrance = Some((code, message));
        self.keep_looking()
    }

    /// Compares what the control holds with what was put in.
    fn read_back(&mut self, step: &Step, read_back: Option<&ReadBack>) -> Result<(), String> {
        match (&step.action, read_back) {
            (_, Some(ReadBack::Compared { equal: true })) => Ok(()),
            (_, Some(ReadBack::Compared { equal: false })) => {
                Err("the field holds something else than what was typed".into())
            }
            (Action::Type { value, format, .. }, Some(ReadBack::Value(holds))) => {
                let (text, _) = self.text(value, format.as_ref())?;
                let same = text.expose() == holds
                    || squash(text.expose()) == squash(holds)
                    || self.same_value(value, format.as_ref(), holds);
                if same {
                    Ok(())
                } else if self.plan.is_sensitive(value) {
                    Err("the field holds something else than what was typed".into())
                } else {
                    Err(format!("typed \"{}\", the field holds \"{holds}\"", text.expose()))
                }
            }
            (Action::Choose { option, rule, .. }, Some(ReadBack::Value(holds))) => {
                let (text, _) = self.text(option, None)?;
                if rule.fits(text.expose(), holds) {
                    Ok(())
                } else if self.plan.is_sensitive(option) {
                    Err("the control holds something else than what was chosen".into())
                } else {
                    Err(format!("chose \"{}\", the control holds \"{holds}\"", text.expose()))
                }
            }
            (Action::SetChecked { checked, .. }, Some(ReadBack::Checked(holds))) => {
                if self.toggle(checked)? == *holds {
                    Ok(())
                } else {
                    Err("the toggle is not in the wanted state".into())
                }
            }
            _ => Err("the control could not be read back".into()),
        }
    }

    /// Whether a field that formats by itself holds the same value, as a number, amount or day.
    fn same_value(&self, expr: &ValueExpr, format: Option<&DisplayFormat>, holds: &str) -> bool {
        let ValueExpr::Parameter { name } = expr else { return false };
        let Some(typed) = self.plan.inputs.get(name) else { return false };
        let Some(kind) = self.plan.artifact.parameters.iter().find(|p| p.name == *name).map(|p| &p.kind) else {
            return false;
        };
        if !matches!(kind, Type::Integer | Type::Decimal | Type::Money { .. } | Type::Date) {
            return false;
        }
        let format = format.or_else(|| self.plan.form(name));
        let mut how: ReadFormat = format.cloned().unwrap_or_default().read_format();
        if let Value::Money(money) = typed {
            how.currency = Some(money.currency.clone());
        }
        read(kind, &how, holds).is_ok_and(|holds| holds == *typed)
    }

    pub(super) fn bind_act(&self, step: &Step, node: Option<NodeId>) -> Result<(Act, Option<Name>), String> {
        let target = || node.clone().ok_or_else(|| "a step without a target".to_owned());
        Ok(match &step.action {
            Action::Click { .. } => (Act::Click { node: target()? }, None),
            Action::Type { value, typing, format, .. } => {
                let (text, credential) = self.text(value, format.as_ref())?;
                let mode = match typing {
                    Typing::Insert => TypingMode::Insert,
                    Typing::Keys => TypingMode::Keys,
                };
                (Act::Type { node: target()?, text, mode }, credential)
            }
            Action::Choose { option, rule, .. } => {
                let (option, credential) = self.text(option, None)?;
                (Act::Choose { node: target()?, option, rule: *rule }, credential)
            }
            Action::SetChecked { checked, .. } => {
                (Act::SetChecked { node: target()?, checked: self.toggle(checked)? }, None)
            }
            Action::PressKey { key, .. } => (Act::PressKey { node, key: Key(key.0.clone()) }, None),
            Action::Open { window, location } => {
                let window = window.as_ref().map(|w| self.bindings.text(w)).transpose().map_err(|e| e.to_string())?;
                let location = self.bindings.text(location).map_err(|e| e.to_string())?;
                (Act::Open { window: window.map_or_else(WindowKey::main, WindowKey), location }, None)
            }
            Action::Read { .. }
            | Action::ReadTable { .. }
            | Action::WaitFor { .. }
            | Action::Upload { .. }
            | Action::ScrollToLoad { .. }
            | Action::Run { .. } => return Err(format!("a {} step does not act", step.action.kind())),
        })
    }

    /// The text of an expression, or the credential that takes its place.
    fn text(&self, expr: &ValueExpr, format: Option<&DisplayFormat>) -> Result<(TypedText, Option<Name>), String> {
        let plain = |text: String| Ok((TypedText::Plain(text), None));
        match expr {
            ValueExpr::Parameter { name } => {
                let value = self.plan.inputs.get(name).unwrap_or(&Value::Null);
                if *value == Value::Null {
                    return Err(format!("the parameter `{name}` has no value in this run"));
                }
                let text = self.plan.written(name, value, format);
                let text = text.map_err(|_| format!("the parameter `{name}` has no written form"))?;
                if self.plan.is_sensitive(expr) {
                    Ok((TypedText::Secret(Secret::new(text)), None))
                } else {
                    plain(text)
                }
            }
            ValueExpr::Credential { name } => Ok((TypedText::Secret(Secret::new(String::new())), Some(name.clone()))),
            ValueExpr::Variable { name } => {
                let value = self.bindings.variables.get(name);
                plain(value.cloned().ok_or_else(|| format!("the variable `{name}` has no value"))?)
            }
            ValueExpr::Literal { value, .. } => plain(value.clone()),
        }
    }

    fn toggle(&self, expr: &ValueExpr) -> Result<bool, String> {
        match self.text(expr, None)?.0.expose() {
            "true" => Ok(true),
            "false" => Ok(false),
            _ => Err("a toggle is set to true or false".into()),
        }
    }

    /// The question for the gate.
    pub(super) fn ask(&self, step: &Step, act: Act, node: Option<Ix>) -> Result<Ask, String> {
        let Some(seen) = &self.seen else { return Err("nothing was seen yet".into()) };
        let snapshot = &seen.snapshot;
        Ok(Ask::about(snapshot, node, act, step.risk, self.screen_id(snapshot)))
    }

    /// The identifier that a screen shows of itself, where the application is known for that.
    pub(super) fn screen_id(&self, snapshot: &UiSnapshot) -> Option<String> {
        let pattern = self.plan.artifact.application.screen_id.as_ref()?;
        let at = &pattern.place;
        let place = waymark_perception::place(snapshot, at.window.as_ref(), &at.frame, &self.bindings);
        screen_ids(snapshot, place.ok()?, pattern).into_iter().next()
    }
}

/// Whether nothing can be seen of the application any more.
fn is_over(error: &DriverError) -> bool {
    matches!(error, DriverError::Gone { .. } | DriverError::Crashed { .. })
}
