//! An artifact in plain English, with what is proven of it and what an approval stands on.

use std::path::{Path, PathBuf};

use serde::Serialize;
use waymark_artifact::{Artifact, Digest, Line, Risk, Section, prose, visible};

use crate::verified::{Came, Record};
use crate::{FindingRow, approval, artifact, verified};

/// What is to be said of an artifact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShowReport {
    /// `waymark.show/1`.
    pub schema: &'static str,
    /// The file.
    pub file: PathBuf,
    /// Its digest, where it could be read.
    pub digest: Option<String>,
    /// The text, part by part; none where it could not be read.
    pub sections: Vec<Section>,
    /// What is wrong with it, errors first.
    pub findings: Vec<FindingRow>,
}

impl ShowReport {
    /// Whether something keeps it from being replayed.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(FindingRow::is_error)
    }
}

/// Tells an artifact. Opens no browser and writes nothing.
#[must_use]
pub fn show(file: &Path) -> ShowReport {
    let (artifact, findings) = artifact::read(file);
    let told = artifact.as_ref().and_then(|artifact| Some((artifact, artifact.digest().ok()?)));
    let mut sections = Vec::new();
    if let Some((artifact, digest)) = &told {
        let version = artifact.version.to_string();
        let record = verified::record(file, &artifact.id, &version, digest);
        sections = prose(artifact);
        sections.push(proven(artifact, &record, &findings));
        sections.push(approval_of(file, artifact, digest, &record, &findings));
    }
    ShowReport {
        schema: "waymark.show/1",
        file: file.to_owned(),
        digest: told.map(|(_, digest)| digest.to_string()),
        sections,
        findings,
    }
}

/// What is proven of it, and what is not.
fn proven(artifact: &Artifact, record: &Result<Option<Record>, String>, findings: &[FindingRow]) -> Section {
    let mut lines = Vec::new();
    let mut say = |depth: u8, text: String| lines.push(Line { depth, text });
    match record {
        Err(message) => say(0, format!("Nothing: the record of a replay is unfit. {}", visible(message))),
        Ok(None) => say(0, "Nothing: no replay without a model is on record for this very document.".to_owned()),
        Ok(Some(record)) => {
            let how = match record.verified.as_str() {
                "complete" => "It replayed without a model, to its end",
                "to_commit_point" => {
                    "It replayed without a model, up to the first step that is not repeated for a proof"
                }
                _ => "IT DID NOT REPLAY without a model",
            };
            let (message, run, at) = (visible(&record.message), visible(&record.run), visible(&record.at));
            say(0, format!("{how}: {message} (run {run}, {at})."));
            if record.effects {
                say(0, "Its effects were repeated for the proof, on a system that is said to be one for tests.".into());
            }
            if record.verified == "to_commit_point"
                && let Some((at, step)) = artifact.steps.iter().enumerate().find(|(_, step)| step.risk > Risk::Safe)
            {
                say(0, format!("NOT proven by a replay: step {} ({}) and every step after it.", at + 1, step.id));
            }
            if record.probes.is_empty() {
                say(0, "NOT proven: that it does the same with other values; none were tried.".to_owned());
            }
            for probe in &record.probes {
                say(0, format!("With another {}: {}.", visible(&probe.of), came(probe)));
            }
        }
    }
    let outcomes = record.as_ref().ok().and_then(Option::as_ref).map(|record| record.outcomes.as_slice());
    for outcome in &artifact.outcomes {
        let found = outcomes.unwrap_or_default().iter().find(|o| o.of == outcome.code.as_str());
        match found {
            Some(found) if found.came == "provoked" => {
                say(0, format!("The answer {} was provoked, and recognised{}.", outcome.code, run_of(found)));
            }
            Some(found) if found.came != "unproven" => {
                say(0, format!("NOT proven: the answer {}; provoking it came to: {}.", outcome.code, came(found)));
            }
            _ => say(0, format!("NOT proven: the answer {}; it was never provoked.", outcome.code)),
        }
    }
    if artifact.provenance.simulated {
        say(0, "NOT proven: that a real model does this job; a script stood in for it.".to_owned());
    }
    for finding in findings {
        let place = if finding.pointer.is_empty() { "the document" } else { finding.pointer.as_str() };
        say(0, format!("{} {} at {}: {}", finding.severity, finding.code, visible(place), visible(&finding.message)));
        if !finding.hint.is_empty() {
            say(1, format!("hint: {}", visible(&finding.hint)));
        }
    }
    Section { heading: "What is proven of it, and what is not".to_owned(), lines }
}

/// What an approval is bound to, and whether there is one.
fn approval_of(
    file: &Path,
    artifact: &Artifact,
    digest: &Digest,
    record: &Result<Option<Record>, String>,
    findings: &[FindingRow],
) -> Section {
    let mut lines = Vec::new();
    let mut say = |text: String| lines.push(Line { depth: 0, text });
    say(format!(
        "Its digest is {digest}. An approval is bound to it: one changed word is another digest, and unapproved."
    ));
    match approval::record(file, &artifact.id, &artifact.version.to_string(), digest) {
        Ok(None) => say("It is a draft: nobody has approved it.".to_owned()),
        Ok(Some(approval)) => {
            let note = if approval.note.is_empty() { String::new() } else { format!(": {}", visible(&approval.note)) };
            let (by, at) = (visible(&approval.approved_by), visible(&approval.approved_at));
            say(format!("It is approved by {by}, at {at}{note}."));
        }
        Err(unfit) => {
            let place = visible(&unfit.file.display().to_string());
            say(format!("It is not approved: {place}: {}.", visible(&unfit.message)));
        }
    }
    let errors = findings.iter().filter(|finding| finding.is_error()).count();
    let others = findings.len() - errors;
    let replayed = match record {
        Ok(Some(record)) => visible(&record.verified),
        Ok(None) | Err(_) => "none".to_owned(),
    };
    say(format!(
        "It stands on everything above, on {errors} errors and {others} remarks of the checks, and on this replay \
         without a model: {replayed}."
    ));
    let disproved = match record {
        Ok(Some(record)) => !record.proves(),
        Ok(None) => false,
        Err(_) => true,
    };
    if errors > 0 || disproved {
        say("As it is, it is not fit for an approval.".to_owned());
    }
    if artifact.steps.iter().any(|step| step.risk == Risk::Irreversible) {
        say("Approved, it may do what cannot be taken back without a person, where its caller consents.".to_owned());
    }
    Section { heading: "What an approval stands on".to_owned(), lines }
}

fn came(what: &Came) -> String {
    format!("{}{}", visible(&what.came), run_of(what))
}

fn run_of(what: &Came) -> String {
    what.run.as_ref().map(|run| format!(" (run {})", visible(run))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a folder that cannot be prepared is a broken test")]

    use std::fs;

    use serde_json::{Value, json};

    use super::*;

    /// A document that has everything a document can have.
    const EVERYTHING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/artifacts/valid/everything.json");

    /// The last two parts of what is shown of it, with these records beside it. `DIGEST` stands for its own.
    fn check(records: &[(&str, Value)], expected: &[&str]) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("ledger.look_up.v1.json");
        fs::copy(EVERYTHING, &file).unwrap();
        let digest = show(&file).digest.unwrap();
        fs::create_dir(folder.path().join("records")).unwrap();
        for (kind, record) in records {
            let name = format!("records/{}.{kind}.json", digest.trim_start_matches("sha256:"));
            fs::write(folder.path().join(name), record.to_string().replace("DIGEST", &digest)).unwrap();
        }
        let report = show(&file);
        let text: Vec<String> =
            report.sections.iter().rev().take(2).flat_map(|s| s.lines.iter().map(|l| l.text.clone())).collect();
        for line in expected {
            assert!(text.iter().any(|said| said.contains(line)), "{line}\n{text:#?}");
        }
    }

    fn replayed(verified: &str) -> Value {
        json!({"schema": "waymark.verification/1", "id": "ledger.look_up", "version": "1.0.0",
            "digest": "DIGEST", "verified": verified, "message": "in words", "run": "r1", "effects": false,
            "at": "2026-11-30T00:00:00Z", "probes": [], "outcomes": [
                {"of": "not_entitled", "came": "provoked", "run": "r2"},
                {"of": "closed", "came": "unproven", "run": null},
                {"of": "two_postings", "came": "success", "run": "r3"}]})
    }

    #[test]
    fn a_document_without_records_is_a_draft_of_which_nothing_is_proven() {
        check(
            &[],
            &[
                "Nothing: no replay without a model is on record",
                "It is a draft: nobody has approved it.",
                "NOT proven: the answer not_entitled; it was never provoked.",
                "NOT proven: that a real model does this job; a script stood in for it.",
                "without a model: none.",
            ],
        );
    }

    #[test]
    fn a_replay_to_the_commit_point_says_what_it_does_not_prove() {
        check(
            &[("verification", replayed("to_commit_point"))],
            &[
                "up to the first step that is not repeated for a proof: in words (run r1",
                "NOT proven by a replay: step 18 (post) and every step after it.",
                "NOT proven: that it does the same with other values",
                "The answer not_entitled was provoked, and recognised (run r2).",
                "NOT proven: the answer closed; it was never provoked.",
                "NOT proven: the answer two_postings; provoking it came to: success (run r3).",
                "NOT proven: the answer member_not_found; it was never provoked.",
                "without a model: to_commit_point.",
            ],
        );
        check(
            &[("verification", replayed("failed"))],
            &["IT DID NOT REPLAY", "As it is, it is not fit for an approval."],
        );
    }

    #[test]
    fn an_approval_is_told_with_who_gave_it_and_what_it_permits() {
        let mut approval = json!({"schema": "waymark.approval/1", "id": "ledger.look_up", "version": "1.0.0",
            "digest": "DIGEST", "approved_by": "Ana\u{202e}", "approved_at": "2026-11-30T00:00:00Z", "note": "seen"});
        check(
            &[("approval", approval.clone())],
            &[
                "It is approved by Ana<U+202E>, at 2026-11-30T00:00:00Z: seen.",
                "Approved, it may do what cannot be taken back without a person, where its caller consents.",
            ],
        );
        approval["version"] = json!("2.0.0");
        check(&[("approval", approval)], &["It is not approved: ", "approves another artifact than its name says"]);
    }

    #[test]
    fn a_record_of_another_document_proves_nothing() {
        let mut record = replayed("complete");
        record["id"] = json!("parabank.other");
        check(&[("verification", record)], &["Nothing: the record of a replay is unfit.", "without a model: none."]);
    }

    #[test]
    fn a_file_that_is_no_artifact_is_told_as_the_checks_tell_it() {
        let report = show(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/params/john.json")));
        assert!(report.has_errors() && report.sections.is_empty() && report.digest.is_none(), "{report:?}");
        assert_eq!(report.findings, crate::validate(std::slice::from_ref(&report.file)).items[0].findings);
    }
}
