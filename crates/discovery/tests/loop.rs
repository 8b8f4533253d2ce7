//! The loop over a session that never was, with a model that says what it is told to say.

#![expect(clippy::unwrap_used, reason = "screens and names are literals here")]

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use waymark_artifact::{Name, Risk};
use waymark_discovery::{
    Acted, Bounds, ByModel, Call, CallStatus, Decided, Ending, Fixed, Job, Model, ModelError, ModelName, ModelRequest,
    Named, Role, Said, Selector, Stage, Usage, explore,
};
use waymark_recording::{Given, Values, Wish};
use waymark_redact::Secret;
use waymark_run::Code;
use waymark_snapshot::{UiSnapshot, WindowKey};
use waymark_surface::{Act, Ask, DialogFact, DialogKind, DriverError, Observation};
use waymark_test_support::observation;

/// What the application shows, screen by screen: each act that is done leads to the next.
struct Fake {
    screens: VecDeque<Vec<&'static str>>,
    number: u64,
    answers: VecDeque<Acted>,
    acts: Vec<String>,
    told: Vec<String>,
    /// What the screen shows after each wait, in a circle; the same as before where there is none.
    waited: VecDeque<Vec<&'static str>>,
    elapsed: Duration,
    stopped: bool,
    /// What a dialog says that is open after the second act and until it is answered.
    dialog: Option<&'static str>,
    /// After so many acts there is nothing to be seen any more.
    gone_after: usize,
}

impl Fake {
    fn seen(&mut self) -> Observation {
        self.number += 1;
        let mut seen = observation("", self.screens.front().map_or(&[][..], Vec::as_slice), None);
        seen.number = self.number;
        seen.dialog = self.dialog.filter(|_| self.acts.len() == 2).map(|text| DialogFact {
            window: WindowKey::main(),
            kind: DialogKind::Confirm,
            text: text.to_owned(),
            offered: String::new(),
        });
        seen
    }
}

impl Stage for Fake {
    async fn look(&mut self) -> Result<Observation, DriverError> {
        if self.acts.len() >= self.gone_after {
            return Err(DriverError::Gone { why: "nothing answers".into() });
        }
        Ok(self.seen())
    }

    async fn wait(&mut self) -> Result<Observation, DriverError> {
        if let Some(next) = self.waited.pop_front() {
            self.screens[0] = next.clone();
            self.waited.push_back(next);
        }
        Ok(self.seen())
    }

    async fn act(&mut self, ask: Ask, given: Option<Given>) -> Acted {
        let came = self.answers.pop_front().unwrap_or(Acted::Done { risk: Risk::Safe });
        let mut said = format!("{} {given:?} {}", ask.act.word().as_str(), ask.location);
        if matches!(ask.act, Act::AnswerDialog { .. }) {
            let asked = ask.control.map(|c| format!("{} {:?}", c.role, c.name)).unwrap_or_default();
            said = format!("answer {asked}, declared {}, submit-like {}", ask.declared.as_str(), ask.submit_like);
        }
        self.acts.push(said);
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
            Said::AskedWhich { label, prompt, .. } => format!("asked which {label:?}\n{prompt}"),
            Said::Grounded { label, by_model, element, .. } => {
                format!("grounded {label:?} {element:?} {}", if by_model { "model" } else { "screen" })
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

/// Says what it is told to say, in one of the roles.
struct Told(VecDeque<Result<Value, ModelError>>, Role);

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
        assert_eq!(request.role, self.1);
        // Nothing but the last answer is left: it is said again and again.
        let reply = if self.0.len() > 1 { self.0.pop_front() } else { self.0.front().cloned() };
        Box::pin(async move { Decided { reply: reply.unwrap(), calls: vec![call] } })
    }
}

fn job() -> Job {
    let mut values = Values::new();
    values.parameter(Name::new("user").unwrap(), "jane.doe".into());
    values.sensitive(Name::new("pin").unwrap(), Secret::new("4711-secret".into()));
    let name = |name: &str, secret| Named {
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
    sent: Risk,
    turns: u32,
    calls: u32,
    selections: u32,
    proof: Option<UiSnapshot>,
}

fn run_with(change: impl FnOnce(&mut Job, &mut Fake), says: Vec<Result<Value, ModelError>>) -> Run {
    run_of(change, says, None)
}

/// With a selector that says something, or without one.
fn run_of(
    change: impl FnOnce(&mut Job, &mut Fake),
    says: Vec<Result<Value, ModelError>>,
    selects: Option<Vec<Result<Value, ModelError>>>,
) -> Run {
    let mut job = job();
    let mut stage = Fake {
        screens: VecDeque::from([FORM.to_vec(), SAVED.to_vec()]),
        number: 0,
        answers: VecDeque::new(),
        acts: Vec::new(),
        told: Vec::new(),
        waited: VecDeque::new(),
        elapsed: Duration::ZERO,
        stopped: false,
        dialog: None,
        gone_after: usize::MAX,
    };
    change(&mut job, &mut stage);
    let mut model = Told(says.into(), Role::Navigator);
    let mut selector = selects.map(|says| ByModel(Box::new(Told(says.into(), Role::Selector))));
    let selector = selector.as_mut().map(|selector| selector as &mut dyn Selector);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let explored = runtime.block_on(explore(&mut stage, &mut model, selector, &job));
    Run {
        ending: explored.ending,
        acts: stage.acts,
        told: stage.told.join("\n"),
        deeds: explored.deeds.len(),
        sent: explored.sent,
        turns: explored.turns,
        calls: explored.calls,
        selections: explored.selections,
        proof: explored.proof,
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
    let missing = "the screen shows \"Saved\" (not now: there is \"Account of {user}\")";
    assert_eq!(run.ending, Ending::Unproven { missing: missing.into() });
    assert_eq!(run.turns, 3, "it is told twice what is missing, and what there is");
    assert!(run.told.contains(&format!("LAST ACTION: it is not done: {missing}")), "{}", run.told);
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
fn a_click_that_gives_a_field_a_value_is_told_that_it_puts_nothing_in() {
    let both = |element: i64| json!({"reason": "r", "action": "click", "element": element, "value": "user"});
    let field = run(&[both(1), act("done", 0)]);
    assert_eq!(field.acts.len(), 1, "{:?}", field.acts);
    assert!(field.told.contains("refused: click puts nothing into field \"Name\"; type does"), "{}", field.told);
    let button = run(&[both(3), act("done", 0)]);
    assert_eq!(button.acts.len(), 2, "what fills in every part means nothing by it: {:?}", button.acts);
    let plain = run(&[act("click", 1), act("done", 0)]);
    assert_eq!(plain.acts.len(), 2, "{:?}", plain.acts);
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
    let within = json!({"reason": "r", "action": "type", "element": 2, "text": "it is 4711-secret"});
    let part = run(&[within, json!({"reason": "r", "action": "blocked", "text": "no"})]);
    assert_eq!(part.acts.len(), 1, "nothing is typed: {:?}", part.acts);
    let hidden = run(&[into(2), json!({"reason": "r", "action": "blocked", "text": "no"})]);
    assert_eq!(hidden.acts.len(), 2, "{:?}", hidden.acts);
}

#[test]
fn a_field_that_shows_what_is_typed_gets_no_secret_though_it_says_that_it_is_one_for_secrets() {
    let into = |element, action| json!({"reason": "r", "action": action, "element": element, "value": "pin"});
    for field in
        ["searchbox \"PIN\" [protected]", "combobox \"PIN\" [protected]", "textbox \"PIN\" [protected multiline]"]
    {
        let asks = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([vec![field]]);
        let run = run_with(asks, vec![Ok(into(1, "type")), Ok(json!({"reason": "r", "action": "blocked"}))]);
        assert_eq!(run.acts.len(), 1, "{field}: {:?}", run.acts);
        assert!(run.told.contains("`pin` is secret, and this field shows"), "{field}: {}", run.told);
    }
    let list = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([vec!["combobox \"PIN\""]]);
    let run = run_with(list, vec![Ok(into(1, "choose")), Ok(json!({"reason": "r", "action": "blocked"}))]);
    assert_eq!(run.acts.len(), 2, "what a list holds already is chosen: {:?}", run.acts);
}

#[test]
fn what_a_page_says_stays_where_it_stands_and_is_no_value() {
    let says = |_: &mut Job, stage: &mut Fake| {
        stage.screens =
            VecDeque::from([vec!["text \"x {user} {pin} 4711\u{2060}-secret \u{202e}y\"", "button \"4711-secret\""]]);
    };
    let press = act("click", 1);
    let run = run_with(says, vec![Ok(press), Ok(json!({"reason": "r", "action": "blocked"}))]);
    assert!(run.told.contains("x { user } { pin } {pin} y"), "{}", run.told);
    assert!(!run.told.contains("4711"), "what cannot be recorded is told without its name: {}", run.told);
}

#[test]
fn a_job_without_a_part_whose_risk_nobody_approved_is_not_proven() {
    let denied =
        || Acted::Refused { code: Code::RiskApproval, rule: "lexicon".into(), message: "needs approval".into() };
    let holds = |_: &mut Job, stage: &mut Fake| {
        stage.screens = VecDeque::from([SAVED.to_vec()]);
        stage.answers = VecDeque::from([Acted::Done { risk: Risk::Safe }, denied()]);
    };
    let run = run_with(holds, vec![Ok(act("click", 1)), Ok(act("done", 0))]);
    let Ending::Unproven { missing } = run.ending else { panic!("{:?}", run.ending) };
    assert!(missing.contains("\"Back\"") && missing.contains("not approved"), "{missing}");
    // The same once it was allowed after all.
    let run = run_with(holds, vec![Ok(act("click", 1)), Ok(act("click", 1)), Ok(act("done", 0))]);
    assert_eq!(run.ending, Ending::Done);
}

#[test]
fn a_model_that_thinks_until_the_time_is_over_spends_it() {
    let error = || Err(ModelError::Timeout { seconds: 3 });
    let short = |job: &mut Job, _: &mut Fake| job.limits.time = Duration::from_secs(3);
    assert_eq!(run_with(short, vec![error()]).ending, Ending::Spent { what: "time" });
    let long = run_with(|_, _| {}, vec![error()]);
    assert_eq!(long.ending, Ending::Model(ModelError::Timeout { seconds: 3 }));
    // The time is the same for whoever tells elements apart.
    let selects = |seconds: u64| {
        let twins = move |job: &mut Job, stage: &mut Fake| {
            job.limits.time = Duration::from_secs(seconds);
            stage.screens = VecDeque::from([TWINS.to_vec()]);
        };
        run_of(twins, vec![Ok(named("click", "Keep"))], Some(vec![error()]))
    };
    assert_eq!(selects(3).ending, Ending::Spent { what: "time" });
    let long = selects(900);
    assert_eq!(long.ending, Ending::Model(ModelError::Timeout { seconds: 3 }));
    assert!(long.told.contains("asked which \"Keep\"\nMEANT: Keep"), "it is written before the answer: {}", long.told);
}

#[test]
fn what_is_checked_at_the_end_says_whether_it_holds_already() {
    let run = run(&[act("click", 3), act("done", 0)]);
    assert!(run.told.contains("CHECKED AT THE END: the screen shows \"Saved\" [to do]\n"), "{}", run.told);
    assert!(run.told.contains("CHECKED AT THE END: the screen shows \"Saved\" [holds]\n"), "{}", run.told);
}

#[test]
fn the_conditions_are_proven_by_the_screen_at_the_end_and_not_by_that_of_the_last_deed() {
    let late = |_: &mut Job, stage: &mut Fake| {
        stage.screens = VecDeque::from([FORM.to_vec(), vec!["text \"Working\""]]);
        stage.waited = VecDeque::from([SAVED.to_vec()]);
    };
    let run = run_with(late, vec![Ok(act("click", 3)), Ok(act("wait", 0)), Ok(act("done", 0))]);
    assert_eq!(run.ending, Ending::Done, "{}", run.told);
    let wish = Wish::Text("Saved".into());
    assert!(run.proof.is_some_and(|screen| wish.holds(&screen)), "the screen that was checked is kept");
}

#[test]
fn a_claim_that_does_not_hold_names_what_is_there_instead() {
    let told = |wish: Wish| {
        let wishes = |job: &mut Job, _: &mut Fake| job.success = vec![Fixed { words: "it is so".into(), wish }];
        let run = run_with(wishes, vec![Ok(act("done", 0))]);
        let Ending::Unproven { missing } = run.ending else { panic!("{:?}", run.ending) };
        missing
    };
    assert_eq!(told(Wish::NotText("Account".into())), "it is so (not now: there is \"Account of {user}\")");
    let address = told(Wish::Url("/elsewhere".into()));
    assert!(address.starts_with("it is so (not now: there is \"http"), "{address}");
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
    assert_eq!(
        run.ending,
        Ending::NoProgress { what: "`click` was tried again and again, and nothing changed".into() }
    );
    assert_eq!(run.acts.len(), 3, "opened, and pressed twice: {:?}", run.acts);
    assert!(run.told.contains("1. clicked button \"Save\"; nothing changed"), "{}", run.told);
}

#[test]
fn a_wait_that_changes_nothing_is_told_and_is_not_done_a_third_time() {
    let run = run(&[act("wait", 0)]);
    assert_eq!(run.ending, Ending::NoProgress { what: "`wait` was tried again and again, and nothing changed".into() });
    assert_eq!(run.turns, 3);
    assert_eq!(run.told.matches("LAST ACTION: nothing changed on the screen: do the next thing").count(), 2);
    // What else stands in the answer makes no other action of it.
    let also = |n: i64| Ok(json!({"reason": n.to_string(), "action": "wait", "element": n, "output": n.to_string()}));
    assert_eq!(run_with(|_, _| {}, (1..9).map(also).collect()).turns, 3);
}

#[test]
fn a_wait_while_the_screen_changes_is_of_use_but_not_for_ever() {
    const STEPS: [&[&str]; 4] = [&["text \"10 %\""], &["text \"40 %\""], &["text \"80 %\""], SAVED];
    let loads = |_: &mut Job, stage: &mut Fake| stage.waited = STEPS.map(<[&str]>::to_vec).into();
    let says = ["wait", "wait", "wait", "wait", "done"].map(|action| Ok(act(action, 0)));
    let run = run_with(loads, says.into());
    assert_eq!(run.ending, Ending::Done, "{}", run.told);
    assert!(
        run.told.contains("waited, and the screen changed") && !run.told.contains("nothing changed"),
        "{}",
        run.told
    );
    let ticks = |job: &mut Job, stage: &mut Fake| {
        job.limits.turns = 40;
        stage.waited = STEPS[..3].iter().map(|step| step.to_vec()).collect();
    };
    let run = run_with(ticks, vec![Ok(act("wait", 0))]);
    let what = "it was waited 10 times in a row, and nothing else was done";
    assert_eq!((run.ending, run.turns), (Ending::NoProgress { what: what.into() }, 10), "{}", run.told);
}

#[test]
fn what_a_weak_model_repeats_ends_well_before_its_turns_and_says_which() {
    let read = |n: usize| json!({"reason": "r", "action": "read", "element": 3, "output": format!("name{n}")});
    let row = &["button \"One\"", "button \"Two\"", "text \"x\"", "button \"Account\""];
    let many = |says: Vec<Value>| {
        let patient = |job: &mut Job, stage: &mut Fake| {
            (job.limits.turns, job.limits.calls) = (40, 100);
            stage.screens = VecDeque::from([row.to_vec()]);
        };
        let run = run_with(patient, says.into_iter().map(Ok).collect());
        (format!("{:?}", run.ending), run.turns)
    };
    let again =
        |word: &str| format!("NoProgress {{ what: \"`{word}` was tried again and again, and nothing changed\" }}");
    assert_eq!(many((0..40).map(read).collect()), (again("read"), 3), "another name is no other deed");
    assert_eq!(many(vec![act("scroll", 0)]), (again("scroll"), 3));
    let (ending, turns) = many((0..40).map(|n| act("click", 1 + n % 2)).collect());
    assert!(ending.contains("`click` was tried on the same screen again and again: it goes in a circle"), "{ending}");
    assert_eq!(turns, 11);
    // Something that is done now and then does not make good what never is.
    let (ending, turns) =
        many((0..40).map(|n| if n % 2 == 0 { act("click", 50 + n) } else { act("click", 1 + n % 3) }).collect());
    assert!(turns <= 24 && ending.contains("NoProgress"), "{turns}: {ending}");
    let (ending, turns) = many((0..40).map(|n| act(if n % 2 == 0 { "accept" } else { "dismiss" }, 0)).collect());
    assert!(turns == 3 && ending.contains("no dialog is open"), "{turns}: {ending}");
    let (ending, turns) = many(vec![act("done", 0)]);
    assert!(turns == 3 && ending.contains("Unproven"), "{turns}: {ending}");
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
        stage.answers = VecDeque::from([
            Acted::Done { risk: Risk::Safe },
            Acted::Unknown { risk: Risk::Risky, why: "the wire broke".into() },
        ]);
    };
    let run = run_with(unsure, vec![Ok(act("click", 3))]);
    assert_eq!(run.ending, Ending::EffectUnknown { why: "the wire broke".into() });
    assert_eq!(run.acts.len(), 2);
    let harmless = |_: &mut Job, stage: &mut Fake| {
        let unsure = Acted::Unknown { risk: Risk::Safe, why: "the wire broke".into() };
        stage.answers = VecDeque::from([Acted::Done { risk: Risk::Safe }, unsure]);
    };
    let run = run_with(harmless, vec![Ok(act("click", 3))]);
    assert_eq!(run.ending, Ending::Unreachable { why: "the wire broke".into() }, "what is safe has no effect");
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

/// Two buttons of one name, told apart by what they stand in; and a field that shows a value of the caller.
const TWINS: &[&str] = &[
    "region \"Billing of jane.doe\"",
    "  button \"Keep\"",
    "region \"Shipping\"",
    "  button \"Keep\"",
    "textbox \"PIN\" [protected] = \"4711-secret\"",
    "button \"Save\"",
];

fn named(action: &str, label: &str) -> Value {
    json!({"reason": "the form is filled", "action": action, "label": label})
}

fn gives_up() -> Result<Value, ModelError> {
    Ok(json!({"reason": "r", "action": "blocked", "text": "no"}))
}

fn choice(element: Value) -> Result<Value, ModelError> {
    Ok(json!({"reason": "r", "element": element}))
}

/// The navigator names "Keep", and then gives up; the selector answers.
fn selected(answer: Result<Value, ModelError>) -> Run {
    let twins = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([TWINS.to_vec(), SAVED.to_vec()]);
    run_of(twins, vec![Ok(named("click", "Keep")), gives_up()], Some(vec![answer]))
}

#[test]
fn a_unique_label_is_grounded_without_a_call() {
    let run = run_of(|_, _| {}, vec![Ok(named("click", "Save")), Ok(act("done", 0))], Some(Vec::new()));
    assert_eq!(run.ending, Ending::Done, "{}", run.told);
    assert_eq!((run.calls, run.selections, run.acts.len()), (2, 0, 2), "{:?}", run.acts);
    assert!(run.told.contains("grounded \"Save\" Some(3)"), "{}", run.told);
}

#[test]
fn where_a_label_stands_twice_the_selector_decides_and_the_purse_is_shared() {
    let run = selected(choice(json!(2)));
    assert_eq!((run.calls, run.selections, run.acts.len()), (3, 1, 2), "{} {:?}", run.told, run.acts);
    assert!(run.told.contains("clicked button \"Keep\""), "{}", run.told);
    assert!(run.told.contains("2 button \"Keep\" (in \"Shipping\")"), "{}", run.told);
    let spent = |change: fn(&mut Job), what: &'static str| {
        let twins = |job: &mut Job, stage: &mut Fake| {
            stage.screens = VecDeque::from([TWINS.to_vec(), SAVED.to_vec()]);
            change(job);
        };
        let run = run_of(twins, vec![Ok(named("click", "Keep"))], Some(vec![choice(json!(2))]));
        assert_eq!((run.ending, run.selections, run.acts.len()), (Ending::Spent { what }, 0, 1), "{}", run.told);
    };
    spent(|job| job.limits.calls = 1, "calls of the model");
    spent(|job| job.limits.money_micros = Some(1_000), "money");
}

#[test]
fn a_choice_that_is_none_or_no_candidate_or_no_choice_comes_back_as_a_result() {
    let misfit = ModelError::InvalidOutput { why: "two numbers".into() };
    for (answer, said) in [
        (choice(Value::Null), "the selector cannot say which one \"Keep\" means"),
        (choice(json!(99)), "the selector answers 99, which is none of: 1 button \"Keep\""),
        // A number of the list that was no candidate, and one that is no number of a list.
        (choice(json!(4)), "the selector answers 4"),
        (choice(json!(-1)), "the selector answers -1"),
        (choice(json!("2")), "the selector's answer cannot be used"),
        (Err(misfit), "the selector's answer cannot be used (two numbers)"),
    ] {
        let run = selected(answer);
        assert!(matches!(run.ending, Ending::Blocked { .. }), "{:?}", run.ending);
        assert_eq!(run.acts.len(), 1, "nothing is pressed: {:?}", run.acts);
        assert!(run.told.contains(said), "{said}: {}", run.told);
    }
}

#[test]
fn a_selector_that_cannot_be_asked_ends_it() {
    let error = ModelError::Rejected { status: 401, why: "bad key".into() };
    let run = selected(Err(error.clone()));
    assert_eq!((run.ending, run.acts.len(), run.selections), (Ending::Model(error), 1, 1), "{}", run.told);
}

#[test]
fn without_a_selector_the_navigator_is_told_the_candidates_twice_and_then_it_is_the_end() {
    let twins = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([TWINS.to_vec()]);
    let says = ["Keep", "keep", "KEEP"].map(|label| Ok(named("click", label)));
    let run = run_with(twins, says.into());
    assert!(matches!(run.ending, Ending::Unreachable { .. }), "{:?}", run.ending);
    assert!(run.told.contains("\"Keep\" fits 2 elements; give the number: 1 button \"Keep\""), "{}", run.told);
    assert_eq!(run.acts.len(), 1, "{:?}", run.acts);
}

#[test]
fn nothing_sensitive_reaches_a_selector() {
    let twins = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([TWINS.to_vec()]);
    let says =
        json!({"reason": "4711-secret of jane.doe", "action": "click", "label": "the Keep of jane.doe 4711-secret"});
    let run = run_of(twins, vec![Ok(says), gives_up()], Some(vec![choice(Value::Null)]));
    assert_eq!(run.selections, 1, "{}", run.told);
    assert!(!run.told.contains("jane.doe") && !run.told.contains("4711"), "{}", run.told);
    assert!(run.told.contains("MEANT: the Keep of {user} {pin}"), "{}", run.told);
    assert!(run.told.contains("BECAUSE: {pin} of {user}"), "{}", run.told);
}

#[test]
fn a_number_and_a_label_of_another_element_are_a_contradiction() {
    let both = |element: i64, label: &str| {
        let says = json!({"reason": "r", "action": "click", "element": element, "label": label});
        run_of(|_, _| {}, vec![Ok(says), gives_up()], Some(Vec::new()))
    };
    let other = both(2, "Save");
    assert_eq!(other.acts.len(), 1, "{:?}", other.acts);
    assert!(other.told.contains("`element` is 2, and `label` is called by 3"), "{}", other.told);
    assert_eq!(both(3, "save").acts.len(), 2);
    assert_eq!(both(3, "the one that keeps it").acts.len(), 2, "what only describes it contradicts nothing");
}

#[test]
fn what_the_selector_chose_must_be_found_again_or_it_is_not_done() {
    let alike = |_: &mut Job, stage: &mut Fake| {
        stage.screens = VecDeque::from([vec![
            "button \"Keep\" @0,0,10,10",
            "button \"Keep\" @0,0,10,10",
            "button \"Keep\" @0,0,10,10",
        ]]);
    };
    let run = run_of(alike, vec![Ok(named("click", "Keep")), gives_up()], Some(vec![choice(json!(2))]));
    assert!(run.told.contains("it could not be found again: button \"Keep\""), "{}", run.told);
    assert_eq!((run.selections, run.acts.len()), (1, 1), "{:?}", run.acts);
}

#[test]
fn what_was_sent_is_known_although_nothing_is_seen_after_it() {
    let run = run_with(
        |_, stage| {
            stage.answers = VecDeque::from([Acted::Done { risk: Risk::Safe }, Acted::Done { risk: Risk::Risky }]);
            stage.gone_after = 2;
        },
        vec![Ok(act("click", 3))],
    );
    assert!(matches!(run.ending, Ending::Surface(_)), "{:?}", run.ending);
    assert_eq!((run.deeds, run.sent), (1, Risk::Risky), "{:?}", run.acts);
}

#[test]
fn a_dialog_is_asked_about_by_what_it_says_and_its_risk_counts() {
    let risks = [Risk::Safe, Risk::Safe, Risk::Irreversible];
    let answered = |risks: [Risk; 3], action| {
        run_with(
            |_, stage| {
                stage.dialog = Some("Delete this account for good?");
                stage.answers = risks.into_iter().map(|risk| Acted::Done { risk }).collect();
            },
            vec![Ok(act("click", 3)), Ok(act(action, 0)), Ok(act("done", 0))],
        )
    };
    let yes = answered(risks, "accept");
    let asked = "answer dialog \"Delete this account for good?\", declared safe, submit-like";
    assert_eq!(yes.acts[2], format!("{asked} true"));
    assert_eq!((yes.ending, yes.sent), (Ending::Done, Risk::Irreversible));
    let no = answered(risks, "dismiss");
    assert_eq!(no.acts[2], format!("{asked} false"));
    assert_eq!((no.ending, no.sent), (Ending::Done, Risk::Safe), "a no does nothing");
}

#[test]
fn a_dialog_that_shows_a_secret_is_not_answered_because_it_cannot_be_recorded() {
    let run = run_with(
        |_, stage| stage.dialog = Some("Transfer with 4711-secret?"),
        vec![Ok(act("click", 3)), Ok(act("accept", 0))],
    );
    assert_eq!(run.acts.len(), 2, "{:?}", run.acts);
    assert!(run.told.contains("so it cannot be recorded"), "{}", run.told);
}
