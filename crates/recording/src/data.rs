//! What a replay with other values shows to be data of one record.

use waymark_artifact::Condition;

/// Parts of a step's checkpoint that did not hold in a replay with other values, and are no proof therefore: the text of a
/// record. `leaves` are the verdicts of the checkpoint's predicates in document order.
///
/// That is said only where another part of it held, so that the screen was the one that is meant, or where all that there
/// was is a text or title. An identifier of a screen is no data; nor is what speaks of the caller's own values: where that
/// did not hold, another record was shown, or the value in another form.
#[must_use]
pub fn shown_as_data(checkpoint: &Condition, leaves: &[bool]) -> Vec<Condition> {
    let all = match checkpoint {
        Condition::All { of } => of.as_slice(),
        one => std::slice::from_ref(one),
    };
    // A predicate in parts of its own is none that a recording makes of one screen.
    if all.len() != leaves.len() || all.iter().any(|part| !part.parts().is_empty()) {
        return Vec::new();
    }
    let lone = |part: &Condition| {
        all.len() == 1 && matches!(part, Condition::TextPresent { .. } | Condition::TitleMatches { .. })
    };
    let meant = leaves.contains(&true);
    let failed: Vec<&Condition> = all.iter().zip(leaves).filter(|(_, holds)| !**holds).map(|(part, _)| part).collect();
    let may_be = |part: &&Condition| {
        !speaks_of_caller(part) && !matches!(part, Condition::ScreenId { .. }) && (meant || lone(part))
    };
    // Where one of them is no data, what came is another screen or record, and nothing is known of the rest.
    if failed.iter().all(may_be) { failed.into_iter().cloned().collect() } else { Vec::new() }
}

/// Whether a value of the caller is referred to in a condition.
pub(crate) fn speaks_of_caller(condition: &Condition) -> bool {
    serde_json::to_string(condition).unwrap_or_default().contains("{param.")
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "conditions are literals here")]

    use serde_json::{Value, json};

    use super::*;

    fn text(text: &str) -> Value {
        json!({"kind": "text_present", "match": {"text": text}})
    }

    fn heading(name: &str) -> Value {
        json!({"kind": "element_present", "element": {"find": {"rung": "role_name", "role": "heading", "name": name}}})
    }

    fn id(id: &str) -> Value {
        json!({"kind": "screen_id", "equals": id})
    }

    /// Which parts are data where these held and those did not.
    #[track_caller]
    fn check(parts: &[(Value, bool)], expected: &[Value]) {
        let of: Vec<&Value> = parts.iter().map(|(part, _)| part).collect();
        let condition = if of.len() == 1 { of[0].clone() } else { json!({"kind": "all", "of": of}) };
        let condition: Condition = serde_json::from_value(condition).unwrap();
        let leaves: Vec<bool> = parts.iter().map(|(_, holds)| *holds).collect();
        let data: Vec<Value> =
            shown_as_data(&condition, &leaves).iter().map(|c| serde_json::to_value(c).unwrap()).collect();
        assert_eq!(data, expected);
    }

    #[test]
    fn what_does_not_hold_on_the_screen_that_is_meant_is_data() {
        check(&[(id("MI0210"), true), (heading("ALVAREZ"), false)], &[heading("ALVAREZ")]);
        check(&[(heading("Member"), true), (text("ALVAREZ"), false)], &[text("ALVAREZ")]);
    }

    #[test]
    fn where_nothing_held_the_screen_was_another_one() {
        check(&[(id("MI0210"), false), (heading("Member"), false)], &[]);
        check(&[(heading("Member"), false)], &[]);
        check(&[(heading("Member"), false), (text("ALVAREZ"), false)], &[]);
    }

    #[test]
    fn a_text_alone_of_which_nobody_knew_what_it_is_was_data() {
        check(&[(text("ALVAREZ"), false)], &[text("ALVAREZ")]);
    }

    #[test]
    fn a_value_of_the_caller_that_is_not_there_is_another_record_and_no_data() {
        check(&[(heading("Member"), true), (text("{param.member}"), false)], &[]);
        check(&[(heading("Member"), true), (text("{param.member}"), false), (heading("ALVAREZ"), false)], &[]);
    }
}
