//! The program's own end, at any time and in any way; and places it may not write to.

use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;
use waymark_fixture_apps::Delays;
use waymark_tests::abrupt::{JOBS, Job, Line, NAME, Signal, files, pick, positions, processes, render, strike};
use waymark_tests::report::{read, source_digest};

use crate::{OVERVIEW, children, clicks, parabank, root, signal, waymark};

const PARAMS: [&str; 2] = ["--params-file", "fixtures/params/john.json"];

/// Ends soon: much sooner than any deadline of a step or of a browser that does not answer.
const SOON: Duration = Duration::from_secs(4);

#[test]
fn whenever_it_is_ended_its_folder_tells_the_truth_and_nothing_is_left() -> Result<()> {
    let (waymark, seed) = (waymark()?, source_digest()?);
    let struck = |job: &'static str| -> Result<Vec<Line>> {
        let lines = positions(&waymark, job)?.len();
        let mut cells: Vec<(Signal, usize)> =
            Signal::ALL.into_iter().map(|signal| (signal, pick(&seed, &format!("{job} {signal:?}"), lines))).collect();
        // Most can go wrong where nobody tidies up.
        cells.extend(["first", "second"].map(|word| (Signal::Kill, pick(&seed, &format!("{job} {word}"), lines))));
        cells.into_iter().map(|(signal, at)| strike(&waymark, job, signal, at)).collect()
    };
    let lines: Vec<Line> = std::thread::scope(|scope| {
        let workers: Vec<_> = JOBS.map(|job| scope.spawn(move || struck(job))).into();
        let joined = workers.into_iter().map(|worker| worker.join().map_err(|_| anyhow::anyhow!("a run panicked"))?);
        joined.collect::<Result<Vec<_>>>().map(|lines| lines.concat())
    })?;
    let wrong: Vec<&Line> = lines.iter().filter(|line| !line.wrong.is_empty()).collect();
    ensure!(wrong.is_empty(), "waymark-abrupt --job JOB --signal SIGNAL --at LINE repeats one: {wrong:#?}");
    Ok(())
}

#[test]
fn the_stored_report_of_abrupt_ends_is_rendered_from_its_lines() -> Result<()> {
    let folder = root().join("evidence/evals");
    let (head, lines) = read::<Line>(&folder, NAME)?;
    let stored = std::fs::read_to_string(folder.join("abrupt.md"))?;
    ensure!(stored == render(&head, &lines), "abrupt.md is not what its lines say: ./x long abrupt");
    ensure!(lines.len() > 300 && lines.iter().all(|line| line.wrong.is_empty()), "the stored report has wrong runs");
    if head.sources != source_digest()? {
        eprintln!("the sources have moved on since the report was written: ./x long abrupt");
    }
    Ok(())
}

/// A run with places of its own.
struct Place {
    evidence: tempfile::TempDir,
    temporary: tempfile::TempDir,
}

impl Place {
    fn new() -> Result<Self> {
        Ok(Place { evidence: tempfile::tempdir()?, temporary: tempfile::tempdir()? })
    }

    fn call(&self, address: &str, more: &[&str]) -> Result<Command> {
        let mut command = crate::command(address, OVERVIEW, self.evidence.path(), &[&PARAMS[..], more].concat())?;
        command.env("TMPDIR", self.temporary.path());
        Ok(command)
    }

    /// A program in place of a browser.
    fn program(&self, text: &str) -> Result<PathBuf> {
        let path = self.evidence.path().join("program");
        std::fs::write(&path, format!("#!/bin/bash\n{text}\n"))?;
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o700))?;
        Ok(path)
    }

    fn nothing_is_left(&self) -> Result<()> {
        let (left, running) = (files(self.temporary.path()), processes(self.temporary.path()));
        ensure!(left.is_empty() && running.is_empty(), "left are {left:?} {running:?}");
        Ok(())
    }
}

/// Exit, code and effect, and that it ended soon.
fn ended(child: Child, struck: Instant) -> Result<String> {
    let output = child.wait_with_output()?;
    ensure!(struck.elapsed() < SOON, "it took {:?}", struck.elapsed());
    let result: Value = serde_json::from_slice(&output.stdout).context("exactly one object")?;
    let code = result["error"]["code"].as_str().unwrap_or("none");
    Ok(format!("{} {code}, effect {}", output.status.code().unwrap_or(-1), result["effect"].as_str().unwrap_or("?")))
}

fn within(limit: Duration, holds: impl Fn() -> bool) -> Result<()> {
    let end = Instant::now() + limit;
    while !holds() {
        ensure!(Instant::now() < end, "it never held");
        std::thread::sleep(Duration::from_millis(10));
    }
    Ok(())
}

#[test]
fn a_signal_while_the_browser_starts_is_not_kept_waiting_by_it() -> Result<()> {
    for (name, expected) in [("-INT", "130"), ("-TERM", "143"), ("-HUP", "129")] {
        let place = Place::new()?;
        // It starts and never gets ready.
        let program = place.program("exec sleep 600 # \"$@\"")?;
        let browser = program.to_str().context("a plain path")?;
        let child = place.call("http://127.0.0.1:9/parabank", &["--browser", browser])?.spawn()?;
        let waymark = child.id();
        within(Duration::from_secs(20), || children(waymark).is_ok_and(|found| !found.is_empty()))?;
        let started = children(waymark)?;
        signal(name, &waymark.to_string())?;
        assert_eq!(ended(child, Instant::now())?, format!("{expected} interrupted, effect none"));
        within(Duration::from_secs(2), || started.iter().all(|pid| !Path::new(&format!("/proc/{pid}")).exists()))?;
        place.nothing_is_left()?;
    }
    Ok(())
}

#[test]
fn a_second_signal_waits_for_nothing_and_still_gives_the_result() -> Result<()> {
    let (runtime, _running, address, log) =
        parabank(Delays { accounts: Duration::from_secs(60), ..Delays::default() })?;
    let place = Place::new()?;
    let child = place.call(&address, &[])?.spawn()?;
    let asked = log.wait_for(Duration::from_secs(60), |log| log.count_requests(|r| r.path.ends_with("/accounts")) > 0);
    ensure!(runtime.block_on(asked), "the run never came to the overview");
    let waymark = child.id().to_string();
    // A browser that does not answer: the last picture and leaving the page take their deadlines.
    for browser in children(child.id())? {
        signal("-STOP", &format!("-{browser}"))?;
    }
    signal("-INT", &waymark)?;
    std::thread::sleep(Duration::from_millis(300));
    signal("-TERM", &waymark)?;
    assert_eq!(ended(child, Instant::now())?, "143 interrupted, effect none");
    place.nothing_is_left()
}

#[test]
fn a_third_signal_ends_it_though_nobody_reads_what_it_says() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let place = Place::new()?;
    let (_unread, mut full) = std::io::pipe()?;
    // As much as a pipe holds: whoever writes more waits for a reader.
    full.write_all(&[b' '; 65_536])?;
    let mut child = place.call(&address, &["--events"])?.stdout(Stdio::from(full)).stderr(Stdio::null()).spawn()?;
    let journal = || files(place.evidence.path()).into_iter().find(|name| name.starts_with("replay-"));
    let started = || {
        let text = journal().and_then(|name| std::fs::read(place.evidence.path().join(name).join("run.jsonl")).ok());
        text.is_some_and(|text| text.windows(13).any(|part| part == b"\"run_started\""))
    };
    within(Duration::from_secs(30), started)?;
    for _ in 0..2 {
        signal("-INT", &child.id().to_string())?;
        std::thread::sleep(Duration::from_millis(200));
        ensure!(child.try_wait()?.is_none(), "it did not wait for its reader: this test proves nothing");
    }
    signal("-INT", &child.id().to_string())?;
    let struck = Instant::now();
    assert_eq!(child.wait()?.code(), Some(130));
    assert!(struck.elapsed() < SOON, "{:?}", struck.elapsed());
    within(Duration::from_secs(10), || processes(place.temporary.path()).is_empty())
}

#[test]
fn a_run_that_is_to_outlive_its_terminal_does() -> Result<()> {
    let (runtime, _running, address, log) =
        parabank(Delays { accounts: Duration::from_millis(1_500), ..Delays::default() })?;
    let place = Place::new()?;
    let own = place.call(&address, &[])?;
    let mut command = Command::new("nohup");
    command.current_dir(root()).arg(own.get_program()).args(own.get_args()).env("TMPDIR", place.temporary.path());
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let asked = log.wait_for(Duration::from_secs(60), |log| log.count_requests(|r| r.path.ends_with("/accounts")) > 0);
    ensure!(runtime.block_on(asked), "the run never came to the overview");
    signal("-HUP", &child.id().to_string())?;
    let output = child.wait_with_output()?;
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
    Ok(())
}

#[test]
fn a_transfer_that_was_interrupted_is_to_be_looked_up_and_not_to_be_called_again() -> Result<()> {
    let (runtime, _running, address, log) = parabank(Delays { submit: Duration::from_secs(60), ..Delays::default() })?;
    let (place, job) = (Place::new()?, Job::named("transfer", &waymark()?)?);
    let child = job.call(&waymark()?, &address, place.evidence.path(), place.temporary.path()).spawn()?;
    let sent = |log: &waymark_fixture_apps::Log| {
        log.count_requests(|request| request.method == "POST" && request.path.ends_with("/transfer"))
    };
    ensure!(runtime.block_on(log.wait_for(Duration::from_secs(60), |log| sent(log) > 0)), "it was never sent");
    signal("-TERM", &child.id().to_string())?;
    let output = child.wait_with_output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let result: Value = serde_json::from_str(text.lines().last().context("no result")?)?;
    assert_eq!((output.status.code(), &result["error"]["code"]), (Some(143), &"interrupted".into()), "{result}");
    assert_eq!((&result["effect"], &result["error"]["retryable"]), (&"unknown".into(), &false.into()), "{result}");
    assert!(result["error"]["next"].as_str().is_some_and(|next| next.starts_with("look the record up")), "{result}");
    assert_eq!(sent(&log), 1);
    place.nothing_is_left()
}

/// Runs a job where no file may grow beyond so many kilobytes, its browser's excepted.
fn limited(job: &Job, address: &str, place: &Place, kilobytes: usize) -> Result<(Option<i32>, Value)> {
    let browser = place.program("ulimit -S -f unlimited; exec chromium-headless-shell \"$@\"")?;
    let own = job.call(&waymark()?, address, &place.evidence.path().join("runs"), place.temporary.path());
    let mut command = Command::new("bash");
    command.args(["-c", &format!("ulimit -S -f {kilobytes}; exec \"$0\" \"$@\"")]);
    command.current_dir(root()).arg(own.get_program()).args(own.get_args()).arg("--browser").arg(browser);
    let output = command.env("TMPDIR", place.temporary.path()).stdin(Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().last().with_context(|| format!("nothing was printed: {:?}", output.status))?;
    Ok((output.status.code(), serde_json::from_str(last)?))
}

#[test]
fn where_the_evidence_finds_no_room_the_run_stops_before_it_acts_and_says_so() -> Result<()> {
    let mut met = std::collections::BTreeSet::new();
    for (name, sizes) in [("overview", [0, 1, 4, 9, 14, 40]), ("transfer", [20, 32, 44, 56, 72, 400])] {
        let job = Job::named(name, &waymark()?)?;
        for kilobytes in sizes {
            let (_runtime, _running, address, log) = parabank(Delays::default())?;
            let place = Place::new()?;
            let (exit, result) = limited(&job, &address, &place, kilobytes)?;
            let case = format!("{name} {kilobytes}: {result}");
            let code = result["error"]["code"].as_str().unwrap_or("none");
            met.insert(format!("{} {code}", exit.unwrap_or(-1)));
            let runs = place.evidence.path().join("runs");
            let folder = files(&runs).into_iter().find(|name| name.starts_with("replay-")).map(|name| runs.join(name));
            match (exit, code) {
                (Some(4), "invalid_invocation") => {
                    ensure!(folder.is_none() && log.requests().is_empty(), "{case}");
                    ensure!(result["error"]["problems"][0]["hint"].as_str().is_some_and(|h| !h.is_empty()), "{case}");
                    continue;
                }
                (Some(1), "evidence_unwritable") => ensure!(result["outputs"] == serde_json::json!({}), "{case}"),
                (Some(0), "none") => {}
                _ => anyhow::bail!("{case}"),
            }
            let folder = folder.context(case.clone())?;
            let journal = std::fs::read_to_string(folder.join("run.jsonl"))?;
            let allowed = |step: &str| {
                let of_step = |line: &&str| line.contains("\"authorized\"") && line.contains(&format!("\"{step}\""));
                journal.lines().filter(of_step).count()
            };
            let sent = log.count_requests(|r| r.method == "POST" && r.path.ends_with("/transfer"));
            ensure!(sent <= 1 && sent <= allowed("press_transfer"), "it was sent and is not written down: {case}");
            let pressed = clicks(&log, "login.submit");
            let clicked = journal.lines().filter(|l| l.contains("\"authorized\"") && l.contains("\"click\"")).count();
            ensure!(pressed <= clicked, "it was pressed and is not written down: {case}");
            ensure!(sent == 0 || result["effect"] != "none", "{case}");
            // Nothing that was cut reads as whole.
            let shown = Command::new(waymark()?)
                .args(["runs", "show", "--json", "--evidence"])
                .arg(&runs)
                .arg("latest")
                .output()?;
            let shown: Value = serde_json::from_slice(&shown.stdout)?;
            ensure!(shown["journal"]["problems"] == serde_json::json!([]), "{case} {}", shown["verified"]);
            let whole = shown["verified"]["first"].is_null() && shown["verified"]["ended"] == true;
            let says = shown["result"]["error"]["code"].as_str() == Some("evidence_unwritable");
            ensure!(exit == Some(0) || !whole || says, "it reads as whole: {case}");
            place.nothing_is_left()?;
        }
    }
    let met: Vec<&str> = met.iter().map(String::as_str).collect();
    assert_eq!(met, ["0 none", "1 evidence_unwritable", "4 invalid_invocation"], "each ending was met");
    Ok(())
}

#[test]
fn a_place_for_evidence_that_is_none_is_refused_before_anything_starts() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let place = Place::new()?;
    let file = place.evidence.path().join("file");
    std::fs::write(&file, "mine")?;
    for root in [file.clone(), file.join("below"), PathBuf::from("/proc/nowhere"), PathBuf::from("/dev/null")] {
        let output = crate::command(&address, OVERVIEW, &root, &PARAMS)?.output()?;
        let result: Value = serde_json::from_slice(&output.stdout)?;
        assert_eq!(output.status.code(), Some(4), "{root:?} {result}");
        let problem = &result["error"]["problems"][0];
        assert_eq!((&problem["place"], &problem["problem"]), (&"--evidence".into(), &"unwritable".into()), "{result}");
        assert!(problem["hint"].as_str().is_some_and(|hint| hint.contains("--evidence DIR")), "{result}");
    }
    assert_eq!(std::fs::read_to_string(file)?, "mine");
    assert!(log.requests().is_empty());
    Ok(())
}

#[test]
fn a_place_for_profiles_that_is_none_is_told_with_the_way_out() -> Result<()> {
    let (_runtime, _running, address, log) = parabank(Delays::default())?;
    let place = Place::new()?;
    let file = place.temporary.path().join("file");
    std::fs::write(&file, "mine")?;
    for temporary in [file.clone(), place.temporary.path().join("missing"), PathBuf::from("/proc")] {
        let output = place.call(&address, &[])?.env("TMPDIR", &temporary).output()?;
        let result: Value = serde_json::from_slice(&output.stdout)?;
        assert_eq!((output.status.code(), &result["error"]["code"]), (Some(1), &"browser_unavailable".into()));
        let message = result["error"]["message"].as_str().context("no message")?;
        assert!(message.contains("TMPDIR") && message.contains(&*temporary.to_string_lossy()), "{message}");
        assert_eq!(result["effect"], "none");
    }
    assert!(log.requests().is_empty());
    Ok(())
}

#[test]
fn several_at_once_have_folders_of_their_own_and_one_key() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let place = Place::new()?;
    let evidence = place.evidence.path().join("not/there/yet");
    let call = || -> Result<Child> {
        let mut command = crate::command(&address, OVERVIEW, &evidence, &PARAMS)?;
        Ok(command.env("TMPDIR", place.temporary.path()).spawn()?)
    };
    let running = (0..4).map(|_| call()).collect::<Result<Vec<_>>>()?;
    let mut hashes = std::collections::BTreeSet::new();
    for child in running {
        let ran = crate::ran(child.wait_with_output()?, tempfile::tempdir()?)?;
        assert_eq!(ran.ended(), "0 none", "{}", ran.result);
        let folder = ran.result["evidence"].as_str().context("no folder")?.to_owned();
        let started = ran.journal.iter().find(|line| line["event"] == "run_started").context("no start")?;
        hashes.insert(started["parameters"].to_string());
        let shown = Command::new(waymark()?).args(["runs", "show", "--json", &folder]).output()?;
        let shown: Value = serde_json::from_slice(&shown.stdout)?;
        assert_eq!((&shown["verified"]["first"], &shown["verified"]["ended"]), (&Value::Null, &true.into()));
    }
    assert_eq!(hashes.len(), 1, "equal values have equal hashes: {hashes:?}");
    let names = files(&evidence);
    assert_eq!(names.iter().filter(|name| name.starts_with("replay-success-")).count(), 4, "{names:?}");
    assert_eq!(names.len(), 5, "four folders and the key: {names:?}");
    place.nothing_is_left()
}
