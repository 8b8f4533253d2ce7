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
const TENANTS: &str = "config/tenants";

/// A goal, and what it is discovered with.
struct Recording {
    application: &'static str,
    /// The word behind the application's.
    capability: &'static str,
    parameters: Option<&'static str>,
    more: &'static [&'static str],
}

impl Recording {
    const fn of(
        application: &'static str,
        capability: &'static str,
        parameters: &'static str,
        more: &'static [&'static str],
    ) -> Self {
        Recording { application, capability, parameters: Some(parameters), more }
    }

    fn id(&self) -> String {
        format!("{}.{}", self.application, self.capability)
    }

    /// What its script and its evidence are called.
    fn name(&self) -> String {
        match self.application {
            PARABANK => self.capability.to_owned(),
            application => format!("{application}_{}", self.capability),
        }
    }

    /// The page where it starts, below the address of the stand-in.
    fn start(&self) -> &'static str {
        if self.application == PARABANK { "index.htm" } else { "" }
    }
}

const PARABANK: &str = "parabank";
const MERIDIAN: &str = "meridian";

/// What the profile of the console binds its credentials to. Nobody real signs on so.
const OPERATOR: [(&str, &str); 2] = [("MERIDIAN_OPERATOR", "teller1"), ("MERIDIAN_PASSWORD", "demo123")];

/// The others are built on the first of their application. One of each has pictures; of the others the transcript says as
/// much in a tenth of the room.
const RECORDINGS: [Recording; 7] = [
    Recording::of(PARABANK, "read_accounts_overview", "john", &[]),
    Recording::of(PARABANK, "read_account_activity", "activity_august", &["--probe", "month=January", "--no-pictures"]),
    Recording::of(
        PARABANK,
        "transfer_funds",
        "transfer_12345_12456",
        &["--approve-risk", "irreversible", "--no-pictures"],
    ),
    Recording { application: MERIDIAN, capability: "sign_on", parameters: None, more: &["--no-pictures"] },
    Recording::of(MERIDIAN, "lookup_savings_balance", "member_12345", &["--probe", "member_number=23456"]),
    Recording::of(
        MERIDIAN,
        "open_sub_account",
        "open_12345",
        &[
            "--probe",
            "member_number=12399",
            "--probe",
            "from_share=12399-00 REGULAR SAVINGS",
            "--probe",
            "account_type=HOLIDAY CLUB",
            "--probe",
            "opening_deposit=55.00",
            "--approve-risk",
            "risky",
            "--no-pictures",
        ],
    ),
    Recording::of(
        MERIDIAN,
        "transfer",
        "transfer_shares_12345",
        &[
            "--probe",
            "member_number=12399",
            "--probe",
            "from_share=12399-00 REGULAR SAVINGS",
            "--probe",
            "to_share=12399-30 MONEY MARKET",
            "--probe",
            "amount=1055.00",
            "--probe",
            "memo=gift",
            "--approve-risk",
            "irreversible",
            "--no-pictures",
        ],
    ),
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
    let mut runs = Vec::new();
    for application in [PARABANK, MERIDIAN] {
        let stand_in = StandIn::start(&waymark, application)?;
        for recording in RECORDINGS.iter().filter(|recording| recording.application == application) {
            let Some(run) = discover(&waymark, &stand_in.address, recording)? else {
                stand_in.stop()?;
                return Ok(false);
            };
            runs.push(run);
        }
        stand_in.stop()?;
    }
    for (recording, run) in RECORDINGS.iter().zip(&runs) {
        replace(recording, run)?;
        println!("recorded {ARTIFACTS}/{}", file_name(recording));
    }
    fs::remove_dir_all(&work)?;
    follow(&waymark)?;
    Ok(true)
}

/// The overlays of the tenants are made for one version exactly: what is recorded anew is the version they are made for
/// now. Whether they still fit it, the tests say.
fn follow(waymark: &Path) -> Result<()> {
    let mut digests: Vec<(String, String)> = Vec::new();
    for recording in &RECORDINGS {
        let file = root().join(ARTIFACTS).join(file_name(recording));
        let output = Command::new(waymark).args(["validate", "--json"]).arg(file).output()?;
        let said: Value = serde_json::from_slice(&output.stdout).context("the artifact was not validated")?;
        let digest = said["items"][0]["digest"].as_str().context("the artifact has no digest")?;
        digests.push((recording.id(), digest.to_owned()));
    }
    for entry in fs::read_dir(root().join(TENANTS))? {
        let path = entry?.path();
        let mut text = fs::read_to_string(&path)?;
        let overlay: Value = serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        for base in overlay["capabilities"].as_array().into_iter().flatten().map(|delta| &delta["base"]) {
            let known = digests.iter().find(|(id, _)| base["id"] == id.as_str());
            if let (Some((_, now)), Some(before)) = (known, base["digest"].as_str()) {
                text = text.replace(before, now);
            }
        }
        fs::write(&path, text)?;
    }
    Ok(())
}

fn file_name(recording: &Recording) -> String {
    format!("{}.v1.json", recording.id())
}

/// Discovers one, and says where its run folder is; `None` where it came to nothing.
fn discover(waymark: &Path, address: &str, recording: &Recording) -> Result<Option<PathBuf>> {
    let id = recording.id();
    let parameters = recording.parameters.map(|name| format!("fixtures/params/{name}.json"));
    let output = Command::new(waymark)
        .current_dir(root())
        .args(["discover", "--json", "--provider", "scripted"])
        .args(["--script", &format!("fixtures/scripts/{}.jsonl", recording.name())])
        .args(["--goal-file", &format!("fixtures/goals/{id}.md")])
        .args(parameters.iter().flat_map(|file| ["--params-file", file.as_str()]))
        .args(["--url", &format!("{address}/{}", recording.start())])
        .args(["--out", &format!("{WORK}/artifacts"), "--evidence", &format!("{WORK}/runs")])
        .args(recording.more)
        .envs(OPERATOR)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .context("waymark could not be started")?;
    let report: Value = serde_json::from_slice(&output.stdout).context("discovery gave no report")?;
    let verified = &report["draft"]["verification"]["verified"];
    if !output.status.success() || (verified != "complete" && verified != "to_commit_point") {
        println!("!! {id} was not recorded: {report}");
        return Ok(None);
    }
    println!("{id}: verified {verified}");
    let run = report["result"]["evidence"].as_str().context("the report names no run folder")?;
    Ok(Some(root().join(run)))
}

/// Puts artifact, record of verification and run folder where they are committed.
fn replace(recording: &Recording, run: &Path) -> Result<()> {
    let work = root().join(WORK).join("artifacts");
    let artifacts = root().join(ARTIFACTS);
    let id = recording.id();
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
    let evidence = root().join(EVIDENCE).join(recording.name());
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
