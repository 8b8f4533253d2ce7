//! Turns in words that stay the same.

use waymark_artifact::OptionRule;
use waymark_replay::{Ending, Next, Summary, Turn};
use waymark_run::{ApprovalAsk, RunEvent};
use waymark_surface::{Act, TypedText, Until};

/// A turn in one line, and an ending in two.
pub(crate) fn turn(turn: &Turn) -> String {
    let mut parts: Vec<String> = turn.events.iter().map(event).collect();
    parts.push(next(&turn.next));
    parts.join("; ")
}

fn event(event: &RunEvent) -> String {
    match event {
        RunEvent::StepStarted { step } => format!("step {}", step.id),
        RunEvent::StepLeftOut { step } => format!("left out {step}"),
        RunEvent::Resolved { report, .. } => {
            let drift = if report.drift > 0 { format!(" drift {}", report.drift) } else { String::new() };
            let moved = if report.hint_moved { " hint moved" } else { "" };
            format!("found {} by {}{drift}{moved}", report.found, report.kind.as_str())
        }
        RunEvent::Unresolved { code, attempts, .. } => {
            let tried: Vec<String> = attempts.iter().map(|a| format!("{}:{}", a.kind.as_str(), a.matches)).collect();
            format!("unresolved {code} [{}]", tried.join(" "))
        }
        RunEvent::Checked { step, report } => {
            let of = step.as_ref().map_or("run", |s| s.as_str());
            let before = if report.held_before { " held before" } else { "" };
            format!("check {of} {}{before}", if report.holds { "holds" } else { "fails" })
        }
        RunEvent::Classified { class, code, .. } => format!("{class:?} {code}").to_lowercase(),
        RunEvent::Retried { count, why, .. } => format!("retry {count} ({why})"),
        RunEvent::Recovered { recovery, then, .. } => format!("recovered {recovery} {then}"),
        RunEvent::Reconciled { found, .. } => format!("reconciled {found}"),
        RunEvent::Read { output, value, .. } => format!("read {output} {value}"),
        RunEvent::Surface { fact, .. } => format!("fact {}", fact["fact"].as_str().unwrap_or_default()),
        RunEvent::StepEnded { step, .. } => format!("done {step}"),
        RunEvent::Resumed { resumption, .. } => format!("resume {}", resumption.words()),
        other => format!("{other:?}"),
    }
}

fn next(next: &Next) -> String {
    match next {
        Next::Observe { request, within_ms } => match request.until {
            Until::Now => "look".to_owned(),
            Until::Change { .. } => format!("wait {within_ms}"),
        },
        Next::Act { ask, credential, approved, .. } => {
            let yes = if ask.submit_like { " submit" } else { "" };
            let name = credential.as_ref().map(|n| format!(" credential {n}")).unwrap_or_default();
            let said = if *approved { " approved" } else { "" };
            format!("ACT {}{name} declared {}{yes}{said}", act(&ask.act), ask.declared.as_str())
        }
        Next::Capture { .. } => "capture".to_owned(),
        Next::Handoff(handoff) => {
            let values = |ask: &ApprovalAsk| {
                let held: Vec<String> = ask.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
                format!(" (a yes to {} {} [{}])", ask.act, ask.on.as_deref().unwrap_or_default(), held.join(" "))
            };
            let yes = handoff.approval.as_ref().map(values).unwrap_or_default();
            format!("HAND OVER{yes} {}", finish(&handoff.ending))
        }
        Next::Finish(ending) => finish(ending),
    }
}

fn act(act: &Act) -> String {
    let text = |text: &TypedText| match text {
        TypedText::Plain(text) => format!("\"{text}\""),
        TypedText::Secret(_) => "***".to_owned(),
    };
    match act {
        Act::Open { window, location } => format!("open {} {location}", window.0),
        Act::Click { node } => format!("click {}", node.0),
        Act::Type { node, text: typed, mode } => format!("type {} {} {mode:?}", node.0, text(typed)).to_lowercase(),
        Act::Choose { node, option, rule } => {
            let how = if *rule == OptionRule::StartsWith { " begins" } else { "" };
            format!("choose {} {}{how}", node.0, text(option))
        }
        Act::SetChecked { node, checked } => format!("set {} {checked}", node.0),
        Act::PressKey { node, key } => {
            format!("press {}{}", key.0, node.as_ref().map(|n| format!(" on {}", n.0)).unwrap_or_default())
        }
        Act::AnswerDialog { accept, text: said, .. } => {
            let said = said.as_ref().map(|s| format!(" {}", text(s))).unwrap_or_default();
            format!("{}{said}", if *accept { "accept" } else { "dismiss" })
        }
        other => format!("{other:?}"),
    }
}

fn finish(ending: &Ending) -> String {
    let mut out = format!("END {}", ending.status.as_str());
    if let Some(code) = ending.code {
        out.push_str(&format!(" {code}"));
    }
    if let Some(outcome) = &ending.outcome {
        let also = if outcome.checkpoint_also_matched { " (checkpoint too)" } else { "" };
        out.push_str(&format!(" {}{also}", outcome.code));
    }
    if let Some(step) = &ending.step {
        out.push_str(&format!(" at {step}"));
    }
    if !ending.message.is_empty() && ending.outcome.is_none() {
        out.push_str(&format!("\n  \"{}\"", ending.message));
    }
    out
}

/// What a walk gathered; parts that say nothing are left out.
pub(crate) fn summary(summary: &Summary) -> String {
    let mut out =
        format!("  effect {:?}, done {}/{}", summary.effect, summary.steps.done, summary.steps.total).to_lowercase();
    let list = |ids: &[waymark_artifact::StepId]| ids.iter().map(|s| s.as_str()).collect::<Vec<_>>().join(" ");
    if !summary.not_attempted.is_empty() {
        out.push_str(&format!(", not attempted {}", list(&summary.not_attempted)));
    }
    if !summary.held_before.is_empty() {
        out.push_str(&format!(", held before {}", list(&summary.held_before)));
    }
    if !summary.recovered.is_empty() {
        let used: Vec<String> = summary.recovered.iter().map(|r| format!("{}@{}", r.recovery, r.step)).collect();
        out.push_str(&format!(", recovered {}", used.join(" ")));
    }
    if summary.drift.score > 0 {
        out.push_str(&format!(", drift {}", summary.drift.score));
    }
    for (name, value) in &summary.outputs {
        out.push_str(&format!("\n  {name} = {}", serde_json::to_string(value).unwrap_or_default()));
    }
    out.push('\n');
    out
}
