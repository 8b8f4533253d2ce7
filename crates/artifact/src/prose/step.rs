//! What is done, step by step.

use super::condition::{checkpoint, condition, text};
use super::target::{row, target};
use super::value::{display_format, source};
use super::words::{counted, duration, listed, own_words, quoted, said, times};
use super::{Lines, Section};
use crate::{
    Action, Artifact, DialogAnswer, DialogKindName, DialogOpens, Opens, OptionRule, ReadPart, Risk, RowLimit, Step,
    Target, Typing,
};

/// The harm that can be done, before anything else of the steps.
pub(super) fn risks(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    for (risk, means) in [
        (
            Risk::Irreversible,
            "They cannot be taken back: without a person they need the approval of this very document and the caller's \
             consent.",
        ),
        (Risk::Risky, "They change something: they need the caller's consent or a person, and are never sent twice."),
    ] {
        let of: Vec<String> = numbered(artifact)
            .filter(|(_, step)| step.harm() == risk)
            .map(|(n, s)| format!("{n} ({})", s.id))
            .collect();
        if !of.is_empty() {
            lines.say(0, format!("Declared {}: {}. {means}", risk.as_str(), listed(&of, "and")));
        }
    }
    if artifact.steps.iter().all(|step| step.harm() == Risk::Safe) {
        lines.say(0, "Every step is declared safe: it can be repeated without harm.");
    }
    lines.say(0, "The policy may find a step worse than it is declared here, and never better.");
    lines.under("What harm it can do")
}

pub(super) fn steps(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    lines.say(0, "A dialog, window or download that no step and no remedy names stops the run.");
    for (number, step) in numbered(artifact) {
        told(&mut lines, number, step);
    }
    lines.under("What it does")
}

/// What must hold at the end.
pub(super) fn end(artifact: &Artifact) -> Section {
    let mut lines = Lines::default();
    checkpoint(&mut lines, 0, "The run is a success only where ", &artifact.checkpoint);
    lines.under("What proves that it was done")
}

/// What an action does, as a clause, with its target and everything else about it in the lines below.
pub(super) fn action(lines: &mut Lines, depth: u8, lead: &str, what: &Action) {
    let deeper = depth.saturating_add(1);
    let on = |target: &Target| quoted(&target.description);
    let clause = match what {
        Action::Click { target } => format!("clicks {}", on(target)),
        Action::Type { target, value, typing, format } => {
            let how = match typing {
                Typing::Insert => "",
                Typing::Keys => ", key by key",
            };
            let format = format.as_ref().map(|f| format!(", written so: {}", display_format(f))).unwrap_or_default();
            format!("types into {}{how}: {}{format}", on(target), source(value))
        }
        Action::Choose { target, option, rule } => match rule {
            OptionRule::Equals => format!("chooses in {}: {}", on(target), source(option)),
            OptionRule::StartsWith => {
                format!("chooses in {} the one option that is, or begins with: {}", on(target), source(option))
            }
        },
        Action::SetChecked { target, checked } => format!("sets {} on or off: {}", on(target), source(checked)),
        Action::PressKey { target: Some(target), key } => {
            format!("presses the key {} with the focus in {}", quoted(&key.0), on(target))
        }
        Action::PressKey { target: None, key } => format!("presses the key {} where the focus is", quoted(&key.0)),
        Action::Read { target, part, into } => {
            let part = match part {
                ReadPart::Text => "the visible text",
                ReadPart::Value => "the value held",
                ReadPart::Name => "the name",
            };
            format!("reads {part} of {} as the result {into}", on(target))
        }
        Action::ReadTable { target, into, rows, .. } => {
            let rows = match rows {
                RowLimit::All => "all rows".to_owned(),
                RowLimit::First(n) => format!("the first {}", counted(*n, "row")),
            };
            format!("reads {rows} of {} as the result {into}", on(target))
        }
        Action::WaitFor { .. } => "waits".to_owned(),
        Action::Open { window, location } => {
            let window = window.as_ref().map(|name| format!(" in the window {}", said(name))).unwrap_or_default();
            format!("opens the address {}{window}", said(location))
        }
        Action::Upload { target, file } => format!("gives a file to {}: {}", on(target), source(file)),
        Action::ScrollToLoad { target, limit, .. } => {
            format!("scrolls {}, at most {}, or until nothing more comes", on(target), times(*limit))
        }
        Action::Run { subflow } => format!("does everything that the other capability {subflow} does"),
    };
    lines.say(depth, format!("{lead}{clause}."));
    match what {
        Action::WaitFor { condition: until } => condition(lines, deeper, "Until ", until),
        Action::ScrollToLoad { until, .. } => condition(lines, deeper, "It is enough when ", until),
        Action::ReadTable { columns, except, .. } => {
            for column in columns {
                lines.say(deeper, format!("- {} is what stands under {}", column.column, said(&column.header)));
            }
            for key in except {
                lines.say(deeper, format!("- no data is the row where {}", row(std::slice::from_ref(key))));
            }
        }
        _ => {}
    }
    if let Some(aim) = what.target() {
        target(lines, deeper, aim);
    }
}

/// A native dialog and the answer to it.
pub(super) fn dialog(what: &DialogOpens) -> String {
    let kind = match what.kind {
        DialogKindName::Alert => "a notice",
        DialogKindName::Confirm => "a question for yes or no",
        DialogKindName::Prompt => "a question for a text",
        DialogKindName::Leave => "a question whether to leave",
    };
    let answer = match &what.answer {
        DialogAnswer::Accept => "yes".to_owned(),
        DialogAnswer::Dismiss => "no".to_owned(),
        DialogAnswer::Text(value) => format!("this text: {}", source(value)),
    };
    format!("{kind} {}, answered with {answer}. The answer is declared {}.", text(&what.text), what.risk.as_str())
}

fn numbered(artifact: &Artifact) -> impl Iterator<Item = (usize, &Step)> {
    artifact.steps.iter().enumerate().map(|(at, step)| (at + 1, step))
}

fn told(lines: &mut Lines, number: usize, step: &Step) {
    action(lines, 0, &format!("{number}. {} ", step.id), &step.action);
    if !step.description.is_empty() {
        lines.say(1, own_words(&step.description));
    }
    let risk = match step.risk {
        Risk::Safe => "Risk: safe, it can be repeated without harm.",
        Risk::Risky => "Risk: RISKY, it changes something and is never sent twice.",
        Risk::Irreversible => "Risk: IRREVERSIBLE, it cannot be taken back.",
    };
    lines.say(1, risk);
    if let Some(only) = &step.only_if {
        lines.say(1, format!("Left out unless the caller gives {}.", only.parameter));
    }
    if let Some(before) = &step.precondition {
        checkpoint(lines, 1, "Done only where before it ", before);
    }
    opened(lines, &step.opens);
    match &step.checkpoint {
        Some(after) => checkpoint(lines, 1, "Proven when ", after),
        None if step.action.reads_back() => {
            lines.say(1, "Proven when the control, read back, holds what it was given.")
        }
        None if step.action.changes_state() => lines.say(1, "Nothing proves that it had its effect."),
        None => {}
    }
    if let Some(reconcile) = &step.reconcile {
        lines.say(1, format!("Where that does not come, it is looked up by the way {}:", reconcile.subflow));
        lines.say(2, own_words(&reconcile.description));
        condition(lines, 2, "It was done where ", &reconcile.landed);
        match &reconcile.not_landed {
            Some(not) => condition(lines, 2, "It was not done where ", not),
            None => lines.say(2, "Nothing there proves that it was not done; it then stays unknown."),
        }
    }
    if let Some(ms) = step.deadline_ms {
        lines.say(1, format!("It may take {} instead of the common time of a step.", duration(ms)));
    }
    if step.safe_point {
        lines.say(1, "After signing on anew, the walk may begin again here.");
    }
}

fn opened(lines: &mut Lines, opens: &Opens) {
    if let Some(window) = &opens.window {
        lines.say(1, format!("It opens a window, {}.", said(&window.name)));
    }
    if let Some(download) = &opens.download {
        lines.say(1, format!("It starts a download, which becomes the result {}.", download.into));
    }
    for (at, what) in opens.dialogs.iter().enumerate() {
        lines.say(1, format!("It opens, as dialog {}, {}", at + 1, dialog(what)));
    }
}
