//! Replays one capability again and again in one process, in a browser that runs already, and says what it cost.
//!
//! `repeat --ws ADDRESS --artifact FILE --params FILE --config DIR [--base-url URL] [--n 5] [--warmup 1] [--pictures]
//! [--evidence DIR] [--rss-every N]` prints one JSON line: the milliseconds of each run from the call to its result
//! (`wall`) and from its first step to its end (`steps`), processor time of this process for a run, its peak memory, and how
//! long a first connection took. With `--rss-every` its resident memory after each so many runs as well. Every run must
//! succeed with the same outputs as the first.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use serde_json::{Map, Value, json};
use tokio::sync::watch;
use waymark_api::{BrowserWish, Given, ReplayAnswer, ReplayRequest, TenantWish, parameters_of, replay};
use waymark_run::{JournalLine, RunEvent, RunStatus};
use waymark_web::Browser;

/// What the system counts processor time in: hundredths of a second, on every system that has `/proc`.
const TICK_MS: f64 = 10.0;

fn main() -> Result<(), Box<dyn Error>> {
    let options = Options::read()?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let line = runtime.block_on(measure(&options))?;
    println!("{line}");
    Ok(())
}

async fn measure(options: &Options) -> Result<Value, Box<dyn Error>> {
    let address = options.text("ws")?;
    let began = Instant::now();
    Browser::connect(address).await?.close().await;
    let connect_ms = milliseconds(began);

    let scratch = tempfile::tempdir()?;
    let evidence = options.one("evidence").map_or_else(|| scratch.path().to_owned(), PathBuf::from);
    let params = parameters_of("--params", Path::new(options.text("params")?)).map_err(|problem| problem.message)?;
    let request = ReplayRequest {
        wait: None,
        artifact: options.text("artifact")?.into(),
        tenant: TenantWish::Base,
        given: Given { json: params, texts: Vec::new() },
        found: Vec::new(),
        base_url: options.one("base-url").map(|url| url.trim_end_matches('/').to_owned()),
        attended: false,
        approve_risk: None,
        escalate: false,
        browser: BrowserWish::Address(address.to_owned()),
        headed: false,
        timeout: None,
        evidence_root: evidence,
        config: options.text("config")?.into(),
        keep_inputs: false,
        pictures: options.given.contains_key("pictures"),
    };
    let (runs, warm_up) = (options.number("n", 5)?, options.number("warmup", 1)?);
    let every = options.number("rss-every", 0)?;

    let mut outputs = None;
    for _ in 0..warm_up {
        once(&request, &mut outputs).await?;
    }
    let cpu_before = cpu_ms()?;
    let (mut wall, mut steps, mut resident) = (Vec::new(), Vec::new(), Vec::new());
    for run in 1..=runs {
        let began = Instant::now();
        steps.push(rounded(once(&request, &mut outputs).await?));
        wall.push(rounded(milliseconds(began)));
        if every > 0 && run % every == 0 {
            resident.push(rounded(memory_mb("VmRSS:")?));
        }
    }
    let cpu = cpu_ms()? - cpu_before;
    let mut line = json!({
        "client": "waymark", "n": runs, "wall": wall, "steps": steps, "cpuMsPerJob": rounded(cpu / runs.max(1) as f64),
        "maxRssMb": rounded(memory_mb("VmHWM:")?), "connectMs": rounded(connect_ms), "importMs": 0,
        "processCpuMs": cpu_ms()?,
    });
    if every > 0 {
        line["rssMb"] = json!(resident);
    }
    Ok(line)
}

/// One run; the milliseconds from its first step to its end.
async fn once(request: &ReplayRequest, outputs: &mut Option<BTreeMap<String, Value>>) -> Result<f64, Box<dyn Error>> {
    let (_told, stop) = watch::channel(None);
    let (mut first, mut last) = (None, Instant::now());
    let mut watcher = |line: &JournalLine, _: &Map<String, Value>| match line.event {
        RunEvent::RunStarted { .. } => first = Some(Instant::now()),
        RunEvent::StepEnded { .. } => last = Instant::now(),
        _ => {}
    };
    let answer = replay(request, &mut watcher, stop, None).await;
    let ReplayAnswer::Ended { result, .. } = answer else { return Err(format!("not started: {answer:?}").into()) };
    if result.status != RunStatus::Success || !result.evidence_gaps.is_empty() {
        return Err(format!("not a clean success: {result:?}").into());
    }
    if outputs.get_or_insert_with(|| result.outputs.clone()) != &result.outputs {
        return Err(format!("another run read something else: {:?}", result.outputs).into());
    }
    Ok(first.map_or(0.0, |first| last.duration_since(first).as_secs_f64() * 1000.0))
}

struct Options {
    given: BTreeMap<String, String>,
}

impl Options {
    fn read() -> Result<Self, Box<dyn Error>> {
        let mut given = BTreeMap::new();
        let mut words = std::env::args().skip(1).peekable();
        while let Some(word) = words.next() {
            let name = word.strip_prefix("--").ok_or_else(|| format!("`{word}` is no option"))?.to_owned();
            let value = words.next_if(|next| !next.starts_with("--")).unwrap_or_default();
            given.insert(name, value);
        }
        Ok(Options { given })
    }

    fn one(&self, name: &str) -> Option<&str> {
        self.given.get(name).map(String::as_str)
    }

    fn text(&self, name: &str) -> Result<&str, String> {
        self.one(name).ok_or_else(|| format!("--{name} is missing"))
    }

    fn number(&self, name: &str, otherwise: usize) -> Result<usize, std::num::ParseIntError> {
        self.one(name).map_or(Ok(otherwise), str::parse)
    }
}

/// Processor time of all threads of this process so far, those that ended included.
fn cpu_ms() -> Result<f64, Box<dyn Error>> {
    let stat = fs::read_to_string("/proc/self/stat")?;
    // The program's name in front may hold anything but a closing parenthesis with a blank behind it twice.
    let fields: Vec<&str> = stat.rsplit(") ").next().unwrap_or_default().split(' ').collect();
    let ticks = |at: usize| fields.get(at).and_then(|field| field.parse::<f64>().ok());
    let (user, system) = ticks(11).zip(ticks(12)).ok_or("/proc/self/stat has another form")?;
    Ok((user + system) * TICK_MS)
}

fn memory_mb(field: &str) -> Result<f64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix(field)).ok_or("/proc/self/status has another form")?;
    Ok(line.trim().trim_end_matches(" kB").parse::<f64>()? / 1024.0)
}

fn milliseconds(began: Instant) -> f64 {
    began.elapsed().as_secs_f64() * 1000.0
}

fn rounded(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}
