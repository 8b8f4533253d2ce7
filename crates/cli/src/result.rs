//! How a run ended, for people.

use std::collections::BTreeMap;

use serde_json::Value;
use waymark_run::{Code, Effect, RunResult, RunStatus};

use crate::progress::seconds;
use crate::terminal::{Mark, Terminal, plain};

/// Rows that a table of the terminal shows; all of them are in the evidence and in `--json`.
const ROWS: usize = 200;

/// The result as text, ending with the place of the evidence.
pub(crate) fn text(result: &RunResult, columns: &BTreeMap<String, Vec<String>>, terminal: &Terminal) -> String {
    let mut out = String::new();
    let mut say = |line: String| {
        out.push_str(&line);
        out.push('\n');
    };
    let capability = &result.capability;
    let what = format!(
        "{}@{}  {}  {}  {}",
        capability.id,
        capability.version,
        capability.tenant,
        seconds(result.duration_ms),
        result.run_id
    );
    let steps = format!("{} of {} steps done", result.steps.done, result.steps.total);
    match result.status {
        RunStatus::Success if result.recovered.is_empty() => {
            say(format!("{} Succeeded  {what}", terminal.mark_out(Mark::Ok)));
        }
        RunStatus::Success => {
            let count = result.recovered.len();
            say(format!("{} Recovered ({count})  {what}", terminal.mark_out(Mark::Recovered)));
            for recovered in &result.recovered {
                say(format!("  step {}: {}", recovered.step, plain(&recovered.description)));
            }
        }
        RunStatus::BusinessOutcome => {
            let outcome = result.business_outcome.as_ref();
            let code = outcome.map(|outcome| outcome.code.as_str()).unwrap_or_default();
            say(format!("{} Business outcome: {code}  {what}", terminal.mark_out(Mark::Answer)));
            if let Some(outcome) = outcome {
                let own = outcome.application_code.as_ref().map(|code| format!(" ({})", plain(code)));
                say(format!("  The application answered: {}{}", plain(&outcome.message), own.unwrap_or_default()));
            }
            say("  This is a declared answer, not a failure.".to_owned());
        }
        RunStatus::NeedsHuman => {
            let escalation = result.escalation.as_ref();
            let code = escalation.map(|escalation| escalation.code.as_str()).unwrap_or_default();
            let step = at_step(escalation.and_then(|escalation| escalation.step.as_deref()));
            say(format!("{} Escalated: {code}{step}  {what}", terminal.mark_out(Mark::Escalated)));
            if let Some(escalation) = escalation {
                say(format!("  {}", plain(&escalation.message)));
                say(format!("  {steps}. {}", effect(result.effect)));
                say(format!("  next: {}", plain(&escalation.next)));
            }
        }
        RunStatus::Failed | RunStatus::Rejected => {
            let error = result.error.as_ref();
            let code = error.map(|error| error.code.as_str()).unwrap_or_default();
            let step = at_step(error.and_then(|error| error.step.as_deref()));
            let word = match error.map(|error| error.code) {
                Some(Code::Interrupted) => "Interrupted".to_owned(),
                _ => format!("Failed: {code}"),
            };
            say(format!("{} {word}{step}  {what}", terminal.mark_out(Mark::Failed)));
            if let Some(error) = error {
                say(format!("  {}", plain(&error.message)));
                say(format!("  {steps}. {}", effect(result.effect)));
                let again = if error.retryable { "; the same call may be made again" } else { "" };
                say(format!("  next: {}{again}", plain(&error.next)));
            }
        }
    }
    for (name, value) in &result.outputs {
        output(name, value, columns.get(name), result.outputs.len() > 1, &mut say);
    }
    if let Some(evidence) = &result.evidence {
        say(format!("Evidence: {}", plain(evidence)));
    }
    out
}

/// Warnings, one a line.
pub(crate) fn warnings(result: &RunResult) -> Vec<String> {
    let mut warnings = Vec::new();
    if result.drift.score > 0 {
        let descended = result.drift.steps.iter().filter(|step| step.drift > 0);
        let steps: Vec<String> = descended
            .map(|step| format!("step {} matched rung {} ({})", step.step, step.matched_rung, step.kind))
            .collect();
        warnings.push(format!("warning: drift of {} rungs: {}", result.drift.score, steps.join(", ")));
    }
    warnings.extend(result.evidence_gaps.iter().map(|gap| format!("warning: {}", plain(gap))));
    warnings
}

fn at_step(step: Option<&str>) -> String {
    step.map(|step| format!(" at step {step}")).unwrap_or_default()
}

/// What came of the last risky step.
pub(crate) fn effect(effect: Effect) -> &'static str {
    match effect {
        Effect::None => "No risky step was delivered.",
        Effect::Done => "The last risky step was delivered and proven.",
        Effect::Unknown => "The last risky step was delivered and its effect is NOT KNOWN: check the record first.",
    }
}

fn output(name: &str, value: &Value, columns: Option<&Vec<String>>, several: bool, say: &mut dyn FnMut(String)) {
    let Some(rows) = value["rows"].as_array().filter(|_| columns.is_some()) else {
        say(format!("  {name:<24} {}", cell(value)));
        return;
    };
    let columns = columns.map(Vec::as_slice).unwrap_or_default();
    if several {
        say(format!("{name}:"));
    }
    let titles: Vec<String> = columns.iter().map(|column| title(column)).collect();
    say(format!("| Row | {} |", titles.join(" | ")));
    say(format!("|---|{}", "---|".repeat(columns.len())));
    for (number, row) in (1..).zip(rows.iter().take(ROWS)) {
        let cells: Vec<String> = columns.iter().map(|column| cell(&row[column]).replace('|', "\\|")).collect();
        say(format!("| {number} | {} |", cells.join(" | ")));
    }
    if rows.len() > ROWS {
        say(format!("({} more rows were read; --json shows them)", rows.len() - ROWS));
    }
    if value["complete"] == false {
        say("(not all that was asked for could be read)".to_owned());
    } else if value["more"] == true {
        say("(the application has more rows than were asked for)".to_owned());
    }
}

/// A value on one line: money as `-2300.00 USD`.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain(text),
        Value::Object(fields) if fields.len() == 2 => match (&fields.get("amount"), &fields.get("currency")) {
            (Some(Value::String(amount)), Some(Value::String(currency))) => format!("{amount} {currency}"),
            _ => value.to_string(),
        },
        other => other.to_string(),
    }
}

/// `account_number` as `Account number`.
fn title(name: &str) -> String {
    let words = name.replace('_', " ");
    let mut letters = words.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}
