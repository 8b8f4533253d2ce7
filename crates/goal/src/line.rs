//! The grammar of one line, which Markdown files and flags share: reading and writing.
//!
//! A text may always be written in double quotes, as in JSON; it has to be where it would else be read otherwise.

use std::collections::BTreeMap;

use serde_json::Value as Json;
use waymark_artifact::{Name, Type};

use crate::document::{Absent, Condition, DataKey, DeclaredOutcome, Limits, Source, Usd, WantedColumn, WantedOutput};
use crate::problem::{Wrong, shown};

const FORMS: &str =
    "say `Text: …` (the screen shows it), `Not text: …` (it does not) or `URL: …` (the address contains it)";
const TYPES: &str = "a type is text, integer, decimal, money, `money USD`, date, boolean or `enum One | Two`";

/// `Text: Accounts Overview`
pub(crate) fn condition(line: &str) -> Result<Condition, Wrong> {
    let (word, rest) = line.split_once(':').unwrap_or((line, ""));
    let words: Vec<String> = word.split_whitespace().map(str::to_lowercase).collect();
    let condition: fn(String) -> Condition = match (words.join(" ").as_str(), line.contains(':')) {
        ("text", true) => Condition::Text,
        ("not text", true) => Condition::NotText,
        ("url", true) => Condition::Url,
        ("visual", true) => return Err(visual()),
        _ => return Err(free_form(line)),
    };
    Ok(condition(folded(&unquoted(rest.trim()))))
}

/// Why a picture is no condition here.
pub(crate) fn visual() -> Wrong {
    let message = "a picture cannot be a condition of a single goal: nobody has reviewed what it is compared with";
    Wrong::new("visual_not_yet", message, "say with `Text: …` what the picture would show")
}

/// Why a claim is no condition.
pub(crate) fn free_form(claim: &str) -> Wrong {
    let message = format!(
        "`{}` is a claim that no program can check; whether it holds would be the model's own opinion",
        shown(claim.trim())
    );
    Wrong::new("free_form_success", message, FORMS)
}

pub(crate) fn condition_text(condition: &Condition) -> String {
    match condition {
        Condition::Text(text) => format!("Text: {}", quoted_if(text, false)),
        Condition::NotText(text) => format!("Not text: {}", quoted_if(text, false)),
        Condition::Url(text) => format!("URL: {}", quoted_if(text, false)),
    }
}

/// `password (text, sensitive): env PASSWORD`, `amount (money USD): 10.00`, `username`,
/// `account (text, at most 12, matching "[0-9]+"): file`, `amount (money USD, at least 0.01): file`; the flags' short form is `username=john`.
pub(crate) fn data(line: &str) -> Result<DataKey, Wrong> {
    let form = "a line of data is `NAME (TYPE, sensitive, optional, at most 12, at least 0.01, matching \"PATTERN\"): SOURCE`; all but the name may be left out";
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(line.len());
    let name = name(&line[..end], "data_line", form)?;
    let mut rest = line[end..].trim_start();
    let (mut kind, mut said, mut optional) = (Type::Text, None, false);
    let (mut pattern, mut max_length, mut minimum) = (None, None, None);
    if let Some(inner) = rest.strip_prefix('(') {
        let (words, behind) = bracket(inner)
            .ok_or_else(|| Wrong::new("data_line", format!("the bracket of `{name}` does not close"), form))?;
        for word in words {
            match (word, word.split_once(' ')) {
                ("sensitive", _) => said = Some(true),
                ("not sensitive", _) => said = Some(false),
                ("optional", _) => optional = true,
                (_, Some(("matching", text))) => pattern = Some(unquoted(text.trim())),
                (_, Some(("at", text))) => match text.trim().strip_prefix("least ") {
                    Some(least) => minimum = Some(least.trim().to_owned()),
                    None => max_length = Some(at_most(text, form)?),
                },
                (word, _) => kind = scalar(word)?,
            }
        }
        rest = behind.trim_start();
    }
    let from = match (rest.chars().next(), rest.get(1..)) {
        (None, _) => Source::ParamsFile,
        (Some(':' | '='), Some(text)) => source(&name, &kind, text.trim())?,
        _ => return Err(Wrong::new("data_line", format!("behind `{name}` stands neither a type nor a source"), form)),
    };
    let sensitive = said.unwrap_or_else(|| secret_like(name.as_str()));
    Ok(DataKey { sensitive, optional, pattern, max_length, minimum, ..DataKey::plain(name, kind, from) })
}

/// The entries of a bracket and what stands behind it. A text in quotes may hold commas and brackets.
fn bracket(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut words, mut from, mut at) = (Vec::new(), 0, 0);
    while let Some(c) = text[at..].chars().next() {
        match c {
            '"' => match split_string(&text[at..]) {
                Some((_, behind)) => {
                    at = text.len() - behind.len();
                    continue;
                }
                None => return None,
            },
            ',' | ')' => {
                words.push(text[from..at].trim());
                from = at + 1;
                if c == ')' {
                    return Some((words, &text[from..]));
                }
            }
            _ => {}
        }
        at += c.len_utf8();
    }
    None
}

/// `most 12`
fn at_most(text: &str, form: &str) -> Result<u32, Wrong> {
    let count = text.trim().strip_prefix("most ").and_then(|count| count.trim().parse().ok());
    count.ok_or_else(|| Wrong::new("data_line", format!("`at {}` is no length", shown(text)), form))
}

pub(crate) fn data_text(key: &DataKey) -> String {
    let sensitive = match (key.sensitive, secret_like(key.name.as_str())) {
        (true, _) => ", sensitive",
        (false, true) => ", not sensitive",
        (false, false) => "",
    };
    let optional = if key.optional { ", optional" } else { "" };
    let length = key.max_length.map(|most| format!(", at most {most}")).unwrap_or_default();
    let least = key.minimum.as_deref().map(|least| format!(", at least {least}")).unwrap_or_default();
    let pattern = key.pattern.as_deref().map(|p| format!(", matching {}", quoted(p))).unwrap_or_default();
    let kind = kind_text(&key.kind);
    format!("{} ({kind}{sensitive}{optional}{length}{least}{pattern}): {}", key.name, source_text(&key.from))
}

const WHEN: &str = "a line of outcomes is `CODE: what the screen says`, `CODE: no row of NAME` or `CODE: no option of NAME`, and may end with `(when NAME = VALUE)`";
const AFTER: &str = "(after the risky step)";

/// `member_not_found: No such member (when member_number = 00000)`
pub(crate) fn outcome(line: &str, kinds: &BTreeMap<Name, Type>) -> Result<DeclaredOutcome, Wrong> {
    let form = WHEN;
    let (code, rest) = line.split_once(':').ok_or_else(|| Wrong::new("outcome_line", "there is no `:`", form))?;
    let code = name(code.trim(), "outcome_line", form)?;
    let rest = rest.trim();
    let (shows, when) = match split_string(rest) {
        Some((text, "")) => (text, BTreeMap::new()),
        Some((text, behind)) => {
            let behind = behind.trim();
            let behind = behind.strip_prefix(AFTER).unwrap_or(behind).trim_start();
            (text, if behind.is_empty() { BTreeMap::new() } else { provoked(behind, &code, kinds)? })
        }
        // What a screen says may hold `(when ` itself, and so may a value: the first one that reads as a whole counts.
        None if rest.ends_with(')') => {
            let mut found = Ok((rest.to_owned(), BTreeMap::new()));
            for (at, _) in rest.match_indices("(when ") {
                found = provoked(&rest[at..], &code, kinds).map(|when| (rest[..at].trim().to_owned(), when));
                if found.is_ok() {
                    break;
                }
            }
            found?
        }
        None => (rest.to_owned(), BTreeMap::new()),
    };
    let in_quotes = rest.starts_with('"');
    let (shows, after_risky) = match shows.strip_suffix(AFTER) {
        Some(shows) if !in_quotes => (unquoted(shows.trim()), true),
        _ => (shows, in_quotes && behind_quotes(rest).starts_with(AFTER)),
    };
    let absent = if in_quotes { None } else { absent(&shows, form)? };
    let shows = if absent.is_some() { String::new() } else { folded(&shows) };
    Ok(DeclaredOutcome { code, description: String::new(), shows, absent, after_risky, when })
}

/// `no row of account`, `no option of account`
fn absent(text: &str, form: &str) -> Result<Option<Absent>, Wrong> {
    let of = |kind: &str| text.strip_prefix(kind).map(|word| name(word.trim(), "outcome_line", form)).transpose();
    Ok(match (of("no row of ")?, of("no option of ")?) {
        (Some(name), _) => Some(Absent::Row(name)),
        (None, Some(name)) => Some(Absent::Option(name)),
        (None, None) => None,
    })
}

fn behind_quotes(text: &str) -> &str {
    split_string(text).map_or("", |(_, behind)| behind.trim_start())
}

/// What makes the screen show an outcome: `(when member_number = 00000, branch = "a, b")`
fn provoked(text: &str, code: &Name, kinds: &BTreeMap<Name, Type>) -> Result<BTreeMap<Name, Source>, Wrong> {
    let form = WHEN;
    let mut when = BTreeMap::new();
    let inner = text.strip_prefix("(when ").and_then(|inner| inner.strip_suffix(')'));
    let mut inner = inner
        .ok_or_else(|| Wrong::new("outcome_line", format!("more stands behind what `{code}` shows"), form))?
        .trim();
    while !inner.is_empty() {
        let (key, rest) =
            inner.split_once('=').ok_or_else(|| Wrong::new("outcome_line", "`when` holds no `=`", form))?;
        let key = name(key.trim(), "outcome_line", form)?;
        let (text, rest) = match split_string(rest.trim_start()) {
            Some((text, rest)) => (quoted(&text), rest.trim_start()),
            None => rest
                .split_once(',')
                .map_or((rest.trim().to_owned(), ""), |(text, _)| (text.trim().to_owned(), &rest[text.len()..])),
        };
        inner = match rest.strip_prefix(',') {
            Some(more) => more.trim_start(),
            None if rest.is_empty() => "",
            None => {
                return Err(Wrong::new("outcome_line", format!("behind the value of `{key}` stands no `,`"), form));
            }
        };
        let kind = kinds.get(&key).cloned().unwrap_or(Type::Text);
        let from = source(&key, &kind, &text)?;
        if when.insert(key.clone(), from).is_some() {
            return Err(Wrong::new("twice", format!("`when` names `{key}` twice"), "keep one of the two"));
        }
    }
    Ok(when)
}

pub(crate) fn outcome_text(outcome: &DeclaredOutcome) -> String {
    let when: Vec<String> = outcome
        .when
        .iter()
        .map(|(name, from)| {
            let text = source_text(from);
            let plain =
                matches!(from, Source::Env(_)) || text.starts_with('"') || !text.contains([',', '=', '(', ')', '"']);
            format!("{name} = {}", if plain { text } else { quoted(&text) })
        })
        .collect();
    let read_otherwise = ["(when ", AFTER].iter().any(|word| outcome.shows.contains(word))
        || ["no row of ", "no option of "].iter().any(|word| outcome.shows.starts_with(word));
    let mut shows = match &outcome.absent {
        Some(Absent::Row(name)) => format!("no row of {name}"),
        Some(Absent::Option(name)) => format!("no option of {name}"),
        None => quoted_if(&outcome.shows, read_otherwise),
    };
    if outcome.after_risky {
        shows = format!("{shows} {AFTER}");
    }
    let when = if when.is_empty() { String::new() } else { format!(" (when {})", when.join(", ")) };
    format!("{}: {shows}{when}", outcome.code)
}

/// `accounts (table account text key, balance money USD optional)`, `total (money USD)`, `total`
pub(crate) fn output(line: &str) -> Result<WantedOutput, Wrong> {
    let form = "a line of outputs is `NAME`, `NAME (TYPE)` or `NAME (table COLUMN TYPE, COLUMN TYPE)`";
    let (word, rest) = match line.split_once('(') {
        Some((word, rest)) => (
            word,
            Some(
                rest.trim_end()
                    .strip_suffix(')')
                    .ok_or_else(|| Wrong::new("output_line", "the bracket does not close at the end", form))?,
            ),
        ),
        None => (line, None),
    };
    let mut output = WantedOutput {
        name: name(word.trim(), "output_line", form)?,
        description: String::new(),
        kind: None,
        columns: Vec::new(),
    };
    match rest.map(str::trim) {
        None => {}
        Some(kind) if kind == "table" || kind.starts_with("table ") => {
            for column in kind["table".len()..].split(',').map(str::trim) {
                let (word, mut kind) = column.split_once(' ').map_or((column, ""), |(word, kind)| (word, kind.trim()));
                let (mut optional, mut key) = (false, false);
                // Both may be said, in either order, of a column whose type may be left out.
                while let Some((said, rest)) = [("optional", &mut optional), ("key", &mut key)]
                    .into_iter()
                    .find_map(|(word, said)| kind.strip_suffix(word).map(|rest| (said, rest)))
                    .filter(|(_, rest)| rest.is_empty() || rest.ends_with(' '))
                {
                    *said = true;
                    kind = rest.trim_end();
                }
                let kind = if kind.is_empty() { None } else { Some(scalar(kind)?) };
                output.columns.push(WantedColumn { name: name(word, "output_line", form)?, kind, optional, key });
            }
        }
        Some(kind) => output.kind = Some(scalar(kind)?),
    }
    Ok(output)
}

pub(crate) fn output_text(output: &WantedOutput) -> String {
    let column = |column: &WantedColumn| {
        let mut text = column.name.to_string();
        if let Some(kind) = &column.kind {
            text = format!("{text} {}", kind_text(kind));
        }
        let said = [(column.optional, " optional"), (column.key, " key")];
        said.iter().filter(|(said, _)| *said).for_each(|(_, word)| text.push_str(word));
        text
    };
    match (&output.kind, output.columns.as_slice()) {
        (None, []) => output.name.to_string(),
        (Some(kind), _) => format!("{} ({})", output.name, kind_text(kind)),
        (None, columns) => {
            format!("{} (table {})", output.name, columns.iter().map(column).collect::<Vec<_>>().join(", "))
        }
    }
}

/// `steps: 30`, `model calls: 40`, `seconds: 600`, `usd: 1.50`, `call seconds: 60`. Answers which limit it was.
pub(crate) fn limit(line: &str, limits: &mut Limits) -> Result<&'static str, Wrong> {
    let form = "the limits are `steps`, `model calls`, `seconds`, `usd` and `call seconds`, each with `: NUMBER`";
    let (word, text) = line.split_once(':').ok_or_else(|| Wrong::new("limit_line", "there is no `:`", form))?;
    let word = word.trim().to_lowercase().replace(' ', "_");
    let text = text.trim();
    if word == "usd" {
        limits.usd = usd(text)?;
        return Ok("usd");
    }
    let (place, name) = match word.as_str() {
        "steps" => (&mut limits.steps, "steps"),
        "model_calls" => (&mut limits.model_calls, "model_calls"),
        "seconds" => (&mut limits.seconds, "seconds"),
        "call_seconds" => (&mut limits.call_seconds, "call_seconds"),
        _ => return Err(Wrong::new("limit_line", format!("there is no limit `{}`", shown(&word)), form)),
    };
    *place = text.parse().map_err(|_| Wrong::new("limit_line", format!("`{name}` is no whole number"), form))?;
    Ok(name)
}

pub(crate) fn usd(text: &str) -> Result<Usd, Wrong> {
    let hint = "digits with a point, such as 2.50; no sign, no currency";
    Usd::parse(text).ok_or_else(|| Wrong::new("limit_line", "this is no amount of dollars", hint))
}

/// Names that are secret unless it is said that they are not.
pub(crate) fn secret_like(name: &str) -> bool {
    let parts: Vec<&str> = name.split('_').collect();
    let within = ["password", "passwd", "passcode", "passphrase", "secret", "credential"];
    let alone = ["pin", "pwd", "pass", "token", "tan", "otp", "cvv", "cvc", "ssn", "key", "apikey"];
    within.iter().any(|word| name.contains(word)) || parts.iter().any(|part| alone.contains(part))
}

/// `env NAME`, `file`, `stdin`, else the value itself.
fn source(name: &Name, kind: &Type, text: &str) -> Result<Source, Wrong> {
    if let Some((text, "")) = split_string(text) {
        return Ok(Source::Value(value(kind, &text)));
    }
    match text.split_once(char::is_whitespace) {
        Some(("env", variable)) => {
            let variable = variable.trim();
            if is_variable(variable) {
                Ok(Source::Env(variable.to_owned()))
            } else {
                let hint =
                    "a variable is capital letters, digits and `_`; a value that begins with `env ` stands in quotes";
                Err(Wrong::new("source_unknown", format!("`{name}` names no environment variable"), hint))
            }
        }
        None if text == "file" => Ok(Source::ParamsFile),
        None if text == "stdin" => Ok(Source::Stdin),
        None if text.is_empty() => {
            let hint = "write the value, `env NAME`, `file` or `stdin`; an empty text is `\"\"`";
            Err(Wrong::new("source_unknown", format!("`{name}` has no source behind its `:`"), hint))
        }
        _ => Ok(Source::Value(value(kind, text))),
    }
}

fn source_text(from: &Source) -> String {
    match from {
        Source::Env(variable) => format!("env {variable}"),
        Source::ParamsFile => "file".to_owned(),
        Source::Stdin => "stdin".to_owned(),
        Source::Value(json) => {
            let text = value_text(json);
            let read_otherwise =
                text == "file" || text == "stdin" || text.starts_with("env ") || text.starts_with("env\u{a0}");
            quoted_if(&text, read_otherwise || text.is_empty())
        }
    }
}

pub(crate) fn is_variable(word: &str) -> bool {
    !word.is_empty()
        && !word.starts_with(|c: char| c.is_ascii_digit())
        && word.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// A text as the JSON that is given for a type. What does not fit stays a text, which the type then refuses.
pub(crate) fn value(kind: &Type, text: &str) -> Json {
    match kind {
        Type::Integer => text.parse::<i64>().map_or_else(|_| text.into(), Json::from),
        Type::Boolean => match text {
            "true" => true.into(),
            "false" => false.into(),
            text => text.into(),
        },
        Type::Money { currency: None } => match text.split_once(' ') {
            Some((amount, currency)) => serde_json::json!({ "amount": amount, "currency": currency.trim() }),
            None => text.into(),
        },
        _ => text.into(),
    }
}

fn value_text(json: &Json) -> String {
    match json {
        Json::String(text) => text.clone(),
        Json::Object(parts) => {
            let part = |key: &str| parts.get(key).and_then(Json::as_str).unwrap_or_default();
            format!("{} {}", part("amount"), part("currency"))
        }
        other => other.to_string(),
    }
}

/// A type that one value has.
fn scalar(text: &str) -> Result<Type, Wrong> {
    let (word, rest) = text.split_once(' ').map_or((text, ""), |(word, rest)| (word, rest.trim()));
    match (word, rest) {
        ("text", "") => Ok(Type::Text),
        ("integer", "") => Ok(Type::Integer),
        ("decimal", "") => Ok(Type::Decimal),
        ("date", "") => Ok(Type::Date),
        ("boolean", "") => Ok(Type::Boolean),
        ("money", "") => Ok(Type::Money { currency: None }),
        ("money", currency) => Ok(Type::Money { currency: Some(currency.to_owned()) }),
        ("enum", words) if !words.is_empty() => {
            Ok(Type::Enum { values: words.split('|').map(|word| word.trim().to_owned()).collect() })
        }
        _ => Err(Wrong::new("type_unknown", format!("`{}` is no type", shown(text)), TYPES)),
    }
}

fn kind_text(kind: &Type) -> String {
    match kind {
        Type::Text => "text".to_owned(),
        Type::Integer => "integer".to_owned(),
        Type::Decimal => "decimal".to_owned(),
        Type::Money { currency: None } => "money".to_owned(),
        Type::Money { currency: Some(currency) } => format!("money {currency}"),
        Type::Date => "date".to_owned(),
        Type::Boolean => "boolean".to_owned(),
        Type::Enum { values } => format!("enum {}", values.join(" | ")),
        Type::Table { .. } => "table".to_owned(),
        Type::File => "file".to_owned(),
    }
}

fn name(word: &str, code: &'static str, form: &str) -> Result<Name, Wrong> {
    Name::new(word).map_err(|error| Wrong::new(code, error.to_string(), form))
}

/// Letters with single blanks, as they are compared.
pub(crate) fn folded(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn unquoted(text: &str) -> String {
    match split_string(text) {
        Some((text, "")) => text,
        _ => text.to_owned(),
    }
}

fn quoted(text: &str) -> String {
    Json::from(text).to_string()
}

/// In quotes where a line would else lose or change it.
fn quoted_if(text: &str, needed: bool) -> String {
    if needed || text.starts_with('"') || text.trim() != text || text.contains(char::is_control) {
        quoted(text)
    } else {
        text.to_owned()
    }
}

/// The text in quotes at the beginning, and what stands behind it.
fn split_string(text: &str) -> Option<(String, &str)> {
    let mut stream = serde_json::Deserializer::from_str(text).into_iter::<Json>();
    match stream.next() {
        Some(Ok(Json::String(string))) if text.starts_with('"') => {
            let end = stream.byte_offset();
            Some((string, &text[end..]))
        }
        _ => None,
    }
}
