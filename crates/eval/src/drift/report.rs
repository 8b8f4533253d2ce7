//! The report: a line a run, and the same for people.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use super::{DRIFT_NAME, DriftLine, DriftReport, Mutation, Verdict};
use crate::{EvalError, lines};

/// Survived, refused, wrong.
#[derive(Clone, Copy, Default)]
struct Count([usize; 3]);

impl Count {
    fn add(&mut self, verdict: Verdict) {
        match verdict {
            Verdict::Survived => self.0[0] += 1,
            Verdict::Refused => self.0[1] += 1,
            Verdict::Wrong => self.0[2] += 1,
            Verdict::NotApplied => {}
        }
    }

    fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let mut count = Count::default();
        verdicts.into_iter().for_each(|verdict| count.add(verdict));
        count
    }

    fn all(self) -> usize {
        self.0.iter().sum()
    }

    /// `12 / 3 / 0`.
    fn told(self) -> String {
        let [survived, refused, wrong] = self.0;
        if self.all() == 0 { "–".to_owned() } else { format!("{survived} / {refused} / {wrong}") }
    }
}

/// Reads `drift.jsonl` in a folder.
///
/// # Errors
/// It is not there, or no such report.
pub fn read_drift(folder: &Path) -> Result<DriftReport, EvalError> {
    lines::read(folder, DRIFT_NAME).map(|(head, lines)| DriftReport { head, lines })
}

/// The report for people.
#[must_use]
pub fn render_drift(report: &DriftReport) -> String {
    let sources = lines::short(&report.head.sources);
    let (median, longest) = lines::times(report.lines.iter().map(|line| line.took_ms));
    let (head, lines) = (&report.head, &report.lines);
    let mut out = format!(
        "# Drift of pages\n\nCommand: `{}`  \nSources: `{sources}`  \nSeed: `{}`  \nBaseline: {}  \n\n",
        head.command, head.seed, head.baseline
    );
    let count = Count::of(lines.iter().map(|line| line.verdict));
    let [survived, refused, wrong] = count.0;
    let _ = writeln!(
        out,
        "{} changed steps: {survived} survived, {refused} refused, **{wrong} wrong**. On {} further pages the change could not be made. Milliseconds a run: median {}, longest {}.\n",
        count.all(),
        lines.len() - count.all(),
        median,
        longest,
    );
    out.push_str(
        "Each run changes the page of one step while the whole capability runs. Survived: it touched the elements that it \
         touches on untouched pages, sent the same, and ended as there. Refused: it stopped with a code and touched nothing \
         else. Wrong: anything else. The stand-in decides, by the events that its pages report and by what it was sent. \
         In the tables: survived / refused / wrong. Where the target is deleted, to refuse is right.\n\n",
    );
    let tools = tools(lines);
    out.push_str("## By change\n\n");
    table(&mut out, "Change", lines, &tools, |line| line.parts().2.to_owned(), &order());
    out.push_str("\n## By rung that found the target on the changed page\n\n");
    table(
        &mut out,
        "Rung",
        lines,
        &tools,
        |line| if line.rung.is_empty() { "none".to_owned() } else { line.rung.clone() },
        &[],
    );
    out.push_str("\n## By capability\n\n");
    table(&mut out, "Capability", lines, &tools, |line| line.parts().0.to_owned(), &[]);
    out.push_str("\n## Why it refused\n\n| Change | Ended | Runs | Such as |\n|---|---|---|---|\n");
    let mut causes: BTreeMap<(&str, &str), Vec<&DriftLine>> = BTreeMap::new();
    for line in lines.iter().filter(|line| line.verdict == Verdict::Refused) {
        causes.entry((line.parts().2, &line.ended)).or_default().push(line);
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(key, runs)| (std::cmp::Reverse(runs.len()), *key));
    for ((change, ended), runs) in causes {
        let such = runs.first().map(|line| line.case.as_str()).unwrap_or_default();
        let _ = writeln!(out, "| {change} | `{ended}` | {} | `{such}` |", runs.len());
    }
    if wrong > 0 {
        out.push_str("\n## Wrong\n\n");
        for line in lines.iter().filter(|line| line.verdict == Verdict::Wrong) {
            let _ = writeln!(out, "- `{}`, ended as `{}`: {}", line.case, line.ended, line.wrong.join("; "));
        }
    }
    if !head.without.is_empty() {
        let _ = writeln!(out, "\nSteps without an element on any page, not tried: {}.", head.without.join(", "));
    }
    out
}

fn order() -> Vec<String> {
    Mutation::ALL.iter().map(|mutation| mutation.word().to_owned()).collect()
}

/// The tools of the baseline, in the order of their names.
fn tools(lines: &[DriftLine]) -> Vec<String> {
    let mut names: Vec<String> = lines.iter().flat_map(|line| line.baseline.keys().cloned()).collect();
    names.sort();
    names.dedup();
    names
}

fn table(
    out: &mut String,
    title: &str,
    lines: &[DriftLine],
    tools: &[String],
    key: impl Fn(&DriftLine) -> String,
    order: &[String],
) {
    let mut rows: BTreeMap<String, Vec<&DriftLine>> = BTreeMap::new();
    for line in lines {
        rows.entry(key(line)).or_default().push(line);
    }
    let _ = writeln!(out, "| {title} | Waymark |{}", tools.iter().map(|tool| format!(" {tool} |")).collect::<String>());
    let _ = writeln!(out, "|---|---|{}", "---|".repeat(tools.len()));
    let place = |name: &String| order.iter().position(|known| known == name).unwrap_or(usize::MAX);
    let mut names: Vec<String> = rows.keys().cloned().collect();
    names.sort_by_key(|name| (place(name), name.clone()));
    for name in names {
        row(out, &name, &rows[&name], tools);
    }
    row(out, "all", &lines.iter().collect::<Vec<_>>(), tools);
}

fn row(out: &mut String, name: &str, lines: &[&DriftLine], tools: &[String]) {
    let own = Count::of(lines.iter().map(|line| line.verdict));
    let _ = write!(out, "| {name} | {} |", own.told());
    for tool in tools {
        let theirs = Count::of(lines.iter().filter_map(|line| line.baseline.get(tool).copied()));
        let _ = write!(out, " {} |", theirs.told());
    }
    out.push('\n');
}
