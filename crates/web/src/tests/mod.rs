//! Behaviour against real browsers: each test runs on the headless shell and on Chromium.
#![expect(clippy::unwrap_used, reason = "tests")]

mod acting;
mod events;
mod extreme;
mod faults;
mod seeing;
mod wire;

use std::time::Duration;

use waymark_snapshot::{NodeId, Role, WindowKey, print};
use waymark_surface::{Act, Delivery, Driver as _, DriverError, Fact, Observation, Observe, Settling, Until};

use crate::common::{Server, block_on, launch, session};
use crate::{Browser, BrowserKind, SessionOptions, WebDriver};

/// Two tests out of one body.
macro_rules! both {
    ($($name:ident($tab:ident) $body:block)+) => { $(
        async fn $name($tab: &mut crate::tests::Tab) $body

        mod $name {
            #[test]
            fn in_the_shell() {
                crate::tests::with_tab(crate::BrowserKind::Shell, async |tab: &mut crate::tests::Tab| super::$name(tab).await);
            }

            #[test]
            fn in_chromium() {
                crate::tests::with_tab(crate::BrowserKind::Chromium, async |tab: &mut crate::tests::Tab| super::$name(tab).await);
            }
        }
    )+ };
}
pub(crate) use both;

pub(crate) const SOON: Duration = Duration::from_secs(5);

/// One session with a server for its pages.
pub(crate) struct Tab {
    pub(crate) server: Server,
    pub(crate) driver: WebDriver,
    pub(crate) browser: Browser,
    pub(crate) facts: Vec<Fact>,
    last: u64,
}

pub(crate) fn with_tab(kind: BrowserKind, body: impl AsyncFnOnce(&mut Tab)) {
    block_on(async {
        let server = Server::start(&[]).await;
        let browser = launch(kind).await;
        let driver = session(&browser).await;
        let mut tab = Tab { server, driver, browser, facts: Vec::new(), last: 0 };
        body(&mut tab).await;
        let Tab { mut driver, browser, .. } = tab;
        driver.close().await;
        browser.close().await;
    });
}

impl Tab {
    /// Another session in place of the present one.
    pub(crate) async fn restart(&mut self, options: SessionOptions) {
        self.driver = self.browser.session(options).await.unwrap();
        self.last = 0;
    }

    pub(crate) async fn act(&mut self, act: Act) -> Delivery {
        self.driver.core.perform(&act, SOON).await
    }

    pub(crate) async fn look(&mut self) -> Observation {
        self.see(Until::Now, SOON).await.unwrap()
    }

    pub(crate) async fn see(&mut self, until: Until, deadline: Duration) -> Result<Observation, DriverError> {
        let seen = self.driver.observe(&Observe { until, ..Observe::default() }, deadline).await?;
        self.last = seen.number;
        self.facts.extend(seen.facts.clone());
        Ok(seen)
    }

    /// Looks until the predicate holds, driven by changes alone.
    pub(crate) async fn until(&mut self, holds: impl Fn(&Observation) -> bool) -> Observation {
        let mut seen = self.look().await;
        let end = tokio::time::Instant::now() + SOON;
        while !holds(&seen) {
            assert!(
                tokio::time::Instant::now() < end,
                "it never held:\n{}\n{:?} {:?}",
                print(&seen.snapshot),
                seen.settling,
                self.facts
            );
            seen = self.see(Until::Change { after: self.last }, SOON).await.unwrap();
        }
        seen
    }

    pub(crate) async fn settled(&mut self) -> Observation {
        self.until(|seen| seen.settling == Settling::Settled).await
    }

    /// Opens a page and waits until it has settled.
    pub(crate) async fn open(&mut self, location: &str) -> Observation {
        let act = Act::Open { window: WindowKey::main(), location: location.to_owned() };
        assert_eq!(self.act(act).await, Delivery::Delivered { read_back: None });
        self.settled().await
    }

    /// Serves one page and opens it.
    pub(crate) async fn page(&mut self, body: &str) -> Observation {
        self.server.answer("/page", crate::common::Answer::Page(body.to_owned()));
        self.open(&self.server.url("/page")).await
    }

    pub(crate) async fn click(&mut self, role: Role, name: &str) -> Delivery {
        let node = find(&self.look().await, &role, name);
        self.act(Act::Click { node }).await
    }
}

/// The one node with role and name.
pub(crate) fn find(seen: &Observation, role: &Role, name: &str) -> NodeId {
    let found: Vec<_> =
        seen.snapshot.nodes().iter().filter(|node| node.role == *role && node.name.trim() == name).collect();
    assert_eq!(found.len(), 1, "{role} {name:?} in\n{}", print(&seen.snapshot));
    found[0].id.clone()
}

/// All visible text, one line a leaf.
pub(crate) fn text(seen: &Observation) -> String {
    let leaves = seen.snapshot.nodes().iter().filter(|node| node.role == Role::Text);
    leaves.map(|node| node.name.trim()).collect::<Vec<_>>().join("\n")
}

pub(crate) fn has_text(wanted: &str) -> impl Fn(&Observation) -> bool + '_ {
    move |seen| text(seen).lines().any(|line| line == wanted)
}

pub(crate) fn delivered() -> Delivery {
    Delivery::Delivered { read_back: None }
}
