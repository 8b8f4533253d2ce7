//! `waymark overlay`.

use std::path::PathBuf;

use waymark_api::{FindingRow, OverlaidRow, TenantWish, overlay_check, visible};
use waymark_run::ExitCode;

use crate::args::OverlayPlace;
use crate::show::told;
use crate::terminal::{Mark, Terminal};
use crate::usage;
use crate::validate::row;

pub(crate) fn run(what: &OverlayPlace, whole: bool, json: bool, terminal: &Terminal) -> ExitCode {
    let wish = match what.tenant.contains(['/', '\\', '.']) {
        true => TenantWish::Overlay(PathBuf::from(&what.tenant)),
        false => TenantWish::Named(what.tenant.clone()),
    };
    let report = match overlay_check(&wish, &what.config.config, &what.place.artifacts, whole) {
        Ok(report) => report,
        Err(rejection) => return usage::answer(&rejection, json, terminal, "waymark overlay --help"),
    };
    let code = if report.has_errors() { ExitCode::REJECTED } else { ExitCode::SUCCESS };
    if json {
        let mut document = serde_json::to_value(&report).unwrap_or_default();
        document["exit_code"] = code.0.into();
        terminal.json(&document);
        return code;
    }
    for item in &report.items {
        terminal.out(&head(item, terminal));
        for finding in &item.findings {
            terminal.out(&row(finding));
        }
        told(&item.sections, 1, terminal);
    }
    for missing in &report.missing {
        terminal.err(&format!("missing: {}", visible(missing)));
    }
    code
}

fn head(item: &OverlaidRow, terminal: &Terminal) -> String {
    let bad = item.findings.iter().any(FindingRow::is_error);
    let mark = terminal.mark_out(if bad { Mark::Failed } else { Mark::Ok });
    let what = if item.changed { "changed" } else { "as it is" };
    let effective = item.effective_digest.as_deref().map(|digest| format!("  {digest}")).unwrap_or_default();
    format!("{mark} {}@{}  {what}{effective}\n", item.id, item.version)
}
