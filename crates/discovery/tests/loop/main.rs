//! The loop over a session that never was, with a model that says what it is told to say.

#![expect(clippy::unwrap_used, reason = "screens and names are literals here")]

mod grounding;

use std::collections::VecDeque;
use std::time::Duration;

use futures_util::future::BoxFuture;
use serde_json::{Value, json};
use waymark_artifact::{Name, OptionRule, Risk};
use waymark_discovery::{
    Acted, Bounds, ByModel, Call, CallStatus, Decided, Ending, Fixed, Job, Model, ModelError, ModelName, ModelRequest,
    Named, Role, Said, Selector, Stage, Standing, Usage, explore,
};
use waymark_recording::{Did, Given, Reading, Values, Wish};
use waymark_redact::Secret;
use waymark_run::Code;
use waymark_snapshot::{UiSnapshot, WindowKey};
use waymark_surface::{Act, Ask, DialogFact, DialogKind, DriverError, Observation};
use waymark_test_support::observation;

use grounding::{TWINS, named};

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

fn done(risk: Risk) -> Acted {
    Acted::Done { risk, hint: None }
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
        let came = self.answers.pop_front().unwrap_or(done(Risk::Safe));
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
    /// What each condition came to, and why something was refused, where the model said that it had come to an end.
    closing: Option<(Vec<Standing>, Option<Code>)>,
    /// What was read, and the cell that marks its row.
    read: Option<(String, Option<String>)>,
    /// By how much of an option's text something was chosen.
    chosen: Option<OptionRule>,
    /// The driver's ways to what was acted on.
    hints: Vec<Option<String>>,
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
    let read = explored.deeds.iter().find_map(|deed| match &deed.did {
        Did::Read { node, reading: Reading::One { row, .. } } => {
            Some((deed.before.text_of(*node), row.map(|row| deed.before.text_of(row))))
        }
        _ => None,
    });
    let chosen = explored.deeds.iter().find_map(|deed| match &deed.did {
        Did::Choose { rule, .. } => Some(*rule),
        _ => None,
    });
    Run {
        hints: explored.deeds.iter().map(|deed| deed.hint.clone()).collect(),
        read,
        chosen,
        ending: explored.ending,
        acts: stage.acts,
        told: stage.told.join("\n"),
        deeds: explored.deeds.len(),
        sent: explored.sent,
        turns: explored.turns,
        calls: explored.calls,
        selections: explored.selections,
        proof: explored.proof,
        closing: explored.closing.map(|closing| (closing.conditions, closing.refused)),
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
fn the_drivers_way_to_what_was_acted_on_is_kept_with_the_deed() {
    let clicked = Acted::Done { risk: Risk::Safe, hint: Some("form > button".into()) };
    let says = [act("click", 3), act("done", 0)].map(Ok).to_vec();
    let run = run_with(|_, stage| stage.answers = [done(Risk::Safe), clicked].into(), says);
    assert_eq!(run.hints, [None, Some("form > button".into())], "{}", run.told);
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
        stage.answers = VecDeque::from([done(Risk::Safe), denied()]);
    };
    let run = run_with(holds, vec![Ok(act("click", 1)), Ok(act("done", 0))]);
    let Ending::Unproven { missing } = run.ending else { panic!("{:?}", run.ending) };
    assert!(missing.contains("\"Back\"") && missing.contains("not approved"), "{missing}");
    // The same once it was allowed after all.
    let granted = |job: &mut Job, stage: &mut Fake| {
        holds(job, stage);
        job.success[0].wish = Wish::Text("Over".into());
        stage.screens.push_back(vec!["text \"Over\""]);
    };
    let run = run_with(granted, vec![Ok(act("click", 1)), Ok(act("click", 1)), Ok(act("done", 0))]);
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
fn what_each_condition_came_to_is_kept_where_the_model_says_that_it_has_come_to_an_end() {
    let blocked = json!({"reason": "r", "action": "blocked", "text": "no way"});
    let ended = run(&[act("click", 3), act("done", 0)]);
    assert_eq!(ended.closing, Some((vec![Standing::Holds], None)));
    let early = run(&[act("done", 0), act("done", 0), act("done", 0)]);
    assert_eq!(early.closing, Some((vec![Standing::Unmet], None)));
    assert_eq!(run(std::slice::from_ref(&blocked)).closing, Some((vec![Standing::Unmet], None)));
    let went_on = run(&[act("done", 0), act("click", 3)]);
    assert_eq!(went_on.closing, None, "a claim of before says nothing of the end: {:?}", went_on.ending);
    let refusing = |_: &mut Job, stage: &mut Fake| {
        stage.answers = VecDeque::from([
            done(Risk::Safe),
            Acted::Refused { code: Code::RiskApproval, rule: "r".into(), message: "m".into() },
        ]);
    };
    let refused = run_with(refusing, vec![Ok(act("click", 3)), Ok(blocked)]);
    assert_eq!(refused.closing, Some((vec![Standing::Unmet], Some(Code::RiskApproval))), "{}", refused.told);
}

#[test]
fn what_stood_there_from_the_beginning_is_not_believed_and_its_place_is_told() {
    let menu = |_: &mut Job, stage: &mut Fake| {
        stage.screens = VecDeque::from([
            vec!["link \"Saved\"", "  text \"Saved\"", "button \"Save\""],
            vec!["link \"Saved\"", "  text \"Saved\"", "text \"x\""],
        ]);
    };
    let run = run_with(menu, vec![Ok(act("click", 2)), Ok(act("done", 0))]);
    let Ending::Unproven { missing } = run.ending else { panic!("{:?}", run.ending) };
    assert_eq!(
        missing,
        "the screen shows \"Saved\" (it did so from the beginning, on the page itself: that proves nothing)"
    );
    assert!(run.told.contains("\"Saved\" [to do]\nVALUES"), "{}", run.told);
}

/// What is told of choosing the user among these options, and by how much of an option's text it was chosen.
fn chooses(options: &'static str, says: Value) -> (String, Option<OptionRule>) {
    let list = move |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([vec![options]]);
    let run = run_with(list, vec![Ok(says), Ok(json!({"reason": "r", "action": "blocked"}))]);
    (run.told, run.chosen)
}

#[test]
fn an_option_is_chosen_by_the_whole_value_or_by_the_one_that_begins_with_it() {
    let by = |value: &str| json!({"reason": "r", "action": "choose", "element": 1, "value": value});
    let whole = r#"combobox "Who" options=("jane.doe" "jane.doe (old)")"#;
    assert_eq!(chooses(whole, by("user")).1, Some(OptionRule::Equals));
    let begins = r#"combobox "Who" options=("jane.doe (active)" "jane.doeson (active)")"#;
    assert_eq!(chooses(begins, by("user")).1, Some(OptionRule::StartsWith));
    let copied = json!({"reason": "r", "action": "choose", "element": 1, "text": "{user} (active)"});
    assert_eq!(chooses(begins, copied).1, Some(OptionRule::StartsWith), "as it stands in the list");
    let (told, chosen) = chooses(r#"combobox "Who" options=("jane.doe (new)" "jane.doe (old)")"#, by("user"));
    assert_eq!(chosen, None);
    assert!(told.contains("refused: 2 options begin with {user}, and none is that alone"), "{told}");
}

/// Shares of a member, and what is said of them.
const SHARES: &[&str] = &[
    "heading \"Shares\"",
    "table \"\"",
    "  row \"\"",
    "    columnheader \"Share\" cell=0,0,1,1,header",
    "      text \"Share\"",
    "    columnheader \"Kind\" cell=0,1,1,1,header",
    "      text \"Kind\"",
    "    columnheader \"Balance\" cell=0,2,1,1,header",
    "      text \"Balance\"",
    "  row \"\"",
    "    cell \"4711-00\" cell=1,0,1,1",
    "      text \"4711-00\"",
    "    cell \"Savings\" cell=1,1,1,1",
    "      text \"Savings\"",
    "    cell \"$1.00\" cell=1,2,1,1",
    "      text \"$1.00\"",
    "  row \"\"",
    "    cell \"4711-20\" cell=2,0,1,1",
    "      text \"4711-20\"",
    "    cell \"Checking\" cell=2,1,1,1",
    "      text \"Checking\"",
    "    cell \"$2.00\" cell=2,2,1,1",
    "      text \"$2.00\"",
    "group \"\"",
    "  text \"Name\" block=90",
    "  text \"Doe, Jane\" block=91",
];

/// What is told of reading this label, and what was recorded of it.
fn reads(label: &str) -> (String, Option<(String, Option<String>)>) {
    let shares = |_: &mut Job, stage: &mut Fake| stage.screens = VecDeque::from([SHARES.to_vec()]);
    let read = json!({"reason": "r", "action": "read", "label": label, "output": "value"});
    let run = run_with(shares, vec![Ok(read), Ok(json!({"reason": "r", "action": "blocked"}))]);
    (run.told, run.read)
}

#[test]
fn one_cell_of_a_table_is_read_by_its_column_and_a_word_of_its_row() {
    for label in ["Balance in row Savings", "Savings Balance", "Balance of savings", "text Balance (row \"Savings\")"] {
        let (told, read) = reads(label);
        assert_eq!(read, Some(("$1.00".into(), Some("Savings".into()))), "{label}: {told}");
    }
    let (told, read) = reads("Balance");
    assert_eq!(read, None);
    assert!(
        told.contains("refused: \"Balance\" fits 2 elements; give what tells it apart: text \"Balance\""),
        "which fit is told: {told}"
    );
    let (told, read) = reads("Balance in row Money Market");
    assert_eq!(read, None, "what only resembles it is not read: {told}");
}

#[test]
fn a_row_is_not_known_by_a_figure_of_its_record() {
    let (told, read) = reads("Balance in row 4711-00");
    assert_eq!(read, None);
    assert!(told.contains("is a figure of this record, which another run would not have"), "{told}");
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
        stage.answers = VecDeque::from([done(Risk::Safe), denied(), denied(), denied()]);
    };
    let run = run_with(denies, [3, 2, 3].map(|n| Ok(act("click", n))).into());
    assert_eq!(run.ending, Ending::Refused { code: Code::RiskApproval, message: "needs approval".into() });
    assert!(run.told.contains("refused by policy (lexicon): needs approval"), "{}", run.told);
}

#[test]
fn what_may_have_been_done_is_the_end_and_not_done_again() {
    let unsure = |_: &mut Job, stage: &mut Fake| {
        stage.answers =
            VecDeque::from([done(Risk::Safe), Acted::Unknown { risk: Risk::Risky, why: "the wire broke".into() }]);
    };
    let run = run_with(unsure, vec![Ok(act("click", 3))]);
    assert_eq!(run.ending, Ending::EffectUnknown { why: "the wire broke".into() });
    assert_eq!(run.acts.len(), 2);
    let harmless = |_: &mut Job, stage: &mut Fake| {
        let unsure = Acted::Unknown { risk: Risk::Safe, why: "the wire broke".into() };
        stage.answers = VecDeque::from([done(Risk::Safe), unsure]);
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

#[test]
fn what_was_sent_is_known_although_nothing_is_seen_after_it() {
    let run = run_with(
        |_, stage| {
            stage.answers = VecDeque::from([done(Risk::Safe), done(Risk::Risky)]);
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
                stage.answers = risks.into_iter().map(done).collect();
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
