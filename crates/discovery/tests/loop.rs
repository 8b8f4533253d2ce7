//! The loop over a session that never was, with a model that says what it is told to say.

#![expect(clippy::unwrap_used, reason = "screens and names are literals here")]

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use waymark_artifact::{Name, Risk};
use waymark_discovery::{
    Acted, Bounds, Call, CallStatus, Decided, Ending, Fixed, Job, Model, ModelError, ModelName, ModelRequest, Named,
    Role, Said, Stage, Usage, explore,
};
use waymark_recording::{Given, Values, Wish};
use waymark_redact::Secret;
use waymark_run::Code;
use waymark_surface::{Act, Ask, DriverError, Observation};
use waymark_test_support::observation;

/// What the application shows, screen by screen: each act that is done leads to the next.
struct Fake {
    screens: VecDeque<Vec<&'static str>>,
    number: u64,
    answers: VecDeque<Acted>,
    acts: Vec<String>,
    told: Vec<String>,
    elapsed: Duration,
    stopped: bool,
}

impl Fake {
    fn seen(&mut self) -> Observation {
        self.number += 1;
        let mut seen = observation("", self.screens.front().map_or(&[][..], Vec::as_slice), None);
        seen.number = self.number;
        seen
    }
}

impl Stage for Fake {
    async fn look(&mut self) -> Result<Observation, DriverError> {
        Ok(self.seen())
    }

    async fn wait(&mut self) -> Result<Observation, DriverError> {
        Ok(self.seen())
    }

    async fn act(&mut self, ask: Ask, given: Option<Given>) -> Acted {
        let came = self.answers.pop_front().unwrap_or(Acted::Done { risk: Risk::Safe });
        self.acts.push(format!("{} {given:?} {}", ask.act.word().as_str(), ask.location));
        if matches!(came, Acted::Done { .. }) && !matches!(ask.act, Act::Open { .. }) && self.screens.len() > 1 {
            self.screens.pop_front();
        }
        came
    }

    fn off_limits(&self, location: &str) -> Option<String> {
        location.contains("evil").then(|| "no entry".to_owned())
    }

    async fn picture(&mut self, _caption: &str) {}

    fn tell(&mut self, said: Said) {
        self.told.push(match said {
            Said::Asked { prompt, .. } => prompt,
            Said::Came { result, .. } => result,
            Said::Grounded { label, asked, element, .. } => {
                format!("grounded {label:?} {element:?} {}", asked.unwrap_or_default())
            }
            Said::Called { .. } | Said::Decided { .. } => return,
        });
    }

    fn veil(&self, text: &str) -> String {
        text.to_owned()
    }

    fn elapsed(&self) -> Duration {
        self.elapsed
    }

    async fn stopped(&mut self) {
        if !self.stopped {
            std::future::pending::<()>().await;
        }
    }

    fn is_stopped(&self) -> bool {
        self.stopped
    }

    fn failure(&self) -> Option<(Code, String)> {
        None
    }
}

struct Told(VecDeque<Result<Value, ModelError>>);

impl Model for Told {
    fn name(&self) -> ModelName {
        ModelName { provider: "told".into(), model: "told".into(), simulated: true }
    }

    fn decide<'a>(&'a mut self, request: &'a ModelRequest, _deadline: Duration) -> BoxFuture<'a, Decided> {
        let call = Call {
            role: request.role,
            name: self.name(),
            usage: Usage::default(),
            latency_ms: 1,
            status: CallStatus::Answered,
            price_micros: Some(1_000),
        };
        assert_eq!(request.role, Role::Navigator);
        // Nothing but the last answer is left: it is said again and again.
        let reply = if self.0.len() > 1 { self.0.pop_front() } else { self.0.front().cloned() };
        Box::pin(async move { Decided { reply: reply.unwrap(), calls: vec![call] } })
    }
}

fn job() -> Job {
    let mut values = Values::new();
    values.parameter(Name::new("user").unwrap(), "jane.doe".into());
    values.sensitive(Name::new("pin").unwrap(), Secret::new("4711-secret".into()));
    let name =
        |name: &str, secret| Named {
            name: Name::new(name).unwrap(),
            about: String::new(),
            secret,
            credential: false,
            fields: Vec::new(),
        };
    Job {
        goal: "Save it.".into(),
        start: "http://127.0.0.1:1/app".into(),
        success: vec![Fixed { words: "the screen shows \"Saved\"".into(), wish: Wish::Text("Saved".into()) }],
        names: vec![name("user", false), name("pin", true)],
        outputs: Vec::new(),
        values,
        limits: Bounds { turns: 12, ..Bounds::default() },
    }
}

const FORM: &[&str] =
    &["textbox \"Name\"", "textbox \"PIN\" [protected]", "button \"Save\"", "text \"Account of jane.doe\""];
const SAVED: &[&str] = &["heading \"Saved\"", "text \"Saved\"", "button \"Back\""];

struct Run {
    ending: Ending,
    acts: Vec<String>,
    told: String,
    deeds: usize,
    turns: u32,
}

fn run_with(change: impl FnOnce(&mut Job, &mut Fake), says: Vec<Result<Value, ModelError>>) -> Run {
    let mut job = job();
    let mut stage = Fake {
        screens: VecDeque::from([FORM.to_vec(), SAVED.to_vec()]),
        number: 0,
        answers: VecDeque::new(),
        acts: Vec::new(),
        told: Vec::new(),
        elapsed: Duration::ZERO,
        stopped: false,
    };
    change(&mut job, &mut stage);
    let mut model = Told(says.into());
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let explored = runtime.block_on(explore(&mut stage, &mut model, None, &job));
    Run {
        ending: explored.ending,
        acts: stage.acts,
        told: stage.told.join("\n"),
        deeds: explored.deeds.len(),
        turns: explored.turns,
    }
}

fn run(says: &[Value]) -> Run {
    run_with(|_, _| {}, says.iter().cloned().map(Ok).collect())
}

fn act(action: &str, element: i64) -> Value {
    json!({"reason": "r", "action": action, "element": element})
}

#[test]
fn a_job_is_done_when_what_the_analyst_fixed_holds() {
    let run = run(&[act("click", 3), act("done", 0)]);
    assert_eq!(run.ending, Ending::Done, "{}", run.told);
    assert_eq!((run.deeds, run.turns), (2, 2), "{:?}", run.acts);
}

#[test]
fn a_claim_is_checked_and_not_believed() {
    let run = run(&[act("done", 0)]);
    assert_eq!(run.ending, Ending::Unproven { missing: "the screen shows \"Saved\"".into() });
    assert_eq!(run.turns, 3, "it is told twice what is missing");
}

#[test]
fn a_model_knows_names_and_never_values() {
    let typed = json!({"reason": "r", "action": "type", "element": 1, "value": "user"});
    let run = run(&[typed, act("done", 0)]);
    assert!(!run.told.contains("jane.doe") && !run.told.contains("4711"), "{}", run.told);
    assert!(run.told.contains("Account of {user}") && run.told.contains("VALUES: user, pin (secret)"), "{}", run.told);
    assert!(run.acts[1].contains("Parameter(Name(\"user\"))"), "{:?}", run.acts);
}

#[test]
fn a_secret_goes_only_where_it_is_hidden() {
    let into = |element| json!({"reason": "r", "action": "type", "element": element, "value": "pin"});
    let shown = run(&[into(1), json!({"reason": "r", "action": "blocked", "text": "no"})]);
    assert_eq!(shown.acts.len(), 1, "nothing is typed: {:?}", shown.acts);
    assert!(shown.told.contains("`pin` is secret, and this field shows what is typed into it"), "{}", shown.told);
    // Whoever knows the value itself gets no further with it.
    let known = json!({"reason": "r", "action": "type", "element": 1, "text": "4711-secret"});
    let guessed = run(&[known, json!({"reason": "r", "action": "blocked", "text": "no"})]);
    assert_eq!(guessed.acts.len(), 1, "nothing is typed: {:?}", guessed.acts);
    let hidden = run(&[into(2), json!({"reason": "r", "action": "blocked", "text": "no"})]);
    assert_eq!(hidden.acts.len(), 2, "{:?}", hidden.acts);
}

#[test]
fn a_number_that_is_not_in_the_list_is_told_twice_and_then_the_end() {
    let run = run(&[act("click", 99), act("click", 98), act("click", 97)]);
    assert!(matches!(run.ending, Ending::Unreachable { .. }), "{:?}", run.ending);
    assert_eq!((run.turns, run.acts.len()), (3, 1), "{:?}", run.acts);
}

#[test]
fn the_same_action_on_the_same_screen_is_not_tried_a_third_time() {
    let stays = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([FORM.to_vec()]);
    let run = run_with(stays, vec![Ok(act("click", 3))]);
    assert_eq!(run.ending, Ending::NoProgress { what: "click".into() });
    assert_eq!(run.acts.len(), 3, "opened, and pressed twice: {:?}", run.acts);
}

#[test]
fn what_the_policy_denies_is_told_twice_and_then_the_end() {
    let denied =
        || Acted::Refused { code: Code::RiskApproval, rule: "lexicon".into(), message: "needs approval".into() };
    let denies = |_: &mut Job, stage: &mut Fake| {
        stage.answers = VecDeque::from([Acted::Done { risk: Risk::Safe }, denied(), denied(), denied()]);
    };
    let run = run_with(denies, [3, 2, 3].map(|n| Ok(act("click", n))).into());
    assert_eq!(run.ending, Ending::Refused { code: Code::RiskApproval, message: "needs approval".into() });
    assert!(run.told.contains("refused by policy (lexicon): needs approval"), "{}", run.told);
}

#[test]
fn what_may_have_been_done_is_the_end_and_not_done_again() {
    let unsure = |_: &mut Job, stage: &mut Fake| {
        stage.answers =
            VecDeque::from([Acted::Done { risk: Risk::Safe }, Acted::Unknown { why: "the wire broke".into() }]);
    };
    let run = run_with(unsure, vec![Ok(act("click", 3))]);
    assert_eq!(run.ending, Ending::EffectUnknown { why: "the wire broke".into() });
    assert_eq!(run.acts.len(), 2);
}

#[test]
fn a_link_that_leads_off_the_allowlist_is_not_tried() {
    let lures = |_: &mut Job, stage: &mut Fake| {
        stage.screens = VecDeque::from([vec!["link \"Accounts\" -> \"http://evil.example/accounts\""]]);
    };
    let run = run_with(lures, vec![Ok(act("click", 1)), Ok(json!({"reason": "r", "action": "blocked", "text": "no"}))]);
    assert_eq!(run.acts.len(), 1, "{:?}", run.acts);
    assert!(run.told.contains("refused by policy (no entry)"), "{}", run.told);
}

#[test]
fn each_bound_ends_it_and_keeps_what_was_done() {
    let spent = |change: fn(&mut Job, &mut Fake), what: &'static str| {
        let run = run_with(change, vec![Ok(act("click", 3)), Ok(act("wait", 0))]);
        assert_eq!(run.ending, Ending::Spent { what }, "{}", run.told);
        run.deeds
    };
    assert_eq!(spent(|job, _| job.limits.turns = 1, "turns"), 2);
    assert_eq!(spent(|job, _| job.limits.calls = 1, "calls of the model"), 2);
    assert_eq!(spent(|job, _| job.limits.money_micros = Some(900), "money"), 2);
    assert_eq!(spent(|_, stage| stage.elapsed = Duration::from_secs(10_000), "time"), 1);
}

#[test]
fn a_stop_ends_it_also_while_a_model_thinks() {
    let run = run_with(|_, stage| stage.stopped = true, vec![Ok(act("click", 3))]);
    assert_eq!(run.ending, Ending::Stopped);
}

#[test]
fn a_model_that_cannot_be_reached_ends_it_and_keeps_what_was_done() {
    let error = ModelError::Unreachable { why: "connection refused".into() };
    let run = run_with(|_, _| {}, vec![Ok(act("click", 3)), Err(error.clone())]);
    assert_eq!((run.ending, run.deeds), (Ending::Model(error), 2));
}

#[test]
fn what_fits_no_action_is_told_twice_and_then_the_end() {
    let run = run(&[json!({"reason": "r", "action": "click"})]);
    assert!(matches!(run.ending, Ending::Model(ModelError::InvalidOutput { .. })), "{:?}", run.ending);
    assert_eq!(run.turns, 3);
}
