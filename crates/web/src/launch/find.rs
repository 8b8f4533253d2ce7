//! Which browsers are installed.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::{BrowserKind, LaunchError, LaunchOptions};

/// A browser that is installed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Shell or Chromium, never `Auto`.
    pub kind: BrowserKind,
    /// Its program.
    pub path: PathBuf,
    /// What it says of itself; `None` where it cannot be run.
    pub version: Option<String>,
}

const SHELLS: &[&str] = &["chromium-headless-shell", "chrome-headless-shell", "headless_shell"];
const CHROMIUMS: &[&str] = &["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"];
#[cfg(target_os = "macos")]
const ELSEWHERE: &[&str] = &[
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
#[cfg(not(target_os = "macos"))]
const ELSEWHERE: &[&str] = &[];

/// The browsers that [`crate::Browser::launch`] would find, preferred ones first.
#[must_use]
pub fn installed() -> Vec<Found> {
    let shell = search(BrowserKind::Shell).map(|path| (BrowserKind::Shell, path));
    let chromium = search(BrowserKind::Chromium).map(|path| (BrowserKind::Chromium, path));
    [shell, chromium].into_iter().flatten().map(|(kind, path)| Found { kind, version: version(&path), path }).collect()
}

/// The program to start and what it is.
pub(super) fn choose(options: &LaunchOptions) -> Result<(BrowserKind, PathBuf), LaunchError> {
    if options.headed && options.kind == BrowserKind::Shell {
        return Err(LaunchError::ShellIsHeadless);
    }
    if let Some(path) = &options.executable {
        let kind = match options.kind {
            BrowserKind::Auto if is_shell(path) => BrowserKind::Shell,
            BrowserKind::Auto => BrowserKind::Chromium,
            kind => kind,
        };
        if options.headed && kind == BrowserKind::Shell {
            return Err(LaunchError::ShellIsHeadless);
        }
        runnable(path).map_err(|source| LaunchError::Executable { path: path.clone(), source })?;
        return Ok((kind, path.clone()));
    }
    let order: &[BrowserKind] = match options.kind {
        BrowserKind::Auto if !options.headed => &[BrowserKind::Shell, BrowserKind::Chromium],
        BrowserKind::Shell => &[BrowserKind::Shell],
        _ => &[BrowserKind::Chromium],
    };
    order.iter().find_map(|kind| Some((*kind, search(*kind)?))).ok_or_else(|| LaunchError::NotInstalled {
        wanted: if order.len() == 1 { order[0].as_str() } else { "browser" },
        looked_for: order.iter().flat_map(|kind| names(*kind)).copied().collect::<Vec<_>>().join(", "),
    })
}

fn search(kind: BrowserKind) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let named = names(kind)
        .iter()
        .find_map(|name| std::env::split_paths(&path).map(|dir| dir.join(name)).find(|file| runnable(file).is_ok()));
    if kind == BrowserKind::Shell {
        return named;
    }
    named.or_else(|| ELSEWHERE.iter().map(PathBuf::from).find(|file| runnable(file).is_ok()))
}

fn names(kind: BrowserKind) -> &'static [&'static str] {
    if kind == BrowserKind::Shell { SHELLS } else { CHROMIUMS }
}

fn is_shell(path: &Path) -> bool {
    path.file_name().is_some_and(|name| SHELLS.iter().any(|shell| name == *shell))
}

fn runnable(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = std::fs::metadata(path)?;
    if metadata.is_file() && metadata.permissions().mode() & 0o111 != 0 {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::PermissionDenied, "not a program"))
    }
}

fn version(path: &Path) -> Option<String> {
    let output = Command::new(path).arg("--version").stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).trim().to_owned();
    (output.status.success() && !text.is_empty()).then_some(text)
}
