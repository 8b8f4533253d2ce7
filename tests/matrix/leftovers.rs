//! Processes and folders that a run may leave behind.

use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

/// How long the ends of processes may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Every living process below one, with its parent and its command.
pub fn below(ancestor: u32) -> BTreeMap<u32, String> {
    let mut parents = BTreeMap::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let Some((_, rest)) = stat.rsplit_once(')') else { continue };
        let mut words = rest.split_whitespace();
        let dead = matches!(words.next(), Some("Z" | "X"));
        let Some(parent) = words.next().and_then(|word| word.parse::<u32>().ok()) else { continue };
        if !dead {
            parents.insert(id, parent);
        }
    }
    let mut found = BTreeMap::new();
    let mut wave = vec![ancestor];
    while let Some(parent) = wave.pop() {
        for (id, _) in parents.iter().filter(|(_, of)| **of == parent) {
            let command = fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            found.insert(*id, String::from_utf8_lossy(&command).replace('\0', " "));
            wave.push(*id);
        }
    }
    found
}

/// Whether any process remains that names the folder of a browser, or any folder of one, other than the kept ones.
pub fn remains(kept: u32) -> Vec<String> {
    let end = Instant::now() + PATIENCE;
    loop {
        let left = look(kept);
        if left.is_empty() || Instant::now() > end {
            return left;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn look(kept: u32) -> Vec<String> {
    let own = below(std::process::id());
    let mine = below(kept);
    let folder = std::env::temp_dir().display().to_string();
    let mut left = Vec::new();
    for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
        let Ok(id) = entry.file_name().to_string_lossy().parse::<u32>() else { continue };
        if id == std::process::id() || id == kept || mine.contains_key(&id) {
            continue;
        }
        // One whose parent was killed is nobody's child any more, but it was told the same folder for its files.
        let told = |file: &str| {
            String::from_utf8_lossy(&fs::read(entry.path().join(file)).unwrap_or_default()).replace('\0', " ")
        };
        let command = told("cmdline");
        let of_this_run = own.contains_key(&id) || command.contains(&folder) || told("environ").contains(&folder);
        if of_this_run && !is_ended(id) && id != parent() {
            left.push(format!("process {id}: {command:.80}"));
        }
    }
    for entry in fs::read_dir(std::env::temp_dir()).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with("waymark-") && !name.starts_with("waymark-matrix") {
            left.push(format!("folder {name}"));
        }
    }
    left
}

fn is_ended(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_none_or(|(_, rest)| rest.trim_start().starts_with(['Z', 'X']))
}

fn parent() -> u32 {
    std::os::unix::process::parent_id()
}
