//! The deterministic floors carry their own clippy rules, and the rules bite.

use std::{fs, process::Command};

use anyhow::{Context, Result, ensure};
use waymark_tests::{none_of, root};

const DETERMINISTIC: [&str; 10] =
    ["snapshot", "artifact", "policy", "run", "goal", "perception", "targeting", "replay", "redact", "surface"];

/// What has to be banned in each of them; the files may ban more.
const BANNED: [&str; 15] = [
    "std::collections::HashMap",
    "std::collections::HashSet",
    "std::time::SystemTime::now",
    "std::time::Instant::now",
    "std::env::var",
    "std::env::var_os",
    "std::env::vars",
    "std::env::args",
    "std::fs::read",
    "std::fs::read_to_string",
    "std::fs::write",
    "std::fs::File",
    "std::fs::remove_file",
    "std::fs::create_dir_all",
    "std::thread::sleep",
];

const VIOLATION: &str = r#"//! Breaks every kind of rule once.

/// Breaks them.
pub fn violation() -> usize {
    let map: std::collections::HashMap<u8, u8> = std::collections::HashMap::new();
    let now = std::time::SystemTime::now();
    let variable = std::env::var("NAME");
    let file = std::fs::read("name");
    map.len() + usize::from(now.elapsed().is_ok()) + usize::from(variable.is_ok()) + usize::from(file.is_ok())
}
"#;

#[test]
fn every_deterministic_crate_bans_clock_files_environment_and_random_order() -> Result<()> {
    let mut findings = Vec::new();
    for name in DETERMINISTIC {
        let file = format!("crates/{name}/clippy.toml");
        let rules = fs::read_to_string(root().join(&file)).with_context(|| file.clone())?;
        for path in BANNED {
            let quoted = format!("\"{path}\"");
            let rule = rules.lines().find(|line| line.contains(&quoted));
            if rule.is_none_or(|line| line.trim_start().starts_with('#') || !line.contains("reason = \"")) {
                findings.push(format!("{file}: {path}"));
            }
        }
    }
    none_of(findings, "ban it, with its reason:")
}

#[test]
fn the_rules_beside_a_crate_bite_in_a_workspace() -> Result<()> {
    let rules = fs::read_to_string(root().join("crates/snapshot/clippy.toml"))?;
    let workspace = tempfile::tempdir()?;
    let at = |file: &str| workspace.path().join(file);
    fs::write(at("Cargo.toml"), "[workspace]\nresolver = \"3\"\nmembers = [\"ruled\", \"free\"]\n")?;
    for name in ["ruled", "free"] {
        fs::create_dir_all(at(name).join("src"))?;
        fs::write(at(name).join("Cargo.toml"), format!("[package]\nname = \"{name}\"\nedition = \"2024\"\n"))?;
        fs::write(at(name).join("src/lib.rs"), VIOLATION)?;
    }
    fs::write(at("ruled/clippy.toml"), rules)?;

    let lint = |name: &str| -> Result<(bool, String)> {
        let output = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
            .current_dir(workspace.path())
            .args(["clippy", "--offline", "--quiet", "--package", name, "--", "-D", "warnings"])
            .env("CARGO_TARGET_DIR", at("target"))
            .output()?;
        Ok((output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned()))
    };
    let (passes, said) = lint("free")?;
    ensure!(passes, "the crate without rules fails too: {said}");
    let (passes, said) = lint("ruled")?;
    ensure!(!passes, "the crate with rules passes");
    for path in ["HashMap", "SystemTime::now", "env::var", "fs::read"] {
        ensure!(said.contains(path), "{path} is not reported: {said}");
    }
    Ok(())
}
