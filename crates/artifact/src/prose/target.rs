//! How a thing is found again, in words.

use super::Lines;
use super::words::{a, counted, listed, quoted, said};
use waymark_snapshot::Role;

use crate::{Fingerprint, FrameRef, NameSource, Place, Relation, RowKey, Rung, Side, TableRef, Target, Template};

/// The ways to find a thing, and what it must look like.
pub(super) fn target(lines: &mut Lines, depth: u8, what: &Target) {
    let deeper = depth.saturating_add(1);
    let window = within(what.window.as_ref(), &what.frame);
    let ways = what.candidates.len();
    let head = match ways {
        0 => format!("Found in no way at all{window}."),
        1 => format!("Found in 1 way{window}; where that fits nothing or more than one thing, the run stops:"),
        _ => format!("Found in {ways} ways{window}, tried in this order; the first that fits anything decides:"),
    };
    lines.say(depth, head);
    for (at, candidate) in what.candidates.iter().enumerate() {
        let why = if candidate.why.is_empty() { String::new() } else { format!(" (why: {})", quoted(&candidate.why)) };
        lines.say(deeper, format!("{}. {}{}{why}", at + 1, rung(&candidate.find), scopes(&candidate.within)));
    }
    match &what.fingerprint {
        Some(fingerprint) => lines.say(depth, looks(fingerprint)),
        None => lines.say(depth, "What it looked like was not recorded, so nothing is compared before the action."),
    }
    let source = what.name_source.map(|source| format!("from {}", source_words(source)));
    match (what.name_inferred, source) {
        (None, None) => {}
        (Some(true), source) => {
            let source = source.unwrap_or_else(|| "from text beside it".to_owned());
            lines.say(depth, format!("The application gives it no name; the one used here was inferred {source}."));
        }
        (Some(false), source) => {
            let source = source.map(|s| format!(" (inferred {s} all the same)")).unwrap_or_default();
            lines.say(depth, format!("Its name is marked as the application's own{source}."));
        }
        (None, Some(source)) => lines.say(depth, format!("A name for it was inferred {source}.")),
    }
}

/// A way to find.
pub(super) fn rung(what: &Rung) -> String {
    match what {
        Rung::RoleName { role, name } => format!("{} named exactly {}", one(role), said(name)),
        Rung::RoleNameNormalized { role, name } => format!(
            "{} or a control of the same kind, named {} apart from case, blanks and punctuation",
            one(role),
            said(name)
        ),
        Rung::Label { role, label } => format!("{} with the caption {}", one(role), said(label)),
        Rung::Anchor { role, name, relation: to } => {
            let name = name.as_ref().map(|name| format!(" named exactly {}", said(name))).unwrap_or_default();
            format!("{}{name} {}", one(role), relation(to))
        }
        Rung::Ordinal { role, index, of } => {
            format!("number {index} of the things there that are {}, of which there must be {of}", one(role))
        }
        Rung::NativeHint { hint } => {
            let hints: Vec<String> =
                hint.iter().map(|(surface, hint)| format!("on {} {}", quoted(surface), quoted(hint))).collect();
            format!("by a hint for the driver alone, always reported as drift: {}", listed(&hints, "and"))
        }
        Rung::Vision { description } => format!("by its looks, {}; a replay refuses this", quoted(description)),
    }
}

/// Where it is looked for: inside all of these.
pub(super) fn scopes(within: &[Relation]) -> String {
    within.iter().map(|scope| format!(", looked for only {}", relation(scope))).collect()
}

/// A window and frames that are not the main ones.
pub(super) fn place(at: &Place) -> String {
    within(at.window.as_ref(), &at.frame)
}

/// The cells that mark a row.
pub(super) fn row(keys: &[RowKey]) -> String {
    let keys: Vec<String> = keys
        .iter()
        .map(|key| match &key.column {
            Some(column) => format!("the column {} holds {}", said(column), said(&key.equals)),
            None => format!("any cell holds {}", said(&key.equals)),
        })
        .collect();
    listed(&keys, "and")
}

fn within(window: Option<&Template>, frames: &[FrameRef]) -> String {
    let mut out = window.map(|name| format!(" in the window {}", said(name))).unwrap_or_default();
    for frame in frames {
        let parts: Vec<String> =
            [("named", &frame.name), ("titled", &frame.title), ("with an address that fits", &frame.location)]
                .iter()
                .filter_map(|(word, text)| text.as_ref().map(|text| format!("{word} {}", said(text))))
                .collect();
        let parts = if parts.is_empty() { "whatever it is called".to_owned() } else { listed(&parts, "and") };
        out.push_str(&format!(" in the frame {parts}"));
    }
    out
}

/// A role with its article. What is none that is known is the document's own word, and in quotes.
fn one(role: &Role) -> String {
    match role {
        Role::Other(word) => format!("a thing of the unknown role {}", quoted(word)),
        known => a(known.as_str()),
    }
}

fn relation(to: &Relation) -> String {
    match to {
        Relation::Region { role, name } => {
            let role = role.as_ref().map_or_else(|| "a part".to_owned(), one);
            format!("inside {role} named or headed {}", said(name))
        }
        Relation::Row { keys, table: of } => format!("in the row where {}{}", row(keys), table(of.as_ref())),
        Relation::Column { header, table: of } => format!("in the column {}{}", said(header), table(of.as_ref())),
        Relation::Cell { keys, header, table: of } => {
            format!("in the column {} of the row where {}{}", said(header), row(keys), table(of.as_ref()))
        }
        Relation::Adjacent { text, side } => match side {
            Side::Before => format!("directly after the text {}", said(text)),
            Side::After => format!("directly before the text {}", said(text)),
        },
    }
}

fn table(of: Option<&TableRef>) -> String {
    let Some(table) = of else { return String::new() };
    let name = table.name.as_ref().map(|name| format!(" named {}", said(name))).unwrap_or_default();
    let headers: Vec<String> = table.headers.iter().map(said).collect();
    let headers =
        if headers.is_empty() { String::new() } else { format!(" that has the columns {}", listed(&headers, "and")) };
    format!(", in the table{name}{headers}")
}

fn looks(print: &Fingerprint) -> String {
    let mut parts = vec![one(&print.role)];
    parts.push(match print.name.is_empty() {
        true => "without a name of its own".to_owned(),
        false => format!("named {}", said(&print.name)),
    });
    if let Some(caption) = &print.caption {
        parts.push(format!("with the caption {}", said(caption)));
    }
    if let Some(native) = &print.native {
        parts.push(format!("of the kind {}", quoted(native)));
    }
    if print.protected {
        parts.push("hiding what it holds".to_owned());
    }
    format!("It must look as it was recorded ({}): {}.", counted(parts.len() as u64, "mark"), parts.join(", "))
}

fn source_words(source: NameSource) -> &'static str {
    match source {
        NameSource::PrecedingBlock => "the block before it",
        NameSource::AdjacentCell => "the neighbouring cell",
        NameSource::TextBefore => "the bare text before it",
        NameSource::TextAfter => "the bare text after it",
        NameSource::ColumnHeader => "the header of its column",
    }
}
