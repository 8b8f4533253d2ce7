//! The values that a caller gives.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;

use serde_json::{Map, Value};
use waymark_artifact::{
    Artifact, Digest, InputProblem, LoadError, MAX_BYTES, Name, Type, load_parameters, parse_inputs,
};
use waymark_run::{Code, Problem};

use crate::file;
use crate::problems::Problems;

/// The values that a caller gives, by the way they came.
#[derive(Clone, Default, PartialEq)]
pub struct Given {
    /// As JSON.
    pub json: Map<String, Value>,
    /// One by one as text, in the order they were given; read by the type of their parameter.
    pub texts: Vec<(String, String)>,
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // Values may be secrets.
        write!(f, "Given({} values)", self.json.len() + self.texts.len())
    }
}

impl Given {
    /// The values by the artifact's contract; `None` where there are problems.
    pub(crate) fn read(
        &self,
        artifact: &Artifact,
        problems: &mut Problems,
    ) -> Option<BTreeMap<Name, waymark_artifact::Value>> {
        let mut given = self.json.clone();
        let mut sound = true;
        let mut bad = |place: &str, problem: &str, message: String, hint: &str| {
            problems.add(Code::InvalidParameters, place, problem, message, hint);
            sound = false;
        };
        for (name, text) in &self.texts {
            let parameter = artifact.parameters.iter().find(|parameter| parameter.name.as_str() == name);
            if given.contains_key(name) {
                bad(name, "twice", format!("`{name}` is given twice"), "give each parameter once");
                continue;
            }
            if parameter.is_some_and(|parameter| parameter.sensitive) {
                let message = format!("`{name}` is sensitive and must not stand on the command line");
                bad(name, "sensitive", message, "other users and the shell's history see it there; use --params-file");
            }
            given.insert(name.clone(), by_type(text, parameter.map(|parameter| &parameter.kind)));
        }
        match parse_inputs(&artifact.parameters, &given) {
            Ok(mut values) => {
                for (name, value) in &mut values {
                    if let Err(why) = open_file(value) {
                        bad(name.as_str(), "file", format!("`{name}`: {why}"), "check the path");
                    }
                }
                sound.then_some(values)
            }
            Err(wrong) => {
                for InputProblem { parameter, problem, message } in wrong {
                    bad(&parameter, problem, message, hint(problem));
                }
                None
            }
        }
    }
}

fn hint(problem: &str) -> &'static str {
    match problem {
        "missing" => "add it to the file that --params-file names",
        "unknown" => "check its spelling, or leave it out",
        "null" => "leave it out instead",
        _ => "correct the value",
    }
}

/// Reads the JSON text of parameters. `place` is what the caller knows it by: a flag. No problem repeats a value.
///
/// # Errors
/// The first thing that is wrong with it; its place says line, column and JSON pointer where they are known.
pub fn parameters(place: &str, text: &[u8]) -> Result<Map<String, Value>, Problem> {
    load_parameters(text).map_err(|LoadError { code, pointer, at, message, hint }| {
        let at = at.map(|(line, column)| format!(":{line}:{column}")).unwrap_or_default();
        let pointer = if pointer.is_empty() { pointer } else { format!("#{pointer}") };
        Problem { place: format!("{place}{at}{pointer}"), problem: code.to_owned(), message, hint }
    })
}

/// Reads a file of parameters as [`parameters`] does; `-` is the standard input. One that is too large is refused by its
/// size, before it is read.
///
/// # Errors
/// As [`parameters`], or it cannot be read.
pub fn parameters_of(place: &str, path: &Path) -> Result<Map<String, Value>, Problem> {
    let read = if path == Path::new("-") {
        file::pour(&mut std::io::stdin(), MAX_BYTES)
    } else {
        file::bytes(path, MAX_BYTES)
    };
    match read {
        Ok(bytes) => parameters(place, &bytes),
        Err(error) => {
            let (problem, message, hint) = file::told(&error);
            let message = format!("`{}`: {message}", path.display());
            Err(Problem { place: place.to_owned(), problem: problem.to_owned(), message, hint: hint.to_owned() })
        }
    }
}

/// A text that looks like the JSON of its type becomes it; what does not stays a text, and is refused as such.
fn by_type(text: &str, kind: Option<&Type>) -> Value {
    let json = || serde_json::from_str::<Value>(text).ok();
    match kind {
        Some(Type::Integer) => json().filter(Value::is_number),
        Some(Type::Boolean) => json().filter(Value::is_boolean),
        // An object may name its amount twice; then it stays a text, and is refused.
        Some(Type::Money { .. }) => load_parameters(text.as_bytes()).ok().map(Value::Object),
        _ => None,
    }
    .unwrap_or_else(|| Value::from(text))
}

/// Fills in size and digest of a file, of whatever size.
fn open_file(value: &mut waymark_artifact::Value) -> Result<(), String> {
    if let waymark_artifact::Value::File(file) = value {
        let unreadable = |error: std::io::Error| format!("the file cannot be read: {error}");
        let opened = File::open(&file.path).map_err(unreadable)?;
        let found = opened.metadata().map_err(unreadable)?;
        // A device or pipe may never end.
        if !found.is_file() {
            return Err("it is no plain file".to_owned());
        }
        file.bytes = found.len();
        file.sha256 = Digest::read(&mut std::io::Read::take(opened, found.len())).map_err(unreadable)?.to_string();
    }
    Ok(())
}
