//! Whether an artifact is approved: a record beside it, bound to its digest.
//!
//! `records/<64 hexadecimal digits>.approval.json` in the folder of the artifact. Any change of the artifact is another
//! digest, so an approval lapses by itself. Who may write a record is not known here.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use waymark_artifact::{CapabilityId, Digest};

use crate::{file, verified};

/// The schema word of a record.
pub(crate) const SCHEMA: &str = "waymark.approval/1";
/// The longest record that is read, in bytes.
const MAX_BYTES: usize = 64 * 1024;

/// A record of an approval.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Approval {
    pub(crate) schema: String,
    /// The capability.
    pub(crate) id: CapabilityId,
    /// Its version.
    pub(crate) version: String,
    /// What was approved, exactly.
    pub(crate) digest: Digest,
    /// The role of who approved it.
    pub(crate) approved_by: String,
    /// When, as RFC 3339.
    pub(crate) approved_at: String,
    /// Remarks.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(crate) note: String,
}

/// A record that is there and approves nothing.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unfit {
    pub(crate) file: PathBuf,
    pub(crate) message: String,
}

/// Whether the artifact in this file, of this digest, is approved; no record is no approval.
///
/// # Errors
/// There is a record that cannot be read, or that is of another artifact.
pub(crate) fn approved(artifact: &Path, id: &CapabilityId, version: &str, digest: &Digest) -> Result<bool, Unfit> {
    record(artifact, id, version, digest).map(|record| record.is_some())
}

/// The record that approves the artifact in this file, of this digest.
///
/// # Errors
/// As for [`approved`].
pub(crate) fn record(
    artifact: &Path,
    id: &CapabilityId,
    version: &str,
    digest: &Digest,
) -> Result<Option<Approval>, Unfit> {
    let file = file::record_place(artifact, &digest.0, "approval");
    let unfit = |message: String| Err(Unfit { file: file.clone(), message });
    let record: Approval = match file::record(&file, MAX_BYTES, "an approval") {
        Ok(Some(record)) => record,
        Ok(None) => return Ok(None),
        Err(message) => return unfit(message),
    };
    let said = [record.approved_by.as_str(), record.approved_at.as_str()];
    if record.schema != SCHEMA || said.iter().any(|text| text.trim().is_empty()) {
        return unfit(format!("a record of an approval is `{SCHEMA}` and says who approved and when"));
    }
    if record.digest != *digest || record.id != *id || record.version != version {
        return unfit("the record approves another artifact than its name says".to_owned());
    }
    match verified::record(artifact, id, version, digest) {
        Ok(Some(replay)) if !replay.proves() => {
            unfit("this very document did not replay without a model, and what did not cannot be approved".to_owned())
        }
        Ok(_) => Ok(Some(record)),
        Err(message) => unfit(message),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a folder that cannot be prepared is a broken test")]

    use super::*;

    const DIGEST: &str = "sha256:1111111111111111111111111111111111111111111111111111111111111111";

    /// What comes of a record with this text; `{}` in the text stands for the digest.
    fn check(record: Option<&str>, expected: Result<bool, &str>) {
        let folder = tempfile::tempdir().unwrap();
        let digest = Digest(DIGEST.to_owned());
        if let Some(text) = record {
            std::fs::create_dir(folder.path().join("records")).unwrap();
            let name = format!("records/{}.approval.json", &DIGEST[7..]);
            std::fs::write(folder.path().join(name), text.replace("{}", DIGEST)).unwrap();
        }
        let id = CapabilityId::new("bank.transfer").unwrap();
        let came = approved(&folder.path().join("bank.transfer.v1.json"), &id, "1.0.0", &digest);
        assert_eq!(came.map_err(|unfit| unfit.message), expected.map_err(str::to_owned));
    }

    #[test]
    fn an_artifact_without_a_record_is_not_approved() {
        check(None, Ok(false));
    }

    #[test]
    fn a_record_of_its_digest_approves_an_artifact() {
        let record = r#"{"schema": "waymark.approval/1", "id": "bank.transfer", "version": "1.0.0", "digest": "{}",
            "approved_by": "reviewer", "approved_at": "2026-11-30T00:00:00Z", "note": "seen"}"#;
        check(Some(record), Ok(true));
    }

    #[test]
    fn what_did_not_replay_cannot_be_approved() {
        let folder = tempfile::tempdir().unwrap();
        let records = folder.path().join("records");
        std::fs::create_dir(&records).unwrap();
        let write = |kind: &str, text: String| {
            std::fs::write(records.join(format!("{}.{kind}.json", &DIGEST[7..])), text).unwrap();
        };
        write(
            "approval",
            format!(
                r#"{{"schema": "waymark.approval/1", "id": "bank.transfer", "version": "1.0.0", "digest": "{DIGEST}",
                "approved_by": "reviewer", "approved_at": "2026-11-30T00:00:00Z"}}"#
            ),
        );
        let id = CapabilityId::new("bank.transfer").unwrap();
        for (verified, fit) in [("complete", true), ("to_commit_point", true), ("failed", false), ("perhaps", false)] {
            write(
                "verification",
                format!(
                    r#"{{"schema": "waymark.verification/1", "id": "bank.transfer", "version": "1.0.0",
                    "digest": "{DIGEST}", "verified": "{verified}", "message": "m", "run": "r", "effects": false,
                    "at": "2026-11-30T00:00:00Z", "probes": [], "outcomes": []}}"#
                ),
            );
            let came = approved(&folder.path().join("bank.transfer.v1.json"), &id, "1.0.0", &Digest(DIGEST.to_owned()));
            assert_eq!(came.is_ok(), fit, "{verified}: {came:?}");
        }
    }

    #[test]
    fn a_record_of_something_else_is_told() {
        let message = "the record approves another artifact than its name says";
        for (was, is) in [("{}", "sha256:2"), ("bank.transfer", "bank.close"), ("1.0.0", "1.0.1")] {
            let record = r#"{"schema": "waymark.approval/1", "id": "bank.transfer", "version": "1.0.0", "digest": "{}",
                "approved_by": "reviewer", "approved_at": "2026-11-30T00:00:00Z"}"#;
            check(Some(&record.replace(was, is)), Err(message));
        }
    }

    #[test]
    fn a_record_without_a_name_approves_nothing() {
        let record = r#"{"schema": "waymark.approval/1", "id": "bank.transfer", "version": "1.0.0", "digest": "{}",
            "approved_by": " ", "approved_at": "2026-11-30T00:00:00Z"}"#;
        check(Some(record), Err("a record of an approval is `waymark.approval/1` and says who approved and when"));
    }

    #[test]
    fn a_text_that_is_no_record_is_told() {
        check(Some("yes"), Err("this is no record of an approval: expected value at line 1 column 1"));
    }
}
