//! `waymark doctor`.

use std::path::Path;

use waymark_api::{CheckState, doctor};
use waymark_run::ExitCode;

use crate::terminal::{Mark, Terminal, plain};

pub(crate) fn run(config: &Path, evidence: &Path, json: bool, terminal: &Terminal) -> ExitCode {
    let found = doctor(config, evidence);
    let code = if found.ready { ExitCode::SUCCESS } else { ExitCode::FAILED };
    if json {
        terminal.json(&found);
        return code;
    }
    for check in &found.items {
        let mark = match check.state {
            CheckState::Ok => Mark::Ok,
            CheckState::Note => Mark::Escalated,
            CheckState::Problem => Mark::Failed,
        };
        let mut lines = check.message.lines();
        let first = plain(lines.next().unwrap_or_default());
        terminal.out(&format!("{} {:<15} {first}\n", terminal.mark_out(mark), check.name));
        for line in lines {
            terminal.out(&format!("  {:<15} {}\n", "", plain(line)));
        }
        if !check.hint.is_empty() {
            terminal.out(&format!("  {:<15} hint: {}\n", "", plain(&check.hint)));
        }
    }
    code
}
