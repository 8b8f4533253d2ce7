//! Reading what tests are written in, and writing what came of it.
use waymark_artifact::{Bindings, Name, Target};
use waymark_snapshot::{Ix, NodeId, UiSnapshot, parse};
use waymark_targeting::{Attempt, Hints, Resolution, resolve};

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

/// A target with these candidates and fingerprint, in JSON.
pub fn target(candidates: &str, fingerprint: &str) -> Target {
    let text = format!(r#"{{"description":"it","candidates":[{candidates}],"fingerprint":{fingerprint}}}"#);
    match serde_json::from_str(&text) {
        Ok(target) => target,
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

/// What hints found: index of the candidate and handles.
pub fn hints(found: &[(usize, &[&str])]) -> Hints {
    found.iter().map(|(rung, ids)| (*rung, ids.iter().map(|id| NodeId::new(*id)).collect())).collect()
}

/// What came of looking, in a line.
pub fn told(snapshot: &UiSnapshot, target: &Target, hints: &Hints, bindings: &Bindings) -> String {
    let id = |ix: &Ix| snapshot.node(*ix).id.0.clone();
    let rungs = |attempts: &[Attempt]| {
        let words = attempts.iter().map(|a| {
            let found: Vec<String> = a.matches.iter().map(id).collect();
            let note = if a.note.is_empty() { String::new() } else { format!(" ({})", a.note) };
            format!("{}[{}]{note}", a.kind.as_str(), found.join(" "))
        });
        words.collect::<Vec<_>>().join(", ")
    };
    match resolve(target, snapshot, hints, bindings) {
        Ok(Resolution::Found(f)) => {
            let moved = if f.hint_moved { " hint moved" } else { "" };
            format!("{} by {} {} drift {}{moved}", id(&f.node), f.rung, f.kind.as_str(), f.drift)
        }
        Ok(Resolution::Ambiguous { attempts }) => format!("ambiguous: {}", rungs(&attempts)),
        Ok(Resolution::FingerprintMismatch { node, mismatch: m, attempts }) => {
            format!("mismatch: {} {} {:?}, was {:?}: {}", id(&node), m.part, m.found, m.recorded, rungs(&attempts))
        }
        Ok(Resolution::RowAbsent { keys, attempts }) => format!("row absent: {keys}: {}", rungs(&attempts)),
        Ok(Resolution::NotFound { attempts }) => format!("not found: {}", rungs(&attempts)),
        Ok(Resolution::PlaceMissing { miss }) => format!("place missing: {miss}"),
        Err(error) => format!("error: {error}"),
    }
}
