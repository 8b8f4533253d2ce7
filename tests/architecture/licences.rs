//! Every package in the graph has a licence that may be used here.

use anyhow::{Result, ensure};
use waymark_tests::none_of;

use crate::graph::GRAPH;

const ALLOWED: [&str; 14] = [
    "MIT",
    "MIT-0",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Zlib",
    "Unicode-3.0",
    "MPL-2.0",
    "0BSD",
    "Unlicense",
    "BSL-1.0",
    "CDLA-Permissive-2.0",
];

#[test]
fn every_package_has_an_allowed_licence() -> Result<()> {
    let mut findings = Vec::new();
    for package in &GRAPH.metadata.packages {
        let licence = package.license.as_deref().unwrap_or("none declared");
        if !is_allowed(licence) {
            findings.push(format!("{} {}: {licence}", package.name, package.version));
        }
    }
    ensure!(GRAPH.metadata.packages.len() > 100, "the graph is not whole");
    none_of(findings, "take another package, or none:")
}

#[test]
fn licence_expressions_are_understood() -> Result<()> {
    let allowed = [
        "MIT",
        "MIT/Apache-2.0",
        "Apache-2.0 WITH LLVM-exception OR MIT",
        "(MIT OR GPL-3.0) AND BSD-3-Clause",
        "(MIT OR Apache-2.0) AND Unicode-3.0",
    ];
    let refused = ["GPL-3.0", "AGPL-3.0-only", "MIT AND GPL-3.0", "(MIT AND LGPL-2.1) AND MIT", "none declared", ""];
    none_of(allowed.iter().filter(|text| !is_allowed(text)).map(ToString::to_string).collect(), "wrongly refused:")?;
    none_of(refused.iter().filter(|text| is_allowed(text)).map(ToString::to_string).collect(), "wrongly allowed:")
}

/// Whether a licence expression can be met with allowed licences alone. `AND` binds tighter than `OR`.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    split(&expression, " OR ").iter().any(|choice| {
        split(choice, " AND ").iter().all(|part| {
            let part = part.trim();
            match part.strip_prefix('(').and_then(|inner| inner.strip_suffix(')')) {
                Some(inner) => is_allowed(inner),
                None => ALLOWED.contains(&part),
            }
        })
    })
}

/// Splits outside parentheses.
fn split<'text>(text: &'text str, separator: &str) -> Vec<&'text str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0);
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ if depth == 0 && at >= from && text[at..].starts_with(separator) => {
                parts.push(&text[from..at]);
                from = at + separator.len();
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    parts
}
