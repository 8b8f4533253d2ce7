//! What must hold around a step: fields that still hold what was put in, what stood there before something risky, and the
//! screen that shows that it was not done.

use waymark_artifact::{Checkpoint, Condition, ElementQuery, Risk, Rung, Step, Template};
use waymark_perception::label_of;
use waymark_snapshot::UiSnapshot;

use crate::answers::{Answer, Sign};
use crate::data::speaks_of_caller;
use crate::proof::{capital, is_so, place_of};
use crate::refute::refuted;
use crate::trips::same_screen;
use crate::{Deed, Did, Given, Values};

/// What must hold before a risky press: the fields before it still hold what was put in.
///
/// # Errors
/// The caption of a field that held it and did not any more when the press was made.
pub(crate) fn filled_in(before: &[Deed], deed: &Deed, values: &Values) -> Result<Option<Checkpoint>, String> {
    let Some(Held { mut of, words, lost }) = held(before, &deed.before, values) else { return Ok(None) };
    if let Some(label) = lost.into_iter().next() {
        return Err(label);
    }
    let condition = if of.len() > 1 { Some(Condition::All { of }) } else { of.pop() };
    let description = format!("{}.", capital(&words.join(", ")));
    Ok(condition.map(|condition| Checkpoint { description, condition, read_back: false }))
}

/// For a safe query that brought other data and nothing else: what was asked for still stands in its fields. It held
/// before, so a replay believes it only of a screen at rest, and says so.
pub(crate) fn kept_values(before: &[Deed], deed: &Deed, values: &Values) -> Option<Checkpoint> {
    if deed.risk > Risk::Safe || same_screen(&deed.before, &deed.after) {
        return None;
    }
    let Held { mut of, words, .. } = held(before, &deed.after, values)?;
    let condition = if of.len() > 1 { Condition::All { of } } else { of.pop()? };
    let description = format!("{}, and the screen brought other data.", capital(&words.join(", ")));
    Some(Checkpoint { description, condition, read_back: false })
}

/// What does not hold where the application says that it failed itself, as it is asked of these screens; and, in words, of
/// which failures a screen cannot show that.
pub(crate) fn no_failure(answers: &[Answer], asked: &[&UiSnapshot], values: &Values) -> (Vec<Condition>, Vec<String>) {
    let (mut conditions, mut unsaid) = (Vec::new(), Vec::new());
    for answer in answers.iter().filter(|answer| answer.failure) {
        let Some(shown) = seen(&answer.sign) else {
            let why = "nothing visible says it, so its absence is no part of the proof that a step was not done";
            unsaid.push(format!("the failure `{}`: {why}", answer.code));
            continue;
        };
        let condition = refuted(shown, &so(asked, values));
        if !so(asked, values)(&condition) {
            let why =
                "that it is absent could not be seen on the screens where the record shows, so no replay will see it";
            unsaid.push(format!("the failure `{}`: {why}", answer.code));
        }
        conditions.push(condition);
    }
    (conditions, unsaid)
}

/// Whether something holds of each of these screens.
fn so<'a>(screens: &'a [&UiSnapshot], values: &'a Values) -> impl Fn(&Condition) -> bool + 'a {
    move |condition| screens.iter().all(|screen| is_so(condition, screen, values))
}

/// Both of two preconditions.
pub(crate) fn both(one: Option<Checkpoint>, other: Option<Checkpoint>) -> Option<Checkpoint> {
    let (one, other) = match (one, other) {
        (Some(one), Some(other)) => (one, other),
        (one, other) => return one.or(other),
    };
    let description = format!("{} {}", one.description, other.description);
    Some(Checkpoint {
        description,
        condition: Condition::All { of: vec![one.condition, other.condition] },
        read_back: false,
    })
}

/// The screen where the record would show is there, complete, and shows none with the caller's values, whatever else it
/// would say: `before` are screens that did not.
/// Of an application that is not known to say when it failed, a list without the record proves nothing.
pub(crate) fn not_landed(
    last: &Step,
    failures: &[Condition],
    alike: &Condition,
    before: &[&UiSnapshot],
    values: &Values,
) -> Option<Condition> {
    if failures.is_empty() {
        return None;
    }
    let mut of = vec![last.checkpoint.as_ref()?.condition.clone()];
    of.extend(failures.iter().cloned());
    of.push(refuted(alike, &so(before, values)));
    Some(Condition::All { of })
}

/// The screen that a look before a risky step led to is there and at rest: it does not show what only the step brings. A
/// value of the caller is nothing of that kind: what was made with the same values before shows it too.
pub(crate) fn at_rest(
    before: &Step,
    risky: &Step,
    failures: &[Condition],
    screen: &UiSnapshot,
    values: &Values,
) -> Option<Checkpoint> {
    let looked = before.checkpoint.as_ref()?;
    let mut of = vec![looked.condition.clone()];
    of.extend(failures.iter().cloned());
    let brings = without_values(&risky.checkpoint.as_ref()?.condition);
    of.extend(brings.map(|brings| refuted(&brings, &so(&[screen], values))));
    let description = format!("What stood there before is known. {}", looked.description);
    Some(Checkpoint { description, condition: Condition::All { of }, read_back: false })
}

/// What of a condition speaks of no value of the caller.
fn without_values(condition: &Condition) -> Option<Condition> {
    if let Condition::All { of } = condition {
        let mut of: Vec<Condition> = of.iter().filter_map(without_values).collect();
        return if of.len() > 1 { Some(Condition::All { of }) } else { of.pop() };
    }
    (!speaks_of_caller(condition)).then(|| condition.clone())
}

/// The fields that the last deeds put a caller's value into.
#[derive(Default)]
struct Held {
    /// That a screen shows them to hold it.
    of: Vec<Condition>,
    /// The same in words.
    words: Vec<String>,
    /// Captions of those that held it once it was put in, and do not on this screen.
    lost: Vec<String>,
}

/// What a screen shows of the fields that were filled in; `None` where one of them cannot be said.
fn held(before: &[Deed], screen: &UiSnapshot, values: &Values) -> Option<Held> {
    let put = |d: &&Deed| matches!(d.did, Did::Type { .. } | Did::Choose { .. });
    let mut held = Held::default();
    let mut last: Vec<&Deed> = before.iter().rev().take_while(put).collect();
    last.reverse();
    for put in last {
        let (Did::Type { node, value: Given::Parameter(name), .. }
        | Did::Choose { node, value: Given::Parameter(name), .. }) = &put.did
        else {
            continue;
        };
        let Some(label) = label_of(&put.before, *node) else { continue };
        let label = values.reference(label.trim_end_matches([':', '*', ' ']))?;
        let it = put.before.node(*node);
        let place = place_of(&put.before, it.scope, values)?;
        let find = Rung::Label { role: it.role.clone(), label: label.clone() };
        let value = Template::parse(&format!("{{param.{name}}}")).ok()?;
        let condition = Condition::ElementHasValue { element: ElementQuery { place, find, within: Vec::new() }, value };
        if is_so(&condition, screen, values) {
            held.words.push(format!("\"{label}\" still holds `{name}`"));
            held.of.push(condition);
        } else if is_so(&condition, &put.after, values) {
            held.lost.push(label.to_string());
        }
    }
    Some(held)
}

/// What is visible where a sign is one.
fn seen(sign: &Sign) -> Option<&Condition> {
    match sign {
        Sign::Seen(condition) | Sign::Nothing(condition) | Sign::Refused(condition) => Some(condition),
        Sign::NoRow(_) | Sign::NoOption(_) => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "screens and names are literals here")]

    use waymark_artifact::{Name, Typing};
    use waymark_snapshot::parse;

    use super::*;
    use crate::trips::looked_before;

    fn screen(address: &str, lines: &str) -> UiSnapshot {
        parse(&format!("window main <http://app.test/{address}>\n{lines}")).unwrap()
    }

    fn form(to: &str) -> UiSnapshot {
        screen("pay", &format!("  textbox \"Pay to\" = \"{to}\" native=input:text\n  button \"Pay\"\n"))
    }

    fn deed(did: Did, before: &UiSnapshot, after: &UiSnapshot, risk: Risk) -> Deed {
        Deed {
            did,
            before: before.clone(),
            after: after.clone(),
            risk,
            hint: None,
            opened: None,
            dialogs: Vec::new(),
            why: String::new(),
        }
    }

    fn node(screen: &UiSnapshot, role: &str) -> waymark_snapshot::Ix {
        screen.iter().find(|(_, n)| n.role.as_str() == role).unwrap().0
    }

    fn values() -> Values {
        let mut values = Values::new();
        values.parameter(Name::new("account").unwrap(), "12567".into());
        values
    }

    /// What must hold before the press, where the form shows this then.
    fn before_the_press(shows: &str) -> Result<Option<String>, String> {
        let (empty, filled, then) = (form(""), form("12567"), form(shows));
        let value = Given::Parameter(Name::new("account").unwrap());
        let typed = Did::Type { node: node(&empty, "textbox"), value, typing: Typing::default() };
        let put = deed(typed, &empty, &filled, Risk::Safe);
        let press = deed(Did::Click { node: node(&then, "button") }, &then, &then, Risk::Risky);
        filled_in(&[put], &press, &values()).map(|checkpoint| checkpoint.map(|c| c.description))
    }

    #[test]
    fn a_field_that_lost_its_value_before_a_risky_press_is_told() {
        assert_eq!(before_the_press("12567"), Ok(Some("\"Pay to\" still holds `account`.".to_owned())));
        assert_eq!(before_the_press("99999"), Err("Pay to".to_owned()));
    }

    #[test]
    fn a_record_counts_only_where_somebody_looked_before() {
        let (start, pay, list) = (screen("home", ""), form("12567"), screen("list?of=1", ""));
        let press = |before: &UiSnapshot, after: &UiSnapshot, risk| {
            deed(Did::Click { node: node(&pay, "button") }, before, after, risk)
        };
        let (to_pay, paid, to_list) =
            (press(&start, &pay, Risk::Safe), press(&pay, &pay, Risk::Risky), press(&pay, &list, Risk::Safe));
        assert!(!looked_before(&[to_pay.clone(), paid.clone(), to_list.clone()], 1, 2));
        let looked = press(&screen("list", ""), &pay, Risk::Safe);
        assert!(looked_before(&[looked, paid, to_list], 1, 2), "whatever stands behind the question mark");
    }

    /// A failure with this sign, and whether its absence is seen on a screen of activity, with what is told of it.
    fn failure(sign: Sign) -> (Vec<Condition>, Vec<String>) {
        let answer = Answer {
            code: Name::new("failed").unwrap(),
            description: String::new(),
            sign,
            guard: None,
            application_code: None,
            failure: true,
        };
        no_failure(&[answer], &[&screen("activity", "  text \"Activity\"\n")], &values())
    }

    fn says(text: &str) -> Condition {
        serde_json::from_value(serde_json::json!({"kind": "text_present", "match": {"text": text}})).unwrap()
    }

    #[test]
    fn no_declared_failure_is_left_out_of_what_must_not_be_so_without_a_word() {
        let any = Condition::Any { of: vec![says("It failed"), says("Server returned 5")] };
        for sign in [any.clone(), Condition::All { of: vec![any.clone(), any] }] {
            let (conditions, unsaid) = failure(Sign::Seen(sign));
            assert_eq!((conditions.len(), unsaid.len()), (1, 0), "{conditions:?} {unsaid:?}");
            assert!(is_so(&conditions[0], &screen("activity", "  text \"Activity\"\n"), &values()));
            for failed in ["It failed", "Server returned 503"] {
                let failed = screen("activity", &format!("  text \"Activity\"\n  text \"{failed}\"\n"));
                assert!(!is_so(&conditions[0], &failed, &values()), "{conditions:?}");
            }
        }
        let (conditions, unsaid) = failure(Sign::Seen(says("Activity")));
        assert_eq!((conditions.len(), unsaid.len()), (1, 1), "it stands where nothing failed");
        let (conditions, unsaid) = failure(Sign::NoRow(Name::new("account").unwrap()));
        assert_eq!((conditions.len(), unsaid.len()), (0, 1), "nothing visible says it");
        assert!(unsaid[0].contains("`failed`"), "{unsaid:?}");
    }
}
