//! One discovery that goes wrong at a chosen turn, and the judgement of what is left.

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use waymark_fixture_apps::{Options, serve_parabank};
use waymark_test_support::canary::forms;

use super::endpoint::{Endpoint, Question, Says, player};
use super::job::{Bounds, Job, PASSWORD, granted};
use super::server::Answer;
use crate::abrupt::{files, processes};

/// What goes wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Blow {
    /// The model's connection closes without a word.
    ModelClosed,
    /// It never answers.
    ModelSilent,
    /// It says that too much was asked, again and again.
    ModelLimited,
    /// It fails.
    ModelFails,
    /// It answers with what is no JSON.
    ModelGarbage,
    /// Its answer ends too early.
    ModelCut,
    /// It calls a tool that there is not.
    ModelOtherTool,
    /// It answers in words.
    ModelWords,
    /// It says that it will not.
    ModelRefuses,
    /// The program is told to end while the model thinks, once.
    Interrupted,
    /// Twice.
    InterruptedTwice,
    /// By another signal.
    Terminated,
    /// Once while the answer is carried out.
    InterruptedActing,
    /// Twice.
    InterruptedTwiceActing,
    /// The browser is killed while the model thinks.
    BrowserKilled,
    /// While the answer is carried out.
    BrowserKilledActing,
    /// No more turns are allowed.
    Steps,
    /// No more calls.
    Calls,
    /// No more money.
    Money,
    /// The time is over while the model thinks.
    Seconds,
}

impl Blow {
    pub const ALL: [Blow; 20] = [
        Blow::ModelClosed,
        Blow::ModelSilent,
        Blow::ModelLimited,
        Blow::ModelFails,
        Blow::ModelGarbage,
        Blow::ModelCut,
        Blow::ModelOtherTool,
        Blow::ModelWords,
        Blow::ModelRefuses,
        Blow::Interrupted,
        Blow::InterruptedTwice,
        Blow::Terminated,
        Blow::InterruptedActing,
        Blow::InterruptedTwiceActing,
        Blow::BrowserKilled,
        Blow::BrowserKilledActing,
        Blow::Steps,
        Blow::Calls,
        Blow::Money,
        Blow::Seconds,
    ];

    /// Those that can also strike while the draft is verified.
    pub const LATE: [Blow; 4] = [Blow::Interrupted, Blow::InterruptedTwice, Blow::Terminated, Blow::BrowserKilled];

    /// Its word.
    #[must_use]
    pub fn word(self) -> String {
        serde_json::to_value(self).ok().and_then(|word| word.as_str().map(str::to_owned)).unwrap_or_default()
    }

    /// The answers of the model that are the blow.
    fn wire(self) -> Option<Answer> {
        let told = |message: Value| {
            let choice = serde_json::json!({"index": 0, "finish_reason": "stop", "message": message});
            Answer::json(200, &serde_json::json!({"choices": [choice]}))
        };
        let error = || serde_json::json!({"error": {"message": "made up", "type": "made_up"}});
        Some(match self {
            Blow::ModelClosed => Answer::Closed,
            Blow::ModelSilent | Blow::Interrupted | Blow::InterruptedTwice | Blow::Terminated | Blow::Seconds => {
                Answer::Silence
            }
            Blow::ModelLimited => Answer::json(429, &error()),
            Blow::ModelFails => Answer::json(503, &error()),
            Blow::ModelGarbage => {
                Answer::Body(200, "application/json", Vec::new(), "<html>not a model</html>".to_owned())
            }
            Blow::ModelCut => Answer::Cut(r#"{"choices": [{"message": {"tool_calls": [{"fun"#.to_owned()),
            Blow::ModelOtherTool => {
                let call = serde_json::json!({"id": "c", "type": "function",
                    "function": {"name": "navigate", "arguments": "{\"url\": \"http://127.0.0.1:9/\"}"}});
                told(serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]}))
            }
            Blow::ModelWords => told(serde_json::json!({"role": "assistant", "content": "I would press Log In."})),
            Blow::ModelRefuses => {
                told(serde_json::json!({"role": "assistant", "content": null, "refusal": "I will not."}))
            }
            _ => return None,
        })
    }

    /// Exit and code that fit it, before the draft is there.
    fn endings(self) -> &'static [&'static str] {
        match self {
            Blow::ModelClosed
            | Blow::ModelSilent
            | Blow::ModelLimited
            | Blow::ModelFails
            | Blow::ModelGarbage
            | Blow::ModelCut
            | Blow::ModelRefuses => &["1 model_unavailable"],
            Blow::ModelOtherTool | Blow::ModelWords => &["1 invalid_model_output"],
            Blow::Interrupted | Blow::InterruptedTwice | Blow::InterruptedActing | Blow::InterruptedTwiceActing => {
                &["130 interrupted"]
            }
            Blow::Terminated => &["143 interrupted"],
            Blow::BrowserKilled => &["1 browser_gone"],
            // It may have needed its browser no more, or the next one was met.
            Blow::BrowserKilledActing => &["1 browser_gone", "1 effect_unknown", "1 not_verified", "0 none"],
            Blow::Steps | Blow::Calls | Blow::Money | Blow::Seconds => &["1 budget_spent"],
        }
    }

    fn bounds(self, at: usize) -> Bounds {
        let none = Bounds::default();
        match self {
            Blow::Steps => Bounds { steps: Some(at), ..none },
            Blow::Calls => Bounds { calls: Some(at), ..none },
            Blow::Money => Bounds { paid: Some(at), ..none },
            Blow::Seconds => Bounds { seconds: Some(SECONDS), ..none },
            _ => Bounds { call_seconds: Some(CALL_SECONDS), ..none },
        }
    }

    /// Whether the model answers all the same, so that the discovery may go on for a while.
    #[must_use]
    pub fn goes_on(self) -> bool {
        matches!(self, Blow::InterruptedActing | Blow::InterruptedTwiceActing | Blow::BrowserKilledActing)
    }

    /// How long it may take from the blow to the end.
    fn soon(self) -> Duration {
        match self {
            Blow::Seconds => Duration::from_secs(SECONDS.into()) + SOON,
            _ => Duration::from_secs(CALL_SECONDS.into()) + SOON,
        }
    }
}

/// Where it strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum At {
    /// When this turn, from 1, is asked for.
    Turn(usize),
    /// When so many lines of journals were told after the draft was there.
    Line(usize),
}

/// What came of one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    pub job: String,
    pub blow: Blow,
    pub at: At,
    /// Exit and code.
    pub ended: String,
    pub effect: String,
    /// How often the stand-in booked a transfer or a payment.
    pub booked: usize,
    /// Turns that the journal tells of.
    pub turns: usize,
    /// From the blow until the program was gone.
    pub ended_ms: u64,
    /// Whether there is a draft.
    pub draft: bool,
    /// What is not as promised.
    pub wrong: Vec<String>,
}

/// Seconds of a question, and of a discovery whose time is to end.
const CALL_SECONDS: u32 = 2;
const SECONDS: u32 = 6;
/// The last picture and leaving the page may take five seconds each, on a busy machine.
const SOON: Duration = Duration::from_secs(12);
/// Longer takes no discovery.
const PATIENCE: Duration = Duration::from_secs(150);

/// Turns of a job.
///
/// # Errors
/// There is none of that name.
pub fn turns(job: &str) -> Result<usize> {
    Ok(Job::named(job, Bounds::default())?.script()?.lines().filter(|line| line.starts_with('{')).count())
}

/// Lines of journals after the draft of a job that is not disturbed was there.
///
/// # Errors
/// It does not succeed.
pub fn lines_after_draft(waymark: &Path, job: &str) -> Result<usize> {
    let run = Struck::run(waymark, job, None)?;
    ensure!(run.ended() == "0 none", "{job} fails undisturbed: {} {}", run.ended(), run.told);
    let after = run.said.iter().position(|line| is_draft(line)).context("no draft")?;
    Ok(run.said.len() - after - 2)
}

/// Discovers, strikes, and judges what is left.
///
/// # Errors
/// It could not be run. What is not as promised is no error but stands in the line.
pub fn strike(waymark: &Path, job: &str, blow: Blow, at: At) -> Result<Line> {
    let run = Struck::run(waymark, job, Some((blow, at)))?;
    let mut line = Line {
        job: job.to_owned(),
        blow,
        at,
        ended: run.ended(),
        effect: run.result()["effect"].as_str().unwrap_or("?").to_owned(),
        booked: run.booked,
        turns: 0,
        ended_ms: u64::try_from(run.ended_after.as_millis()).unwrap_or(u64::MAX),
        draft: false,
        wrong: Vec::new(),
    };
    run.judge_end(&mut line);
    run.judge_left(&mut line);
    run.judge_artifacts(&mut line)?;
    run.judge_recording(&mut line)?;
    Ok(line)
}

/// Who is struck, known once it runs, and when it was.
#[derive(Default)]
struct Target {
    program: Option<u32>,
    struck: Option<Instant>,
}

struct Struck {
    waymark: PathBuf,
    blow: Option<(Blow, At)>,
    left: tempfile::TempDir,
    temporary: tempfile::TempDir,
    exit: Option<i32>,
    ended_after: Duration,
    said: Vec<String>,
    told: String,
    asked: Vec<u8>,
    booked: usize,
}

impl Struck {
    fn run(waymark: &Path, job: &str, blow: Option<(Blow, At)>) -> Result<Self> {
        let bounds = match blow {
            Some((blow, At::Turn(at))) => blow.bounds(at),
            _ => Bounds::default(),
        };
        let job = Job::named(job, bounds)?;
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let bank =
            runtime.block_on(serve_parabank(Options { password: Some(PASSWORD.to_owned()), ..Options::default() }))?;
        let target = Arc::new(Mutex::new(Target::default()));
        let endpoint = endpoint(&job, blow, &target)?;
        let (left, temporary) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let mut child =
            job.call(waymark, &bank.base_url(), &endpoint.arguments(), left.path(), temporary.path()).spawn()?;
        locked(&target).program = Some(child.id());
        let (lines, errors) = (output(&mut child)?, errors(&mut child)?);
        let (end, mut said, mut late) = (Instant::now() + PATIENCE, Vec::new(), None);
        let exit = loop {
            match lines.recv_timeout(Duration::from_millis(2)) {
                Ok(line) => {
                    late = late.map(|lines| lines + 1).or_else(|| is_draft(&line).then_some(0));
                    said.push(line);
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => std::thread::sleep(Duration::from_millis(2)),
            }
            if let Some((blow, At::Line(at))) = blow
                && late.is_some_and(|lines| lines >= at)
                && locked(&target).struck.is_none()
            {
                hit(blow, &target);
            }
            if let Some(exit) = child.try_wait()? {
                break exit;
            }
            if Instant::now() > end {
                child.kill()?;
                child.wait()?;
                anyhow::bail!("it did not end within {PATIENCE:?}");
            }
        };
        let ended_after = locked(&target).struck.map(|at| at.elapsed()).unwrap_or_default();
        said.extend(lines.iter());
        Ok(Struck {
            waymark: waymark.to_owned(),
            blow,
            left,
            temporary,
            exit: exit.code(),
            ended_after,
            said,
            told: errors.join().unwrap_or_default(),
            asked: endpoint.bytes(),
            booked: bank.log().booked(),
        })
    }

    fn result(&self) -> Value {
        let last = self.said.last().map(String::as_str).unwrap_or_default();
        serde_json::from_str::<Value>(last).unwrap_or_default()["result"].clone()
    }

    fn ended(&self) -> String {
        let code = self.result()["error"]["code"].as_str().unwrap_or("none").to_owned();
        format!("{} {code}", self.exit.map_or_else(|| "killed".to_owned(), |exit| exit.to_string()))
    }

    fn judge_end(&self, line: &mut Line) {
        let Some((blow, at)) = self.blow else { return };
        let fits = match at {
            At::Turn(_) => blow.endings().contains(&line.ended.as_str()),
            // Whoever is told to end after everything was done says so, and a browser may be one that nothing needs any more.
            At::Line(_) if blow == Blow::BrowserKilled => ["1 not_verified", "0 none"].contains(&line.ended.as_str()),
            At::Line(_) => line.ended == "0 none" || blow.endings().contains(&line.ended.as_str()),
        };
        let mut wrong = |holds: bool, what: String| {
            if !holds {
                line.wrong.push(what);
            }
        };
        wrong(fits, format!("it ended with {} {}", line.ended, self.result()["error"]["message"]));
        wrong(self.result()["exit_code"].as_i64() == self.exit.map(i64::from), "it says another exit code".to_owned());
        wrong(self.ended_after < blow.soon(), format!("it took {} ms to end", line.ended_ms));
        let fits = match line.effect.as_str() {
            "none" => line.booked == 0,
            "done" => line.booked == 1,
            "unknown" => line.booked <= 1 && granted(&line.job).is_some(),
            _ => false,
        };
        wrong(fits, format!("effect {} and {} bookings", line.effect, line.booked));
    }

    /// No process, no file beside what it is to leave, and the password nowhere.
    fn judge_left(&self, line: &mut Line) {
        line.wrong
            .extend(processes(self.temporary.path()).into_iter().map(|left| format!("a process is left: {left}")));
        line.wrong.extend(files(self.temporary.path()).into_iter().map(|left| format!("a file is left: {left}")));
        let evidence = files(&self.left.path().join("evidence"));
        let strange =
            |name: &&String| *name != ".hash-key" && !name.starts_with("discovery-") && !name.starts_with("verify-");
        line.wrong
            .extend(evidence.iter().filter(strange).map(|name| format!("in the place for evidence is left {name}")));
        let mut texts = vec![("standard error".to_owned(), self.told.clone().into_bytes())];
        texts.push(("standard output".to_owned(), self.said.join("\n").into_bytes()));
        texts.push(("the questions".to_owned(), self.asked.clone()));
        let mut folders = vec![self.left.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for name in files(&folder) {
                let path = folder.join(name);
                if path.is_dir() {
                    folders.push(path);
                } else {
                    texts.push((path.display().to_string(), std::fs::read(&path).unwrap_or_default()));
                }
            }
        }
        for (place, bytes) in texts {
            let found =
                forms(PASSWORD).into_iter().find(|(_, form)| bytes.windows(form.len()).any(|part| part == form));
            line.wrong.extend(found.map(|(form, _)| format!("the password stands in {place} {form}")));
        }
    }

    /// A draft is whole and says how far it was verified, or there is none.
    fn judge_artifacts(&self, line: &mut Line) -> Result<()> {
        let artifacts = self.left.path().join("artifacts");
        let names = files(&artifacts);
        let draft = names.iter().find(|name| name.ends_with(".json"));
        line.draft = draft.is_some();
        for name in names.iter().filter(|name| Some(*name) != draft && *name != "records") {
            line.wrong.push(format!("beside the draft is left {name}"));
        }
        let records = files(&artifacts.join("records"));
        let Some(draft) = draft else {
            if !records.is_empty() {
                line.wrong.push(format!("records of no draft: {records:?}"));
            }
            if line.ended == "0 none" {
                line.wrong.push("it says that it recorded, and there is no draft".to_owned());
            }
            return Ok(());
        };
        if matches!(line.at, At::Turn(_)) && !line.blow.goes_on() {
            line.wrong.push("there is a draft of what was not done".to_owned());
        }
        let valid = Command::new(&self.waymark).args(["validate", "--json"]).arg(artifacts.join(draft)).output()?;
        if valid.status.code() != Some(0) {
            line.wrong.push(format!("the draft is not valid: {}", String::from_utf8_lossy(&valid.stdout)));
        }
        let [record] = records.as_slice() else {
            line.wrong.push(format!("its records are {records:?}"));
            return Ok(());
        };
        let record: Value = serde_json::from_slice(&std::fs::read(artifacts.join("records").join(record))?)?;
        let verified = record["verified"].as_str().unwrap_or_default();
        if (verified == "failed") == (line.ended == "0 none") {
            line.wrong.push(format!("it ended with {} and is verified: {verified}", line.ended));
        }
        Ok(())
    }

    /// What was recorded is readable up to the blow.
    fn judge_recording(&self, line: &mut Line) -> Result<()> {
        let evidence = self.left.path().join("evidence");
        let Some(folder) = files(&evidence).into_iter().find(|name| name.starts_with("discovery-")) else {
            line.wrong.push("there is no folder".to_owned());
            return Ok(());
        };
        let shown = Command::new(&self.waymark).args(["runs", "show", "--json"]).arg(evidence.join(folder)).output()?;
        let shown: Value = serde_json::from_slice(&shown.stdout).context("`runs show` says nothing")?;
        let (first, ended) = (&shown["verified"]["first"], &shown["verified"]["ended"]);
        let problems = shown["journal"]["problems"].as_array().map_or(1, Vec::len);
        if problems > 0 || !first.is_null() || ended != true || !shown["result"].is_object() {
            line.wrong
                .push(format!("its recording does not read: {} {}", shown["verified"], shown["journal"]["problems"]));
        }
        let lines = shown["journal"]["lines"].as_array().cloned().unwrap_or_default();
        let of = |word: &str| {
            let turns = lines.iter().map(|line| &line["event"]).filter(|event| event["event"] == word);
            turns.filter_map(|event| event["turn"].as_u64()).collect::<Vec<_>>()
        };
        let (asked, came) = (of("asked"), of("came"));
        line.turns = asked.len();
        let Some((blow, At::Turn(at))) = self.blow else { return Ok(()) };
        // How far it comes in a time depends on the machine.
        let fits = match blow {
            Blow::Seconds => line.turns <= at,
            // What is read off the last look needs no browser, and a signal may come in the next turn.
            _ if blow.goes_on() || blow == Blow::BrowserKilled => (at..=at + 3).contains(&line.turns),
            _ => line.turns == at,
        };
        if !fits {
            line.wrong.push(format!("the recording tells of {} turns", line.turns));
        }
        if came.len() + 1 < asked.len() {
            line.wrong.push(format!("of {} turns {} came to something", asked.len(), came.len()));
        }
        Ok(())
    }
}

/// The model: it plays the job's script until it is struck.
fn endpoint(job: &Job, blow: Option<(Blow, At)>, target: &Arc<Mutex<Target>>) -> Result<Endpoint> {
    let mut plays = player(job.name, &job.script()?)?;
    let target = Arc::clone(target);
    Endpoint::start(move |question: &Question| {
        let Some((blow, At::Turn(at))) = blow else { return plays(question) };
        let number = question.number + 1;
        // A bound ends it after this turn.
        let bound = matches!(blow, Blow::Steps | Blow::Calls | Blow::Money);
        if number < at {
            return plays(question);
        }
        if number == at || locked(&target).struck.is_none() {
            hit(blow, &target);
        }
        match blow.wire().filter(|_| !bound) {
            Some(answer) => Says::Wire(answer),
            None => plays(question),
        }
    })
}

/// The blow itself, where it is not what the model says. What acts is struck soon after its answer.
fn hit(blow: Blow, target: &Arc<Mutex<Target>>) {
    locked(target).struck = Some(Instant::now());
    let Some(program) = locked(target).program else { return };
    let after = blow.goes_on();
    let strike = move || match blow {
        Blow::Interrupted | Blow::InterruptedActing => signal("-INT", &program.to_string()),
        Blow::InterruptedTwice | Blow::InterruptedTwiceActing => {
            signal("-INT", &program.to_string());
            std::thread::sleep(Duration::from_millis(150));
            signal("-INT", &program.to_string());
        }
        Blow::Terminated => signal("-TERM", &program.to_string()),
        // The installed program may be a script that starts the browser: the whole process group goes.
        Blow::BrowserKilled | Blow::BrowserKilledActing => {
            children(program).into_iter().for_each(|browser| signal("-KILL", &format!("-{browser}")));
        }
        _ => {}
    };
    if after {
        std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            strike();
        });
    } else {
        strike();
    }
}

fn locked(target: &Arc<Mutex<Target>>) -> std::sync::MutexGuard<'_, Target> {
    target.lock().unwrap_or_else(PoisonError::into_inner)
}

/// It may just have ended by itself.
fn signal(name: &str, to: &str) {
    let _ = Command::new("kill").args([name, "--", to]).stderr(std::process::Stdio::null()).status();
}

fn children(parent: u32) -> Vec<u32> {
    let stat = |id: &str| std::fs::read_to_string(format!("/proc/{id}/stat")).ok();
    let is_child = |id: &String| {
        let parent_of = stat(id).and_then(|stat| stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok());
        parent_of == Some(parent)
    };
    files(Path::new("/proc")).into_iter().filter(is_child).filter_map(|id| id.parse().ok()).collect()
}

fn is_draft(line: &str) -> bool {
    line.contains("\"event\":\"drafted\"")
}

fn output(child: &mut Child) -> Result<Receiver<String>> {
    let output = child.stdout.take().context("no output")?;
    let (tell, lines) = channel();
    std::thread::spawn(move || {
        BufReader::new(output).lines().map_while(Result::ok).try_for_each(|line| tell.send(line))
    });
    Ok(lines)
}

fn errors(child: &mut Child) -> Result<std::thread::JoinHandle<String>> {
    let mut errors = child.stderr.take().context("no errors")?;
    Ok(std::thread::spawn(move || {
        let mut text = String::new();
        drop(errors.read_to_string(&mut text));
        text
    }))
}
