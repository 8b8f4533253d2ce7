//! One act: allowed, written down, done, written down.
//!
//! The gate is asked first; what was not written down is not done; what came of it is told whatever stops the run.

use std::time::Duration;

use tokio::sync::watch;
use waymark_artifact::{Risk, StepId};
use waymark_run::{DeliveryWord, RunEvent};
use waymark_surface::{Act, Ask, Delivery, Driver, Driving, Gate, Pass, Refusal};

use crate::drive::at_once;
use crate::recorder::Recorder;
use crate::run::Stop;

/// Asks the gate, and writes its answer down.
///
/// # Errors
/// It is not allowed.
pub(crate) fn allowed<D: Driver>(
    gate: &mut Gate<D>,
    driving: &mut Driving,
    recorder: &mut Recorder<'_>,
    step: &StepId,
    ask: &Ask,
) -> Result<Pass, Refusal> {
    let answer = gate.authorize(driving, ask);
    let (authorization, risk, rule, epoch) = match &answer {
        Ok(pass) => (pass.number, pass.assessment.risk, pass.assessment.rule.clone(), pass.epoch),
        Err(refusal) => (refusal.number, refusal.risk, refusal.rule.clone(), driving.epoch()),
    };
    let refusal = answer.as_ref().err();
    recorder.tell(RunEvent::Authorized {
        step: step.clone(),
        authorization,
        act: ask.act.word().as_str(),
        risk,
        rule,
        epoch,
        allowed: refusal.is_none(),
        code: refusal.map(|refusal| refusal.code),
        message: refusal.map(|refusal| refusal.message.clone()).unwrap_or_default(),
    });
    // A machine that stops must not take along what says that something may have been sent.
    if answer.is_ok() && risk > Risk::Safe {
        recorder.sync();
    }
    answer
}

/// Hands an allowed act to the driver, and writes down what became of it; `None` where the run was told to end at once
/// while it was under way.
#[expect(clippy::too_many_arguments, reason = "one act needs all that a run holds, and is done in one place")]
pub(crate) async fn done<D: Driver>(
    gate: &mut Gate<D>,
    driving: &mut Driving,
    recorder: &mut Recorder<'_>,
    step: StepId,
    pass: Pass,
    act: &Act,
    within: Duration,
    stop: &mut watch::Receiver<Option<Stop>>,
) -> Option<Delivery> {
    let authorization = pass.number;
    recorder.typed(act);
    let delivery = tokio::select! {
        biased;
        delivery = gate.act(driving, pass, act, within) => Some(delivery),
        () = at_once(stop) => None,
    };
    let (word, detail) = match &delivery {
        Some(Delivery::Delivered { .. }) => (DeliveryWord::Delivered, String::new()),
        Some(Delivery::NotDelivered(why)) => (DeliveryWord::NotDelivered, format!("{why:?}")),
        Some(Delivery::Unknown(error)) => (DeliveryWord::Unknown, error.to_string()),
        None => (DeliveryWord::Unknown, "the run was told to end at once while it was under way".to_owned()),
    };
    recorder.tell(RunEvent::Dispatched { step, authorization, act: act.word().as_str(), delivery: word, detail });
    delivery
}
