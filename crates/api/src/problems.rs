//! Everything that is wrong with a call, gathered before it is refused.

use waymark_artifact::Severity;
use waymark_run::{Code, Problem, Rejection};

use crate::FindingRow;

/// The problems so far, each under the code that a rejection would carry for it.
#[derive(Default)]
pub(crate) struct Problems(Vec<(Code, Problem)>);

impl Problems {
    pub(crate) fn add(
        &mut self,
        code: Code,
        place: impl Into<String>,
        problem: &str,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.0.push((code, Problem::new(place, problem, message, hint)));
    }

    /// Each as an error that was found.
    pub(crate) fn rows(self) -> Vec<FindingRow> {
        let row = |(_, problem): (Code, Problem)| FindingRow {
            severity: Severity::Error.as_str(),
            code: problem.problem,
            pointer: problem.place,
            line: None,
            message: problem.message,
            hint: problem.hint,
        };
        self.0.into_iter().map(row).collect()
    }

    /// The rejection, where there is a problem. What stands deepest gives the code: with a broken artifact nobody
    /// knows which parameters are right.
    pub(crate) fn rejection(self, message: &str) -> Option<Rejection> {
        let order = [Code::InvalidArtifact, Code::InvalidPolicy, Code::InvalidParameters, Code::InvalidInvocation];
        let code = order.into_iter().find(|code| self.0.iter().any(|(other, _)| other == code))?;
        Some(Rejection::new(code, message, self.0.into_iter().map(|(_, problem)| problem).collect()))
    }
}
