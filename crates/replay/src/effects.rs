//! The effect journal of a walk: what it found, did, proved, read and how it ended.
//!
//! Everything is taken from what the machine was told of its acts, and from its turns. Looks, waits and pictures leave
//! no entry, and neither does an act that provably reached nothing and was followed by another look.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use waymark_artifact::{Action, DialogAnswer, Name, OptionRule, Step, Value, ValueExpr};
use waymark_run::{Effect, EffectEntry, ObservationClass, RunEvent};
use waymark_surface::{Act, Ask, Delivery, NotDelivered, ReadBack, TypedText};

use crate::{Acted, Ending, Next, Turn, What};

/// Short values are part of too many words to be told from them.
const MIN_VARIABLE: usize = 4;

/// Gives what stands in for an output that must not be seen, if it must not.
pub type Hide<'a> = dyn Fn(&Name, &Json) -> Option<String> + 'a;

/// The entries of a walk so far.
#[derive(Clone, Debug, Default)]
pub(crate) struct EffectLog {
    entries: Vec<EffectEntry>,
    /// What led to the act under way; dropped with it where nothing of it was delivered.
    held: Vec<EffectEntry>,
    act: Option<EffectEntry>,
}

/// What the machine was told of an act.
#[derive(Debug)]
pub(crate) struct Heard {
    delivery: &'static str,
    detail: Json,
}

/// What an input says of the act under way.
pub(crate) fn heard(what: &What) -> Option<Heard> {
    let heard = |delivery, detail| Some(Heard { delivery, detail });
    match what {
        What::Acted(Acted::Done(Delivery::Delivered { read_back })) => heard("delivered", holds(read_back.as_ref())),
        What::Acted(Acted::Done(Delivery::NotDelivered(why))) => heard("not_delivered", why_not(why)),
        What::Acted(Acted::Done(Delivery::Unknown(_))) => heard("unknown", Json::Null),
        What::Acted(Acted::Refused(refusal)) => heard("refused", json!({"code": refusal.code, "by": refusal.rule})),
        What::Stop => heard("untold", Json::Null),
        What::Start | What::Seen { .. } | What::Lost(_) | What::NoCredential { .. } | What::Captured => None,
        What::Resume { .. } | What::GivenUp => None,
    }
}

impl EffectLog {
    /// Takes a turn, and what was heard of the act before it. `step` is the step under way after the turn.
    pub(crate) fn note(
        &mut self,
        heard: Option<Heard>,
        turn: &Turn,
        step: Option<&Step>,
        dialogs: usize,
        outputs: &BTreeMap<Name, Value>,
    ) {
        let act = self.act.take();
        let nothing_left = heard.as_ref().is_some_and(|h| h.delivery == "not_delivered");
        if nothing_left && !matches!(turn.next, Next::Finish(_) | Next::Handoff(_)) {
            self.held.clear();
        } else {
            self.entries.append(&mut self.held);
            if let (Some(EffectEntry::Acted { step, act, on, with, .. }), Some(Heard { delivery, detail })) =
                (act, heard)
            {
                self.entries.push(EffectEntry::Acted { step, act, on, with, delivery, detail });
            }
        }
        let acts = matches!(turn.next, Next::Act { .. });
        for event in &turn.events {
            let Some(entry) = entry(event, outputs) else { continue };
            let leads_to_act = matches!(entry, EffectEntry::Resolved { .. } | EffectEntry::Checked { .. });
            if acts && leads_to_act { self.held.push(entry) } else { self.entries.push(entry) }
        }
        if let Next::Act { step: id, ask, credential, .. } = &turn.next {
            let secret = credential.as_ref().map(ToString::to_string).or_else(|| secret_name(step, dialogs, &ask.act));
            self.act = Some(EffectEntry::Acted {
                step: id.clone(),
                act: ask.act.word().as_str(),
                on: control(ask),
                with: with(&ask.act, secret),
                delivery: "untold",
                detail: Json::Null,
            });
        }
    }

    /// The journal, ended so. The values of `variables` stand as references: an address may change from run to run.
    pub(crate) fn journal(
        &self,
        ending: &Ending,
        delivered: Effect,
        variables: &BTreeMap<Name, String>,
        hide: &Hide<'_>,
    ) -> Vec<Json> {
        let names = references(variables);
        let outcome = ending.outcome.as_ref();
        let ended = EffectEntry::Ended {
            status: ending.status,
            code: ending.code,
            step: ending.step.clone(),
            outcome: outcome.map(|o| o.code.clone()),
            checkpoint_also_matched: outcome.is_some_and(|o| o.checkpoint_also_matched),
            delivered,
        };
        let entries = self.entries.iter().chain(&self.held).chain([&ended]);
        entries
            .map(|entry| {
                let mut json = serde_json::to_value(hidden(entry, hide)).unwrap_or_default();
                refer(&mut json, &names);
                json
            })
            .collect()
    }
}

/// The entry of an event; most of what is told is none.
fn entry(event: &RunEvent, outputs: &BTreeMap<Name, Value>) -> Option<EffectEntry> {
    Some(match event {
        RunEvent::StepLeftOut { step } => EffectEntry::LeftOut { step: step.clone() },
        RunEvent::Resolved { step, report } => EffectEntry::Resolved {
            step: step.clone(),
            rung: report.rung,
            kind: report.kind,
            hint_moved: report.hint_moved,
            nth: report.nth,
            fingerprint: report.fingerprint.clone(),
        },
        RunEvent::Unresolved { step, attempts, code, .. } => {
            let attempts = attempts.iter().cloned().map(|mut attempt| {
                attempt.found.iter_mut().for_each(placeless);
                attempt
            });
            EffectEntry::Unresolved { step: step.clone(), code: *code, attempts: attempts.collect() }
        }
        RunEvent::Checked { step, report } => EffectEntry::Checked {
            step: step.clone(),
            description: report.description.clone(),
            holds: report.holds,
            held_before: report.held_before,
            leaves: report.leaves.clone(),
        },
        RunEvent::Classified { step, class, code, leaves } => {
            EffectEntry::Classified { step: step.clone(), class: *class, code: code.clone(), leaves: leaves.clone() }
        }
        RunEvent::Retried { step, count, why } => {
            EffectEntry::Retried { step: step.clone(), count: *count, why: why.clone() }
        }
        RunEvent::Recovered { step, recovery, then } => {
            EffectEntry::Recovered { step: step.clone(), recovery: recovery.clone(), then }
        }
        RunEvent::Reconciled { step, found, leaves } => {
            EffectEntry::Reconciled { step: step.clone(), found, leaves: leaves.clone() }
        }
        RunEvent::Resumed { step, resumption } => {
            EffectEntry::Resumed { step: step.clone(), then: resumption.as_str() }
        }
        RunEvent::Read { step, output, .. } => {
            // What is told of a sensitive output is nothing; what was read still counts.
            let value = outputs.iter().find(|(name, _)| name.as_str() == output).map(|(_, value)| value);
            let value = value.and_then(|value| serde_json::to_value(value).ok()).unwrap_or_default();
            EffectEntry::Read { step: step.clone(), output: output.clone(), value, keyed: None }
        }
        RunEvent::StepEnded { step, .. } => EffectEntry::Done { step: step.clone(), class: ObservationClass::Expected },
        RunEvent::RunStarted { .. }
        | RunEvent::StepStarted { .. }
        | RunEvent::Authorized { .. }
        | RunEvent::Dispatched { .. }
        | RunEvent::Surface { .. }
        | RunEvent::Picture { .. }
        | RunEvent::Snapshot { .. }
        | RunEvent::Asked { .. }
        | RunEvent::ModelCalled { .. }
        | RunEvent::Decided { .. }
        | RunEvent::AskedWhich { .. }
        | RunEvent::Grounded { .. }
        | RunEvent::Came { .. }
        | RunEvent::Drafted { .. }
        | RunEvent::Verified { .. }
        | RunEvent::Escalated { .. }
        | RunEvent::ControlChanged { .. }
        | RunEvent::PersonActed { .. }
        | RunEvent::Approved { .. }
        | RunEvent::InterventionEnded { .. }
        | RunEvent::RunEnded { .. } => return None,
    })
}

fn hidden(entry: &EffectEntry, hide: &Hide<'_>) -> EffectEntry {
    let mut entry = entry.clone();
    if let EffectEntry::Read { output, value, keyed, .. } = &mut entry
        && let Ok(name) = Name::new(output)
        && let Some(hash) = hide(&name, value)
    {
        *value = Json::Null;
        *keyed = Some(hash);
    }
    entry
}

fn control(ask: &Ask) -> Option<String> {
    ask.control.as_ref().map(|c| format!("{} \"{}\"", c.role.as_str(), c.name))
}

/// What is put in; handles of nodes are left out, they change from run to run.
fn with(act: &Act, secret: Option<String>) -> Json {
    let text = |text: &TypedText| match text {
        TypedText::Plain(text) => json!({ "text": text }),
        TypedText::Secret(_) => json!({ "from": secret.unwrap_or_default() }),
    };
    match act {
        Act::Open { window, location } => json!({"window": window.0, "location": location}),
        Act::Click { .. } | Act::Scroll { .. } => Json::Null,
        Act::Type { text: typed, mode, .. } => {
            let mut with = text(typed);
            with["mode"] = json!(mode);
            with
        }
        Act::Choose { option, rule, .. } => {
            let mut with = text(option);
            if *rule != OptionRule::Equals {
                with["rule"] = json!(rule);
            }
            with
        }
        Act::SetChecked { checked, .. } => json!({ "checked": checked }),
        Act::PressKey { key, .. } => json!({ "key": key.0 }),
        Act::Upload { files, .. } => json!({ "files": files.len() }),
        Act::AnswerDialog { accept, text: said, .. } => match said {
            Some(said) => text(said),
            None => json!({ "accept": accept }),
        },
        Act::CloseWindow { window } => json!({ "window": window.0 }),
    }
}

/// Takes the coordinates away that stand behind what a thing is called: where it is drawn is the browser's choice.
fn placeless(words: &mut String) {
    let number = |text: &str| !text.is_empty() && text.trim_start_matches('-').bytes().all(|b| b.is_ascii_digit());
    let Some((called, behind)) = words.rsplit_once(" at ") else { return };
    let (place, frame) = behind.split_once(' ').map_or((behind, ""), |(place, _)| (place, &behind[place.len()..]));
    if place.split_once(',').is_some_and(|(x, y)| number(x) && number(y)) {
        *words = format!("{called}{frame}");
    }
}

/// The parameter behind a secret text.
fn secret_name(step: Option<&Step>, dialogs: usize, act: &Act) -> Option<String> {
    let step = step?;
    let expr = match (act, &step.action) {
        (Act::AnswerDialog { .. }, _) => match &step.opens.dialogs.get(dialogs)?.answer {
            DialogAnswer::Text(expr) => expr,
            DialogAnswer::Accept | DialogAnswer::Dismiss => return None,
        },
        (_, Action::Type { value, .. }) => value,
        (_, Action::Choose { option, .. }) => option,
        _ => return None,
    };
    match expr {
        ValueExpr::Parameter { name } | ValueExpr::Credential { name } => Some(name.to_string()),
        ValueExpr::Variable { .. } | ValueExpr::Literal { .. } => None,
    }
}

fn holds(read_back: Option<&ReadBack>) -> Json {
    match read_back {
        None => Json::Null,
        Some(ReadBack::Value(value)) => json!({ "holds": value }),
        Some(ReadBack::Compared { equal }) => json!({ "equal": equal }),
        Some(ReadBack::Checked(checked)) => json!({ "checked": checked }),
        Some(ReadBack::Files(files)) => json!({ "files": files }),
    }
}

fn why_not(why: &NotDelivered) -> Json {
    match why {
        NotDelivered::Stale => json!("stale"),
        NotDelivered::Hidden => json!("hidden"),
        NotDelivered::Disabled => json!("disabled"),
        NotDelivered::Covered { by } => json!({ "covered": by }),
        NotDelivered::OptionAbsent { options } => json!({ "option_absent": options }),
        NotDelivered::OptionAmbiguous { option } => json!({ "option_ambiguous": option }),
        NotDelivered::Unsupported { why } => json!({ "unsupported": why }),
        NotDelivered::DialogOpen => json!("dialog_open"),
        // What a driver says of its own failure may hold times and numbers.
        NotDelivered::Failed(_) => json!("failed"),
    }
}

/// What stands for which text, longest text first: the value of a variable, and of an address its origin and host.
fn references(variables: &BTreeMap<Name, String>) -> Vec<(String, String)> {
    let mut names = Vec::new();
    for (name, value) in variables {
        names.push((value.trim_end_matches('/').to_owned(), format!("{{{name}}}")));
        if let Some((scheme, rest)) = value.split_once("://") {
            let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
            names.push((format!("{scheme}://{host}"), format!("{{{name}.origin}}")));
            names.push((host.to_owned(), format!("{{{name}.host}}")));
        }
    }
    names.retain(|(text, _)| text.chars().count() >= MIN_VARIABLE);
    names.sort_by_key(|(text, _)| std::cmp::Reverse(text.len()));
    names
}

fn refer(json: &mut Json, names: &[(String, String)]) {
    match json {
        Json::String(text) => {
            for (value, reference) in names {
                if text.contains(value.as_str()) {
                    *text = text.replace(value.as_str(), reference);
                }
            }
        }
        Json::Array(items) => items.iter_mut().for_each(|item| refer(item, names)),
        Json::Object(fields) => fields.values_mut().for_each(|value| refer(value, names)),
        Json::Null | Json::Bool(_) | Json::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::placeless;

    #[test]
    fn coordinates_are_no_part_of_what_a_thing_is_called() {
        for (told, called) in [
            ("button \"Go\" at 10,-20", "button \"Go\""),
            ("button \"Go\" at 10,20 in frame a/b", "button \"Go\" in frame a/b"),
            ("button \"Meet at 1,2\"", "button \"Meet at 1,2\""),
            ("button \"Look at\"", "button \"Look at\""),
        ] {
            let mut words = told.to_owned();
            placeless(&mut words);
            assert_eq!(words, called);
        }
    }
}
