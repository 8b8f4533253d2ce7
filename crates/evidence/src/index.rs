//! The index of a workspace: which requests for a person there are, and how the process that waits for them is reached.
//!
//! One SQLite file below the folder of the runs, shared by all processes of the workspace. The run folders stay the
//! truth: what is asked for is read from them where the index is not there or does not know it, and the index can be
//! made anew from them at any time. What an index says of a process that is no more is not believed.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use crate::bounded;
use crate::folder::{INTERVENTION, private};
use crate::owner::Owner;

/// The file, below the folder of the runs.
const FILE: &str = "index.sqlite";

/// What an index is called that cannot be read any more.
const BROKEN: &str = "index.broken.sqlite";

/// The most bytes of a request for a person.
const MAX_INTERVENTION: u64 = 4 << 20;

/// How long another process may hold the index.
const BUSY: Duration = Duration::from_secs(1);

/// States in which a run waits for a person.
const WAITING: [&str; 4] = ["open", "claimed", "driving", "released"];

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the index {file}: {why}")]
pub struct IndexError {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub why: String,
}

/// A request for a person, as the index has it.
#[derive(Clone, Debug, PartialEq)]
pub struct InterventionRow {
    /// Its id.
    pub id: String,
    /// The run.
    pub run_id: String,
    /// The folder of the run.
    pub folder: PathBuf,
    /// How it stands; `session_gone` where it says that a run waits and its process is no more.
    pub state: String,
    /// When it was opened, as RFC 3339.
    pub opened_at: String,
    /// All of it, redacted, as it lies in the folder.
    pub document: Value,
    /// Where the process that waits can be reached, and the word it wants to hear.
    pub channel: Option<Channel>,
}

/// How a waiting process is reached.
#[derive(Clone, PartialEq, Eq)]
pub struct Channel {
    /// The socket.
    pub address: String,
    /// What has to be said first. A secret.
    pub token: String,
}

impl std::fmt::Debug for Channel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Channel({})", self.address)
    }
}

/// The index of one workspace.
pub struct Index {
    root: PathBuf,
    file: PathBuf,
    db: Connection,
}

impl Index {
    /// Opens the index below `root`, and makes it from the run folders where there is none or it cannot be read.
    ///
    /// # Errors
    /// It can be neither read nor made.
    pub fn open(root: &Path) -> Result<Self, IndexError> {
        let file = root.join(FILE);
        let fail = |why: String| IndexError { file: file.display().to_string(), why };
        fs::create_dir_all(root).map_err(|error| fail(error.to_string()))?;
        let fresh = !file.exists();
        match Self::at(root, &file) {
            Ok(mut index) => {
                if fresh {
                    index.rebuild()?;
                }
                Ok(index)
            }
            // Somebody holds it: it is in order.
            Err(error) if is_busy(&error) => Err(fail(error.to_string())),
            Err(_) => {
                // Kept for whoever wants to know; everything in it is in the folders too.
                fs::rename(&file, root.join(BROKEN)).map_err(|error| fail(error.to_string()))?;
                let mut index = Self::at(root, &file).map_err(|error| fail(error.to_string()))?;
                index.rebuild()?;
                Ok(index)
            }
        }
    }

    fn at(root: &Path, file: &Path) -> rusqlite::Result<Self> {
        // Tokens stand in it.
        let mut options = fs::OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        private(&mut options);
        let _ = options.open(file);
        let db = Connection::open(file)?;
        db.busy_timeout(BUSY)?;
        db.pragma_update(None, "journal_mode", "WAL")?;
        db.pragma_update(None, "synchronous", "NORMAL")?;
        db.execute_batch(
            "CREATE TABLE IF NOT EXISTS interventions (
               id TEXT PRIMARY KEY, run_id TEXT NOT NULL, folder TEXT NOT NULL, state TEXT NOT NULL,
               opened_at TEXT NOT NULL, document TEXT NOT NULL, address TEXT, token TEXT
             ) STRICT;
             CREATE INDEX IF NOT EXISTS by_state ON interventions (state, opened_at);",
        )?;
        Ok(Index { root: root.to_owned(), file: file.to_owned(), db })
    }

    /// Puts a request in, over what was known of it.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn put(&mut self, row: &InterventionRow) -> Result<(), IndexError> {
        let channel = row.channel.as_ref();
        self.db
            .execute(
                "INSERT INTO interventions VALUES (?1,?2,?3,?4,?5,?6,?7,?8)
                 ON CONFLICT (id) DO UPDATE SET folder=?3, state=?4, document=?6, address=?7, token=?8",
                params![
                    row.id,
                    row.run_id,
                    row.folder.to_string_lossy(),
                    row.state,
                    row.opened_at,
                    row.document.to_string(),
                    channel.map(|c| &c.address),
                    channel.map(|c| &c.token),
                ],
            )
            .map(|_| ())
            .map_err(|error| self.fail(&error))
    }

    /// A run ended, and lies elsewhere now.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn moved(&mut self, run_id: &str, folder: &Path) -> Result<(), IndexError> {
        self.db
            .execute(
                "UPDATE interventions SET folder=?2, address=NULL, token=NULL WHERE run_id=?1",
                params![run_id, folder.to_string_lossy()],
            )
            .map(|_| ())
            .map_err(|error| self.fail(&error))
    }

    /// All requests, those that somebody waits for first, then the newest first.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn interventions(&self) -> Result<Vec<InterventionRow>, IndexError> {
        let read = || {
            let mut rows = self.db.prepare("SELECT * FROM interventions ORDER BY opened_at DESC, id DESC")?;
            rows.query_map([], row)?.collect::<rusqlite::Result<Vec<_>>>()
        };
        let rows = read().map_err(|error| self.fail(&error))?;
        let mut rows: Vec<_> = rows.into_iter().map(truthful).collect();
        rows.sort_by_key(|row| !WAITING.contains(&row.state.as_str()));
        Ok(rows)
    }

    /// One request, by its id or that of its run (then its last one).
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn intervention(&self, id: &str) -> Result<Option<InterventionRow>, IndexError> {
        let found = self
            .db
            .query_row(
                "SELECT * FROM interventions WHERE id=?1 OR run_id=?1 ORDER BY opened_at DESC, id DESC LIMIT 1",
                [id],
                row,
            )
            .optional();
        found.map(|row| row.map(truthful)).map_err(|error| self.fail(&error))
    }

    /// Makes the index anew from the run folders. How a waiting process is reached is kept where it is known.
    ///
    /// # Errors
    /// The index cannot be written.
    pub fn rebuild(&mut self) -> Result<(), IndexError> {
        let folders = fs::read_dir(&self.root).into_iter().flatten().flatten().map(|entry| entry.path());
        for folder in folders.filter(|path| path.is_dir()) {
            let Ok(bytes) = bounded::bytes(&folder.join(INTERVENTION), MAX_INTERVENTION) else { continue };
            let Ok(document) = serde_json::from_slice::<Value>(&bytes) else { continue };
            let text = |field: &str| document[field].as_str().unwrap_or_default().to_owned();
            let (id, run_id, state) = (text("id"), text("run_id"), text("state"));
            if id.is_empty() || run_id.is_empty() || state.is_empty() {
                continue;
            }
            let channel = self.intervention(&id)?.and_then(|row| row.channel);
            self.put(&InterventionRow { id, run_id, folder, state, opened_at: text("opened_at"), document, channel })?;
        }
        Ok(())
    }

    fn fail(&self, error: &rusqlite::Error) -> IndexError {
        IndexError { file: self.file.display().to_string(), why: error.to_string() }
    }
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Index({})", self.file.display())
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    matches!(
        error.sqlite_error_code(),
        Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked | rusqlite::ErrorCode::CannotOpen)
    )
}

fn row(row: &rusqlite::Row<'_>) -> rusqlite::Result<InterventionRow> {
    let (address, token): (Option<String>, Option<String>) = (row.get(6)?, row.get(7)?);
    Ok(InterventionRow {
        id: row.get(0)?,
        run_id: row.get(1)?,
        folder: PathBuf::from(row.get::<_, String>(2)?),
        state: row.get(3)?,
        opened_at: row.get(4)?,
        document: serde_json::from_str(&row.get::<_, String>(5)?).unwrap_or_default(),
        channel: address.zip(token).map(|(address, token)| Channel { address, token }),
    })
}

/// A run whose process is no more waits for nobody.
fn truthful(mut row: InterventionRow) -> InterventionRow {
    let alive = || Owner::read(&row.folder).is_some_and(|owner| owner.is_alive());
    if WAITING.contains(&row.state.as_str()) && !alive() {
        // It may have ended in order, and only the index was not told.
        let lies = fs::read_dir(row.folder.parent().unwrap_or(Path::new("."))).into_iter().flatten().flatten();
        let ended = lies.map(|e| e.path()).find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            path != &row.folder && name.ends_with(&row.run_id)
        });
        let document = ended.as_ref().and_then(|folder| {
            let bytes = bounded::bytes(&folder.join(INTERVENTION), MAX_INTERVENTION).ok()?;
            serde_json::from_slice::<Value>(&bytes).ok().filter(|d| d["id"].as_str() == Some(&row.id))
        });
        match (ended, document) {
            (Some(folder), Some(document)) => {
                row.state = document["state"].as_str().unwrap_or("session_gone").to_owned();
                row.folder = folder;
                row.document = document;
            }
            _ => "session_gone".clone_into(&mut row.state),
        }
        row.channel = None;
        row.document["state"] = Value::String(row.state.clone());
    }
    row
}

#[cfg(test)]
#[expect(clippy::expect_used, reason = "a test ends where its folder cannot be made")]
mod tests {
    use serde_json::json;

    use super::*;

    fn waiting(root: &Path, owner: Option<Owner>) -> InterventionRow {
        let folder = root.join("replay-running-20261201T000000Z-abc");
        fs::create_dir_all(&folder).expect("a folder");
        let document = json!({"id": "iv_abc", "run_id": "abc", "state": "open", "opened_at": "2026-12-01T00:00:00Z"});
        fs::write(folder.join(INTERVENTION), document.to_string()).expect("a document");
        if let Some(owner) = owner {
            fs::write(folder.join(crate::owner::OWNER), serde_json::to_vec(&owner).expect("json")).expect("an owner");
        }
        InterventionRow {
            id: "iv_abc".into(),
            run_id: "abc".into(),
            folder,
            state: "open".into(),
            opened_at: "2026-12-01T00:00:00Z".into(),
            document,
            channel: Some(Channel { address: "/tmp/x".into(), token: "secret".into() }),
        }
    }

    #[test]
    fn a_run_that_waits_is_found_with_the_way_to_its_process() {
        let dir = tempfile::tempdir().expect("a folder");
        let row = waiting(dir.path(), Some(Owner::this_process("2026-12-01T00:00:00Z")));
        let mut index = Index::open(dir.path()).expect("an index");
        index.put(&row).expect("written");
        let other = Index::open(dir.path()).expect("the same index");
        assert_eq!(other.interventions().expect("read"), std::slice::from_ref(&row));
        assert_eq!(other.intervention("abc").expect("read"), Some(row));
        assert_eq!(other.intervention("other").expect("read"), None);
    }

    #[test]
    fn a_run_whose_process_is_no_more_waits_for_nobody() {
        let dir = tempfile::tempdir().expect("a folder");
        let row = waiting(dir.path(), None);
        let mut index = Index::open(dir.path()).expect("an index");
        index.put(&row).expect("written");
        let rows = index.interventions().expect("read");
        assert_eq!((rows[0].state.as_str(), rows[0].channel.is_none()), ("session_gone", true));
        assert_eq!(rows[0].document["state"], "session_gone");
    }

    #[test]
    fn an_index_that_is_gone_or_broken_is_made_anew_from_the_folders() {
        let dir = tempfile::tempdir().expect("a folder");
        let row = waiting(dir.path(), Some(Owner::this_process("2026-12-01T00:00:00Z")));
        let found = |index: &Index| index.intervention("iv_abc").expect("read").map(|row| row.folder);
        assert_eq!(found(&Index::open(dir.path()).expect("made")), Some(row.folder.clone()));
        for beside in ["-wal", "-shm"] {
            let _ = fs::remove_file(dir.path().join(format!("{FILE}{beside}")));
        }
        fs::write(dir.path().join(FILE), "this is no database, and long enough to be read as one".repeat(40))
            .expect("spoilt");
        assert_eq!(found(&Index::open(dir.path()).expect("made anew")), Some(row.folder));
        assert!(dir.path().join(BROKEN).exists(), "what could not be read is kept");
    }

    #[test]
    fn an_index_that_another_process_holds_is_told_and_not_thrown_away() {
        let dir = tempfile::tempdir().expect("a folder");
        let row = waiting(dir.path(), None);
        let mut index = Index::open(dir.path()).expect("an index");
        let other = Connection::open(dir.path().join(FILE)).expect("the same file");
        other.execute_batch("BEGIN EXCLUSIVE").expect("held");
        index.db.busy_timeout(Duration::from_millis(10)).expect("shorter");
        let told = index.put(&row).expect_err("held by another").to_string();
        assert!(told.contains("locked"), "{told}");
        other.execute_batch("COMMIT").expect("let go");
        index.put(&row).expect("written now");
    }

    #[cfg(unix)]
    #[test]
    fn only_its_owner_may_read_the_index() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().expect("a folder");
        let _index = Index::open(dir.path()).expect("an index");
        let mode = fs::metadata(dir.path().join(FILE)).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
