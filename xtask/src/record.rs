//! The reference capabilities, discovered anew: the stand-in starts, a script stands in for the model, and what comes out
//! replaces `artifacts/` and `evidence/discovery/`. Nothing is replaced unless all of them were recorded and verified.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::cargo::{build_waymark, root};
use crate::stand_in::StandIn;

/// Where drafts and run folders lie until all are there; relative, so that no path of this machine is recorded.
const WORK: &str = "evidence/local/recording";
const ARTIFACTS: &str = "artifacts";
const EVIDENCE: &str = "evidence/discovery";

/// A goal, and what it is discovered with.
struct Recording {
    /// The word behind `parabank.`.
    capability: &'static str,
    parameters: &'static str,
    more: &'static [&'static str],
}

/// One of them with pictures; of the others the transcript says as much in a tenth of the room.
const RECORDINGS: [Recording; 3] = [
    Recording { capability: "read_accounts_overview", parameters: "john", more: &[] },
    Recording {
        capability: "read_account_activity",
        parameters: "activity_august",
        more: &["--probe", "month=January", "--no-pictures"],
    },
    Recording {
        capability: "transfer_funds",
        parameters: "transfer_12345_12456",
        more: &["--approve-risk", "irreversible", "--no-pictures"],
    },
];

/// Records everything; false where a draft did not verify, and then nothing was replaced.
///
/// # Errors
/// The product does not build, the stand-in does not start, or a file cannot be written.
pub fn run() -> Result<bool> {
    println!("Building waymark ...");
    let waymark = build_waymark()?;
    let work = root().join(WORK);
    if work.exists() {
        fs::remove_dir_all(&work)?;
    }
    fs::create_dir_all(&work)?;
    let stand_in = StandIn::start(&waymark)?;
    let mut runs = Vec::new();
    for recording in &RECORDINGS {
        let Some(run) = discover(&waymark, &stand_in.address, recording)? else {
            stand_in.stop()?;
            return Ok(false);
        };
        runs.push(run);
    }
    stand_in.stop()?;
    for (recording, run) in RECORDINGS.iter().zip(&runs) {
        replace(recording, run)?;
        println!("recorded {ARTIFACTS}/{}", file_name(recording));
    }
    fs::remove_dir_all(&work)?;
    Ok(true)
}

fn file_name(recording: &Recording) -> String {
    format!("parabank.{}.v1.json", recording.capability)
}

/// Discovers one, and says where its run folder is; `None` where it came to nothing.
fn discover(waymark: &Path, address: &str, recording: &Recording) -> Result<Option<PathBuf>> {
    let Recording { capability, parameters, more } = recording;
    let output = Command::new(waymark)
        .current_dir(root())
        .args(["discover", "--json", "--provider", "scripted"])
        .args(["--script", &format!("fixtures/scripts/{capability}.jsonl")])
        .args(["--goal-file", &format!("fixtures/goals/parabank.{capability}.md")])
        .args(["--params-file", &format!("fixtures/params/{parameters}.json")])
        .args(["--url", &format!("{address}/index.htm")])
        .args(["--out", &format!("{WORK}/artifacts"), "--evidence", &format!("{WORK}/runs")])
        .args(*more)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("waymark could not be started")?;
    let report: Value = serde_json::from_slice(&output.stdout).context("discovery gave no report")?;
    let verified = &report["draft"]["verification"]["verified"];
    if !output.status.success() || (verified != "complete" && verified != "to_commit_point") {
        println!("!! {capability} was not recorded: {report}");
        return Ok(None);
    }
    println!("{capability}: verified {verified}");
    let run = report["result"]["evidence"].as_str().context("the report names no run folder")?;
    Ok(Some(root().join(run)))
}

/// Puts artifact, record of verification and run folder where they are committed.
fn replace(recording: &Recording, run: &Path) -> Result<()> {
    let work = root().join(WORK).join("artifacts");
    let artifacts = root().join(ARTIFACTS);
    let id = format!("parabank.{}", recording.capability);
    fs::copy(work.join(file_name(recording)), artifacts.join(file_name(recording)))?;
    let records = artifacts.join("records");
    fs::create_dir_all(&records)?;
    for folder in [&records, &work.join("records")] {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let record: Value = serde_json::from_slice(&fs::read(&path)?)?;
            if record["id"] != id.as_str() || record["schema"] != "waymark.verification/1" {
                continue;
            }
            if *folder == records {
                // It is bound to the digest of the artifact that was replaced.
                fs::remove_file(&path)?;
            } else {
                let name = path.file_name().context("a record has a name")?;
                fs::copy(&path, records.join(name))?;
            }
        }
    }
    let evidence = root().join(EVIDENCE).join(recording.capability);
    if evidence.exists() {
        fs::remove_dir_all(&evidence)?;
    }
    copy(run, &evidence)
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            ensure!(entry.file_type()?.is_file(), "{} is no file", entry.path().display());
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
