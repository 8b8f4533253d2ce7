//! Owns a browser until it is killed, so that a test can see what becomes of the browser then.
//!
//! `owner shell|chromium FILE`: the browser's process group is written to FILE once it is ready.

use std::error::Error;

use waymark_web::{Browser, BrowserKind, LaunchOptions};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(kind), Some(ready)) = (arguments.next(), arguments.next()) else {
        return Err("usage: owner shell|chromium FILE".into());
    };
    let kind = if kind == "shell" { BrowserKind::Shell } else { BrowserKind::Chromium };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let browser = Browser::launch(&LaunchOptions { kind, ..LaunchOptions::default() }).await?;
        std::fs::write(ready, browser.pid().unwrap_or_default().to_string())?;
        std::future::pending::<()>().await;
        browser.close().await;
        Ok(())
    })
}
