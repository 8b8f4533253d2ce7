//! Elements by their labels, and the selector where a label fits several.

use super::*;

/// Two buttons of one name, told apart by what they stand in; and a field that shows a value of the caller.
pub(crate) const TWINS: &[&str] = &[
    "region \"Billing of jane.doe\"",
    "  button \"Keep\"",
    "region \"Shipping\"",
    "  button \"Keep\"",
    "textbox \"PIN\" [protected] = \"4711-secret\"",
    "button \"Save\"",
];

pub(crate) fn named(action: &str, label: &str) -> Value {
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
