//! Writing a new file whole, or not at all.

use std::fs::{self, File};
use std::io::{self, ErrorKind, Write as _};
use std::path::Path;

use tempfile::NamedTempFile;

/// Writes a file that was not there, whole or not at all; what is there is never overwritten. Its folder is made.
///
/// # Errors
/// In words: the name is taken, or it cannot be written.
pub(crate) fn create(path: &Path, bytes: &[u8]) -> Result<(), String> {
    create_by(path, bytes, |whole, path| {
        whole.persist_noclobber(path).map(drop).map_err(|refused| (refused.error, refused.file))
    })
}

/// Puts a whole file in a place that is not taken; if it cannot, it gives the file back.
type Place = fn(NamedTempFile, &Path) -> Result<(), (io::Error, NamedTempFile)>;

fn create_by(path: &Path, bytes: &[u8], place: Place) -> Result<(), String> {
    let told = |error: io::Error| format!("{}: {error}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    fs::create_dir_all(folder).map_err(told)?;
    // Under a name of its own, so that what a crash leaves behind is in nobody's way.
    let mut whole = new_beside(folder).map_err(told)?;
    whole.write_all(bytes).and_then(|()| whole.as_file().sync_all()).map_err(told)?;
    match place(whole, path) {
        Ok(()) => Ok(()),
        Err((error, _)) if error.kind() == ErrorKind::AlreadyExists => Err(told(error)),
        // There is neither a rename that spares what is there nor a link: the name is taken first, by nobody else.
        Err((_, whole)) => {
            File::create_new(path).map_err(told)?;
            whole.persist(path).map(drop).map_err(|refused| {
                let _ = fs::remove_file(path);
                told(refused.error)
            })
        }
    }
}

/// A new file in a folder, with the permissions of any other.
fn new_beside(folder: &Path) -> io::Result<NamedTempFile> {
    let mut beside = tempfile::Builder::new();
    beside.prefix(".");
    #[cfg(unix)]
    let everyone = std::os::unix::fs::PermissionsExt::from_mode(0o666);
    #[cfg(unix)]
    beside.permissions(everyone);
    beside.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "files in a folder of the test")]

    use super::*;

    fn files(folder: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }

    /// As where there is neither a rename that spares what is there nor a link.
    fn unsupported(whole: NamedTempFile, _: &Path) -> Result<(), (io::Error, NamedTempFile)> {
        Err((io::Error::from(ErrorKind::Unsupported), whole))
    }

    #[test]
    fn what_a_crash_left_behind_is_in_nobodys_way() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        fs::write(folder.path().join(format!(".a.json.{}", std::process::id())), "hal").unwrap();
        create(&path, b"whole\n").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"whole\n");
    }

    #[test]
    fn what_is_there_is_never_overwritten_and_nothing_is_left_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("records").join("a.json");
        for place in [None, Some(unsupported as Place)] {
            let put = |bytes: &[u8]| match place {
                Some(place) => create_by(&path, bytes, place),
                None => create(&path, bytes),
            };
            put(b"first\n").unwrap();
            assert!(put(b"second\n").unwrap_err().contains("a.json: "));
            assert_eq!(fs::read(&path).unwrap(), b"first\n");
            assert_eq!(files(path.parent().unwrap()), ["a.json"]);
            fs::remove_file(&path).unwrap();
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_new_file_has_the_permissions_of_any_other() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (ours, other) = (folder.path().join("a"), folder.path().join("b"));
        create(&ours, b"a").unwrap();
        fs::write(&other, "b").unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode();
        assert_eq!(mode(&ours), mode(&other));
    }
}
