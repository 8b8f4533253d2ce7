//! `waymark operator` and `waymark attach`: answering for a run that waits for a person.

use std::convert::Infallible;
use std::io::{BufRead as _, IsTerminal as _, Read as _};
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use waymark_api::{
    HandoffStanding, OperatorAnswer, OperatorAsk, OperatorRejected, Order, PersonAct, intervention, interventions,
    order,
};
use waymark_run::{Code, ExitCode, Problem, Rejection, Resumption};

use crate::args::EvidencePlace;
use crate::progress::seconds;
use crate::terminal::{Terminal, plain};
use crate::usage;

pub(crate) const EXAMPLES: &str = "Examples:
  waymark operator list
  waymark operator check iv_k3v9q2mt
  waymark operator claim iv_k3v9q2mt
  waymark operator act iv_k3v9q2mt --on main.12 click
  waymark operator resume iv_k3v9q2mt --note \"picked the first of the two\"
  waymark operator abort iv_k3v9q2mt --reason \"the member called it off\"

Whoever waits is found by the evidence folder of the run (--evidence). A request is named by its id or that of its run.";

const HELP: &str = "waymark operator --help";

#[derive(Debug, Args)]
pub(crate) struct OperatorOptions {
    #[command(subcommand)]
    command: OperatorCommand,
    /// The folder of the runs
    #[arg(long, value_name = "DIR", default_value = "evidence/local", global = true)]
    evidence: PathBuf,
    /// Who you are, for the record; without it your user name
    #[arg(long = "as", value_name = "NAME", global = true)]
    name: Option<String>,
}

#[derive(Debug, Args)]
pub(crate) struct AttachOptions {
    /// Which request: its id or that of its run; without it the one that waits
    #[arg(value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    place: EvidencePlace,
    /// Who you are, for the record; without it your user name
    #[arg(long = "as", value_name = "NAME")]
    name: Option<String>,
}

#[derive(Debug, Args)]
struct Which {
    /// Which request: its id or that of its run
    #[arg(value_name = "ID")]
    id: String,
}

#[derive(Debug, Subcommand)]
enum OperatorCommand {
    /// List the requests for a person, those that a run waits for first
    #[command(visible_alias = "status")]
    List,
    /// Tell all of a request
    Show(Which),
    /// Say what a resume would do now, and why; changes nothing
    Check(Which),
    /// Take control of the session
    Claim(Which),
    /// Keep control for another lease
    Extend(Which),
    /// Let go of control; the run stays paused
    Release(Which),
    /// List what can be acted on, with its handle
    Elements(Which),
    /// Do something in the session, while you have control
    Act {
        #[command(flatten)]
        which: Which,
        /// The handle of the element, as `elements` lists it
        #[arg(long, value_name = "HANDLE")]
        on: Option<String>,
        #[command(subcommand)]
        act: ActCommand,
    },
    /// Let the run go on
    Resume {
        #[command(flatten)]
        which: Which,
        /// What is to be kept with it
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
    },
    /// Say yes to the step that waits for it, once
    Approve {
        #[command(flatten)]
        which: Which,
        /// What the yes is for, as `check` shows it
        #[arg(long, value_name = "DIGEST")]
        digest: String,
        /// What is to be kept with it
        #[arg(long, value_name = "TEXT", default_value = "")]
        note: String,
    },
    /// Say no to the step that waits for a yes; the run ends with 3
    Refuse {
        #[command(flatten)]
        which: Which,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// End the run; nothing is undone in the application
    Abort {
        #[command(flatten)]
        which: Which,
        /// Why
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
}

#[derive(Clone, Debug, Subcommand)]
enum ActCommand {
    /// Press it
    Click,
    /// Replace what it holds; `-` reads the text from standard input
    Type {
        /// The text; a secret belongs on standard input
        text: String,
    },
    /// Choose an option by its text
    Choose {
        /// The text
        option: String,
    },
    /// Switch it on
    Check,
    /// Switch it off
    Uncheck,
    /// Press a key
    Press {
        /// Such as Enter, Tab or Escape
        key: String,
    },
    /// Say yes to the open dialog
    Accept {
        /// The text of a prompt
        text: Option<String>,
    },
    /// Say no to the open dialog
    Dismiss,
    /// Close a window that the application opened
    Close {
        /// Its name
        window: String,
    },
    /// Load an address in the main window
    Open {
        /// The address
        location: String,
    },
}

impl ActCommand {
    fn act(self) -> std::io::Result<PersonAct> {
        Ok(match self {
            ActCommand::Click => PersonAct::Click {},
            ActCommand::Type { text } if text == "-" => {
                let mut text = String::new();
                std::io::stdin().read_to_string(&mut text)?;
                let text = text.strip_suffix('\n').unwrap_or(&text);
                PersonAct::Type { text: text.strip_suffix('\r').unwrap_or(text).to_owned() }
            }
            ActCommand::Type { text } => PersonAct::Type { text },
            ActCommand::Choose { option } => PersonAct::Choose { option },
            ActCommand::Check => PersonAct::SetChecked { checked: true },
            ActCommand::Uncheck => PersonAct::SetChecked { checked: false },
            ActCommand::Press { key } => PersonAct::PressKey { key },
            ActCommand::Accept { text } => PersonAct::Answer { accept: true, text },
            ActCommand::Dismiss => PersonAct::Answer { accept: false, text: None },
            ActCommand::Close { window } => PersonAct::CloseWindow { window },
            ActCommand::Open { location } => PersonAct::Open { location },
        })
    }
}

pub(crate) fn run(options: OperatorOptions, json: bool, terminal: &Terminal) -> ExitCode {
    let OperatorOptions { command, evidence, name } = options;
    let by = operator_name(name);
    let (which, ask) = match command {
        OperatorCommand::List => return list(&evidence, json, terminal),
        OperatorCommand::Show(which) => return show(&evidence, &which.id, json, terminal),
        OperatorCommand::Check(which) => (which, OperatorAsk::Check {}),
        OperatorCommand::Claim(which) => (which, OperatorAsk::Claim {}),
        OperatorCommand::Extend(which) => (which, OperatorAsk::Extend {}),
        OperatorCommand::Release(which) => (which, OperatorAsk::Release {}),
        OperatorCommand::Elements(which) => (which, OperatorAsk::Elements {}),
        OperatorCommand::Act { which, on, act } => match act.act() {
            Ok(act) => (which, OperatorAsk::Act { on, act }),
            Err(error) => {
                let problem = Problem::new("-", "unreadable", error.to_string(), "give the text on standard input");
                return usage::answer(&Rejection::of(Code::InvalidInvocation, problem), json, terminal, HELP);
            }
        },
        OperatorCommand::Resume { which, note } => (which, OperatorAsk::Resume { note }),
        OperatorCommand::Approve { which, digest, note } => (which, OperatorAsk::Approve { digest, note }),
        OperatorCommand::Refuse { which, reason } => (which, OperatorAsk::Refuse { reason }),
        OperatorCommand::Abort { which, reason } => (which, OperatorAsk::Abort { reason }),
    };
    match asked(&evidence, &which.id, &by, ask) {
        Ok(answer) if json => {
            terminal.json(&answer);
            ExitCode::SUCCESS
        }
        Ok(answer) => {
            terminal.out(&stands(&answer.standing));
            ExitCode::SUCCESS
        }
        Err(rejected) => refuse(&rejected, json, terminal),
    }
}

fn asked(evidence: &Path, id: &str, by: &str, ask: OperatorAsk) -> Result<OperatorAnswer, Box<OperatorRejected>> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(|error| {
        let problem = Problem::new("", "loop", error.to_string(), "");
        Box::new(OperatorRejected { rejection: Rejection::of(Code::Internal, problem), resumption: None })
    })?;
    runtime.block_on(order(evidence, id, by, ask))
}

fn refuse(rejected: &OperatorRejected, json: bool, terminal: &Terminal) -> ExitCode {
    if json {
        let mut document = serde_json::to_value(&rejected.rejection).unwrap_or_default();
        if let Some(resumption) = &rejected.resumption {
            document["resumption"] = json!(resumption);
        }
        terminal.json(&document);
    } else {
        usage::show(&rejected.rejection, terminal, HELP);
        if let Some(text) = rejected.resumption.as_deref().and_then(approval) {
            terminal.err(text.trim_end());
        }
    }
    rejected.rejection.exit_code
}

fn list(evidence: &Path, json: bool, terminal: &Terminal) -> ExitCode {
    let list = match interventions(evidence) {
        Ok(list) => list,
        Err(rejection) => return usage::answer(&rejection, json, terminal, HELP),
    };
    if json {
        terminal.json(&list);
    } else if list.items.is_empty() {
        terminal.err("no one is waiting");
    }
    for item in list.items.iter().filter(|_| !json) {
        let step = item["step"].as_str().unwrap_or_default();
        terminal.out(&format!(
            "{:<16} {:<12} {:<20} {:<40} {}\n",
            word(item, "id"),
            word(item, "state"),
            word(item, "code"),
            plain(&format!("{}@{} {step}", word(&item["capability"], "id"), word(&item["capability"], "version"))),
            plain(&word(item, "message")),
        ));
    }
    ExitCode::SUCCESS
}

fn show(evidence: &Path, id: &str, json: bool, terminal: &Terminal) -> ExitCode {
    match intervention(evidence, id) {
        Ok(document) if json => terminal.json(&document),
        Ok(document) => terminal.out(&request(&document)),
        Err(rejection) => return usage::answer(&rejection, json, terminal, HELP),
    }
    ExitCode::SUCCESS
}

/// A request for a person, for people.
pub(crate) fn request(document: &Value) -> String {
    let mut out = format!("{}  {}\n", word(document, "id"), word(document, "state"));
    let capability = &document["capability"];
    let mut line = |what: &str, text: String| {
        if !text.is_empty() {
            out.push_str(&format!("  {what:<10} {}\n", plain(&text)));
        }
    };
    line("reason", format!("{}: {}", word(document, "code"), word(document, "message")));
    line(
        "capability",
        format!("{}@{}  {}", word(capability, "id"), word(capability, "version"), word(capability, "tenant")),
    );
    line("step", format!("{}  {}", word(document, "step"), word(document, "step_description")));
    line("expected", word(document, "expected"));
    line("observed", word(document, "observed"));
    line("at", word(document, "location"));
    for attempt in document["attempts"].as_array().into_iter().flatten() {
        let found = attempt["found"].as_array().into_iter().flatten().filter_map(Value::as_str);
        let found: Vec<&str> = found.collect();
        let words = format!(
            "{}. {} {} found  {}",
            attempt["rung"],
            word(attempt, "kind"),
            attempt["matches"],
            found.join("; ")
        );
        line("tried", words);
    }
    for file in document["files"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        line("file", Path::new(&word(document, "folder")).join(file).display().to_string());
    }
    for deed in document["done"].as_array().into_iter().flatten() {
        let with = deed["with"].as_str().map(|with| format!(" \"{with}\"")).unwrap_or_default();
        line("done", format!("{} {}{with} by {}", word(deed, "act"), word(deed, "on"), word(deed, "by")));
    }
    for change in document["changes"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        line("changed", change.to_owned());
    }
    let resolution = &document["resolution"];
    if resolution.is_object() {
        line("ended", format!("{} {}", word(resolution, "by"), word(resolution, "note")));
    }
    if let Ok(asked) = serde_json::from_value(document["approval"].clone()) {
        out.push_str(&yes(&asked));
    }
    out
}

fn yes(asked: &waymark_run::ApprovalAsk) -> String {
    let mut out = format!("  needs a yes to: {} {}", asked.act, plain(asked.on.as_deref().unwrap_or("the page")));
    out.push_str(&format!("  at {}\n", plain(&asked.location)));
    for (name, value) in &asked.values {
        out.push_str(&format!("    {} = {}\n", plain(name), plain(value)));
    }
    out.push_str(&format!("    --digest {}\n", asked.digest));
    out
}

fn approval(resumption: &Resumption) -> Option<String> {
    match resumption {
        Resumption::Stays { approval: Some(asked), .. } => Some(yes(asked)),
        _ => None,
    }
}

fn stands(standing: &HandoffStanding) -> String {
    let mut out = String::new();
    let state = word(&standing.intervention, "state");
    let who = match (&standing.driver, standing.lease_left_ms) {
        (Some(name), Some(left)) => format!("{} drives, lease {}", plain(name), seconds(left)),
        _ if state == "resumed" => "the engine drives".to_owned(),
        _ => "nobody drives".to_owned(),
    };
    out.push_str(&format!("{}  {state}  {who}\n", word(&standing.intervention, "id")));
    if let Some(delivery) = &standing.delivery {
        out.push_str(&format!("  {}\n", plain(delivery)));
    }
    for element in &standing.elements {
        let holds = element.holds.as_deref().filter(|holds| !holds.is_empty());
        let holds = holds.map(|holds| format!(" = {}", plain(holds))).unwrap_or_default();
        out.push_str(&format!("  {:<10} {}{holds}\n", plain(&element.on), plain(&element.words)));
    }
    if let Some(resumption) = &standing.resumption {
        out.push_str(&format!("  resume: {}\n", plain(&resumption.words())));
        out.push_str(&approval(resumption).unwrap_or_default());
    }
    out
}

fn word(document: &Value, field: &str) -> String {
    document[field].as_str().unwrap_or_default().to_owned()
}

fn operator_name(given: Option<String>) -> String {
    let named = given.or_else(|| std::env::var("USER").ok()).filter(|name| !name.trim().is_empty());
    named.unwrap_or_else(|| "operator".to_owned())
}

/// The desk at the terminal that a run was started from: lines of standard input become orders. Never ends.
pub(crate) fn desk(here: bool, terminal: Terminal) -> (mpsc::Receiver<Order>, impl Future<Output = Infallible>) {
    let (orders, taken) = mpsc::channel(1);
    let work = async move {
        if here {
            let (told, mut lines) = mpsc::channel(1);
            // A read of the terminal cannot be called off: its thread goes with the program.
            std::thread::spawn(move || {
                for line in std::io::stdin().lock().lines().map_while(Result::ok) {
                    if told.blocking_send(line).is_err() {
                        return;
                    }
                }
            });
            let by = operator_name(None);
            while let Some(line) = lines.recv().await {
                let Some(ask) = typed(&line, &terminal) else { continue };
                let (reply, answer) = oneshot::channel();
                if orders.send(Order { by: by.clone(), epoch: None, ask, reply }).await.is_err() {
                    break;
                }
                match answer.await {
                    Ok(Ok(standing)) => terminal.err(stands(&standing).trim_end()),
                    Ok(Err(refused)) => {
                        let rejected = waymark_api::of(refused);
                        refuse(&rejected, false, &terminal);
                    }
                    Err(_) => terminal.err("the run does not wait any more"),
                }
            }
        }
        // Nobody gives orders here any more; others still may.
        let _orders = orders;
        std::future::pending().await
    };
    (taken, work)
}

pub(crate) const KEYS: &str = "r [NOTE] resume · c check · t take control · e elements · l let go · x extend · a REASON abort · yes DIGEST approve · no REASON refuse";

fn typed(line: &str, terminal: &Terminal) -> Option<OperatorAsk> {
    let (verb, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let rest = rest.trim().to_owned();
    Some(match verb {
        "" => return None,
        "r" | "resume" => OperatorAsk::Resume { note: rest },
        "c" | "check" => OperatorAsk::Check {},
        "s" | "status" => OperatorAsk::Status {},
        "t" | "take" | "claim" => OperatorAsk::Claim {},
        "x" | "extend" => OperatorAsk::Extend {},
        "l" | "release" => OperatorAsk::Release {},
        "e" | "elements" => OperatorAsk::Elements {},
        "a" | "abort" => OperatorAsk::Abort { reason: rest },
        "no" | "refuse" => OperatorAsk::Refuse { reason: rest },
        "yes" | "approve" => OperatorAsk::Approve { digest: rest, note: String::new() },
        "click" => OperatorAsk::Act { on: Some(rest), act: PersonAct::Click {} },
        "type" | "choose" => {
            let (on, text) = rest.split_once(char::is_whitespace).unwrap_or((&rest, ""));
            let act = match verb {
                "type" => PersonAct::Type { text: text.to_owned() },
                _ => PersonAct::Choose { option: text.to_owned() },
            };
            OperatorAsk::Act { on: Some(on.to_owned()), act }
        }
        "press" => OperatorAsk::Act { on: None, act: PersonAct::PressKey { key: rest } },
        "accept" => OperatorAsk::Act {
            on: None,
            act: PersonAct::Answer { accept: true, text: Some(rest).filter(|text| !text.is_empty()) },
        },
        "dismiss" => OperatorAsk::Act { on: None, act: PersonAct::Answer { accept: false, text: None } },
        "close" => OperatorAsk::Act { on: None, act: PersonAct::CloseWindow { window: rest } },
        "open" => OperatorAsk::Act { on: None, act: PersonAct::Open { location: rest } },
        _ => {
            terminal.err(KEYS);
            terminal.err("click HANDLE · type HANDLE TEXT · choose HANDLE OPTION · press KEY · accept [TEXT] · dismiss · close WINDOW · open URL");
            return None;
        }
    })
}

/// A terminal view of a run that waits: the reason, what can be acted on, and orders until it does not wait any more.
pub(crate) fn attach(options: &AttachOptions, terminal: &Terminal) -> ExitCode {
    let evidence: &PathBuf = &options.place.evidence;
    let by = operator_name(options.name.clone());
    let id = match &options.id {
        Some(id) => id.clone(),
        None => match the_one_that_waits(evidence) {
            Ok(id) => id,
            Err(rejection) => return usage::answer(&rejection, false, terminal, HELP),
        },
    };
    match intervention(evidence, &id) {
        Ok(document) => terminal.out(&request(&document)),
        Err(rejection) => return usage::answer(&rejection, false, terminal, HELP),
    }
    if let Err(rejected) = asked(evidence, &id, &by, OperatorAsk::Status {}) {
        return refuse(&rejected, false, terminal);
    }
    if std::io::stdin().is_terminal() {
        terminal.err(KEYS);
    }
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let Some(ask) = typed(&line, terminal) else { continue };
        let over = matches!(
            ask,
            OperatorAsk::Resume { .. }
                | OperatorAsk::Approve { .. }
                | OperatorAsk::Abort { .. }
                | OperatorAsk::Refuse { .. }
        );
        match asked(evidence, &id, &by, ask) {
            Ok(answer) => {
                terminal.out(&stands(&answer.standing));
                if over {
                    return ExitCode::SUCCESS;
                }
            }
            Err(rejected) if matches!(rejected.rejection.error.code, Code::SessionGone | Code::NotWaiting) => {
                return refuse(&rejected, false, terminal);
            }
            Err(rejected) => {
                refuse(&rejected, false, terminal);
            }
        }
    }
    ExitCode::SUCCESS
}

fn the_one_that_waits(evidence: &Path) -> Result<String, Box<Rejection>> {
    let waiting: Vec<String> = interventions(evidence)?
        .items
        .iter()
        .filter(|item| item["reachable"] == true)
        .map(|item| word(item, "id"))
        .collect();
    match waiting.as_slice() {
        [one] => Ok(one.clone()),
        [] => {
            let hint = "a run waits for a person where it was started with --operator console or app";
            Err(Box::new(Rejection::of(
                Code::NotWaiting,
                Problem::new("ID", "none", format!("no run below {} waits for a person", evidence.display()), hint),
            )))
        }
        several => {
            let message = format!("{} runs wait for a person: {}", several.len(), several.join(", "));
            let problem = Problem::new("ID", "ambiguous", message, "say which one");
            Err(Box::new(Rejection::of(Code::InvalidInvocation, problem)))
        }
    }
}
