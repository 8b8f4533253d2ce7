//! Private profile directories, and who owns them.
//!
//! Each carries a marker that names the process which made it. Only by this marker, and only when that
//! process is dead, are left-over directories and process groups cleared away: never by a name.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "waymark-browser-";
const MARKER: &str = "owner.json";

/// A profile directory; removed when dropped.
#[derive(Debug)]
pub(crate) struct Profile {
    path: PathBuf,
}

#[derive(Debug, Serialize, Deserialize)]
struct Owner {
    /// Says that the directory is what its name says.
    token: String,
    /// The process that made it.
    pid: i32,
    /// When that process started, in the system's ticks; tells it from a later one with the same number.
    started: u64,
    /// The browser's process group, once it runs.
    group: Option<i32>,
    /// When the leader of the group started.
    group_started: u64,
}

impl Profile {
    /// Makes a directory that only this user can read.
    pub(crate) fn create() -> io::Result<Self> {
        let mut random = [0_u8; 12];
        getrandom::fill(&mut random).map_err(|error| io::Error::other(error.to_string()))?;
        let token: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let path = std::env::temp_dir().join(format!("{PREFIX}{token}"));
        DirBuilder::new().mode(0o700).create(&path)?;
        let profile = Profile { path };
        profile.mark(None)?;
        Ok(profile)
    }

    /// The directory.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Notes the process group of the browser that uses it.
    pub(crate) fn mark(&self, group: Option<i32>) -> io::Result<()> {
        let token = token_of(&self.path).unwrap_or_default();
        let pid = std::process::id().cast_signed();
        let owner = Owner {
            token,
            pid,
            started: started(pid).unwrap_or(0),
            group,
            group_started: group.and_then(started).unwrap_or(0),
        };
        let draft = self.path.join("owner.draft");
        fs::write(&draft, serde_json::to_vec(&owner)?)?;
        fs::rename(&draft, self.path.join(MARKER))
    }
}

impl Drop for Profile {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Clears away what dead owners left behind: their browsers' process groups and profile directories.
/// Gives the number of directories removed. Blocks for as long as the file system takes.
pub fn sweep() -> usize {
    let Ok(entries) = fs::read_dir(std::env::temp_dir()) else { return 0 };
    let mut removed = 0;
    for entry in entries.flatten() {
        let path = entry.path();
        let Some(owner) = owner(&path) else { continue };
        if alive(owner.pid, owner.started) {
            continue;
        }
        if let Some(group) = owner.group
            && is_that_group(group, owner.group_started, &path)
        {
            kill_group(group);
        }
        remove(&path);
        removed += 1;
    }
    removed
}

/// Ends every process of a group.
pub(super) fn kill_group(group: i32) {
    if let Some(pid) = Pid::from_raw(group) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn remove(path: &Path) {
    // The last writes of a browser that was just killed may still be on their way.
    for _ in 0..50 {
        match fs::remove_dir_all(path) {
            Ok(()) => return,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => tracing::debug!(%error, path = %path.display(), "the profile is still in use"),
        }
        std::thread::yield_now();
    }
    tracing::warn!(path = %path.display(), "a profile directory could not be removed; the next start tries again");
}

fn owner(path: &Path) -> Option<Owner> {
    let token = token_of(path)?;
    let owner: Owner = serde_json::from_slice(&fs::read(path.join(MARKER)).ok()?).ok()?;
    (owner.token == token).then_some(owner)
}

fn token_of(path: &Path) -> Option<String> {
    Some(path.file_name()?.to_str()?.strip_prefix(PREFIX)?.to_owned())
}

fn alive(pid: i32, since: u64) -> bool {
    match started(pid) {
        Some(started) => started == since,
        // Without a process file system only the number is left; then rather leave things alone.
        None if since == 0 => Pid::from_raw(pid).is_some_and(|pid| test_kill_process(pid).is_ok()),
        None => false,
    }
}

fn is_that_group(group: i32, since: u64, profile: &Path) -> bool {
    if started(group).is_some_and(|started| started == since) {
        return true;
    }
    // The leader is gone; members that name the profile prove that the group number was not reused.
    let Ok(entries) = fs::read_dir("/proc") else { return false };
    let needle = profile.to_string_lossy().into_owned();
    entries.flatten().any(|entry| {
        let pid: Option<i32> = entry.file_name().to_str().and_then(|name| name.parse().ok());
        pid.is_some_and(|pid| {
            stat(pid).is_some_and(|fields| fields.get(2).is_some_and(|of| *of == group.to_string()))
                && fs::read(entry.path().join("cmdline"))
                    .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&needle))
        })
    })
}

/// Start time of a process in ticks since the machine started.
fn started(pid: i32) -> Option<u64> {
    stat(pid)?.get(19)?.parse().ok()
}

/// Fields of the process's state from the third on (state, parent, group, …).
fn stat(pid: i32) -> Option<Vec<String>> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, fields) = text.rsplit_once(')')?;
    Some(fields.split_whitespace().map(str::to_owned).collect())
}
