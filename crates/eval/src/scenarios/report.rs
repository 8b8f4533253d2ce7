//! The report: a line a scenario, and the same for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{ScenarioLine, ScenariosReport};
use crate::{EvalError, lines};

/// Reads NAME.jsonl of a folder.
///
/// # Errors
/// It is not there, or no such report.
pub fn read_scenarios(folder: &Path, name: &str) -> Result<ScenariosReport, EvalError> {
    lines::read(folder, name).map(|(head, lines)| ScenariosReport { head, lines })
}

/// The report for people.
#[must_use]
pub fn render_scenarios(name: &str, report: &ScenariosReport) -> String {
    let sources = lines::short(&report.head.sources);
    let (head, lines) = (&report.head, &report.lines);
    let mut out = format!(
        "# Scenarios: {name}\n\nCommand: `{}`  \nSources: `{sources}`  \nBrowser: {}  \n\n",
        head.command, head.browser
    );
    let sum = |of: fn(&ScenarioLine) -> usize| lines.iter().map(of).sum::<usize>();
    let _ = writeln!(
        out,
        "{} runs of {} scenarios: {} ended as declared, {} wrong actions, {} unauthorized dispatches, {} records beyond \
         those declared, {} requests for what is forbidden.\n",
        sum(|line| line.runs),
        lines.len(),
        sum(|line| line.as_declared),
        sum(|line| line.wrong_actions),
        sum(|line| line.unauthorized),
        sum(|line| line.repeated),
        sum(|line| line.forbidden),
    );
    out.push_str(
        "The stand-in decides what was touched and what was booked; a run ends as declared only where nothing else was \
         touched. Drift is told as rungs descended in the worst run: on the ladders that were replayed, and on those of \
         the capability as it is stored.\n\n",
    );
    out.push_str("| Capability | The same every time |\n|---|---|\n");
    for (capability, same) in report.deterministic() {
        let _ = writeln!(out, "| {capability} | {} |", if same { "yes" } else { "**no**" });
    }
    out.push_str(
        "\n| Scenario | Skin, tenant | Declared | As declared | Ended | Refused, of these escalated | Drift | Drift from \
         the stored | Hints that match | Median ms |\n|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for line in lines {
        let _ = writeln!(
            out,
            "| {}: {} | {}, {} | {} | {} of {} | {} | {}, {} | {} | {} | {} of {} | {} |",
            line.capability,
            line.scenario,
            line.variant,
            line.tenant,
            line.declared,
            line.as_declared,
            line.runs,
            counts(&line.ended),
            line.refused,
            line.escalated,
            line.drift,
            line.base_drift,
            line.hints_matching,
            line.hints,
            line.took_ms,
        );
    }
    let mut rungs: BTreeMap<String, usize> = BTreeMap::new();
    for (kind, count) in lines.iter().flat_map(|line| &line.rungs) {
        *rungs.entry(kind.clone()).or_default() += count;
    }
    let _ = writeln!(out, "\nFound by: {}.", counts(&rungs));
    let wrong: Vec<String> = lines
        .iter()
        .flat_map(|line| line.wrong.iter().map(move |why| format!("- {}: {}: {why}", line.capability, line.scenario)))
        .collect();
    if !wrong.is_empty() {
        let _ = writeln!(out, "\n## Not as declared\n\n{}", wrong.join("\n"));
    }
    out
}

fn counts(of: &BTreeMap<String, usize>) -> String {
    let told: Vec<String> = of.iter().map(|(what, count)| format!("{what} ×{count}")).collect();
    if told.is_empty() { "–".to_owned() } else { told.join(", ") }
}
