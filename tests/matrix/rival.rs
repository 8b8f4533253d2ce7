//! A second client of the browser's protocol: what somebody else does to the page while the engine works.

use std::net::TcpStream;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use serde_json::{Value, json};
use tungstenite::stream::MaybeTlsStream;
use tungstenite::{Message, WebSocket};

const PATIENCE: Duration = Duration::from_secs(3);

pub struct Rival {
    socket: WebSocket<MaybeTlsStream<TcpStream>>,
    next: u64,
}

impl Rival {
    pub fn connect(address: &str) -> Result<Self> {
        let (socket, _) = tungstenite::connect(address).context("the browser cannot be reached")?;
        if let MaybeTlsStream::Plain(stream) = socket.get_ref() {
            stream.set_read_timeout(Some(PATIENCE))?;
        }
        Ok(Rival { socket, next: 0 })
    }

    /// The pages that are open: identifier and address.
    pub fn pages(&mut self) -> Result<Vec<(String, String)>> {
        let answer = self.call(None, "Target.getTargets", json!({}))?;
        let targets = answer["targetInfos"].as_array().context("no targets")?.iter();
        let pages = targets.filter(|target| target["type"] == "page").map(|target| {
            let text = |name: &str| target[name].as_str().unwrap_or_default().to_owned();
            (text("targetId"), text("url"))
        });
        Ok(pages.collect())
    }

    /// A session of this client's own with a page.
    pub fn attach(&mut self, page: &str) -> Result<String> {
        let answer = self.call(None, "Target.attachToTarget", json!({"targetId": page, "flatten": true}))?;
        Ok(answer["sessionId"].as_str().context("no session")?.to_owned())
    }

    /// Calls and waits for the answer.
    pub fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Result<Value> {
        let id = self.send(session, method, params)?;
        loop {
            let message = self.socket.read().with_context(|| format!("no answer to {method}"))?;
            let Message::Text(text) = message else { continue };
            let value: Value = serde_json::from_str(&text)?;
            if value["id"] == id {
                match value.get("error") {
                    Some(error) => bail!("{method}: {error}"),
                    None => return Ok(value["result"].clone()),
                }
            }
        }
    }

    /// Waits until an expression is true of a page.
    pub fn until(&mut self, session: &str, expression: &str) -> Result<()> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            // Between two documents there is none that could answer.
            let answer = self.call(Some(session), "Runtime.evaluate", json!({"expression": expression}));
            if answer.is_ok_and(|answer| answer["result"]["value"] == true) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        bail!("it did not come true: {expression}")
    }

    /// Runs a script that ends the page's process, and waits until it has. `false` where the page went before that.
    pub fn ends(&mut self, session: &str, script: &str) -> Result<bool> {
        self.call(Some(session), "Inspector.enable", json!({}))?;
        let id = self.send(Some(session), "Runtime.evaluate", json!({"expression": script}))?;
        loop {
            let message = self.socket.read().context("the page did not end")?;
            let Message::Text(text) = message else { continue };
            let value: Value = serde_json::from_str(&text)?;
            if value["method"] == "Inspector.targetCrashed" {
                return Ok(true);
            }
            // A page that is left takes the script with it.
            if value["id"] == id {
                return Ok(false);
            }
        }
    }

    /// Calls without waiting: what blocks the page never answers.
    pub fn send(&mut self, session: Option<&str>, method: &str, params: Value) -> Result<u64> {
        self.next += 1;
        let mut message = json!({"id": self.next, "method": method, "params": params});
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.socket.send(Message::text(message.to_string()))?;
        Ok(self.next)
    }

    /// Runs a script in the page as if a person had asked for it, without waiting for its end.
    pub fn script(&mut self, session: &str, script: &str) -> Result<()> {
        let params = json!({"expression": script, "userGesture": true});
        self.send(Some(session), "Runtime.evaluate", params).map(drop)
    }
}
