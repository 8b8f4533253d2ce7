//! A run that waits over a session that never was: leases, two operators, what ends a wait, and what it leaves.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use tokio::sync::{mpsc, oneshot, watch};
use waymark_evidence::{Index, RunFolder};
use waymark_redact::{Redactor, Rules};
use waymark_replay::{Ending, Machine};
use waymark_run::{CapabilityRef, Code, InterventionState, JournalLine, Resumption, RunEvent, RunStatus};
use waymark_surface::{
    Act, Delivery, Driver, DriverError, Gate, Observation, Observe, Permit, Picture, PictureRequest,
};
use waymark_test_support::{Acts, FakeDriver, app, observation};

use super::{HandoffStanding, OperatorAsk, OperatorRefused, Order, PersonAct, Wait};
use crate::clock::Clock;
use crate::drive::drive;
use crate::recorder::Recorder;
use crate::result::Header;
use crate::run::{BrowserChoice, Request, Stop, StopCause};

const GO: &str = r#"
waits: true
limits: {run_deadline_ms: 60000}
steps:
- {id: go, click: button "Go", check: text "Done"}
"#;

const MINUTE: Duration = Duration::from_secs(60);

/// A session whose end can be told.
struct Mortal {
    session: FakeDriver,
    gone: watch::Receiver<bool>,
}

impl Driver for Mortal {
    async fn observe(&mut self, request: &Observe, deadline: Duration) -> Result<Observation, DriverError> {
        tokio::task::yield_now().await;
        self.session.observe(request, deadline).await
    }

    async fn act(&mut self, permit: Permit, act: &Act, deadline: Duration) -> Delivery {
        self.session.act(permit, act, deadline).await
    }

    async fn picture(&mut self, request: &PictureRequest, deadline: Duration) -> Result<Picture, DriverError> {
        self.session.picture(request, deadline).await
    }

    async fn gone(&mut self) -> DriverError {
        let _ = self.gone.wait_for(|gone| *gone).await;
        DriverError::Gone { why: "it was killed".into() }
    }

    async fn close(&mut self) {
        self.session.close().await;
    }
}

/// What an operator has of a run that waits.
struct Desk {
    orders: mpsc::Sender<Order>,
    gone: watch::Sender<bool>,
    stop: watch::Sender<Option<Stop>>,
    acts: Acts,
    root: PathBuf,
}

impl Desk {
    async fn asks(&self, by: &str, ask: OperatorAsk) -> Result<HandoffStanding, OperatorRefused> {
        self.asks_in(by, None, ask).await
    }

    async fn asks_in(
        &self,
        by: &str,
        epoch: Option<u64>,
        ask: OperatorAsk,
    ) -> Result<HandoffStanding, OperatorRefused> {
        let (reply, answer) = oneshot::channel();
        let over = || OperatorRefused::new(Code::NotWaiting, "over");
        self.orders.send(Order { by: by.into(), epoch, ask, reply }).await.map_err(|_| over())?;
        answer.await.map_err(|_| over())?
    }

    /// Until the run waits.
    async fn waits(&self) {
        while self.code("nobody", OperatorAsk::Status {}).await == "not_waiting" {
            tokio::task::yield_now().await;
        }
    }

    async fn code(&self, by: &str, ask: OperatorAsk) -> String {
        match self.asks(by, ask).await {
            Ok(standing) => standing.intervention["state"].as_str().unwrap_or_default().to_owned(),
            Err(refused) => refused.code.to_string(),
        }
    }
}

struct Waited {
    ending: Ending,
    told: Vec<RunEvent>,
    escalation: Option<InterventionState>,
    document: Value,
    human_assisted: bool,
}

impl Waited {
    fn ended(&self) -> (RunStatus, Option<Code>, Option<InterventionState>) {
        (self.ending.status, self.ending.code, self.escalation)
    }

    fn holders(&self) -> Vec<String> {
        let holder = |event: &RunEvent| match event {
            RunEvent::ControlChanged { holder, name, .. } => Some(name.clone().unwrap_or((*holder).to_owned())),
            _ => None,
        };
        self.told.iter().filter_map(holder).collect()
    }
}

fn looks(screens: &[&[&str]]) -> Vec<Result<Observation, DriverError>> {
    let mut before: Option<Observation> = None;
    let mut out = Vec::new();
    for screen in screens {
        let seen = observation("", screen, before.as_ref());
        before = Some(seen.clone());
        out.push(Ok(seen));
    }
    out
}

/// Runs a plan over screens, and meanwhile what an operator does.
async fn waited(
    plan: &str,
    screens: &[&[&str]],
    at_most: Duration,
    operator: impl AsyncFnOnce(&Desk),
) -> Result<Waited, Box<dyn Error>> {
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
        wait: Some(Wait { at_most, lease: 15 * MINUTE, window: false }),
        keep_inputs: Some(app::policy_source()),
    };
    let capability = CapabilityRef {
        id: String::new(),
        version: String::new(),
        digest: String::new(),
        tenant: String::new(),
        effective_digest: String::new(),
    };
    let clock = Clock::start();
    let header = Header { run_id: "fake".into(), capability, started_at: clock.utc() };
    let redactor = Arc::new(Redactor::new(&request.rules)?);
    let folder = RunFolder::create(evidence.path(), "replay", &header.started_at, "fake", redactor.clone())?;
    let path = folder.path().to_owned();
    let mut told = Vec::new();
    let mut watcher = |line: &JournalLine, _: &Map<String, Value>| told.push(line.event.clone());
    let mut recorder = Recorder::new(folder, redactor, clock, &mut watcher, true);
    let mut machine = Machine::new(plan.clone())?;
    let session = FakeDriver::new(looks(screens), []);
    let (gone, died) = watch::channel(false);
    let (stop, mut stopped) = watch::channel(None);
    let (orders, taken) = mpsc::channel(4);
    let desk = Desk { orders, gone, stop, acts: session.acts(), root: evidence.path().to_owned() };
    let driver = Mortal { session, gone: died };
    let (gate, driving) = Gate::new(driver, plan.policy.clone(), "app", plan.mode, plan.grants);
    let run = drive(gate, driving, &mut machine, &mut recorder, &request, &header, (b"key", Some(taken)), &mut stopped);
    let (ending, ()) = tokio::join!(run, operator(&desk));
    let escalation = recorder.escalation;
    drop(recorder);
    let document = serde_json::from_slice(&std::fs::read(path.join("intervention.json"))?)?;
    Ok(Waited { ending, told, escalation, document, human_assisted: machine.summary().human_assisted })
}

const TWICE: &[&str] = &["button \"Go\"", "button \"Go\""];
const DONE: &[&str] = &["text \"Done\""];

fn resume() -> OperatorAsk {
    OperatorAsk::Resume { note: "looks right".into() }
}

#[tokio::test(start_paused = true)]
async fn a_wait_of_an_hour_costs_the_run_no_time_and_it_resumes_right() -> Result<(), Box<dyn Error>> {
    let run = waited(GO, &[TWICE, DONE], 90 * MINUTE, async |desk| {
        desk.waits().await;
        tokio::time::sleep(60 * MINUTE).await;
        assert_eq!(desk.code("ann", OperatorAsk::Claim {}).await, "claimed");
        let checked = desk.asks("ann", OperatorAsk::Check {}).await.expect("an answer");
        assert!(matches!(checked.resumption.as_deref(), Some(Resumption::GoesOn { .. })), "{:?}", checked.resumption);
        assert_eq!(desk.code("ann", resume()).await, "resumed");
    })
    .await?;
    assert_eq!(run.ended(), (RunStatus::Success, None, None));
    assert!(run.human_assisted);
    assert_eq!(run.holders(), ["nobody", "ann", "engine"]);
    assert_eq!(run.document["state"], "resumed");
    assert_eq!(run.document["resolution"]["note"], "looks right");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn two_operators_get_one_session_and_a_lease_that_is_over_is_lost() -> Result<(), Box<dyn Error>> {
    let run = waited(GO, &[TWICE], 90 * MINUTE, async |desk| {
        desk.waits().await;
        let ann = desk.asks("ann", OperatorAsk::Claim {}).await.expect("free").epoch;
        for ask in [OperatorAsk::Claim {}, OperatorAsk::Release {}, OperatorAsk::Extend {}, resume()] {
            assert_eq!(desk.code("bo", ask.clone()).await, "not_driving", "{ask:?}");
        }
        assert_eq!(desk.code("bo", OperatorAsk::Abort { reason: "mine".into() }).await, "not_driving");
        tokio::time::sleep(14 * MINUTE).await;
        assert_eq!(desk.code("ann", OperatorAsk::Extend {}).await, "claimed");
        tokio::time::sleep(14 * MINUTE).await;
        assert_eq!(desk.code("ann", OperatorAsk::Status {}).await, "claimed");
        tokio::time::sleep(MINUTE).await;
        assert_eq!(desk.code("bo", OperatorAsk::Status {}).await, "open", "it is paused again and goes nowhere");
        let press = OperatorAsk::Act { on: Some("n1".into()), act: PersonAct::Click {} };
        let late = desk.asks_in("ann", Some(ann), press.clone()).await.expect_err("her lease is over");
        assert_eq!(late.code, Code::LeaseLost);
        assert_eq!(desk.code("bo", OperatorAsk::Claim {}).await, "claimed");
        let late = desk.asks_in("ann", Some(ann), press).await.expect_err("bo has it");
        assert_eq!(late.code, Code::LeaseLost);
        assert_eq!(desk.acts.all(), []);
        assert_eq!(desk.code("bo", OperatorAsk::Abort { reason: " ".into() }).await, "invalid_invocation");
        assert_eq!(desk.code("bo", OperatorAsk::Abort { reason: "wrong member".into() }).await, "aborted");
    })
    .await?;
    assert_eq!(run.ended(), (RunStatus::NeedsHuman, Some(Code::TargetAmbiguous), Some(InterventionState::Aborted)));
    assert_eq!(run.holders(), ["nobody", "ann", "ann", "nobody", "bo"]);
    assert_eq!(run.document["resolution"], serde_json::json!({"by": "bo", "note": "wrong member"}));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_when_nobody_comes_when_it_is_told_to_and_when_the_session_dies() -> Result<(), Box<dyn Error>> {
    let expired = waited(GO, &[TWICE], 30 * MINUTE, async |desk| desk.waits().await).await?;
    assert_eq!(expired.ended(), (RunStatus::NeedsHuman, Some(Code::TargetAmbiguous), Some(InterventionState::Expired)));
    let stopped = waited(GO, &[TWICE], 30 * MINUTE, async |desk| {
        desk.waits().await;
        assert_eq!(desk.code("ann", OperatorAsk::Claim {}).await, "claimed");
        desk.stop.send_replace(Some(Stop { cause: StopCause::Interrupt, at_once: false }));
    })
    .await?;
    assert_eq!(stopped.ended(), (RunStatus::Failed, Some(Code::Interrupted), Some(InterventionState::Aborted)));
    let died = waited(GO, &[TWICE], 30 * MINUTE, async |desk| {
        desk.waits().await;
        assert_eq!(desk.code("ann", OperatorAsk::Claim {}).await, "claimed");
        desk.gone.send_replace(true);
    })
    .await?;
    assert_eq!(
        died.ended(),
        (RunStatus::NeedsHuman, Some(Code::TargetAmbiguous), Some(InterventionState::SessionGone))
    );
    assert_eq!(died.document["state"], "session_gone");
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_resume_that_is_refused_changes_nothing_and_the_second_of_two_comes_too_late() -> Result<(), Box<dyn Error>> {
    let run = waited(GO, &[TWICE, TWICE, TWICE, DONE], 30 * MINUTE, async |desk| {
        desk.waits().await;
        let refused = desk.asks("ann", resume()).await.expect_err("there are still two");
        assert_eq!(refused.code, Code::NotReady);
        assert!(refused.message.contains("2 elements still fit"), "{refused}");
        assert_eq!(desk.code("ann", OperatorAsk::Status {}).await, "open");
        assert_eq!(desk.code("ann", OperatorAsk::Claim {}).await, "claimed");
        assert_eq!(desk.code("ann", resume()).await, "not_ready");
        let (first, second) = tokio::join!(desk.code("ann", resume()), desk.code("ann", resume()));
        assert_eq!((first.as_str(), second.as_str()), ("resumed", "not_waiting"));
    })
    .await?;
    assert_eq!(run.ended(), (RunStatus::Success, None, None));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn an_order_that_came_before_the_wait_is_not_kept_for_it() -> Result<(), Box<dyn Error>> {
    let run = waited(GO, &[TWICE, TWICE, DONE, DONE], 30 * MINUTE, async |desk| {
        // Typed while the engine still drove: it was no answer to what is asked now.
        assert_eq!(desk.code("ann", resume()).await, "not_waiting");
    })
    .await?;
    assert_eq!(run.escalation, Some(InterventionState::Expired));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn what_a_person_does_is_told_and_a_denied_address_stays_denied() -> Result<(), Box<dyn Error>> {
    let run = waited(GO, &[TWICE, TWICE, TWICE, DONE], 30 * MINUTE, async |desk| {
        desk.waits().await;
        let press = OperatorAsk::Act { on: Some("n1".into()), act: PersonAct::Click {} };
        assert_eq!(desk.code("ann", press.clone()).await, "not_driving");
        assert_eq!(desk.code("ann", OperatorAsk::Claim {}).await, "claimed");
        let open = PersonAct::Open { location: "http://app.test/admin/x".into() };
        assert_eq!(desk.code("ann", OperatorAsk::Act { on: None, act: open }).await, "policy_blocked");
        assert_eq!(desk.acts.all(), []);
        assert_eq!(desk.code("ann", press).await, "driving");
        let missing = OperatorAsk::Act { on: Some("n99".into()), act: PersonAct::Click {} };
        assert_eq!(desk.code("ann", missing).await, "target_not_found");
        assert_eq!(desk.acts.all().len(), 1);
        assert_eq!(desk.code("ann", resume()).await, "resumed");
    })
    .await?;
    assert_eq!(run.ended(), (RunStatus::Success, None, None));
    assert_eq!(run.document["done"][0]["act"], "click");
    assert_eq!(run.document["done"][0]["on"], "button \"Go\"");
    assert_eq!(run.document["changes"], serde_json::json!(["- button \"Go\"", "+ text \"Done\""]));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn a_yes_is_given_to_what_is_shown_and_is_void_once_that_is_different() -> Result<(), Box<dyn Error>> {
    const SAVE: &str = r#"
waits: true
mode: unattended
steps:
- {id: save, click: button "Save", risk: risky, check: text "Saved"}
"#;
    let five: &[&str] = &["textbox \"Amount\" = \"5\"", "button \"Save\""];
    let six: &[&str] = &["textbox \"Amount\" = \"6\"", "button \"Save\""];
    let screens = [five, six, six, six, six, &["text \"Saved\""]];
    let run = waited(SAVE, &screens, 30 * MINUTE, async |desk| {
        desk.waits().await;
        let asked = desk.asks("ann", OperatorAsk::Status {}).await.expect("it waits").intervention;
        let digest = |document: &Value| document["approval"]["digest"].as_str().unwrap_or_default().to_owned();
        assert!(digest(&asked).starts_with("hmac-sha256:"), "{asked}");
        assert_eq!(asked["approval"]["values"], serde_json::json!([["Amount", "5"]]));
        let yes = |digest: String| OperatorAsk::Approve { digest, note: String::new() };
        let void = desk.asks("ann", yes(digest(&asked))).await.expect_err("it says six now");
        assert_eq!(void.code, Code::ApprovalVoid);
        let Some(Resumption::Stays { approval: Some(now), .. }) = void.resumption.map(|now| *now) else {
            panic!("no new question")
        };
        assert_eq!(now.values, [("Amount".to_owned(), "6".to_owned())]);
        assert_eq!(desk.code("ann", resume()).await, "not_ready", "a resume is no yes");
        assert_eq!(desk.acts.all(), []);
        assert_eq!(desk.code("ann", yes(now.digest)).await, "resumed");
    })
    .await?;
    assert_eq!(run.ended(), (RunStatus::Success, None, None));
    let sent = run.told.iter().filter(|event| matches!(event, RunEvent::Dispatched { .. })).count();
    assert_eq!(sent, 1);
    assert!(run.told.iter().any(|event| matches!(event, RunEvent::Approved { by, .. } if by == "ann")));
    Ok(())
}

#[tokio::test(start_paused = true)]
async fn other_processes_find_the_run_in_the_index_and_nobody_without_its_word_is_heard() -> Result<(), Box<dyn Error>>
{
    let run = waited(GO, &[TWICE], 30 * MINUTE, async |desk| {
        desk.waits().await;
        assert_eq!(desk.code("ann", OperatorAsk::Status {}).await, "open");
        let channel = channel(&desk.root).expect("it is in the index");
        let standing = super::ask(&channel, "bo", OperatorAsk::Status {}).await.expect("heard");
        assert_eq!(standing.intervention["code"], "target_ambiguous");
        for token in ["", "0", &"0".repeat(channel.token.len())] {
            let guessed = waymark_evidence::Channel { token: token.to_owned(), ..channel.clone() };
            let told = super::ask(&guessed, "eve", OperatorAsk::Abort { reason: "mine".into() }).await;
            assert!(told.is_err(), "{told:?}");
        }
        let aborted = super::ask(&channel, "bo", OperatorAsk::Abort { reason: "called off".into() }).await;
        assert_eq!(aborted.expect("heard").intervention["state"], "aborted");
        assert!(!Path::new(&channel.address).exists(), "the socket goes with the wait");
    })
    .await?;
    assert_eq!(run.escalation, Some(InterventionState::Aborted));
    Ok(())
}

fn channel(root: &Path) -> Option<waymark_evidence::Channel> {
    Index::open(root).ok()?.interventions().ok()?.into_iter().next()?.channel
}

#[tokio::test(start_paused = true)]
async fn an_index_that_another_process_holds_does_not_end_the_wait_and_is_told_later() -> Result<(), Box<dyn Error>> {
    let run = waited(GO, &[TWICE, DONE], 30 * MINUTE, async |desk| {
        let held = rusqlite::Connection::open(desk.root.join("index.sqlite")).expect("a file");
        held.execute_batch("CREATE TABLE other (x); BEGIN EXCLUSIVE").expect("held");
        desk.waits().await;
        assert!(desk.code("ann", OperatorAsk::Status {}).await == "open", "whoever started it is heard");
        held.execute_batch("COMMIT").expect("let go");
        tokio::time::sleep(Duration::from_secs(6)).await;
        assert!(channel(&desk.root).is_some(), "it was offered again");
        assert_eq!(desk.code("ann", OperatorAsk::Claim {}).await, "claimed");
        assert_eq!(desk.code("ann", resume()).await, "resumed");
    })
    .await?;
    assert_eq!(run.ended(), (RunStatus::Success, None, None));
    Ok(())
}

#[tokio::test]
async fn the_socket_of_a_run_that_was_killed_is_taken_away_by_the_next_and_a_living_one_is_not()
-> Result<(), Box<dyn Error>> {
    let living = super::Line::open().await?;
    let folder = Path::new(&living.channel().address).parent().ok_or("no folder")?.to_owned();
    let dead = folder.join(format!("dead-{}", std::process::id()));
    // Nobody listens behind a socket whose listener is gone.
    drop(std::os::unix::net::UnixListener::bind(&dead)?);
    assert!(dead.exists());
    let next = super::Line::open().await?;
    assert!(!dead.exists());
    assert!(Path::new(&living.channel().address).exists());
    next.close().await;
    living.close().await;
    Ok(())
}
