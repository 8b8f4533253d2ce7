//! What holds of every answer of a loader, whatever was given. The tests and the fuzz targets ask the same.

use std::sync::LazyLock;

use waymark_artifact::{
    Artifact, LOAD_CODES, LoadError, Value, canonical_json, load, load_parameters, parse_inputs, validate,
};

/// One parameter of each type.
static EVERYTHING: LazyLock<Artifact> = LazyLock::new(|| {
    load(include_bytes!("../../../../fixtures/artifacts/valid/everything.json")).unwrap_or_else(|e| panic!("{e}"))
});

/// As an artifact: refused, or read, checked and written back as the same.
pub fn artifact(bytes: &[u8]) {
    let artifact = match load(bytes) {
        Ok(artifact) => artifact,
        Err(error) => return refused(&error),
    };
    for finding in validate(&artifact) {
        assert!(!finding.message.is_empty() && !finding.hint.is_empty(), "{finding:?}");
    }
    let written = canonical_json(&artifact).unwrap_or_else(|error| panic!("{error}"));
    let again = load(&written).unwrap_or_else(|error| panic!("{error}"));
    assert!(again == artifact, "written and read again it is another document");
    assert!(canonical_json(&again).is_ok_and(|twice| twice == written), "it has two written forms");
}

/// As the values of a caller: refused, or understood, and understood likewise when written and given again.
pub fn parameters(bytes: &[u8]) {
    let given = match load_parameters(bytes) {
        Ok(given) => given,
        Err(error) => return refused(&error),
    };
    match parse_inputs(&EVERYTHING.parameters, &given) {
        Err(problems) => {
            assert!(!problems.is_empty(), "refused without a reason");
            for problem in problems {
                assert!(!problem.parameter.is_empty() || given.contains_key(""), "{problem:?}");
                assert!(!problem.message.is_empty() && !problem.problem.is_empty(), "{problem:?}");
            }
        }
        Ok(values) => {
            let mut written = serde_json::to_value(&values).unwrap_or_else(|error| panic!("{error}"));
            for (name, value) in &values {
                // A file is given by its path.
                if let Value::File(file) = value {
                    written[name.as_str()] = file.path.clone().into();
                }
            }
            let again = load_parameters(written.to_string().as_bytes()).unwrap_or_else(|error| panic!("{error}"));
            assert_eq!(parse_inputs(&EVERYTHING.parameters, &again), Ok(values));
        }
    }
}

fn refused(error: &LoadError) {
    assert!(LOAD_CODES.iter().any(|(code, _)| *code == error.code), "no code of the table: {error:?}");
    assert!(error.at.is_some_and(|(line, column)| line > 0 && column > 0) || error.code == "too_large", "{error:?}");
    assert!(!error.message.is_empty() && error.message.len() < 2000, "{error:?}");
    assert!(!error.hint.is_empty() && error.hint.len() < 2000, "{error:?}");
    assert!(!error.to_string().trim().is_empty(), "{error:?}");
}
