//! What is asked for when looking: frames whose settling counts, hints, and until when.

use expect_test::{Expect, expect};
use waymark_replay::{Machine, Next};
use waymark_test_support::app::plan;
use waymark_test_support::script::inputs;

/// The looks that a machine asks for, one a line.
fn check(text: &str, script: &str, expected: Expect) {
    let mut machine = match Machine::new(plan(text)) {
        Ok(machine) => machine,
        Err(error) => panic!("{error}"),
    };
    let mut told = String::new();
    for (label, input) in inputs(script) {
        if let Next::Observe { request, within_ms } = machine.step(input).next {
            let frames: Vec<String> = request
                .watch
                .iter()
                .map(|f| format!("{}/{}", f.window.as_ref().map_or("", |w| w.0.as_str()), f.path.join("/")))
                .collect();
            let hints: Vec<&str> = request.hints.iter().map(|h| h.hint.as_str()).collect();
            told.push_str(&format!(
                "{label}: watch [{}] hints [{}] {:?} within {within_ms}\n",
                frames.join(" "),
                hints.join(" "),
                request.until
            ));
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn the_frames_that_the_step_the_answers_and_the_remedies_name_are_watched() {
    check(
        r#"
steps:
- id: go
  click:
    description: the button
    frame: [{name: work}]
    candidates:
    - {find: {rung: role_name, role: button, name: Go}}
    - {find: {rung: native_hint, hint: {web: "form button", other: "never"}}}
    fingerprint: {role: button, name: Go}
  check: {kind: text_present, place: {frame: [{name: list}]}, match: {text: Done}}
outcomes:
- {code: later, when: {kind: text_present, place: {frame: [{name: never}]}, match: {text: X}}, after: [last]}
- {code: none, when: {kind: text_present, place: {frame: [{title: Messages}]}, match: {text: X}}}
recoveries:
- {id: box, when: {kind: text_present, place: {window: box}, match: {text: X}}, wait: no text "X"}
end: {kind: text_present, place: {frame: [{name: end}]}, match: {text: Done}}
"#,
        r#"
0 start
10 seen
  frame "Work" name="work" <http://app.test/work>
    button "Go"
  frame "List" name="list" index=1 <http://app.test/list>
20 delivered
30 seen
  frame "List" name="list" <http://app.test/list>
    paragraph
      text "Done"
40 seen changing
"#,
        expect![[r#"
            0 start: watch [/work /list /Messages box/] hints [form button] Now within 5000
            20 delivered: watch [/work /list /Messages box/] hints [form button] Now within 4993
            30 seen: watch [/end /Messages box/] hints [form button] Now within 15000
            40 seen: watch [/end /Messages box/] hints [form button] Change { after: 3 } within 14990
        "#]],
    );
}

#[test]
fn the_end_of_a_reconcile_check_watches_what_it_asks() {
    check(
        r#"
steps:
- {id: list, click: link "List", check: heading "List"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", deadline: 1000, reconcile: {run: look, landed: {kind: text_present, place: {frame: [{name: rows}]}, match: {text: Acme}}}}
subflows:
- {id: look, from: list, to: list}
"#,
        r#"
0 start
10 seen
  link "List"
20 delivered
30 seen
  heading "List"
  button "Save"
40 seen
50 delivered
60 seen
  link "List"
1100 seen
1110 seen
1120 delivered
1130 seen
  heading "List"
"#,
        expect![[r#"
            0 start: watch [/] hints [] Now within 5000
            20 delivered: watch [/] hints [] Now within 4993
            30 seen: watch [/ /rows] hints [] Now within 2000
            50 delivered: watch [/ /rows] hints [] Now within 2000
            60 seen: watch [/ /rows] hints [] Change { after: 4 } within 970
            1100 seen: watch [/] hints [] Now within 5000
            1120 delivered: watch [/] hints [] Now within 4993
            1130 seen: watch [/rows] hints [] Now within 15000
        "#]],
    );
}
