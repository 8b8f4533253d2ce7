//! The reference artifacts are read.

use waymark_artifact::{Severity, load, validate};

#[test]
fn the_reference_artifact_is_read_and_has_no_error() {
    let bytes = include_bytes!("../../../artifacts/parabank.read_accounts_overview.v1.json");
    match load(bytes) {
        Ok(artifact) => {
            assert_eq!(artifact.steps.len(), 5);
            let errors: Vec<_> = validate(&artifact).into_iter().filter(|f| f.severity == Severity::Error).collect();
            assert!(errors.is_empty(), "{errors:#?}");
            assert!(artifact.digest().is_ok_and(|d| d.is_well_formed()));
        }
        Err(error) => panic!("{error}"),
    }
}

/// `<application>.<capability>.v<version>.json`, `.0.0` left out.
#[test]
#[expect(clippy::disallowed_methods, reason = "a test reads its corpus")]
fn the_file_name_says_application_capability_and_version() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../artifacts");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.ends_with(".json") {
            continue;
        }
        let artifact = std::fs::read(entry.path()).map(|bytes| load(&bytes));
        match artifact {
            Ok(Ok(artifact)) => {
                let version = artifact.version.to_string();
                let version = version.strip_suffix(".0.0").unwrap_or(&version);
                assert_eq!(name, format!("{}.v{version}.json", artifact.id));
            }
            other => panic!("{name}: {other:?}"),
        }
        names.push(name);
    }
    assert!(names.len() >= 2, "{names:?}");
}

#[test]
fn a_location_without_a_host_is_compared_as_a_whole() {
    use waymark_artifact::location_matches;
    assert!(location_matches("about:blank", "about:blank"));
    assert!(!location_matches("about:blank", "about:srcdoc"));
    assert!(location_matches("/b/*", "/b/c") && !location_matches("/b/*", "/a/c"));
    assert!(location_matches("http://a.test/b/*", "http://a.test/b/c;jsessionid=1?x=2"));
    assert!(!location_matches("http://a.test/b/*", "http://a.test/b/c/d"));
}
