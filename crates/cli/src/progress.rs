//! One line for each step that is done, while a run goes on.

use std::collections::BTreeMap;

use serde_json::{Map, Value};
use waymark_run::{JournalLine, RunEvent};

use crate::terminal::{Mark, Terminal, plain};

/// Columns that a step's words take, so that times stand below each other.
const WIDTH: usize = 44;

/// What is known of the step that is being done.
pub(crate) struct Progress {
    terminal: Terminal,
    index: u32,
    words: String,
    drift: String,
    /// Steps under way, by name: a remedy's steps come between the beginning and the end of another one.
    begun: BTreeMap<String, (u32, String)>,
}

impl Progress {
    pub(crate) fn new(terminal: Terminal) -> Self {
        Progress { terminal, index: 0, words: String::new(), drift: String::new(), begun: BTreeMap::new() }
    }

    /// Takes a line of the journal: its shape from the event, its words from the redacted form.
    pub(crate) fn tell(&mut self, line: &JournalLine, clean: &Map<String, Value>) {
        match &line.event {
            RunEvent::StepStarted { step } => {
                self.index = step.index;
                self.words = words(clean, "/step/description");
                self.begun.insert(step.id.to_string(), (self.index, self.words.clone()));
                self.drift.clear();
            }
            RunEvent::Resolved { report, .. } if report.drift > 0 => {
                self.drift = format!(
                    "   {} rung {} ({})",
                    self.terminal.mark_err(Mark::Drift),
                    report.rung,
                    word(clean, "kind")
                );
            }
            RunEvent::Retried { count, .. } => {
                self.note(Mark::Recovered, &format!("done again ({count}): {}", words(clean, "/why")));
            }
            RunEvent::Recovered { .. } => self.note(Mark::Recovered, &format!("remedy {}", words(clean, "/recovery"))),
            RunEvent::StepEnded { step, took_ms } => {
                let mark = self.terminal.mark_err(Mark::Ok);
                let (index, words) =
                    self.begun.remove(&step.to_string()).unwrap_or_else(|| (self.index, self.words.clone()));
                let line = format!("  {mark} {index} {words:<WIDTH$} {}", seconds(*took_ms));
                self.terminal.progress(&format!("{line}{}", self.drift));
            }
            RunEvent::Resolved { .. } if self.terminal.verbose() > 0 => {
                self.terminal.progress(&format!("      found {}", words(clean, "/report/found")));
            }
            RunEvent::Checked { report, .. } if self.terminal.verbose() > 0 => {
                let holds = if report.holds { "holds" } else { "does not hold" };
                self.terminal.progress(&format!("      {holds}: {}", words(clean, "/report/description")));
            }
            RunEvent::Asked { turn, .. } => {
                self.index = *turn;
                self.question(clean);
            }
            RunEvent::ModelCalled { call, .. } => {
                let simulated = if call.simulated { "simulated " } else { "" };
                let tokens = match (call.input_tokens, call.output_tokens) {
                    (Some(input), Some(output)) => format!("   {input}+{output} tokens"),
                    _ => String::new(),
                };
                if call.role == "selector" {
                    self.note(Mark::Recovered, &format!("asked which one: {simulated}{}{tokens}", plain(&call.model)));
                } else {
                    self.words = format!("{simulated}{}{tokens}", plain(&call.model));
                }
                if call.status != "answered" {
                    self.note(Mark::Recovered, &format!("the model: {}", call.status));
                }
            }
            RunEvent::Decided { decision, .. } => {
                let reason = words(clean, "/decision/reason");
                let action = decision.get("action").and_then(Value::as_str).unwrap_or_default();
                self.drift = format!("{action}: {reason}");
            }
            RunEvent::AskedWhich { .. } => self.question(clean),
            RunEvent::Grounded { element, by, .. } => {
                let means = element.map_or("none".to_owned(), |number| number.to_string());
                self.note(Mark::Ok, &format!("\"{}\" means {means}, says the {by}", words(clean, "/label")));
            }
            RunEvent::Came { done, .. } => {
                let mark = if *done { Mark::Ok } else { Mark::Escalated };
                let result = words(clean, "/result");
                self.terminal.progress(&format!(
                    "  {} {} {result}   ({}; {})",
                    self.terminal.mark_err(mark),
                    self.index,
                    self.drift,
                    self.words
                ));
                self.drift.clear();
            }
            RunEvent::Drafted { steps, .. } => {
                self.terminal.progress(&format!(
                    "  draft {} of {steps} steps; it is replayed without a model:",
                    words(clean, "/file")
                ));
            }
            RunEvent::Escalated { intervention } if intervention.state.waits() => {
                let mark = self.terminal.mark_err(Mark::Escalated);
                let id = words(clean, "/intervention/id");
                let minutes = intervention.waits_ms.unwrap_or_default() / 60_000;
                self.terminal.progress(&format!("{mark} Waiting for a person  {id}  (for {minutes} minutes)"));
                let what = clean.get("intervention").map(crate::operator::request).unwrap_or_default();
                self.terminal.progress(what.trim_end());
                self.terminal.progress(&format!("  here, with --operator console: {}", crate::operator::KEYS));
                self.terminal.progress(&format!("  anywhere: waymark attach {id}"));
            }
            RunEvent::ControlChanged { holder, .. } => {
                let who = match *holder {
                    "person" => format!("{} drives", words(clean, "/name")),
                    "engine" => "the engine drives".to_owned(),
                    _ => "nobody drives".to_owned(),
                };
                self.note(Mark::Escalated, &format!("{who}: {}", words(clean, "/why")));
            }
            RunEvent::PersonActed { .. } => {
                let what = format!("{} {}", words(clean, "/deed/act"), words(clean, "/deed/on"));
                self.note(Mark::Ok, &format!("{}: {what}", words(clean, "/deed/by")));
            }
            RunEvent::Resumed { resumption, .. } => self.note(Mark::Recovered, &plain(&resumption.words())),
            RunEvent::Authorized { allowed: false, .. } => self.note(Mark::Escalated, &words(clean, "/message")),
            _ => {}
        }
    }

    /// The question to a model, for whoever wants to see all of it.
    fn question(&self, clean: &Map<String, Value>) {
        if self.terminal.verbose() > 0 {
            for line in words(clean, "/prompt").lines() {
                self.terminal.progress(&format!("      {line}"));
            }
        }
    }

    fn note(&self, mark: Mark, text: &str) {
        self.terminal.progress(&format!("    {} {text}", self.terminal.mark_err(mark)));
    }
}

/// Milliseconds as `0.4s`.
pub(crate) fn seconds(ms: u64) -> String {
    format!("{}.{}s", ms / 1000, ms % 1000 / 100)
}

fn words(clean: &Map<String, Value>, pointer: &str) -> String {
    let mut parts = pointer.split('/').skip(1);
    let first = parts.next().and_then(|key| clean.get(key));
    let found = parts.fold(first, |value, key| value.and_then(|value| value.get(key)));
    plain(found.and_then(Value::as_str).unwrap_or_default())
}

fn word(clean: &Map<String, Value>, key: &str) -> String {
    words(clean, &format!("/report/{key}"))
}
