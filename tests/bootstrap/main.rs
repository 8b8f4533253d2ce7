//! `./x` on machines that have something, nothing, or no right to install: the machine is a folder of stand-in programs.

use std::{
    fs,
    io::ErrorKind,
    os::unix::fs::{PermissionsExt, symlink},
    path::Path,
    process::{Command, Output, Stdio},
};

use anyhow::{Result, ensure};
use tempfile::TempDir;
use waymark_tests::root;

/// What `x` may use of a bare system.
const TOOLS: [&str; 13] =
    ["bash", "cat", "cut", "dirname", "env", "grep", "head", "mkdir", "mktemp", "sed", "sort", "tail", "tr"];

const DPKG_QUERY: &str = r#"grep -qx -- "${!#}" "$MACHINE/installed" && printf 'install ok installed'"#;
const APT_CACHE: &str = r#"echo "apt-cache $*" >>"$MACHINE/log"
if grep -qx -- "$2" "$MACHINE/absent"; then echo "  Candidate: (none)"; else echo "  Candidate: 1.0"; fi"#;
const APT_GET: &str = r#"echo "apt-get $*" >>"$MACHINE/log"
case " $* " in *" install "*) for word in "$@"; do echo "$word" >>"$MACHINE/installed"; done ;; esac"#;
const CARGO: &str = r#"echo "cargo $*" >>"$MACHINE/log""#;
const RUSTC: &str = "echo 'rustc 1.95.0 (0000000 2026-01-01)'";

/// A machine: its programs lie in `bin`, its packages in `installed`, what was called in `log`.
struct Machine {
    folder: TempDir,
}

impl Machine {
    fn bare() -> Result<Self> {
        let machine = Self { folder: tempfile::tempdir()? };
        fs::create_dir(machine.at("bin"))?;
        fs::create_dir(machine.at("checkout"))?;
        fs::copy(root().join("x"), machine.at("checkout/x"))?;
        for file in ["installed", "absent", "log"] {
            fs::write(machine.at(file), "")?;
        }
        for tool in TOOLS {
            let places = ["/usr/bin", "/bin"].map(|folder| Path::new(folder).join(tool));
            let place = places.iter().find(|place| place.exists());
            symlink(
                place.ok_or_else(|| std::io::Error::new(ErrorKind::NotFound, tool))?,
                machine.at("bin").join(tool),
            )?;
        }
        machine.program("id", "echo 0")?;
        Ok(machine)
    }

    fn debian() -> Result<Self> {
        let machine = Self::bare()?;
        machine.program("dpkg-query", DPKG_QUERY)?;
        machine.program("apt-get", APT_GET)?;
        machine.program("apt-cache", APT_CACHE)?;
        Ok(machine)
    }

    fn with_rust(self) -> Result<Self> {
        self.program("cargo", CARGO)?;
        self.program("rustc", RUSTC)?;
        Ok(self)
    }

    fn program(&self, name: &str, script: &str) -> Result<()> {
        let path = self.at("bin").join(name);
        fs::write(&path, format!("#!/usr/bin/env bash\n{script}\n"))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))?;
        Ok(())
    }

    fn x(&self, arguments: &[&str]) -> Result<Output> {
        let output = Command::new(self.at("bin/bash"))
            .arg(self.at("checkout/x"))
            .args(arguments)
            .env_clear()
            .env("PATH", self.at("bin"))
            .env("HOME", self.at("home"))
            .env("MACHINE", self.folder.path())
            .stdin(Stdio::null())
            .output()?;
        Ok(output)
    }

    /// What was called since the last look.
    fn calls(&self) -> Result<String> {
        let log = fs::read_to_string(self.at("log"))?;
        fs::write(self.at("log"), "")?;
        Ok(log)
    }

    fn at(&self, path: &str) -> std::path::PathBuf {
        self.folder.path().join(path)
    }
}

fn said(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

#[test]
fn root_installs_what_is_missing_without_a_question_and_a_second_run_asks_nobody() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    let first = machine.x(&["demo"])?;
    let calls = machine.calls()?;
    ensure!(first.status.success(), "{}", said(&first));
    for package in ["build-essential", "chromium", "chromium-headless-shell"] {
        ensure!(calls.lines().any(|call| call.contains(" install ") && call.contains(package)), "{package}: {calls}");
    }
    ensure!(!calls.contains("libwebkit"), "the demonstration needs no web view: {calls}");
    ensure!(calls.ends_with("cargo xtask demo\n"), "{calls}");

    let second = machine.x(&["demo"])?;
    let calls = machine.calls()?;
    ensure!(second.status.success() && calls == "cargo xtask demo\n", "the second run calls: {calls}");
    Ok(())
}

#[test]
fn the_tests_need_the_web_view_and_the_display_too() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    let run = machine.x(&["test", "--yes", "--extra"])?;
    let calls = machine.calls()?;
    ensure!(run.status.success(), "{}", said(&run));
    for package in [
        "libwebkit2gtk-4.1-dev",
        "librsvg2-dev",
        "pkg-config",
        "webkit2gtk-driver",
        "xvfb",
        "xauth",
        "dbus",
        "strace",
        "tesseract-ocr",
    ] {
        ensure!(calls.lines().any(|call| call.contains(" install ") && call.contains(package)), "{package}: {calls}");
    }
    ensure!(calls.ends_with("cargo xtask test --extra\n"), "{calls}");
    Ok(())
}

#[test]
fn an_archive_without_the_headless_shell_is_named_once_and_remembered() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    fs::write(machine.at("absent"), "chromium-headless-shell\n")?;
    let first = machine.x(&["demo"])?;
    ensure!(first.status.success() && said(&first).contains("chromium-headless-shell"), "{}", said(&first));
    machine.calls()?;
    machine.x(&["demo"])?;
    let calls = machine.calls()?;
    ensure!(calls == "cargo xtask demo\n", "the second run calls: {calls}");
    Ok(())
}

#[test]
fn an_archive_without_chromium_is_named_with_the_command_to_type() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    fs::write(machine.at("absent"), "chromium\n")?;
    let run = machine.x(&["demo"])?;
    ensure!(run.status.code() == Some(1) && said(&run).contains("snap install chromium"), "{}", said(&run));
    ensure!(!machine.calls()?.contains("cargo"), "it went on");
    Ok(())
}

#[test]
fn nobody_who_cannot_answer_is_asked_for_sudo() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    machine.program("id", "echo 1000")?;
    machine.program("sudo", r#"echo "sudo $*" >>"$MACHINE/log"; exec "$@""#)?;
    let run = machine.x(&["demo"])?;
    ensure!(run.status.code() == Some(1), "{}", said(&run));
    ensure!(
        said(&run).contains("apt-get install -y --no-install-recommends build-essential chromium"),
        "{}",
        said(&run)
    );
    ensure!(machine.calls()?.is_empty(), "it called something");

    let run = machine.x(&["--yes", "demo"])?;
    let calls = machine.calls()?;
    ensure!(run.status.success() && calls.contains("sudo env DEBIAN_FRONTEND=noninteractive apt-get"), "{calls}");
    Ok(())
}

#[test]
fn without_sudo_or_apt_the_missing_packages_are_named() -> Result<()> {
    let machine = Machine::bare()?.with_rust()?;
    let run = machine.x(&["demo", "--yes"])?;
    ensure!(run.status.code() == Some(1) && said(&run).contains("build-essential chromium"), "{}", said(&run));
    Ok(())
}

#[test]
fn what_is_there_by_another_way_than_the_package_manager_is_taken() -> Result<()> {
    let machine = Machine::bare()?.with_rust()?;
    machine.program("cc", "true")?;
    machine.program("chromium", "true")?;
    let run = machine.x(&["demo"])?;
    ensure!(run.status.success() && machine.calls()? == "cargo xtask demo\n", "{}", said(&run));
    Ok(())
}

#[test]
fn rust_is_named_with_the_command_to_type_and_never_installed() -> Result<()> {
    let machine = Machine::debian()?;
    let run = machine.x(&["demo"])?;
    ensure!(run.status.code() == Some(1) && said(&run).contains("https://sh.rustup.rs"), "{}", said(&run));

    let machine = Machine::debian()?.with_rust()?;
    machine.program("rustc", "echo 'rustc 1.80.1 (0000000 2024-01-01)'")?;
    let run = machine.x(&["demo"])?;
    ensure!(run.status.code() == Some(1) && said(&run).contains("rustup update stable"), "{}", said(&run));
    Ok(())
}

#[test]
fn tests_that_cannot_be_started_end_with_their_numbers_too() -> Result<()> {
    let machine = Machine::debian()?;
    let run = machine.x(&["test"])?;
    let output = String::from_utf8_lossy(&run.stdout).into_owned();
    ensure!(run.status.code() == Some(1) && output.lines().last() == Some("0 passed, 1 failed"), "{}", said(&run));
    let machine = machine.with_rust()?;
    let run = machine.x(&["test"])?;
    ensure!(run.status.success() && !said(&run).contains("0 passed"), "{}", said(&run));
    Ok(())
}

#[test]
fn the_doctor_installs_nothing_and_names_what_is_missing() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    let run = machine.x(&["doctor"])?;
    ensure!(run.status.code() == Some(1) && said(&run).contains("missing  chromium"), "{}", said(&run));
    let calls = machine.calls()?;
    ensure!(!calls.contains("apt"), "{calls}");
    Ok(())
}

#[test]
fn an_unknown_verb_is_a_bad_invocation() -> Result<()> {
    let machine = Machine::debian()?.with_rust()?;
    ensure!(machine.x(&["dance"])?.status.code() == Some(4), "an unknown verb was taken");
    ensure!(machine.x(&["--help"])?.status.success(), "no help");
    Ok(())
}
