//! The capabilities of a folder: what there is, what each takes and gives, and which file a name stands for.
//!
//! A name is `ID` or `ID@VERSION`. Without a version it stands for the newest that is approved, or, where none is, for
//! the newest.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use semver::Version;
use serde::Serialize;
use serde_json::Value;
use waymark_artifact::{Artifact, Digest, Outcome, Risk, expand, nearest, schema_of_inputs, schema_of_outputs};
use waymark_run::{Code, Problem, Rejection};

use crate::{approval, artifact, file, verified};

/// The capabilities of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Catalog {
    /// `waymark.catalog/1`.
    pub schema: String,
    /// The folder.
    pub folder: PathBuf,
    /// By id, the newest version of each first.
    pub items: Vec<Entry>,
    /// Files that are no artifact that can be replayed, and files that say to be the same version as another.
    pub unfit: Vec<Unfit>,
}

/// A version of a capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Entry {
    /// What callers call it.
    pub id: String,
    /// Its version.
    pub version: String,
    /// A short title.
    pub title: String,
    /// The most harm that it is declared to do: `safe`, `risky` or `irreversible`.
    pub risk: Risk,
    /// `approved`, `draft`, or `unfit` where the record of an approval is of no use.
    pub approval: Standing,
    /// What a replay without a model proved: `complete`, `to_commit_point`, `failed`; null where none is on record.
    pub verified: Option<String>,
    /// Its digest.
    pub digest: String,
    /// The file.
    pub file: PathBuf,
}

/// Whether a version is approved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// A record of its digest approves it.
    Approved,
    /// Nobody approved it.
    Draft,
    /// There is a record that approves nothing.
    Unfit,
}

/// A file that is not offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Unfit {
    /// The file.
    pub file: PathBuf,
    /// Stable word.
    pub problem: String,
    /// In words.
    pub message: String,
}

/// What a caller has to know of a capability.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Description {
    /// `waymark.capability/1`.
    pub schema: String,
    /// What it is called, how far it may be trusted, and where it lies.
    #[serde(flatten)]
    pub entry: Entry,
    /// What it does.
    pub description: String,
    /// The application it works in.
    pub application: String,
    /// The JSON Schema of its parameters.
    pub parameters: Value,
    /// The JSON Schema of its outputs where it ends in success.
    pub outputs: Value,
    /// The answers that the application may give, each an ending of its own.
    pub outcomes: Vec<Answer>,
    /// The words by which the application says that it failed itself: the run ends as `app_error`.
    pub failures: Vec<Answer>,
    /// The credentials it signs on with, by name; where they come from is said by the application's profile.
    pub credentials: Vec<String>,
    /// Other versions, newest first.
    pub versions: Vec<String>,
}

/// An answer that the application may give.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Answer {
    /// What a caller branches on.
    pub code: String,
    /// In words.
    pub description: String,
    /// The application's own code for it.
    pub application_code: Option<String>,
    /// Whether the replays on record provoked it and recognised it.
    pub proven: bool,
}

/// A version that was read.
struct Found {
    artifact: Artifact,
    /// With what it is built on in its place: that is what a caller gets. As it is stored where that is not there; to
    /// invoke it is refused then, with the reason.
    whole: Artifact,
    digest: Digest,
    entry: Entry,
}

/// The capabilities of a folder.
///
/// # Errors
/// It cannot be read.
pub fn catalog(folder: &Path) -> Result<Catalog, Box<Rejection>> {
    let (found, unfit) = read(folder)?;
    let items = found.into_iter().map(|found| found.entry).collect();
    Ok(Catalog { schema: "waymark.catalog/1".to_owned(), folder: folder.to_owned(), items, unfit })
}

/// What a caller has to know of the capability of this name.
///
/// # Errors
/// There is none of that name, or the folder cannot be read.
pub fn describe(folder: &Path, name: &str) -> Result<Description, Box<Rejection>> {
    let (mut found, unfit) = read(folder)?;
    let chosen = found.remove(choose(folder, &found, &unfit, name)?);
    let Found { artifact, whole, digest, entry } = chosen;
    let record = verified::record(&entry.file, &artifact.id, &entry.version, &digest).ok().flatten();
    let provoked = |code: &str| {
        record.as_ref().is_some_and(|record| record.outcomes.iter().any(|o| o.of == code && o.came == "provoked"))
    };
    let answers = |failure: bool| {
        let told = |outcome: &Outcome| Answer {
            code: outcome.code.to_string(),
            description: outcome.description.clone(),
            application_code: outcome.application_code.clone(),
            proven: provoked(outcome.code.as_str()),
        };
        whole.outcomes.iter().filter(|outcome| outcome.failure == failure).map(told).collect()
    };
    Ok(Description {
        schema: "waymark.capability/1".to_owned(),
        description: artifact.description.clone(),
        application: artifact.application.name.clone(),
        parameters: schema_of_inputs(&whole),
        outputs: schema_of_outputs(&whole),
        outcomes: answers(false),
        failures: answers(true),
        credentials: whole.credentials.iter().map(|credential| credential.name.to_string()).collect(),
        versions: found.into_iter().filter(|f| f.entry.id == entry.id).map(|f| f.entry.version).collect(),
        entry,
    })
}

/// The file that a name stands for.
///
/// # Errors
/// As [`describe`].
pub fn artifact_named(folder: &Path, name: &str) -> Result<PathBuf, Box<Rejection>> {
    let (mut found, unfit) = read(folder)?;
    Ok(found.swap_remove(choose(folder, &found, &unfit, name)?).entry.file)
}

/// Every version in a folder, by id and newest first, and what is none.
fn read(folder: &Path) -> Result<(Vec<Found>, Vec<Unfit>), Box<Rejection>> {
    let unreadable = |error: std::io::Error| {
        let (problem, message, hint) = match error.kind() {
            ErrorKind::NotFound => {
                ("unreadable", "there is no such folder".to_owned(), "name another with --artifacts DIR")
            }
            _ => file::told(&error),
        };
        refused(&folder.display().to_string(), problem, message, hint)
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "json") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    let (mut found, mut unfit): (Vec<Found>, Vec<Unfit>) = (Vec::new(), Vec::new());
    for path in files {
        match version(&path) {
            Ok(version) => found.push(version),
            Err(why) => unfit.push(why),
        }
    }
    let all: Vec<Artifact> = found.iter().map(|found| found.artifact.clone()).collect();
    for one in &mut found {
        if let Ok(whole) = expand(&one.artifact, &all) {
            one.entry.risk = whole.risk();
            one.whole = whole;
        }
    }
    found.sort_by(|a, b| (&a.artifact.id, &b.artifact.version).cmp(&(&b.artifact.id, &a.artifact.version)));
    withdraw_twins(&mut found, &mut unfit);
    Ok((found, unfit))
}

fn version(path: &Path) -> Result<Found, Unfit> {
    let unfit = |problem: &str, message: String| Unfit { file: path.to_owned(), problem: problem.to_owned(), message };
    let (artifact, findings) = artifact::read(path);
    if let Some(finding) = findings.iter().find(|finding| finding.is_error()) {
        return Err(unfit(&finding.code, finding.message.clone()));
    }
    let Some(artifact) = artifact else { return Err(unfit("unreadable", "it cannot be read".to_owned())) };
    let digest = artifact.digest().map_err(|error| unfit("shape", error.to_string()))?;
    let (id, version) = (&artifact.id, artifact.version.to_string());
    let approval = match approval::approved(path, id, &version, &digest) {
        Ok(true) => Standing::Approved,
        Ok(false) => Standing::Draft,
        Err(_) => Standing::Unfit,
    };
    let verified = verified::record(path, id, &version, &digest).ok().flatten().map(|record| record.verified);
    let entry = Entry {
        id: id.to_string(),
        version,
        title: artifact.title.clone(),
        risk: artifact.risk(),
        approval,
        verified,
        digest: digest.to_string(),
        file: path.to_owned(),
    };
    Ok(Found { whole: artifact.clone(), artifact, digest, entry })
}

/// Takes away every version that stands there more than once: nobody can know which of them is meant.
fn withdraw_twins(found: &mut Vec<Found>, unfit: &mut Vec<Unfit>) {
    let name = |found: &Found| (found.entry.id.clone(), found.entry.version.clone());
    let names: Vec<_> = found.iter().map(name).collect();
    found.retain(|one| {
        let twins = names.iter().filter(|other| **other == name(one)).count();
        if twins > 1 {
            let message = format!("{twins} files say that they are {}@{}", one.entry.id, one.entry.version);
            unfit.push(Unfit { file: one.entry.file.clone(), problem: "duplicate".to_owned(), message });
        }
        twins == 1
    });
}

/// Which of them a name stands for.
fn choose(folder: &Path, found: &[Found], unfit: &[Unfit], name: &str) -> Result<usize, Box<Rejection>> {
    let (id, version) = match name.split_once('@') {
        Some((id, version)) => (id, Some(version)),
        None => (name, None),
    };
    let place = folder.display();
    let of_it: Vec<usize> = (0..found.len()).filter(|at| found[*at].entry.id == id).collect();
    let Some(newest) = of_it.first() else {
        let known = nearest(id, found.iter().map(|found| found.entry.id.as_str()));
        let meant = known.map(|other| format!("; did you mean `{other}`?")).unwrap_or_default();
        let hint = match unfit.is_empty() {
            true => "`waymark list` shows the capabilities that there are",
            false => "`waymark list` shows the capabilities that there are, and the files that are none",
        };
        return Err(refused("NAME", "unknown", format!("there is no capability `{id}` in {place}{meant}"), hint));
    };
    let Some(version) = version else {
        let approved = of_it.iter().find(|at| found[**at].entry.approval == Standing::Approved);
        return Ok(*approved.unwrap_or(newest));
    };
    let wanted = Version::parse(version).map_err(|error| {
        let message = format!("`{version}` is no version: {error}");
        refused("NAME", "version", message, "a version is three numbers, such as 1.0.0")
    })?;
    of_it.iter().copied().find(|at| found[*at].artifact.version == wanted).ok_or_else(|| {
        let known: Vec<&str> = of_it.iter().map(|at| found[*at].entry.version.as_str()).collect();
        let message = format!("there is no version {wanted} of `{id}` in {place}; there is {}", known.join(", "));
        refused("NAME", "unknown", message, "leave the version out for the newest one that is approved")
    })
}

fn refused(place: &str, problem: &str, message: String, hint: &str) -> Box<Rejection> {
    Box::new(Rejection::of(Code::InvalidInvocation, Problem::new(place, problem, message, hint)))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a folder that cannot be prepared is a broken test")]

    use serde_json::json;

    use super::*;

    /// A document that has everything a document can have.
    const EVERYTHING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/artifacts/valid/everything.json");

    /// A folder with files of these ids and versions, those marked by `+` approved.
    fn folder(versions: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("records")).unwrap();
        let everything: Value = serde_json::from_slice(&fs::read(EVERYTHING).unwrap()).unwrap();
        for (number, name) in versions.iter().enumerate() {
            let (id, version) = name.trim_end_matches('+').split_once('@').unwrap();
            let mut document = everything.clone();
            document["id"] = id.into();
            document["version"] = version.into();
            let file = folder.path().join(format!("{number}.json"));
            fs::write(&file, document.to_string()).unwrap();
            if name.ends_with('+') {
                let digest = artifact::read(&file).0.unwrap().digest().unwrap().to_string();
                let record = json!({"schema": "waymark.approval/1", "id": id, "version": version, "digest": digest,
                    "approved_by": "Ana", "approved_at": "2026-11-30T00:00:00Z"});
                let name = format!("records/{}.approval.json", digest.trim_start_matches("sha256:"));
                fs::write(folder.path().join(name), record.to_string()).unwrap();
            }
        }
        folder
    }

    /// Which file a name stands for, or why it stands for none.
    fn check(versions: &[&str], name: &str, expected: &str) {
        let folder = folder(versions);
        let came = match artifact_named(folder.path(), name) {
            Ok(file) => file.file_stem().unwrap().to_string_lossy().into_owned(),
            Err(rejection) => rejection.error.message.replace(&folder.path().display().to_string(), "DIR"),
        };
        assert_eq!(came, expected);
    }

    #[test]
    fn a_name_without_a_version_is_the_newest_approved_one_or_else_the_newest() {
        check(&["bank.pay@1.9.0", "bank.pay@1.10.0", "bank.pay@1.2.0"], "bank.pay", "1");
        check(&["bank.pay@1.9.0+", "bank.pay@1.10.0", "bank.pay@1.2.0+"], "bank.pay", "0");
        check(&["bank.pay@2.0.0-rc.1", "bank.pay@1.0.0"], "bank.pay", "0");
    }

    #[test]
    fn a_name_with_a_version_is_that_version_and_no_other() {
        check(&["bank.pay@1.9.0+", "bank.pay@1.10.0"], "bank.pay@1.10.0", "1");
        check(&["bank.pay@1.9.0"], "bank.pay@1.8.0", "there is no version 1.8.0 of `bank.pay` in DIR; there is 1.9.0");
        check(
            &["bank.pay@1.9.0"],
            "bank.pay@1",
            "`1` is no version: unexpected end of input while parsing major version number",
        );
    }

    #[test]
    fn a_name_that_is_unknown_is_told_with_the_one_that_was_probably_meant() {
        check(&["bank.pay@1.0.0"], "bank.pya", "there is no capability `bank.pya` in DIR; did you mean `bank.pay`?");
        check(&[], "bank.pay", "there is no capability `bank.pay` in DIR");
        let rejection = artifact_named(Path::new("no/such/folder"), "bank.pay").unwrap_err();
        assert_eq!((rejection.exit_code.0, rejection.error.message.as_str()), (4, "there is no such folder"));
    }

    #[test]
    fn two_files_of_one_version_stand_for_nothing() {
        check(&["bank.pay@1.0.0", "bank.pay@1.0.0"], "bank.pay", "there is no capability `bank.pay` in DIR");
        let folder = folder(&["bank.pay@1.0.0", "bank.pay@1.0.0+", "bank.pay@0.9.0"]);
        let catalog = catalog(folder.path()).unwrap();
        assert_eq!(catalog.items.iter().map(|entry| entry.version.as_str()).collect::<Vec<_>>(), ["0.9.0"]);
        let unfit: Vec<_> = catalog.unfit.iter().map(|u| (u.problem.as_str(), u.message.as_str())).collect();
        assert_eq!(unfit, [("duplicate", "2 files say that they are bank.pay@1.0.0"); 2]);
    }

    #[test]
    fn a_catalog_is_sorted_and_names_the_files_that_are_no_artifacts() {
        let folder = folder(&["b.two@1.0.0", "a.one@1.0.0+", "b.two@1.1.0"]);
        fs::write(folder.path().join("broken.json"), "{").unwrap();
        fs::write(folder.path().join("notes.txt"), "no json").unwrap();
        let catalog = catalog(folder.path()).unwrap();
        let names: Vec<_> = catalog.items.iter().map(|e| (e.id.as_str(), e.version.as_str(), e.approval)).collect();
        let (draft, approved) = (Standing::Draft, Standing::Approved);
        assert_eq!(names, [("a.one", "1.0.0", approved), ("b.two", "1.1.0", draft), ("b.two", "1.0.0", draft)]);
        assert_eq!(catalog.unfit.len(), 1, "{:?}", catalog.unfit);
        assert!(catalog.unfit[0].file.ends_with("broken.json"));
    }

    #[test]
    fn a_description_tells_what_a_caller_has_to_know() {
        let folder = folder(&["ledger.look_up@1.0.0", "ledger.look_up@0.9.0"]);
        let told = serde_json::to_value(describe(folder.path(), "ledger.look_up").unwrap()).unwrap();
        let source: Value = serde_json::from_slice(&fs::read(EVERYTHING).unwrap()).unwrap();
        let names = |list: &Value| -> Vec<String> {
            list.as_array().unwrap().iter().map(|part| part["name"].as_str().unwrap().to_owned()).collect()
        };
        for (part, schema) in [("parameters", &told["parameters"]), ("outputs", &told["outputs"])] {
            let mut named = names(&source[part]);
            named.sort();
            let mut given: Vec<String> = schema["properties"].as_object().unwrap().keys().cloned().collect();
            given.sort();
            assert_eq!(given, named, "{part}");
            assert!(jsonschema::meta::is_valid(schema), "{part}");
        }
        let answers = told["outcomes"].as_array().unwrap().len() + told["failures"].as_array().unwrap().len();
        assert_eq!(answers, source["outcomes"].as_array().unwrap().len());
        assert!(told["outcomes"].as_array().unwrap().iter().all(|answer| answer["proven"] == false));
        assert_eq!((&told["risk"], &told["versions"]), (&json!("irreversible"), &json!(["0.9.0"])));
        let schema = crate::schema("capability").unwrap();
        assert!(jsonschema::is_valid(&schema, &told), "{told:#}");
    }

    #[test]
    fn a_capability_that_is_built_on_another_is_described_as_what_a_caller_gets() {
        let folder = tempfile::tempdir().unwrap();
        let shows = |name: &str| json!({ "kind": "text_present", "match": { "text": name } });
        let document = |id: &str, step: Value, more: Value| {
            let mut document = json!({
                "schema": "waymark.artifact/1", "id": id, "version": "1.0.0", "title": "T", "description": "D.",
                "application": { "name": "Core", "surface": "web", "entry": "http://127.0.0.1:1/" },
                "engine": { "ladder": 1, "settle": 1 }, "steps": [step],
                "checkpoint": { "description": "There.", "condition": shows("Menu") },
                "provenance": { "source": "hand", "author": "a test", "created_at": "2026-11-30T00:00:00Z" },
            });
            document.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            fs::write(folder.path().join(format!("{id}.json")), document.to_string()).unwrap();
        };
        let field = json!({ "description": "Password",
            "candidates": [{ "find": { "rung": "label", "role": "textbox", "label": "Password" } }] });
        let typed = json!({ "id": "type_it", "action": { "kind": "type", "target": field,
            "value": { "from": "credential", "name": "password" } } });
        document(
            "core.sign_on",
            typed,
            json!({
                "credentials": [{ "name": "password", "description": "P." }],
                "outcomes": [{ "code": "rejected", "description": "No.", "detector": { "condition": shows("Sorry") } }],
            }),
        );
        let digest = describe(folder.path(), "core.sign_on").unwrap().entry.digest;
        let run = json!({ "id": "enter", "action": { "kind": "run", "subflow": "sign_on" } });
        document(
            "core.look",
            run,
            json!({ "subflows": [{ "id": "sign_on", "body": { "capability": {
            "id": "core.sign_on", "digest": digest } } }] }),
        );
        let told = describe(folder.path(), "core.look").unwrap();
        assert_eq!(told.outcomes.iter().map(|answer| answer.code.as_str()).collect::<Vec<_>>(), ["rejected"]);
        assert_eq!(told.credentials, ["password"]);
    }
}
