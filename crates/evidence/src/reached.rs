//! How far a run came that nobody ended: what its journal alone still tells.
//!
//! Each act was written down before it was done, so that a journal without the line of a risky act proves that it was
//! not sent; one with the line proves nothing but that it may have been.

use serde_json::Value;
use waymark_artifact::Risk;
use waymark_run::{CapabilityRef, Effect, RunStatus};

use crate::verify::Journal;

/// How far a run came.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Reached {
    /// What ran, where that was written.
    pub(crate) capability: Option<CapabilityRef>,
    /// What came of the last risky step; `None` where the journal cannot tell.
    pub(crate) effect: Option<Effect>,
    /// In a sentence.
    pub(crate) sentence: String,
}

/// The risky act that may have been sent last, and what was known before it.
#[derive(Default)]
struct Sent {
    effect: Effect,
    step: String,
    authorization: Value,
    before: Option<(Effect, String)>,
}

impl Reached {
    /// Reads it off a journal; `None` where there is none.
    pub(crate) fn of(journal: Option<&Journal>) -> Self {
        let Some(journal) = journal else {
            return Reached { sentence: "it has no journal that tells what it did".to_owned(), ..Reached::default() };
        };
        let events = || journal.lines.iter().map(|line| &line.event);
        let started = events().find(|event| event["event"] == "run_started");
        let capability = started.and_then(|event| serde_json::from_value(event["capability"].clone()).ok());
        let mut sent = Sent::default();
        events().for_each(|event| sent.hear(event));
        let (effect, sentence) = match events().next_back().filter(|event| event["event"] == "run_ended") {
            _ if !journal.problems.is_empty() => {
                (None, "its journal is not as it was written and does not tell what was sent".to_owned())
            }
            Some(end) => ended(&end["result"]),
            None => sent.told(),
        };
        Reached { capability, effect, sentence }
    }
}

impl Sent {
    fn hear(&mut self, event: &Value) {
        let of_this = event["step"] == self.step.as_str();
        match event["event"].as_str().unwrap_or_default() {
            "authorized" if event["allowed"] == true && event["risk"] != Risk::Safe.as_str() => {
                let step = event["step"].as_str().unwrap_or_default().to_owned();
                let before = Some((self.effect, std::mem::take(&mut self.step)));
                *self = Sent { effect: Effect::Unknown, step, authorization: event["authorization"].clone(), before };
            }
            "dispatched" if event["authorization"] == self.authorization && event["delivery"] == "not_delivered" => {
                if let Some((effect, step)) = self.before.take() {
                    (self.effect, self.step) = (effect, step);
                }
            }
            "step_ended" if of_this && self.effect == Effect::Unknown => self.effect = Effect::Done,
            "reconciled" if of_this && event["found"] == "landed" => self.effect = Effect::Done,
            "reconciled" if of_this && event["found"] == "not_landed" => self.effect = Effect::None,
            _ => {}
        }
    }

    fn told(self) -> (Option<Effect>, String) {
        let step = self.step;
        let sentence = match self.effect {
            Effect::None if step.is_empty() => "no risky step was sent".to_owned(),
            Effect::None => format!("the risky step `{step}` was sent and had no effect"),
            Effect::Done => format!("the risky step `{step}` was sent and proven"),
            Effect::Unknown => format!(
                "the risky step `{step}` may have been sent and its effect is NOT KNOWN: check the record before \
                 anything is repeated"
            ),
        };
        (Some(self.effect), sentence)
    }
}

/// The journal was written to its end, and only the result was not.
fn ended(result: &Value) -> (Option<Effect>, String) {
    let effect = serde_json::from_value(result["effect"].clone()).ok();
    let status: Option<RunStatus> = serde_json::from_value(result["status"].clone()).ok();
    let status = status.map_or("?", RunStatus::as_str);
    let effect_word = match effect {
        Some(Effect::None) => "none",
        Some(Effect::Done) => "done",
        _ => "unknown",
    };
    (effect, format!("it had ended as {status}, effect {effect_word}, and its result was not written"))
}
