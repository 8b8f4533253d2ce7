//! A browser that is kept warm from run to run. The engine reaches it like one that somebody else started, and makes a
//! context of its own for each run.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use waymark_web::{BrowserKind, Found, installed};

use crate::EvalError;

pub(crate) struct Browser {
    child: Child,
    address: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// One with or without a window.
    pub(crate) fn open(headed: bool) -> Result<Self, EvalError> {
        let program = program(headed).ok_or_else(|| EvalError::World("there is no browser".to_owned()))?;
        let profile = tempfile::Builder::new().prefix("eval-profile-").tempdir();
        let profile = profile.map_err(EvalError::io(Path::new("a profile")))?;
        // The shell ends its group when the pipe from here closes, however this process ends; the browser has no other
        // owner.
        let mut child = Command::new("/bin/sh")
            .args(["-c", r#""$@" </dev/null & exec 2>/dev/null; read -r _; kill -KILL 0"#, "sh"])
            .arg(&program)
            .args((!headed).then_some("--headless"))
            .args(["--no-sandbox", "--remote-debugging-port=0", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--disable-hang-monitor", "--disable-gpu"])
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .map_err(EvalError::io(&program))?;
        let Some(output) = child.stderr.take() else { return Err(EvalError::World("a browser without output".into())) };
        let mut lines = BufReader::new(output).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let at = line.find("ws://")?;
            Some(line[at..].trim().to_owned())
        });
        // Its further output is read so that it is never blocked by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let browser = Browser { child, address: address.unwrap_or_default(), _profile: profile };
        if browser.address.is_empty() {
            return Err(EvalError::World("the browser says no address".to_owned()));
        }
        Ok(browser)
    }

    pub(crate) fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        drop(self.child.wait());
    }
}

/// The program that is used: of those that the engine would find, the first.
pub(crate) fn program(headed: bool) -> Option<PathBuf> {
    let fits = |found: &Found| !headed || found.kind == BrowserKind::Chromium;
    installed().into_iter().find(fits).map(|found| found.path)
}
