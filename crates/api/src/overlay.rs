//! Looking at the overlay of a tenant: whether it fits the capabilities there are, and what comes of them.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use waymark_artifact::{Section, prose};
use waymark_run::{Code, Rejection};

use crate::effective::{Effective, TenantWish, effective, read_overlay};
use crate::problems::Problems;
use crate::{FindingRow, artifact};

/// What an overlay does to the capabilities of a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverlayReport {
    /// `waymark.overlay-check/1`.
    pub schema: &'static str,
    /// The tenant.
    pub tenant: String,
    /// The overlay.
    pub file: PathBuf,
    /// Capability by capability, by file.
    pub items: Vec<OverlaidRow>,
    /// Capabilities that the overlay names and the folder does not have.
    pub missing: Vec<String>,
}

/// What an overlay does to one capability.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct OverlaidRow {
    /// The file.
    pub file: PathBuf,
    /// The capability.
    pub id: String,
    /// Its version.
    pub version: String,
    /// Its digest as it is stored.
    pub digest: String,
    /// The digest of what is replayed for this tenant; none where it does not fit.
    pub effective_digest: Option<String>,
    /// Whether the overlay says more of it than values of variables.
    pub changed: bool,
    /// What is to be said of it: errors keep it from being replayed.
    pub findings: Vec<FindingRow>,
    /// What is replayed, in plain English; only where it is asked for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sections: Vec<Section>,
}

impl OverlayReport {
    /// Whether it keeps a capability from being replayed.
    #[must_use]
    pub fn has_errors(&self) -> bool {
        !self.missing.is_empty() || self.items.iter().flat_map(|item| &item.findings).any(FindingRow::is_error)
    }
}

/// Puts an overlay on every capability of a folder. Opens no browser and writes nothing. With `effective` the whole is
/// told in plain English too.
///
/// # Errors
/// The overlay or the folder cannot be read.
pub fn overlay_check(
    wish: &TenantWish,
    config: &Path,
    artifacts: &Path,
    told: bool,
) -> Result<OverlayReport, Box<Rejection>> {
    let mut problems = Problems::default();
    let message = "the overlay cannot be read";
    let Some((file, overlay)) = read_overlay(wish, config, &mut problems).flatten() else {
        return Err(crate::replay::refuse(problems, message));
    };
    let entries = fs::read_dir(artifacts).map_err(|error| {
        let place = artifacts.display().to_string();
        problems.add(
            Code::InvalidInvocation,
            place,
            "unreadable",
            error.to_string(),
            "name another with --artifacts DIR",
        );
        crate::replay::refuse(std::mem::take(&mut problems), message)
    })?;
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "json"));
    paths.sort();
    let mut items = Vec::new();
    for path in paths {
        let (Some(artifact), _) = artifact::read(&path) else { continue };
        let named = overlay.capabilities.iter().find(|delta| delta.base.id == artifact.id);
        let digest = artifact.digest().map(|digest| digest.to_string()).unwrap_or_default();
        // Another version of a capability that the overlay is made for is none of its business.
        let changed = named.is_some_and(|delta| delta.base.digest.0 == digest);
        if named.is_some() && !changed {
            continue;
        }
        let (id, version) = (artifact.id.to_string(), artifact.version.to_string());
        let mut problems = Problems::default();
        let whole = effective(&path, artifact, wish, config, &mut problems);
        let mut findings = problems.rows();
        let unused = whole.iter().flat_map(|whole| &whole.unused);
        findings.extend(unused.map(|pointer| FindingRow {
            severity: "warning",
            code: "unused_word".to_owned(),
            pointer: pointer.clone(),
            line: None,
            message: "these words stand nowhere in the capability".to_owned(),
            hint: "take them out, or write them as they were recorded".to_owned(),
        }));
        let sections = whole.as_ref().filter(|_| told).map(|whole| prose(&whole.artifact)).unwrap_or_default();
        let effective_digest = whole.map(|Effective { effective_digest, .. }| effective_digest);
        items.push(OverlaidRow { file: path, id, version, digest, effective_digest, changed, findings, sections });
    }
    let missing = overlay
        .capabilities
        .iter()
        .filter(|delta| {
            !items.iter().any(|item| item.id == delta.base.id.as_str() && item.digest == delta.base.digest.0)
        })
        .map(|delta| format!("{} with the digest {}", delta.base.id, delta.base.digest))
        .collect();
    Ok(OverlayReport { schema: "waymark.overlay-check/1", tenant: overlay.tenant.to_string(), file, items, missing })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a folder that cannot be prepared is a broken test")]

    use serde_json::{Value, json};

    use super::*;
    use crate::effective::tenants;

    const OVERVIEW: &str =
        concat!(env!("CARGO_MANIFEST_DIR"), "/../../artifacts/parabank.read_accounts_overview.v1.json");

    /// A folder with the overview in `artifacts`, and an overlay of the tenant `harbor` with this delta of it.
    fn workspace(edit: impl FnOnce(&mut Value)) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("config/tenants")).unwrap();
        fs::create_dir(folder.path().join("artifacts")).unwrap();
        fs::copy(OVERVIEW, folder.path().join("artifacts/overview.json")).unwrap();
        let digest = artifact::read(Path::new(OVERVIEW)).0.unwrap().digest().unwrap().to_string();
        let mut overlay = json!({ "schema": "waymark.overlay/1", "tenant": "harbor", "capabilities": [{
            "base": { "id": "parabank.read_accounts_overview", "digest": digest },
            "relabel": [{ "from": "Log In", "to": "Sign On" }] }] });
        edit(&mut overlay);
        fs::write(folder.path().join("config/tenants/harbor.overlay.json"), overlay.to_string()).unwrap();
        folder
    }

    fn check(wish: &TenantWish, folder: &tempfile::TempDir) -> Result<OverlayReport, Box<Rejection>> {
        overlay_check(wish, &folder.path().join("config"), &folder.path().join("artifacts"), true)
    }

    fn harbor() -> TenantWish {
        TenantWish::Named("harbor".into())
    }

    #[test]
    fn an_overlay_that_fits_gives_another_capability_with_a_digest_of_its_own() {
        let folder = workspace(|_| {});
        assert_eq!(tenants(&folder.path().join("config")), ["harbor"]);
        let report = check(&harbor(), &folder).unwrap();
        assert!(!report.has_errors(), "{report:?}");
        let [item] = &report.items[..] else { panic!("{report:?}") };
        assert!(item.changed && item.effective_digest.as_ref() != Some(&item.digest), "{item:?}");
        let text = serde_json::to_string(&item.sections).unwrap();
        assert!(text.contains("Sign On") && text.contains("Log In"), "{text}");
    }

    #[test]
    fn an_overlay_of_another_version_is_told_as_missing_its_base() {
        let folder = workspace(|overlay| {
            overlay["capabilities"][0]["base"]["digest"] = format!("sha256:{}", "0".repeat(64)).into();
        });
        let report = check(&harbor(), &folder).unwrap();
        assert!(report.has_errors() && report.items.is_empty(), "{report:?}");
        assert!(report.missing[0].starts_with("parabank.read_accounts_overview with the digest sha256:000"));
    }

    #[test]
    fn words_that_stand_nowhere_are_a_warning_and_unsound_steps_an_error() {
        let folder = workspace(|overlay| {
            overlay["capabilities"][0]["relabel"][0]["from"] = "Log Inn".into();
            let step = json!({ "id": "more", "action": { "kind": "wait_for",
                "condition": { "kind": "element_present", "element": { "find": { "rung": "label", "role": "textbox",
                    "label": "{param.nobody}" } } } } });
            overlay["capabilities"][0]["insert"] = json!([{ "after": "press_log_in", "steps": [step] }]);
        });
        let report = check(&harbor(), &folder).unwrap();
        assert!(report.has_errors());
        assert_eq!(report.items[0].findings[0].code, "unknown_parameter", "{report:?}");
        assert_eq!(report.items[0].effective_digest, None);
        let folder = workspace(|overlay| overlay["capabilities"][0]["relabel"][0]["from"] = "Log Inn".into());
        let report = check(&harbor(), &folder).unwrap();
        let found: Vec<_> = report.items[0].findings.iter().map(|f| (f.severity, f.pointer.as_str())).collect();
        assert_eq!(found, [("warning", "/capabilities/0/relabel/0")]);
    }

    #[test]
    fn an_overlay_that_cannot_be_had_is_refused_with_the_reason() {
        let folder = workspace(|overlay| overlay["tenant"] = "port".into());
        let refused = |wish: &TenantWish| {
            let problem = check(wish, &folder).unwrap_err().error.problems.remove(0);
            format!("{}: {} ({})", problem.problem, problem.message, problem.hint)
        };
        let other = TenantWish::Named("harbour".into());
        assert_eq!(
            refused(&other),
            "unknown: there is no tenant `harbour`; did you mean `harbor`? (known: base, harbor)"
        );
        assert!(refused(&harbor()).starts_with("tenant: it says that it is of the tenant `port`"));
        assert!(refused(&TenantWish::Overlay("no/such.json".into())).starts_with("unreadable: there is no such file"));
        let artifact = TenantWish::Overlay(OVERVIEW.into());
        assert!(refused(&artifact).starts_with("schema_unknown: the schema `waymark.artifact/1` is not known"));
    }
}
