//! `<kind>-<ending>-<UTC>-<id>`.

use std::fmt;

use crate::EvidenceError;

/// What stands in place of the ending while a run goes on.
pub(crate) const RUNNING: &str = "running";

/// The name of a run's folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderName {
    /// What ran: `replay`.
    pub kind: String,
    /// The status word, or `running`.
    pub ending: String,
    /// When it began, `20261130T044118Z`.
    pub utc: String,
    /// What tells it from others of the same second.
    pub id: String,
}

impl FolderName {
    pub(crate) fn new(kind: &str, ending: &str, utc: &str, id: &str) -> Result<Self, EvidenceError> {
        let compact = compact_utc(utc);
        for (what, word, fits) in [
            ("kind", kind, is_word(kind)),
            ("ending", ending, is_word(ending)),
            ("time", utc, is_time(&compact)),
            ("id", id, is_id(id)),
        ] {
            if !fits {
                return Err(EvidenceError::Name { what, word: word.chars().take(80).collect() });
            }
        }
        Ok(FolderName { kind: kind.to_owned(), ending: ending.to_owned(), utc: compact, id: id.to_owned() })
    }

    /// Reads the name of a folder; `None` where it is no run's.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        let mut parts = name.splitn(4, '-');
        let (kind, ending, utc, id) = (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let fits = is_word(kind) && is_word(ending) && is_time(utc) && is_id(id);
        fits.then(|| FolderName {
            kind: kind.to_owned(),
            ending: ending.to_owned(),
            utc: utc.to_owned(),
            id: id.to_owned(),
        })
    }

    pub(crate) fn ended(&self, ending: &str) -> Self {
        FolderName { ending: ending.to_owned(), ..self.clone() }
    }

    pub(crate) fn is_running(&self) -> bool {
        self.ending == RUNNING
    }
}

impl fmt::Display for FolderName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}-{}-{}", self.kind, self.ending, self.utc, self.id)
    }
}

/// `2026-11-30T04:41:18.123Z` as `20261130T044118Z`; a compact time stays as it is.
#[must_use]
pub fn compact_utc(utc: &str) -> String {
    let whole: String = utc.split('.').next().unwrap_or_default().chars().filter(|c| !matches!(c, '-' | ':')).collect();
    if whole.ends_with('Z') { whole } else { format!("{whole}Z") }
}

/// A text as a part of a file's name: what could mean something to a file system or shell becomes `_`.
pub(crate) fn file_part(text: &str) -> String {
    let safe: String =
        text.chars().map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).take(64).collect();
    if safe.is_empty() { "_".to_owned() } else { safe }
}

fn is_word(word: &str) -> bool {
    !word.is_empty() && word.len() <= 32 && word.bytes().all(|b| b.is_ascii_lowercase() || b == b'_')
}

fn is_time(word: &str) -> bool {
    let bytes = word.as_bytes();
    bytes.len() == 16
        && bytes[8] == b'T'
        && bytes[15] == b'Z'
        && bytes.iter().enumerate().all(|(at, b)| matches!(at, 8 | 15) || b.is_ascii_digit())
}

fn is_id(word: &str) -> bool {
    !word.is_empty() && word.len() <= 64 && word.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}
