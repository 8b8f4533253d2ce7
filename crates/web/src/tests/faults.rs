use std::time::{Duration, Instant};

use waymark_snapshot::{NodeId, Role, WindowKey};
use waymark_surface::{
    Act, Delivery, Driver as _, DriverError, Fact, FrameQuery, NotDelivered, Observe, PictureRequest, Settling, Until,
};

use super::{SOON, Tab, both, delivered, find, has_text};
use crate::common::Answer;

const SHORT: Duration = Duration::from_millis(700);

/// Nothing answers: a look says so, a click is proven not delivered, a picture fails, each within its deadline.
async fn stuck(tab: &mut Tab, node: NodeId) {
    let began = Instant::now();
    let seen = tab.see(Until::Now, SHORT).await.unwrap();
    assert!(began.elapsed() < SHORT * 2);
    assert_eq!((seen.settling, seen.snapshot.scopes()[0].readable), (Settling::Unreadable, false));
    let began = Instant::now();
    let act = tab.driver.core.perform(&Act::Click { node }, SHORT).await;
    assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Timeout { .. }))), "{act:?}");
    assert!(began.elapsed() < SHORT * 2);
    let began = Instant::now();
    let picture = tab
        .driver
        .picture(
            &PictureRequest { window: WindowKey::main(), hidden: std::sync::Arc::new(super::seeing::Named("nobody")) },
            SHORT,
        )
        .await;
    assert!(matches!(picture, Err(DriverError::Timeout { deadline_ms: 700, .. })), "{picture:?}");
    assert!(began.elapsed() < SHORT * 2);
}

/// Sends a signal to the processes of this browser that show pages; how many they are.
fn signal_renderers(tab: &Tab, signal: rustix::process::Signal) -> usize {
    let group = tab.browser.pid().unwrap().to_string();
    let mut found = 0;
    for entry in std::fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = std::fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((head, fields)) = stat.rsplit_once(')') else { continue };
        let command = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        if fields.split_whitespace().nth(2) != Some(group.as_str()) || !command.contains("--type=renderer") {
            continue;
        }
        let pid = head.split(' ').next().unwrap().parse().unwrap();
        rustix::process::kill_process(rustix::process::Pid::from_raw(pid).unwrap(), signal).unwrap();
        found += 1;
    }
    assert!(found > 0, "no process shows a page");
    found
}

both! {
    a_killed_browser_ends_every_call_at_once(tab) {
        let seen = tab.page("<button>Go</button>").await;
        let node = find(&seen, &Role::Button, "Go");
        let pid = rustix::process::Pid::from_raw(tab.browser.pid().unwrap().cast_signed()).unwrap();
        let began = Instant::now();
        let mut waiting = None;
        tokio::join!(
            async { waiting = Some(tab.see(Until::Change { after: seen.number + 1 }, Duration::from_secs(60)).await) },
            async { rustix::process::kill_process_group(pid, rustix::process::Signal::KILL).unwrap(); }
        );
        // The first look may still be answered; the one after it is not.
        if let Some(Ok(_)) = waiting {
            waiting = Some(tab.see(Until::Change { after: u64::MAX - 1 }, SOON).await);
        }
        let mut end = waiting.unwrap();
        while end.is_ok() {
            end = tab.see(Until::Now, SOON).await;
        }
        assert!(matches!(end, Err(DriverError::Gone { .. })), "{end:?}");
        assert!(began.elapsed() < SOON);
        let act = tab.act(Act::Click { node }).await;
        assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Gone { .. }))), "{act:?}");
    }

    a_crashed_window_is_told_and_can_be_opened_anew(tab) {
        let seen = tab.page("<button>Go</button>").await;
        let node = find(&seen, &Role::Button, "Go");
        let probe = tab.driver.probe(&WindowKey::main()).unwrap();
        let _ = tokio::time::timeout(Duration::from_secs(3), probe.call("Page.crash", serde_json::json!({}))).await;
        let seen = tab.until(|seen| seen.facts.contains(&Fact::Crashed { window: WindowKey::main() })).await;
        assert_eq!(seen.settling, Settling::Unreadable);
        assert!(!seen.snapshot.scopes()[0].readable);
        let act = tab.act(Act::Click { node }).await;
        assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Crashed { .. }))), "{act:?}");
        let seen = tab.page("<p>Back</p>").await;
        assert!(has_text("Back")(&seen));
    }

    a_page_that_loops_does_not_hold_a_look_beyond_its_deadline(tab) {
        let seen = tab.page("<button onclick=\"setTimeout(()=>{const t=Date.now();while(Date.now()-t<4000);r.textContent='free'},50)\">Loop</button><p id=r>idle</p>").await;
        let node = find(&seen, &Role::Button, "Loop");
        assert_eq!(tab.click(Role::Button, "Loop").await, delivered());
        tokio::time::sleep(Duration::from_millis(150)).await;
        let began = Instant::now();
        let seen = tab.see(Until::Now, SHORT).await.unwrap();
        assert!(began.elapsed() < SHORT * 2);
        assert_eq!((seen.settling, seen.snapshot.scopes()[0].readable), (Settling::Unreadable, false));
        let began = Instant::now();
        let act = tab.driver.core.perform(&Act::Click { node }, SHORT).await;
        assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Timeout { deadline_ms: 700, .. }))), "{act:?}");
        assert!(began.elapsed() < SHORT * 2);
        // The page comes back by itself; nothing of ours ended its script.
        tab.until(has_text("free")).await;
    }

    a_page_that_loops_for_ever_ends_every_call_in_time_and_can_be_left(tab) {
        let seen = tab.page("<button onclick=\"setTimeout(()=>{for(;;);},50)\">Loop</button>").await;
        let node = find(&seen, &Role::Button, "Loop");
        assert_eq!(tab.click(Role::Button, "Loop").await, delivered());
        tokio::time::sleep(Duration::from_millis(150)).await;
        stuck(tab, node).await;
        let seen = tab.page("<p>Back</p>").await;
        assert!(has_text("Back")(&seen));
    }

    a_frozen_process_ends_every_call_in_time_and_may_come_back(tab) {
        let seen = tab.page("<button>Go</button>").await;
        let node = find(&seen, &Role::Button, "Go");
        let stopped = signal_renderers(tab, rustix::process::Signal::STOP);
        // What was seen a moment ago still counts as seen.
        tokio::time::sleep(Duration::from_millis(20)).await;
        stuck(tab, node.clone()).await;
        assert_eq!(signal_renderers(tab, rustix::process::Signal::CONT), stopped);
        tab.until(|seen| seen.snapshot.scopes()[0].readable).await;
        assert_eq!(tab.act(Act::Click { node }).await, delivered());
    }

    a_killed_content_process_is_a_crash_and_the_window_can_be_opened_anew(tab) {
        let seen = tab.page("<button>Go</button>").await;
        let node = find(&seen, &Role::Button, "Go");
        let began = Instant::now();
        signal_renderers(tab, rustix::process::Signal::KILL);
        let seen = tab.until(|seen| seen.facts.contains(&Fact::Crashed { window: WindowKey::main() })).await;
        assert_eq!((seen.settling, seen.snapshot.scopes()[0].readable), (Settling::Unreadable, false));
        let act = tab.act(Act::Click { node }).await;
        assert!(matches!(act, Delivery::NotDelivered(NotDelivered::Failed(DriverError::Crashed { .. }))), "{act:?}");
        let picture = tab.driver.picture(&PictureRequest { window: WindowKey::main(), hidden: std::sync::Arc::new(super::seeing::Named("nobody")) }, SOON).await;
        assert!(matches!(picture, Err(DriverError::Crashed { .. })), "{picture:?}");
        assert!(began.elapsed() < SOON);
        let seen = tab.page("<p>Back</p>").await;
        assert!(has_text("Back")(&seen));
    }

    a_window_that_somebody_else_closes_ends_what_waits_for_it(tab) {
        let seen = tab.page("<button>Go</button>").await;
        let node = find(&seen, &Role::Button, "Go");
        let probe = tab.driver.probe(&WindowKey::main()).unwrap();
        let began = Instant::now();
        let _ = probe.call("Page.close", serde_json::json!({})).await;
        let seen = tab.until(|seen| seen.facts.contains(&Fact::WindowClosed { window: WindowKey::main() })).await;
        assert!(seen.windows.is_empty());
        let act = tab.act(Act::Click { node }).await;
        assert!(matches!(act, Delivery::NotDelivered(_)), "{act:?}");
        let end = tab.see(Until::Now, SOON).await;
        assert!(matches!(end, Err(DriverError::WindowClosed { .. })), "{end:?}");
        assert!(began.elapsed() < SOON);
    }

    a_server_that_never_answers_ends_with_the_deadline(tab) {
        tab.server.answer("/never", Answer::Never);
        let began = Instant::now();
        let open = Act::Open { window: WindowKey::main(), location: tab.server.url("/never") };
        let act = tab.driver.core.perform(&open, SHORT).await;
        assert!(matches!(act, Delivery::Unknown(DriverError::Timeout { .. })), "{act:?}");
        assert!(began.elapsed() < SHORT * 2);
        assert_eq!(tab.look().await.settling, Settling::Navigating);
    }

    one_hung_frame_does_not_hide_the_others(tab) {
        tab.server.answer("/never", Answer::Never);
        tab.server.answer("/page", Answer::Page("<p>Here</p><iframe src='/never' name=slow></iframe>".into()));
        let act = Act::Open { window: WindowKey::main(), location: tab.server.url("/page") };
        assert_eq!(tab.act(act).await, delivered());
        tab.until(has_text("Here")).await;
        // Over all frames there is no rest, over the window's own content there is.
        let own = Observe { watch: vec![FrameQuery::default()], ..Observe::default() };
        let began = Instant::now();
        let mut seen = tab.driver.observe(&own, SOON).await.unwrap();
        while seen.settling != Settling::Settled {
            assert!(began.elapsed() < SOON, "{:?}", seen.settling);
            seen = tab.driver.observe(&Observe { until: Until::Change { after: seen.number }, ..own.clone() }, SOON).await.unwrap();
        }
        assert_eq!(tab.look().await.settling, Settling::Navigating);
    }
}
