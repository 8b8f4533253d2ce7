//! What a run did, without how long it took: the entries of the effect journal.
//!
//! Two runs that found, did, proved, read and ended alike have the same entries, and so the same digest. Time,
//! ids, handles and addresses are not part of them, nor are looks, waits and pictures.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use waymark_artifact::{Digest, Fingerprint, RungKind, StepId};

use crate::{AttemptReport, Code, Effect, ObservationClass, RunStatus};

/// One entry of an effect journal, a line of `effects.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(tag = "effect", rename_all = "snake_case")]
pub enum EffectEntry {
    /// A step was left out because of its condition on the parameters.
    LeftOut {
        /// The step.
        step: StepId,
    },
    /// A target was found, and acted on or read.
    Resolved {
        /// The step.
        step: StepId,
        /// Which rung, from 1.
        rung: u32,
        /// Its kind.
        kind: RungKind,
        /// Whether a hint of the ladder points elsewhere.
        hint_moved: bool,
        /// Which one it is of those in its frame that have its role and name, from 1, in document order.
        nth: u32,
        /// What it looked like.
        fingerprint: Fingerprint,
    },
    /// A target was not found.
    Unresolved {
        /// The step.
        step: StepId,
        /// What came of it.
        code: Code,
        /// What was tried; what was found without its coordinates.
        attempts: Vec<AttemptReport>,
    },
    /// An act was handed over. One that provably reached nothing and was followed by another look is none.
    Acted {
        /// The step.
        step: StepId,
        /// The word of the act.
        act: &'static str,
        /// The control, by role and name.
        on: Option<String>,
        /// What was put in, pressed or opened; a secret by the name of its parameter or credential.
        with: Value,
        /// `delivered`, `not_delivered`, `unknown`, `refused` or, where the run ended first, `untold`.
        delivery: &'static str,
        /// What the control holds since, why nothing was delivered, or which rule refused.
        detail: Value,
    },
    /// Predicates were evaluated and decided.
    Checked {
        /// The step; `None` for the run's own checkpoint.
        step: Option<StepId>,
        /// What was checked, in words.
        description: String,
        /// Whether it holds.
        holds: bool,
        /// Whether it held before the action already.
        held_before: bool,
        /// The verdict of each predicate, in document order.
        leaves: Vec<(String, bool)>,
    },
    /// An observation was classified.
    Classified {
        /// The step.
        step: Option<StepId>,
        /// As what.
        class: ObservationClass,
        /// The outcome, recovery or code.
        code: String,
        /// The verdict of each predicate that decided, in document order.
        leaves: Vec<(String, bool)>,
    },
    /// A safe step was done again.
    Retried {
        /// The step.
        step: StepId,
        /// Which repetition, from 1.
        count: u32,
        /// Why.
        why: String,
    },
    /// A remedy was used.
    Recovered {
        /// The step during which.
        step: StepId,
        /// The recovery.
        recovery: String,
        /// How the walk went on.
        then: &'static str,
    },
    /// A reconcile check was made.
    Reconciled {
        /// The step.
        step: StepId,
        /// What it found.
        found: &'static str,
        /// The verdict of each predicate of both of its conditions.
        leaves: Vec<(String, bool)>,
    },
    /// A person had the session, and the walk went on.
    Resumed {
        /// The step it stood at; `None` behind the last one.
        step: Option<StepId>,
        /// How: `goes_on`, `retries`, `concludes`, `answers` or `stays`.
        then: &'static str,
    },
    /// An output was read.
    Read {
        /// The step.
        step: StepId,
        /// The output.
        output: String,
        /// What was read; `null` where it must not be seen.
        value: Value,
        /// A keyed hash in place of a value that must not be seen. Equal values have equal hashes within one workspace.
        keyed: Option<String>,
    },
    /// A step is done: what was seen is what was expected.
    Done {
        /// The step.
        step: StepId,
        /// Always `expected`.
        class: ObservationClass,
    },
    /// The run ended.
    Ended {
        /// How.
        status: RunStatus,
        /// The code, on anything but success and business outcome.
        code: Option<Code>,
        /// The step during which.
        step: Option<StepId>,
        /// The code of the declared answer.
        outcome: Option<String>,
        /// Whether the step's checkpoint held along with the declared answer.
        checkpoint_also_matched: bool,
        /// The delivery state of the last risky step.
        delivered: Effect,
    },
}

/// An effect journal as it is stored: one entry a line, in canonical JSON (RFC 8785).
///
/// # Errors
/// An entry has no JSON form; no entry of this version has none.
pub fn effect_lines(entries: &[Value]) -> Result<String, serde_json::Error> {
    let mut out = String::new();
    for entry in entries {
        out.push_str(&serde_json_canonicalizer::to_string(entry)?);
        out.push('\n');
    }
    Ok(out)
}

/// The digest of an effect journal as it is stored.
#[must_use]
pub fn effect_digest(lines: &str) -> Digest {
    Digest::of(lines.as_bytes())
}
