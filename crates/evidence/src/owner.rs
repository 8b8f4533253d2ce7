//! Who writes a folder, so that a run whose process died is not taken for one that goes on.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::bounded;

/// The file while a run goes on.
pub(crate) const OWNER: &str = "owner.json";

/// The most bytes of it that are read.
const MAX_OWNER: u64 = 4096;

/// The process that writes a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Owner {
    /// Its number.
    pub(crate) pid: u32,
    /// When the run began.
    pub(crate) started: String,
    /// When the process began, in the system's own count, where the system tells: numbers are used again.
    #[serde(default)]
    pub(crate) process_began: Option<String>,
}

impl Owner {
    pub(crate) fn this_process(started: &str) -> Self {
        let pid = std::process::id();
        Owner { pid, started: started.to_owned(), process_began: process_began(pid) }
    }

    pub(crate) fn read(folder: &Path) -> Option<Self> {
        serde_json::from_slice(&bounded::bytes(&folder.join(OWNER), MAX_OWNER).ok()?).ok()
    }

    pub(crate) fn is_alive(&self) -> bool {
        exists(self.pid)
            && match (&self.process_began, process_began(self.pid)) {
                (Some(then), Some(now)) => *then == now,
                _ => true,
            }
    }
}

#[cfg(unix)]
fn exists(pid: u32) -> bool {
    let Some(pid) = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw) else { return false };
    // Not allowed to signal it still means that it is there.
    !matches!(rustix::process::test_kill_process(pid), Err(rustix::io::Errno::SRCH))
}

#[cfg(not(unix))]
fn exists(_pid: u32) -> bool {
    true
}

/// Field 22 of the process's status line; the name in field 2 may hold blanks and brackets.
fn process_began(pid: u32) -> Option<String> {
    let text = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    let (_, rest) = text.rsplit_once(')')?;
    let mut fields = rest.split_whitespace();
    // A process that ended and waits to be collected writes nothing any more.
    if fields.next()? == "Z" {
        return Some("ended".to_owned());
    }
    fields.nth(18).map(str::to_owned)
}
