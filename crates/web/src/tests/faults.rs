use std::time::{Duration, Instant};

use waymark_snapshot::{Role, WindowKey};
use waymark_surface::{
    Act, Delivery, Driver as _, DriverError, Fact, FrameQuery, NotDelivered, Observe, Settling, Until,
};

use super::{SOON, both, delivered, find, has_text};
use crate::common::Answer;

const SHORT: Duration = Duration::from_millis(700);

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
