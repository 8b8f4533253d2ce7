//! The reference artifacts are read.
#[test]
fn the_reference_artifact_is_read_and_has_a_stable_digest() {
    let bytes = include_bytes!("../../../artifacts/parabank.read_accounts_overview.v1.json");
    match waymark_artifact::load(bytes) {
        Ok(artifact) => assert_eq!(artifact.steps.len(), 6),
        Err(error) => panic!("{error}"),
    }
}
