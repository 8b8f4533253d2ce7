//! What is really replayed: the artifact, with the capabilities it is built on in their places, as it is for one tenant.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use waymark_artifact::{
    ApplyError, Artifact, Digest, ExpandError, Overlay, StepId, SubflowBody, apply, base_drift, expand, expand_with,
    load_overlay, nearest, validate,
};
use waymark_run::Code;

use crate::problems::Problems;
use crate::{artifact, file};

/// The tenant of a run without an overlay.
pub(crate) const BASE: &str = "base";
/// Where the overlays of tenants lie in a folder of the configuration.
const TENANTS: &str = "tenants";
const ENDING: &str = ".overlay.json";
/// The largest overlay that is read, in bytes.
const MAX_BYTES: usize = 4 * 1024 * 1024;

/// For each way of a step that an overlay changed, how far it lies down the stored ladder.
pub(crate) type BaseDrift = BTreeMap<StepId, Vec<u32>>;

/// Which tenant is meant.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TenantWish {
    /// None: the artifact as it is.
    #[default]
    Base,
    /// The tenant of this name, by its overlay in the configuration.
    Named(String),
    /// The tenant of this overlay.
    Overlay(PathBuf),
}

/// What is really replayed.
#[derive(Clone, Debug)]
pub(crate) struct Effective {
    /// The whole.
    pub(crate) artifact: Artifact,
    /// The digest of the artifact as it is stored.
    pub(crate) digest: String,
    /// The digest of the whole; without an overlay that of the artifact, which pins what it is built on.
    pub(crate) effective_digest: String,
    /// The tenant.
    pub(crate) tenant: String,
    /// Where the overlay changed the ways of a step: how far each lies down the ladder of the artifact as it is stored.
    pub(crate) base_drift: BaseDrift,
    /// Words of the overlay that stand nowhere in the capability, as JSON pointers into it.
    pub(crate) unused: Vec<String>,
}

/// Puts together what is really replayed; none where that cannot be, with the reasons among the problems.
pub(crate) fn effective(
    file: &Path,
    artifact: Artifact,
    tenant: &TenantWish,
    config: &Path,
    problems: &mut Problems,
) -> Option<Effective> {
    let place = file.display().to_string();
    let base = artifact.digest().ok()?;
    let overlay = read_overlay(tenant, config, problems)?;
    let (whole, base_drift, unused) =
        match together(file, &artifact, &base, overlay.as_ref().map(|(_, overlay)| overlay)) {
            Ok(together) => together,
            Err(Apart::Pinned(error)) => {
                let hint = "put that very version beside the artifact, or record the capability anew";
                problems.add(Code::InvalidArtifact, place, "pinned", error.to_string(), hint);
                return None;
            }
            Err(Apart::Overlay(error)) => {
                let hint = "an overlay is made for one version exactly: make it anew for this one";
                let from = overlay.map_or(place, |(from, _)| from.display().to_string());
                problems.add(Code::InvalidArtifact, from, "overlay", error.to_string(), hint);
                return None;
            }
        };
    let tenant = overlay.map_or_else(|| BASE.to_owned(), |(_, overlay)| overlay.tenant.to_string());
    // What was put together has to be as sound as what is stored.
    let wrong: Vec<_> = match whole == artifact {
        true => Vec::new(),
        false => validate(&whole).into_iter().filter(|finding| finding.severity.as_str() == "error").collect(),
    };
    for finding in &wrong {
        let at = format!("{place} with all it is made of#{}", finding.pointer);
        problems.add(Code::InvalidArtifact, at, finding.code, finding.message.clone(), finding.hint.clone());
    }
    // Without an overlay the stored document says it all: it pins what it is built on by digest.
    let effective_digest = if tenant == BASE { base.clone() } else { whole.digest().ok()? }.to_string();
    wrong.is_empty().then_some(Effective {
        artifact: whole,
        digest: base.to_string(),
        effective_digest,
        tenant,
        base_drift,
        unused,
    })
}

/// Why the whole cannot be put together.
enum Apart {
    Pinned(ExpandError),
    Overlay(ApplyError),
}

impl From<ExpandError> for Apart {
    fn from(error: ExpandError) -> Self {
        Apart::Pinned(error)
    }
}

impl From<ApplyError> for Apart {
    fn from(error: ApplyError) -> Self {
        Apart::Overlay(error)
    }
}

/// The artifact with what it is built on, each as it is for the tenant; how far its ways lie from the stored ones; and the
/// words of the overlay that were of no use.
fn together(
    file: &Path,
    artifact: &Artifact,
    base: &Digest,
    overlay: Option<&Overlay>,
) -> Result<(Artifact, BaseDrift, Vec<String>), Apart> {
    let pinned = pinned(file, artifact);
    let plain = expand(artifact, &pinned)?;
    let Some(overlay) = overlay else { return Ok((plain, BTreeMap::new(), Vec::new())) };
    let mut unused = Vec::new();
    let mut of = |part: &Artifact, digest: &Digest| -> Result<Artifact, Apart> {
        let applied = apply(overlay, part, digest)?;
        unused.extend(applied.unused);
        Ok(applied.artifact)
    };
    let whole = expand_with(artifact, &pinned, &mut of)?;
    let whole = of(&whole, base)?;
    let base_drift = base_drift(&plain, &whole);
    Ok((whole, base_drift, unused))
}

/// The artifacts beside this one, where it is built on others.
fn pinned(file: &Path, artifact: &Artifact) -> Vec<Artifact> {
    if artifact.subflows.iter().all(|subflow| matches!(subflow.body, SubflowBody::Steps { .. })) {
        return Vec::new();
    }
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let paths = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let documents = paths.filter(|path| path.extension().is_some_and(|extension| extension == "json"));
    documents
        .filter_map(|path| {
            let (artifact, findings) = artifact::read(&path);
            artifact.filter(|_| !findings.iter().any(crate::FindingRow::is_error))
        })
        .collect()
}

/// The overlay that is meant and where it was read from; `None` with a problem where it cannot be had.
#[expect(clippy::option_option, reason = "no overlay is an answer, and an overlay that cannot be read is none")]
pub(crate) fn read_overlay(
    tenant: &TenantWish,
    config: &Path,
    problems: &mut Problems,
) -> Option<Option<(PathBuf, Overlay)>> {
    let from = match tenant {
        TenantWish::Base => return Some(None),
        TenantWish::Named(name) if name == BASE => return Some(None),
        TenantWish::Named(name) => {
            let known = tenants(config);
            if !known.contains(name) {
                let near = nearest(name, known.iter().map(String::as_str));
                let near = near.map(|other| format!("; did you mean `{other}`?")).unwrap_or_default();
                let message = format!("there is no tenant `{name}`{near}");
                let hint = format!("known: {BASE}{}", known.iter().map(|name| format!(", {name}")).collect::<String>());
                problems.add(Code::InvalidParameters, "--tenant", "unknown", message, hint);
                return None;
            }
            config.join(TENANTS).join(format!("{name}{ENDING}"))
        }
        TenantWish::Overlay(path) => path.clone(),
    };
    let mut bad = |problem: &str, message: String, hint: &str| {
        problems.add(Code::InvalidArtifact, from.display().to_string(), problem, message, hint);
        None
    };
    let bytes = match file::bytes(&from, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) => {
            let (problem, message, hint) = file::told(&error);
            return bad(problem, message, hint);
        }
    };
    let overlay = match load_overlay(&bytes) {
        Ok(overlay) => overlay,
        Err(error) => return bad(error.code, format!("{} at {}", error.message, error.pointer), &error.hint),
    };
    if let TenantWish::Named(name) = tenant
        && overlay.tenant.as_str() != name
    {
        let message = format!("it says that it is of the tenant `{}`", overlay.tenant);
        return bad("tenant", message, "call the file by the tenant that it is of");
    }
    Some(Some((from, overlay)))
}

/// The tenants that have an overlay in a folder of the configuration.
pub(crate) fn tenants(config: &Path) -> Vec<String> {
    let entries = fs::read_dir(config.join(TENANTS)).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.filter_map(|e| e.file_name().to_str()?.strip_suffix(ENDING).map(str::to_owned)).collect();
    names.sort();
    names
}
