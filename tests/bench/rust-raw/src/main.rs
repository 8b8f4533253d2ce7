//! The floor: the job by trusted input with a hit test and a read-back for each step, over the plain protocol, blocking
//! and with one thread; no policy, no settling, no journal. `rust-raw --ws ADDRESS [--base URL] [--n 5] [--warmup 1]`.

use serde_json::{Value, json};
use std::{
    collections::HashMap,
    env, fs,
    net::TcpStream,
    time::{Duration, Instant},
};
use tungstenite::{Message, WebSocket};
const AGENT: &str = include_str!("agent.js");
/// One connection and the page it drives.
struct Client {
    ws: WebSocket<TcpStream>,
    id: u64,
    s: String,
    ctx: HashMap<String, i64>,
    main: Option<String>,
    wake: bool,
    resp: HashMap<u64, Value>,
    steps: Vec<f64>,
}

impl Client {
    fn post(&mut self, m: &str, p: Value, sess: bool) -> u64 {
        self.id += 1;
        let mut v = json!({"id":self.id,"method":m,"params":p});
        if sess {
            v["sessionId"] = json!(self.s);
        }
        self.ws.send(Message::text(v.to_string())).unwrap();
        self.id
    }
    fn pump(&mut self, d: Option<Duration>) -> bool {
        self.ws.get_ref().set_read_timeout(d).unwrap();
        match self.ws.read() {
            Ok(Message::Text(t)) => {
                let v: Value = serde_json::from_str(&t).unwrap();
                if let Some(i) = v["id"].as_u64() {
                    self.resp.insert(i, v);
                } else {
                    self.event(v)
                }
                true
            }
            Ok(_) => true,
            Err(tungstenite::Error::Io(_)) => false,
            Err(e) => panic!("{e}"),
        }
    }
    fn event(&mut self, v: Value) {
        if v["sessionId"].as_str() != Some(&self.s) {
            return;
        }
        let p = &v["params"];
        match v["method"].as_str().unwrap_or("") {
            "Runtime.executionContextCreated" => {
                if p["context"]["name"] == "cap" {
                    self.ctx.insert(
                        p["context"]["auxData"]["frameId"].as_str().unwrap().into(),
                        p["context"]["id"].as_i64().unwrap(),
                    );
                }
                self.wake = true
            }
            "Runtime.executionContextsCleared" => self.ctx.clear(),
            "Runtime.executionContextDestroyed" => {
                let i = p["executionContextId"].as_i64().unwrap();
                self.ctx.retain(|_, v| *v != i)
            }
            "Page.frameNavigated" => {
                if p["frame"]["name"] == "main" {
                    self.main = Some(p["frame"]["id"].as_str().unwrap().into())
                }
            }
            "Page.lifecycleEvent" | "Page.frameStoppedLoading" => self.wake = true,
            _ => {}
        }
    }
    fn get(&mut self, id: u64) -> Value {
        loop {
            if let Some(v) = self.resp.remove(&id) {
                return v;
            }
            self.pump(Some(Duration::from_secs(20)));
        }
    }
    fn call(&mut self, m: &str, p: Value, sess: bool) -> Value {
        let i = self.post(m, p, sess);
        let v = self.get(i);
        v["result"].clone()
    }
    fn ev(&mut self, e: &str) -> Option<Value> {
        let c = *self.ctx.get(self.main.as_ref()?)?;
        let i = self.post("Runtime.evaluate", json!({"expression":e,"contextId":c,"returnByValue":true}), true);
        let v = self.get(i);
        if v.get("error").is_some() || v["result"].get("exceptionDetails").is_some() {
            return None;
        }
        Some(v["result"]["result"]["value"].clone())
    }
    fn until(&mut self, e: &str, ok: impl Fn(&Value) -> bool) -> Value {
        let t = Instant::now();
        loop {
            self.wake = false;
            if let Some(v) = self.ev(e) {
                if ok(&v) {
                    return v;
                }
            }
            assert!(t.elapsed().as_secs() < 10, "timeout {e}");
            let w = Instant::now();
            while !self.wake {
                let left = Duration::from_millis(15).saturating_sub(w.elapsed());
                if left.is_zero() || !self.pump(Some(left)) {
                    break;
                }
            }
        }
    }
    fn point(&mut self, r: &str, n: &str) -> Value {
        self.until(&format!("__cap.point('{r}','{n}')"), |v| v["n"] == 1 && v["hit"] == true)
    }
    fn click(&mut self, r: &str, n: &str) {
        let p = self.point(r, n);
        let (x, y) = (p["x"].clone(), p["y"].clone());
        let a = self.post("Input.dispatchMouseEvent", json!({"type":"mouseMoved","x":x,"y":y}), true);
        let b = self.post(
            "Input.dispatchMouseEvent",
            json!({"type":"mousePressed","x":x,"y":y,"button":"left","clickCount":1}),
            true,
        );
        let c = self.post(
            "Input.dispatchMouseEvent",
            json!({"type":"mouseReleased","x":x,"y":y,"button":"left","clickCount":1}),
            true,
        );
        self.get(a);
        self.get(b);
        self.get(c);
    }
    fn typ(&mut self, r: &str, n: &str, t: &str) {
        self.point(r, n);
        self.call("Input.insertText", json!({"text":t}), true);
        let e = format!("__cap.find('{r}','{n}')[0]?.value");
        self.until(&e, |v| v == t);
    }
    fn read(&mut self, e: &str) -> String {
        self.until(e, |v| v.as_str().is_some_and(|s| !s.is_empty())).as_str().unwrap().into()
    }
    fn job(&mut self, base: &str) {
        let b = self.call("Target.createBrowserContext", json!({}), false)["browserContextId"].clone();
        let t = self.call("Target.createTarget", json!({"url":"about:blank","browserContextId":b}), false)["targetId"]
            .clone();
        self.s = self.call("Target.attachToTarget", json!({"targetId":t,"flatten":true}), false)["sessionId"]
            .as_str()
            .unwrap()
            .into();
        self.ctx.clear();
        self.main = None;
        let t0 = Instant::now();
        let ids = [
            self.post("Page.enable", json!({}), true),
            self.post("Page.setLifecycleEventsEnabled", json!({"enabled":true}), true),
            self.post("Runtime.enable", json!({}), true),
            self.post(
                "Page.addScriptToEvaluateOnNewDocument",
                json!({"source":AGENT,"worldName":"cap","runImmediately":true}),
                true,
            ),
        ];
        for i in ids {
            self.get(i);
        }
        self.call("Page.navigate", json!({"url":base}), true);
        self.typ("textbox", "USER ID", "teller1");
        self.typ("textbox", "PASSWORD", "demo123");
        self.click("button", "Log In");
        self.until("__cap.text('Accounts Overview')", |v| v == true);
        let mut rows = vec![];
        for i in 1..=3 {
            rows.push((self.read(&format!("__cap.cell(1,{i},0)")), self.read(&format!("__cap.cell(1,{i},2)"))));
        }
        self.click("link", "12345");
        let o = self.read("__cap.beside('DATE OPENED')");
        self.click("link", "Back to Accounts");
        self.until("__cap.text('Accounts Overview')", |v| v == true);
        assert!(rows[0] == ("12345".into(), "$1000.50".into()) && o.contains("/15/200"));
        self.steps.push((t0.elapsed().as_secs_f64() * 1e5).round() / 100.0);
        self.call("Target.closeTarget", json!({"targetId":t}), false);
        self.call("Target.disposeBrowserContext", json!({"browserContextId":b}), false);
    }
}

/// Processor time in milliseconds and peak memory in megabytes of this process.
fn cost() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").unwrap();
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
    let ticks: f64 = fields[11].parse::<f64>().unwrap() + fields[12].parse::<f64>().unwrap();
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    (ticks * 10.0, peak.trim().trim_end_matches(" kB").parse::<f64>().unwrap() / 1024.0)
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

fn main() {
    let words: Vec<String> = env::args().collect();
    let given = |name: &str, otherwise: &str| {
        words.iter().position(|word| word == name).map_or(otherwise.to_owned(), |at| words[at + 1].clone())
    };
    let (address, base) = (given("--ws", ""), given("--base", "http://127.0.0.1:4780/"));
    let (runs, warm_up): (usize, usize) = (given("--n", "5").parse().unwrap(), given("--warmup", "1").parse().unwrap());
    let connecting = Instant::now();
    let host = address.trim_start_matches("ws://").split('/').next().unwrap();
    let tcp = TcpStream::connect(host).unwrap();
    tcp.set_nodelay(true).unwrap();
    let (ws, _) = tungstenite::client(&address, tcp).unwrap();
    let connect_ms = connecting.elapsed().as_secs_f64() * 1e3;
    let mut client = Client {
        ws,
        id: 0,
        s: String::new(),
        ctx: HashMap::new(),
        main: None,
        wake: false,
        resp: HashMap::new(),
        steps: vec![],
    };
    for _ in 0..warm_up {
        client.job(&base);
    }
    let (cpu_before, _) = cost();
    let mut wall = vec![];
    for _ in 0..runs {
        let began = Instant::now();
        client.job(&base);
        wall.push(rounded(began.elapsed().as_secs_f64() * 1e3));
    }
    let (cpu, peak) = cost();
    println!(
        "{}",
        json!({
            "client": "rust-raw", "n": runs, "wall": wall, "steps": client.steps[warm_up..].to_vec(),
            "cpuMsPerJob": rounded((cpu - cpu_before) / runs as f64), "maxRssMb": rounded(peak),
            "connectMs": rounded(connect_ms), "importMs": 0, "processCpuMs": cpu,
        })
    );
}
