//! What models answered, recorded and played back; a selector of a service of its own; and the driver's hints in what comes of it.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waymark_fixture_apps::Delays;

use crate::tokens::serve;
use crate::{parabank, root, waymark};

const TURNS: &str = r#"{"action": "type", "label": "Username", "value": "username", "reason": "signs on"}
{"action": "type", "label": "Password", "value": "password", "reason": "signs on"}
{"action": "click", "label": "Log In", "reason": "signs on"}
{"action": "click", "label": "Find Transactions", "reason": "leads to the form"}
{"action": "type", "label": "Find by Amount", "value": "amount", "reason": "the amount"}
{"action": "click", "label": "Find Transactions button", "reason": "starts the search by amount"}
{"action": "done", "reason": "the results are there"}
"#;
const GOAL: &str = "Sign on with the credentials of the profile and find the transactions of the amount.";
/// What stands nowhere else, so that any trace of it is one.
const KEY: &str = "canary-typesafe-8842-key";
const SECRET: &str = "demo";

/// One discovery of the search by amount into a folder of its own within `folder`.
fn discover(
    folder: &Path,
    name: &str,
    address: &str,
    goal: &str,
    more: &[&str],
) -> Result<(Option<i32>, Value, Vec<u8>)> {
    let output = Command::new(waymark()?)
        .current_dir(root())
        .args([
            "discover",
            "--json",
            "--url",
            &format!("{address}/index.htm"),
            "--capability",
            "parabank.find_by_amount",
        ])
        .args(["--goal", goal, "--success", "Text: Transaction Results", "--param", "amount=100.00"])
        .arg("--out")
        .arg(folder.join(name))
        .arg("--evidence")
        .arg(folder.join(format!("{name}_evidence")))
        .args(more)
        .env("PARABANK_USERNAME", "john")
        .env("PARABANK_PASSWORD", SECRET)
        .env("TYPESAFE_API_KEY", KEY)
        .output()?;
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let report = serde_json::from_slice(&output.stdout).with_context(|| told)?;
    Ok((output.status.code(), report, [output.stdout, output.stderr].concat()))
}

/// A service that answers choices: which option stands below the amount.
fn service() -> Result<String> {
    serve(|path, body| {
        let asked: Value = serde_json::from_str(body).unwrap_or_default();
        let options = asked["prompts"][0]["options"].as_array().cloned().unwrap_or_default();
        let meant = options.iter().find(|o| o["description"].as_str().is_some_and(|d| d.contains("Find by Amount")));
        let chosen = meant.map_or(json!("none"), |option| option["option"].clone());
        let answer =
            json!({ "responses": [{ "key": "element", "chosen": chosen, "probabilities": [], "confidence": 0.2 }] });
        (if path == "/v0/preview/evaluation" { 200 } else { 404 }, "application/json", answer.to_string())
    })
}

#[test]
fn what_models_answered_is_played_back_without_them_and_what_is_other_names_its_turn() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let folder = tempfile::tempdir()?;
    let (script, cassette) = (folder.path().join("turns.jsonl"), folder.path().join("job.jsonl"));
    std::fs::write(&script, TURNS)?;
    let file = cassette.to_str().context("no path")?;
    let url = format!("{}/v0", service()?);
    let scripted = ["--provider", "scripted", "--script", script.to_str().context("no path")?];
    let jev = ["--selector-provider", "jev", "--selector-model", "m1", "--selector-url", &url];
    let with = [&scripted[..], &jev, &["--cassette", file]].concat();
    let (exit, first, said) = discover(folder.path(), "first", &address, GOAL, &with)?;
    ensure!(exit == Some(0), "{}", String::from_utf8_lossy(&said));
    assert_eq!(first["told_apart_by"], json!({"provider": "jev", "model": "m1", "simulated": false}));
    assert_eq!((&first["cassette"], &first["played_back"]), (&json!(file), &Value::Null));
    ensure!(first["notes"].to_string().contains("jev is unverified against the live service"), "{first}");
    // Neither the key nor the password is in any byte that was written or said.
    let traces = waymark_test_support::canary::traces(folder.path(), &[("the first", &said)], &[KEY])?;
    ensure!(traces.is_empty(), "{traces:?}");
    let lines: Vec<Value> =
        std::fs::read_to_string(&cassette)?.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    assert_eq!(lines.len(), 9, "a head, seven turns, one choice");
    ensure!(lines[1..].iter().all(|l| l["digest"].as_str().is_some_and(|d| d.starts_with("sha256:"))), "{lines:?}");

    // A recording never changes.
    let (exit, again, _) = discover(folder.path(), "again", &address, GOAL, &with)?;
    ensure!(exit == Some(4) && again.to_string().contains("a recording never changes"), "{again}");

    let playing = ["--provider", "cassette", "--cassette", file];
    log.clear();
    let (exit, second, said) = discover(folder.path(), "second", &address, GOAL, &playing)?;
    ensure!(exit == Some(0), "{}", String::from_utf8_lossy(&said));
    assert_eq!(second["played_back"], json!(file));
    assert_eq!(second["model"]["simulated"], true);
    let played = json!({"provider": "cassette", "model": "jev/m1", "simulated": true});
    assert_eq!(second["told_apart_by"], played);
    assert_eq!((&second["turns"], &second["calls"]), (&first["turns"], &first["calls"]));
    assert_eq!(log.count_requests(|r| r.path.contains("/amount/100")), 2, "once recorded, once verified");
    let steps = |report: &Value| -> Result<Value> {
        let draft = report["draft"]["file"].as_str().context("no draft")?;
        Ok(serde_json::from_slice::<Value>(&std::fs::read(draft)?)?["steps"].clone())
    };
    let recorded = steps(&second)?;
    assert_eq!(recorded, steps(&first)?);
    hints(&recorded)?;

    let other = format!("{GOAL} Quickly.");
    let (exit, unfit, _) = discover(folder.path(), "unfit", &address, &other, &playing)?;
    let error = &unfit["result"]["error"];
    assert_eq!((exit, &error["code"]), (Some(1), &json!("cassette_mismatch")), "{unfit}");
    ensure!(error["message"].as_str().is_some_and(|m| m.starts_with("turn 1 does not fit the recording")), "{error}");
    ensure!(unfit["draft"].is_null(), "{unfit}");
    let (exit, refused, _) = discover(folder.path(), "both", &address, GOAL, &[&playing[..], &jev].concat())?;
    ensure!(exit == Some(4) && refused.to_string().contains("answers in both roles"), "{refused}");
    let (exit, refused, _) = discover(folder.path(), "jev", &address, GOAL, &["--provider", "jev"])?;
    ensure!(exit == Some(4) && refused.to_string().contains("cannot decide what to do next"), "{refused}");
    Ok(())
}

/// Safe steps have the driver's hint as their last rung, others none.
fn hints(steps: &Value) -> Result<()> {
    let steps = steps.as_array().context("no steps")?;
    let mut hinted = Vec::new();
    for step in steps.iter().filter(|step| step["action"]["target"]["candidates"].is_array()) {
        let rungs = step["action"]["target"]["candidates"].as_array().context("no rungs")?;
        let at = rungs.iter().position(|rung| rung["find"]["rung"] == "native_hint");
        let safe = step["risk"].as_str().is_none_or(|risk| risk == "safe");
        ensure!(at.is_none_or(|at| safe && at > 0 && at + 1 == rungs.len()), "{step}");
        hinted.extend(at.map(|at| rungs[at]["find"]["hint"]["web"].clone()));
    }
    ensure!(hinted.contains(&json!("input[name=\"username\"]")), "{hinted:?}");
    ensure!(
        hinted.iter().all(|hint| hint.as_str().is_some_and(|h| h.len() <= 200 && !h.contains("100"))),
        "{hinted:?}"
    );
    Ok(())
}
