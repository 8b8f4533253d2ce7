//! One run that is struck, and the judgement of what is left.

use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use waymark_fixture_apps::{Options, serve_parabank};

use super::job::{Job, sent};
use super::left::{files, processes};

/// How a run is ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Signal {
    Int,
    Term,
    Hup,
    Kill,
}

impl Signal {
    pub const ALL: [Signal; 4] = [Signal::Int, Signal::Term, Signal::Hup, Signal::Kill];

    /// The exit code that tells of it; `None` where none can be given.
    #[must_use]
    pub fn exit(self) -> Option<i32> {
        match self {
            Signal::Int => Some(130),
            Signal::Term => Some(143),
            Signal::Hup => Some(129),
            Signal::Kill => None,
        }
    }

    fn flag(self) -> &'static str {
        match self {
            Signal::Int => "-INT",
            Signal::Term => "-TERM",
            Signal::Hup => "-HUP",
            Signal::Kill => "-KILL",
        }
    }

    /// Sends it.
    ///
    /// # Errors
    /// There is no such process any more.
    pub fn send(self, to: u32) -> Result<()> {
        ensure!(Command::new("kill").args([self.flag(), "--", &to.to_string()]).status()?.success(), "kill {to}");
        Ok(())
    }
}

/// What came of one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub job: String,
    pub signal: Signal,
    /// The number of the journal's line that was written when the signal was sent.
    pub at: usize,
    /// Exit and code, or the state in the list of runs where there is no result.
    pub ended: String,
    pub effect: String,
    /// How often the stand-in got the transfer.
    pub sent: usize,
    /// Lines in the journal.
    pub lines: usize,
    pub torn: bool,
    /// From the signal until the program was gone.
    pub ended_ms: u64,
    /// The digest of the journal.
    pub journal: String,
    /// What is not as promised.
    pub wrong: Vec<String>,
}

/// Longer takes no run, not on a busy machine either.
const PATIENCE: Duration = Duration::from_secs(120);

/// The last picture may take five seconds and leaving the page as many.
const SOON_MS: u64 = 12_000;

/// How long the browser of a killed program may take to notice.
const NOTICED: Duration = Duration::from_secs(10);

/// The events of a run that is not disturbed, line by line.
///
/// # Errors
/// It does not succeed.
pub fn positions(waymark: &Path, job: &str) -> Result<Vec<String>> {
    let run = Struck::run(waymark, job, None)?;
    ensure!(run.exit.code() == Some(0), "{job} fails undisturbed: {:?}", run.result());
    let folder = run.folder().context("no folder")?;
    let text = std::fs::read_to_string(folder.join("run.jsonl"))?;
    let event = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap_or_default();
        line["event"].as_str().unwrap_or_default().to_owned()
    };
    Ok(text.lines().map(event).collect())
}

/// Runs a job, ends its program when line `at` of the journal is there, and judges what is left.
///
/// # Errors
/// The run could not be made. What is not as promised is no error but stands in the line.
pub fn strike(waymark: &Path, job: &str, signal: Signal, at: usize) -> Result<Line> {
    let run = Struck::run(waymark, job, Some((signal, at)))?;
    let mut line = Line {
        job: job.to_owned(),
        signal,
        at,
        ended: String::new(),
        effect: String::new(),
        sent: 0,
        lines: 0,
        torn: false,
        ended_ms: u64::try_from(run.ended_after.as_millis()).unwrap_or(u64::MAX),
        journal: String::new(),
        wrong: Vec::new(),
    };
    run.judge_left(&mut line);
    line.sent = run.sent();
    run.judge_folder(&mut line)?;
    run.judge_end(&mut line);
    if signal == Signal::Kill {
        run.judge_next_start(&mut line)?;
    }
    Ok(line)
}

/// A run that was struck, with all that it could touch.
struct Struck {
    waymark: PathBuf,
    _runtime: tokio::runtime::Runtime,
    bank: waymark_fixture_apps::Running,
    evidence: tempfile::TempDir,
    temporary: tempfile::TempDir,
    signal: Option<Signal>,
    exit: ExitStatus,
    ended_after: Duration,
    /// Lines of standard output.
    said: Vec<String>,
}

impl Struck {
    fn run(waymark: &Path, job: &str, blow: Option<(Signal, usize)>) -> Result<Self> {
        let job = Job::named(job, waymark)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let bank = runtime.block_on(serve_parabank(Options::default()))?;
        let (evidence, temporary) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let mut child = job.call(waymark, &bank.base_url(), evidence.path(), temporary.path()).spawn()?;
        let lines = reader(&mut child)?;
        let end = Instant::now() + PATIENCE;
        let mut said = Vec::new();
        let mut struck_at = None;
        let exit = loop {
            match lines.recv_timeout(Duration::from_millis(1)) {
                Ok(line) => said.push(line),
                Err(RecvTimeoutError::Timeout) => {}
                // Whoever closed its output ends next.
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(1)),
            }
            if let (Some((signal, at)), None) = (blow, struck_at)
                && reached(at, &said, evidence.path())
            {
                // It may just have ended by itself.
                let _ = signal.send(child.id());
                struck_at = Some(Instant::now());
            }
            if let Some(exit) = child.try_wait()? {
                break exit;
            }
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                anyhow::bail!("the run did not end within {PATIENCE:?}");
            }
        };
        let ended_after = struck_at.map(|at| at.elapsed()).unwrap_or_default();
        said.extend(lines.iter());
        Ok(Struck {
            waymark: waymark.to_owned(),
            _runtime: runtime,
            bank,
            evidence,
            temporary,
            signal: blow.map(|(signal, _)| signal),
            exit,
            ended_after,
            said,
        })
    }

    /// The result, where one was printed.
    fn result(&self) -> Option<Value> {
        let last: Value = serde_json::from_str(self.said.last()?).ok()?;
        last["exit_code"].is_number().then_some(last)
    }

    fn folder(&self) -> Option<PathBuf> {
        let names = files(self.evidence.path());
        names.iter().find(|name| name.starts_with("replay-")).map(|name| self.evidence.path().join(name))
    }

    fn sent(&self) -> usize {
        sent(&self.bank.log())
    }

    /// No process, and for whatever can tidy up no file either.
    fn judge_left(&self, line: &mut Line) {
        let killed = self.signal == Some(Signal::Kill);
        let end = Instant::now() + if killed { NOTICED } else { Duration::ZERO };
        let mut left = processes(self.temporary.path());
        while !left.is_empty() && Instant::now() < end {
            std::thread::sleep(Duration::from_millis(20));
            left = processes(self.temporary.path());
        }
        line.wrong.extend(left.into_iter().map(|process| format!("a process is left: {process}")));
        if !killed {
            line.wrong.extend(files(self.temporary.path()).into_iter().map(|file| format!("a file is left: {file}")));
        }
        for name in files(self.evidence.path()) {
            if name != ".hash-key" && !name.starts_with("replay-") {
                line.wrong.push(format!("in the place for evidence is left: {name}"));
            }
        }
    }

    /// The next start clears away what a killed one left, and whoever comes next finds all in order.
    fn judge_next_start(&self, line: &mut Line) -> Result<()> {
        let job = Job::named("overview", &self.waymark)?;
        let mut call = job.call(&self.waymark, &self.bank.base_url(), self.evidence.path(), self.temporary.path());
        // It clears away, and then there is no browser to start.
        let next = call.args(["--browser", "/bin/true"]).output()?;
        if next.status.code() != Some(1) {
            line.wrong.push(format!("the next start ends with {:?}", next.status.code()));
        }
        line.wrong.extend(files(self.temporary.path()).into_iter().map(|file| format!("a file is still left: {file}")));
        Ok(())
    }

    /// The folder alone tells what happened.
    fn judge_folder(&self, line: &mut Line) -> Result<()> {
        let Some(folder) = self.folder() else {
            line.wrong.push("there is no folder".to_owned());
            return Ok(());
        };
        let journal = std::fs::read(folder.join("run.jsonl")).unwrap_or_default();
        line.journal = hex::encode(Sha256::digest(&journal));
        let shown = self.asked(&["show", "latest"])?;
        let listed = self.asked(&["list"])?["items"][0].clone();
        line.lines = shown["journal"]["lines"].as_array().map_or(0, Vec::len);
        line.torn = shown["verified"]["torn"] == true;
        let mut wrong = |holds: bool, what: String| {
            if !holds {
                line.wrong.push(what);
            }
        };
        let word = |value: &Value| value.as_str().unwrap_or("?").to_owned();
        let summary = &shown["summary"];
        wrong(*summary == listed, format!("`runs list` and `runs show` differ: {listed} {summary}"));
        let result = shown["result"].is_object();
        let problems = shown["journal"]["problems"].as_array().map_or(1, Vec::len);
        let first = &shown["verified"]["first"];
        // Killed between the last line and the result, that is what is missing.
        let missing = !result && shown["verified"]["ended"] == true && first["line"] == 0;
        wrong(problems == 0 && (first.is_null() || missing), format!("it does not verify: {}", shown["verified"]));
        let state = word(&summary["state"]);
        wrong(state == if result { "ended" } else { "interrupted" }, format!("its state is {state}"));
        wrong(result || self.signal == Some(Signal::Kill), "it has no result".to_owned());
        let effect = word(&summary["effect"]);
        let risked = risky(&shown["journal"]["lines"]);
        wrong(line.sent <= 1, format!("it was sent {} times", line.sent));
        match effect.as_str() {
            "none" => wrong(line.sent == 0, "effect none, and it was sent".to_owned()),
            "done" => wrong(line.sent == 1, "effect done, and it was not sent".to_owned()),
            "unknown" => wrong(risked, "effect unknown, and nothing risky was begun".to_owned()),
            other => wrong(false, format!("effect {other}")),
        }
        line.effect = effect;
        line.ended = state;
        Ok(())
    }

    /// Exit code and printed result.
    fn judge_end(&self, line: &mut Line) {
        let (signal, result) = (self.signal.unwrap_or(Signal::Kill), self.result());
        let Some(result) = result else {
            if signal != Signal::Kill || self.exit.code().is_some() {
                line.wrong.push(format!("no result was printed, and it ended with {}", self.exit));
            }
            return;
        };
        let code = result["error"]["code"].as_str().unwrap_or("none").to_owned();
        let exit = self.exit.code();
        line.ended = format!("{} {code}", exit.map_or_else(|| "killed".to_owned(), |exit| exit.to_string()));
        let told = exit.is_none() || Some(i64::from(exit.unwrap_or(-1))) == result["exit_code"].as_i64();
        // Whoever is told to end after everything was done says so: nothing was interrupted.
        let fits = match code.as_str() {
            "interrupted" => exit == signal.exit(),
            "none" => exit == Some(0) || exit.is_none(),
            _ => false,
        };
        if !told || !fits {
            line.wrong.push(format!("it ended with {exit:?} and says {code}, {}", result["exit_code"]));
        }
        if result["effect"].as_str() != Some(&line.effect) {
            line.wrong.push(format!("printed is effect {}, the folder says {}", result["effect"], line.effect));
        }
        if line.ended_ms > SOON_MS {
            line.wrong.push(format!("it took {} ms to end", line.ended_ms));
        }
    }

    fn asked(&self, question: &[&str]) -> Result<Value> {
        let mut command = Command::new(&self.waymark);
        command.arg("runs").args(question).args(["--json", "--evidence"]).arg(self.evidence.path());
        let output = command.output()?;
        serde_json::from_slice(&output.stdout).with_context(|| format!("runs {question:?} says nothing"))
    }
}

/// Whether a risky act was allowed in these lines of a journal.
fn risky(lines: &Value) -> bool {
    let lines = lines.as_array().map(Vec::as_slice).unwrap_or_default();
    let mut events = lines.iter().map(|line| &line["event"]);
    events.any(|event| event["event"] == "authorized" && event["allowed"] == true && event["risk"] != "safe")
}

/// Whether the line of the journal is there: as the program says or, for the first and last, which it says to nobody,
/// as the file does.
fn reached(at: usize, said: &[String], evidence: &Path) -> bool {
    if at > 0 && said.last().is_some_and(|line| line.contains(&format!("\"seq\":{at},"))) {
        return true;
    }
    let folder = files(evidence).into_iter().find(|name| name.starts_with("replay-"));
    let journal = folder.and_then(|name| std::fs::read(evidence.join(name).join("run.jsonl")).ok());
    journal.is_some_and(|text| text.iter().filter(|byte| **byte == b'\n').count() > at)
}

/// Its standard output line by line, read while it runs.
fn reader(child: &mut Child) -> Result<Receiver<String>> {
    let output = child.stdout.take().context("no output")?;
    let (tell, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if tell.send(line).is_err() {
                break;
            }
        }
    });
    Ok(lines)
}
