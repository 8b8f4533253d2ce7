//! Writing down what happens: to the run folder, and to whoever watches.

use std::sync::Arc;

use waymark_evidence::{EvidenceError, MaskError, MaskedPng, RunFolder};
use waymark_redact::Redactor;
use waymark_replay::Input;
use waymark_run::{Code, JournalLine, PictureReport, RunEvent};

use crate::clock::Clock;
use crate::run::Watcher;

/// The journal of one run. After the first failure nothing more is written, and the run ends with its code.
pub struct Recorder<'w> {
    pub folder: RunFolder,
    pub redactor: Arc<Redactor>,
    pub clock: Clock,
    watcher: &'w mut Watcher<'w>,
    failed: Option<(Code, String)>,
    /// What the machine was told, where that is kept.
    inputs: Option<Vec<Input>>,
}

impl<'w> Recorder<'w> {
    pub fn new(
        folder: RunFolder,
        redactor: Arc<Redactor>,
        clock: Clock,
        watcher: &'w mut Watcher<'w>,
        keep_inputs: bool,
    ) -> Self {
        Recorder { folder, redactor, clock, watcher, failed: None, inputs: keep_inputs.then(Vec::new) }
    }

    /// Keeps what the machine is told, where that is wanted. It is written at the end only: until then not every
    /// secret that may stand in it is known.
    pub fn heard(&mut self, input: &Input) {
        if let Some(inputs) = &mut self.inputs {
            inputs.push(input.clone());
        }
    }

    /// What was kept.
    pub fn inputs(&mut self) -> Vec<Input> {
        self.inputs.take().unwrap_or_default()
    }

    /// Tells an event.
    pub fn tell(&mut self, event: RunEvent) {
        if self.failed.is_some() {
            return;
        }
        let line = JournalLine { at_ms: self.clock.at_ms(), event };
        match self.folder.append(&line) {
            Ok(clean) => (self.watcher)(&line, &clean),
            Err(error) => self.fail(&error),
        }
    }

    /// Writes a picture, or why there is none.
    pub fn picture(
        &mut self,
        step: Option<waymark_artifact::StepId>,
        caption: &str,
        picture: Result<&MaskedPng, &MaskError>,
    ) -> Option<PictureReport> {
        if self.failed.is_some() {
            return None;
        }
        let name = step.as_ref().map(ToString::to_string);
        match self.folder.picture(name.as_deref(), caption, picture) {
            Ok(report) => {
                self.tell(RunEvent::Picture { step, report: report.clone() });
                Some(report)
            }
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }

    /// Writes a screen as text.
    pub fn snapshot(&mut self, step: Option<waymark_artifact::StepId>, name: &str, text: &str) -> Option<String> {
        if self.failed.is_some() {
            return None;
        }
        match self.folder.snapshot(name, text) {
            Ok(Some(file)) => {
                self.tell(RunEvent::Snapshot { step, file: file.clone() });
                Some(file)
            }
            Ok(None) => None,
            Err(error) => {
                self.fail(&error);
                None
            }
        }
    }

    pub fn fail(&mut self, error: &EvidenceError) {
        if self.failed.is_none() {
            let code = match error {
                EvidenceError::Redaction { .. } => Code::RedactionFailed,
                _ => Code::EvidenceUnwritable,
            };
            self.failed = Some((code, error.to_string()));
        }
    }

    /// Why nothing can be written any more.
    pub fn failure(&self) -> Option<&(Code, String)> {
        self.failed.as_ref()
    }
}
