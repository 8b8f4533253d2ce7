//! What capabilities are tried with: copies of the artifacts, approved for this where that is asked for, and the configuration
//! with the stand-ins' own credentials.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use waymark_api::{ApproveRequest, TenantWish, approve, artifact_named, overlay_check, show};

use crate::EvalError;

/// The credentials of the stand-ins, under the variables that the profiles name.
const CREDENTIALS: [(&str, &str); 2] = [("MERIDIAN_OPERATOR", "teller1"), ("MERIDIAN_PASSWORD", "demo123")];

/// The folder of the copies, for as long as it is kept.
#[derive(Debug)]
pub(crate) struct Stage {
    folder: tempfile::TempDir,
}

impl Stage {
    /// Copies artifacts and configuration of a checkout. What was recorded is not approved by anybody yet: the copies are.
    pub(crate) fn set(root: &Path) -> Result<Self, EvalError> {
        let folder = tempfile::Builder::new().prefix("waymark-eval-").tempdir();
        let folder = folder.map_err(EvalError::io(Path::new("a temporary folder")))?;
        copy(&root.join("artifacts"), &folder.path().join("artifacts"))?;
        configure(&root.join("config"), &folder.path().join("config"), folder.path())?;
        Ok(Stage { folder })
    }

    pub(crate) fn config(&self) -> PathBuf {
        self.folder.path().join("config")
    }

    pub(crate) fn artifacts(&self) -> PathBuf {
        self.folder.path().join("artifacts")
    }

    /// A new folder for the evidence of one run.
    pub(crate) fn evidence(&self) -> Result<PathBuf, EvalError> {
        let made = tempfile::Builder::new().prefix("evidence-").tempdir_in(self.folder.path());
        Ok(made.map_err(EvalError::io(self.folder.path()))?.keep())
    }

    /// The file of a capability, approved as it is stored, and as each of the tenants gets it.
    pub(crate) fn approved(&self, name: &str, tenants: &[String]) -> Result<PathBuf, EvalError> {
        let told = |rejection: &waymark_run::Rejection| EvalError::Asked(rejection.error.message.clone());
        let file = artifact_named(&self.artifacts(), name).map_err(|rejection| told(&rejection))?;
        let unsound = || EvalError::Asked(format!("`{name}` does not load; `waymark validate` says why"));
        let digest = show(&file).digest.ok_or_else(unsound)?;
        let mut wishes = vec![(TenantWish::Base, digest)];
        for tenant in tenants {
            let wish = TenantWish::Named(tenant.clone());
            let report = overlay_check(&wish, &self.config(), &self.artifacts(), false).map_err(|r| told(&r))?;
            let item = report.items.iter().find(|item| item.file == file);
            let digest = item.and_then(|item| item.effective_digest.clone()).ok_or_else(|| {
                EvalError::Asked(format!(
                    "the overlay of `{tenant}` does not fit `{name}`; `waymark overlay check` says why"
                ))
            })?;
            wishes.push((wish, digest));
        }
        for (tenant, digest) in wishes {
            let request = ApproveRequest {
                name: name.to_owned(),
                artifacts: self.artifacts(),
                config: self.config(),
                tenant,
                digest,
                by: "eval".to_owned(),
                note: "a copy, for a trial on a stand-in".to_owned(),
            };
            // One that is approved already stays so.
            match approve(&request) {
                Err(rejection) if rejection.error.problems.iter().all(|problem| problem.problem != "taken") => {
                    return Err(told(&rejection));
                }
                _ => {}
            }
        }
        Ok(file)
    }
}

fn copy(from: &Path, to: &Path) -> Result<(), EvalError> {
    fs::create_dir_all(to).map_err(EvalError::io(to))?;
    for entry in fs::read_dir(from).map_err(EvalError::io(from))? {
        let path = entry.map_err(EvalError::io(from))?.path();
        let target = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            copy(&path, &target)?;
        } else {
            fs::copy(&path, &target).map_err(EvalError::io(&path))?;
        }
    }
    Ok(())
}

/// The configuration, with each variable of a credential replaced by a file that holds the stand-in's own.
fn configure(from: &Path, to: &Path, secrets: &Path) -> Result<(), EvalError> {
    let known: BTreeMap<&str, &str> = CREDENTIALS.into();
    for (name, value) in &known {
        let place = secrets.join(name);
        fs::write(&place, value).map_err(EvalError::io(&place))?;
    }
    fs::create_dir_all(to).map_err(EvalError::io(to))?;
    for entry in fs::read_dir(from).map_err(EvalError::io(from))? {
        let path = entry.map_err(EvalError::io(from))?.path();
        let copy = to.join(path.file_name().unwrap_or_default());
        if path.is_dir() {
            configure(&path, &copy, secrets)?;
            continue;
        }
        let mut text = fs::read_to_string(&path).map_err(EvalError::io(&path))?;
        for name in known.keys() {
            text = text
                .replace(&format!("source: env {name}\n"), &format!("source: file {}\n", secrets.join(name).display()));
        }
        fs::write(&copy, text).map_err(EvalError::io(&copy))?;
    }
    Ok(())
}
