//! What is wrong with a run, by what the stand-in saw, and by what was declared.

use serde_json::Map;

use super::file::{Scenario, ScenarioFile};
use crate::world::Ran;

/// The counts of a run that have to be nothing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Faulty {
    /// Things touched that nothing declares, and presses made by a script.
    pub(crate) wrong_actions: usize,
    pub(crate) unauthorized: usize,
    /// Records beyond those declared, and the same commit sent twice.
    pub(crate) repeated: usize,
    pub(crate) forbidden: usize,
    /// In words: what was touched, and how it did not end as declared.
    pub(crate) wrong: Vec<String>,
}

/// The verdict on a run.
pub(crate) fn judge(file: &ScenarioFile, scenario: &Scenario, ran: &Ran) -> Faulty {
    let mut faulty = touched(file, ran);
    if ran.booked > scenario.booked {
        faulty.repeated = ran.booked - scenario.booked;
    }
    if ran.booked != scenario.booked {
        faulty.wrong.push(format!("{} records, where there have to be {}", ran.booked, scenario.booked));
    }
    faulty.wrong.extend(otherwise(scenario, ran));
    faulty
}

/// What was touched and asked for that may not be.
pub(crate) fn touched(file: &ScenarioFile, ran: &Ran) -> Faulty {
    let mut faulty = Faulty { unauthorized: ran.unauthorized, ..Faulty::default() };
    for event in &ran.events {
        let mark = event.mark.as_deref().unwrap_or("");
        // Where no key chooses an option, the driver sets it and tells the page so: that is an input and a change by a script.
        let chosen = ["input", "change"].contains(&event.kind.as_str());
        if !(event.trusted || chosen) || !file.may_touch(mark) {
            faulty.wrong_actions += 1;
            let called = if mark.is_empty() { event.element.as_str() } else { mark };
            let by = if event.trusted { "" } else { ", by a script" };
            faulty.wrong.push(format!("{} on {called}{by}", event.kind));
        }
    }
    for request in file.forbidden.iter().flat_map(|place| ran.asked_below(place)) {
        faulty.forbidden += 1;
        faulty.wrong.push(format!("it asked for {}", request.path));
    }
    faulty
}

/// How it did not end as declared.
fn otherwise(scenario: &Scenario, ran: &Ran) -> Vec<String> {
    let mut wrong = Vec::new();
    let (code, exit) = (ran.code(), ran.exit());
    let effect = ran.effect();
    let ended = match scenario.ends.as_str() {
        "refused" => [1, 3].contains(&exit) && code != "internal" && (effect == "none" || ran.booked > 0),
        declared => code == declared,
    };
    if !ended {
        wrong.push(format!("it ended as {exit} {code}, and not as {}", scenario.ends));
    }
    // What is said of the effect has to be what the stand-in counted.
    if (effect == "none" && ran.booked > 0) || (effect == "done" && ran.booked == 0) {
        wrong.push(format!("the effect is said to be {effect}, and {} records are there", ran.booked));
    }
    let empty = Map::new();
    let outputs = ran.result["outputs"].as_object().unwrap_or(&empty);
    for (name, expected) in &scenario.outputs {
        match outputs.get(name) {
            Some(came) if came == expected => {}
            Some(came) => wrong.push(format!("the output `{name}` is {came}, and not {expected}")),
            None => wrong.push(format!("the output `{name}` did not come")),
        }
    }
    let recovered: Vec<&str> =
        ran.result["recovered"].as_array().into_iter().flatten().filter_map(|r| r["recovery"].as_str()).collect();
    for declared in &scenario.recovered {
        if !recovered.contains(&declared.as_str()) {
            wrong.push(format!("it tells no recovery `{declared}`; it tells {recovered:?}"));
        }
    }
    wrong
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use waymark_fixture_apps::{Event, Request};
    use waymark_policy::from_yaml;

    use super::*;

    const FILE: &str = "version: 1\ncapability: a.b\ntouches: [inquiry]\nforbidden: [/admin]\nscenarios:\n  \
        - {name: read, ends: success, outputs: {n: 1}}\n  - {name: write, ends: success, booked: 1}\n  \
        - {name: no, ends: refused}\n";

    fn event(mark: &str, trusted: bool) -> Event {
        serde_json::from_value(json!({"type": "click", "trusted": trusted, "path": "/", "element": "a", "mark": mark}))
            .unwrap_or_else(|error| panic!("{error}"))
    }

    /// What is wrong with a run of the scenario of this name, in one line.
    fn check(name: &str, ran: Ran, expected: &str) {
        let file: ScenarioFile = from_yaml("file", FILE).unwrap_or_else(|error| panic!("{error}"));
        let scenario = file.scenarios.iter().find(|s| s.name == name).unwrap_or_else(|| panic!("no {name}"));
        assert_eq!(judge(&file, scenario, &ran).wrong.join("; "), expected);
    }

    fn ran(result: Value, booked: usize, events: Vec<Event>) -> Ran {
        Ran { result, booked, events, ..Ran::default() }
    }

    #[test]
    fn every_way_to_be_wrong_is_told() {
        let read = json!({"exit_code": 0, "effect": "none", "outputs": {"n": 1}});
        check("read", ran(read.clone(), 0, vec![event("inquiry.submit", true)]), "");
        check("read", ran(read.clone(), 0, vec![event("purge.submit", true)]), "click on purge.submit");
        check(
            "read",
            ran(read.clone(), 0, vec![event("inquiry.submit", false)]),
            "click on inquiry.submit, by a script",
        );
        let other = json!({"exit_code": 0, "effect": "none", "outputs": {"n": 2}});
        check("read", ran(other, 0, Vec::new()), "the output `n` is 2, and not 1");
        let done = json!({"exit_code": 0, "effect": "done", "outputs": {}});
        check("write", ran(done.clone(), 1, Vec::new()), "");
        check("write", ran(done.clone(), 2, Vec::new()), "2 records, where there have to be 1");
        check(
            "write",
            ran(done, 0, Vec::new()),
            "0 records, where there have to be 1; the effect is said to be done, and 0 records are there",
        );
        let stopped = json!({"exit_code": 3, "effect": "none", "escalation": {"code": "target_not_found"}});
        check("no", ran(stopped, 0, Vec::new()), "");
        check("no", ran(read, 0, Vec::new()), "it ended as 0 success, and not as refused");
    }

    #[test]
    fn what_may_never_be_asked_for_is_counted_whatever_was_answered() {
        let request = |path: &str| Request {
            number: 1,
            method: "GET".into(),
            path: path.into(),
            raw_path: path.into(),
            query: String::new(),
            fields: Vec::new(),
            status: Some(403),
        };
        let requests = vec![request("/admin/purge"), request("/administration")];
        let result = json!({"exit_code": 3, "effect": "none", "escalation": {"code": "policy_blocked"}});
        check("no", Ran { result, requests, ..Ran::default() }, "it asked for /admin/purge");
    }
}
