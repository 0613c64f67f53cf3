//! Shows records: on the terminal, as JSON, CSV and a self-contained page. Reads nothing but records.

mod answer;
mod cases;
mod charts;
mod csv;
mod html;
mod json;
mod numbers;
mod published;
mod terminal;

use std::fs;
use std::path::Path;

use crate::measure::Results;
use crate::{Error, Result};

pub use answer::answer;
pub use csv::csv;
pub use html::html;
pub use json::{json, read};
pub use published::{Comparison, Figure, comparisons, figure};
pub use terminal::{WIDTH, cases, experiments, published, strategies, table};

/// The files that [`save`] writes.
pub const FILES: [&str; 3] = ["results.json", "results.csv", "report.html"];

/// Makes the directory, and finds out whether it can be written: better known before the runs than after.
///
/// What is in it stays: results of an earlier run give way to those of the next, not to its beginning.
///
/// # Errors
/// Where the directory cannot be made or written.
pub fn prepare(directory: &Path) -> Result<()> {
    make(directory)?;
    tempfile::NamedTempFile::new_in(directory)
        .map(drop)
        .map_err(|error| Error::output(format!("cannot write into {}", directory.display()), error))
}

/// Writes `results.json`, `results.csv` and `report.html` into a directory, which it makes.
///
/// Each file appears whole or not at all, so that an interrupted write leaves the one before.
///
/// # Errors
/// Where the directory or a file cannot be written.
pub fn save(results: &Results, directory: &Path) -> Result<()> {
    make(directory)?;
    for (name, content) in FILES.into_iter().zip([json(results)?, csv(results)?, html(results)?]) {
        replace(&directory.join(name), content.as_bytes())?;
    }
    Ok(())
}

fn make(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .map_err(|error| Error::output(format!("cannot make the directory {}", directory.display()), error))
}

/// Writes beside the file and then renames, which replaces it at once.
fn replace(path: &Path, content: &[u8]) -> Result<()> {
    let failed = |error| Error::output(format!("cannot write {}", path.display()), error);
    let beside = path.with_added_extension(format!("{}.part", std::process::id()));
    fs::write(&beside, content).map_err(failed)?;
    fs::rename(&beside, path).map_err(failed)
}

#[cfg(test)]
mod tests;
