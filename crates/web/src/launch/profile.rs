//! Private profile directories, and who owns them.
//!
//! Each carries a marker that names the process which made it. Only by this marker, and only when that
//! process is dead, are left-over directories and process groups cleared away. A directory whose maker was killed
//! before the marker was written, or after it was removed, says in its name who that was: it goes if it is empty.

use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use rustix::event::{Timespec, poll};
use rustix::process::{Pid, Signal, kill_process_group, test_kill_process};
use serde::{Deserialize, Serialize};

const PREFIX: &str = "waymark-browser-";
const MARKER: &str = "owner.json";
const DRAFT: &str = "owner.draft";

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
        let pid = std::process::id().cast_signed();
        let name = format!("{PREFIX}{pid}-{}-{token}", started(pid).unwrap_or(0));
        let path = std::env::temp_dir().join(name);
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
        let draft = self.path.join(DRAFT);
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
    sweep_in(&std::env::temp_dir())
}

fn sweep_in(place: &Path) -> usize {
    let Ok(entries) = fs::read_dir(place) else { return 0 };
    let mut removed = 0;
    for entry in entries.flatten() {
        let path = entry.path();
        if !ours(&path) {
            continue;
        }
        let Some(owner) = owner(&path) else {
            removed += usize::from(remove_empty(&path));
            continue;
        };
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

/// Whether it is a directory of this user with such a name: in a shared place anybody may put a marker or a link.
fn ours(path: &Path) -> bool {
    let uid = rustix::process::getuid().as_raw();
    token_of(path).is_some() && fs::symlink_metadata(path).is_ok_and(|found| found.is_dir() && found.uid() == uid)
}

/// Ends every process of a group.
pub(super) fn kill_group(group: i32) {
    if let Some(pid) = Pid::from_raw(group) {
        let _ = kill_process_group(pid, Signal::KILL);
    }
}

fn remove(path: &Path) {
    // The last writes of a browser that was just killed may still be on their way.
    for _ in 0..200 {
        match remove_marker_last(path) {
            Ok(()) => return,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) => tracing::debug!(%error, path = %path.display(), "the profile is still in use"),
        }
        // No event tells when a file system is done with the dead: asked again, for a second at most.
        let _ = poll(&mut [], Some(&Timespec { tv_sec: 0, tv_nsec: 5_000_000 }));
    }
    tracing::warn!(path = %path.display(), "a profile directory could not be removed; the next start tries again");
}

/// Whoever is killed half-way leaves a directory that still says whose it is.
fn remove_marker_last(path: &Path) -> io::Result<()> {
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        if entry.file_name() == MARKER {
            continue;
        }
        let removed = match entry.file_type()?.is_dir() {
            true => fs::remove_dir_all(entry.path()),
            false => fs::remove_file(entry.path()),
        };
        match removed {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir_all(path)
}

/// Removes a directory without a marker, where its name tells a dead owner and there is nothing of a browser in it.
fn remove_empty(path: &Path) -> bool {
    let Some(token) = token_of(path) else { return false };
    let mut parts = token.splitn(3, '-');
    let mut number = || parts.next()?.parse::<u64>().ok();
    let (Some(pid), Some(since)) = (number(), number()) else { return false };
    let Ok(pid) = i32::try_from(pid) else { return false };
    if alive(pid, since) {
        return false;
    }
    // Whatever else lies in it was not put there by an owner that came no further than this.
    let Ok(mut entries) = fs::read_dir(path) else { return false };
    if entries.any(|entry| entry.is_ok_and(|entry| entry.file_name() != DRAFT)) {
        return false;
    }
    let _ = fs::remove_file(path.join(DRAFT));
    fs::remove_dir(path).is_ok()
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

    use super::*;

    /// The number of a process that ended, and one that lives, with when they started.
    fn dead_and_living() -> ((i32, u64), (i32, u64)) {
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let dead = child.id().cast_signed();
        child.wait().unwrap();
        let own = std::process::id().cast_signed();
        ((dead, 1), (own, started(own).unwrap()))
    }

    fn directory(place: &Path, name: &str, files: &[(&str, &str)]) -> PathBuf {
        let path = place.join(name);
        for (file, text) in files {
            let file = path.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        fs::create_dir_all(&path).unwrap();
        path
    }

    fn marker(token: &str, owner: (i32, u64)) -> String {
        let owner = Owner { token: token.into(), pid: owner.0, started: owner.1, group: None, group_started: 0 };
        serde_json::to_string(&owner).unwrap()
    }

    #[test]
    fn what_the_dead_left_is_swept_and_what_is_alive_or_foreign_is_not_touched() {
        let place = tempfile::tempdir().unwrap();
        let (dead, living) = dead_and_living();
        let make = |token: &str, files: &[(&str, &str)]| directory(place.path(), &format!("{PREFIX}{token}"), files);
        let left = [
            make("a1", &[(MARKER, &marker("a1", dead)), ("Default/deep/Cookies", "x"), ("stderr.log", "")]),
            // Killed before the marker was written, and after it was removed.
            make(&format!("{}-{}-b1", dead.0, dead.1), &[]),
            make(&format!("{}-{}-b2", dead.0, dead.1), &[(DRAFT, "{")]),
        ];
        let kept = [
            make("c1", &[(MARKER, &marker("c1", living)), ("Default/Cookies", "x")]),
            make(&format!("{}-{}-c2", living.0, living.1), &[]),
            make("d1", &[]),
            make("d2", &[(MARKER, "{}")]),
            make("d3", &[(MARKER, &marker("another", dead))]),
            make(&format!("{}-{}-d4", dead.0, dead.1), &[("mine.txt", "x"), (DRAFT, "x")]),
            directory(place.path(), "browser-d5", &[(MARKER, &marker("d5", dead))]),
        ];
        // A link would lead to what somebody else owns.
        let target = directory(place.path(), "target", &[(MARKER, &marker("e1", dead)), ("mine.txt", "x")]);
        let link = place.path().join(format!("{PREFIX}e1"));
        std::os::unix::fs::symlink(&target, &link).unwrap();
        assert_eq!(sweep_in(place.path()), left.len());
        for path in &left {
            assert!(!path.exists(), "{path:?} is left");
        }
        for path in kept.iter().chain([&target, &link, &target.join("mine.txt"), &kept[5].join(DRAFT)]) {
            assert!(path.exists(), "{path:?} is gone");
        }
    }
}
