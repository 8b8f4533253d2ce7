//! The reference artifacts are read.

use waymark_artifact::{Severity, load, validate};

#[test]
fn the_reference_artifact_is_read_and_has_no_error() {
    let bytes = include_bytes!("../../../artifacts/parabank.read_accounts_overview.v1.json");
    match load(bytes) {
        Ok(artifact) => {
            assert_eq!(artifact.steps.len(), 6);
            let errors: Vec<_> = validate(&artifact).into_iter().filter(|f| f.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{errors:#?}");
            assert!(artifact.digest().is_ok_and(|d| d.is_well_formed()));
        }
        Err(error) => panic!("{error}"),
    }
}
