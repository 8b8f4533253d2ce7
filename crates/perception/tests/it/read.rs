//! Reading what tests are written in.
use waymark_artifact::{Bindings, Name};
use waymark_snapshot::{Ix, UiSnapshot, parse};

/// A snapshot from its text form.
pub fn snapshot(text: &str) -> UiSnapshot {
    match parse(text) {
        Ok(snapshot) => snapshot,
        Err(error) => panic!("{error}\n{text}"),
    }
}

/// A stored snapshot.
#[expect(clippy::disallowed_methods, reason = "a test reads its corpus")]
pub fn stored(name: &str) -> UiSnapshot {
    let path = format!("{}/../../fixtures/snapshots/{name}.txt", env!("CARGO_MANIFEST_DIR"));
    match std::fs::read_to_string(&path) {
        Ok(text) => snapshot(&text),
        Err(error) => panic!("{path}: {error}"),
    }
}

/// A part of an artifact from its JSON.
pub fn json<T: serde::de::DeserializeOwned>(text: &str) -> T {
    match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => panic!("{error}: {text}"),
    }
}

/// Bindings with these parameters.
pub fn given(parameters: &[(&str, &str)]) -> Bindings {
    let mut bindings = Bindings::default();
    for (name, value) in parameters {
        match Name::new(name) {
            Ok(name) => bindings.parameters.insert(name, (*value).to_owned()),
            Err(error) => panic!("{name}: {error}"),
        };
    }
    bindings
}

/// A node in short: role, name or text, and the handle where it is not the index.
pub fn short(snapshot: &UiSnapshot, ix: Ix) -> String {
    let node = snapshot.node(ix);
    let handle = if node.id.0 == format!("n{}", ix.0) { String::new() } else { format!(" #{}", node.id.0) };
    format!("{} {:?}{handle}", node.role, node.name)
}
