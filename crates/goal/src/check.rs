//! What a goal has to mean, whatever face it came by.

use std::collections::BTreeSet;

use serde_json::{Value as Json, json};
use waymark_artifact::{Name, Parameter, Type, Value, is_pattern, is_plain_decimal, parse_input};
use waymark_policy::Address;

use crate::document::{Condition, DataKey, Document, Source};
use crate::line::{folded, is_variable, secret_like};
use crate::problem::{Part, Wrong, shown};

const MAX_TASK: usize = 4000;
const MAX_LINE: usize = 300;
const MAX_ITEMS: usize = 64;

/// A warning before a face says where it stands.
pub(crate) type Doubt = (Part, &'static str, String);

/// Brings a document into its one form, and says what is wrong with it and what is doubtful.
pub(crate) fn check(document: &mut Document) -> (Vec<(Part, Wrong)>, Vec<Doubt>) {
    let mut wrongs = Vec::new();
    words(document, &mut wrongs);
    conditions(document, &mut wrongs);
    data(document, &mut wrongs);
    outcomes(document, &mut wrongs);
    outputs(document, &mut wrongs);
    limits(document, &mut wrongs);
    let doubts = if wrongs.is_empty() { doubts(document) } else { Vec::new() };
    (wrongs, doubts)
}

/// The parameter that a key of data becomes.
pub(crate) fn parameter(key: &DataKey) -> Parameter {
    let description = match key.description.as_str() {
        "" => format!("The {}.", key.name.as_str().replace('_', " ")),
        description => description.to_owned(),
    };
    Parameter {
        name: key.name.clone(),
        description,
        kind: key.kind.clone(),
        optional: key.optional,
        sensitive: key.sensitive,
        pattern: key.pattern.clone(),
        max_length: key.max_length,
        minimum: key.minimum.clone(),
        // How the application writes it is no matter of a goal.
        format: None,
    }
}

/// Why a literal may not stand where it stands.
pub(crate) fn secret_literal(name: &Name, kept: bool) -> Wrong {
    let message = format!("`{name}` is sensitive, and its value stands here in plain text");
    let variable = name.as_str().to_uppercase();
    let mut hint = format!(
        "say `env {variable}`, `file` (the parameter file) or `stdin` instead, and change the secret if it is real"
    );
    if kept && secret_like(name.as_str()) {
        hint.push_str("; if it is none, say `not sensitive`");
    }
    Wrong::new("secret_in_document", message, hint)
}

fn words(document: &mut Document, wrongs: &mut Vec<(Part, Wrong)>) {
    let tidy: Vec<String> =
        document.task.trim().lines().map(|line| line.replace('\t', " ").trim_end().to_owned()).collect();
    document.task = tidy.join("\n");
    if document.task.is_empty() {
        let hint = "say in words what a person would do, and where it ends";
        wrongs.push((Part::Task, Wrong::new("missing", "the goal does not say what is to be done", hint)));
    }
    if document.task.chars().count() > MAX_TASK {
        wrongs.push((Part::Task, too_long(MAX_TASK)));
    }
    if document.task.chars().any(|c| c.is_control() && c != '\n') {
        wrongs.push((Part::Task, Wrong::new("stray_text", "the task holds control characters", "take them out")));
    }
    if let Some(title) = &mut document.title {
        *title = folded(title);
        if let Some(wrong) = one_line(title, "the title") {
            wrongs.push((Part::Title, wrong));
        }
    }
    if document.url.trim().is_empty() {
        wrongs.push((
            Part::Start,
            Wrong::new(
                "missing",
                "there is no start address",
                "say where the job begins, such as http://127.0.0.1:8080/index.htm",
            ),
        ));
        return;
    }
    if let Err(error) = Address::parse(&document.url) {
        let hint = "an http or https address without user name, password, blanks or `..`";
        wrongs.push((
            Part::Start,
            Wrong::new("start_unusable", format!("the start address cannot be used: {error}"), hint),
        ));
    } else if secret_in_query(&document.url) {
        let hint = "begin before the sign-on and let the job sign on with data";
        wrongs.push((
            Part::Start,
            Wrong::new("secret_in_address", "the start address carries a secret in its query", hint),
        ));
    }
}

fn conditions(document: &mut Document, wrongs: &mut Vec<(Part, Wrong)>) {
    too_many(document.success.len(), Part::AllSuccess, wrongs);
    for (at, condition) in document.success.iter_mut().enumerate() {
        let (Condition::Text(text) | Condition::NotText(text) | Condition::Url(text)) = condition;
        *text = folded(text);
        if text.is_empty() {
            let hint = "say what the screen shows, or what the address contains";
            wrongs.push((
                Part::Success(at),
                Wrong::new("empty_condition", "the condition names nothing, so every screen meets it", hint),
            ));
        } else if let Some(wrong) = one_line(text, "the condition") {
            wrongs.push((Part::Success(at), wrong));
        }
    }
    twice(&document.success, Part::Success, |_| "the condition".to_owned(), wrongs);
}

fn data(document: &mut Document, wrongs: &mut Vec<(Part, Wrong)>) {
    too_many(document.data.len(), Part::Data(0), wrongs);
    for (at, key) in document.data.iter_mut().enumerate() {
        let mut say = |wrong| wrongs.push((Part::Data(at), wrong));
        key.description = folded(&key.description);
        description(&key.description).into_iter().for_each(&mut say);
        if let Some(wrong) = no_scalar(&key.kind) {
            say(wrong);
            continue;
        }
        if let Some(wrong) = bounds(key) {
            say(wrong);
            continue;
        }
        if let Err(wrong) = sound(&parameter(key), &mut key.from) {
            say(wrong);
        }
    }
    let names: Vec<&Name> = document.data.iter().map(|key| &key.name).collect();
    twice(&names, Part::Data, |name| format!("the data `{name}`"), wrongs);
}

/// Why what is said of a text cannot be kept to.
fn bounds(key: &DataKey) -> Option<Wrong> {
    let said = key.pattern.is_some() || key.max_length.is_some();
    if said && key.kind != Type::Text {
        let message = format!("`{}` is no text, and only a text has a length or fits a pattern", key.name);
        return Some(Wrong::new("bounds_misfit", message, "take `matching` and `at most` out, or take `text`"));
    }
    if let Some(least) = &key.minimum {
        if !matches!(key.kind, Type::Integer | Type::Decimal | Type::Money { .. }) {
            let message = format!("`{}` is no number, and only a number has a least value", key.name);
            return Some(Wrong::new("bounds_misfit", message, "take `at least` out, or take a type of numbers"));
        }
        if !is_plain_decimal(least) {
            let message = format!("the least value of `{}` is no plain number", key.name);
            return Some(Wrong::new("bounds_misfit", message, "digits with `.` as decimal mark, such as 0.01"));
        }
    }
    if key.max_length == Some(0) {
        return Some(Wrong::new("bounds_misfit", format!("`{}` can hold nothing", key.name), "from 1 on"));
    }
    let pattern = key.pattern.as_deref()?;
    if let Some(wrong) = one_line(pattern, "the pattern") {
        return Some(wrong);
    }
    (!is_pattern(pattern)).then(|| {
        let message = format!("the pattern of `{}` is no regular expression", key.name);
        Wrong::new("pattern_unusable", message, "a regular expression that looks neither ahead nor behind")
    })
}

fn outcomes(document: &mut Document, wrongs: &mut Vec<(Part, Wrong)>) {
    too_many(document.outcomes.len(), Part::Outcome(0), wrongs);
    for (at, outcome) in document.outcomes.iter_mut().enumerate() {
        let mut say = |wrong| wrongs.push((Part::Outcome(at), wrong));
        outcome.description = folded(&outcome.description);
        description(&outcome.description).into_iter().for_each(&mut say);
        outcome.shows = folded(&outcome.shows);
        if let Some(absent) = &outcome.absent {
            if !outcome.shows.is_empty() || outcome.after_risky {
                let message = format!("`{}` is known by what is missing, and by something else too", outcome.code);
                say(Wrong::new("outcome_line", message, "keep one of the two"));
            }
            if !document.data.iter().any(|key| key.name == *absent.name()) {
                let message = format!("`{}` is no data of this goal", absent.name());
                say(Wrong::new("unknown_name", message, "name it under the data first"));
            }
        } else if outcome.shows.is_empty() {
            let message = format!("`{}` does not say what the screen shows then", outcome.code);
            say(Wrong::new("empty_condition", message, "copy the application's own words"));
        } else {
            one_line(&outcome.shows, "what the screen says").into_iter().for_each(&mut say);
        }
        for (name, from) in &mut outcome.when {
            let Some(key) = document.data.iter().find(|key| key.name == *name) else {
                let message = format!("`{name}` is no data of this goal");
                say(Wrong::new("unknown_name", message, "name it under the data first"));
                continue;
            };
            if matches!(from, Source::ParamsFile | Source::Stdin) {
                let message = format!("what provokes `{}` is neither a value nor `env NAME`", outcome.code);
                say(Wrong::new("source_unknown", message, "write the value itself, or the variable that holds it"));
            } else if no_scalar(&key.kind).is_none() {
                sound(&parameter(key), from).err().into_iter().for_each(&mut say);
            }
        }
    }
    let codes: Vec<&Name> = document.outcomes.iter().map(|outcome| &outcome.code).collect();
    twice(&codes, Part::Outcome, |code| format!("the outcome `{code}`"), wrongs);
}

fn outputs(document: &mut Document, wrongs: &mut Vec<(Part, Wrong)>) {
    too_many(document.outputs.len(), Part::Output(0), wrongs);
    for (at, output) in document.outputs.iter_mut().enumerate() {
        let mut say = |wrong| wrongs.push((Part::Output(at), wrong));
        output.description = folded(&output.description);
        description(&output.description).into_iter().for_each(&mut say);
        if output.kind.is_some() && !output.columns.is_empty() {
            let message = format!("`{}` has both a type and columns", output.name);
            say(Wrong::new("output_line", message, "a table has columns and no type of its own"));
        }
        let kinds = output.kind.iter().chain(output.columns.iter().filter_map(|column| column.kind.as_ref()));
        kinds.filter_map(no_scalar).for_each(&mut say);
        let mut seen = BTreeSet::new();
        if let Some(column) = output.columns.iter().find(|column| !seen.insert(&column.name)) {
            say(Wrong::new("twice", format!("the column `{}` stands twice", column.name), "keep one of the two"));
        }
        if output.columns.len() > MAX_ITEMS {
            say(too_long(MAX_ITEMS));
        }
    }
    let names: Vec<&Name> = document.outputs.iter().map(|output| &output.name).collect();
    twice(&names, Part::Output, |name| format!("the output `{name}`"), wrongs);
}

fn limits(document: &mut Document, wrongs: &mut Vec<(Part, Wrong)>) {
    let limits = &document.limits;
    let whole = [
        ("steps", limits.steps, 500),
        ("model_calls", limits.model_calls, 1000),
        ("seconds", limits.seconds, 7200),
        ("call_seconds", limits.call_seconds, 600),
    ];
    for (name, value, most) in whole {
        if value == 0 || value > most {
            let message = format!("`{name}` is {value}");
            wrongs.push((Part::Limit(name), Wrong::new("limit_out_of_range", message, format!("from 1 to {most}"))));
        }
    }
    if limits.usd.micros == 0 || limits.usd.micros > 1_000_000_000 {
        let message = format!("`usd` is {}", limits.usd);
        wrongs.push((Part::Limit("usd"), Wrong::new("limit_out_of_range", message, "more than nothing, at most 1000")));
    }
}

fn doubts(document: &Document) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if document.success.is_empty() {
        let message = "nothing says what success looks like; add what the last screen shows (`Text: …`)";
        doubts.push((Part::AllSuccess, "no_condition", message.to_owned()));
    } else if document.success.iter().all(|condition| matches!(condition, Condition::NotText(_))) {
        let message =
            "only what must be absent is said; an empty screen meets that too; add a `Text: …` that must be there";
        doubts.push((Part::AllSuccess, "lone_negative", message.to_owned()));
    }
    for (at, condition) in document.success.iter().enumerate() {
        let (Condition::Text(text) | Condition::NotText(text) | Condition::Url(text)) = condition;
        let holds = |key: &&DataKey| match &key.from {
            Source::Value(Json::String(value)) => value.chars().count() >= 4 && text.contains(value.as_str()),
            _ => false,
        };
        if let Some(key) = document.data.iter().find(holds) {
            let message = format!("the condition holds the value of `{}`, which another run will not have", key.name);
            doubts.push((Part::Success(at), "condition_holds_value", message));
        }
    }
    doubts
}

/// A source that can be followed; a value in its one form.
fn sound(parameter: &Parameter, from: &mut Source) -> Result<(), Wrong> {
    match from {
        Source::Env(variable) if !is_variable(variable) => {
            let message = format!("`{}` names no environment variable", parameter.name);
            Err(Wrong::new("source_unknown", message, "a variable is capital letters, digits and `_`"))
        }
        Source::Value(_) if parameter.sensitive => Err(secret_literal(&parameter.name, true)),
        Source::Value(json) => {
            let value = parse_input(parameter, json).map_err(|problem| misfit(&problem.message))?;
            *json = written(parameter, &value);
            Ok(())
        }
        Source::Env(_) | Source::ParamsFile | Source::Stdin => Ok(()),
    }
}

pub(crate) fn misfit(message: &str) -> Wrong {
    Wrong::new("value_misfit", message, "change the value, or the type of the data")
}

fn written(parameter: &Parameter, value: &Value) -> Json {
    match (value, &parameter.kind) {
        (Value::Money(money), Type::Money { currency: Some(_) }) => money.amount.to_string().into(),
        (value, _) => json!(value),
    }
}

/// Why a type cannot be that of one value in a line.
fn no_scalar(kind: &Type) -> Option<Wrong> {
    match kind {
        Type::Table { .. } | Type::File => {
            Some(Wrong::new("type_unknown", "tables and files cannot stand here", "a table is an output with columns"))
        }
        Type::Money { currency: Some(currency) }
            if currency.len() != 3 || !currency.bytes().all(|b| b.is_ascii_uppercase()) =>
        {
            Some(Wrong::new(
                "type_unknown",
                format!("`{}` is no currency", shown(currency)),
                "three capital letters, such as USD",
            ))
        }
        Type::Enum { values } => {
            let odd = |word: &String| {
                word.is_empty() || word.trim() != word || word.contains(|c: char| "|,()".contains(c) || c.is_control())
            };
            let mut seen = BTreeSet::new();
            (values.is_empty() || values.iter().any(|word| odd(word) || !seen.insert(word))).then(|| {
                let hint = "each word once, without `|`, `,` and brackets; take `text` where there are such words";
                Wrong::new("type_unknown", "the words of the enum cannot be used", hint)
            })
        }
        Type::Text | Type::Integer | Type::Decimal | Type::Date | Type::Boolean | Type::Money { .. } => None,
    }
}

fn secret_in_query(url: &str) -> bool {
    let query = url.split_once('?').map_or("", |(_, query)| query);
    query.split(['&', '#', ';']).filter_map(|pair| pair.split_once('=')).any(|(key, value)| {
        let key: String = key.to_lowercase().chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        !value.is_empty() && secret_like(&key)
    })
}

fn one_line(text: &str, what: &str) -> Option<Wrong> {
    if text.is_empty() {
        return Some(Wrong::new("missing", format!("{what} is empty"), "leave it out, or write it"));
    }
    if text.chars().any(char::is_control) {
        return Some(Wrong::new("stray_text", format!("{what} holds control characters"), "take them out"));
    }
    (text.chars().count() > MAX_LINE).then(|| too_long(MAX_LINE))
}

fn description(text: &str) -> Option<Wrong> {
    if text.is_empty() { None } else { one_line(text, "the description") }
}

fn too_long(most: usize) -> Wrong {
    Wrong::new("too_long", "this is longer than what it is for", format!("at most {most}"))
}

fn too_many(count: usize, part: Part, wrongs: &mut Vec<(Part, Wrong)>) {
    if count > MAX_ITEMS {
        wrongs.push((part, too_long(MAX_ITEMS)));
    }
}

fn twice<T: PartialEq>(
    items: &[T],
    part: fn(usize) -> Part,
    what: impl Fn(&T) -> String,
    wrongs: &mut Vec<(Part, Wrong)>,
) {
    for (at, item) in items.iter().enumerate() {
        if items.iter().take(at).any(|earlier| earlier == item) {
            wrongs.push((part(at), Wrong::new("twice", format!("{} stands twice", what(item)), "keep one of the two")));
        }
    }
}
