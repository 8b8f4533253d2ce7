//! Carrying out what the machine asks for: looks, acts, pictures, and the last word.

use std::time::Duration;

use tokio::sync::{mpsc, watch};
use waymark_artifact::{DisplayFormat, Name, ReadFormat, StepId, Type, Value, display};
use waymark_evidence::EvidenceError;
use waymark_replay::{Acted, Ending, Input, Machine, Next, What};
use waymark_run::{Code, RunEvent, RunStatus};
use waymark_snapshot::WindowKey;
use waymark_surface::{Act, Ask, Delivery, Driver, Driving, Gate, NotDelivered, Settling, TypedText};

use crate::handoff::{Order, Over, hand_over};
use crate::recorder::Recorder;
use crate::result::{Header, failed, intervention};
use crate::run::{Request, Stop};
use crate::secrets::SecretError;
use crate::{acting, pictures};

/// How long the last picture may take.
const LAST_PICTURE: Duration = Duration::from_secs(3);

/// Carries out what the machine asks for until it ends.
#[expect(clippy::too_many_arguments, reason = "the loop of a run takes all that a run holds")]
pub(crate) async fn drive<D: Driver>(
    mut gate: Gate<D>,
    driving: Driving,
    machine: &mut Machine,
    recorder: &mut Recorder<'_>,
    request: &Request,
    header: &Header,
    (key, mut orders): (&[u8], Option<mpsc::Receiver<Order>>),
    stop: &mut watch::Receiver<Option<Stop>>,
) -> Ending {
    let mut driving = Some(driving);
    // What people take is not the run's time.
    let mut waited_ms = 0;
    let mut what = What::Start;
    let ending = loop {
        // A stop is heard between any two things, never in the middle of an act: what came of one is told first.
        if stop.borrow().is_some() && !matches!(what, What::Acted(_) | What::GivenUp | What::Lost(_)) {
            what = What::Stop;
        }
        let input = Input { at_ms: recorder.clock.at_ms().saturating_sub(waited_ms), what };
        recorder.heard(&input);
        let turn = machine.step(input);
        keep_secret(machine, recorder, request, &turn.events);
        for event in turn.events {
            recorder.tell(event);
        }
        if let Some((code, message)) = recorder.failure() {
            break failed(*code, message.clone(), None);
        }
        what = match turn.next {
            Next::Observe { request, within_ms } => {
                tokio::select! {
                    biased;
                    () = told(stop) => What::Stop,
                    seen = gate.observe(&request, Duration::from_millis(within_ms)) => match seen {
                        Ok(seen) => {
                            let off_limits = gate.landed_off_limits(&seen);
                            What::Seen { seen: Box::new(seen), off_limits }
                        }
                        Err(error) => What::Lost(error),
                    }
                }
            }
            Next::Act { step, ask, credential, approved, within_ms } => {
                let within = Duration::from_millis(within_ms);
                let Some(driving) = &mut driving else {
                    break failed(Code::Internal, "an act was asked for without control".into(), Some(step));
                };
                if approved {
                    gate.approve_once(&ask);
                }
                act(&mut gate, driving, recorder, request, step, *ask, credential, within, stop).await
            }
            Next::Capture { step, caption, within_ms } => {
                let within = Duration::from_millis(within_ms);
                tokio::select! {
                    biased;
                    () = at_once(stop) => {}
                    _ = pictures::take(&mut gate, recorder, WindowKey::main(), Some(step), &caption, within) => {}
                }
                What::Captured
            }
            Next::Handoff(handoff) => {
                let Some(held) = driving.take() else { break handoff.ending };
                let began = recorder.clock.at_ms();
                let over =
                    hand_over(&mut gate, held, machine, recorder, request, header, *handoff, key, &mut orders, stop)
                        .await;
                waited_ms += recorder.clock.at_ms().saturating_sub(began);
                match over {
                    Over::Resumed(what, again) => {
                        driving = Some(again);
                        recorder.escalation = None;
                        what
                    }
                    Over::Ended(what) => what,
                }
            }
            Next::Finish(ending) => break *ending,
        };
    };
    close_up(&mut gate, machine, recorder, header, &ending, request.plan.pictures, stop).await;
    tokio::select! {
        biased;
        () = at_once(stop) => {}
        () = gate.close() => {}
    }
    ending
}

/// A sensitive output is a secret from the moment it was read: whatever is written from now on is without it.
fn keep_secret(machine: &Machine, recorder: &mut Recorder<'_>, request: &Request, events: &[RunEvent]) {
    let read = events.iter().filter_map(|event| match event {
        RunEvent::Read { output, .. } => Name::new(output).ok(),
        _ => None,
    });
    for name in read.filter(|name| request.plan.hides(name)) {
        let Some(value) = machine.summary().outputs.remove(&name) else { continue };
        let declared = request.plan.artifact.outputs.iter().find(|output| output.name == name);
        let Some(declared) = declared else { continue };
        for text in texts(&value, &declared.kind, &declared.format) {
            if let Err(error) = recorder.redactor.register(name.as_str(), &text) {
                recorder.fail(&EvidenceError::Redaction { what: name.to_string(), why: error.to_string() });
            }
        }
    }
}

/// The written forms of a value, cell by cell for a table: the plain one, and those of the screen that it was read from.
fn texts(value: &Value, kind: &Type, format: &ReadFormat) -> Vec<String> {
    match (value, kind) {
        (Value::Table(table), Type::Table { columns, .. }) => {
            let cells = table.rows.iter().flatten();
            let declared = |name: &Name| columns.iter().find(|column| column.name == *name);
            let of = |(name, cell)| declared(name).map(|column| texts(cell, &column.kind, &column.format));
            cells.filter_map(of).flatten().collect()
        }
        (value, _) => {
            let on_screen = |grouping| DisplayFormat { locale: format.locale, grouping, ..DisplayFormat::default() };
            let forms = [None, Some(on_screen(false)), Some(on_screen(true))];
            forms.iter().filter_map(|form| display(value, form.as_ref()).ok()).collect()
        }
    }
}

/// Resolves once the run is told to end.
pub(crate) async fn told(stop: &mut watch::Receiver<Option<Stop>>) {
    until(stop, |_| true).await;
}

/// Resolves once the run is told to end without waiting for anything.
pub(crate) async fn at_once(stop: &mut watch::Receiver<Option<Stop>>) {
    until(stop, |stop| stop.at_once).await;
}

async fn until(stop: &mut watch::Receiver<Option<Stop>>, wanted: impl Fn(Stop) -> bool) {
    if stop.wait_for(|stop| stop.is_some_and(&wanted)).await.is_err() {
        // Nobody can tell any more.
        std::future::pending::<()>().await;
    }
}

#[expect(clippy::too_many_arguments, reason = "one act needs all that a run holds, and is done in one place")]
async fn act<D: Driver>(
    gate: &mut Gate<D>,
    driving: &mut Driving,
    recorder: &mut Recorder<'_>,
    request: &Request,
    step: StepId,
    mut ask: Ask,
    credential: Option<Name>,
    within: Duration,
    stop: &mut watch::Receiver<Option<Stop>>,
) -> What {
    let pass = match acting::allowed(gate, driving, recorder, &step, &ask) {
        Ok(pass) => pass,
        Err(refusal) => return What::Acted(Acted::Refused(refusal)),
    };
    // What was not written down is not done, and nobody is told that it may have been.
    if let Some((_, why)) = recorder.failure() {
        return What::Acted(Acted::Done(Delivery::NotDelivered(NotDelivered::Unsupported { why: why.clone() })));
    }
    if let Some(name) = credential {
        match resolve(request, recorder, &name) {
            Ok(text) => put(&mut ask.act, text),
            Err(error) => return What::NoCredential { name, why: error.to_string() },
        }
    }
    match acting::done(gate, driving, recorder, step, pass, &ask.act, within, stop).await {
        Some(delivery) => What::Acted(Acted::Done(delivery)),
        None => What::Stop,
    }
}

/// Resolves a credential; it is registered for redaction before anybody else sees it.
fn resolve(request: &Request, recorder: &Recorder<'_>, name: &Name) -> Result<TypedText, SecretError> {
    let secret = request.credentials.get(name).ok_or(SecretError::Unbound)?.resolve()?;
    if recorder.redactor.register(name.as_str(), secret.expose()).is_err() {
        return Err(SecretError::Empty);
    }
    Ok(TypedText::Secret(secret))
}

fn put(act: &mut Act, secret: TypedText) {
    match act {
        Act::Type { text, .. } => *text = secret,
        Act::Choose { option, .. } => *option = secret,
        _ => {}
    }
}

/// The last picture, where pictures are taken, and where the run did not succeed the screen as text and the request for a person.
async fn close_up<D: Driver>(
    gate: &mut Gate<D>,
    machine: &Machine,
    recorder: &mut Recorder<'_>,
    header: &Header,
    ending: &Ending,
    pictures: bool,
    stop: &mut watch::Receiver<Option<Stop>>,
) {
    let seen = machine.last_seen();
    let mut files = Vec::new();
    let dialog = seen.is_some_and(|s| s.dialog.is_some());
    if pictures && seen.is_some() && ending.code != Some(Code::BrowserGone) && !dialog {
        let caption = match ending.status {
            RunStatus::Success => "the screen at the end of the run",
            _ => "the screen on which the run ended",
        };
        // Where the application did not answer before, it will hardly answer now.
        let answers = seen.is_some_and(|s| s.settling != Settling::Unreadable)
            && !matches!(ending.code, Some(Code::NotSettled | Code::Timeout));
        let within = if answers { LAST_PICTURE } else { LAST_PICTURE / 3 };
        tokio::select! {
            biased;
            () = at_once(stop) => recorder.folder.gap("the last picture was not waited for: the run was to end at once"),
            report = pictures::take(gate, recorder, WindowKey::main(), ending.step.clone(), caption, within) => {
                files.extend(report.and_then(|r| r.file));
            }
        }
    }
    if matches!(ending.status, RunStatus::Success | RunStatus::BusinessOutcome) {
        return;
    }
    if let Some(seen) = seen {
        let text = recorder.concealed().print(&seen.snapshot);
        files.extend(recorder.snapshot(ending.step.clone(), ending.status.as_str(), &text));
    }
    // Where a person was waited for, the request is written already.
    if ending.status == RunStatus::NeedsHuman && recorder.escalation.is_none() {
        let location = seen
            .and_then(|s| s.snapshot.window(&WindowKey::main()).map(|w| s.snapshot.scope(w).location.clone()))
            .unwrap_or_default();
        let request = intervention(header, ending, location, files);
        if let Err(error) = recorder.folder.intervention(&request) {
            recorder.fail(&error);
        }
        recorder.tell(RunEvent::Escalated { intervention: Box::new(request) });
    }
}

#[cfg(test)]
mod tests;
