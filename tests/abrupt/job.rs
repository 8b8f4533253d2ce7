//! What is run: something that only reads, and something that cannot be taken back.

use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};
use tempfile::TempDir;
use waymark_fixture_apps::Log;

use crate::root;

/// The jobs by name.
pub const JOBS: [&str; 2] = ["overview", "transfer"];

const OVERVIEW: &str = "artifacts/parabank.read_accounts_overview.v1.json";
const TRANSFER: &str = "artifacts/parabank.transfer_funds.v1.json";

/// A capability with its parameters and consent, ready to be called.
pub struct Job {
    /// As in [`JOBS`].
    pub name: &'static str,
    /// What stands behind `replay`.
    pub arguments: Vec<String>,
    _approved: Option<TempDir>,
}

impl Job {
    /// Makes one ready.
    ///
    /// # Errors
    /// There is none of that name, or its approval could not be written.
    pub fn named(name: &str, waymark: &Path) -> Result<Self> {
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect();
        match JOBS.iter().find(|job| **job == name) {
            Some(name @ &"overview") => {
                let arguments = words(&["--artifact", OVERVIEW, "--params-file", "fixtures/params/john.json"]);
                Ok(Job { name, arguments, _approved: None })
            }
            Some(name) => {
                let folder = tempfile::tempdir()?;
                let file = approved(folder.path(), waymark)?;
                let params = json!({
                    "username": "john", "password": "demo", "from_account": "12345", "to_account": "12456",
                    "amount": "12.50",
                });
                let params = params.to_string();
                let consent = ["--mode", "unattended", "--approve-risk", "irreversible"];
                let given = ["--artifact", &file, "--params", &params];
                Ok(Job { name, arguments: words(&[&given[..], &consent].concat()), _approved: Some(folder) })
            }
            None => anyhow::bail!("there is no job `{name}`; there are {}", JOBS.join(", ")),
        }
    }

    /// The call, with its own place for evidence and for temporary files.
    #[must_use]
    pub fn call(&self, waymark: &Path, address: &str, evidence: &Path, temporary: &Path) -> Command {
        let mut command = Command::new(waymark);
        command
            .current_dir(root())
            .args(["replay", "--events", "--base-url", address, "--evidence"])
            .arg(evidence)
            .args(&self.arguments)
            .env("TMPDIR", temporary)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null());
        command
    }
}

/// How often a transfer was sent.
#[must_use]
pub fn sent(log: &Log) -> usize {
    log.count_requests(|request| request.method == "POST" && request.path.ends_with("/transfer"))
}

/// A copy of the transfer with a record beside it that approves it.
fn approved(folder: &Path, waymark: &Path) -> Result<String> {
    let file = folder.join("parabank.transfer_funds.v1.json");
    std::fs::copy(root().join(TRANSFER), &file)?;
    let said = Command::new(waymark).args(["validate", "--json"]).arg(&file).output()?;
    let said: Value = serde_json::from_slice(&said.stdout)?;
    let digest = said["items"][0]["digest"].as_str().context("the artifact has no digest")?;
    let record = json!({
        "schema": "waymark.approval/1", "id": "parabank.transfer_funds", "version": "1.0.0", "digest": digest,
        "approved_by": "reviewer", "approved_at": "2026-11-30T00:00:00Z",
    });
    let records = folder.join("records");
    std::fs::create_dir_all(&records)?;
    let name = format!("{}.approval.json", digest.trim_start_matches("sha256:"));
    std::fs::write(records.join(name), record.to_string())?;
    Ok(file.to_str().context("a plain path")?.to_owned())
}
