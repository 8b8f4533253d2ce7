//! Writing down what happens: to the run folder, and to whoever watches.

use std::collections::BTreeSet;
use std::sync::Arc;

use waymark_evidence::{EvidenceError, MaskError, MaskedPng, RunFolder};
use waymark_redact::Redactor;
use waymark_replay::{Input, What};
use waymark_run::{Code, InterventionState, JournalLine, PictureReport, RunEvent};
use waymark_snapshot::NodeId;
use waymark_surface::{Act, TypedText};

use crate::clock::Clock;
use crate::run::Watcher;
use crate::screen::Concealed;

/// The journal of one run. After the first failure nothing more is written, and the run ends with its code.
pub struct Recorder<'w> {
    pub folder: RunFolder,
    pub redactor: Arc<Redactor>,
    pub clock: Clock,
    watcher: &'w mut Watcher<'w>,
    failed: Option<(Code, String)>,
    /// How often a person was waited for.
    pub handoffs: u32,
    /// How the last wait for a person ended.
    pub escalation: Option<InterventionState>,
    /// What the machine was told, where that is kept.
    inputs: Option<Vec<Input>>,
    /// Fields into which secrets were typed.
    fields: BTreeSet<NodeId>,
}

impl<'w> Recorder<'w> {
    pub fn new(
        folder: RunFolder,
        redactor: Arc<Redactor>,
        clock: Clock,
        watcher: &'w mut Watcher<'w>,
        keep_inputs: bool,
    ) -> Self {
        Recorder {
            folder,
            redactor,
            clock,
            watcher,
            failed: None,
            handoffs: 0,
            escalation: None,
            inputs: keep_inputs.then(Vec::new),
            fields: BTreeSet::new(),
        }
    }

    /// Keeps what the machine is told, where that is wanted. It is written at the end only: until then not every
    /// secret that may stand in it is known.
    pub fn heard(&mut self, input: &Input) {
        if let Some(inputs) = &mut self.inputs {
            inputs.push(input.clone());
        }
    }

    /// What was kept, without values that screens showed in several pieces.
    pub fn inputs(&mut self) -> Vec<Input> {
        let mut inputs = self.inputs.take().unwrap_or_default();
        let concealed = self.concealed();
        for input in &mut inputs {
            if let What::Seen { seen, .. } = &mut input.what {
                seen.snapshot = concealed.masked(&seen.snapshot);
            }
        }
        inputs
    }

    /// Notes that something that must not be seen goes into a field.
    pub fn typed(&mut self, act: &Act) {
        if let Act::Type { node, text: TypedText::Secret(_), .. }
        | Act::Choose { node, option: TypedText::Secret(_), .. } = act
        {
            self.fields.insert(node.clone());
        }
    }

    /// What must not be seen of the screens of this run, as far as is known.
    pub(crate) fn concealed(&self) -> Concealed {
        Concealed { redactor: self.redactor.clone(), fields: self.fields.clone() }
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

    /// Waits until the disk has what was told so far.
    pub fn sync(&mut self) {
        if self.failed.is_none()
            && let Err(error) = self.folder.sync()
        {
            self.fail(&error);
        }
    }

    pub fn fail(&mut self, error: &EvidenceError) {
        if self.failed.is_none() {
            let code = match error {
                EvidenceError::Redaction { .. } => Code::RedactionFailed,
                _ => Code::EvidenceUnwritable,
            };
            self.failed = Some((code, format!("{error}; {}", error.hint())));
        }
    }

    /// Why nothing can be written any more.
    pub fn failure(&self) -> Option<&(Code, String)> {
        self.failed.as_ref()
    }
}
