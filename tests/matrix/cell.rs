//! What is run: one capability, one fault, one place where it strikes.

use std::fmt;
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};
use waymark_fixture_apps::{Mode, Place};
use waymark_tests::root;

pub use crate::wire::Wire;

use crate::judge::ANY_STOP;

/// A capability with the values it is called with.
#[derive(Clone, Debug)]
pub struct Job {
    /// Its short name in reports.
    pub name: &'static str,
    /// The file of its artifact.
    pub artifact: PathBuf,
    /// Its parameters.
    pub parameters: Map<String, Value>,
    /// Its steps: id, and whether the step acts (as opposed to reading or waiting).
    pub steps: Vec<(String, bool)>,
    /// Whether it sends money, so that each run needs approval.
    pub moves_money: bool,
}

/// When a fault strikes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// The step begins: nothing of it is looked for yet.
    Started,
    /// The gate has allowed the act; it is about to be delivered.
    Authorized,
    /// The act was delivered; nothing is known of its effect.
    Dispatched,
}

impl Point {
    /// The word in the journal.
    #[must_use]
    pub fn event(self) -> &'static str {
        match self {
            Point::Started => "step_started",
            Point::Authorized => "authorized",
            Point::Dispatched => "dispatched",
        }
    }
}

/// What strikes from outside of the application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Driver {
    /// The browser's processes are killed.
    KillBrowser,
    /// Its renderers are killed.
    KillRenderer,
    /// Its renderers are stopped and never go on.
    StopRenderer,
    /// The page crashes by the protocol's own command.
    Crash,
    /// The page loops for ever.
    Loop,
    /// A dialog opens that nobody declared.
    Alert,
    /// As above, asking yes or no.
    Confirm,
    /// As above, asking for a text.
    Prompt,
    /// The page asks before it is left.
    BeforeUnload,
    /// A window opens that nobody declared.
    Window,
    /// A file comes down that nobody declared.
    Download,
    /// The page asks for a file.
    FileChooser,
    /// The page wants to be printed.
    Print,
    /// The page is closed.
    Close,
    /// Somebody else leads the page to another screen of the application.
    Elsewhere,
    /// Somebody else leads it where the policy does not allow it.
    OffLimits,
    /// Something is laid over the whole page and stays.
    Cover,
    /// Everything on the page moves.
    Move,
    /// The connection to the browser is cut.
    Cut,
    /// The connection goes silent without being cut.
    Stall,
    /// What the browser tells by itself comes late and behind its answers.
    Delay,
    /// The page takes more memory than it may have. The heap of that browser's pages is kept small: the machine itself
    /// is not to run out of memory, and what ends the page is the same.
    OutOfMemory,
    /// Everything that can be pressed or filled is replaced by a twin.
    Replace,
    /// The document goes, and comes anew.
    Reload,
}

impl Driver {
    const ALL: [Driver; 24] = [
        Driver::KillBrowser,
        Driver::KillRenderer,
        Driver::StopRenderer,
        Driver::Crash,
        Driver::Loop,
        Driver::Alert,
        Driver::Confirm,
        Driver::Prompt,
        Driver::BeforeUnload,
        Driver::Window,
        Driver::Download,
        Driver::FileChooser,
        Driver::Print,
        Driver::Close,
        Driver::Elsewhere,
        Driver::OffLimits,
        Driver::Cover,
        Driver::Move,
        Driver::Cut,
        Driver::Stall,
        Driver::Delay,
        Driver::OutOfMemory,
        Driver::Replace,
        Driver::Reload,
    ];

    /// The word in reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Driver::KillBrowser => "browser_killed",
            Driver::KillRenderer => "renderer_killed",
            Driver::StopRenderer => "renderer_stopped",
            Driver::Crash => "page_crash",
            Driver::Loop => "endless_loop",
            Driver::Alert => "alert",
            Driver::Confirm => "confirm",
            Driver::Prompt => "prompt",
            Driver::BeforeUnload => "before_unload",
            Driver::Window => "new_window",
            Driver::Download => "download",
            Driver::FileChooser => "file_chooser",
            Driver::Print => "print",
            Driver::Close => "page_closed",
            Driver::Elsewhere => "led_elsewhere",
            Driver::OffLimits => "led_off_limits",
            Driver::Cover => "covered",
            Driver::Move => "moved",
            Driver::Cut => "wire_cut",
            Driver::Stall => "wire_silent",
            Driver::Delay => "events_late",
            Driver::OutOfMemory => "out_of_memory",
            Driver::Replace => "replaced",
            Driver::Reload => "reloaded",
        }
    }

    /// Whether the browser is the engine's own, on a pipe; else it is reached through a relay.
    #[must_use]
    pub fn own_browser(self) -> bool {
        matches!(self, Driver::KillBrowser | Driver::KillRenderer | Driver::StopRenderer)
    }

    /// When it strikes at a step, by whether the step acts.
    #[must_use]
    pub fn points(self, acts: bool) -> &'static [Point] {
        match (self, acts) {
            // What was found is another thing when it is acted on.
            (Driver::Replace | Driver::Reload, true) => &[Point::Authorized],
            (Driver::Replace | Driver::Reload, false) => &[],
            (_, false) => &[Point::Started],
            (Driver::OutOfMemory, true) => &[Point::Started, Point::Dispatched],
            (_, true) => &[Point::Started, Point::Authorized, Point::Dispatched],
        }
    }

    /// Whether what was typed before is gone, which the application then says of its form.
    #[must_use]
    pub fn empties(self) -> bool {
        matches!(self, Driver::Elsewhere | Driver::Replace | Driver::Reload)
    }

    /// The codes with which a run may end that it struck, beside success and `effect_unknown`.
    #[must_use]
    pub fn permitted(self) -> &'static [&'static str] {
        match self {
            Driver::KillBrowser | Driver::Cut => &["browser_gone"],
            Driver::KillRenderer | Driver::Crash | Driver::OutOfMemory => &["browser_gone", "unexpected_state"],
            Driver::Close => &["browser_gone", "unexpected_state"],
            Driver::StopRenderer | Driver::Loop | Driver::Stall => &["browser_gone", "not_settled", "timeout"],
            Driver::Alert | Driver::Confirm | Driver::Prompt | Driver::BeforeUnload => &["unexpected_dialog"],
            Driver::Window => &["unexpected_window"],
            Driver::Download | Driver::FileChooser | Driver::Print => &["unexpected_state", "unexpected_window"],
            Driver::Elsewhere | Driver::Move | Driver::Delay | Driver::Replace | Driver::Reload => ANY_STOP,
            Driver::OffLimits => &[
                "policy_blocked",
                "unexpected_state",
                "checkpoint_unmet",
                "target_not_found",
                "app_error",
                "not_settled",
            ],
            Driver::Cover => &["covered_by", "checkpoint_unmet", "not_settled"],
        }
    }
}

/// What strikes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The browser, the wire, or somebody else at the page.
    Driver {
        /// What.
        driver: Driver,
        /// At which step.
        step: String,
        /// And when.
        point: Point,
    },
    /// The way to the application, or a form of it.
    Wire {
        /// What.
        wire: Wire,
        /// Where.
        place: Place,
        /// Once, or each time.
        once: bool,
    },
    /// The application itself.
    Application {
        /// What.
        mode: Mode,
        /// Where.
        place: Place,
        /// Once, or each time.
        once: bool,
    },
}

/// One run.
#[derive(Clone, Debug)]
pub struct Cell {
    /// What is run.
    pub job: Job,
    /// What strikes.
    pub fault: Fault,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.fault {
            Fault::Driver { driver, step, point } => {
                write!(f, "{}/{}/{step}/{}", self.job.name, driver.word(), point.event())
            }
            Fault::Application { mode, place, once } => {
                write!(f, "{}/{}/{}/{}", self.job.name, mode.name(), place.name(), count(*once))
            }
            Fault::Wire { wire, place, once } => {
                write!(f, "{}/{}/{}/{}", self.job.name, wire.word(), place.name(), count(*once))
            }
        }
    }
}

fn count(once: bool) -> &'static str {
    if once { "once" } else { "always" }
}

/// Every cell, in order.
///
/// # Errors
/// An artifact cannot be read.
pub fn cells() -> Result<Vec<Cell>> {
    let mut cells = Vec::new();
    for job in jobs()? {
        for driver in Driver::ALL {
            for (step, acts) in &job.steps {
                for point in driver.points(*acts) {
                    // Before the first step there is no page that could be struck, but the first step opens one.
                    let fault = Fault::Driver { driver, step: step.clone(), point: *point };
                    cells.push(Cell { job: job.clone(), fault });
                }
            }
        }
        for (wire, place, once) in Wire::all(&places(&job), job.moves_money) {
            cells.push(Cell { job: job.clone(), fault: Fault::Wire { wire, place, once } });
        }
        for mode in Mode::ALL {
            for place in places(&job).into_iter().filter(|place| mode.fits(*place)) {
                for once in [true, false] {
                    cells.push(Cell { job: job.clone(), fault: Fault::Application { mode, place, once } });
                }
            }
        }
    }
    Ok(cells)
}

/// Where the application may go wrong on the way of a job.
fn places(job: &Job) -> Vec<Place> {
    let mut places = vec![Place::Index, Place::Login, Place::Overview, Place::Accounts];
    match job.name {
        "overview" => {}
        "activity" => places.extend([Place::Activity, Place::Account, Place::Transactions]),
        _ => {
            let more = [Place::Transfer, Place::Activity, Place::Account, Place::Transactions];
            places.extend(more.into_iter().chain([Place::Submit, Place::Booked]));
        }
    }
    places
}

/// The three reference capabilities.
fn jobs() -> Result<Vec<Job>> {
    let sign_on = r#""username": "john", "password": "demo""#;
    [
        ("overview", "read_accounts_overview", format!("{{{sign_on}}}"), false),
        ("activity", "read_account_activity", format!(r#"{{{sign_on}, "account_id": "12345"}}"#), false),
        (
            "transfer",
            "transfer_funds",
            format!(r#"{{{sign_on}, "from_account": "12345", "to_account": "12456", "amount": "41.17"}}"#),
            true,
        ),
    ]
    .into_iter()
    .map(|(name, file, parameters, moves_money)| {
        let artifact = root().join(format!("artifacts/parabank.{file}.v1.json"));
        let text = std::fs::read_to_string(&artifact).with_context(|| artifact.display().to_string())?;
        let document: Value = serde_json::from_str(&text)?;
        let acting = ["click", "type", "choose", "set_checked", "press_key", "open"];
        let steps = document["steps"].as_array().context("no steps")?.iter();
        let steps = steps.map(|step| {
            let kind = step["action"]["kind"].as_str().unwrap_or_default();
            (step["id"].as_str().unwrap_or_default().to_owned(), acting.contains(&kind))
        });
        let parameters = serde_json::from_str(&parameters)?;
        Ok(Job { name, artifact, parameters, steps: steps.collect(), moves_money })
    })
    .collect()
}
