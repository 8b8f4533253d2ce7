//! The cassette of a discovery: the answers of its models, without what must not be seen.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use waymark_artifact::Name;
use waymark_llm::Recording;
use waymark_redact::{Redactor, Rules};
use waymark_run::Code;
use waymark_session::{CredentialSource, Texts};

use crate::create::create;
use crate::problems::Problems;

/// What takes everything out that must not be on a cassette; `None` with a problem where it could not be written there.
pub(super) fn redactor(
    path: &Path,
    rules: &Rules,
    texts: &Texts,
    credentials: &BTreeMap<Name, CredentialSource>,
    problems: &mut Problems,
) -> Option<Arc<Redactor>> {
    let mut refuse = |problem: &'static str, message: String, hint: &str| {
        problems.add(Code::InvalidInvocation, "--cassette", problem, message, hint);
        None
    };
    if path.exists() {
        let message = format!("{} exists; a recording never changes", path.display());
        return refuse("exists", message, "name another file, or say --provider cassette to play this one back");
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Err(error) = waymark_evidence::check_writable(folder) {
        return refuse("unwritable", error.to_string(), error.hint());
    }
    let made = || -> Result<Redactor, waymark_redact::RedactError> {
        let redactor = Redactor::new(rules)?;
        for (name, secret) in texts.secrets() {
            redactor.register(name.as_str(), secret.expose())?;
        }
        for (name, source) in credentials {
            // One that has no value cannot be typed either.
            if let Ok(value) = source.resolve() {
                redactor.register(name.as_str(), value.expose())?;
            }
        }
        Ok(redactor)
    };
    match made() {
        Ok(redactor) => Some(Arc::new(redactor)),
        Err(error) => refuse("redaction", error.to_string(), "correct redaction.yaml, or give longer secrets"),
    }
}

/// Writes the cassette, whole or not at all; its name where there is one.
///
/// # Errors
/// In words: it cannot be written.
pub(crate) fn save(path: &Path, recording: &Recording, notes: &mut Vec<String>) -> Result<Option<String>, String> {
    let Some(text) = recording.text() else {
        notes.push("no model answered, so there is no cassette".to_owned());
        return Ok(None);
    };
    create(path, text.as_bytes()).map_err(|error| format!("the cassette is not written: {error}"))?;
    Ok(Some(path.display().to_string()))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "names and rules are literals here")]

    use waymark_redact::Secret;

    use super::*;

    #[test]
    fn a_value_that_must_not_be_seen_is_on_no_cassette_in_any_of_its_forms() {
        let folder = tempfile::tempdir().unwrap();
        let born = Name::new("born").unwrap();
        let mut texts = Texts::default();
        texts.sensitive.insert(born.clone(), Secret::new("04/17/1971".into()));
        texts.hidden.insert(born, vec![Secret::new("1971-04-17".into())]);
        let mut problems = Problems::default();
        let path = folder.path().join("job.jsonl");
        let redactor = redactor(&path, &Rules::default(), &texts, &BTreeMap::new(), &mut problems).unwrap();
        for form in ["04/17/1971", "1971-04-17"] {
            let said = format!("{{\"reason\": \"born on {form}\"}}");
            let told = redactor.redact_text(&said);
            assert!(!told.contains(form), "{told}");
        }
    }
}
