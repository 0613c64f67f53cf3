//! Finds and opens a recorded run by its path.

use std::fs;
use std::io;
use std::path::Path;

use crate::{Error, Result};
use crate::{FILES, read};
use idgen_record::Results;

/// The results in this file, or in the `results.json` of this directory.
///
/// # Errors
/// There is no such file, or it is damaged or of another format. The message names the path and says what to do.
pub fn open(path: &Path) -> Result<Results> {
    let file = if path.is_dir() { path.join(FILES[0]) } else { path.to_owned() };
    let text = text_of(&file).map_err(|error| {
        let advice = if path.is_dir() { below(path) } else { String::new() };
        Error::caused(
            format!("cannot read {}: name a results.json or its directory{advice}", file.display()),
            error,
        )
    })?;
    read(&text).map_err(|error| Error::caused(format!("cannot use {}", file.display()), error))
}

/// The text of a file or pipe. A device such as `/dev/zero` may never end.
fn text_of(file: &Path) -> io::Result<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;

        let kind = fs::metadata(file)?.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err(io::Error::other("it is a device"));
        }
    }
    fs::read_to_string(file)
}

/// The advice for a directory of experiments, which has a directory of results for each.
fn below(directory: &Path) -> String {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut found: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.join(FILES[0]).is_file())
        .map(|path| path.display().to_string())
        .collect();
    found.sort();
    if found.is_empty() { String::new() } else { format!(", such as {}", found.join(", ")) }
}
