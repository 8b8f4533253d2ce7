//! What a replay says to the browser, counted: it is steadier than any time. The job is the one of `tests/bench`: a
//! frameset, nine steps, six pages.

#![expect(clippy::unwrap_used, reason = "what cannot be set up ends the test")]

mod browser;
mod site;

use std::collections::BTreeMap;
use std::path::Path;

use tokio::sync::watch;
use waymark_api::{BrowserWish, Given, ReplayAnswer, ReplayRequest, TenantWish, parameters_of, replay};
use waymark_run::RunStatus;

use self::browser::Browser;
use self::site::Site;

/// The most calls that one job may take, connection, session and end included.
const MOST: u64 = 70;
/// The most memory in KiB that all jobs together may take.
const MEMORY_KIB: u64 = 120 * 1024;
/// Jobs; the one that took least counts, for a busy machine makes the engine look more often.
const JOBS: usize = 5;

#[test]
fn a_job_of_nine_steps_takes_no_more_calls_than_it_may() {
    let (site, browser) = (Site::start(), Browser::start());
    let bench = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench");
    let evidence = tempfile::tempdir().unwrap();
    let request = ReplayRequest {
        wait: None,
        artifact: bench.join("artifacts/meridian.read_accounts.v1.json"),
        tenant: TenantWish::Base,
        given: Given { json: parameters_of("--params", &bench.join("params/teller.json")).unwrap(), texts: Vec::new() },
        found: Vec::new(),
        base_url: Some(site.address()),
        attended: false,
        approve_risk: None,
        escalate: false,
        browser: BrowserWish::Address(browser.address()),
        headed: false,
        timeout: None,
        evidence_root: evidence.path().to_owned(),
        config: bench.join("config"),
        keep_inputs: false,
        pictures: false,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let mut taken = Vec::new();
    for _ in 0..JOBS {
        browser.calls();
        let (_told, stop) = watch::channel(None);
        let ReplayAnswer::Ended { result, .. } = runtime.block_on(replay(&request, &mut |_, _| {}, stop, None)) else {
            panic!("it did not start")
        };
        assert_eq!(result.status, RunStatus::Success, "{result:?}");
        taken.push(browser.calls());
    }
    let least = taken.iter().min_by_key(|calls| total(calls)).unwrap();
    let all: Vec<u64> = taken.iter().map(total).collect();
    assert!(total(least) <= MOST, "{all:?} calls, at least {least:#?}");
    assert!(memory_kib() <= MEMORY_KIB, "{} KiB", memory_kib());
}

fn total(calls: &BTreeMap<String, u64>) -> u64 {
    calls.values().sum()
}

/// The most memory that this process had.
fn memory_kib() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().trim_end_matches(" kB").parse().unwrap()
}
