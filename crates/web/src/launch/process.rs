//! The browser's process group.

use std::fs::File;
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use command_fds::{CommandFdExt as _, FdMapping};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::pipe::{PipeFlags, pipe_with};

use super::profile::{Profile, kill_group};
use super::{BrowserKind, LaunchError, LaunchOptions, find};
use crate::wire::Pipe;

/// A browser that this process started; ended, with all its children, when dropped.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    executable: PathBuf,
    kind: BrowserKind,
    /// Closes when the last process of the group has ended: every one of them holds the other end.
    ended: OwnedFd,
    // Dropped after the child was waited for, since the fields' own drops come last.
    profile: Profile,
}

/// Features that talk to the outside, pre-load pages nobody asked for, or keep pages that were left alive.
const OFF: &str = "--disable-features=Translate,MediaRouter,OptimizationHints,AcceptCHFrame,HttpsUpgrades,\
                   HttpsFirstBalancedModeAutoEnable,Prerender2,BackForwardCache,PaintHolding,PasswordLeakDetection,\
                   AutofillServerCommunication,InterestFeedContentSuggestions,CertificateTransparencyComponentUpdater";

const FLAGS: &[&str] = &[
    "--remote-debugging-pipe",
    "--no-startup-window",
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-dev-shm-usage",
    "--disable-extensions",
    "--disable-hang-monitor",
    "--disable-sync",
    "--metrics-recording-only",
    "--mute-audio",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
    "--lang=en-US",
    "--window-size=1280,1024",
    OFF,
];

/// How long killed processes may take to be gone.
const END: Timespec = Timespec { tv_sec: 5, tv_nsec: 0 };

/// Starts a browser on a pipe.
pub(crate) fn start(options: &LaunchOptions) -> Result<(Process, Pipe), LaunchError> {
    let (kind, executable) = find::choose(options)?;
    let unmade = |source| LaunchError::Profile { folder: std::env::temp_dir(), source };
    let profile = Profile::create().map_err(unmade)?;
    let run = |source| LaunchError::Executable { path: executable.clone(), source };
    let (child_in, our_out) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| run(error.into()))?;
    let (our_in, child_out) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| run(error.into()))?;
    let (ended, held) = pipe_with(PipeFlags::CLOEXEC).map_err(|error| run(error.into()))?;
    let log = File::create(profile.path().join("stderr.log")).map_err(unmade)?;
    let child = spawn(&executable, kind, options.headed, &profile, log, [child_in, child_out, held]).map_err(run)?;
    let group = child.id().cast_signed();
    // From here on the group is ended when anything fails.
    let process = Process { child, executable, kind, ended, profile };
    process.profile.mark(Some(group)).map_err(unmade)?;
    let pipe = Pipe::new(our_in, our_out)
        .map_err(|error| LaunchError::Start { path: process.executable.clone(), why: error.to_string() })?;
    Ok((process, pipe))
}

fn spawn(
    executable: &Path,
    kind: BrowserKind,
    headed: bool,
    profile: &Profile,
    log: File,
    descriptors: [OwnedFd; 3],
) -> std::io::Result<Child> {
    let mut command = Command::new(executable);
    command.args(FLAGS);
    if kind == BrowserKind::Chromium && !headed {
        command.arg("--headless=new");
    }
    // The sandbox refuses to run as root, which is how containers are run.
    if rustix::process::getuid().is_root() {
        command.arg("--no-sandbox");
    }
    let mut data = std::ffi::OsString::from("--user-data-dir=");
    data.push(profile.path());
    command.arg(data);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).process_group(0);
    let mappings = (3..).zip(descriptors).map(|(child_fd, parent_fd)| FdMapping { parent_fd, child_fd });
    command.fd_mappings(mappings.collect()).map_err(std::io::Error::other)?;
    // The command owns the child's ends; they close with it, so that the end of either side shows.
    command.spawn()
}

impl Process {
    /// Its program.
    pub(crate) fn executable(&self) -> &Path {
        &self.executable
    }

    /// What it is.
    pub(crate) fn kind(&self) -> BrowserKind {
        self.kind
    }

    /// Number of the browser's main process, which is also that of its group.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The last lines it wrote.
    pub(crate) fn last_words(&self) -> String {
        let text = std::fs::read(self.profile.path().join("stderr.log")).unwrap_or_default();
        let text = String::from_utf8_lossy(&text);
        let lines: Vec<&str> = text.lines().rev().take(5).collect();
        lines.into_iter().rev().collect::<Vec<_>>().join(" | ")
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        kill_group(self.child.id().cast_signed());
        let _ = self.child.kill();
        let _ = self.child.wait();
        // The program may be a script whose browser is not our child: its end shows here.
        let mut ended = [PollFd::new(&self.ended, PollFlags::HUP)];
        let _ = poll(&mut ended, Some(&END));
    }
}
