//! Browsers start, answer, and leave nothing behind.
#![expect(clippy::unwrap_used, reason = "tests")]

mod common;

use common::{KINDS, Server, block_on, launch, session};
use serde_json::json;
use waymark_snapshot::WindowKey;

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
