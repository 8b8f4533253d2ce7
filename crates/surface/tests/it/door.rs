//! The gate: control token, then allowlist and action type, then risk; and what reaches the driver.

use std::time::Duration;

use expect_test::{Expect, expect};
use waymark_artifact::Risk;
use waymark_policy::{ActionWord, Grants, Mode};
use waymark_redact::Secret;
use waymark_snapshot::{NodeId, Role, WindowKey};
use waymark_surface::{Act, Ask, ControlFacts, Delivery, Driving, Gate, Key, TypedText, TypingMode};
use waymark_test_support::app::policy;
use waymark_test_support::{Acts, FakeDriver, observation};

const SECOND: Duration = Duration::from_secs(1);

fn gate(application: &str, mode: Mode) -> (Gate<FakeDriver>, Driving, Acts) {
    let driver = FakeDriver::new([], []);
    let acts = driver.acts();
    let (gate, driving) = Gate::new(driver, policy(), application, mode, Grants::default());
    (gate, driving, acts)
}

fn click(name: &str, location: &str) -> Ask {
    Ask {
        act: Act::Click { node: NodeId::new("n1") },
        location: location.into(),
        screen: None,
        control: Some(ControlFacts { role: Role::Button, name: name.into(), native: String::new() }),
        declared: Risk::Safe,
        submit_like: false,
    }
}

fn told(gate: &mut Gate<FakeDriver>, driving: &mut Driving, ask: &Ask) -> String {
    match gate.authorize(driving, ask) {
        Ok(pass) => {
            let (risk, rule) = (pass.assessment.risk.as_str(), &pass.assessment.rule);
            format!("{} allowed, {risk} by {rule}, epoch {}", pass.number, pass.epoch)
        }
        Err(no) => format!("{} {} by {}: {}", no.number, no.code, no.rule, no.message),
    }
}

/// The answers to several questions, a line each.
fn check(application: &str, mode: Mode, asks: &[Ask], expected: Expect) {
    let (mut gate, mut driving, acts) = gate(application, mode);
    let lines: Vec<String> = asks.iter().map(|ask| told(&mut gate, &mut driving, ask)).collect();
    expected.assert_eq(&lines.join("\n"));
    assert_eq!(acts.all(), [], "asking does nothing");
}

#[test]
fn every_question_has_a_number_whatever_the_answer() {
    check(
        "app",
        Mode::Unattended,
        &[
            click("Open", "http://app.test/page"),
            click("Open", "http://elsewhere.test/page"),
            click("Open", "http://app.test/admin/x"),
            click("Save", "http://app.test/page"),
            click("Delete", "http://app.test/page"),
            click("Open", "http://app.test/page"),
        ],
        expect![[r#"
            1 allowed, safe by action:click, epoch 1
            2 policy_blocked by allowlist:origin: no entry allows this scheme, host and port
            3 policy_blocked by deny:administration: `/admin/x` is denied
            4 risk_approval by lexicon:save: what is risky needs approval
            5 risk_approval by lexicon:delete: what is irreversible needs approval
            6 allowed, safe by action:click, epoch 1"#]],
    );
}

#[test]
fn where_it_is_not_allowed_its_risk_is_not_asked() {
    check(
        "app",
        Mode::Unattended,
        &[click("Delete", "http://app.test/admin/x")],
        expect!["1 policy_blocked by deny:administration: `/admin/x` is denied"],
    );
}

#[test]
fn an_action_that_no_entry_names_is_refused_before_its_risk() {
    check(
        "looking",
        Mode::Unattended,
        &[click("Delete", "http://app.test/page")],
        expect!["1 policy_blocked by allowlist:action: no entry allows `click` on `/page`"],
    );
}

#[test]
fn a_watched_session_may_do_what_is_risky_and_not_what_is_irreversible() {
    check(
        "app",
        Mode::Attended,
        &[click("Save", "http://app.test/page"), click("Delete", "http://app.test/page")],
        expect![[r#"
            1 allowed, risky by lexicon:save, epoch 1
            2 risk_approval by lexicon:delete: what is irreversible needs approval"#]],
    );
}

#[test]
fn the_control_token_is_asked_before_anything_else() {
    let (mut gate, mut driving, _) = gate("app", Mode::Attended);
    let (_, foreign) = waymark_surface::Control::new();
    let mut foreign = foreign;
    let denied = click("Open", "http://app.test/admin/x");
    expect!["1 internal by control: the proof belongs to another session"].assert_eq(&told(
        &mut gate,
        &mut foreign,
        &denied,
    ));
    expect!["2 policy_blocked by deny:administration: `/admin/x` is denied"].assert_eq(&told(
        &mut gate,
        &mut driving,
        &denied,
    ));
}

#[tokio::test]
async fn what_is_allowed_reaches_the_driver_once() {
    let (mut gate, mut driving, acts) = gate("app", Mode::Attended);
    let ask = click("Open", "http://app.test/page");
    let pass = match gate.authorize(&mut driving, &ask) {
        Ok(pass) => pass,
        Err(refusal) => panic!("{refusal:?}"),
    };
    assert_eq!(gate.act(&mut driving, pass, &ask.act, SECOND).await, Delivery::Delivered { read_back: None });
    assert_eq!(acts.all(), [ask.act]);
}

#[tokio::test]
async fn a_pass_from_before_a_pause_is_worth_nothing_after_it() {
    let (mut gate, mut driving, acts) = gate("app", Mode::Attended);
    let ask = click("Open", "http://app.test/page");
    let pass = match gate.authorize(&mut driving, &ask) {
        Ok(pass) => pass,
        Err(refusal) => panic!("{refusal:?}"),
    };
    assert_eq!(gate.control().pause(driving), Ok(()));
    let mut driving = match gate.control().resume(None, 0) {
        Ok(driving) => driving,
        Err(error) => panic!("{error}"),
    };
    let delivery = gate.act(&mut driving, pass, &ask.act, SECOND).await;
    assert!(matches!(delivery, Delivery::NotDelivered(_)), "{delivery:?}");
    assert_eq!(acts.all(), []);
}

#[tokio::test]
async fn a_pass_is_for_the_action_that_was_asked_about() {
    let (mut gate, mut driving, acts) = gate("app", Mode::Attended);
    let typed = |node: &str, text: &str| Act::Type {
        node: NodeId::new(node),
        text: TypedText::Secret(Secret::new(text.to_owned())),
        mode: TypingMode::Insert,
    };
    let asked = [
        (click("Open", "http://app.test/page").act, Act::Click { node: NodeId::new("n2") }, false),
        (typed("n1", ""), typed("n1", "hunter2"), true),
        (typed("n1", ""), typed("n2", "hunter2"), false),
        (Act::Scroll { node: None }, typed("n1", ""), false),
    ];
    for (allowed, done, fits) in asked {
        let ask = Ask { act: allowed, ..click("Open", "http://app.test/page") };
        let pass = match gate.authorize(&mut driving, &ask) {
            Ok(pass) => pass,
            Err(refusal) => panic!("{refusal:?}"),
        };
        let delivery = gate.act(&mut driving, pass, &done, SECOND).await;
        assert_eq!(matches!(delivery, Delivery::Delivered { .. }), fits, "{done:?}");
    }
    assert_eq!(acts.all(), [typed("n1", "hunter2")]);
}

#[tokio::test]
async fn a_pass_of_another_session_is_worth_nothing() {
    let (mut gate_a, mut driving_a, _) = gate("app", Mode::Attended);
    let (mut gate_b, mut driving_b, acts) = gate("app", Mode::Attended);
    let ask = click("Open", "http://app.test/page");
    let pass = match gate_a.authorize(&mut driving_a, &ask) {
        Ok(pass) => pass,
        Err(refusal) => panic!("{refusal:?}"),
    };
    let delivery = gate_b.act(&mut driving_b, pass, &ask.act, SECOND).await;
    assert!(matches!(delivery, Delivery::NotDelivered(_)), "{delivery:?}");
    assert_eq!(acts.all(), []);
}

#[test]
fn a_session_that_landed_off_limits_is_told_with_the_rule() {
    let (gate, _, _) = gate("app", Mode::Attended);
    let landed = |screen: &str| gate.landed_off_limits(&observation("settled", &[screen], None));
    assert_eq!(landed("window main <http://app.test/page>"), None);
    assert_eq!(landed("window main <about:blank>"), None);
    let rule = landed("window main <http://app.test/admin/x>").map(|l| l.0);
    assert_eq!(rule.as_deref(), Some("deny:administration"));
    let rule = landed("window main <http://elsewhere.test/>").map(|l| l.0);
    assert_eq!(rule.as_deref(), Some("allowlist:origin"));
}

#[test]
fn every_act_has_a_word_of_the_policy_and_every_word_an_act() {
    let node = NodeId::new("n1");
    let window = WindowKey::main();
    let acts = [
        Act::Open { window: window.clone(), location: String::new() },
        Act::Click { node: node.clone() },
        Act::Type { node: node.clone(), text: TypedText::Plain(String::new()), mode: TypingMode::Insert },
        Act::Choose { node: node.clone(), option: TypedText::Plain(String::new()), rule: Default::default() },
        Act::SetChecked { node: node.clone(), checked: true },
        Act::PressKey { node: None, key: Key("Tab".into()) },
        Act::Upload { node, files: Vec::new() },
        Act::Scroll { node: None },
        Act::AnswerDialog { window: window.clone(), accept: true, text: None },
        Act::CloseWindow { window },
    ];
    let words: Vec<ActionWord> = acts.iter().map(Act::word).collect();
    assert_eq!(words, ActionWord::ALL);
}

#[test]
fn a_secret_does_not_show() {
    let act = Act::Type {
        node: NodeId::new("n1"),
        text: TypedText::Secret(Secret::new("hunter2".to_owned())),
        mode: TypingMode::Insert,
    };
    assert!(!format!("{act:?}").contains("hunter2"));
}
