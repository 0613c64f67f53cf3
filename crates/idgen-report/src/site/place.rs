//! The directory of a site: what may be replaced, and how.

use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{MARK, PAGE, SUMS};
use crate::error::{Error, Result};

/// Checks that a site of the records in `from` can be written to `to`.
///
/// # Errors
/// One of the two is in the other one, or `to` is a file or has a file that is not of an earlier site.
pub(super) fn check(from: &Path, to: &Path) -> Result<()> {
    let cannot = |error| {
        Error::caused(format!("cannot read {}: name the directory of the records", from.display()), error)
    };
    let (source, target) = (from.canonicalize().map_err(cannot)?, real(to)?);
    if !source.is_dir() {
        return Err(Error::refused(format!(
            "{} is a file: name the directory of its records, or show one run with idgen lab report",
            from.display()
        )));
    }
    if source.starts_with(&target) || target.starts_with(&source) {
        return Err(Error::refused(format!(
            "the site would be at {}, and the records are at {}: choose a directory for the site that is not within that of the \
             records, nor around it",
            to.display(),
            from.display()
        )));
    }
    if let Some(foreign) = foreign(to)? {
        return Err(Error::refused(format!(
            "{} has {}, which idgen lab site did not write: choose another directory, or remove it",
            to.display(),
            foreign.display()
        )));
    }
    Ok(())
}

/// The path without links and dots, also where it does not exist yet.
fn real(path: &Path) -> Result<PathBuf> {
    let cannot = |error| Error::caused(format!("cannot use {}", path.display()), error);
    let whole = std::path::absolute(path).map_err(cannot)?;
    let mut rest = Vec::new();
    let mut there = whole.as_path();
    loop {
        match (there.canonicalize(), there.parent(), there.file_name()) {
            (Ok(real), ..) => return Ok(rest.iter().rev().fold(real, |path, name| path.join(name))),
            (Err(_), Some(parent), Some(name)) => {
                rest.push(name);
                there = parent;
            }
            (Err(error), ..) => return Err(cannot(error)),
        }
    }
}

/// A file in the directory that no earlier site has; `None` where there is none.
fn foreign(to: &Path) -> Result<Option<PathBuf>> {
    let cannot = |error| Error::caused(format!("cannot read {}", to.display()), error);
    match fs::symlink_metadata(to) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(cannot(error)),
        Ok(found) if !found.is_dir() => {
            let found = format!("{} is a file or a link: choose a directory for the site", to.display());
            return Err(Error::refused(found));
        }
        Ok(_) => {}
    }
    let text = |name: &str| fs::read_to_string(to.join(name)).unwrap_or_default();
    let is_site = text(PAGE).contains(&format!("<meta name=\"generator\" content=\"{MARK}\">"));
    let sums = if is_site { text(SUMS) } else { String::new() };
    let mut ours: BTreeSet<PathBuf> =
        sums.lines().filter_map(|line| Some(line.split_once("  ")?.1.into())).collect();
    if is_site {
        ours.extend([PAGE, SUMS].map(PathBuf::from));
    }
    let mut directories = vec![to.to_owned()];
    while let Some(directory) = directories.pop() {
        for entry in fs::read_dir(directory).map_err(cannot)? {
            let entry = entry.map_err(cannot)?;
            let path = entry.path();
            if entry.file_type().map_err(cannot)?.is_dir() {
                directories.push(path);
            } else if !path.strip_prefix(to).is_ok_and(|inner| ours.contains(inner)) {
                return Ok(Some(path));
            }
        }
    }
    Ok(None)
}

/// Fills a new directory and puts it into the place of an earlier site. After an error, the earlier site is unchanged.
pub(super) fn replace(to: &Path, fill: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let cannot = |error| Error::caused(format!("cannot write {}", to.display()), error);
    let whole = std::path::absolute(to).map_err(cannot)?;
    let beside = whole.parent().unwrap_or(&whole);
    fs::create_dir_all(beside).map_err(cannot)?;
    // Only its owner may enter the temporary directory, but everybody that of the site.
    let temporary = tempfile::Builder::new().prefix(".idgen-site-").tempdir_in(beside).map_err(cannot)?;
    let [new, old] = ["new", "old"].map(|name| temporary.path().join(name));
    fs::create_dir(&new).map_err(cannot)?;
    fill(&new)?;
    let earlier = fs::rename(&whole, &old);
    if let Err(error) = earlier
        && error.kind() != io::ErrorKind::NotFound
    {
        return Err(cannot(error));
    }
    fs::rename(&new, &whole).map_err(|error| {
        let _ = fs::rename(&old, &whole);
        cannot(error)
    })
}
