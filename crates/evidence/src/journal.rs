//! Lines that are appended whole, each bound to the one before.

use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};
use waymark_artifact::Digest;

use crate::EvidenceError;

/// The schema word of a journal, in its first line.
pub const JOURNAL_SCHEMA: &str = "waymark.journal/1";

/// The file of the journal within a run's folder.
pub(crate) const JOURNAL: &str = "run.jsonl";

/// What stands for the line before the first.
pub(crate) fn no_line() -> Digest {
    Digest(format!("sha256:{}", "0".repeat(64)))
}

/// The open journal of one run.
#[derive(Debug)]
pub(crate) struct JournalFile {
    file: File,
    path: PathBuf,
    /// Bytes of whole lines.
    length: u64,
    seq: u64,
    prev: Digest,
}

impl JournalFile {
    pub(crate) fn create(folder: &Path) -> Result<Self, EvidenceError> {
        let path = folder.join(JOURNAL);
        let mut options = OpenOptions::new();
        options.append(true).create_new(true);
        crate::folder::private(&mut options);
        let file = options.open(&path).map_err(|error| EvidenceError::io(&path, &error))?;
        Ok(JournalFile { file, path, length: 0, seq: 0, prev: no_line() })
    }

    /// Appends one line: number and time first, then the event, the digest of the line before last. It is one
    /// write, so that a kill leaves whole lines; what a full disk took only in part is cut off again.
    pub(crate) fn append(&mut self, fields: &Map<String, Value>) -> Result<(), EvidenceError> {
        let mut line = format!("{{\"seq\":{}", self.seq);
        for key in ["at_ms", "event"] {
            if let Some(value) = fields.get(key) {
                line.push_str(&format!(",\"{key}\":{value}"));
            }
        }
        for (key, value) in fields.iter().filter(|(key, _)| !matches!(key.as_str(), "at_ms" | "event")) {
            line.push_str(&format!(",{}:{value}", Value::from(key.as_str())));
        }
        line.push_str(&format!(",\"prev\":\"{}\"}}\n", self.prev));

        let bytes = line.as_bytes();
        if let Err(error) = self.file.write_all(bytes) {
            // The torn line would make the next one unreadable too. Where even this fails, the reader says so.
            let _ = self.file.set_len(self.length);
            return Err(EvidenceError::io(&self.path, &error));
        }
        self.length += bytes.len() as u64;
        self.seq += 1;
        self.prev = Digest::of(&bytes[..bytes.len() - 1]);
        Ok(())
    }

    /// Waits until the disk has it.
    pub(crate) fn sync(&self) -> Result<(), EvidenceError> {
        self.file.sync_data().map_err(|error| EvidenceError::io(&self.path, &error))
    }
}
