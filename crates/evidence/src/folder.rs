//! The folder of one run, while it is written.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use waymark_artifact::Digest;
use waymark_run::{Intervention, JournalLine, PictureReport, RunEvent, RunResult, effect_digest, effect_lines};

use crate::EvidenceError;
use crate::journal::{JOURNAL_SCHEMA, JournalFile};
use crate::mask::{MaskError, MaskedPng};
use crate::name::{FolderName, RUNNING, file_part};
use crate::owner::{OWNER, Owner};
use crate::redaction::{Redaction, redacted, redacted_name, redacted_text};

pub(crate) const RESULT: &str = "result.json";
const EFFECTS: &str = "effects.jsonl";
const INPUTS: &str = "inputs.jsonl";
pub(crate) const INTERVENTION: &str = "intervention.json";
const SCREENSHOTS: &str = "screenshots";
const SNAPSHOTS: &str = "snapshots";

/// The folder of one run, while it is written.
///
/// Journal, result and intervention must be written: their failure is an error. Pictures and snapshots may be
/// missing: their failure is a gap that the result names. A failed redaction is an error for all of them.
///
/// Where it is dropped without [`RunFolder::finish`], the folder stays as it is and reads as interrupted.
pub struct RunFolder {
    root: PathBuf,
    path: PathBuf,
    name: FolderName,
    journal: JournalFile,
    redaction: Arc<dyn Redaction>,
    pictures: u32,
    snapshots: u32,
    gaps: Vec<String>,
    finished: bool,
}

/// A run that was written to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Ended {
    /// Where the folder lies now.
    pub path: PathBuf,
    /// The result as it was written: redacted, with the place of the evidence and its gaps filled in.
    pub result: RunResult,
}

impl RunFolder {
    /// Makes `<root>/<kind>-running-<utc>-<id>` and begins the journal in it. `utc` is RFC 3339 or compact, `id`
    /// letters, digits and `_`. Folders and files are for their owner only.
    ///
    /// # Errors
    /// `root` or the folder cannot be made or written, or a part of the name is none.
    pub fn create(
        root: &Path,
        kind: &str,
        utc: &str,
        id: &str,
        redaction: Arc<dyn Redaction>,
    ) -> Result<Self, EvidenceError> {
        let name = FolderName::new(kind, RUNNING, utc, id)?;
        make_root(root)?;
        let path = root.join(name.to_string());
        make_private(&path)?;
        let journal = begin(&path, &name, utc).inspect_err(|_| {
            // Half a beginning would be taken for a run.
            let _ = fs::remove_dir_all(&path);
        })?;
        Ok(RunFolder {
            root: root.to_owned(),
            path,
            name,
            journal,
            redaction,
            pictures: 0,
            snapshots: 0,
            gaps: Vec::new(),
            finished: false,
        })
    }

    /// Where it lies while the run goes on.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What could not be recorded so far, in sentences.
    #[must_use]
    pub fn gaps(&self) -> &[String] {
        &self.gaps
    }

    /// Says that something optional could not be recorded.
    pub fn gap(&mut self, sentence: impl Into<String>) {
        self.gaps.push(sentence.into());
    }

    /// Appends a line to the journal, and gives it as it stands there: fit for whoever else is told.
    ///
    /// # Errors
    /// It could not be redacted or written; then no part of it stands there.
    pub fn append(&mut self, line: &JournalLine) -> Result<Map<String, Value>, EvidenceError> {
        let fields = self.fields(line)?;
        self.journal.append(&fields)?;
        Ok(fields)
    }

    /// Waits until the disk has the journal as far as it goes.
    ///
    /// # Errors
    /// The disk does not take it.
    pub fn sync(&self) -> Result<(), EvidenceError> {
        self.journal.sync()
    }

    /// Writes a picture as `screenshots/<number>-<step>-<digest>.png`, or says why there is none.
    ///
    /// # Errors
    /// The name of the step could not be redacted. A picture that was not written is a report, and a gap.
    pub fn picture(
        &mut self,
        step: Option<&str>,
        caption: &str,
        picture: Result<&MaskedPng, &MaskError>,
    ) -> Result<PictureReport, EvidenceError> {
        let mut report =
            PictureReport { file: None, digest: None, masked: 0, withheld: None, caption: caption.to_owned() };
        self.pictures += 1;
        let step = self.part(step.unwrap_or("run"))?;
        let masked = match picture {
            Ok(masked) => masked,
            Err(why) => {
                report.withheld = Some(why.to_string());
                return Ok(report);
            }
        };
        let digest = Digest::of(masked.png());
        let short = digest.0.get(7..15).unwrap_or_default();
        let file = format!("{SCREENSHOTS}/{:03}-{step}-{short}.png", self.pictures);
        report.masked = masked.masked();
        match self.write(SCREENSHOTS, &file, masked.png()) {
            Ok(()) => {
                report.file = Some(file);
                report.digest = Some(digest);
            }
            Err(error) => {
                report.withheld = Some(format!("it could not be written: {error}"));
                self.gaps.push(format!("a picture was not written: {error}"));
            }
        }
        Ok(report)
    }

    /// Writes a screen as text, `snapshots/<number>-<name>.txt`, and gives the file's name within the folder;
    /// `None` where it could not be written, which is a gap.
    ///
    /// # Errors
    /// It could not be redacted.
    pub fn snapshot(&mut self, name: &str, text: &str) -> Result<Option<String>, EvidenceError> {
        self.snapshots += 1;
        let name = self.part(name)?;
        let text = redacted_text(&*self.redaction, "a snapshot", text)?;
        let file = format!("{SNAPSHOTS}/{:03}-{name}.txt", self.snapshots);
        match self.write(SNAPSHOTS, &file, text.as_bytes()) {
            Ok(()) => Ok(Some(file)),
            Err(error) => {
                self.gaps.push(format!("a snapshot was not written: {error}"));
                Ok(None)
            }
        }
    }

    /// Writes the request for a person, over an earlier one, and gives it as it was written.
    ///
    /// # Errors
    /// It could not be redacted or written: a request that nobody can find is none.
    pub fn intervention(&mut self, intervention: &Intervention) -> Result<Value, EvidenceError> {
        let what = "the request for a person";
        self.document(INTERVENTION, what, as_json(what, intervention)?)
    }

    /// Writes the effect journal, `effects.jsonl`, and gives its digest: that of the bytes as they lie there.
    ///
    /// # Errors
    /// It could not be redacted or written: a result without it could not be compared.
    pub fn effects(&mut self, entries: &[Value]) -> Result<Digest, EvidenceError> {
        let what = "the effect journal";
        let clean: Result<Vec<Value>, _> =
            entries.iter().map(|entry| redacted(&*self.redaction, what, entry.clone())).collect();
        let lines = effect_lines(&clean?)
            .map_err(|error| EvidenceError::Redaction { what: what.to_owned(), why: error.to_string() })?;
        let path = self.path.join(EFFECTS);
        let _ = fs::remove_file(&path);
        write_new(&path, lines.as_bytes())?;
        Ok(effect_digest(&lines))
    }

    /// Writes the journal of inputs, `inputs.jsonl`. `end` is given the lines as they will lie there and makes the last
    /// one; where the file cannot be written, that is a gap.
    ///
    /// # Errors
    /// A line could not be redacted.
    pub fn inputs(&mut self, lines: &[Value], end: impl FnOnce(&str) -> Value) -> Result<(), EvidenceError> {
        let what = "the journal of inputs";
        let mut text = String::new();
        for line in lines {
            text.push_str(&format!("{}\n", redacted(&*self.redaction, what, line.clone())?));
        }
        let end = redacted(&*self.redaction, what, end(&text))?;
        text.push_str(&format!("{end}\n"));
        if let Err(error) = write_new(&self.path.join(INPUTS), text.as_bytes()) {
            self.gaps.push(format!("the journal of inputs was not written: {error}"));
        }
        Ok(())
    }

    /// Writes the end of the journal and the result, and gives the folder its last name; renaming is the last
    /// act, so that a folder that says how it ended is complete. Where only renaming fails, the folder keeps its
    /// name and the result says so.
    ///
    /// # Errors
    /// Journal or result could not be redacted or written.
    pub fn finish(mut self, at_ms: u64, mut result: RunResult) -> Result<Ended, EvidenceError> {
        let ended = self.name.ended(result.status.as_str());
        let last = self.root.join(ended.to_string());
        result.evidence = Some(last.to_string_lossy().into_owned());
        result.evidence_gaps.append(&mut self.gaps);
        let line = JournalLine { at_ms, event: RunEvent::RunEnded { result: Box::new(result.clone()) } };
        let mut fields = self.fields(&line)?;
        fields.insert("folder".to_owned(), json!({"from": self.name.to_string(), "to": ended.to_string()}));
        self.journal.append(&fields)?;
        self.journal.sync()?;
        let written = self.result(&result)?;
        let _ = fs::remove_file(self.path.join(OWNER));
        self.finished = true;

        match rename(&self.path, &last) {
            Ok(()) => Ok(Ended { path: last, result: written }),
            Err(error) => {
                let gap = format!("the folder could not be renamed to `{ended}`: {error}");
                result.evidence_gaps.push(gap);
                result.evidence = Some(self.path.to_string_lossy().into_owned());
                Ok(Ended { path: self.path.clone(), result: self.result(&result)? })
            }
        }
    }

    /// Writes the result, and gives it as it was written: what a caller gets is what lies in the folder.
    fn result(&self, result: &RunResult) -> Result<RunResult, EvidenceError> {
        let written = self.document(RESULT, "the result", as_json("the result", result)?)?;
        serde_json::from_value(written)
            .map_err(|error| EvidenceError::Redaction { what: "the result".to_owned(), why: error.to_string() })
    }

    fn fields(&self, line: &JournalLine) -> Result<Map<String, Value>, EvidenceError> {
        let what = "a line of the journal";
        match redacted(&*self.redaction, what, as_json(what, line)?)? {
            Value::Object(fields) => Ok(fields),
            _ => Err(EvidenceError::Redaction { what: what.to_owned(), why: "it is no object any more".to_owned() }),
        }
    }

    fn part(&self, text: &str) -> Result<String, EvidenceError> {
        Ok(file_part(&redacted_name(&*self.redaction, text)?))
    }

    fn write(&self, subfolder: &str, file: &str, bytes: &[u8]) -> Result<(), EvidenceError> {
        let folder = self.path.join(subfolder);
        if !folder.is_dir() {
            make_private(&folder)?;
        }
        write_new(&self.path.join(file), bytes)
    }

    /// Writes a document beside its place and moves it there, so that no reader meets half of one.
    fn document(&self, file: &str, what: &str, value: Value) -> Result<Value, EvidenceError> {
        let clean = redacted(&*self.redaction, what, value)?;
        let path = self.path.join(file);
        let beside = self.path.join(format!("{file}.part"));
        let _ = fs::remove_file(&beside);
        write_new(&beside, format!("{clean:#}\n").as_bytes())?;
        // Without waiting for the disk, a power cut could leave the new name on an empty file.
        let moved = File::open(&beside).and_then(|file| file.sync_data()).and_then(|()| fs::rename(&beside, &path));
        moved.map(|()| clean).map_err(|error| EvidenceError::io(&path, &error))
    }
}

impl Drop for RunFolder {
    fn drop(&mut self) {
        if !self.finished {
            // Nobody goes on with it, even if this process lives on.
            let _ = fs::remove_file(self.path.join(OWNER));
        }
    }
}

impl std::fmt::Debug for RunFolder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RunFolder({})", self.path.display())
    }
}

fn begin(path: &Path, name: &FolderName, utc: &str) -> Result<JournalFile, EvidenceError> {
    let owner = serde_json::to_vec(&Owner::this_process(utc)).unwrap_or_default();
    write_new(&path.join(OWNER), &owner)?;
    let mut journal = JournalFile::create(path)?;
    let opened = json!({
        "at_ms": 0, "event": "journal_opened", "schema": JOURNAL_SCHEMA, "folder": name.to_string(),
    });
    journal.append(opened.as_object().unwrap_or(&Map::new()))?;
    Ok(journal)
}

pub(crate) fn check_writable(root: &Path) -> Result<(), EvidenceError> {
    make_root(root)?;
    let probe = root.join(format!(".probe-{}", std::process::id()));
    let _ = fs::remove_dir_all(&probe);
    make_private(&probe)?;
    let written = write_new(&probe.join("probe"), b"probe\n");
    let removed = fs::remove_dir_all(&probe).map_err(|error| EvidenceError::io(&probe, &error));
    written.and(removed)
}

/// Files for their owner only.
pub(crate) fn private(options: &mut OpenOptions) {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600);
    }
    #[cfg(not(unix))]
    let _ = options;
}

fn make_root(root: &Path) -> Result<(), EvidenceError> {
    fs::create_dir_all(root).map_err(|error| match error.kind() {
        // What is there already is no folder, else there would be no error.
        io::ErrorKind::AlreadyExists => EvidenceError::io(root, &io::Error::from(io::ErrorKind::NotADirectory)),
        _ => EvidenceError::io(root, &error),
    })
}

fn make_private(path: &Path) -> Result<(), EvidenceError> {
    let mut builder = DirBuilder::new();
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt as _;
        builder.mode(0o700);
    }
    builder.create(path).map_err(|error| EvidenceError::io(path, &error))
}

fn write_new(path: &Path, bytes: &[u8]) -> Result<(), EvidenceError> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    private(&mut options);
    let written = options.open(path).and_then(|mut file| file.write_all(bytes));
    written.map_err(|error| {
        // Half a file would be taken for a whole one.
        if error.kind() != io::ErrorKind::AlreadyExists {
            let _ = fs::remove_file(path);
        }
        EvidenceError::io(path, &error)
    })
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if to.exists() {
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, "it is there already"));
    }
    fs::rename(from, to)
}

fn as_json(what: &str, value: &impl serde::Serialize) -> Result<Value, EvidenceError> {
    serde_json::to_value(value)
        .map_err(|error| EvidenceError::Redaction { what: what.to_owned(), why: error.to_string() })
}
