//! How this tool starts cargo, and where the workspace lies.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::LazyLock,
};

use anyhow::{Context, Result, ensure};

/// The root folder of the workspace.
pub fn root() -> &'static Path {
    // Asked when this runs: two checkouts may share one build folder.
    static ROOT: LazyLock<PathBuf> = LazyLock::new(|| {
        let here = env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
        let here = Path::new(&here);
        here.parent().unwrap_or(here).to_path_buf()
    });
    &ROOT
}

/// A cargo command that runs at the root, without colour, and never waits for input.
pub fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).args(arguments).env("CARGO_TERM_COLOR", "never").stdin(Stdio::null());
    command
}

/// Builds the command line tool alone and says where it lies.
///
/// # Errors
/// The build failed (its messages are on standard error already).
pub fn build_waymark() -> Result<PathBuf> {
    build(&["--package", "waymark", "--bin", "waymark"])
}

/// Builds everything that `selection` holds together with its tests, and says where the command line tool lies.
/// What is built together is built with the same features, so that a test run of that selection builds nothing anew.
///
/// # Errors
/// As `build_waymark`.
pub fn build_with_tests(selection: &[&str]) -> Result<PathBuf> {
    build(&[selection, &["--bins", "--tests"]].concat())
}

fn build(selection: &[&str]) -> Result<PathBuf> {
    let built = cargo(&["build", "--locked", "--message-format", "json-render-diagnostics"])
        .args(selection)
        .stderr(Stdio::inherit())
        .output()
        .context("cargo could not be started")?;
    ensure!(built.status.success(), "the build failed");
    String::from_utf8_lossy(&built.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message["target"]["name"] == "waymark" && message["profile"]["test"] == false)
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .context("the build names no executable")
}
