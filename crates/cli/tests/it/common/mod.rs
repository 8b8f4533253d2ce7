//! Calling the program the way a caller does.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

pub const ARTIFACT: &str = "artifacts/parabank.read_accounts_overview.v1.json";

pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The program, in the root of the repository, with an environment that says nothing.
pub fn waymark(arguments: &[&str]) -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("waymark"));
    command.current_dir(root()).args(arguments).stdin(Stdio::null()).env_clear();
    if let Some(path) = std::env::var_os("PATH") {
        command.env("PATH", path);
    }
    command
}

pub fn call(arguments: &[&str]) -> Output {
    waymark(arguments).output().unwrap()
}

pub fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

pub fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

pub fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// The one object on standard output.
pub fn object(output: &Output) -> Value {
    let text = out(output);
    assert_eq!(text.lines().count(), 1, "one line: {text:?}");
    let value: Value = serde_json::from_str(&text).unwrap();
    assert!(value.is_object(), "{text}");
    value
}
