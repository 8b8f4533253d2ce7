//! Suites of goals: what each comes to, in a real browser, by scripts that stand in for a model.

use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};
use waymark_fixture_apps::Delays;

use crate::{clicks, parabank, root, signal, waymark};

/// What a suite came to: its number and its report.
struct Judged {
    exit: Option<i32>,
    report: Value,
    _evidence: tempfile::TempDir,
}

impl Judged {
    fn of(output: &Output, evidence: tempfile::TempDir) -> Result<Self> {
        let told = String::from_utf8_lossy(&output.stderr);
        let report = serde_json::from_slice(&output.stdout).with_context(|| told.into_owned())?;
        Ok(Judged { exit: output.status.code(), report, _evidence: evidence })
    }

    /// Name, verdict and code of each goal.
    fn verdicts(&self) -> Vec<String> {
        let items = self.report["items"].as_array().cloned().unwrap_or_default();
        let name = |item: &Value| {
            let file = item["file"].as_str().unwrap_or_default().to_owned();
            Path::new(&file).file_stem().unwrap_or_default().to_string_lossy().into_owned()
        };
        let told = |item: &Value| {
            let code = item["code"].as_str().unwrap_or("none");
            format!("{} {} {code}", name(item), item["verdict"].as_str().unwrap_or_default())
        };
        items.iter().map(told).collect()
    }

    fn item(&self, at: usize) -> &Value {
        &self.report["items"][at]
    }

    /// Whether the report is of its published shape, and every run has its evidence and wrote no draft.
    fn is_sound(&self) -> Result<()> {
        let schema: Value = serde_json::from_slice(&std::fs::read(root().join("artifacts/schema/suite.v1.json"))?)?;
        let validator = jsonschema::validator_for(&schema)?;
        let wrong: Vec<String> =
            validator.iter_errors(&self.report).map(|e| format!("{}: {e}", e.instance_path())).collect();
        ensure!(wrong.is_empty(), "{wrong:?}: {}", self.report);
        for item in self.report["items"].as_array().context("no items")? {
            let Some(folder) = item["evidence"].as_str() else {
                ensure!(item["run_id"].is_null(), "a run without evidence: {item}");
                continue;
            };
            let journal = std::fs::read_to_string(Path::new(folder).join("run.jsonl"))?;
            ensure!(journal.contains("\"event\":\"run_ended\""), "the journal of {folder} has no end");
            ensure!(!journal.contains("\"event\":\"drafted\""), "{folder} has a draft");
        }
        Ok(())
    }
}

fn command(address: &str, paths: &[&Path], scripts: &Path, evidence: &Path, more: &[&str]) -> Result<Command> {
    let mut command = Command::new(waymark()?);
    command
        .current_dir(root())
        .args(["suite", "--json", "--provider", "scripted", "--script"])
        .arg(scripts)
        .args(paths)
        .args(["--url", &format!("{address}/index.htm"), "--evidence"])
        .arg(evidence)
        .args(more)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    Ok(command)
}

fn suite(address: &str, paths: &[&Path], scripts: &Path, more: &[&str]) -> Result<Judged> {
    let evidence = tempfile::tempdir()?;
    let output = command(address, paths, scripts, evidence.path(), more)?.output()?;
    Judged::of(&output, evidence)
}

const JOHN: [&str; 2] = ["--params-file", "fixtures/params/john.json"];

#[test]
fn a_suite_passes_fails_or_is_inconclusive_and_only_passing_is_zero() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let folder = root().join("fixtures/suite");
    let all = suite(&address, &[&folder], &folder, &JOHN)?;
    all.is_sound()?;
    let expected = ["out_of_reach INCONCLUSIVE blocked", "overview PASS none", "wrong_balance FAIL not_proven"];
    assert_eq!(all.verdicts(), expected, "{}", all.report);
    assert_eq!((all.exit, &all.report["exit_code"], &all.report["status"]), (Some(1), &json!(1), &json!("failed")));
    assert_eq!((&all.report["verdict"], &all.report["error"]["code"]), (&json!("FAIL"), &json!("not_proven")));
    assert_eq!(clicks(&log, "login.submit"), 3, "each goal has a session of its own");
    let came: Vec<&str> =
        all.item(2)["conditions"].as_array().into_iter().flatten().filter_map(|of| of["came"].as_str()).collect();
    assert_eq!(came, ["holds", "unmet", "holds", "holds"], "{}", all.item(2));
    assert!(!all.report.to_string().contains("demo"), "a password stands in the report");

    let passes = suite(&address, &[&folder.join("overview.md")], &folder, &JOHN)?;
    assert_eq!((passes.exit, &passes.report["verdict"]), (Some(0), &json!("PASS")), "{}", passes.report);
    // The same for people: a line for each goal, why it did not pass, and what all came to.
    let evidence = tempfile::tempdir()?;
    let command = command(&address, &[&folder.join("out_of_reach.md")], &folder, evidence.path(), &JOHN)?;
    let arguments: Vec<_> = command.get_args().filter(|word| *word != "--json").map(ToOwned::to_owned).collect();
    let output = Command::new(command.get_program()).current_dir(root()).args(arguments).output()?;
    let told = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for words in [
        " INCONCLUSIVE ",
        "out_of_reach.md",
        "  blocked\n    the model says that it cannot be done: ",
        "    does not hold: the screen shows \"Approved\"\n",
        "INCONCLUSIVE: 0 passed, 0 failed, 1 inconclusive (simulated",
    ] {
        ensure!(told.contains(words), "{words:?} is missing: {told}");
    }
    Ok(())
}

#[test]
fn a_goal_that_cannot_be_judged_is_told_with_its_reason_and_stops_no_other() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let place = tempfile::tempdir()?;
    let fixtures = root().join("fixtures/suite");
    let overview = std::fs::read_to_string(fixtures.join("overview.md"))?;
    let script = std::fs::read_to_string(fixtures.join("overview.jsonl"))?;
    let rest = overview.find("- Text: $10.45").context("another condition")?;
    let data = overview.find("\n## Data").context("data")?;
    let with = |conditions: &str| {
        let first = overview.find("- Text: ").unwrap_or(rest);
        format!("{}{conditions}\n{}", &overview[..first], &overview[data..])
    };
    let done = script.lines().last().context("an empty script")?;
    let goals = [
        ("a_picture", with("- Visual: overview.png"), script.clone()),
        ("b_nothing", with(""), script.clone()),
        ("c_absence", with("- Not text: An internal error has occurred"), script.clone()),
        ("d_unscripted", overview.clone(), String::new()),
        ("e_stood", with("- Text: About Us"), [script.as_str(), done, done].join("\n")),
        ("f_short", overview.replace("## Data", "## Limits\n- steps: 2\n\n## Data"), script.clone()),
        ("g_ends_early", overview.clone(), script.lines().take(3).collect::<Vec<_>>().join("\n")),
        ("h_passes", overview.clone(), script.clone()),
    ];
    for (name, goal, script) in &goals {
        std::fs::write(place.path().join(format!("{name}.md")), goal)?;
        if !script.is_empty() {
            std::fs::write(place.path().join(format!("{name}.jsonl")), script)?;
        }
    }
    let judged = suite(&address, &[place.path()], place.path(), &JOHN)?;
    judged.is_sound()?;
    let expected = [
        "a_picture INCONCLUSIVE invalid_invocation",
        "b_nothing INCONCLUSIVE invalid_invocation",
        "c_absence INCONCLUSIVE invalid_invocation",
        "d_unscripted INCONCLUSIVE invalid_invocation",
        "e_stood INCONCLUSIVE not_proven",
        "f_short INCONCLUSIVE budget_spent",
        "g_ends_early INCONCLUSIVE invalid_model_output",
        "h_passes PASS none",
    ];
    assert_eq!(judged.verdicts(), expected, "{}", judged.report);
    let problem = |at: usize| judged.item(at)["problems"][0]["problem"].as_str().unwrap_or_default().to_owned();
    assert_eq!([problem(0), problem(1), problem(2)], ["visual_not_yet", "no_condition", "lone_negative"]);
    assert_eq!((judged.exit, &judged.report["inconclusive"]), (Some(1), &json!(7)));
    Ok(())
}

#[test]
fn another_answer_that_is_declared_fails_a_goal_and_what_the_policy_refused_does_not() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let place = tempfile::tempdir()?;
    let fixtures = root().join("fixtures");
    std::fs::copy(fixtures.join("suite/overview.md"), place.path().join("rejected.md"))?;
    let turns = std::fs::read_to_string(fixtures.join("suite/out_of_reach.jsonl"))?;
    std::fs::write(place.path().join("rejected.jsonl"), turns)?;
    let rejected =
        suite(&address, &[place.path()], place.path(), &["--params-file", "fixtures/params/wrong_password.json"])?;
    rejected.is_sound()?;
    assert_eq!(rejected.verdicts(), ["rejected FAIL not_proven"], "{}", rejected.report);
    assert_eq!(rejected.item(0)["answer"]["code"], "credentials_rejected", "{}", rejected.report);
    assert!(!rejected.report.to_string().contains("not-the-password"), "{}", rejected.report);

    let goal = std::fs::read_to_string(fixtures.join("goals/parabank.transfer_funds.md"))?;
    let outputs = goal.find("## Outputs").context("no outputs")?;
    let success = goal.find("## Success").context("no success")?;
    let data = goal.find("## Data").context("no data")?;
    let goal = format!("{}## Success\n- Text: Transfer Complete!\n\n{}", &goal[..success], &goal[data..outputs]);
    std::fs::write(place.path().join("transfer.md"), goal)?;
    let turns = std::fs::read_to_string(fixtures.join("scripts/transfer_funds.jsonl"))?;
    let mut script = Vec::new();
    for line in turns.lines() {
        script.push(line.to_owned());
        if line.contains("\"role\": \"button\", \"name\": \"Transfer\"") {
            break;
        }
    }
    ensure!(script.len() < turns.lines().count(), "the press is the last turn");
    script.extend(vec![json!({"action": "done", "reason": "it is sent"}).to_string(); 3]);
    std::fs::write(place.path().join("transfer.jsonl"), script.join("\n"))?;
    let transfer = place.path().join("transfer.md");
    let given = ["--params-file", "fixtures/params/transfer_12345_12456.json"];
    let refused = suite(&address, &[&transfer], place.path(), &given)?;
    refused.is_sound()?;
    assert_eq!(refused.verdicts(), ["transfer INCONCLUSIVE risk_approval"], "{}", refused.report);
    assert_eq!(log.booked(), 0);
    let consent = [&given[..], &["--approve-risk", "irreversible"]].concat();
    let sent = suite(&address, &[&transfer], place.path(), &consent)?;
    assert_eq!((sent.verdicts(), log.booked()), (vec!["transfer PASS none".to_owned()], 1), "{}", sent.report);
    Ok(())
}

#[test]
fn a_suite_that_is_told_to_end_keeps_what_was_judged_and_leaves_the_rest_unjudged() -> Result<()> {
    let slow = Delays { accounts: Duration::from_secs(60), ..Delays::default() };
    let (runtime, _running, address, log) = parabank(slow)?;
    let place = tempfile::tempdir()?;
    let overview = std::fs::read_to_string(root().join("fixtures/suite/overview.md"))?;
    let script = std::fs::read_to_string(root().join("fixtures/suite/overview.jsonl"))?;
    let about = "---\nurl: http://127.0.0.1:8080/parabank/index.htm\n---\n\n## Goal\nOpen the site map.\n\n## Success\n- URL: sitemap.htm\n";
    let turns = [
        json!({"action": "click", "element": {"role": "link", "name": "Site Map"}, "reason": "leads there"}),
        json!({"action": "done", "reason": "it is open"}),
    ];
    std::fs::write(place.path().join("a.md"), about)?;
    std::fs::write(place.path().join("a.jsonl"), turns.map(|turn| turn.to_string()).join("\n"))?;
    for name in ["b", "c"] {
        std::fs::write(place.path().join(format!("{name}.md")), &overview)?;
        std::fs::write(place.path().join(format!("{name}.jsonl")), &script)?;
    }
    let evidence = tempfile::tempdir()?;
    let child = command(&address, &[place.path()], place.path(), evidence.path(), &JOHN)?.spawn()?;
    let asked = log.wait_for(Duration::from_secs(60), |log| log.count_requests(|r| r.path.ends_with("/accounts")) > 0);
    let seen = runtime.block_on(asked);
    signal("-INT", &child.id().to_string())?;
    let judged = Judged::of(&child.wait_with_output()?, evidence)?;
    ensure!(seen, "the second goal never came to the overview: {}", judged.report);
    judged.is_sound()?;
    let expected = ["a PASS none", "b INCONCLUSIVE interrupted", "c INCONCLUSIVE interrupted"];
    assert_eq!(judged.verdicts(), expected, "{}", judged.report);
    assert_eq!((judged.exit, &judged.report["exit_code"]), (Some(130), &json!(130)));
    assert!(judged.item(1)["evidence"].is_string() && judged.item(2)["evidence"].is_null(), "{}", judged.report);
    assert_eq!(clicks(&log, "login.submit"), 1, "a goal was begun after the end");
    Ok(())
}

#[test]
fn a_suite_is_refused_as_a_whole_where_nothing_in_it_could_be_judged() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let (empty, goals) = (tempfile::tempdir()?, root().join("fixtures/suite"));
    for (paths, scripts, word) in [
        ([empty.path()], goals.as_path(), "no_goal"),
        ([empty.path().join("gone.md").as_path()], &goals, "unreadable"),
        ([goals.as_path()], &empty.path().join("gone.jsonl"), "unreadable"),
    ] {
        let refused = suite(&address, &paths, scripts, &JOHN)?;
        assert_eq!((refused.exit, &refused.report["status"]), (Some(4), &json!("rejected")), "{}", refused.report);
        assert_eq!(refused.report["error"]["problems"][0]["problem"], word, "{}", refused.report);
    }
    assert_eq!(log.count_requests(|_| true), 0, "the application was asked for something");
    Ok(())
}
