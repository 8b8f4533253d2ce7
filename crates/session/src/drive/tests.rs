//! A run over a session that never was: what is told of it, whatever comes in between.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};
use time::OffsetDateTime;
use tokio::sync::watch;
use waymark_evidence::{Redaction, RedactionFailed, RunFolder};
use waymark_redact::{Redactor, Rules};
use waymark_replay::{Ending, Machine};
use waymark_run::{CapabilityRef, Code, DeliveryWord, Effect, JournalLine, RunEvent};
use waymark_surface::{
    Act, Delivery, Driver, DriverError, Gate, Observation, Observe, Permit, Picture, PictureRequest,
};
use waymark_test_support::{FakeDriver, app, delivery, observation};

use super::drive;
use crate::clock::Clock;
use crate::recorder::Recorder;
use crate::result::Header;
use crate::run::{BrowserChoice, Request, Stop, StopCause};

const SAVE: &str = r#"
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
"#;

const SENSITIVE: &str = r#"
limits: {step_deadline_ms: 20}
outputs:
- {name: balance, type: text, sensitive: true}
steps:
- {id: balance, read: textbox "Balance", part: value, into: balance}
- {id: go, click: button "Missing", check: text "Done"}
"#;

/// A session that is told to end while an act is under way.
struct Interrupted {
    session: FakeDriver,
    stop: watch::Sender<Option<Stop>>,
    /// Whether nothing is ever told of the act.
    hangs: bool,
}

impl Driver for Interrupted {
    async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        self.session.observe(request, deadline).await
    }

    async fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> Delivery {
        self.stop.send_replace(Some(Stop { cause: StopCause::Interrupt, at_once: self.hangs }));
        if self.hangs {
            std::future::pending::<()>().await;
        }
        self.session.act(permit, act, deadline).await
    }

    async fn picture(&mut self, request: &PictureRequest, deadline: Duration) -> Result<Picture, DriverError> {
        self.session.picture(request, deadline).await
    }

    async fn close(&mut self) {
        self.session.close().await;
    }
}

/// A session that counts the pictures it is asked for.
struct Photographed {
    session: FakeDriver,
    pictures: Arc<AtomicUsize>,
}

impl Driver for Photographed {
    async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        self.session.observe(request, deadline).await
    }

    async fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> Delivery {
        self.session.act(permit, act, deadline).await
    }

    async fn picture(&mut self, request: &PictureRequest, deadline: Duration) -> Result<Picture, DriverError> {
        self.pictures.fetch_add(1, Ordering::Relaxed);
        self.session.picture(request, deadline).await
    }

    async fn close(&mut self) {
        self.session.close().await;
    }
}

struct Driven {
    ending: Ending,
    effect: Effect,
    told: Vec<RunEvent>,
    /// The journal of inputs and its last line.
    inputs: (String, Value),
    effects: String,
    journal: String,
}

/// Lets so many values be written, and no more.
struct Bounded {
    redactor: Arc<Redactor>,
    left: AtomicUsize,
}

impl Redaction for Bounded {
    fn text(&self, text: &str) -> Result<String, RedactionFailed> {
        Redaction::text(&*self.redactor, text)
    }

    fn json(&self, value: Value) -> Result<Value, RedactionFailed> {
        let left = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        left.map_err(|_| RedactionFailed("it was the last one".to_owned()))?;
        Redaction::json(&*self.redactor, value)
    }

    fn file_name(&self, name: &str) -> Result<String, RedactionFailed> {
        Redaction::file_name(&*self.redactor, name)
    }
}

/// Drives a plan over a session.
async fn driven<D: Driver>(
    plan: &str,
    driver: D,
    stop: &mut watch::Receiver<Option<Stop>>,
) -> Result<Driven, Box<dyn Error>> {
    driven_in(plan, driver, stop, Clock::start(), usize::MAX).await
}

/// The same with a clock of its own, where only so many values can be written.
async fn driven_in<D: Driver>(
    plan: &str,
    driver: D,
    stop: &mut watch::Receiver<Option<Stop>>,
    clock: Clock,
    values: usize,
) -> Result<Driven, Box<dyn Error>> {
    let plan = app::plan(plan);
    let evidence = tempfile::tempdir()?;
    let request = Request {
        plan: plan.clone(),
        digest: String::new(),
        effective_digest: String::new(),
        tenant: String::new(),
        browser: BrowserChoice::Connect(String::new()),
        evidence_root: evidence.path().to_owned(),
        kind: "replay".into(),
        rules: Rules { version: 1, ..Rules::default() },
        credentials: BTreeMap::new(),
        engine: String::new(),
        wait: None,
        keep_inputs: Some(app::policy_source()),
    };
    let capability = CapabilityRef {
        id: String::new(),
        version: String::new(),
        digest: String::new(),
        tenant: String::new(),
        effective_digest: String::new(),
    };
    let header = Header { run_id: "fake".into(), capability, started_at: clock.utc() };
    let redactor = Arc::new(Redactor::new(&request.rules)?);
    let redaction = Arc::new(Bounded { redactor: redactor.clone(), left: values.into() });
    let folder = RunFolder::create(evidence.path(), "replay", &header.started_at, "fake", redaction)?;
    let path = folder.path().to_owned();
    let mut told = Vec::new();
    let mut watcher = |line: &JournalLine, _: &Map<String, Value>| told.push(line.event.clone());
    let mut recorder = Recorder::new(folder, redactor, clock, &mut watcher, true);
    let mut machine = Machine::new(plan.clone())?;
    let (gate, driving) = Gate::new(driver, plan.policy.clone(), "app", plan.mode, plan.grants);
    let ending = drive(gate, driving, &mut machine, &mut recorder, &request, &header, (b"key", None), stop).await;
    let written = crate::effects::write(&mut recorder, &machine, &request, &ending, b"key").is_some();
    assert_eq!(written, values == usize::MAX, "where the journal could not be written, nothing else is");
    drop(recorder);
    let read = |name: &str| std::fs::read_to_string(path.join(name));
    let journal = read("run.jsonl")?;
    let (effects, inputs) = if written { (read("effects.jsonl")?, read("inputs.jsonl")?) } else { Default::default() };
    let end = inputs.lines().last().map(serde_json::from_str).transpose()?.unwrap_or_default();
    Ok(Driven { ending, effect: machine.summary().effect, told, inputs: (inputs, end), effects, journal })
}

async fn interrupted(delivered: &str) -> Result<Driven, Box<dyn Error>> {
    let (stop, mut told) = watch::channel(None);
    let looks = [Ok(observation("", &["button \"Save\""], None))];
    let session = FakeDriver::new(looks, [delivery(delivered)]);
    driven(SAVE, Interrupted { session, stop, hangs: false }, &mut told).await
}

fn dispatched(told: &[RunEvent]) -> Vec<DeliveryWord> {
    let delivery = |event: &RunEvent| match event {
        RunEvent::Dispatched { delivery, .. } => Some(*delivery),
        _ => None,
    };
    told.iter().filter_map(delivery).collect()
}

#[tokio::test]
async fn a_stop_never_hides_what_came_of_an_act() -> Result<(), Box<dyn Error>> {
    for (came, word, effect) in [
        ("delivered", DeliveryWord::Delivered, Effect::Unknown),
        ("unknown timeout", DeliveryWord::Unknown, Effect::Unknown),
        ("stale", DeliveryWord::NotDelivered, Effect::None),
    ] {
        let run = interrupted(came).await?;
        assert_eq!(run.ending.code, Some(Code::Interrupted), "{came}");
        assert_eq!(run.effect, effect, "{came}");
        assert_eq!(dispatched(&run.told), [word], "{came}: what came of the act stands in the journal, once");
    }
    Ok(())
}

#[tokio::test]
async fn the_inputs_of_a_run_that_was_stopped_give_its_effects_again() -> Result<(), Box<dyn Error>> {
    let run = interrupted("delivered").await?;
    assert!(run.effects.contains(r#""act":"click","delivery":"delivered""#), "{}", run.effects);
    assert_eq!(run.inputs.1["effects"], run.inputs.1["live"], "{}", run.inputs.1);
    assert!(run.inputs.1["effects"].is_string(), "{}", run.inputs.1);
    Ok(())
}

#[tokio::test]
async fn what_was_read_and_is_sensitive_stands_in_neither_journal() -> Result<(), Box<dyn Error>> {
    let (_stop, mut told) = watch::channel(None);
    let screen = |value: &str| {
        FakeDriver::new([Ok(observation("", &[&format!("textbox \"Balance\" = \"{value}\"")], None))], [])
    };
    let first = driven(SENSITIVE, screen("77412"), &mut told).await?;
    for text in [&first.effects, &first.inputs.0] {
        assert!(!text.contains("77412"), "{text}");
    }
    let keyed = |effects: &str| effects.lines().find(|l| l.contains("hmac-sha256:")).map(str::to_owned);
    assert!(keyed(&first.effects).is_some(), "{}", first.effects);
    let again = driven(SENSITIVE, screen("77412"), &mut told).await?;
    assert_eq!(first.effects, again.effects);
    let other = driven(SENSITIVE, screen("99999"), &mut told).await?;
    assert_ne!(keyed(&first.effects), keyed(&other.effects), "another output is another journal");
    Ok(())
}

#[tokio::test]
async fn a_run_without_pictures_asks_for_none_not_even_of_its_last_screen() -> Result<(), Box<dyn Error>> {
    // One step, and what it left is the last screen too.
    for (pictures, expected) in [(true, 1), (false, 0)] {
        let (_stop, mut told) = watch::channel(None);
        let taken = Arc::new(AtomicUsize::new(0));
        let looks = ["button \"Save\"", "text \"Saved\""].map(|line| Ok(observation("", &[line], None)));
        let session = FakeDriver::new(looks, [delivery("delivered")]);
        let plan = format!("{SAVE}grant: risky\npictures: {pictures}\n");
        let run = driven(&plan, Photographed { session, pictures: taken.clone() }, &mut told).await?;
        assert_eq!(run.ending.code, None, "{}", run.effects);
        assert_eq!(taken.load(Ordering::Relaxed), expected, "pictures: {pictures}");
    }
    Ok(())
}

#[tokio::test]
async fn a_stop_at_once_waits_for_no_act_and_says_that_it_may_have_been_done() -> Result<(), Box<dyn Error>> {
    let (stop, mut told) = watch::channel(None);
    let session = FakeDriver::new([Ok(observation("", &["button \"Save\""], None))], []);
    let run = driven(SAVE, Interrupted { session, stop, hangs: true }, &mut told).await?;
    assert_eq!((run.ending.code, run.effect), (Some(Code::Interrupted), Effect::Unknown));
    assert_eq!(dispatched(&run.told), [DeliveryWord::Unknown]);
    Ok(())
}

#[tokio::test]
async fn what_cannot_be_written_down_is_not_done() -> Result<(), Box<dyn Error>> {
    let hasty = format!("limits: {{step_deadline_ms: 200}}{SAVE}");
    let mut seen = Vec::new();
    for values in 0.. {
        let (_stop, mut told) = watch::channel(None);
        let session = FakeDriver::new([Ok(observation("", &["button \"Save\""], None))], []);
        let done = session.acts();
        let run = driven_in(&hasty, session, &mut told, Clock::start(), values).await?;
        assert_eq!(run.ending.code, Some(Code::RedactionFailed), "{values}: {}", run.ending.message);
        let allowed = run.journal.contains(r#""event":"authorized""#);
        // What was done, and only its line is missing, is told nevertheless.
        let effect = if allowed { Effect::Unknown } else { Effect::None };
        assert_eq!((done.all().len(), run.effect), (usize::from(allowed), effect), "{}", run.journal);
        seen.push(allowed);
        if run.journal.contains(r#""event":"dispatched""#) {
            break;
        }
    }
    assert!(seen.starts_with(&[false, false]) && seen.ends_with(&[true, true]), "{seen:?}");
    Ok(())
}

/// Asked again, it is an hour earlier; then two hours later; and so on.
fn jumping() -> OffsetDateTime {
    static ASKED: AtomicI64 = AtomicI64::new(0);
    let hours = [0, -1, 1][usize::try_from(ASKED.fetch_add(1, Ordering::Relaxed) % 3).unwrap_or(0)];
    OffsetDateTime::UNIX_EPOCH + time::Duration::hours(500_000 + hours)
}

#[tokio::test(start_paused = true)]
async fn a_calendar_that_jumps_moves_no_deadline_and_no_line_of_the_journal() -> Result<(), Box<dyn Error>> {
    const WAITS: &str = "
limits: {step_deadline_ms: 700}
steps:
- {id: go, click: button \"Missing\", check: text \"Done\"}
";
    let clock = Clock::by(jumping);
    assert_ne!(clock.utc(), clock.utc(), "it does jump");
    let (_stop, mut told) = watch::channel(None);
    let screen = FakeDriver::new([Ok(observation("", &["button \"Save\""], None))], []);
    // A look takes a while by the clock that counts, and an hour by the calendar.
    let slow = Slow { session: screen, clock };
    let run = driven_in(WAITS, slow, &mut told, clock, usize::MAX).await?;
    assert_eq!(run.ending.code, Some(Code::TargetNotFound), "{}", run.ending.message);
    let journal: Vec<Value> = run.journal.lines().map(serde_json::from_str).collect::<Result<_, _>>()?;
    let times: Vec<u64> = journal.iter().filter_map(|line| line["at_ms"].as_u64()).collect();
    assert!(times.is_sorted() && times.len() == journal.len(), "{times:?}");
    let last = times.last().copied().unwrap_or_default();
    assert!((700..1_000).contains(&last), "the deadline is the step's own: {times:?}");
    Ok(())
}

/// A session whose looks take 100 ms each, and during each of which the calendar jumps.
struct Slow {
    session: FakeDriver,
    clock: Clock,
}

impl Driver for Slow {
    async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        let before = self.clock.utc();
        tokio::time::sleep(Duration::from_millis(100)).await;
        assert_ne!(before, self.clock.utc());
        self.session.observe(request, deadline).await
    }

    async fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> Delivery {
        self.session.act(permit, act, deadline).await
    }

    async fn picture(&mut self, request: &PictureRequest, deadline: Duration) -> Result<Picture, DriverError> {
        self.session.picture(request, deadline).await
    }

    async fn close(&mut self) {
        self.session.close().await;
    }
}
