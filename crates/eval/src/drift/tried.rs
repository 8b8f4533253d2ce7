//! The capabilities that are tried: copies of their artifacts with short deadlines, approved for this, and values for their
//! parameters.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use waymark_api::Consent;
use waymark_artifact::Artifact;
use waymark_fixture_apps::Guest;

use super::ear::Ear;
use crate::EvalError;
use crate::stage::Stage;
use crate::world::Call;

/// The time of a step on a changed page. What is not there by then does not come.
const STEP_MS: u32 = 4_000;

/// The time of a run. Much more than it takes, so that what ends by it is told as that.
const RUN: Duration = Duration::from_secs(60);

/// A capability that is tried.
#[derive(Clone, Debug)]
pub(crate) struct Capability {
    pub(crate) name: String,
    /// The copy that is replayed.
    pub(crate) file: PathBuf,
    /// Values that fit, each the content of one file; the first with which it does its work is used.
    pub(crate) values: Vec<Map<String, Value>>,
}

/// All capabilities that are tried, beside the copies of all there are: what one pins is found, with its own limits.
pub(crate) fn capabilities(stage: &Stage, root: &Path, asked: &[PathBuf]) -> Result<Vec<Capability>, EvalError> {
    let asked = if asked.is_empty() { artifacts(&root.join("artifacts"))? } else { asked.to_vec() };
    let params = parameters(&root.join("fixtures/params"))?;
    asked.iter().map(|file| capability(file, &stage.artifacts(), &params)).collect()
}

impl Capability {
    /// A call of it with these values, with the ear in all pages.
    pub(crate) fn call(&self, values: &Map<String, Value>, ear: Option<&Arc<Ear>>) -> Call<'_> {
        Call {
            consent: Some(Consent::Irreversible),
            attended: true,
            timeout: Some(RUN),
            guest: ear.map(|ear| ear.clone() as Arc<dyn Guest>),
            ..Call::plain(&self.file, &self.name, values.clone())
        }
    }
}

fn artifacts(folder: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(EvalError::io(folder))? {
        let path = entry.map_err(EvalError::io(folder))?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_file() && name.ends_with(".json") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(EvalError::Asked(format!("there is no artifact in {}", folder.display())));
    }
    Ok(files)
}

fn load(file: &Path, bytes: &[u8]) -> Result<Artifact, EvalError> {
    waymark_artifact::load(bytes)
        .map_err(|error| EvalError::Artifact { file: file.to_path_buf(), why: error.to_string() })
}

fn capability(file: &Path, place: &Path, params: &[Map<String, Value>]) -> Result<Capability, EvalError> {
    let bytes = fs::read(file).map_err(EvalError::io(file))?;
    let mut document: Value = serde_json::from_slice(&bytes).map_err(EvalError::json(file.display().to_string()))?;
    document["limits"]["step_deadline_ms"] = STEP_MS.into();
    for step in document["steps"].as_array_mut().into_iter().flatten() {
        step.as_object_mut().and_then(|step| step.remove("deadline_ms"));
    }
    let json = EvalError::json(file.display().to_string());
    let bytes = serde_json::to_vec_pretty(&document).map_err(json)?;
    let artifact = load(file, &bytes)?;
    let name = artifact.id.to_string();
    // Under a name of its own: the one that others pin stays as it is.
    let copy = place.join(format!("tried.{name}.json"));
    fs::write(&copy, &bytes).map_err(EvalError::io(&copy))?;
    approve(&artifact, file, place)?;
    let values = fitting(&artifact, params);
    if values.is_empty() {
        return Err(EvalError::Asked(format!("no file of fixtures/params has the parameters of `{name}`")));
    }
    Ok(Capability { name, file: copy, values })
}

/// An approval of exactly this copy, beside it.
fn approve(artifact: &Artifact, file: &Path, place: &Path) -> Result<(), EvalError> {
    let unsound = |why: String| EvalError::Artifact { file: file.to_path_buf(), why };
    let digest = artifact.digest().map_err(|error| unsound(error.to_string()))?.to_string();
    let record = serde_json::json!({
        "schema": "waymark.approval/1", "id": artifact.id, "version": artifact.version.to_string(),
        "digest": digest, "approved_by": "drift", "approved_at": "2026-11-30T00:00:00Z",
    });
    let name = digest.strip_prefix("sha256:").unwrap_or(&digest);
    let place = place.join("records").join(format!("{name}.approval.json"));
    fs::write(&place, record.to_string()).map_err(EvalError::io(&place))
}

fn parameters(folder: &Path) -> Result<Vec<Map<String, Value>>, EvalError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder).map_err(EvalError::io(folder))? {
        files.push(entry.map_err(EvalError::io(folder))?.path());
    }
    files.sort();
    let mut all = Vec::new();
    for file in files.iter().filter(|file| file.extension().is_some_and(|end| end == "json")) {
        let text = fs::read(file).map_err(EvalError::io(file))?;
        all.push(serde_json::from_slice(&text).map_err(EvalError::json(file.display().to_string()))?);
    }
    Ok(all)
}

/// The values of each file that has all of the parameters, files with the fewest others first.
fn fitting(artifact: &Artifact, params: &[Map<String, Value>]) -> Vec<Map<String, Value>> {
    let wanted: BTreeSet<String> = artifact.parameters.iter().map(|parameter| parameter.name.to_string()).collect();
    let mut fit: Vec<&Map<String, Value>> =
        params.iter().filter(|file| wanted.iter().all(|name| file.contains_key(name))).collect();
    fit.sort_by_key(|file| file.len());
    let own = |file: &Map<String, Value>| {
        let kept = file.iter().filter(|(name, _)| wanted.contains(*name));
        kept.map(|(name, value)| (name.clone(), value.clone())).collect::<Map<_, _>>()
    };
    let mut values: Vec<Map<String, Value>> = fit.into_iter().map(own).collect();
    if wanted.is_empty() {
        values.push(Map::new());
    }
    values.dedup();
    values
}
