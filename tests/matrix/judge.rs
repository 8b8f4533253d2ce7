//! What is right, for every cell alike.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use waymark_fixture_apps::{Mode, Place};

use crate::cell::{Cell, Fault};

/// Every way to stop that says so and does no more.
pub const ANY_STOP: &[&str] = &[
    "target_ambiguous",
    "target_not_found",
    "fingerprint_mismatch",
    "checkpoint_unmet",
    "unexpected_state",
    "covered_by",
    "recovery_spent",
    "not_settled",
    "timeout",
    "app_error",
    "option_absent",
    "output_invalid",
];

/// One run as the report tells it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// Which cell.
    pub cell: String,
    /// Whether the fault struck at all.
    pub struck: bool,
    /// Exit code and code of the ending, such as `3 target_not_found`.
    pub ended: String,
    /// What the result says of the effect.
    pub effect: String,
    /// Remedies that were used.
    pub recovered: usize,
    /// Payments that the stand-in booked.
    pub booked: usize,
    /// The hash of the run's effects, where it has one.
    pub journal: String,
    /// Milliseconds.
    pub took_ms: u64,
    /// What is wrong; empty where everything is right.
    pub wrong: Vec<String>,
}

impl Line {
    /// The line of a run that the harness itself could not carry out.
    #[must_use]
    pub fn broken(cell: &Cell, error: &anyhow::Error) -> Self {
        Line {
            cell: cell.to_string(),
            struck: false,
            ended: "-1 harness".to_owned(),
            effect: String::new(),
            recovered: 0,
            booked: 0,
            journal: String::new(),
            took_ms: 0,
            wrong: vec![format!("the harness failed: {error:#}")],
        }
    }
}

/// What a run left for judging.
pub struct Seen<'a> {
    pub struck: bool,
    pub exit: i64,
    pub code: &'a str,
    pub result: &'a Value,
    pub baseline: &'a Value,
    pub booked: usize,
    /// Requests for a transfer, whatever became of them.
    pub payments: usize,
    /// Requests that came to where nobody may be led.
    pub strangers: usize,
}

/// Everything that is wrong with how a run ended.
pub fn wrong(cell: &Cell, seen: &Seen<'_>) -> Vec<String> {
    let mut wrong = Vec::new();
    let effect = seen.result["effect"].as_str().unwrap_or_default();
    let succeeded = seen.exit == 0;
    if succeeded && seen.result["outputs"] != seen.baseline["outputs"] {
        wrong.push(format!("a success that read something else: {}", seen.result["outputs"]));
    }
    if succeeded && cell.job.moves_money && seen.booked != 1 {
        wrong.push(format!("a success with {} payments", seen.booked));
    }
    if seen.booked > 1 {
        wrong.push(format!("{} payments", seen.booked));
    }
    let sends = if let Fault::Wire { wire, .. } = &cell.fault { wire.payments() } else { 1 };
    if seen.payments > sends {
        wrong.push(format!("{} requests for a payment", seen.payments));
    }
    if seen.strangers > 0 {
        wrong.push(format!("{} requests to where it is not allowed", seen.strangers));
    }
    if (effect == "none" && seen.booked > 0) || (effect == "done" && cell.job.moves_money && seen.booked == 0) {
        wrong.push(format!("the effect is said to be {effect}, booked are {}", seen.booked));
    }
    let may = permitted(cell, seen.struck);
    if !may.contains(&seen.code) {
        wrong.push(format!("ended as {}, which is none of {}", seen.code, may.join(", ")));
    }
    if seen.code == "effect_unknown" && effect != "unknown" {
        wrong.push(format!("effect_unknown, and the effect is said to be {effect}"));
    }
    wrong
}

/// The codes with which a run may end.
fn permitted(cell: &Cell, struck: bool) -> Vec<&'static str> {
    if !struck {
        return vec!["success"];
    }
    let mut may: Vec<&'static str> = Vec::new();
    if cell.job.moves_money {
        may.push("effect_unknown");
    }
    match &cell.fault {
        Fault::Driver { driver, .. } => {
            may.push("success");
            may.extend(driver.permitted());
            may.extend(driver.empties().then_some("sign_on_incomplete"));
        }
        Fault::Wire { wire, place, once } => may.extend(wire.permitted(*place, *once)),
        Fault::Application { mode, place, once } => may.extend(of_application(*mode, *place, *once)),
    }
    may
}

fn of_application(mode: Mode, place: Place, once: bool) -> Vec<&'static str> {
    let data = !place.is_page();
    match (mode, once) {
        (Mode::Interstitial, true) => vec!["success"],
        (Mode::Interstitial, false) => vec!["success", "recovery_spent"],
        // A session that ends before there is one changes nothing.
        // To a page that asks for data it is an error like any other.
        (Mode::SessionTimeout, _) if data => vec!["success", "app_error", "recovery_spent", "checkpoint_unmet"],
        (Mode::SessionTimeout, true) => vec!["success"],
        (Mode::SessionTimeout, false) => {
            vec!["success", "recovery_spent", "app_error", "unexpected_state", "checkpoint_unmet"]
        }
        (Mode::SlowLoad, _) => vec!["success", "not_settled", "timeout"],
        // The money was moved, and the activity shows it; or it was not, and the activity shows that too.
        (Mode::ServerError | Mode::NotAuthorized, _) if place == Place::Booked => vec!["success"],
        (Mode::ServerError | Mode::NotAuthorized, _) if place == Place::Submit => {
            vec!["transfer_refused", "not_authorized", "app_error"]
        }
        (Mode::ServerError, _) => vec!["app_error"],
        (Mode::NotAuthorized, _) => vec!["not_authorized", "app_error"],
        (Mode::ElementMissing | Mode::RenameControl, _) if !data => {
            vec!["success", "target_not_found", "fingerprint_mismatch", "checkpoint_unmet"]
        }
        // On the overview whole rows are there twice.
        (Mode::DuplicateControl, _) => vec!["success", "target_ambiguous", "checkpoint_unmet", "output_invalid"],
        (Mode::NativeDialog, _) => vec!["success", "unexpected_dialog"],
        (Mode::UndeclaredDialog, _) => vec!["unexpected_dialog", "success"],
        _ => vec!["success"],
    }
}
