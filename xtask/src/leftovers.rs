//! What the tests leave behind: changed files in the checkout, and processes that still run.

use std::{
    fs, process,
    process::Command,
    thread,
    time::{Duration, Instant},
};

use anyhow::{Context, Result, ensure};

use crate::cargo::root;

/// Every process that a runner starts inherits this variable; nothing reads it but the search for leftovers.
const MARK: &str = "XTASK_TEST_RUN";

/// How long a process may take to end after its runner did.
const PATIENCE: Duration = Duration::from_secs(5);

/// The checkout as it was before the tests.
pub struct Before {
    files: String,
    mark: String,
}

impl Before {
    /// Looks at the checkout.
    ///
    /// # Errors
    /// Git cannot be asked.
    pub fn look() -> Result<Self> {
        Ok(Self { files: changed_files()?, mark: format!("{MARK}={}", process::id()) })
    }

    /// Marks everything that this command will start.
    pub fn mark(&self, command: &mut Command) {
        if let Some((name, value)) = self.mark.split_once('=') {
            command.env(name, value);
        }
    }

    /// Whether the checkout is as it was and no marked process is left; names each leftover.
    ///
    /// # Errors
    /// Git or the list of processes cannot be asked.
    pub fn nothing_is_left(&self) -> Result<bool> {
        let after = changed_files()?;
        let new: Vec<&str> = after.lines().filter(|line| !self.files.lines().any(|old| old == *line)).collect();
        for line in &new {
            println!("the tests changed the checkout: {line}");
        }
        let deadline = Instant::now() + PATIENCE;
        let mut processes = marked_processes(&self.mark)?;
        while !processes.is_empty() && Instant::now() < deadline {
            thread::sleep(Duration::from_millis(50));
            processes = marked_processes(&self.mark)?;
        }
        for process in &processes {
            println!("the tests left a process: {process}");
        }
        Ok(new.is_empty() && processes.is_empty())
    }
}

/// One line a file that differs from the last commit or is not tracked, ignored files left out.
fn changed_files() -> Result<String> {
    let listed = Command::new("git")
        .current_dir(root())
        .args(["status", "--porcelain", "--untracked-files=all"])
        .output()
        .context("git could not be started")?;
    ensure!(listed.status.success(), "git status failed: {}", String::from_utf8_lossy(&listed.stderr));
    Ok(String::from_utf8_lossy(&listed.stdout).into_owned())
}

/// Number and command line of each process whose environment holds the mark. Elsewhere than on Linux there is no such
/// list, and the runners' own leak detection has to do.
fn marked_processes(mark: &str) -> Result<Vec<String>> {
    if !cfg!(target_os = "linux") {
        return Ok(Vec::new());
    }
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc")?.flatten() {
        // Processes come and go while they are looked at, and those of others cannot be read.
        let Ok(environment) = fs::read(entry.path().join("environ")) else { continue };
        if environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()) {
            let line = fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            found.push(format!("{} {}", entry.file_name().to_string_lossy(), line.trim()));
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::{Before, marked_processes};

    #[test]
    #[cfg(target_os = "linux")]
    fn a_process_that_is_left_is_found_until_it_ends() -> anyhow::Result<()> {
        let before = Before { files: String::new(), mark: format!("XTASK_TEST_OF_LEFTOVERS={}", std::process::id()) };
        let mut command = Command::new("cat");
        before.mark(&mut command);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::null()).spawn()?;
        let found = marked_processes(&before.mark)?;
        drop(child.stdin.take());
        child.wait()?;
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].ends_with("cat"), "{found:?}");
        assert_eq!(marked_processes(&before.mark)?, Vec::<String>::new());
        Ok(())
    }
}
