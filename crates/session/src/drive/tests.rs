//! A run over a session that never was: what is told of it, whatever comes in between.

use std::collections::BTreeMap;
use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::watch;
use waymark_evidence::RunFolder;
use waymark_redact::{Redactor, Rules};
use waymark_replay::{Ending, Machine};
use waymark_run::{CapabilityRef, Code, DeliveryWord, Effect, JournalLine, RunEvent};
use waymark_surface::{
    Act, Delivery, Driver, DriverError, Gate, Observation, Observe, Permit, Picture, PictureRequest,
};
use waymark_test_support::{FakeDriver, app, delivery, observation};

use super::drive;
use crate::clock::{Clock, utc};
use crate::recorder::Recorder;
use crate::result::Header;
use crate::run::{BrowserChoice, Request, Stop};

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
}

impl Driver for Interrupted {
    async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        self.session.observe(request, deadline).await
    }

    async fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> Delivery {
        self.stop.send_replace(Some(Stop::Interrupt));
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
}

/// Drives a plan over a session.
async fn driven<D: Driver>(
    plan: &str,
    driver: D,
    stop: &mut watch::Receiver<Option<Stop>>,
) -> Result<Driven, Box<dyn Error>> {
    let plan = app::plan(plan);
    let evidence = tempfile::tempdir()?;
    let request = Request {
        plan: plan.clone(),
        digest: String::new(),
        browser: BrowserChoice::Connect(String::new()),
        evidence_root: evidence.path().to_owned(),
        kind: "replay".into(),
        rules: Rules { version: 1, ..Rules::default() },
        credentials: BTreeMap::new(),
        engine: String::new(),
        keep_inputs: Some(app::policy_source()),
    };
    let capability = CapabilityRef {
        id: String::new(),
        version: String::new(),
        digest: String::new(),
        tenant: String::new(),
        effective_digest: String::new(),
    };
    let header = Header { run_id: "fake".into(), capability, started_at: utc() };
    let redactor = Arc::new(Redactor::new(&request.rules)?);
    let folder = RunFolder::create(evidence.path(), "replay", &header.started_at, "fake", redactor.clone())?;
    let path = folder.path().to_owned();
    let mut told = Vec::new();
    let mut watcher = |line: &JournalLine, _: &Map<String, Value>| told.push(line.event.clone());
    let mut recorder = Recorder::new(folder, redactor, Clock::start(), &mut watcher, true);
    let mut machine = Machine::new(plan.clone())?;
    let (gate, driving) = Gate::new(driver, plan.policy.clone(), "app", plan.mode, plan.grants);
    let ending = drive(gate, driving, &mut machine, &mut recorder, &request, &header, stop).await;
    crate::effects::write(&mut recorder, &machine, &request, &ending, b"key").ok_or("nothing was written")?;
    drop(recorder);
    let effects = std::fs::read_to_string(path.join("effects.jsonl"))?;
    let inputs = std::fs::read_to_string(path.join("inputs.jsonl"))?;
    let end = serde_json::from_str(inputs.lines().last().ok_or("no inputs")?)?;
    Ok(Driven { ending, effect: machine.summary().effect, told, inputs: (inputs, end), effects })
}

async fn interrupted(delivered: &str) -> Result<Driven, Box<dyn Error>> {
    let (stop, mut told) = watch::channel(None);
    let looks = [Ok(observation("", &["button \"Save\""], None))];
    let session = FakeDriver::new(looks, [delivery(delivered)]);
    driven(SAVE, Interrupted { session, stop }, &mut told).await
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
        let dispatched: Vec<DeliveryWord> = run
            .told
            .iter()
            .filter_map(|event| match event {
                RunEvent::Dispatched { delivery, .. } => Some(*delivery),
                _ => None,
            })
            .collect();
        assert_eq!(dispatched, [word], "{came}: what came of the act stands in the journal, once");
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
    for (pictures, expected) in [(true, 2), (false, 0)] {
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
