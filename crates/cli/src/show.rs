//! `waymark show`.

use std::path::Path;

use waymark_api::{FindingRow, Section, show, visible};
use waymark_run::ExitCode;

use crate::terminal::{Terminal, plain};
use crate::validate::row;

pub(crate) fn run(file: &Path, json: bool, terminal: &Terminal) -> ExitCode {
    let report = show(file);
    let code = if report.has_errors() { ExitCode::REJECTED } else { ExitCode::SUCCESS };
    if json {
        let mut document = serde_json::to_value(&report).unwrap_or_default();
        document["exit_code"] = code.0.into();
        terminal.json(&document);
        return code;
    }
    told(&report.sections, 0, terminal);
    if report.has_errors() {
        terminal.err(&format!("error: {} is no artifact that is replayed", plain(&file.display().to_string())));
        for finding in report.findings.iter().filter(|finding| finding.is_error()) {
            // Messages repeat words of the document.
            let (pointer, message) = (visible(&finding.pointer), visible(&finding.message));
            terminal.err(row(&FindingRow { pointer, message, ..finding.clone() }).trim_end());
        }
    }
    code
}

/// The parts of a text, moved to the right by so many steps.
pub(crate) fn told(sections: &[Section], depth: usize, terminal: &Terminal) {
    let indented = |depth: usize, text: &str| format!("{}{text}\n", "  ".repeat(depth));
    for section in sections {
        terminal.out(&indented(depth, &section.heading));
        for line in &section.lines {
            terminal.out(&indented(depth + 1 + usize::from(line.depth), &plain(&line.text)));
        }
        terminal.out("\n");
    }
}
