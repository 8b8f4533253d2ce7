//! Who may reach whom. An import only points up the list of floors; what a floor must never reach is declared here.

use std::{collections::BTreeSet, process::Command};

use anyhow::{Result, ensure};
use waymark_tests::{none_of, root, rust_sources};

use crate::graph::GRAPH;

/// The house from the lowest floor up. A crate may depend on the ones before it.
const FLOORS: [&str; 30] = [
    "waymark-redact",
    "waymark-snapshot",
    "waymark-artifact",
    "waymark-policy",
    "waymark-run",
    "waymark-goal",
    "waymark-perception",
    "waymark-targeting",
    "waymark-surface",
    "waymark-replay",
    "waymark-recording",
    "waymark-discovery",
    "waymark-evidence",
    "waymark-web",
    "waymark-desktop-at-spi",
    "waymark-uia",
    "waymark-llm",
    "waymark-session",
    "waymark-api",
    "waymark-fixture-apps",
    "waymark-eval",
    "waymark",
    "waymark-console",
    "waymark-mcp",
    "waymark-desktop",
    "waymark-test-support",
    "waymark-tests",
    "waymark-matrix",
    "waymark-desktop-tests",
    "xtask",
];

const ASYNC: &[&str] = &["tokio", "mio", "async-std", "smol", "async-io"];
const HTTP: &[&str] =
    &["reqwest", "hyper", "hyper-util", "ureq", "curl", "isahc", "axum", "tungstenite", "tokio-tungstenite"];
const RANDOM: &[&str] = &["rand", "rand_core", "getrandom", "fastrand", "ahash"];
const BROWSER: &[&str] = &["waymark-web", "chromiumoxide", "chromiumoxide_cdp", "fantoccini"];
const MODEL: &[&str] = &["waymark-llm", "async-openai"];
const ENGINES: &[&str] = &["waymark-replay", "waymark-recording", "waymark-discovery"];
const WINDOW: &[&str] = &["tauri", "wry", "tao"];
const SURFACE: &[&str] = &["waymark-surface"];
const REPLAY: &[&str] = &["waymark-replay"];
const DISCOVERY: &[&str] = &["waymark-discovery", "waymark-recording"];
const SHELL: &[&str] = &["clap", "axum"];

/// What each crate must never reach, through however many others.
const NEVER: [(&str, &[&[&str]]); 24] = [
    ("waymark-redact", &[ASYNC, HTTP, RANDOM, BROWSER, MODEL]),
    ("waymark-snapshot", &[ASYNC, HTTP, RANDOM, BROWSER, MODEL]),
    ("waymark-artifact", &[ASYNC, HTTP, RANDOM, BROWSER, MODEL]),
    ("waymark-policy", &[ASYNC, HTTP, BROWSER, MODEL, SURFACE]),
    ("waymark-run", &[ASYNC, HTTP, BROWSER, MODEL]),
    ("waymark-goal", &[ASYNC, HTTP, BROWSER, MODEL]),
    ("waymark-perception", &[ASYNC, HTTP, RANDOM, BROWSER, MODEL, SURFACE]),
    ("waymark-targeting", &[ASYNC, HTTP, RANDOM, BROWSER, MODEL, SURFACE]),
    ("waymark-surface", &[HTTP, BROWSER, MODEL, ENGINES]),
    ("waymark-replay", &[ASYNC, HTTP, RANDOM, BROWSER, MODEL, DISCOVERY]),
    ("waymark-recording", &[BROWSER, MODEL, REPLAY]),
    ("waymark-discovery", &[HTTP, BROWSER, MODEL, REPLAY]),
    ("waymark-evidence", &[HTTP, BROWSER, MODEL, ENGINES, SURFACE]),
    ("waymark-web", &[MODEL, ENGINES]),
    ("waymark-desktop-at-spi", &[BROWSER, MODEL, ENGINES]),
    ("waymark-uia", &[BROWSER, MODEL, ENGINES]),
    ("waymark-llm", &[BROWSER, REPLAY]),
    ("waymark-session", &[MODEL, WINDOW, SHELL]),
    ("waymark-api", &[WINDOW, SHELL]),
    ("waymark", &[WINDOW]),
    ("waymark-console", &[WINDOW]),
    ("waymark-mcp", &[WINDOW]),
    ("waymark-fixture-apps", &[ENGINES, BROWSER, MODEL, SURFACE]),
    ("waymark-test-support", &[BROWSER, MODEL]),
];

/// Packages that one crate alone wraps.
const ONLY_IMPORTER: [(&str, &[&str]); 5] = [
    ("chromiumoxide", &["waymark-web"]),
    ("async-openai", &["waymark-llm"]),
    ("jsonschema", &["waymark-api", "waymark-llm"]),
    ("serde-saphyr", &["waymark-policy"]),
    ("tauri", &["waymark-desktop"]),
];

#[test]
fn no_crate_reaches_what_it_must_never_reach() -> Result<()> {
    let own = GRAPH.own();
    let mut findings = Vec::new();
    for (from, lists) in NEVER.iter().filter(|(from, _)| own.contains(from)) {
        for to in lists.iter().copied().flatten() {
            if let Some(chain) = GRAPH.chain(from, to) {
                findings.push(chain.join(" -> "));
            }
        }
    }
    none_of(findings, "break the first arrow you own in each chain:")
}

#[test]
fn the_graph_finds_what_is_there() -> Result<()> {
    let there = [
        ("waymark-web", "chromiumoxide"),
        ("waymark-web", "reqwest"),
        ("waymark-api", "jsonschema"),
        ("waymark-session", "tokio"),
    ];
    for (from, to) in there {
        let chain = GRAPH.chain(from, to);
        ensure!(chain.is_some(), "{from} reaches {to}, but the graph does not show it: the other tests prove nothing");
    }
    let chain = GRAPH.chain("waymark-api", "waymark-snapshot").unwrap_or_default();
    ensure!(
        chain.first() == Some(&"waymark-api") && chain.last() == Some(&"waymark-snapshot"),
        "a broken chain: {chain:?}"
    );
    Ok(())
}

#[test]
fn every_crate_stands_on_a_floor_and_imports_from_lower_floors_only() -> Result<()> {
    let floor = |name: &str| FLOORS.iter().position(|floor| *floor == name);
    let own = GRAPH.own();
    let mut findings = Vec::new();
    for name in &own {
        let Some(at) = floor(name) else {
            findings.push(format!("{name} stands on no floor: add it to the list"));
            continue;
        };
        for import in GRAPH.declared_by(name).into_iter().filter(|import| own.contains(import)) {
            if floor(import).is_none_or(|lower| lower >= at) {
                findings.push(format!("{name} imports {import}, which stands above it"));
            }
        }
    }
    none_of(findings, "imports point up the list of floors only:")
}

#[test]
fn a_wrapped_package_has_one_importer() -> Result<()> {
    let mut findings = Vec::new();
    for (package, importers) in ONLY_IMPORTER {
        for name in GRAPH.own() {
            // Builders for tests read the same texts as the product's own files.
            if name == "waymark-test-support" {
                continue;
            }
            if GRAPH.declared_by(name).contains(&package) && !importers.contains(&name) {
                findings.push(format!("{name} imports {package}; only {} may", importers.join(" and ")));
            }
        }
    }
    none_of(findings, "go through the crate that wraps the package:")
}

#[test]
fn one_function_reads_yaml() -> Result<()> {
    let calls: Vec<String> = rust_sources()?
        .iter()
        .filter(|source| source.path.contains("/src/") && !source.path.contains("/test-support/"))
        .flat_map(|source| {
            let calls = source.text.lines().filter(|line| line.contains("serde_saphyr::from_"));
            calls.map(|line| format!("{}: {}", source.path, line.trim())).collect::<Vec<_>>()
        })
        .collect();
    ensure!(
        calls.len() == 1 && calls[0].starts_with("crates/policy/"),
        "YAML is read at {} places: {calls:#?}",
        calls.len()
    );
    Ok(())
}

#[test]
fn the_desktop_shell_imports_no_engine_directly() -> Result<()> {
    let allowed = BTreeSet::from(["waymark-api", "waymark-run", "waymark-console"]);
    let findings = GRAPH.declared_by("waymark-desktop").into_iter();
    let findings = findings.filter(|name| name.starts_with("waymark") && !allowed.contains(name));
    none_of(findings.map(str::to_owned).collect(), "the shell goes through `api`; it imports:")
}

#[test]
fn a_replay_only_build_holds_no_model_client() -> Result<()> {
    let listed = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .current_dir(root())
        .args([
            "tree",
            "--locked",
            "--package",
            "waymark",
            "--no-default-features",
            "--edges",
            "normal",
            "--prefix",
            "none",
        ])
        .output()?;
    ensure!(listed.status.success(), "cargo tree failed: {}", String::from_utf8_lossy(&listed.stderr));
    let text = String::from_utf8(listed.stdout)?;
    let crates: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
    ensure!(crates.contains("chromiumoxide"), "the list has no browser driver: it is not the list of the build");
    let models = MODEL.iter().chain(DISCOVERY).filter(|name| crates.contains(**name));
    none_of(models.map(|name| (*name).to_owned()).collect(), "replay alone is built with:")
}
