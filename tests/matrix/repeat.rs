//! The same run many times: whether it always does the same, and whether it takes anything with it.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use anyhow::{Context as _, Result, ensure};
use serde::Serialize;
use serde_json::{Map, Value, json};
use tokio::sync::watch;
use waymark_api::{BrowserWish, Given, ReplayAnswer, ReplayRequest, TenantWish, replay};
use waymark_fixture_apps::{Options, serve_parabank};
use waymark_run::JournalLine;
use waymark_tests::report::{Head, median};
use waymark_tests::root;

use crate::leftovers::remains;

const ARTIFACT: &str = "artifacts/parabank.read_accounts_overview.v1.json";

/// Runs that the allocator and the pools may take to find their size.
const WARM_UP: usize = 100;

/// By how much the memory of one process may differ after them, in KiB.
const FLAT: u64 = 1024;

/// One run.
#[derive(Clone, Debug, Serialize)]
pub struct Repeat {
    pub run: usize,
    pub browser: &'static str,
    pub ended: String,
    pub effects: String,
    pub took_ms: u64,
    /// Memory of this process that is no file, after the run, in KiB.
    pub memory_kib: u64,
}

/// The bank in a process of its own, so that what it remembers is not this one's memory.
pub struct Bank {
    child: Child,
    address: String,
}

impl Bank {
    fn start() -> Result<Self> {
        let mut child = Command::new(std::env::current_exe()?)
            .arg("serve")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the bank could not be started")?;
        let mut address = String::new();
        BufReader::new(child.stdout.take().context("no output")?).read_line(&mut address)?;
        Ok(Bank { child, address: address.trim().to_owned() })
    }
}

impl Drop for Bank {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}

/// Serves the bank until standard input closes.
///
/// # Errors
/// It cannot be served.
pub fn serve() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let running = runtime.block_on(serve_parabank(Options::default()))?;
    println!("{}", running.base_url());
    std::io::stdin().lines().for_each(drop);
    runtime.block_on(running.stop());
    Ok(())
}

/// Runs the reference capability so many times on each of the browsers, in this process.
///
/// # Errors
/// The harness itself failed.
pub fn repeat(times: usize, browsers: &[&'static str], mut each: impl FnMut(&Repeat)) -> Result<Vec<Repeat>> {
    let bank = Bank::start()?;
    let evidence = tempfile::Builder::new().prefix("repeat-evidence-").tempdir()?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
    let mut all = Vec::new();
    for browser in browsers {
        for run in 1..=times {
            let begun = Instant::now();
            let (_stop, stopped) = watch::channel(None);
            let mut watcher = |_: &JournalLine, _: &Map<String, Value>| {};
            let request = request(&bank.address, browser, evidence.path())?;
            let answer = runtime.block_on(replay(&request, &mut watcher, stopped, None));
            let ReplayAnswer::Ended { result, .. } = answer else { anyhow::bail!("the call was refused") };
            let result = serde_json::to_value(&*result)?;
            if let Some(folder) = result["evidence"].as_str() {
                fs::remove_dir_all(folder)?;
            }
            let repeat = Repeat {
                run,
                browser,
                ended: format!("{} {}", result["exit_code"], result["status"].as_str().unwrap_or_default()),
                effects: result["effect_journal"].as_str().unwrap_or_default().to_owned(),
                took_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
                memory_kib: own_memory()?,
            };
            each(&repeat);
            all.push(repeat);
        }
    }
    drop(bank);
    let left = remains(0);
    ensure!(left.is_empty(), "left behind: {}", left.join("; "));
    Ok(all)
}

/// What is wrong with many runs: another ending, another journal of effects, memory that grows.
#[must_use]
pub fn judged(all: &[Repeat]) -> Vec<String> {
    let mut wrong = Vec::new();
    let first = all.first().map(|one| one.effects.clone()).unwrap_or_default();
    if first.is_empty() {
        wrong.push("there is no journal of effects".to_owned());
    }
    for one in all {
        if one.ended != "0 success" || one.effects != first {
            wrong.push(format!("run {} on {}: {}, effects {}", one.run, one.browser, one.ended, one.effects));
        }
    }
    let settled: Vec<u64> = all.iter().skip(WARM_UP).map(|one| one.memory_kib).collect();
    if let Some(quarter) = settled.len().checked_div(4).filter(|quarter| *quarter > 10) {
        // Single runs differ by what happens to be free; what grows is seen in the middle of many.
        let (early, late) =
            (median(settled[..quarter].iter().copied()), median(settled[settled.len() - quarter..].iter().copied()));
        if late.abs_diff(early) > FLAT {
            wrong.push(format!("memory went from {early} to {late} KiB"));
        }
    }
    wrong
}

/// The report on many runs, for people.
#[must_use]
pub fn told(name: &str, head: &Head, all: &[Repeat], wrong: &[String]) -> String {
    let settled: Vec<u64> = all.iter().skip(WARM_UP.min(all.len() / 2)).map(|one| one.memory_kib).collect();
    let hashes: BTreeSet<&str> = all.iter().map(|one| one.effects.as_str()).collect();
    let mut out = head.render(&format!("`{name}`"));
    let _ = writeln!(
        out,
        "{} runs, {} journals of effects, {} wrong.  \nMilliseconds a run: median {}.  \nMemory of the process after \
         the warm-up: from {} to {} KiB, median {}.",
        all.len(),
        hashes.len(),
        wrong.len(),
        median(all.iter().map(|one| one.took_ms)),
        settled.iter().min().copied().unwrap_or_default(),
        settled.iter().max().copied().unwrap_or_default(),
        median(settled.iter().copied()),
    );
    for line in wrong {
        let _ = write!(out, "\n- {line}");
    }
    out
}

fn own_memory() -> Result<u64> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("RssAnon:")).context("no RssAnon")?;
    line.split_whitespace().nth(1).context("no number")?.parse().context("no number")
}

fn request(address: &str, browser: &str, evidence: &Path) -> Result<ReplayRequest> {
    let parameters = json!({"username": "john", "password": "demo"});
    Ok(ReplayRequest {
        wait: None,
        artifact: root().join(ARTIFACT),
        tenant: TenantWish::Base,
        given: Given { json: parameters.as_object().cloned().unwrap_or_default(), texts: Vec::new() },
        found: Vec::new(),
        base_url: Some(address.to_owned()),
        attended: true,
        approve_risk: None,
        escalate: true,
        browser: if browser == "shell" { BrowserWish::Shell } else { BrowserWish::Chromium },
        headed: false,
        timeout: None,
        evidence_root: evidence.to_path_buf(),
        config: root().join("config"),
        keep_inputs: false,
        pictures: true,
    })
}
