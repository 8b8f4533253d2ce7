//! The fault matrix for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use waymark_tests::report::{Head, median};

use crate::judge::Line;

/// The name of the report.
pub const NAME: &str = "faults";

/// The report for people: one row for each fault and job, with how often it ended how.
#[must_use]
pub fn render(head: &Head, lines: &[Line]) -> String {
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    let struck = lines.iter().filter(|line| line.struck).count();
    let mut out = head.render("Matrix `faults`");
    let _ = writeln!(
        out,
        "{} runs of the {} cells of the matrix, {struck} of them struck, {} right, {} wrong. Payments in one run: at most {}. Milliseconds a run: median {}, longest {}.\n",
        lines.len(),
        head.of.unwrap_or(lines.len()),
        lines.len() - wrong.len(),
        wrong.len(),
        lines.iter().map(|line| line.booked).max().unwrap_or_default(),
        median(lines.iter().map(|line| line.took_ms)),
        lines.iter().map(|line| line.took_ms).max().unwrap_or_default(),
    );
    out.push_str("| Job | Fault | Runs | How they ended |\n|---|---|---|---|\n");
    let mut rows: BTreeMap<(&str, &str), BTreeMap<&str, usize>> = BTreeMap::new();
    for line in lines {
        let mut parts = line.cell.split('/');
        let key = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        *rows.entry(key).or_default().entry(&line.ended).or_default() += 1;
    }
    for ((job, fault), endings) in &rows {
        let runs: usize = endings.values().sum();
        let told: Vec<String> = endings.iter().map(|(ended, count)| format!("{count} × `{ended}`")).collect();
        let _ = writeln!(out, "| {job} | {fault} | {runs} | {} |", told.join(", "));
    }
    if !wrong.is_empty() {
        out.push_str("\n## Wrong\n\n");
        for line in wrong {
            let _ = writeln!(out, "- `{}`: {}", line.cell, line.wrong.join("; "));
        }
    }
    out
}
