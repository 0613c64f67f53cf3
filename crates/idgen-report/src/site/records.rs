//! The records of a site, with what a reader needs to check them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use sha2::{Digest as _, Sha256};

use super::commits::Commits;
use crate::error::{Error, Result};
use crate::formats::records::{LINES, below, below_with, open, open_lines};
use idgen_record::Results;

/// A file with one record or several.
pub(super) struct RecordFile {
    pub path: PathBuf,
    /// The path in the site.
    pub link: String,
    /// The SHA-256 of the file as it is, in hexadecimal digits.
    pub sha256: String,
    /// The commit that last changed it; `None` where it is not known.
    pub commit: Option<String>,
}

/// A record of the site.
pub(super) struct Entry {
    /// A name for people: the path of its directory or file, with the line where there are several.
    pub name: String,
    /// The id of its place in the page.
    pub id: String,
    pub file: Rc<RecordFile>,
    pub results: Results,
}

/// All records in and below a directory, in the order of their paths.
///
/// # Errors
/// There are none, or one cannot be read.
pub(super) fn read_all(from: &Path) -> Result<Vec<Entry>> {
    let commits = Commits::of(from);
    let (mut entries, mut ids) = (Vec::new(), BTreeSet::new());
    let mut add = |name: String, file: &Rc<RecordFile>, results| {
        let id = unused(&name, &mut ids);
        entries.push(Entry { name, id, file: Rc::clone(file), results });
    };
    let (single, lines) = (below(from)?, below_with(from, LINES)?);
    for path in single {
        let file = Rc::new(file(from, &path, &commits)?);
        add(name_of(from, &path), &file, open(&path)?);
    }
    for path in lines {
        let file = Rc::new(file(from, &path, &commits)?);
        for (line, results) in (1..).zip(open_lines(&path)?) {
            add(format!("{}, line {line}", name_of(from, &path)), &file, results);
        }
    }
    if entries.is_empty() {
        return Err(Error::refused(format!(
            "{} has no records, neither results.json nor files that end with .json.gz or {LINES}: name a directory in or above \
             which idgen lab wrote",
            from.display()
        )));
    }
    Ok(entries)
}

/// The files of these records, each once.
pub(super) fn files(entries: &[Entry]) -> impl Iterator<Item = &RecordFile> {
    let is_new = |at: &usize| *at == 0 || !Rc::ptr_eq(&entries[*at].file, &entries[at - 1].file);
    (0..entries.len()).filter(is_new).map(|at| &*entries[at].file)
}

fn file(from: &Path, path: &Path, commits: &Commits) -> Result<RecordFile> {
    let bytes =
        fs::read(path).map_err(|error| Error::caused(format!("cannot read {}", path.display()), error))?;
    let inner = within(from, path);
    Ok(RecordFile {
        path: path.to_owned(),
        link: format!("records/{inner}"),
        sha256: Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect(),
        commit: commits.of_file(&inner),
    })
}

/// The path below the directory, with `/` on each system.
fn within(from: &Path, path: &Path) -> String {
    let inner = path.strip_prefix(from).unwrap_or(path);
    let parts: Vec<_> = inner.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

/// The directory of a `results.json`, or else the file without its ending.
fn name_of(from: &Path, path: &Path) -> String {
    let inner = within(from, path);
    let (directory, file) = inner.rsplit_once('/').unwrap_or(("", &inner));
    let file =
        [".jsonl.gz", ".json.gz", ".json"].iter().find_map(|end| file.strip_suffix(end)).unwrap_or(file);
    match (directory, file) {
        ("", file) => file.to_owned(),
        (directory, "results") => directory.to_owned(),
        (directory, file) => format!("{directory}/{file}"),
    }
}

/// A place made of a name, with a number where another name gave the same.
fn unused(name: &str, ids: &mut BTreeSet<String>) -> String {
    let id: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect();
    let numbered = (2..).map(|number| format!("{id}-{number}"));
    let id = std::iter::once(id.clone()).chain(numbered).find(|id| !ids.contains(id)).unwrap_or(id);
    ids.insert(id.clone());
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_named_by_its_directory_or_its_file() {
        for (path, name) in [
            ("r/day/mysql/mixed/results.json.gz", "day/mysql/mixed"),
            ("r/day/mixed/results.json", "day/mixed"),
            ("r/results.json", "results"),
            ("r/hold-out/p32.json.gz", "hold-out/p32"),
            ("r/mysql.jsonl.gz", "mysql"),
        ] {
            assert_eq!(name_of(Path::new("r"), Path::new(path)), name);
        }
    }

    #[test]
    fn names_that_give_the_same_place_get_numbers() {
        let mut ids = BTreeSet::new();
        let found = ["a/b", "a-b", "a b"].map(|name| unused(name, &mut ids));
        assert_eq!(found, ["a-b", "a-b-2", "a-b-3"]);
    }
}
