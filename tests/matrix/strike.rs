//! Carrying out what a fault says.

use anyhow::{Context as _, Result, bail};
use serde_json::json;

use crate::cell::Driver;
use crate::leftovers::below;
use crate::relay::{Mood, Relay};
use crate::rival::Rival;

/// What a driver's fault can lay its hands on.
pub struct Hands<'a> {
    /// The browser that the engine reaches over the relay, where it does.
    pub far: Option<(&'a Relay, &'a str)>,
    /// Pages that were there before the run.
    pub before: &'a [String],
    /// The address of the application.
    pub application: &'a str,
}

/// Each control is another element afterwards, with the same look, place and value.
const TWINS: &str = "for (const old of document.querySelectorAll('a, input, select, button')) { \
     const twin = old.cloneNode(true); old.replaceWith(twin); if ('value' in old) twin.value = old.value; }";

/// Strikes. Without a page yet to be struck it is not done: `false`.
pub fn strike(driver: Driver, hands: &Hands<'_>) -> Result<bool> {
    match driver {
        Driver::KillBrowser => return kill("-KILL", |command| !command.is_empty()),
        Driver::KillRenderer => return kill("-KILL", |command| command.contains("--type=renderer")),
        Driver::StopRenderer => return kill("-STOP", |command| command.contains("--type=renderer")),
        _ => {}
    }
    let (relay, address) = hands.far.context("there is no relay")?;
    match driver {
        Driver::Cut => {
            relay.cut();
            return Ok(true);
        }
        Driver::Stall => {
            relay.be(Mood::Silent);
            return Ok(true);
        }
        Driver::Delay => {
            relay.be(Mood::Late);
            return Ok(true);
        }
        _ => {}
    }
    let mut rival = Rival::connect(address)?;
    let pages = rival.pages()?;
    let Some((page, _)) = pages.into_iter().find(|(id, _)| !hands.before.contains(id)) else { return Ok(false) };
    let session = rival.attach(&page)?;
    let go = |path: &str| json!({"url": format!("{}{path}", hands.application)});
    match driver {
        Driver::Crash => rival.send(Some(&session), "Page.crash", json!({})).map(drop)?,
        Driver::Loop => rival.script(&session, "for (;;);")?,
        Driver::Alert => rival.script(&session, "alert('Nobody declared this.')")?,
        Driver::Confirm => rival.script(&session, "confirm('Nobody declared this.')")?,
        Driver::Prompt => rival.script(&session, "prompt('Nobody declared this.')")?,
        Driver::BeforeUnload => rival.script(&session, "addEventListener('beforeunload', e => { e.preventDefault(); e.returnValue = 'x' })")?,
        Driver::Window => rival.script(&session, "open('about.htm', 'undeclared', 'width=200,height=200')")?,
        Driver::Download => rival.script(&session, "let a = document.createElement('a'); a.href = 'data:application/octet-stream,x'; a.download = 'x.bin'; a.click()")?,
        Driver::FileChooser => rival.script(&session, "let f = document.createElement('input'); f.type = 'file'; f.click()")?,
        Driver::Print => rival.script(&session, "print()")?,
        Driver::Close => rival.send(None, "Target.closeTarget", json!({"targetId": page})).map(drop)?,
        Driver::Elsewhere => rival.send(Some(&session), "Page.navigate", go("/about.htm")).map(drop)?,
        Driver::OffLimits => rival.send(Some(&session), "Page.navigate", go("/admin.htm")).map(drop)?,
        Driver::Cover => rival.script(&session, "let d = document.createElement('div'); d.style.cssText = 'position:fixed;inset:0;z-index:99999;background:#ccc'; d.id = 'cover'; document.documentElement.append(d)")?,
        Driver::Move => rival.script(&session, "document.documentElement.style.paddingTop = '137px'; document.documentElement.style.paddingLeft = '61px'")?,
        Driver::OutOfMemory => return rival.ends(&session, "for (let all = [];;) all.push(new Array(100000).fill(all.length + 0.5))"),
        // Both are over before the engine goes on.
        Driver::Replace => rival.call(Some(&session), "Runtime.evaluate", json!({"expression": TWINS})).map(drop)?,
        Driver::Reload => {
            rival.call(Some(&session), "Runtime.evaluate", json!({"expression": "globalThis.theOld = true"}))?;
            rival.call(Some(&session), "Page.reload", json!({}))?;
            rival.until(&session, "globalThis.theOld !== true && document.readyState === 'complete'")?;
        }
        Driver::KillBrowser | Driver::KillRenderer | Driver::StopRenderer | Driver::Cut | Driver::Stall | Driver::Delay => bail!("not of a page"),
    }
    // Calls are carried out in order, so an answer of the browser itself says that the page's call was received.
    rival.call(None, "Browser.getVersion", json!({}))?;
    Ok(true)
}

/// Sends a signal to those processes of the engine's browser that fit.
fn kill(signal: &str, fits: impl Fn(&str) -> bool) -> Result<bool> {
    let all = below(std::process::id());
    let hit: Vec<String> = all
        .iter()
        .filter(|(_, command)| command.contains("--remote-debugging-pipe") || command.contains("--type="))
        .filter(|(_, command)| fits(command))
        .map(|(id, _)| id.to_string())
        .collect();
    if hit.is_empty() {
        return Ok(false);
    }
    // One that has ended meanwhile is no fault of the harness.
    let mut command = std::process::Command::new("kill");
    command.arg(signal).arg("--").args(&hit).stderr(std::process::Stdio::null()).status()?;
    Ok(true)
}
