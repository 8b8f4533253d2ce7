//! The stand-in that the demonstration and the recording work on.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::cargo::root;

/// How long the stand-in may take to say where it listens, and to end.
const STAND_IN_PATIENCE: Duration = Duration::from_secs(20);

/// The stand-in as a child of this program; it ends with it, because it ends with its standard input.
pub struct StandIn {
    child: Child,
    /// Where it is served.
    pub address: String,
}

impl StandIn {
    /// Starts the one of this application at a free port.
    ///
    /// # Errors
    /// It does not start, or does not say where it listens.
    pub fn start(waymark: &Path, application: &str) -> Result<Self> {
        let mut child = Command::new(waymark)
            .current_dir(root())
            .args(["fixture", application, "--port", "0", "--json"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .context("the stand-in could not be started")?;
        let output = child.stdout.take().context("the stand-in has no output")?;
        let (said, hears) = mpsc::channel();
        thread::spawn(move || {
            let mut line = String::new();
            // An empty line is the answer of a stand-in that ended; a lost listener has given up already.
            drop(BufReader::new(output).read_line(&mut line));
            drop(said.send(line));
        });
        let line = hears.recv_timeout(STAND_IN_PATIENCE).unwrap_or_default();
        let address =
            serde_json::from_str::<Value>(&line).ok().and_then(|said| said["base_url"].as_str().map(str::to_owned));
        let mut stand_in = Self { child, address: String::new() };
        match address {
            Some(address) => stand_in.address = address,
            None => {
                stand_in.child.kill()?;
                bail!("the stand-in did not say where it listens; it said {line:?}");
            }
        }
        Ok(stand_in)
    }

    /// Ends the stand-in and waits until it is gone.
    ///
    /// # Errors
    /// It does not end by itself.
    pub fn stop(mut self) -> Result<()> {
        drop(self.child.stdin.take());
        let deadline = Instant::now() + STAND_IN_PATIENCE;
        while self.child.try_wait()?.is_none() {
            if Instant::now() > deadline {
                self.child.kill()?;
                self.child.wait()?;
                bail!("the stand-in did not end with its standard input");
            }
            thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }
}

impl Drop for StandIn {
    fn drop(&mut self) {
        // After `stop` there is nothing left to end; on the way out of an error there is nobody to tell.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}
