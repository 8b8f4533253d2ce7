//! Whatever happens: a walk ends, in time, and what must not be repeated is not.

use proptest::prelude::*;
use waymark_replay::{Acted, Input, Machine, Next, Plan, What};
use waymark_run::{Effect, RunEvent, RunStatus};
use waymark_surface::{Act, Delivery, Observation};
use waymark_test_support::{app::plan, delivery, observation};

const PLAN: &str = r#"
limits: {step_deadline_ms: 3000, run_deadline_ms: 60000}
steps:
- {id: list, click: link "List", check: heading "List", safe_point: true}
- {id: amount, type: label textbox "Amount", value: "5"}
- {id: save, click: button "Save", risk: risky, check: text "Saved", dialogs: ['confirm "Sure?" accept'], reconcile: {run: look, landed: text "Acme", not_landed: text "No payees"}}
- {id: plain, click: button "Save too", risk: risky, check: no text "Draft"}
- {id: total, read: heading "List", part: name, into: total}
outputs:
- {name: total, type: text, optional: true}
subflows:
- {id: look, from: list, to: list}
outcomes:
- {code: rejected, when: text "Rejected"}
- {code: none, when: text "Nothing", stable: 300, request: true}
recoveries:
- {id: survey, when: heading "Survey", limit: 2, click: button "OK", check: no heading "Survey"}
- {id: expired, when: text "Session expired", limit: 2, run: look, then: rewalk}
end: heading "List"
"#;

/// Parts of a screen; which of them are there is chosen anew at each look.
const PARTS: &[&str] = &[
    "link \"List\"",
    "heading \"List\"",
    "textbox \"Amount\" labelled",
    "button \"Save\"",
    "button \"Save too\"",
    "text \"Saved\"",
    "text \"Draft\"",
    "text \"Acme\"",
    "text \"No payees\"",
    "text \"Rejected\"",
    "text \"Nothing\"",
    "heading \"Survey\"",
    "button \"OK\"",
    "text \"Session expired\"",
];

/// What happens beside the screen; mostly nothing.
const NOTES: &[&str] =
    &["! document 500 http://app.test/x", "! dialog confirm \"Sure?\"", "! refused deny:x http://app.test/admin/x"];

const HEADS: &[&str] = &[
    "settled answered=1",
    "settled",
    "settled reaction=none",
    "settled",
    "requesting reaction=request",
    "navigating reaction=none",
    "changing",
];

const DELIVERIES: &[&str] = &[
    "delivered",
    "delivered = \"5\"",
    "delivered",
    "delivered = \"5\"",
    "delivered = \"50\"",
    "stale",
    "hidden",
    "covered \"a banner\"",
    "disabled",
    "dialog_open",
    "unknown timeout",
    "failed protocol",
];

#[derive(Clone, Debug)]
struct Luck {
    parts: u16,
    rare: u8,
    head: usize,
    delivery: usize,
    wait: u64,
}

fn luck() -> impl Strategy<Value = Luck> {
    (any::<u16>(), any::<u8>(), 0..HEADS.len(), 0..DELIVERIES.len(), 0..1200_u64)
        .prop_map(|(parts, rare, head, delivery, wait)| Luck { parts, rare, head, delivery, wait })
}

fn look(luck: &Luck, before: Option<&Observation>) -> Observation {
    let mut body: Vec<&str> = PARTS
        .iter()
        .enumerate()
        // Nuisances and answers are rarer than what is expected.
        .filter(|(i, _)| luck.parts & (1 << i) != 0 && (*i < 9 || luck.rare.is_multiple_of(4)))
        .map(|(_, part)| *part)
        .collect();
    body.extend(NOTES.get(usize::from(luck.rare) / 8));
    observation(HEADS[luck.head], &body, before)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn a_walk_ends_in_time_and_repeats_nothing_risky(
        lucks in proptest::collection::vec(luck(), 400),
        people in 0..6_usize,
    ) {
        let waits = people > 0;
        let mut people = people;
        let mut machine = match Machine::new(Plan { waits, ..plan(PLAN) }) {
            Ok(machine) => machine,
            Err(error) => return Err(TestCaseError::fail(error.to_string())),
        };
        let mut at_ms = 0;
        let mut what = What::Start;
        let mut before: Option<Observation> = None;
        let mut sent: Vec<String> = Vec::new();
        let mut not_landed = false;
        let mut pressing: Option<(String, bool)> = None;
        let mut lucks = lucks.into_iter().cycle();
        let mut turns = 0;
        let ending = loop {
            turns += 1;
            prop_assert!(turns < 2_000, "no end after {} ms", at_ms);
            let turn = machine.step(Input { at_ms, what });
            not_landed |= turn.events.iter().any(|e| matches!(e, RunEvent::Reconciled { found: "not_landed", .. }));
            let Some(luck) = lucks.next() else { break None };
            what = match turn.next {
                Next::Finish(ending) => break Some(ending),
                Next::Handoff(_) if people == 0 => What::GivenUp,
                Next::Handoff(_) => {
                    people -= 1;
                    let seen = look(&luck, before.as_ref());
                    before = Some(seen.clone());
                    let drove = luck.wait.is_multiple_of(2);
                    What::Resume { seen: Box::new(seen), off_limits: None, drove, approved: false }
                }
                Next::Capture { .. } => What::Captured,
                Next::Observe { within_ms, .. } => {
                    at_ms += luck.wait.min(within_ms).max(1);
                    let seen = look(&luck, before.as_ref());
                    before = Some(seen.clone());
                    What::Seen { seen: Box::new(seen), off_limits: None }
                }
                Next::Act { step, ask, .. } => {
                    at_ms += luck.wait / 20;
                    let risky = matches!(ask.act, Act::Click { .. })
                        && ask.control.as_ref().is_some_and(|c| c.name.starts_with("Save"));
                    prop_assert!(!risky || !sent.contains(&step.to_string()), "{} was sent twice", step);
                    pressing = Some((step.to_string(), risky));
                    What::Acted(Acted::Done(delivery(DELIVERIES[luck.delivery])))
                }
            };
            if let (What::Acted(Acted::Done(done)), Some((step, true))) = (&what, pressing.take())
                && !matches!(done, Delivery::NotDelivered(_))
            {
                sent.push(step);
            }
        };
        let Some(ending) = ending else { return Err(TestCaseError::fail("no ending")) };
        let effect = machine.summary().effect;
        if waits {
            // Whatever is missing here, a person did.
        } else if sent.is_empty() {
            // A yes to the dialog is the only other thing that commits.
            prop_assert_ne!(ending.status, RunStatus::Success);
        } else {
            prop_assert!(effect != Effect::None || not_landed, "sent {:?}, effect {:?}", sent, effect);
        }
        if ending.status == RunStatus::Success {
            prop_assert!(waits || effect == Effect::Done);
            prop_assert!(waits || sent.len() == 2);
        }
        prop_assert!(at_ms <= 62_000, "ended after {} ms", at_ms);
    }
}
