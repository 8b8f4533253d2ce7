//! Observations and deliveries from short texts.

use waymark_snapshot::{NodeId, UiSnapshot, WindowKey};
use waymark_surface::{
    Delivery, DialogFact, DialogKind, DriverError, Fact, NotDelivered, Observation, Reaction, ReadBack, Settling,
    WindowFact,
};

use crate::short::quoted;

/// The address of a screen that names none.
const PAGE: &str = "http://app.test/page";

/// An observation. `head` holds words: the settling (`settled` if left out), `reaction=none|request|content`,
/// `answered=N`. `body` holds the screen, and lines that begin with `!`: `! dialog confirm "Sure?"` (open now),
/// `! opened NAME` and `! closed NAME` (windows), `! document STATUS ADDRESS [FRAME]`, `! failed ADDRESS [FRAME]`,
/// `! refused RULE ADDRESS`, `! sign_in ORIGIN REALM`, `! crashed`, `! hint HANDLE…`. Without a screen it is as before.
///
/// # Panics
/// The text is not understood.
#[must_use]
pub fn observation(head: &str, body: &[&str], before: Option<&Observation>) -> Observation {
    let mut seen = Observation {
        number: before.map_or(1, |b| b.number + 1),
        snapshot: before.map(|b| b.snapshot.clone()).unwrap_or_default(),
        hints: Vec::new(),
        settling: Settling::Settled,
        reaction: Reaction::Content,
        answered: 0,
        facts: Vec::new(),
        windows: before.map(|b| b.windows.clone()).unwrap_or_else(|| vec![window("main")]),
        dialog: None,
    };
    for word in head.split_whitespace() {
        let parts = word.split_once('=');
        match (word, parts) {
            ("settled", _) => seen.settling = Settling::Settled,
            ("waiting", _) => seen.settling = Settling::Waiting,
            ("navigating", _) => seen.settling = Settling::Navigating,
            ("requesting", _) => seen.settling = Settling::Requesting,
            ("changing", _) => seen.settling = Settling::Changing,
            ("held", _) => seen.settling = Settling::Held,
            ("unreadable", _) => seen.settling = Settling::Unreadable,
            (_, Some(("reaction", "none"))) => seen.reaction = Reaction::None,
            (_, Some(("reaction", "request"))) => seen.reaction = Reaction::Request,
            (_, Some(("reaction", "content"))) => seen.reaction = Reaction::Content,
            (_, Some(("answered", n))) => seen.answered = n.parse().unwrap_or_else(|_| panic!("`{word}`")),
            _ => panic!("`{word}` says nothing of an observation"),
        }
    }
    let (notes, screen): (Vec<&str>, Vec<&str>) = body.iter().partition(|line| line.trim_start().starts_with('!'));
    if !screen.is_empty() {
        seen.snapshot = snapshot(&screen);
    }
    for note in notes {
        add(&mut seen, note.trim_start().trim_start_matches('!').trim());
    }
    seen
}

fn add(seen: &mut Observation, note: &str) {
    let words: Vec<&str> = note.split_whitespace().collect();
    match words.as_slice() {
        ["dialog", kind, ..] => {
            let kind = match *kind {
                "alert" => DialogKind::Alert,
                "confirm" => DialogKind::Confirm,
                "prompt" => DialogKind::Prompt,
                "leave" => DialogKind::Leave,
                other => panic!("`{other}` is no dialog"),
            };
            let text = quoted(note.split_once(words[1]).expect("a dialog says something").1).0;
            let dialog = DialogFact { window: WindowKey::main(), kind, text, offered: String::new() };
            seen.facts.push(Fact::DialogOpened(dialog.clone()));
            seen.dialog = Some(dialog);
        }
        ["opened", name] => {
            seen.facts.push(Fact::WindowOpened(window(name)));
            seen.windows.push(window(name));
        }
        ["closed", name] => {
            seen.facts.push(Fact::WindowClosed { window: WindowKey((*name).to_owned()) });
            seen.windows.retain(|w| w.window.0 != *name);
        }
        ["document", status, location, path @ ..] => {
            let status = status.parse().unwrap_or_else(|_| panic!("`{status}` is no status"));
            seen.facts.push(document(location, path, Some(status), None));
        }
        ["failed", location, path @ ..] => {
            seen.facts.push(document(location, path, None, Some("connection refused".into())));
        }
        ["refused", rule, location] => seen.facts.push(Fact::RouteRefused {
            window: WindowKey::main(),
            location: (*location).to_owned(),
            rule: (*rule).to_owned(),
        }),
        ["sign_in", origin, realm] => {
            seen.facts.push(Fact::SignInAsked { origin: (*origin).to_owned(), realm: (*realm).to_owned() });
        }
        ["crashed"] => seen.facts.push(Fact::Crashed { window: WindowKey::main() }),
        ["hint", handles @ ..] => seen.hints.push(handles.iter().map(|h| NodeId::new(*h)).collect()),
        _ => panic!("`{note}` is nothing that happens"),
    }
}

fn document(location: &str, path: &[&str], status: Option<u16>, error: Option<String>) -> Fact {
    Fact::Document {
        window: WindowKey::main(),
        path: path.iter().map(|p| (*p).to_owned()).collect(),
        location: location.to_owned(),
        status,
        error,
    }
}

fn window(name: &str) -> WindowFact {
    let opener = (name != "main").then(WindowKey::main);
    WindowFact { window: WindowKey(name.to_owned()), opener, name: name.to_owned(), location: PAGE.to_owned() }
}

/// A screen; where it does not begin with a window it is the content of the main one. A text stands in a line of its
/// own.
fn snapshot(lines: &[&str]) -> UiSnapshot {
    let least = lines.iter().map(|l| l.len() - l.trim_start().len()).min().unwrap_or_default();
    let whole = lines[0].trim_start().starts_with("window ");
    let mut text = if whole { String::new() } else { format!("window main <{PAGE}>\n") };
    for line in lines {
        let line = &line[least..];
        let indent = if whole { "" } else { "  " };
        if !whole && line.starts_with("text ") {
            text.push_str(&format!("{indent}paragraph\n{indent}  {line}\n"));
        } else {
            text.push_str(&format!("{indent}{line}\n"));
        }
    }
    waymark_snapshot::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// What became of an act: `delivered`, `delivered = "VALUE"`, `delivered checked|unchecked|equal|unequal`, `stale`,
/// `hidden`, `disabled`, `covered "BY"`, `no_option "A"`, `two_options "A"`, `unsupported "WHY"`, `dialog_open`,
/// `failed ERROR`, `unknown ERROR`; an error is `gone`, `crashed`, `timeout`, `closed`, `dialog` or `protocol`.
///
/// # Panics
/// The text is not understood.
#[must_use]
pub fn delivery(text: &str) -> Delivery {
    let (word, rest) = text.split_once(' ').unwrap_or((text, ""));
    let delivered = |read_back| Delivery::Delivered { read_back };
    let not = Delivery::NotDelivered;
    match (word, rest) {
        ("delivered", "") => delivered(None),
        ("delivered", "checked") => delivered(Some(ReadBack::Checked(true))),
        ("delivered", "unchecked") => delivered(Some(ReadBack::Checked(false))),
        ("delivered", "equal") => delivered(Some(ReadBack::Compared { equal: true })),
        ("delivered", "unequal") => delivered(Some(ReadBack::Compared { equal: false })),
        ("delivered", value) => delivered(Some(ReadBack::Value(quoted(value.trim_start_matches('=')).0))),
        ("stale", _) => not(NotDelivered::Stale),
        ("hidden", _) => not(NotDelivered::Hidden),
        ("disabled", _) => not(NotDelivered::Disabled),
        ("covered", by) => not(NotDelivered::Covered { by: quoted(by).0 }),
        ("no_option", options) => not(NotDelivered::OptionAbsent { options: vec![quoted(options).0] }),
        ("two_options", option) => not(NotDelivered::OptionAmbiguous { option: quoted(option).0 }),
        ("unsupported", why) => not(NotDelivered::Unsupported { why: quoted(why).0 }),
        ("dialog_open", _) => not(NotDelivered::DialogOpen),
        ("failed", error) => not(NotDelivered::Failed(driver_error(error))),
        ("unknown", error) => Delivery::Unknown(driver_error(error)),
        _ => panic!("`{text}` is no delivery"),
    }
}

pub(crate) fn driver_error(word: &str) -> DriverError {
    match word {
        "gone" => DriverError::Gone { why: "the pipe closed".into() },
        "crashed" => DriverError::Crashed { window: WindowKey::main() },
        "closed" => DriverError::WindowClosed { window: WindowKey::main() },
        "timeout" => DriverError::Timeout { what: "a call".into(), deadline_ms: 1_000 },
        "dialog" => DriverError::DialogOpen,
        "protocol" => DriverError::Protocol { what: "a call".into(), message: "no".into() },
        other => panic!("`{other}` is no error of a driver"),
    }
}
