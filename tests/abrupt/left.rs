//! What a run left: processes that name its place for temporary files, and files.

use std::path::Path;

/// The command lines of living processes that name a path.
#[must_use]
pub fn processes(naming: &Path) -> Vec<String> {
    let needle = naming.to_string_lossy();
    let mut found = Vec::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        // One that ended and waits to be collected has no command line any more.
        let Ok(line) = std::fs::read(entry.path().join("cmdline")) else { continue };
        let line = String::from_utf8_lossy(&line).replace('\0', " ");
        if line.contains(&*needle) {
            let short: String = line.chars().take(160).collect();
            found.push(format!("{} {short}", entry.file_name().to_string_lossy()));
        }
    }
    found
}

/// The names of what lies in a folder.
#[must_use]
pub fn files(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
