//! Goals by their three faces.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod refusals;
mod round_trips;
mod values;

use serde_json::json;

use crate::*;

const MARKDOWN: &str = r#"---
capability: parabank.transfer_funds
url: "http://127.0.0.1:8080/parabank/index.htm"
---

# Transfer funds

## Goal
Log in as the member.
Transfer the amount and read the confirmation.

## Success
- Text: Transfer Complete!
- Not text: An internal error has occurred
- URL: transfer.htm

## Data
- username: env PARABANK_USERNAME
- password: env PARABANK_PASSWORD
- amount (money USD): 10.00
  How much is paid.
- pin (text, not sensitive): 7

## Outcomes
- no_account: There is no such account (when pin = 9)
  The account does not exist.

## Outputs
- accounts (table account text, balance money USD)
- total

## Limits
- steps: 30
- usd: 0.50
"#;

fn flags() -> Flags {
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    Flags {
        goal: Some("Log in as the member.\nTransfer the amount and read the confirmation.".to_owned()),
        url: Some("http://127.0.0.1:8080/parabank/index.htm".to_owned()),
        capability: Some("parabank.transfer_funds".to_owned()),
        title: Some("Transfer funds".to_owned()),
        success: texts(&["Text: Transfer Complete!", "Not text: An internal error has occurred", "URL: transfer.htm"]),
        params: texts(&[
            "username=env PARABANK_USERNAME",
            "password (sensitive): env PARABANK_PASSWORD",
            "amount (money USD): 10.00",
            "pin (text, not sensitive): 7",
        ]),
        outcomes: texts(&["no_account: There is no such account (when pin = 9)"]),
        outputs: texts(&["accounts (table account text, balance money USD)", "total"]),
        max_steps: Some(30),
        max_usd: Some("0.50".to_owned()),
        ..Flags::default()
    }
}

fn json() -> serde_json::Value {
    json!({
        "schema": "waymark.goal/1",
        "capability": "parabank.transfer_funds",
        "title": "Transfer funds",
        "url": "http://127.0.0.1:8080/parabank/index.htm",
        "task": "Log in as the member.\nTransfer the amount and read the confirmation.",
        "success": [
            { "text": "Transfer Complete!" },
            { "not_text": "An internal error has occurred" },
            { "url": "transfer.htm" },
        ],
        "data": [
            { "name": "username", "from": { "env": "PARABANK_USERNAME" } },
            { "name": "password", "sensitive": true, "from": { "env": "PARABANK_PASSWORD" } },
            { "name": "amount", "type": { "money": { "currency": "USD" } }, "from": { "value": "10.00" } },
            { "name": "pin", "from": { "value": "7" } },
        ],
        "outcomes": [{ "code": "no_account", "shows": "There is no such account", "when": { "pin": { "value": "9" } } }],
        "outputs": [
            { "name": "accounts", "columns": [
                { "name": "account", "type": "text" },
                { "name": "balance", "type": { "money": { "currency": "USD" } } },
            ] },
            { "name": "total" },
        ],
        "limits": { "steps": 30, "usd": "0.50" },
    })
}

#[test]
fn the_three_faces_give_the_same_goal() {
    let from_flags = Goal::from_flags(&flags()).unwrap();
    let from_json = Goal::from_json(json().to_string().as_bytes()).unwrap();
    assert_eq!(from_flags.goal, from_json.goal);
    assert_eq!(from_flags.warnings, []);
    // Only a file has room for descriptions.
    let told = MARKDOWN.replace("  How much is paid.\n", "").replace("  The account does not exist.\n", "");
    assert_eq!(Goal::from_markdown("job.md", &told).unwrap().goal, from_json.goal);
    assert_eq!(from_flags.goal.digest(), from_json.goal.digest());
}

#[test]
fn a_goal_says_what_its_text_says() {
    let goal = Goal::from_markdown("job.md", MARKDOWN).unwrap().goal;
    assert_eq!(goal.title(), "Transfer funds");
    assert_eq!(goal.capability().unwrap().as_str(), "parabank.transfer_funds");
    assert_eq!(goal.conditions()[1], Condition::NotText("An internal error has occurred".to_owned()));
    let sensitive: Vec<bool> = goal.data().iter().map(|key| key.sensitive).collect();
    assert_eq!(sensitive, [false, true, false, false]);
    assert_eq!(goal.data()[2].description, "How much is paid.");
    assert_eq!(goal.outcomes()[0].description, "The account does not exist.");
    assert_eq!(goal.limits(), &Limits { steps: 30, usd: Usd { micros: 500_000 }, ..Limits::default() });
    let parameters = goal.parameters();
    assert_eq!(parameters[1].description, "The password.");
    assert!(parameters[1].sensitive);
}

#[test]
fn what_may_be_left_out_bounded_or_missing_is_said_in_one_line_each() {
    let example = include_str!("../../../../fixtures/goals/parabank.transfer_funds.md");
    let goal = Goal::from_markdown("job.md", example).unwrap().goal;
    let account = &goal.parameters()[2];
    assert_eq!((account.pattern.as_deref(), account.max_length), (Some("[0-9]{1,12}"), Some(12)));
    assert_eq!(goal.parameters()[4].minimum.as_deref(), Some("0.01"));
    let absent = |at: usize| goal.outcomes()[at].absent.as_ref().map(|absent| absent.name().as_str());
    assert_eq!((absent(0), absent(1), absent(2)), (None, Some("from_account"), Some("to_account")));
    assert!(goal.outcomes()[3].after_risky && goal.outcomes()[3].shows.ends_with("logged."));
    let example = include_str!("../../../../fixtures/goals/parabank.read_account_activity.md");
    let goal = Goal::from_markdown("job.md", example).unwrap().goal;
    assert!(goal.parameters()[3].optional && !goal.parameters()[2].optional);
    let optional: Vec<bool> = goal.outputs()[0].columns.iter().map(|column| column.optional).collect();
    assert_eq!(optional, [false, false, true, true]);
}

#[test]
fn names_are_suggested_from_the_task() {
    let given = Flags {
        goal: Some("Log in as the member. Stay on Accounts Overview and read account number and balance.".to_owned()),
        url: Some("http://127.0.0.1:8080/".to_owned()),
        ..Flags::default()
    };
    let goal = Goal::from_flags(&given).unwrap().goal;
    let application = waymark_artifact::Name::new("parabank").unwrap();
    assert_eq!(goal.capability_or_suggested(&application).as_str(), "parabank.log_stay_accounts_overview_read");
    assert_eq!(goal.title(), "Log in as the member");
    let goal = Goal::from_flags(&Flags { goal: Some("口座を見る".to_owned()), ..given }).unwrap().goal;
    assert_eq!(goal.capability_or_suggested(&application).as_str(), "parabank.job");
}

#[test]
fn names_that_only_the_parameter_file_has_become_data() {
    let file = json!({ "username": "john", "password": "demo", "count": 3, "agreed": true });
    let given = Flags {
        goal: Some("Log in.".to_owned()),
        url: Some("http://127.0.0.1:8080/".to_owned()),
        params: vec!["username (text, sensitive)".to_owned()],
        params_file: file.as_object().cloned(),
        ..Flags::default()
    };
    let checked = Goal::from_flags(&given).unwrap();
    let shape: Vec<_> = checked.goal.data().iter().map(|key| (key.name.as_str(), key.sensitive, &key.from)).collect();
    let from = &Source::ParamsFile;
    let mut shape = shape;
    shape.sort_by_key(|(name, ..)| *name);
    assert_eq!(
        shape,
        [("agreed", false, from), ("count", false, from), ("password", true, from), ("username", true, from)]
    );
    assert!(!checked.goal.to_json().contains("demo") && !checked.goal.to_json().contains("john"));
    assert_eq!(checked.warnings[0].code, "no_condition");
}

#[test]
fn a_checked_goal_moves_only_in_address_and_limits() {
    let goal = Goal::from_flags(&flags()).unwrap().goal;
    let moved = goal.at("http://127.0.0.1:9090/parabank/index.htm").unwrap();
    assert_eq!((moved.conditions(), moved.start()), (goal.conditions(), "http://127.0.0.1:9090/parabank/index.htm"));
    assert_eq!(goal.at("ftp://x.test").unwrap_err().code(), "start_unusable");
    assert_eq!(goal.within(Limits { steps: 0, ..Limits::default() }).unwrap_err().code(), "limit_out_of_range");
}

#[test]
fn the_goal_in_the_documentation_reads() {
    let text = include_str!("../../../../docs/goals.md");
    let example = text.split("```markdown\n").nth(1).unwrap().split("```").next().unwrap();
    let checked = Goal::from_markdown("goals.md", example).unwrap();
    assert_eq!(checked.warnings, []);
    let goal = checked.goal;
    assert_eq!((goal.data().len(), goal.outcomes().len(), goal.outputs().len()), (5, 4, 2));
    assert_eq!(goal.limits().call_seconds, 60);
    let standard = Limits::default();
    for told in [
        format!("{} steps, {} model calls, {} seconds", standard.steps, standard.model_calls, standard.seconds),
        format!("{} US dollars", standard.usd),
        format!("{} seconds for one question", standard.call_seconds),
    ] {
        assert!(text.replace('\n', " ").contains(&told), "the documentation does not say {told:?}");
    }
}
