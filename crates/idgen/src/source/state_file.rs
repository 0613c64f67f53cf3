//! State in a small text file.
//!
//! To save, the generator writes a new file beside the old one, syncs it, renames it over the old one and syncs the
//! folder. Whenever the machine stops, one of the two exists and is complete. A lock on a second file keeps other
//! generators out as long as this one exists. After a crash the system releases the lock.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::string::{String, ToString};
use std::vec::Vec;
use std::{format, fs};

use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::source::child_close::OwnFile;
use crate::source::fork::ForkMark;
use crate::source::state::{Saved, State};

const HEADER: &str = "idgen state 1";
const NO_NODE: &str = "none";
const LONGEST: u64 = 1024;

/// A state file, which one generator at a time can hold.
///
/// ```
/// use idgen::{generator::{DeviceShort, Generate}, source::FileState};
///
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("ids.state");
/// let mut ids = DeviceShort::system()?.with_state(FileState::open(&path)?)?;
/// let first = ids.next_id()?;
/// assert!(FileState::open(&path).unwrap_err().is_state()); // held by `ids`
/// drop(ids);
///
/// let mut ids = DeviceShort::system()?.with_state(FileState::open(&path)?)?;
/// assert_ne!(first, ids.next_id()?); // not even within the same second
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Debug)]
pub struct FileState {
    path: PathBuf,
    /// The path in an error.
    place: String,
    lock: OwnFile,
    mark: ForkMark,
}

impl FileState {
    /// Opens and locks the file at `path`. The file need not exist yet, but its folder must.
    ///
    /// # Errors
    /// If another generator holds it, in this process or another, or the folder cannot be used.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self> {
        let path = path.into();
        let path = resolved(&path).map_err(|error| failed(&path, "cannot be opened", error))?;
        // Checks the file before it is locked: nothing is left beside a folder or a device that somebody named by
        // mistake.
        exists(&path)?;
        let lock_path = beside(&path, "lock");
        let lock = OpenOptions::new().create(true).truncate(false).write(true).open(&lock_path).map_err(
            |error| {
                let reason = format!("its folder must be writable, for the lock beside it: {error}");
                refused(&path, "cannot be locked", reason).with_source(error)
            },
        )?;
        // Before it is locked, so that no child keeps the lock.
        let lock = OwnFile::new(lock);
        match lock.file().map_or(Ok(()), File::try_lock) {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => {
                let advice = "give each generator its own file";
                return Err(refused(&path, "is held by another generator", advice));
            }
            Err(TryLockError::Error(error)) => return Err(failed(&path, "cannot be locked", error)),
        }
        let place = path.display().to_string();
        Ok(FileState { path, place, lock, mark: ForkMark::now() })
    }
}

impl State for FileState {
    fn place(&self) -> Option<&str> {
        Some(&self.place)
    }

    fn load(&mut self) -> Result<Option<Saved>> {
        if !exists(&self.path)? {
            return Ok(None);
        }
        let unreadable = |error| unreadable(&self.path, error);
        let mut bytes = Vec::new();
        let file = File::open(&self.path).map_err(unreadable)?;
        file.take(LONGEST).read_to_end(&mut bytes).map_err(unreadable)?;
        match core::str::from_utf8(&bytes).ok().and_then(parse) {
            Some(saved) => Ok(Some(saved)),
            None => {
                let (problem, advice) = damage(&bytes);
                Err(refused(&self.path, problem, advice))
            }
        }
    }

    fn save(&mut self, saved: &Saved) -> Result<()> {
        // The child holds the same lock as its parent, so the two would overwrite each other.
        self.mark.check("a generator with a state file")?;
        replace(&self.path, format(saved).as_bytes())
            .map_err(|error| failed(&self.path, "cannot be written", error))
    }
}

impl Drop for FileState {
    /// The system would release the lock only with the last process that has it open, and without the feature
    /// `fast` a forked child that continues has it open, too.
    fn drop(&mut self) {
        if !self.mark.is_stale() {
            let _ = self.lock.file().map_or(Ok(()), File::unlock);
        }
    }
}

/// The canonical name of a file, so that links to it use the same lock and the same state, and a later change of
/// the working directory has no effect.
fn resolved(path: &Path) -> std::io::Result<PathBuf> {
    match fs::canonicalize(path) {
        // A link to a missing file is refused, because its target has no name to lock yet.
        Err(error) if error.kind() == ErrorKind::NotFound && fs::symlink_metadata(path).is_err() => {
            let name = path.file_name().ok_or(error)?;
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            Ok(fs::canonicalize(folder.unwrap_or(Path::new(".")))?.join(name))
        }
        done => done,
    }
}

/// Returns true if there is a file; an error if it is another object.
fn exists(path: &Path) -> Result<bool> {
    match fs::metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(unreadable(path, error)),
        // A pipe would block forever, and a device never ends.
        Ok(found) if !found.is_file() => Err(refused(path, "is not a state file", "name a regular file")),
        Ok(_) => Ok(true),
    }
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    failed(path, "cannot be read", error)
}

fn replace(path: &Path, content: &[u8]) -> std::io::Result<()> {
    let new = beside(path, "new");
    let mut file = File::create(&new)?;
    if let Ok(old) = fs::metadata(path) {
        file.set_permissions(old.permissions())?;
    }
    file.write_all(content)?;
    file.sync_all()?;
    drop(file);
    fs::rename(&new, path)?;
    #[cfg(unix)]
    if let Some(folder) = path.parent() {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_os_string();
    name.push(".");
    name.push(ending);
    name.into()
}

fn refused(path: &Path, problem: &'static str, detail: impl core::fmt::Display) -> Error {
    Error::state(path.display(), problem, detail)
}

/// The error of a file that the system refused.
fn failed(path: &Path, problem: &'static str, error: std::io::Error) -> Error {
    refused(path, problem, &error).with_source(error)
}

fn format(saved: &Saved) -> String {
    let node = saved.node.map_or_else(|| NO_NODE.into(), |node| format!("{node}"));
    let body = format!("{HEADER}\nkind {}\nposition {}\nnode {node}\n", saved.kind, saved.position);
    format!("{body}check {}\n", check(&body))
}

/// Says what is wrong with a content that [`parse`] refuses, and what to do. Editors change text in ways that cannot be seen.
fn damage(bytes: &[u8]) -> (&'static str, &'static str) {
    const ADVICE: &str = "save it as UTF-8 without a byte order mark and with LF as its line ends, or restore it from a backup";
    match bytes {
        [0xEF, 0xBB, 0xBF, ..] => ("begins with a byte order mark", ADVICE),
        [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => ("is text in UTF-16, as its byte order mark says", ADVICE),
        _ if bytes.contains(&b'\r') => ("has line ends with CR", ADVICE),
        _ => (
            "is damaged or not a state file",
            "restore it from a backup, or remove it if no earlier id is in use",
        ),
    }
}

fn parse(text: &str) -> Option<Saved> {
    let (body, last) = text.strip_suffix('\n')?.rsplit_once('\n')?;
    let body_with_end = &text[..body.len() + 1];
    if last.strip_prefix("check ")? != check(body_with_end) {
        return None;
    }
    let mut lines = body.lines();
    (lines.next()? == HEADER).then_some(())?;
    let mut field = |name: &str| lines.next()?.strip_prefix(name)?.strip_prefix(' ');
    let kind = field("kind")?.parse().ok()?;
    let position = field("position")?.parse().ok()?;
    let node = match field("node")? {
        NO_NODE => None,
        text => Some(text.parse().ok()?),
    };
    Some(Saved { kind, position, node })
}

/// The first eight hex digits of the SHA-256: enough to detect accidental damage.
fn check(body: &str) -> String {
    Sha256::digest(body.as_bytes())[..4].iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kind::Kind;
    use crate::node::Node;

    const SAVED: Saved =
        Saved { kind: Kind::Short, position: 1 << 70, node: Some(Node::new([1, 2, 3, 4, 5, 6])) };

    #[test]
    fn what_is_saved_is_loaded() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut state = FileState::open(&path).unwrap();
        assert_eq!(state.load().unwrap(), None);
        state.save(&SAVED).unwrap();
        assert_eq!(state.load().unwrap(), Some(SAVED));
        let busy = FileState::open(&path).unwrap_err();
        assert!(busy.is_state() && busy.to_string().contains("held by another generator"), "{busy}");
        drop(state);
        let mut state = FileState::open(&path).unwrap();
        assert_eq!(state.load().unwrap(), Some(SAVED));
        let without_node = Saved { node: None, ..SAVED };
        state.save(&without_node).unwrap();
        assert_eq!(state.load().unwrap(), Some(without_node));
    }

    #[test]
    fn every_damaged_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut state = FileState::open(&path).unwrap();
        let whole = format(&SAVED).into_bytes();
        let mut damaged: Vec<Vec<u8>> = (0..whole.len()).map(|cut| whole[..cut].to_vec()).collect();
        for place in 0..whole.len() {
            for bit in 0..8 {
                let mut flipped = whole.clone();
                flipped[place] ^= 1 << bit;
                damaged.push(flipped);
            }
        }
        damaged.push([whole.as_slice(), b"\n"].concat());
        damaged.push(std::vec![b'x'; 5_000]);
        for content in damaged {
            fs::write(&path, &content).unwrap();
            let error = state.load().unwrap_err();
            assert!(error.is_state(), "{:?}", String::from_utf8_lossy(&content));
        }
    }

    #[test]
    fn what_an_editor_added_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut state = FileState::open(&path).unwrap();
        let whole = format(&SAVED);
        let utf_16 = |text: &str| text.encode_utf16().flat_map(u16::to_le_bytes).collect::<Vec<_>>();
        for (content, expected) in [
            (
                format!("\u{feff}{whole}").into_bytes(),
                "begins with a byte order mark: save it as UTF-8 without",
            ),
            (utf_16(&format!("\u{feff}{whole}")), "is text in UTF-16"),
            (whole.replace('\n', "\r\n").into_bytes(), "has line ends with CR"),
            (whole.replace("kind", "kin").into_bytes(), "is damaged or not a state file"),
        ] {
            fs::write(&path, content).unwrap();
            let error = state.load().unwrap_err();
            assert!(error.is_state() && error.to_string().contains(expected), "{error}");
        }
        fs::write(&path, whole).unwrap();
        assert_eq!(state.load().unwrap(), Some(SAVED));
    }

    /// A crash can leave any prefix of the new file; the old one must still be used.
    #[test]
    fn a_half_written_new_file_is_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        let mut state = FileState::open(&path).unwrap();
        state.save(&SAVED).unwrap();
        let next = Saved { position: SAVED.position + 1, ..SAVED };
        let text = format(&next);
        for cut in 0..=text.len() {
            fs::write(beside(&path, "new"), &text[..cut]).unwrap();
            assert_eq!(state.load().unwrap(), Some(SAVED));
        }
        state.save(&next).unwrap();
        assert_eq!(state.load().unwrap(), Some(next));
    }

    /// Two names of one file are the same state: a link must not lead to a second lock.
    #[cfg(unix)]
    #[test]
    fn links_lead_to_one_state() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        symlink(&file, &link).unwrap();
        assert!(FileState::open(&link).unwrap_err().is_state(), "a link to nothing");
        FileState::open(&file).unwrap().save(&SAVED).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        let mut state = FileState::open(&link).unwrap();
        assert!(FileState::open(&file).unwrap_err().to_string().contains("held"));
        let next = Saved { position: 9, ..SAVED };
        state.save(&next).unwrap();
        drop(state);
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink(), "the link was replaced by a file");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(FileState::open(&file).unwrap().load().unwrap(), Some(next));
    }

    /// The end of a path is the name of the file, and the end of the message says what to do.
    #[test]
    fn messages_about_a_file_in_a_deep_folder_are_complete() {
        let folder = tempfile::tempdir().unwrap();
        let deep = folder.path().join("a-folder-with-a-long-name").join("another-folder-with-a-long-name");
        fs::create_dir_all(&deep).unwrap();
        let path = deep.join("ids.state");
        fs::write(&path, "x").unwrap();
        let error = FileState::open(&path).unwrap().load().unwrap_err().to_string();
        let path = fs::canonicalize(&path).unwrap();
        let whole = format!(
            "the state \"{}\" is damaged or not a state file: restore it from a backup, or remove it if no earlier id \
             is in use",
            path.display()
        );
        assert_eq!(error, whole);
    }

    /// A folder with the name of the lock simulates a folder that cannot be written.
    #[test]
    fn a_lock_that_cannot_be_opened_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s");
        fs::create_dir(beside(&path, "lock")).unwrap();
        let error = FileState::open(&path).unwrap_err();
        assert!(
            error.to_string().contains("its folder must be writable, for the lock beside it: "),
            "{error}"
        );
        assert!(core::error::Error::source(&error).is_some());
    }

    #[test]
    fn a_place_that_is_not_a_regular_file_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("folder");
        fs::create_dir(&path).unwrap();
        let error = FileState::open(&path).unwrap_err();
        assert!(error.to_string().contains("not a state file"), "{error}");
        assert!(!beside(&path, "lock").exists(), "a lock is left beside it");
    }

    #[test]
    fn the_error_names_a_missing_folder() {
        let error = FileState::open("/nonexistent/folder/ids.state").unwrap_err();
        assert!(error.to_string().contains("/nonexistent/folder/ids.state"), "{error}");
        let source = core::error::Error::source(&error).and_then(|source| source.downcast_ref());
        assert_eq!(source.map(std::io::Error::kind), Some(ErrorKind::NotFound));
    }
}
