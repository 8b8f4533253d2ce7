//! Approving a version of a capability, or what a tenant gets of it: one record beside it, bound to the digest.
//!
//! Whoever approves names the digest that was looked at: what was changed in between is not approved.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;
use waymark_artifact::Digest;
use waymark_run::{Code, Problem, Rejection};
use waymark_session::today;

use crate::approval::{self, Approval};
use crate::create::create;
use crate::effective::{TenantWish, effective};
use crate::problems::Problems;
use crate::{artifact, catalog, file, verified};

/// What is approved, and by whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApproveRequest {
    /// Which: ID, or ID@VERSION.
    pub name: String,
    /// Where artifacts are.
    pub artifacts: PathBuf,
    /// The folder of the configuration.
    pub config: PathBuf,
    /// For whom: the artifact as it is, or what a tenant gets of it.
    pub tenant: TenantWish,
    /// The digest of what was looked at; that of the whole for a tenant.
    pub digest: String,
    /// Who approves: a name or a role.
    pub by: String,
    /// Remarks.
    pub note: String,
}

/// What was approved.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Approved {
    /// `waymark.approved/1`.
    pub schema: String,
    /// The capability.
    pub id: String,
    /// Its version.
    pub version: String,
    /// What is approved, exactly.
    pub digest: String,
    /// For whom.
    pub tenant: String,
    /// The record.
    pub record: PathBuf,
    /// What a replay without a model proved of it: `complete` or `to_commit_point`.
    pub verified: String,
}

/// Approves.
///
/// # Errors
/// It is not there, its digest is another one, it is unsound, no replay has proven it, or it is approved already.
pub fn approve(request: &ApproveRequest) -> Result<Approved, Box<Rejection>> {
    let message = format!("`{}` is not approved", request.name);
    let refused = |code: Code, place: &str, problem: &str, why: String, hint: &str| {
        Box::new(Rejection::new(code, message.clone(), vec![Problem::new(place, problem, why, hint)]))
    };
    if request.by.trim().is_empty() {
        let why = "nobody is named who approves".to_owned();
        return Err(refused(Code::InvalidInvocation, "--by", "blank", why, "give a name or a role"));
    }
    let path = catalog::artifact_named(&request.artifacts, &request.name)?;
    let mut problems = Problems::default();
    let read = artifact::read(&path).0;
    let whole = read.and_then(|artifact| effective(&path, artifact, &request.tenant, &request.config, &mut problems));
    let Some(whole) = whole else { return Err(crate::replay::refuse(problems, &message)) };
    if whole.effective_digest != request.digest {
        let why = format!("what is there has the digest {}", whole.effective_digest);
        let hint = "look at it as it is now, and approve that digest";
        return Err(refused(Code::InvalidInvocation, "--digest", "other", why, hint));
    }
    let (id, version) = (whole.artifact.id.clone(), whole.artifact.version.to_string());
    let place = path.display().to_string();
    // A replay is on record for what is stored; what a tenant adds is never proven before it is approved there.
    let replayed = match verified::record(&path, &id, &version, &Digest(whole.digest.clone())) {
        Ok(Some(replayed)) if replayed.proves() => replayed.verified,
        Ok(Some(_)) => {
            let why = "this very document did not replay without a model".to_owned();
            return Err(refused(Code::InvalidArtifact, &place, "not_replayed", why, "record it anew"));
        }
        Ok(None) => {
            let why = "no replay without a model is on record for this very document".to_owned();
            return Err(refused(Code::InvalidArtifact, &place, "not_replayed", why, "record it, which replays it"));
        }
        Err(why) => return Err(refused(Code::InvalidArtifact, &place, "record", why, "take the record away")),
    };
    let digest = Digest(whole.effective_digest.clone());
    let record = file::record_place(&path, &digest.0, "approval");
    let approval = Approval {
        schema: approval::SCHEMA.to_owned(),
        id: id.clone(),
        version: version.clone(),
        digest,
        approved_by: request.by.trim().to_owned(),
        approved_at: today(),
        note: request.note.clone(),
    };
    let text = serde_json::to_string_pretty(&approval).unwrap_or_default();
    create(&record, format!("{text}\n").as_bytes()).map_err(|why| {
        refused(Code::InvalidInvocation, &record.display().to_string(), "taken", why, "it may be approved already")
    })?;
    Ok(Approved {
        schema: "waymark.approved/1".to_owned(),
        id: id.to_string(),
        version,
        digest: whole.effective_digest,
        tenant: whole.tenant,
        record,
        verified: replayed,
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a folder that cannot be prepared is a broken test")]

    use std::fs;
    use std::path::Path;

    use serde_json::Value;

    use super::*;
    use crate::effective;

    const ARTIFACTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../artifacts");
    const TRANSFER: &str = "parabank.transfer_funds";

    /// A folder with the transfer and the records of its replays, without approvals.
    fn folder() -> (tempfile::TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let file = format!("{TRANSFER}.v1.json");
        fs::copy(Path::new(ARTIFACTS).join(&file), folder.path().join(&file)).unwrap();
        fs::create_dir(folder.path().join("records")).unwrap();
        for entry in fs::read_dir(Path::new(ARTIFACTS).join("records")).unwrap() {
            let path = entry.unwrap().path();
            if path.to_string_lossy().ends_with(".verification.json") {
                fs::copy(&path, folder.path().join("records").join(path.file_name().unwrap())).unwrap();
            }
        }
        let digest = artifact::read(&folder.path().join(file)).0.unwrap().digest().unwrap().to_string();
        (folder, digest)
    }

    fn request(folder: &Path, digest: &str) -> ApproveRequest {
        ApproveRequest {
            name: TRANSFER.into(),
            artifacts: folder.to_owned(),
            config: folder.join("config"),
            tenant: TenantWish::Base,
            digest: digest.into(),
            by: "Ana".into(),
            note: String::new(),
        }
    }

    /// The word of what is wrong.
    fn refused(request: &ApproveRequest) -> String {
        let problem = approve(request).unwrap_err().error.problems.remove(0);
        format!("{} {}", problem.place.rsplit('/').next().unwrap_or_default(), problem.problem)
    }

    #[test]
    fn an_approval_is_bound_to_the_digest_that_was_looked_at_and_lapses_with_any_edit() {
        let (folder, digest) = folder();
        let standing = || catalog::catalog(folder.path()).unwrap().items.remove(0).approval;
        assert_eq!(standing(), catalog::Standing::Draft);
        assert_eq!(refused(&request(folder.path(), &format!("sha256:{}", "0".repeat(64)))), "--digest other");
        let approved = approve(&request(folder.path(), &digest)).unwrap();
        assert_eq!((approved.verified.as_str(), approved.tenant.as_str()), ("to_commit_point", effective::BASE));
        assert_eq!(standing(), catalog::Standing::Approved);
        let taken = refused(&request(folder.path(), &digest));
        assert!(taken.ends_with(".approval.json taken"), "{taken}");

        let file = folder.path().join(format!("{TRANSFER}.v1.json"));
        let mut document: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        document["title"] = "Transfer more funds".into();
        fs::write(&file, document.to_string()).unwrap();
        assert_eq!(standing(), catalog::Standing::Draft);
    }

    #[test]
    fn what_no_replay_has_proven_is_not_approved_and_neither_is_anything_by_nobody() {
        let (folder, digest) = folder();
        assert_eq!(refused(&ApproveRequest { by: " ".into(), ..request(folder.path(), &digest) }), "--by blank");
        let record = file::record_place(&folder.path().join("x"), &digest, "verification");
        let text = fs::read_to_string(&record).unwrap();
        fs::write(&record, text.replace("\"to_commit_point\"", "\"failed\"")).unwrap();
        assert_eq!(refused(&request(folder.path(), &digest)), format!("{TRANSFER}.v1.json not_replayed"));
        fs::remove_file(&record).unwrap();
        assert_eq!(refused(&request(folder.path(), &digest)), format!("{TRANSFER}.v1.json not_replayed"));
        assert!(!file::record_place(&folder.path().join("x"), &digest, "approval").exists());
    }
}
