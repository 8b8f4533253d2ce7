//! A browser behind a wire on which what the engine says is counted.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, TcpListener, TcpStream};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

type Calls = Arc<Mutex<BTreeMap<String, u64>>>;

pub struct Browser {
    child: Child,
    address: String,
    calls: Calls,
    _profile: tempfile::TempDir,
}

impl Browser {
    pub fn start() -> Self {
        let programs = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];
        let program = programs.iter().find(|path| Path::new(path).exists()).unwrap();
        let profile = tempfile::tempdir().unwrap();
        let mut child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--remote-debugging-port=0", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-gpu"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            // What is started may be a script in front of the browser: they go together.
            .process_group(0)
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map_while(Result::ok);
        let told = lines.find_map(|line| Some(line[line.find("ws://")?..].trim().to_owned())).unwrap();
        // Its further output is read so that it is never blocked by a full pipe.
        thread::spawn(move || lines.for_each(drop));
        let (host, path) = told.trim_start_matches("ws://").split_once('/').unwrap();
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = format!("ws://{}/{path}", listener.local_addr().unwrap());
        let calls = Calls::default();
        let (host, counted) = (host.to_owned(), calls.clone());
        thread::spawn(move || {
            for engine in listener.incoming().flatten() {
                let Ok(browser) = TcpStream::connect(&host) else { break };
                let (up, far, calls) = (engine.try_clone().unwrap(), browser.try_clone().unwrap(), counted.clone());
                thread::spawn(move || count(up, far, &calls));
                thread::spawn(move || pass(browser, engine));
            }
        });
        Browser { child, address, calls, _profile: profile }
    }

    pub fn address(&self) -> String {
        self.address.clone()
    }

    /// The calls since this was asked last, by method.
    pub fn calls(&self) -> BTreeMap<String, u64> {
        std::mem::take(&mut self.calls.lock().unwrap())
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status());
        drop(self.child.wait());
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream) {
    let mut buffer = [0; 64 * 1024];
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// Passes on what the engine says, and counts its calls: after the hand shake masked frames, RFC 6455.
fn count(mut from: TcpStream, mut to: TcpStream, calls: &Calls) {
    let mut buffer = [0; 64 * 1024];
    let (mut held, mut shaken) = (Vec::new(), false);
    while let Ok(length @ 1..) = from.read(&mut buffer) {
        held.extend_from_slice(&buffer[..length]);
        if !shaken && let Some(end) = held.windows(4).position(|four| four == b"\r\n\r\n") {
            held.drain(..end + 4);
            shaken = true;
        }
        while shaken && let Some((text, taken)) = frame(&held) {
            held.drain(..taken);
            let message: serde_json::Value = serde_json::from_slice(&text).unwrap_or_default();
            if let Some(method) = message["method"].as_str() {
                *calls.lock().unwrap().entry(method.to_owned()).or_default() += 1;
            }
        }
        if to.write_all(&buffer[..length]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

/// The first frame of the bytes, unmasked, and how long it was on the wire; none where it is not whole yet.
fn frame(bytes: &[u8]) -> Option<(Vec<u8>, usize)> {
    let (head, length) = match bytes.get(1)? & 0x7f {
        126 => (4, usize::from(u16::from_be_bytes(bytes.get(2..4)?.try_into().ok()?))),
        127 => (10, usize::try_from(u64::from_be_bytes(bytes.get(2..10)?.try_into().ok()?)).ok()?),
        short => (2, usize::from(short)),
    };
    let mask = bytes.get(head..head + 4)?;
    let masked = bytes.get(head + 4..head + 4 + length)?;
    let text = masked.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key).collect();
    Some((text, head + 4 + length))
}
