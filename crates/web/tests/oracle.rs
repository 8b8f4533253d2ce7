//! The browser's own accessibility tree judges the roles and names that the agent computes: on pages written for the
//! purpose (`fixtures/accname`), on every page of the bank, and on all small hard pages.
//!
//! The differences that are meant are listed with their reasons in `fixtures/accname/differences.md`.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;
#[path = "oracle/compare.rs"]
mod compare;
#[path = "oracle/pages.rs"]
mod pages;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

use common::{Server, block_on, launch, session};
use compare::{Compared, compared};
use pages::{CASES, INSIDE, OUTSIDE, SIGN_ON, Visit};
use serde_json::json;
use waymark_fixture_apps::{Delays, Options, cases, serve_cases, serve_parabank};
use waymark_snapshot::WindowKey;
use waymark_surface::{Driver as _, Observe, Settling, Until};
use waymark_web::{BrowserKind, Probe, WebDriver};

/// How long a page that does not come to rest is waited for.
const RESTLESS: Duration = Duration::from_millis(700);

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/accname"))
}

/// One tab that is led from page to page.
struct Tour {
    driver: WebDriver,
    probe: Probe,
    total: Compared,
}

impl Tour {
    async fn rest(&mut self) {
        let end = tokio::time::Instant::now() + RESTLESS;
        let mut seen = self.driver.observe(&Observe::default(), RESTLESS).await.unwrap();
        while seen.settling != Settling::Settled && tokio::time::Instant::now() < end {
            let change = Observe { until: Until::Change { after: seen.number }, ..Observe::default() };
            let left = end.saturating_duration_since(tokio::time::Instant::now());
            seen = self.driver.observe(&change, left).await.unwrap();
        }
    }

    async fn arrive(&mut self, base: &str, (page, script): Visit) {
        self.probe.open(&format!("{base}/{page}")).await.unwrap();
        self.rest().await;
        if !script.is_empty() {
            self.probe.evaluate(&format!("Promise.resolve(eval({script:?})).then(() => 0)")).await.unwrap();
            self.rest().await;
        }
    }

    /// Opens a page, does what is to be done there, and compares; how many elements were compared.
    async fn visit(&mut self, base: &str, visit: Visit) -> usize {
        self.arrive(base, visit).await;
        let page = format!("/{}", visit.0.split('?').next().unwrap_or_default());
        self.compare(&page).await
    }

    async fn compare(&mut self, page: &str) -> usize {
        let found = compared(&self.probe, page).await;
        let count = found.agreed + found.differing.len();
        self.total.agreed += found.agreed;
        self.total.differing.extend(found.differing);
        count
    }

    async fn written_for_the_purpose(&mut self) {
        let mut files: Vec<PathBuf> = std::fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|path| path.extension().is_some_and(|ending| ending == "html"));
        files.sort();
        assert!(!files.is_empty(), "no page to compare");
        let server = Server::start(&[]).await;
        for file in files {
            let page = format!("/{}", file.file_name().unwrap().to_str().unwrap());
            server.answer(&page, common::Answer::Page(std::fs::read_to_string(&file).unwrap()));
            self.probe.open(&server.url(&page)).await.unwrap();
            let count = self.compare(&page).await;
            assert!(count > 0, "{page}: nothing was compared");
        }
    }

    async fn bank(&mut self) {
        let bank = serve_parabank(Options { delays: Delays::none(), ..Options::default() }).await.unwrap();
        let base = bank.base_url();
        for visit in OUTSIDE {
            assert!(self.visit(&base, *visit).await > 0, "{}: nothing was compared", visit.0);
        }
        self.arrive(&base, SIGN_ON).await;
        let account = self.number_in("#accountTable a").await;
        self.arrive(&base, (Box::leak(format!("activity.htm?id={account}").into_boxed_str()), "")).await;
        let transaction = self.number_in("#transactionTable a").await;
        for (page, script) in INSIDE {
            let page = page.replace("{account}", &account).replace("{transaction}", &transaction);
            // The way out is there for a customer only.
            let count = self.visit(&base, (Box::leak(page.clone().into_boxed_str()), script)).await;
            assert!(count > 0, "{page}: nothing was compared");
            assert_eq!(
                self.probe.evaluate("!!document.querySelector('[href*=logout]')").await.unwrap(),
                true,
                "{page}"
            );
        }
        bank.stop().await;
    }

    /// The id in the address of the first link that a path finds.
    async fn number_in(&self, path: &str) -> String {
        let ask = format!("/id=(\\d+)/.exec(document.querySelector({path:?}).href)[1]");
        self.probe.evaluate(&ask).await.unwrap().as_str().unwrap().to_owned()
    }

    async fn hard_pages(&mut self) {
        let running = serve_cases(Options::default()).await.unwrap();
        // Frames of the other host name are of another site.
        let base = running.base_url().replace("127.0.0.1", "localhost");
        let headers = json!({"headers": {"authorization": "Basic dGVsbGVyMTpkZW1vMTIz"}});
        self.probe.call("Network.setExtraHTTPHeaders", headers).await.unwrap();
        let first = cases::names().map(|name| (name, ""));
        for visit in first.chain(CASES.iter().copied()) {
            let count = self.visit(&base, visit).await;
            // One link and two buttons, each in a frame of its own.
            assert!(visit.0 != "F01.html" || count >= 3, "frames are left out");
        }
        running.stop().await;
    }
}

#[test]
fn roles_and_names_are_those_of_the_browsers_own_tree() {
    let total = block_on(async {
        let browser = launch(BrowserKind::Shell).await;
        let driver = session(&browser).await;
        let probe = driver.probe(&WindowKey::main()).unwrap();
        let mut tour = Tour { driver, probe, total: Compared::default() };
        let mut before = 0;
        let mut told = |what: &str, total: &Compared, least: usize| {
            let count = total.agreed + total.differing.len() - before;
            before += count;
            println!("{what}: {count}");
            assert!(count >= least, "{what}: only {count} were compared");
        };
        tour.written_for_the_purpose().await;
        told("pages for the purpose", &tour.total, 1000);
        tour.bank().await;
        told("the bank", &tour.total, 500);
        tour.hard_pages().await;
        told("hard pages", &tour.total, 190);
        drop(tour.driver);
        browser.close().await;
        tour.total
    });
    let reasons = std::fs::read_to_string(folder().join("differences.md")).unwrap();
    let mut listed: BTreeSet<&str> = reasons.lines().filter(|line| line.starts_with("| `")).collect();
    let rows = listed.clone();
    let mut unexplained = Vec::new();
    for difference in &total.differing {
        println!("{difference}");
        let row = match &difference.mark {
            Some(mark) => format!("| `{mark}` |"),
            None => format!("| `{}` | `{}` | `{}` |", difference.page, difference.tree, difference.agent),
        };
        listed.retain(|line| !line.starts_with(&row));
        if !rows.iter().any(|line| line.starts_with(&row)) {
            unexplained.push(difference.to_string());
        }
    }
    let all = total.agreed + total.differing.len();
    println!("{} of {all} agree", total.agreed);
    assert!(unexplained.is_empty(), "not in differences.md:\n{}", unexplained.join("\n"));
    assert!(listed.is_empty(), "listed in differences.md, but not met:\n{listed:#?}");
    assert!(total.agreed * 100 >= all * 99, "only {} of {all} agree", total.agreed);
}
