//! A browser of the harness, which the engine reaches over its web socket like one that somebody else runs.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};

const PROGRAMS: [&str; 2] = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium"];

pub struct Browser {
    child: Child,
    address: String,
    _profile: tempfile::TempDir,
}

impl Browser {
    /// With more arguments, where a run needs them.
    pub fn start(more: &[&str]) -> Result<Self> {
        let program = PROGRAMS.iter().find(|path| Path::new(path).exists()).context("there is no browser")?;
        let profile = tempfile::Builder::new().prefix("rival-profile-").tempdir()?;
        let mut child = Command::new(program)
            .args(["--headless", "--no-sandbox", "--remote-debugging-port=0", "--disable-quic", "--no-first-run"])
            .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
            .args(["--disable-dev-shm-usage", "--disable-hang-monitor", "--disable-gpu"])
            .args(more)
            .arg(format!("--user-data-dir={}", profile.path().display()))
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()
            .with_context(|| (*program).to_owned())?;
        let mut lines = BufReader::new(child.stderr.take().context("no output")?).lines();
        let address = lines.by_ref().map_while(Result::ok).find_map(|line| {
            let at = line.find("ws://")?;
            Some(line[at..].trim().to_owned())
        });
        // Its further output is read so that it is never blocked by a full pipe.
        std::thread::spawn(move || lines.for_each(drop));
        let Some(address) = address else { bail!("the browser says no address") };
        Ok(Browser { child, address, _profile: profile })
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        drop(Command::new("kill").args(["-KILL", "--", &format!("-{}", self.child.id())]).status());
        drop(self.child.wait());
    }
}
