//! The benchmark: builds what is measured and its peers, and hands over to the scripts in `tests/bench`.

use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde_json::{Value, json};

use crate::cargo::{cargo, root};

const SCRIPTS: &str = "tests/bench";

/// What of the benchmark is run, and how often.
#[derive(Debug, Args)]
pub struct Options {
    /// Rounds in which every client takes its turn.
    #[arg(long, default_value_t = 10)]
    rounds: u32,
    /// Jobs of a client in each round.
    #[arg(long, default_value_t = 5)]
    jobs: u32,
    /// Runs in one process, over which memory has to stay flat.
    #[arg(long, default_value_t = 1000)]
    runs: u32,
    /// Parts, with commas between them: commands, startup, warm, cold, seeing, memory; all if left out.
    #[arg(long)]
    parts: Option<String>,
    /// Where raw.jsonl and summary.md are written.
    #[arg(long, default_value = "evidence/bench")]
    out: PathBuf,
}

/// Measures; false where anything failed. Missed bars are told, and are no failure.
///
/// # Errors
/// Something does not build, or npm or node are missing.
pub fn run(options: &Options) -> Result<bool> {
    let scripts = root().join(SCRIPTS);
    let installed = Command::new("npm")
        .current_dir(&scripts)
        .args(["ci", "--no-audit", "--no-fund", "--loglevel=error"])
        // The browsers of this machine are used.
        .envs([("PUPPETEER_SKIP_DOWNLOAD", "1"), ("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1")])
        .status()
        .context("npm could not be started; install Node 20 or newer with npm")?;
    ensure!(installed.success(), "npm ci failed in {SCRIPTS}");

    // In one go, so that all of them are built with the same features.
    let ours = built(
        root(),
        &[
            ["--package", "waymark", "--bin", "waymark"],
            ["--package", "waymark-api", "--example", "repeat"],
            ["--package", "waymark-web", "--example", "snapshot_speed"],
            ["--package", "waymark-targeting", "--example", "large_screen"],
        ]
        .concat(),
    )?;
    // A package of its own, with its own place to build in.
    let place = root().join("target/bench").display().to_string();
    let floor = built(&root().join(SCRIPTS).join("rust-raw"), &["--target-dir", &place])?;
    let program = |of: &BTreeMap<String, PathBuf>, name: &str| {
        of.get(name).cloned().with_context(|| format!("the build names no program `{name}`"))
    };
    let tools = json!({
        "waymark": program(&ours, "waymark")?,
        "repeat": program(&ours, "repeat")?,
        "snapshotSpeed": program(&ours, "snapshot_speed")?,
        "largeScreen": program(&ours, "large_screen")?,
        "rustRaw": program(&floor, "rust-raw")?,
    });
    let mut measuring = Command::new("node");
    measuring
        .current_dir(root())
        .arg(Path::new(SCRIPTS).join("run.mjs"))
        .arg("--out")
        .arg(&options.out)
        .args(["--tools", &tools.to_string(), "--note", &command_line()])
        .args(["--rounds", &options.rounds.to_string(), "--jobs", &options.jobs.to_string()])
        .args(["--runs", &options.runs.to_string()]);
    if let Some(parts) = &options.parts {
        measuring.args(["--parts", parts]);
    }
    let measured = measuring.status().context("node could not be started")?;
    println!("Written: {}", options.out.display());
    Ok(measured.success())
}

/// Builds programs of the workspace or package at `folder` for release, and says where each of them lies.
fn built(folder: &Path, selection: &[&str]) -> Result<BTreeMap<String, PathBuf>> {
    let output = cargo(&["build", "--release", "--locked", "--message-format", "json-render-diagnostics"])
        .current_dir(folder)
        .args(selection)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    ensure!(output.status.success(), "the build failed");
    let messages = String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter_map(|message| {
            Some((message["target"]["name"].as_str()?.to_owned(), PathBuf::from(message["executable"].as_str()?)))
        })
        .collect();
    Ok(messages)
}

fn command_line() -> String {
    let words: Vec<String> = env::args().skip(1).collect();
    format!("./x {}", words.join(" "))
}
