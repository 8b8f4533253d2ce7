//! The generated files that are committed: written anew, or compared.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
};

use anyhow::{Context, Result, ensure};

use crate::cargo::{build_waymark, root};

/// Published schemas: the file, and the command of the product that prints it.
const SCHEMAS: [(&str, &[&str]); 10] = [
    ("artifacts/schema/artifact.v1.json", &["schema", "artifact"]),
    ("artifacts/schema/overlay.v1.json", &["schema", "overlay"]),
    ("artifacts/schema/capability.v1.json", &["schema", "capability"]),
    ("artifacts/schema/run-result.v1.json", &["schema", "run-result"]),
    ("artifacts/schema/event.v1.json", &["schema", "event"]),
    ("artifacts/schema/effect.v1.json", &["schema", "effect"]),
    ("artifacts/schema/goal.v1.json", &["schema", "goal"]),
    ("artifacts/schema/discovery.v1.json", &["schema", "discovery"]),
    ("artifacts/schema/suite.v1.json", &["schema", "suite"]),
    ("artifacts/schema/verification.v1.json", &["schema", "verification"]),
];

/// Wide enough for every table in the help; fixed, so that the file does not depend on a terminal.
const HELP_COLUMNS: &str = "100";

/// Writes every generated file.
///
/// # Errors
/// The product does not build or refuses a command, or a file cannot be written.
pub fn write() -> Result<bool> {
    for (file, content) in all(&build_waymark()?)? {
        let path = root().join(file);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        fs::write(&path, content).with_context(|| format!("{file} cannot be written"))?;
        println!("wrote {file}");
    }
    Ok(true)
}

/// Builds the product and compares.
///
/// # Errors
/// The product does not build or refuses a command.
pub fn check() -> Result<bool> {
    check_with(&build_waymark()?)
}

/// Whether every committed file is what this build of the product would write; names each that is not.
///
/// # Errors
/// The product refuses a command.
pub fn check_with(waymark: &Path) -> Result<bool> {
    let mut fresh = true;
    for (file, content) in all(waymark)? {
        let committed = fs::read_to_string(root().join(file)).unwrap_or_default();
        if committed == content {
            println!("fresh: {file}");
        } else {
            let line = committed.lines().zip(content.lines()).take_while(|(old, new)| old == new).count() + 1;
            println!("not fresh: {file} (first difference at line {line}); run `./x gen` and commit it");
            fresh = false;
        }
    }
    Ok(fresh)
}

fn all(waymark: &Path) -> Result<Vec<(&'static str, String)>> {
    let mut files = Vec::new();
    for (file, arguments) in SCHEMAS {
        files.push((file, answer(waymark, arguments)?));
    }
    files.push(("docs/cli.md", command_reference(waymark)?));
    Ok(files)
}

fn command_reference(waymark: &Path) -> Result<String> {
    let mut text = String::from(
        "# Command line reference\n\nWritten by `./x gen` from the program's own help; do not edit it by hand.\n",
    );
    describe(waymark, &mut Vec::new(), &mut text)?;
    Ok(text)
}

/// One section for the command and one for each of its subcommands, in the order of the help.
fn describe(waymark: &Path, command: &mut Vec<String>, text: &mut String) -> Result<()> {
    let mut arguments: Vec<&str> = command.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = answer(waymark, &arguments)?;
    let heading = "#".repeat(2 + command.len());
    let name = std::iter::once("waymark").chain(command.iter().map(String::as_str)).collect::<Vec<_>>().join(" ");
    let body: Vec<&str> = help.lines().map(str::trim_end).collect();
    text.push_str(&format!("\n{heading} `{name}`\n\n```text\n{}\n```\n", body.join("\n").trim_end()));
    for subcommand in subcommands(&help) {
        command.push(subcommand);
        describe(waymark, command, text)?;
        command.pop();
    }
    Ok(())
}

fn subcommands(help: &str) -> Vec<String> {
    help.lines()
        .skip_while(|line| line.trim_end() != "Commands:")
        .skip(1)
        .take_while(|line| !line.trim().is_empty())
        // A description that is wrapped continues far to the right.
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

fn answer(waymark: &Path, arguments: &[&str]) -> Result<String> {
    let output = Command::new(waymark)
        .args(arguments)
        .current_dir(root())
        .env("COLUMNS", HELP_COLUMNS)
        .env("NO_COLOR", "1")
        .stdin(Stdio::null())
        .output()?;
    ensure!(
        output.status.success(),
        "`waymark {}` failed: {}",
        arguments.join(" "),
        String::from_utf8_lossy(&output.stderr).trim()
    );
    ensure!(!output.stdout.is_empty(), "`waymark {}` prints nothing", arguments.join(" "));
    Ok(String::from_utf8(output.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::subcommands;

    #[test]
    fn subcommands_are_read_from_the_help() {
        let help = "Usage: waymark <COMMAND>\n\nCommands:\n  replay    Runs a capability, with a long\n            \
                    description\n  validate  Checks\n  help      Print this\n\nOptions:\n  -h, --help  Print help\n";
        assert_eq!(subcommands(help), ["replay", "validate"]);
    }

    #[test]
    fn a_command_without_subcommands_has_none() {
        assert!(subcommands("Usage: waymark replay\n\nOptions:\n  -h, --help  Print help\n").is_empty());
    }
}
