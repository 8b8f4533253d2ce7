//! Starting a browser of our own: its flags, its process group, its private profile.

mod find;
mod process;
mod profile;

use std::io;
use std::path::PathBuf;

pub use find::{Found, installed};
pub(crate) use process::{Process, start};
pub use profile::sweep;

/// Which browser to start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BrowserKind {
    /// The headless shell where one is installed and no window is wanted, else Chromium.
    #[default]
    Auto,
    /// The headless shell: fast, without any window.
    Shell,
    /// Chromium or Chrome.
    Chromium,
}

impl BrowserKind {
    /// The word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            BrowserKind::Auto => "auto",
            BrowserKind::Shell => "headless shell",
            BrowserKind::Chromium => "chromium",
        }
    }
}

/// How to start a browser.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LaunchOptions {
    /// Which one.
    pub kind: BrowserKind,
    /// With a window that a person can see.
    pub headed: bool,
    /// The program; found on the search path where it is not given.
    pub executable: Option<PathBuf>,
}

/// Why no browser could be started.
#[derive(Debug, thiserror::Error)]
pub enum LaunchError {
    /// None is installed.
    #[error(
        "no {wanted} was found ({looked_for}); install one (on Debian: `apt install chromium chromium-headless-shell`) \
         or name its program"
    )]
    NotInstalled {
        /// What was wanted.
        wanted: &'static str,
        /// The names that were looked for.
        looked_for: String,
    },
    /// The named program is not there or cannot be run.
    #[error(
        "the browser `{path}` cannot be run: {source}; check the path, or leave it out to use an installed browser"
    )]
    Executable {
        /// The program.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The headless shell has no window to show.
    #[error("the headless shell cannot show a window; use chromium for a headed run")]
    ShellIsHeadless,
    /// The private profile could not be made.
    #[error("the browser's profile cannot be made in `{}`: {source}; free some space there, or set TMPDIR to a folder \
             that can be written", folder.display())]
    Profile {
        /// Where profiles are made.
        folder: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// It started and did not get ready.
    #[error("the browser `{path}` did not start: {why}")]
    Start {
        /// The program.
        path: PathBuf,
        /// What was noticed, and the last lines it wrote.
        why: String,
    },
    /// The address of a running browser does not answer.
    #[error(
        "no browser answers at {url}: {why}; start one with `--remote-debugging-port` and give its `ws://` address"
    )]
    Connect {
        /// The address.
        url: String,
        /// What was noticed.
        why: String,
    },
}
