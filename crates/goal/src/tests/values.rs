//! Where the values of a run come from, and where they do not go.

use serde_json::json;
use waymark_artifact::{Name, Value};

use super::*;

fn goal() -> Goal {
    let flags = Flags {
        goal: Some("Log in and pay.".to_owned()),
        url: Some("http://127.0.0.1:8080/".to_owned()),
        success: vec!["Text: Paid".to_owned()],
        params: [
            "user=env BANK_USER",
            "password: env BANK_PASSWORD",
            "amount (money USD): 10.00",
            "count (integer): file",
            "pin: stdin",
        ]
        .map(str::to_owned)
        .to_vec(),
        outcomes: vec!["refused: No such user (when user = nobody)".to_owned(), "broken: Failure".to_owned()],
        ..Flags::default()
    };
    Goal::from_flags(&flags).unwrap().goal
}

fn given() -> Given {
    let object = |json: serde_json::Value| json.as_object().cloned().unwrap();
    Given {
        env: [("BANK_USER", "john"), ("BANK_PASSWORD", "canary-77")].map(|(k, v)| (k.to_owned(), v.to_owned())).into(),
        params_file: object(json!({ "count": 3 })),
        stdin: object(json!({ "pin": "4711" })),
    }
}

fn get(values: &Values, name: &str) -> Value {
    values.get(&Name::new(name).unwrap()).unwrap().clone()
}

#[test]
fn each_value_comes_from_its_source() {
    let values = goal().values(&given()).unwrap();
    assert_eq!(get(&values, "user"), Value::Text("john".to_owned()));
    assert_eq!(get(&values, "count"), Value::Integer(3));
    assert_eq!(get(&values, "pin"), Value::Text("4711".to_owned()));
    assert_eq!(goal().variables().collect::<Vec<_>>(), ["BANK_USER", "BANK_PASSWORD"]);
    assert!(goal().wants_stdin());
    assert!(!format!("{values:?}").contains("canary-77"));
}

#[test]
fn the_parameter_file_stands_before_the_goals_own_value() {
    let mut given = given();
    given.params_file.insert("amount".to_owned(), json!("12.50"));
    let values = goal().values(&given).unwrap();
    let Value::Money(money) = get(&values, "amount") else { panic!("no money") };
    assert_eq!(money.amount.to_string(), "12.50");
}

fn check(change: impl Fn(&mut Given), code: &str, part: &str) {
    let mut given = given();
    change(&mut given);
    let errors = goal().values(&given).unwrap_err();
    assert_eq!(errors.code(), code, "{errors}");
    assert!(errors.to_string().contains(part), "{errors}");
    assert!(!format!("{errors} {errors:?}").contains("canary-77"), "{errors}");
}

#[test]
fn what_is_missing_twice_unknown_or_misfit_is_named() {
    check(|given| given.env.clear(), "value_missing", "BANK_USER is not set");
    check(|given| given.params_file.clear(), "value_missing", "`count`: the parameter file does not give it");
    check(|given| given.stdin.clear(), "value_missing", "`pin`: standard input does not give it");
    check(|given| drop(given.stdin.insert("count".to_owned(), json!(4))), "value_twice", "`count`");
    check(|given| drop(given.params_file.insert("cuont".to_owned(), json!(4))), "unknown_name", "`cuont`");
    check(|given| drop(given.params_file.insert("count".to_owned(), json!("3"))), "value_misfit", "`count`");
    check(
        |given| drop(given.params_file.insert("password".to_owned(), json!(["canary-77"]))),
        "value_misfit",
        "`password`",
    );
}

#[test]
fn a_secret_in_the_words_of_a_goal_is_refused() {
    for (goal_text, condition, refused) in [
        ("Log in with canary-77.", "Text: Paid", true),
        ("Log in.", "Text: welcome, canary-77", true),
        ("Log in with xcanary-77x.", "Text: Paid", false),
    ] {
        let flags = Flags {
            goal: Some(goal_text.to_owned()),
            url: Some("http://127.0.0.1:8080/".to_owned()),
            success: vec![condition.to_owned()],
            params: vec!["password: env BANK_PASSWORD".to_owned()],
            ..Flags::default()
        };
        let goal = Goal::from_flags(&flags).unwrap().goal;
        let values = goal.values(&Given { env: given().env, ..Given::default() });
        assert_eq!(values.is_err(), refused, "{goal_text}");
        if let Err(errors) = values {
            assert_eq!(errors.code(), "secret_in_words");
            assert!(!errors.to_string().contains("canary-77"));
        }
    }
}

#[test]
fn a_probe_changes_what_it_names_and_an_outcome_what_provokes_it() {
    let (goal, given) = (goal(), given());
    let values = goal.values(&given).unwrap();
    let probe = goal.probe(&["count=7".to_owned(), "user = ann".to_owned()], &values, &given).unwrap();
    assert_eq!((get(&probe, "count"), get(&probe, "user")), (Value::Integer(7), Value::Text("ann".to_owned())));
    assert_eq!(get(&probe, "pin"), get(&values, "pin"));
    let provoked = goal.provoking(&goal.outcomes()[0], &values, &given).unwrap().unwrap();
    assert_eq!(get(&provoked, "user"), Value::Text("nobody".to_owned()));
    assert!(goal.provoking(&goal.outcomes()[1], &values, &given).is_none());
    for (line, code) in [("pin=0000", "secret_in_document"), ("x=1", "unknown_name"), ("count=many", "value_misfit")] {
        let errors = goal.probe(&[line.to_owned()], &values, &given).unwrap_err();
        assert_eq!(errors.code(), code, "{errors}");
        assert!(!errors.to_string().contains("0000"));
    }
}
