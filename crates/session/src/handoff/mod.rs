//! A run that waits for a person: the control token is let go, orders are taken, and nothing goes on by itself.
//!
//! ```text
//!             ┌────────────── claim ───────────────┐
//!   blocked ─► open ◄── release, lease over ── claimed, driving ─► resume ─► the machine goes on
//!             │  └────────────── resume, approve ──────────────────┘
//!             └─► abort, refuse, expired, session gone ─► the machine ends
//! ```
//!
//! What a resume does is the machine's word, and the same one that a check before it gets.

mod channel;
mod desk;
mod order;

use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::{mpsc, watch};
use tokio::time::Instant;
use waymark_evidence::{Channel, Index, InterventionRow};
use waymark_replay::{Handoff, Machine, What};
use waymark_run::{Code, Intervention, InterventionState, Resolution, RunEvent};
use waymark_snapshot::{UiSnapshot, WindowKey};
use waymark_surface::{Driver, Driving, Gate, Holder};

pub use channel::{ChannelError, Line, ask};
pub use order::{Element, HandoffStanding, OperatorAsk, OperatorRefused, Order, PersonAct};

use crate::drive::told;
use crate::pictures;
use crate::recorder::Recorder;
use crate::result::{Header, intervention};
use crate::run::{Request, Stop};

/// How long the picture of the block may take.
const PICTURE: Duration = Duration::from_secs(3);

/// How often a request is offered to the index again that another process would not let in.
const OFFER: Duration = Duration::from_secs(5);

/// How a run waits for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// How long in all.
    pub at_most: Duration,
    /// How long control is lent to a person at a time.
    pub lease: Duration,
    /// Whether the session has a window that a person can act in without asking for control.
    pub window: bool,
}

/// How it was over.
pub(crate) enum Over {
    /// The machine is told, with the token back in the engine's hand.
    Resumed(What, Driving),
    /// The machine is told that nobody lets it go on, or that there is nothing left to go on with.
    Ended(What),
}

/// What a run is that waits.
pub(crate) struct Waiting<'a, 'w, D: Driver> {
    gate: &'a mut Gate<D>,
    machine: &'a Machine,
    recorder: &'a mut Recorder<'w>,
    key: &'a [u8],
    root: &'a Path,
    wait: &'a Wait,
    intervention: Intervention,
    /// As it was written last.
    document: serde_json::Value,
    before: UiSnapshot,
    /// Whether a person has had the session.
    drove: bool,
    facts: Vec<waymark_surface::Fact>,
    until: Instant,
    index: Option<Index>,
    channel: Option<Channel>,
    /// The index does not have what was written last.
    unindexed: bool,
}

/// Lets go of control and waits. Ends with what the machine is told.
#[expect(clippy::too_many_arguments, reason = "a handover takes all that a run holds")]
pub(crate) async fn hand_over<D: Driver>(
    gate: &mut Gate<D>,
    driving: Driving,
    machine: &Machine,
    recorder: &mut Recorder<'_>,
    request: &Request,
    header: &Header,
    handoff: Handoff,
    key: &[u8],
    local: &mut Option<mpsc::Receiver<Order>>,
    stop: &mut watch::Receiver<Option<Stop>>,
) -> Over {
    let Some(wait) = &request.wait else { return Over::Ended(What::GivenUp) };
    if gate.control().pause(driving).is_err() {
        return Over::Ended(What::GivenUp);
    }
    // What was said before was no answer to what is asked now.
    while let Some(Ok(early)) = local.as_mut().map(mpsc::Receiver::try_recv) {
        let _ = early.reply.send(Err(OperatorRefused::new(Code::NotWaiting, "the run did not wait yet")));
    }
    let mut waiting = Waiting::begin(gate, machine, recorder, request, header, wait, handoff, key).await;
    // Without a channel only whoever started the run can act: the request says so.
    let mut line = match Line::open().await {
        Ok(line) => {
            waiting.channel = Some(line.channel());
            Some(line)
        }
        Err(error) => {
            waiting.recorder.folder.gap(format!("no other process can reach the run: {error}"));
            None
        }
    };
    waiting.write();
    let opened = waiting.intervention.clone();
    waiting.recorder.tell(RunEvent::Escalated { intervention: Box::new(opened) });
    waiting.tell_control("the run cannot go on by itself");
    let over = loop {
        if let Some(failed) = waiting.recorder.failure() {
            let why = failed.1.clone();
            break waiting.end(InterventionState::Aborted, "", &why);
        }
        let lease = waiting.lease_until();
        let order = tokio::select! {
            biased;
            () = told(stop) => break waiting.stopped(),
            error = waiting.gate.gone() => break waiting.lost(error),
            order = next(&mut line) => order,
            order = local_order(local) => order,
            () = at(lease) => { waiting.lease_over(); continue; }
            () = at(waiting.unindexed.then(|| Instant::now() + OFFER)) => { waiting.offer(); continue; }
            () = tokio::time::sleep_until(waiting.until) => {
                break waiting.end(InterventionState::Expired, "", "nobody acted in time");
            }
        };
        // Whoever asks first after a lease is over finds nobody there.
        waiting.lease_over();
        let Order { by, epoch, ask, reply } = order;
        match waiting.obey(&by, epoch, ask).await {
            desk::Done::Answer(answer) => {
                let _ = reply.send(answer);
            }
            desk::Done::Over(answer, over) => {
                let _ = reply.send(answer);
                break over;
            }
        }
    };
    if let Some(line) = line {
        line.close().await;
    }
    over
}

impl<'a, 'w, D: Driver> Waiting<'a, 'w, D> {
    #[expect(clippy::too_many_arguments, reason = "a handover takes all that a run holds")]
    async fn begin(
        gate: &'a mut Gate<D>,
        machine: &'a Machine,
        recorder: &'a mut Recorder<'w>,
        request: &'a Request,
        header: &Header,
        wait: &'a Wait,
        handoff: Handoff,
        key: &'a [u8],
    ) -> Self {
        let Handoff { ending, approval } = handoff;
        let mut files = Vec::new();
        let seen = machine.last_seen();
        let before = seen.map(|seen| seen.snapshot.clone()).unwrap_or_default();
        if request.plan.pictures && seen.is_some_and(|s| s.dialog.is_none()) {
            let caption = "the screen on which a person was asked";
            let report = pictures::take(gate, recorder, WindowKey::main(), ending.step.clone(), caption, PICTURE).await;
            files.extend(report.and_then(|report| report.file));
        }
        let text = recorder.concealed().print(&before);
        files.extend(recorder.snapshot(ending.step.clone(), "needs_human", &text));
        let main = before.window(&WindowKey::main()).map(|w| before.scope(w).location.clone());
        let mut intervention = intervention(header, &ending, main.unwrap_or_default(), files);
        let number = recorder.handoffs + 1;
        recorder.handoffs = number;
        if number > 1 {
            intervention.id = format!("{}_{number}", intervention.id);
        }
        intervention.state = InterventionState::Open;
        intervention.opened_at = recorder.clock.utc();
        intervention.waits_ms = u64::try_from(wait.at_most.as_millis()).ok();
        intervention.approval = approval.map(|ask| desk::keyed(key, ask));
        Waiting {
            gate,
            machine,
            recorder,
            key,
            root: &request.evidence_root,
            wait,
            intervention,
            document: serde_json::Value::Null,
            before,
            drove: wait.window,
            facts: Vec::new(),
            until: Instant::now() + wait.at_most,
            index: None,
            channel: None,
            unindexed: false,
        }
    }

    fn now(&self) -> u64 {
        self.recorder.clock.at_ms()
    }

    /// When the lease of whoever drives is over.
    fn lease_until(&mut self) -> Option<Instant> {
        match self.gate.control().holder() {
            Holder::Person { until_ms, .. } => {
                let left = until_ms.saturating_sub(self.recorder.clock.at_ms());
                Some(Instant::now() + Duration::from_millis(left))
            }
            Holder::Engine | Holder::Nobody => None,
        }
    }

    fn lease_over(&mut self) {
        let now = self.now();
        if let Some(name) = self.gate.control().expire(now) {
            self.stands(InterventionState::Open);
            self.tell_control(&format!("the lease of {name} is over"));
        }
    }

    fn stopped(&mut self) -> Over {
        self.resolve(InterventionState::Aborted, "", "the run was told to end");
        Over::Ended(What::Stop)
    }

    fn lost(&mut self, error: waymark_surface::DriverError) -> Over {
        self.resolve(InterventionState::SessionGone, "", &error.to_string());
        Over::Ended(What::Lost(error))
    }

    fn end(&mut self, state: InterventionState, by: &str, note: &str) -> Over {
        self.resolve(state, by, note);
        Over::Ended(What::GivenUp)
    }

    /// The request is over.
    fn resolve(&mut self, state: InterventionState, by: &str, note: &str) {
        self.intervention.resolution = Some(Resolution { by: by.to_owned(), note: note.to_owned() });
        self.channel = None;
        self.recorder.escalation = Some(state);
        self.stands(state);
        let ended = self.intervention.clone();
        if self.unindexed {
            self.recorder.folder.gap("the request for a person did not get into the index");
        }
        self.recorder.tell(RunEvent::InterventionEnded { intervention: Box::new(ended) });
    }

    fn stands(&mut self, state: InterventionState) {
        self.intervention.state = state;
        self.write();
    }

    /// Writes the request to the run folder, which is the truth, and to the index.
    fn write(&mut self) {
        match self.recorder.folder.intervention(&self.intervention) {
            Ok(document) => self.document = document,
            Err(error) => self.recorder.fail(&error),
        }
        self.unindexed = true;
        self.offer();
    }

    fn offer(&mut self) {
        let row = InterventionRow {
            id: self.intervention.id.clone(),
            run_id: self.intervention.run_id.clone(),
            folder: absolute(self.recorder.folder.path()),
            state: self.intervention.state.as_str().to_owned(),
            opened_at: self.intervention.opened_at.clone(),
            document: self.document.clone(),
            channel: self.channel.clone(),
        };
        let put = match &mut self.index {
            Some(index) => index.put(&row),
            None => Index::open(self.root).and_then(|mut index| {
                index.put(&row)?;
                self.index = Some(index);
                Ok(())
            }),
        };
        match put {
            Ok(()) => self.unindexed = false,
            Err(error) => tracing::debug!(%error, "the index is offered the request again"),
        }
    }

    fn tell_control(&mut self, why: &str) {
        let now = self.now();
        let control = self.gate.control();
        let epoch = control.epoch();
        let (holder, name, lease_ms) = match control.holder() {
            Holder::Engine => ("engine", None, None),
            Holder::Nobody => ("nobody", None, None),
            Holder::Person { name, until_ms } => ("person", Some(name.clone()), Some(until_ms.saturating_sub(now))),
        };
        self.recorder.tell(RunEvent::ControlChanged { holder, name, epoch, lease_ms, why: why.to_owned() });
    }
}

/// As other processes find it, wherever they were started.
fn absolute(path: &Path) -> PathBuf {
    std::path::absolute(path).unwrap_or_else(|_| path.to_owned())
}

async fn next(line: &mut Option<Line>) -> Order {
    if let Some(line) = line
        && let Some(order) = line.order().await
    {
        return order;
    }
    std::future::pending().await
}

async fn local_order(local: &mut Option<mpsc::Receiver<Order>>) -> Order {
    if let Some(orders) = local
        && let Some(order) = orders.recv().await
    {
        return order;
    }
    // Nobody gives any, any more.
    *local = None;
    std::future::pending().await
}

async fn at(moment: Option<Instant>) {
    match moment {
        Some(moment) => tokio::time::sleep_until(moment).await,
        None => std::future::pending().await,
    }
}

#[cfg(test)]
#[expect(
    clippy::expect_used,
    clippy::panic,
    reason = "what an operator is answered in a test is there, or the test ends"
)]
mod tests;
