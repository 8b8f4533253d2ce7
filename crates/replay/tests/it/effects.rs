//! The effect journal: what changes it, and what does not.

#![expect(clippy::unwrap_used, reason = "a journal that cannot be made or read ends the test")]

use expect_test::expect;
use waymark_replay::{Machine, Next};
use waymark_run::{effect_digest, effect_lines};
use waymark_test_support::{app, script};

const PLAN: &str = r#"
parameters:
- {name: amount, type: text}
- {name: pin, type: text, sensitive: true}
outputs:
- {name: total, type: text}
variables:
- {name: base}
steps:
- {id: open, open: "{var.base}/pay"}
- {id: amount, type: textbox "Amount", value: param.amount}
- {id: pin, type: textbox "PIN", value: param.pin}
- id: go
  click:
    description: Go
    candidates:
    - {find: {rung: role_name, role: button, name: Go}}
    - {find: {rung: role_name_normalized, role: button, name: Go}}
  check:
    description: It is done.
    condition:
      kind: any
      of: [{kind: text_present, match: {text: Done}}, {kind: text_present, match: {text: Finished}}]
- {id: total, read: textbox "Total", part: value, into: total}
outcomes:
- {code: refused, when: text "Refused"}
- {code: closed, when: text "Closed"}
recoveries:
- {id: survey, when: heading "Survey", click: button "OK", check: no heading "Survey"}
- {id: news, when: heading "News", click: button "OK", check: no heading "News"}
with: {amount: "12", pin: "4711"}
vars: {base: "http://app.test"}
"#;

const SCRIPT: &str = r#"
0 start
1 seen
  heading "Welcome"
2 delivered
10 seen
  textbox "Amount"
  textbox "PIN"
  button "Go"
11 delivered = "12"
20 seen
21 delivered equal
30 seen
31 delivered
40 seen
  text "Done"
  textbox "Total" = "5"
50 seen
60 seen
"#;

/// The journal of a walk, as it is stored.
fn journal(plan: &str, script: &str) -> String {
    let mut machine = Machine::new(app::plan(plan)).unwrap();
    let mut next = None;
    for (_, input) in script::inputs(script) {
        next = Some(machine.step(input).next);
    }
    let Some(Next::Finish(ending)) = next else { panic!("the walk did not end: {next:?}\n{script}") };
    effect_lines(&machine.effects(&ending, &|_, _| None)).unwrap()
}

#[test]
fn a_journal_tells_what_was_found_done_proved_read_and_how_it_ended() {
    expect![[r#"
        {"act":"open","delivery":"delivered","detail":null,"effect":"acted","on":null,"step":"open","with":{"location":"{base}/pay","window":"main"}}
        {"class":"expected","effect":"done","step":"open"}
        {"effect":"resolved","fingerprint":{"name":"Amount","role":"textbox"},"hint_moved":false,"kind":"role_name","nth":1,"rung":1,"step":"amount"}
        {"act":"type","delivery":"delivered","detail":{"holds":"12"},"effect":"acted","on":"textbox \"Amount\"","step":"amount","with":{"mode":"insert","text":"12"}}
        {"class":"expected","effect":"done","step":"amount"}
        {"effect":"resolved","fingerprint":{"name":"PIN","role":"textbox"},"hint_moved":false,"kind":"role_name","nth":1,"rung":1,"step":"pin"}
        {"act":"type","delivery":"delivered","detail":{"equal":true},"effect":"acted","on":"textbox \"PIN\"","step":"pin","with":{"from":"pin","mode":"insert"}}
        {"class":"expected","effect":"done","step":"pin"}
        {"effect":"resolved","fingerprint":{"name":"Go","role":"button"},"hint_moved":false,"kind":"role_name","nth":1,"rung":1,"step":"go"}
        {"act":"click","delivery":"delivered","detail":null,"effect":"acted","on":"button \"Go\"","step":"go","with":null}
        {"description":"It is done.","effect":"checked","held_before":false,"holds":true,"leaves":[["text \"Done\" is visible",true],["text \"Finished\" is visible",false]],"step":"go"}
        {"class":"expected","effect":"done","step":"go"}
        {"effect":"resolved","fingerprint":{"name":"Total","role":"textbox"},"hint_moved":false,"kind":"role_name","nth":1,"rung":1,"step":"total"}
        {"effect":"read","keyed":null,"output":"total","step":"total","value":"5"}
        {"class":"expected","effect":"done","step":"total"}
        {"description":"All of it.","effect":"checked","held_before":false,"holds":true,"leaves":[["no dialog is open",true]],"step":null}
        {"checkpoint_also_matched":false,"code":null,"delivered":"none","effect":"ended","outcome":null,"status":"success","step":null}
    "#]]
    .assert_eq(&journal(PLAN, SCRIPT));
}

#[test]
fn what_was_done_or_came_of_it_changes_the_journal() {
    let survey = "40 seen\n  heading \"Survey\"\n  button \"OK\"\n41 seen\n42 delivered\n43 seen\n  text \"Done\"\n  textbox \"Total\" = \"5\"\n44 seen\n";
    let done = "40 seen\n  text \"Done\"\n  textbox \"Total\" = \"5\"\n";
    let news = survey.replace("Survey", "News");
    let answer = |text: &str| {
        let at = SCRIPT.find("40 seen").unwrap_or_default();
        format!("{}40 seen\n  text \"{text}\"\n", &SCRIPT[..at])
    };
    let changed = [
        ("a rung", PLAN.to_owned(), SCRIPT.replace("button \"Go\"", "button \"GO\"")),
        ("a fingerprint", PLAN.to_owned(), SCRIPT.replace("button \"Go\"", "button \"Go\" native=input")),
        ("an act", PLAN.replace("amount: \"12\"", "amount: \"13\""), SCRIPT.replace("= \"12\"", "= \"13\"")),
        ("a delivery", PLAN.to_owned(), SCRIPT.replace("31 delivered", "31 unknown timeout")),
        ("a verdict", PLAN.to_owned(), SCRIPT.replace("text \"Done\"", "text \"Finished\"")),
        (
            "a verdict before",
            PLAN.to_owned(),
            SCRIPT.replace("30 seen\n", "30 seen\n  text \"Done\"\n  button \"Go\"\n"),
        ),
        ("a class", PLAN.to_owned(), answer("Refused")),
        ("an answer", PLAN.to_owned(), answer("Closed")),
        ("a remedy", PLAN.to_owned(), SCRIPT.replace(done, survey)),
        ("another remedy", PLAN.to_owned(), SCRIPT.replace(done, &news)),
        ("an output", PLAN.to_owned(), SCRIPT.replace("\"Total\" = \"5\"", "\"Total\" = \"6\"")),
        ("an ending", PLAN.to_owned(), SCRIPT.replace("60 seen", "60 stop")),
    ];
    let mut seen = vec![("none", effect_digest(&journal(PLAN, SCRIPT)))];
    for (what, plan, script) in changed {
        let digest = effect_digest(&journal(&plan, &script));
        for (other, known) in &seen {
            assert_ne!(digest, *known, "{what} gives the journal of {other}");
        }
        seen.push((what, digest));
    }
}

#[test]
fn time_looks_pictures_handles_and_addresses_do_not_change_it() {
    let expected = journal(PLAN, SCRIPT);
    let later: String = SCRIPT
        .lines()
        .map(|line| match line.split_once(' ') {
            Some((at, rest)) if at.parse::<u64>().is_ok() => format!("{at}0 {rest}\n"),
            _ => format!("{line}\n"),
        })
        .collect();
    let screen = "  textbox \"Amount\"\n  textbox \"PIN\"\n  button \"Go\"\n";
    let slipped = format!("30 seen\n31 stale\n32 seen\n  heading \"New\"\n{screen}33 delivered\n");
    let captured = SCRIPT
        .replace("2 delivered\n10", "2 delivered\n3 captured\n10")
        .replace("11 delivered = \"12\"\n", "11 delivered = \"12\"\n12 captured\n")
        .replace("21 delivered equal\n", "21 delivered equal\n22 captured\n")
        .replace("50 seen\n60 seen\n", "45 captured\n50 seen\n60 seen\n");
    let unchanged = [
        ("time", PLAN.to_owned(), later),
        ("more looks", PLAN.to_owned(), SCRIPT.replace("40 seen\n", "33 seen\n34 seen changing\n35 seen\n40 seen\n")),
        ("a target that slipped away", PLAN.to_owned(), SCRIPT.replace("30 seen\n31 delivered\n", &slipped)),
        ("pictures", format!("{PLAN}pictures: true\n"), captured),
        ("handles", PLAN.to_owned(), SCRIPT.replace("button \"Go\"", "button \"Go\" #e77")),
        ("places", PLAN.to_owned(), SCRIPT.replace("button \"Go\"", "button \"Go\" @10,20,30,40")),
        ("an address", PLAN.replace("http://app.test\"}", "http://app.test/other\"}"), SCRIPT.to_owned()),
    ];
    for (what, plan, script) in unchanged {
        assert_ne!((PLAN, SCRIPT), (plan.as_str(), script.as_str()), "{what} changed nothing");
        assert_eq!(expected, journal(&plan, &script), "{what}");
    }
}

#[test]
fn a_sensitive_text_stands_by_the_name_of_its_parameter() {
    let journal = journal(PLAN, SCRIPT);
    assert!(journal.contains(r#""with":{"from":"pin","mode":"insert"}"#), "{journal}");
    assert!(!journal.contains("4711"), "{journal}");
}
