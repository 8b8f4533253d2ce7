//! What cannot hold where something else does: how a document says that an answer is not there.

use waymark_artifact::{Condition, Place};

/// A condition that cannot hold where this one does.
///
/// Of several things that must be there together the absence of one is enough. The first is taken whose absence `so` knows
/// of the screens on which it will be asked for: it says more than that any of them is absent, which is taken else.
pub(crate) fn refuted(condition: &Condition, so: &impl Fn(&Condition) -> bool) -> Condition {
    match condition {
        Condition::All { of } => {
            let parts: Vec<Condition> = of.iter().map(|part| refuted(part, so)).collect();
            let one = parts.iter().find(|part| so(part)).cloned();
            one.unwrap_or_else(|| joined(parts, |of| Condition::Any { of }))
        }
        Condition::Any { of } => joined(of.iter().map(|part| refuted(part, so)).collect(), |of| Condition::All { of }),
        Condition::Not { of } => (**of).clone(),
        Condition::ElementAbsent { element } => Condition::ElementPresent { element: element.clone() },
        Condition::TextAbsent { place, text } => Condition::TextPresent { place: place.clone(), text: text.clone() },
        Condition::WindowOpened { name } => Condition::WindowClosed { name: name.clone() },
        Condition::WindowClosed { name } => Condition::WindowOpened { name: name.clone() },
        Condition::ElementPresent { element } => {
            gone(&element.place, Condition::ElementAbsent { element: element.clone() })
        }
        Condition::TextPresent { place, text } => {
            gone(place, Condition::TextAbsent { place: place.clone(), text: text.clone() })
        }
        other => {
            let not = Condition::Not { of: Box::new(other.clone()) };
            other.place().map_or_else(|| not.clone(), |place| gone(place, not.clone()))
        }
    }
}

/// In a window that is not open nothing is there.
fn gone(place: &Place, absent: Condition) -> Condition {
    match &place.window {
        Some(name) => Condition::Any { of: vec![Condition::WindowClosed { name: name.clone() }, absent] },
        None => absent,
    }
}

fn joined(mut parts: Vec<Condition>, join: impl FnOnce(Vec<Condition>) -> Condition) -> Condition {
    if parts.len() == 1 { parts.remove(0) } else { join(parts) }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "conditions are literals here")]

    use serde_json::json;

    use super::*;

    /// By what it can be told that this is not so, where these texts are known to be absent.
    #[track_caller]
    fn check(condition: serde_json::Value, absent: &[&str], expected: serde_json::Value) {
        let condition: Condition = serde_json::from_value(condition).unwrap();
        let so = |c: &Condition| {
            let Condition::TextAbsent { text, .. } = c else { return false };
            absent.contains(&text.text.to_string().as_str())
        };
        assert_eq!(serde_json::to_value(refuted(&condition, &so)).unwrap(), expected);
    }

    fn text(kind: &str, text: &str) -> serde_json::Value {
        json!({"kind": kind, "match": {"text": text}})
    }

    fn there(word: &str) -> serde_json::Value {
        text("text_present", word)
    }

    fn not_there(word: &str) -> serde_json::Value {
        text("text_absent", word)
    }

    #[test]
    fn where_any_of_several_texts_says_it_none_of_them_may_be_there() {
        let any = json!({"kind": "any", "of": [there("a"), there("b")]});
        check(any.clone(), &[], json!({"kind": "all", "of": [not_there("a"), not_there("b")]}));
        let nested = json!({"kind": "all", "of": [any.clone(), {"kind": "any", "of": [there("c"), there("d")]}]});
        let none = |a, b| json!({"kind": "all", "of": [not_there(a), not_there(b)]});
        check(nested, &[], json!({"kind": "any", "of": [none("a", "b"), none("c", "d")]}));
        check(json!({"kind": "any", "of": [there("a")]}), &[], not_there("a"));
    }

    #[test]
    fn where_all_of_several_texts_say_it_the_one_that_is_known_to_be_absent_is_enough() {
        let all = json!({"kind": "all", "of": [there("a"), there("b")]});
        check(all.clone(), &["a", "b"], not_there("a"));
        check(all.clone(), &["b"], not_there("b"));
        check(all, &[], json!({"kind": "any", "of": [not_there("a"), not_there("b")]}));
    }

    #[test]
    fn what_is_said_of_titles_and_of_what_is_absent_has_its_opposite_too() {
        let title = json!({"kind": "title_matches", "match": {"text": "Error"}});
        check(title.clone(), &[], json!({"kind": "not", "of": title}));
        check(json!({"kind": "not", "of": title}), &[], title);
        check(not_there("a"), &[], there("a"));
        check(json!({"kind": "window_opened", "name": "w"}), &[], json!({"kind": "window_closed", "name": "w"}));
    }

    #[test]
    fn in_a_window_that_is_closed_nothing_is_there() {
        let mut there = there("a");
        there["place"] = json!({"window": "help"});
        let mut absent = not_there("a");
        absent["place"] = there["place"].clone();
        let closed = json!({"kind": "window_closed", "name": "help"});
        check(there, &[], json!({"kind": "any", "of": [closed, absent]}));
    }
}
