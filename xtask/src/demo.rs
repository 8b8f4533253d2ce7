//! The product shown in one go: the stand-in starts, the reference capability replays, then every other ending.
//!
//! It talks to the product the way a caller does: arguments, standard output, exit codes.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use anyhow::{Context, Result};
use serde_json::Value;

use crate::cargo::{build_waymark, root};
use crate::stand_in::StandIn;

const ACCOUNTS: &str = "artifacts/parabank.read_accounts_overview.v1.json";
const AMBIGUOUS: &str = "fixtures/demo/parabank.ambiguous.v1.json";
const SIGN_ON: &str = "fixtures/params/john.json";
const WRONG_PASSWORD: &str = "fixtures/params/wrong_password.json";
const EVIDENCE: &str = "evidence/local";

/// What the first scene must print, so that a success that read something else is no success.
const EXPECTED_ROWS: [(&str, &str); 3] = [("12345", "-2300.00"), ("12456", "10.45"), ("12567", "100.00")];

/// One invocation of `waymark replay` and how it has to end.
struct Scene {
    what: &'static str,
    meaning: &'static str,
    artifact: &'static str,
    parameters: PathBuf,
    exit: i32,
    code: Option<&'static str>,
}

/// Shows everything; false where any scene did not end as it has to.
///
/// # Errors
/// The product does not build, the stand-in does not start, or a file of the demonstration is missing.
pub fn run() -> Result<bool> {
    println!("Building waymark ...");
    let waymark = build_waymark()?;
    let stand_in = StandIn::start(&waymark, "parabank")?;
    println!("The ParaBank stand-in listens at {}\n", stand_in.address);

    let folders_before = evidence_folders();
    let mut as_it_has_to = show_success(&waymark, &stand_in.address)?;
    let evidence: Vec<String> = evidence_folders().difference(&folders_before).cloned().collect();
    if evidence.is_empty() {
        println!("!! the run left no evidence under {EVIDENCE}");
        as_it_has_to = false;
    }
    for folder in evidence {
        println!("Evidence of this run: {EVIDENCE}/{folder}/ (run.jsonl, result.json, screenshots)\n");
    }

    let scratch = tempfile::tempdir()?;
    for scene in scenes(scratch.path())? {
        as_it_has_to &= show(&waymark, &stand_in.address, &scene)?;
    }
    stand_in.stop()?;
    println!("\nThe same on the console of 1998, five endings of one capability:");
    let console = Command::new(&waymark)
        .current_dir(root())
        .args(["demo", "--evidence", &format!("{EVIDENCE}/demo")])
        .status()
        .context("waymark could not be started")?;
    as_it_has_to &= console.success();
    println!();
    println!("{}", if as_it_has_to { "Every run ended as it has to." } else { "Not every run ended as it has to." });
    Ok(as_it_has_to)
}

/// The reference capability, in the product's own words for people.
fn show_success(waymark: &Path, address: &str) -> Result<bool> {
    let output = replay(waymark, address, ACCOUNTS, &root().join(SIGN_ON))
        .stderr(Stdio::inherit())
        .output()
        .context("waymark could not be started")?;
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{}", text.trim_end());
    let mut holds = true;
    if output.status.code() != Some(0) {
        println!("!! expected exit 0, got {}", exit_words(output.status.code()));
        holds = false;
    }
    for (account, balance) in EXPECTED_ROWS {
        if !text.lines().any(|line| line.contains(account) && line.contains(balance)) {
            println!("!! no line shows account {account} with {balance}");
            holds = false;
        }
    }
    Ok(holds)
}

fn scenes(scratch: &Path) -> Result<[Scene; 3]> {
    let sign_on = root().join(SIGN_ON);
    let text = fs::read_to_string(&sign_on).with_context(|| format!("{SIGN_ON} is missing"))?;
    let mut no_password: Value = serde_json::from_str(&text)?;
    if let Some(parameters) = no_password.as_object_mut() {
        parameters.remove("password");
    }
    let missing_file = scratch.join("no-password.json");
    fs::write(&missing_file, no_password.to_string())?;
    Ok([
        Scene {
            what: "a wrong password",
            meaning: "the application answered, and the answer was declared: a business outcome",
            artifact: ACCOUNTS,
            parameters: root().join(WRONG_PASSWORD),
            exit: 2,
            code: Some("credentials_rejected"),
        },
        Scene {
            what: "a target that is there twice",
            meaning: "the engine does not guess: escalated to a person",
            artifact: AMBIGUOUS,
            parameters: sign_on,
            exit: 3,
            code: Some("target_ambiguous"),
        },
        Scene {
            what: "a missing parameter",
            meaning: "refused before a browser was started: a bad invocation",
            artifact: ACCOUNTS,
            parameters: missing_file,
            exit: 4,
            code: None,
        },
    ])
}

/// Runs one scene and prints one line that says what happened.
fn show(waymark: &Path, address: &str, scene: &Scene) -> Result<bool> {
    let output = replay(waymark, address, scene.artifact, &scene.parameters)
        .arg("--json")
        .output()
        .context("waymark could not be started")?;
    let exit = output.status.code();
    let result: Value = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
    let code = code_of(&result);
    let holds = exit == Some(scene.exit) && code.is_some() && (scene.code.is_none() || code == scene.code);
    let Scene { what, meaning, .. } = scene;
    if holds {
        println!("{what}: {meaning}, `{}` ({})", code.unwrap_or_default(), exit_words(exit));
    } else {
        let expected = scene.code.map(|code| format!(" with `{code}`")).unwrap_or_default();
        println!(
            "!! {what}: expected exit {}{expected}, got {} with `{}`",
            scene.exit,
            exit_words(exit),
            code.unwrap_or("no code")
        );
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(holds)
}

fn replay(waymark: &Path, address: &str, artifact: &str, parameters: &Path) -> Command {
    let mut command = Command::new(waymark);
    command
        .current_dir(root())
        .args(["replay", "--artifact", artifact, "--params-file"])
        .arg(parameters)
        .args(["--base-url", address, "--evidence", EVIDENCE])
        .stdin(Stdio::null());
    command
}

/// The stable code of whichever object the result carries.
fn code_of(result: &Value) -> Option<&str> {
    ["business_outcome", "escalation", "error"].iter().find_map(|part| result[*part]["code"].as_str())
}

fn exit_words(exit: Option<i32>) -> String {
    exit.map_or_else(|| "ended by a signal".to_owned(), |exit| format!("exit {exit}"))
}

fn evidence_folders() -> BTreeSet<String> {
    fs::read_dir(root().join(EVIDENCE))
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| name.starts_with("replay-"))
        .collect()
}
