//! Browsers start, answer, and leave nothing behind.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use common::{KINDS, Server, block_on, launch, session};
use serde_json::json;
use tokio::runtime::Handle;
use waymark_snapshot::WindowKey;
use waymark_surface::{Driver as _, Observe};
use waymark_web::{Browser, BrowserKind, LaunchError, LaunchOptions, installed};

/// Processes that name a profile or belong to a group, zombies left out.
fn processes(group: u32) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, fields)) = stat.rsplit_once(')') else { continue };
        let fields: Vec<&str> = fields.split_whitespace().collect();
        if fields[0] != "Z" && fields[2] == group.to_string() {
            found.push(stat);
        }
    }
    found
}

/// Profiles whose marker names a process as their owner.
fn profiles(owner: u32) -> Vec<PathBuf> {
    let wanted = format!("\"pid\":{owner},");
    let entries = std::fs::read_dir(std::env::temp_dir()).unwrap().flatten();
    entries
        .map(|entry| entry.path())
        .filter(|path| std::fs::read_to_string(path.join("owner.json")).is_ok_and(|text| text.contains(&wanted)))
        .collect()
}

fn within(limit: Duration, holds: impl Fn() -> bool) {
    let end = Instant::now() + limit;
    while !holds() {
        assert!(Instant::now() < end, "it never held");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_page_opens_and_the_agent_answers_on_both_browsers() {
    block_on(async {
        let server = Server::start(&[("/", "<title>Hello</title><button>Go</button>")]).await;
        for kind in KINDS {
            let browser = launch(kind).await;
            let driver = session(&browser).await;
            let probe = driver.probe(&WindowKey::main()).unwrap();
            probe.open(&server.url("/")).await.unwrap();
            assert_eq!(probe.evaluate("document.title").await.unwrap(), json!("Hello"));
            let walk = probe.agent("wm.walk({hints: []})").await.unwrap();
            assert_eq!(walk["title"], json!("Hello"));
            assert!(probe.evaluate("typeof wm").await.unwrap() == json!("undefined"), "the page sees nothing of it");
            drop(driver);
            browser.close().await;
        }
    });
}

#[test]
fn a_closed_browser_leaves_no_process_and_no_profile() {
    for kind in KINDS {
        block_on(async {
            let browser = launch(kind).await;
            let driver = session(&browser).await;
            let group = browser.pid().unwrap();
            let before: Vec<PathBuf> = profiles(std::process::id());
            assert!(!before.is_empty() && !processes(group).is_empty());
            drop(driver);
            browser.close().await;
            assert_eq!(processes(group), Vec::<String>::new());
            // Another test's browser may be running beside this one.
            assert!(before.iter().any(|path| !path.exists()));
        });
    }
}

#[test]
fn a_closed_browser_leaves_no_task() {
    block_on(async {
        let alive = || Handle::current().metrics().num_alive_tasks();
        let before = alive();
        for closed in [true, false] {
            let browser = launch(BrowserKind::Shell).await;
            let mut driver = session(&browser).await;
            assert!(alive() > before, "somebody reads what the browser says");
            if closed {
                driver.close().await;
                drop(driver);
                browser.close().await;
            } else {
                drop((driver, browser));
            }
            let end = Instant::now() + Duration::from_secs(5);
            while alive() > before {
                assert!(Instant::now() < end, "{} tasks stay for ever, closed: {closed}", alive() - before);
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        }
    });
}

#[test]
fn an_owner_that_is_killed_takes_its_browser_along() {
    for (kind, word) in KINDS.into_iter().zip(["shell", "chromium"]) {
        let ready = std::env::temp_dir().join(format!("waymark-ready-{}-{word}", std::process::id()));
        // Examples are built along with the tests, in the folder beside theirs.
        let program = std::env::current_exe().unwrap().with_file_name("../examples/owner");
        let mut child: Child =
            Command::new(program).arg(word).arg(&ready).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        within(Duration::from_secs(30), || std::fs::read_to_string(&ready).is_ok_and(|text| !text.is_empty()));
        let group: u32 = std::fs::read_to_string(&ready).unwrap().parse().unwrap();
        std::fs::remove_file(&ready).unwrap();
        let owner = child.id();
        assert_eq!(profiles(owner).len(), 1, "a living owner keeps its profile");
        child.kill().unwrap();
        child.wait().unwrap();
        // The browser notices that its pipe closed.
        within(Duration::from_secs(10), || processes(group).is_empty());
        // The next start clears its profile away, this one or that of another test beside it.
        block_on(async {
            let browser = launch(kind).await;
            assert_eq!(profiles(owner).len(), 0);
            assert!(!processes(browser.pid().unwrap()).is_empty());
            browser.close().await;
        });
    }
}

#[test]
fn a_browser_that_somebody_else_runs_is_driven_over_its_web_socket_and_left_running() {
    block_on(async {
        let server = Server::start(&[("/", "<p>Joined</p>")]).await;
        let profile = std::env::temp_dir().join(format!("waymark-other-{}", std::process::id()));
        let path = installed().into_iter().find(|found| found.kind == BrowserKind::Shell).unwrap().path;
        let mut flags = vec!["--remote-debugging-port=0".to_owned(), format!("--user-data-dir={}", profile.display())];
        if rustix::process::getuid().is_root() {
            flags.push("--no-sandbox".into());
        }
        use std::os::unix::process::CommandExt as _;
        let mut other =
            Command::new(path).args(flags).arg("about:blank").stderr(Stdio::null()).process_group(0).spawn().unwrap();
        let file = profile.join("DevToolsActivePort");
        within(Duration::from_secs(30), || std::fs::read_to_string(&file).is_ok_and(|t| t.lines().count() == 2));
        let text = std::fs::read_to_string(&file).unwrap();
        let (port, path) = text.trim().split_once('\n').unwrap();
        let browser = Browser::connect(&format!("ws://127.0.0.1:{port}{path}")).await.unwrap();
        assert!(browser.kind().is_none() && browser.version().contains("Chrome"), "{}", browser.version());
        let mut driver = session(&browser).await;
        driver.probe(&WindowKey::main()).unwrap().open(&server.url("/")).await.unwrap();
        let seen = driver.observe(&Observe::default(), Duration::from_secs(5)).await.unwrap();
        assert!(waymark_snapshot::print(&seen.snapshot).contains("Joined"));
        driver.close().await;
        browser.close().await;
        assert!(other.try_wait().unwrap().is_none(), "it is left running");
        let group = other.id();
        let pid = rustix::process::Pid::from_raw(group.cast_signed()).unwrap();
        rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap();
        other.wait().unwrap();
        within(Duration::from_secs(10), || processes(group).is_empty());
        std::fs::remove_dir_all(profile).unwrap();
    });
}

#[test]
fn a_wrong_program_or_address_is_told_with_the_way_out() {
    block_on(async {
        let missing = LaunchOptions { executable: Some("/nowhere/chromium".into()), ..LaunchOptions::default() };
        let error = Browser::launch(&missing).await.unwrap_err();
        assert!(matches!(error, LaunchError::Executable { .. }), "{error}");
        assert!(error.to_string().contains("check the path"), "{error}");
        let wrong = LaunchOptions { executable: Some("/bin/true".into()), ..LaunchOptions::default() };
        let error = Browser::launch(&wrong).await.unwrap_err();
        assert!(matches!(error, LaunchError::Start { .. }), "{error}");
        let headed = LaunchOptions { kind: BrowserKind::Shell, headed: true, executable: None };
        assert!(matches!(Browser::launch(&headed).await, Err(LaunchError::ShellIsHeadless)));
        let error = Browser::connect("ws://127.0.0.1:9/devtools/browser/x").await.unwrap_err();
        assert!(error.to_string().contains("--remote-debugging-port"), "{error}");
    });
}

#[test]
fn installed_browsers_are_found_with_their_versions() {
    let found = installed();
    assert!(found.iter().any(|f| f.kind == BrowserKind::Shell && f.version.is_some()), "{found:?}");
    assert!(found.iter().any(|f| f.kind == BrowserKind::Chromium && f.version.is_some()), "{found:?}");
}
