//! What must hold around a step: fields that still hold what was put in, what stood there before something risky, and the
//! screen that shows that it was not done.

use waymark_artifact::{Checkpoint, Condition, ElementQuery, Risk, Rung, Step, Template};
use waymark_perception::label_of;
use waymark_snapshot::UiSnapshot;

use crate::answers::{Answer, Sign};
use crate::proof::{capital, is_so, place_of};
use crate::trips::same_screen;
use crate::{Deed, Did, Given, Values};

/// What must hold before a risky press: the fields before it still hold what was put in.
pub(crate) fn filled_in(before: &[Deed], deed: &Deed, values: &Values) -> Option<Checkpoint> {
    let (mut of, words) = held(before, &deed.before, values)?;
    let condition = if of.len() > 1 { Condition::All { of } } else { of.pop()? };
    Some(Checkpoint { description: format!("{}.", capital(&words.join(", "))), condition, read_back: false })
}

/// For a safe query that brought other data and nothing else: what was asked for still stands in its fields. It held
/// before, so a replay believes it only of a screen at rest, and says so.
pub(crate) fn kept_values(before: &[Deed], deed: &Deed, values: &Values) -> Option<Checkpoint> {
    if deed.risk > Risk::Safe || same_screen(&deed.before, &deed.after) {
        return None;
    }
    let (mut of, words) = held(before, &deed.after, values)?;
    let condition = if of.len() > 1 { Condition::All { of } } else { of.pop()? };
    let description = format!("{}, and the screen brought other data.", capital(&words.join(", ")));
    Some(Checkpoint { description, condition, read_back: false })
}

/// What does not hold where the application says that it failed itself.
pub(crate) fn no_failure(answers: &[Answer]) -> Vec<Condition> {
    answers.iter().filter(|a| a.failure).filter_map(|a| not_so(seen(&a.sign)?)).collect()
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

/// The screen where the record would show is there, complete, and does not show it. Of an application that is not known
/// to say when it failed, a list without the record proves nothing.
pub(crate) fn not_landed(last: &Step, failures: &[Condition], landed: &Condition) -> Option<Condition> {
    if failures.is_empty() {
        return None;
    }
    let mut of = vec![last.checkpoint.as_ref()?.condition.clone()];
    of.extend(failures.iter().cloned());
    of.push(not_so(landed)?);
    Some(Condition::All { of })
}

/// The screen that a look before a risky step led to is there and at rest: it does not show what only the step brings.
pub(crate) fn at_rest(before: &Step, risky: &Step, failures: &[Condition]) -> Option<Checkpoint> {
    let looked = before.checkpoint.as_ref()?;
    let mut of = vec![looked.condition.clone()];
    of.extend(failures.iter().cloned());
    of.push(not_so(&risky.checkpoint.as_ref()?.condition)?);
    let description = format!("What stood there before is known. {}", looked.description);
    Some(Checkpoint { description, condition: Condition::All { of }, read_back: false })
}

/// The fields that the last deeds put a caller's value into, and that a screen shows to hold it, with words for each;
/// `None` where one of them cannot be said.
fn held(before: &[Deed], screen: &UiSnapshot, values: &Values) -> Option<(Vec<Condition>, Vec<String>)> {
    let put = |d: &&Deed| matches!(d.did, Did::Type { .. } | Did::Choose { .. });
    let mut of = Vec::new();
    let mut words = Vec::new();
    let mut last: Vec<&Deed> = before.iter().rev().take_while(put).collect();
    last.reverse();
    for put in last {
        let (Did::Type { node, value: Given::Parameter(name), .. }
        | Did::Choose { node, value: Given::Parameter(name) }) = &put.did
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
            words.push(format!("\"{label}\" still holds `{name}`"));
            of.push(condition);
        }
    }
    Some((of, words))
}

/// What is visible where a sign is one.
fn seen(sign: &Sign) -> Option<&Condition> {
    match sign {
        Sign::Seen(condition) | Sign::Nothing(condition) | Sign::Refused(condition) => Some(condition),
        Sign::NoRow(_) | Sign::NoOption(_) => None,
    }
}

/// A condition that cannot hold where this one does.
fn not_so(condition: &Condition) -> Option<Condition> {
    match condition {
        Condition::ElementPresent { element } => Some(Condition::ElementAbsent { element: element.clone() }),
        Condition::TextPresent { place, text } => {
            Some(Condition::TextAbsent { place: place.clone(), text: text.clone() })
        }
        Condition::All { of } => of.iter().find_map(not_so),
        _ => None,
    }
}
