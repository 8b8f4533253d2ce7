//! Tables in `docs/` that say where a thing is, compared with where it is.

use std::{collections::BTreeMap, fs};

use anyhow::{Context, Result, ensure};
use waymark_tests::{none_of, root, rust_sources};

use crate::graph::GRAPH;

const BEHAVIOURS: u16 = 180;
/// Stands where nothing is built yet.
const PLANNED: &str = "planned";

/// The packages that the design names. `serde_yaml` is the one that another package stands in for.
const PACKAGES: [&str; 11] = [
    "tauri",
    "tokio",
    "serde",
    "serde_json",
    "chromiumoxide",
    "specta",
    "async-openai",
    "jsonschema",
    "serde_yaml",
    "image",
    "tracing",
];

#[test]
fn every_behaviour_has_its_sentence_and_its_tests_exist() -> Result<()> {
    let rows = table("docs/behaviours.md")?;
    let sources = rust_sources()?;
    let mut findings = Vec::new();
    let mut seen: BTreeMap<u16, usize> = BTreeMap::new();
    for row in &rows {
        let [number, sentence, tests] = row.as_slice() else {
            findings.push(format!("not three columns: {row:?}"));
            continue;
        };
        let Some(number) = number.strip_prefix('R').and_then(|digits| digits.parse().ok()) else {
            findings.push(format!("no behaviour's number: {number}"));
            continue;
        };
        *seen.entry(number).or_default() += 1;
        if sentence.len() < 10 || !sentence.ends_with('.') {
            findings.push(format!("R{number} has no sentence: {sentence:?}"));
        }
        for test in tests.split(',').map(|test| test.trim().trim_matches('`')).filter(|test| *test != PLANNED) {
            let name = test.rsplit("::").next().unwrap_or_default();
            // Tests of the browser driver are listed by name in one macro, and run in both browsers.
            let by_name = format!("fn {name}(");
            let in_both = format!("\n    {name}(tab) {{");
            let exists = if name.contains('/') {
                root().join(name).exists()
            } else {
                !name.is_empty() && sources.iter().any(|s| s.text.contains(&by_name) || s.text.contains(&in_both))
            };
            if !exists {
                findings.push(format!("R{number}: there is no test `{test}`"));
            }
        }
    }
    for number in 1..=BEHAVIOURS {
        match seen.get(&number).copied().unwrap_or_default() {
            1 => {}
            times => findings.push(format!("R{number} is listed {times} times")),
        }
    }
    none_of(findings, "docs/behaviours.md is not true:")
}

#[test]
fn the_packages_of_the_design_are_used_where_the_table_says() -> Result<()> {
    let rows = table("docs/packages.md")?;
    let mut findings = Vec::new();
    for package in PACKAGES {
        let Some(row) = rows.iter().find(|row| row.first().is_some_and(|name| name == package)) else {
            findings.push(format!("{package} has no row"));
            continue;
        };
        let (taken, users) = (row.get(1).map_or("", String::as_str), row.get(2).map_or("", String::as_str));
        let declared: Vec<&str> =
            GRAPH.own().into_iter().filter(|name| GRAPH.declared_by(name).contains(&taken)).collect();
        let listed: Vec<&str> =
            users.split(',').map(|name| name.trim().trim_matches('`')).filter(|name| *name != PLANNED).collect();
        if listed.is_empty() && !declared.is_empty() {
            findings.push(format!("{package} is planned no more: {declared:?} use it"));
        }
        for name in listed.iter().filter(|name| !declared.contains(name)) {
            findings.push(format!("{package}: {name} does not use {taken}"));
        }
    }
    ensure!(GRAPH.own().iter().all(|name| !GRAPH.declared_by(name).contains(&"serde_yaml")), "serde_yaml is back");
    none_of(findings, "docs/packages.md is not true:")
}

/// The cells of the first table in a document, without its heading.
fn table(file: &str) -> Result<Vec<Vec<String>>> {
    let text = fs::read_to_string(root().join(file)).with_context(|| file.to_owned())?;
    let rows: Vec<Vec<String>> = text
        .lines()
        .filter(|line| line.starts_with('|'))
        .skip(2)
        .map(|line| line.trim_matches('|').split('|').map(|cell| cell.trim().trim_matches('`').to_owned()).collect())
        .collect();
    ensure!(!rows.is_empty(), "{file} has no table");
    Ok(rows)
}
