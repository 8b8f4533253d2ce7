//! `waymark validate`.

use waymark_api::{FileReport, FindingRow, validate};
use waymark_run::ExitCode;

use crate::args::ValidateOptions;
use crate::terminal::{Mark, Terminal, plain};

pub(crate) fn run(options: &ValidateOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let report = validate(&options.files);
    let bad = report.errors > 0 || (options.strict && report.warnings > 0);
    let code = if bad { ExitCode::REJECTED } else { ExitCode::SUCCESS };
    if json {
        let mut document = serde_json::to_value(&report).unwrap_or_default();
        document["exit_code"] = code.0.into();
        terminal.json(&document);
        return code;
    }
    for item in &report.items {
        terminal.out(&head(item, options.strict, terminal));
        for finding in &item.findings {
            terminal.out(&row(finding));
        }
    }
    terminal.progress(&format!("{} errors, {} warnings", report.errors, report.warnings));
    code
}

fn head(item: &FileReport, strict: bool, terminal: &Terminal) -> String {
    let bad = item.findings.iter().any(|finding| finding.is_error() || (strict && finding.severity == "warning"));
    let mark = terminal.mark_out(if bad { Mark::Failed } else { Mark::Ok });
    let what = match (&item.id, &item.version) {
        (Some(id), Some(version)) => format!("  {id}@{version}"),
        _ => String::new(),
    };
    format!("{mark} {}{what}\n", item.file.display())
}

pub(crate) fn row(finding: &FindingRow) -> String {
    let line = finding.line.map(|line| format!("line {line} ")).unwrap_or_default();
    let place = if finding.pointer.is_empty() { "/" } else { finding.pointer.as_str() };
    let mut text = format!(
        "  {:<7} {}  {line}{}\n          {}\n",
        finding.severity,
        finding.code,
        plain(place),
        plain(&finding.message)
    );
    if !finding.hint.is_empty() {
        text.push_str(&format!("          hint: {}\n", plain(&finding.hint)));
    }
    text
}
