//! A run waits for a person, the person acts in the very session that the run had, and the run goes on: by the command
//! line, as an operator does it, on both stand-ins and the hard pages. What was done is what the pages counted.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use waymark_fixture_apps::Running;

use crate::console::{OPERATOR, console};
use crate::{Ran, cases, clicks, ran, root, waymark};

/// How long anything may take that a run is waited for with.
const PATIENCE: Duration = Duration::from_secs(60);

/// A run that is on its way, and its operator.
struct Attended {
    /// Taken away when its end is waited for.
    run: Option<Child>,
    evidence: tempfile::TempDir,
    root: std::path::PathBuf,
}

impl Attended {
    fn begin(address: &str, artifact: &str, more: &[&str]) -> Result<Self> {
        let evidence = tempfile::tempdir()?;
        let run = Command::new(waymark()?)
            .current_dir(root())
            .args(["replay", "--artifact", artifact, "--base-url", address, "--json", "--operator", "app"])
            .arg("--evidence")
            .arg(evidence.path())
            .args(more)
            .envs(OPERATOR)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let root = evidence.path().to_owned();
        Ok(Attended { run: Some(run), evidence, root })
    }

    /// Until it waits with a request that was not seen before.
    fn waits(&mut self, before: &str) -> Result<Value> {
        let until = Instant::now() + PATIENCE;
        while Instant::now() < until {
            let (_, list) = self.asks(&["list"])?;
            let waiting = list["items"].as_array().into_iter().flatten();
            if let Some(item) = waiting.filter(|item| item["id"] != before).find(|item| item["reachable"] == true) {
                return Ok(item.clone());
            }
            if self.run.as_mut().is_none_or(|run| !matches!(run.try_wait(), Ok(None))) {
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        bail!("it does not wait")
    }

    /// What `waymark operator` answers, and its number.
    fn asks(&self, arguments: &[&str]) -> Result<(i32, Value)> {
        operator(&self.root, arguments)
    }

    /// An order that is carried out.
    fn does(&self, arguments: &[&str]) -> Result<Value> {
        let (exit, answer) = self.asks(arguments)?;
        ensure!(exit == 0, "{arguments:?}: {answer}");
        Ok(answer)
    }

    /// The code of an order that is refused.
    fn refused(&self, arguments: &[&str]) -> Result<String> {
        let (exit, answer) = self.asks(arguments)?;
        ensure!(exit == 4, "{arguments:?}: {answer}");
        Ok(answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    }

    /// The handle of the one element, or the nth, that is called so.
    fn element(&self, id: &str, words: &str, nth: usize) -> Result<String> {
        let answer = self.does(&["elements", id])?;
        let all = answer["elements"].as_array().into_iter().flatten();
        let mut fit = all.filter(|element| element["words"].as_str().is_some_and(|called| called.contains(words)));
        let element = fit.nth(nth).with_context(|| format!("no {words}: {answer:#}"))?;
        Ok(element["on"].as_str().unwrap_or_default().to_owned())
    }

    fn ends(mut self) -> Result<Ran> {
        let run = self.run.take().context("it ended already")?;
        let evidence = std::mem::replace(&mut self.evidence, tempfile::tempdir()?);
        ran(run.wait_with_output()?, evidence)
    }
}

impl Drop for Attended {
    fn drop(&mut self) {
        if let Some(run) = &mut self.run {
            let _ = run.kill();
            let _ = run.wait();
        }
    }
}

fn operator(evidence: &Path, arguments: &[&str]) -> Result<(i32, Value)> {
    let output = Command::new(waymark()?)
        .current_dir(root())
        .arg("operator")
        .args(arguments)
        .args(["--as", "ann", "--json", "--evidence"])
        .arg(evidence)
        .output()?;
    let answer = serde_json::from_slice(&output.stdout)
        .with_context(|| format!("{arguments:?}: {}", String::from_utf8_lossy(&output.stderr)))?;
    Ok((output.status.code().unwrap_or(-1), answer))
}

const LOOKUP: &str = "artifacts/meridian.lookup_savings_balance.v1.json";
const MEMBER: [&str; 2] = ["--params-file", "fixtures/params/member_12345.json"];

/// What an operator does about a request, with the stand-in at hand for what only that can undo.
type Help = fn(&Attended, &str, &Running) -> Result<()>;

struct Row {
    code: &'static str,
    console: bool,
    fault: &'static str,
    artifact: &'static str,
    /// What of the artifact is different, by JSON pointer.
    edit: &'static [(&'static str, &'static str)],
    help: Help,
    ends: &'static str,
    /// How often what was pressed, by the pages' own count.
    pressed: &'static [(&'static str, usize)],
}

fn resumes(run: &Attended, id: &str) -> Result<()> {
    let would = run.does(&["check", id])?["resumption"].clone();
    let did = run.does(&["resume", id, "--note", "done"])?["resumption"].clone();
    ensure!(would == did, "it was to do {would}, and did {did}");
    Ok(())
}

fn press(run: &Attended, id: &str, words: &str, nth: usize) -> Result<()> {
    let on = run.element(id, words, nth)?;
    let until = Instant::now() + PATIENCE;
    // What lies over it may go away.
    while run.does(&["act", id, "--on", &on, "click"])?["delivery"] != "delivered" {
        ensure!(Instant::now() < until, "{words} cannot be pressed");
    }
    Ok(())
}

fn case_row(code: &'static str, artifact: &'static str, help: Help, ends: &'static str) -> Row {
    Row { code, console: false, fault: "", artifact, edit: &[], help, ends, pressed: &[] }
}

fn rows() -> Vec<Row> {
    let abort: Help = |run, id, _| {
        ensure!(run.refused(&["resume", id])? == "not_ready", "there is nothing to go on with");
        run.does(&["abort", id, "--reason", "it cannot be helped"]).map(drop)
    };
    vec![
        Row {
            code: "target_ambiguous",
            console: true,
            fault: "duplicate_control@MI0200",
            artifact: LOOKUP,
            edit: &[],
            help: |run, id, _| {
                run.does(&["claim", id])?;
                press(run, id, "button \"Inquire\"", 0)?;
                resumes(run, id)
            },
            ends: "0 none",
            pressed: &[("inquiry.submit", 1)],
        },
        Row {
            code: "unexpected_dialog",
            console: true,
            fault: "undeclared_dialog:1@SA0320",
            artifact: LOOKUP,
            edit: &[],
            help: |run, id, _| {
                ensure!(run.refused(&["resume", id])? == "not_ready", "the dialog is still open");
                run.does(&["claim", id])?;
                run.does(&["act", id, "accept"])?;
                resumes(run, id)
            },
            ends: "0 none",
            pressed: &[],
        },
        Row {
            code: "checkpoint_unmet",
            console: true,
            fault: "element_missing@MI0200",
            artifact: LOOKUP,
            edit: &[],
            help: |run, id, running| {
                ensure!(run.refused(&["resume", id])? == "not_ready", "the button is still missing");
                run.does(&["claim", id])?;
                running.clear_faults();
                press(run, id, "link \"Member Inquiry\"", 0)?;
                resumes(run, id)
            },
            ends: "0 none",
            pressed: &[("sign_on.submit", 1), ("inquiry.submit", 1)],
        },
        Row {
            code: "recovery_spent",
            console: true,
            fault: "session_expired:always@SA0320",
            artifact: LOOKUP,
            edit: &[],
            help: |run, id, running| {
                ensure!(run.refused(&["resume", id])? == "not_ready", "the session has ended");
                run.does(&["claim", id])?;
                running.clear_faults();
                // The way to the step, by hand; what is typed into the password stands nowhere.
                for (field, text) in [("Operator ID", OPERATOR[0].1), ("Password", OPERATOR[1].1)] {
                    let on = run.element(id, &format!("\"{field}\""), 0)?;
                    run.does(&["act", id, "--on", &on, "type", text])?;
                }
                press(run, id, "button \"Sign On\"", 0)?;
                let on = run.element(id, "\"Member No.\"", 0)?;
                run.does(&["act", id, "--on", &on, "type", "12345"])?;
                press(run, id, "button \"Inquire\"", 0)?;
                let told = run.does(&["show", id])?.to_string();
                ensure!(told.contains("\"type\"") && !told.contains(OPERATOR[1].1), "{told}");
                resumes(run, id)
            },
            ends: "0 none",
            pressed: &[],
        },
        Row {
            code: "target_not_found",
            edit: &[
                ("/steps/1/action/target/candidates/0/find/name", "\"Not there\""),
                ("/limits", "{\"step_deadline_ms\": 1500}"),
            ],
            pressed: &[("T02.next", 1)],
            ..case_row(
                "target_not_found",
                "t02_covered",
                |run, id, _| {
                    run.does(&["claim", id])?;
                    press(run, id, "button \"Next\"", 0)?;
                    resumes(run, id)
                },
                "0 none",
            )
        },
        Row {
            edit: &[("/limits", "{\"step_deadline_ms\": 1100}")],
            pressed: &[("T02.next", 1)],
            ..case_row(
                "covered_by",
                "t02_covered",
                |run, id, _| {
                    run.does(&["claim", id])?;
                    // The cover goes away while the person looks at it: their press reaches what the step's did not.
                    press(run, id, "button \"Next\"", 0)?;
                    resumes(run, id)
                },
                "0 none",
            )
        },
        Row {
            edit: &[
                (
                    "/steps/1/precondition",
                    "{\"description\": \"It is another page.\", \"condition\": {\"kind\": \"title_matches\", \"match\": {\"text\": \"elsewhere\", \"rule\": \"equals\"}}}",
                ),
                ("/limits", "{\"step_deadline_ms\": 1500}"),
            ],
            ..case_row("unexpected_state", "t02_covered", abort, "3 unexpected_state")
        },
        case_row("fingerprint_mismatch", "l05_hint_alone", abort, "3 fingerprint_mismatch"),
        Row {
            pressed: &[("F06.look_up", 1)],
            ..case_row("unexpected_window", "f06_window_undeclared", abort, "3 unexpected_window")
        },
        case_row("effect_unknown", "t05_risky", abort, "3 effect_unknown"),
        Row {
            pressed: &[("D01.delete", 1)],
            ..case_row(
                "risk_approval",
                "d01_undeclared",
                |run, id, _| {
                    ensure!(run.refused(&["resume", id])? == "not_ready", "a resume is no yes");
                    ensure!(run.refused(&["approve", id, "--digest", "hmac-sha256:00"])? == "approval_void", "guessed");
                    let approval = run.does(&["show", id])?["approval"].clone();
                    ensure!(approval["on"].as_str().is_some_and(|on| on.contains("Delete")), "{approval}");
                    let digest = approval["digest"].as_str().context("no digest")?;
                    run.does(&["approve", id, "--digest", digest]).map(drop)
                },
                // What the page asks then is declared nowhere: that is another request.
                "3 unexpected_dialog",
            )
        },
    ]
}

/// The artifact of a row, as a file that the run is given.
fn artifact(row: &Row, folder: &Path) -> Result<String> {
    let name = match row.artifact {
        name if name.contains('/') => name.to_owned(),
        name => format!("fixtures/case-artifacts/{name}.json"),
    };
    if row.edit.is_empty() {
        return Ok(name);
    }
    let mut document: Value = serde_json::from_slice(&std::fs::read(root().join(&name))?)?;
    for (pointer, value) in row.edit {
        let value: Value = serde_json::from_str(value)?;
        let (above, last) = pointer.rsplit_once('/').context("a pointer")?;
        let all: Vec<String> = match above.split_once("/*") {
            Some((list, _)) => {
                let count = document.pointer(list).and_then(Value::as_array).map_or(0, Vec::len);
                (0..count).map(|at| format!("{list}/{at}")).collect()
            }
            None => vec![above.to_owned()],
        };
        for place in all {
            document.pointer_mut(&place).context("no such place")?[last] = value.clone();
        }
    }
    let file = folder.join("edited.json");
    std::fs::write(&file, document.to_string())?;
    Ok(file.to_str().context("a plain path")?.to_owned())
}

fn every_row(more: &[&str]) -> Result<()> {
    for row in rows() {
        let (_runtime, running, address, log) = if row.console { console()? } else { cases()? };
        if row.console {
            running.inject(row.fault.split_whitespace().map(str::parse).collect::<Result<Vec<_>, _>>()?)?;
        }
        let folder = tempfile::tempdir()?;
        let artifact = artifact(&row, folder.path())?;
        let member = if row.console { &MEMBER[..] } else { &[] };
        let mut run = Attended::begin(&address, &artifact, &[member, more].concat())?;
        let told = |error: anyhow::Error| error.context(format!("{} {}", row.code, row.artifact));
        let request = run.waits("").map_err(told)?;
        ensure!(request["code"] == row.code, "{}: {request:#}", row.code);
        let id = request["id"].as_str().context("no id")?.to_owned();
        (row.help)(&run, &id, &running).map_err(told)?;
        if row.code == "risk_approval" {
            let second = run.waits(&id).map_err(told)?;
            let second = second["id"].as_str().context("no id")?;
            run.does(&["abort", second, "--reason", "enough"]).map_err(told)?;
        }
        let ran = run.ends().map_err(told)?;
        assert_eq!(ran.ended(), row.ends, "{}: {}", row.code, ran.result);
        assert_eq!(ran.result["human_assisted"], row.ends.starts_with('0') || row.code == "risk_approval");
        for (mark, times) in row.pressed {
            assert_eq!(clicks(&log, mark), *times, "{}: {mark}", row.code);
        }
        assert_eq!(log.count(|event| !event.trusted), 0, "{}", row.code);
    }
    Ok(())
}

#[test]
fn a_person_helps_out_of_every_code_that_asks_for_one_and_the_run_goes_on_in_the_same_session() -> Result<()> {
    every_row(&[])
}

/// The artifact of a run that waits at two buttons of one name.
fn blocked(address: &str, running: &Running, more: &[&str]) -> Result<(Attended, String)> {
    running.clear_faults();
    running.inject([("duplicate_control@MI0200").parse()?])?;
    let mut run = Attended::begin(address, LOOKUP, &[&MEMBER, more].concat())?;
    let id = run.waits("")?["id"].as_str().context("no id")?.to_owned();
    Ok((run, id))
}

#[test]
fn whoever_is_killed_leaves_a_request_that_tells_the_truth() -> Result<()> {
    let (_runtime, running, address, log) = console()?;
    // The program that owns the run.
    let (mut run, id) = blocked(&address, &running, &[])?;
    run.does(&["claim", &id])?;
    if let Some(child) = &mut run.run {
        child.kill()?;
        child.wait()?;
    }
    assert_eq!(run.does(&["show", &id])?["state"], "session_gone");
    assert_eq!(run.refused(&["resume", &id])?, "session_gone");
    assert_eq!(run.refused(&["claim", &id])?, "session_gone");
    // The same, where the index went with it: it is made anew from the folders.
    for file in ["index.sqlite", "index.sqlite-wal", "index.sqlite-shm"] {
        let _ = std::fs::remove_file(run.root.join(file));
    }
    assert_eq!(run.does(&["show", &id])?["state"], "session_gone");

    // The browser, while a person drives.
    let (run, id) = blocked(&address, &running, &[])?;
    run.does(&["claim", &id])?;
    let owner = run.run.as_ref().map(Child::id).context("no process")?;
    let browser = children(owner)?.into_iter().next().context("no browser")?;
    // It is the first of a group of its own.
    Command::new("kill").args(["-9", "--", &format!("-{browser}")]).status()?;
    let root = run.root.clone();
    let ran = run.ends()?;
    assert_eq!(ran.ended(), "3 target_ambiguous", "{}", ran.result);
    assert_eq!(ran.result["escalation"]["state"], "session_gone");
    assert!(root.is_dir() && ran.journal.iter().any(|line| line["event"] == "intervention_ended"));

    // The run is told to end, while a person drives.
    let (mut run, id) = blocked(&address, &running, &[])?;
    run.does(&["claim", &id])?;
    let owner = run.run.as_mut().map(|child| child.id()).context("no process")?;
    Command::new("kill").args(["-TERM", &owner.to_string()]).status()?;
    let ran = run.ends()?;
    assert_eq!(ran.ended(), "143 interrupted", "{}", ran.result);
    assert_eq!(clicks(&log, "inquiry.submit"), 0, "nobody pressed what was there twice");
    Ok(())
}

/// The processes that a process started.
fn children(parent: u32) -> Result<Vec<u32>> {
    let text = std::fs::read_to_string(format!("/proc/{parent}/task/{parent}/children"))?;
    Ok(text.split_whitespace().filter_map(|pid| pid.parse().ok()).collect())
}

#[test]
fn the_terminal_that_a_run_was_started_from_and_another_one_that_is_attached_drive_it_too() -> Result<()> {
    use std::io::Write as _;
    let (_runtime, running, address, log) = console()?;
    for here in [true, false] {
        running.clear_faults();
        running.inject([("undeclared_dialog:1@SA0320").parse()?])?;
        log.clear();
        let mut run = Attended::begin(&address, LOOKUP, &MEMBER)?;
        if here {
            // The same call, waiting at its own terminal.
            drop(run);
            let evidence = tempfile::tempdir()?;
            let child = Command::new(waymark()?)
                .current_dir(root())
                .args(["replay", "--artifact", LOOKUP, "--base-url", &address, "--json", "--operator", "console"])
                .arg("--evidence")
                .arg(evidence.path())
                .args(MEMBER)
                .envs(OPERATOR)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .stderr(Stdio::piped())
                .spawn()?;
            running.clear_faults();
            running.inject([("undeclared_dialog:1@SA0320").parse()?])?;
            log.clear();
            let root = evidence.path().to_owned();
            run = Attended { run: Some(child), evidence, root };
        }
        let id = run.waits("")?["id"].as_str().context("no id")?.to_owned();
        let orders = "c\nt\naccept\nr taken note of\n";
        if here {
            let stdin = run.run.as_mut().and_then(|child| child.stdin.as_mut()).context("no terminal")?;
            stdin.write_all(orders.as_bytes())?;
        } else {
            let mut attached = Command::new(waymark()?)
                .current_dir(root())
                .args(["attach", &id, "--as", "ann", "--evidence"])
                .arg(&run.root)
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()?;
            attached.stdin.take().context("no terminal")?.write_all(orders.as_bytes())?;
            let told = String::from_utf8(attached.wait_with_output()?.stdout)?;
            assert!(told.contains("unexpected_dialog") && told.contains("ann drives"), "{told}");
        }
        let ran = run.ends()?;
        assert_eq!(ran.ended(), "0 none", "{}", ran.result);
        assert_eq!(ran.result["human_assisted"], true);
        let note = ran.journal.iter().find(|line| line["event"] == "intervention_ended").context("no end")?;
        assert_eq!(note["intervention"]["resolution"]["note"], "taken note of");
    }
    Ok(())
}

#[test]
fn a_window_of_its_own_is_driven_as_well() -> Result<()> {
    let (_runtime, running, address, log) = console()?;
    let evidence = tempfile::tempdir()?;
    running.inject([("duplicate_control@MI0200").parse()?])?;
    let child = Command::new("xvfb-run")
        .arg("-a")
        .arg(waymark()?)
        .current_dir(root())
        .args(["replay", "--artifact", LOOKUP, "--base-url", &address, "--json", "--operator", "app", "--headed"])
        .arg("--evidence")
        .arg(evidence.path())
        .args(MEMBER)
        .envs(OPERATOR)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("xvfb-run is not installed")?;
    let root = evidence.path().to_owned();
    let mut run = Attended { run: Some(child), evidence, root };
    let id = run.waits("")?["id"].as_str().context("no id")?.to_owned();
    run.does(&["claim", &id])?;
    press(&run, &id, "button \"Inquire\"", 1)?;
    resumes(&run, &id)?;
    let ran = run.ends()?;
    assert_eq!(ran.ended(), "0 none", "{}", ran.result);
    assert_eq!(clicks(&log, "sign_on.submit"), 1);
    Ok(())
}
