//! One line for each step that is done, while a run goes on.

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
}

impl Progress {
    pub(crate) fn new(terminal: Terminal) -> Self {
        Progress { terminal, index: 0, words: String::new(), drift: String::new() }
    }

    /// Takes a line of the journal: its shape from the event, its words from the redacted form.
    pub(crate) fn tell(&mut self, line: &JournalLine, clean: &Map<String, Value>) {
        match &line.event {
            RunEvent::StepStarted { step } => {
                self.index = step.index;
                self.words = words(clean, "/step/description");
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
            RunEvent::StepEnded { took_ms, .. } => {
                let mark = self.terminal.mark_err(Mark::Ok);
                let line = format!("  {mark} {} {:<WIDTH$} {}", self.index, self.words, seconds(*took_ms));
                self.terminal.progress(&format!("{line}{}", self.drift));
            }
            RunEvent::Resolved { .. } if self.terminal.verbose() > 0 => {
                self.terminal.progress(&format!("      found {}", words(clean, "/report/found")));
            }
            RunEvent::Checked { report, .. } if self.terminal.verbose() > 0 => {
                let holds = if report.holds { "holds" } else { "does not hold" };
                self.terminal.progress(&format!("      {holds}: {}", words(clean, "/report/description")));
            }
            RunEvent::Authorized { allowed: false, .. } => self.note(Mark::Escalated, &words(clean, "/message")),
            _ => {}
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
