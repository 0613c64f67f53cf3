//! The files in the directory of a run. Each is written completely or not at all.

use std::fs;
use std::path::Path;

use super::drawings::Drawings;
use super::{csv, html, json, markdown};
use crate::{Error, Result};
use idgen_record::Results;

/// The files that [`save`] writes, `windows.csv` only where there are windows, beside the charts in [`CHARTS`].
pub const FILES: [&str; 5] = ["results.json", "results.csv", "windows.csv", "report.md", "report.html"];

/// The directory of the charts, `NAME.svg` each, within that of the report.
pub const CHARTS: &str = "charts";

/// A mark in every chart that the lab writes, so that it never removes other files.
const MARK: &str = "<!-- drawn by idgen lab -->\n";

/// Creates the directory, and checks before the runs that it can be written.
///
/// Files in it stay until the first results of this run replace them.
///
/// # Errors
/// Where the directory cannot be made or written.
pub fn prepare(directory: &Path) -> Result<()> {
    make(directory)?;
    tempfile::NamedTempFile::new_in(directory)
        .map(drop)
        .map_err(|error| Error::caused(format!("cannot write into {}", directory.display()), error))
}

/// Writes `results.json`, `results.csv`, `windows.csv`, `report.md`, `report.html` and each chart as
/// `charts/NAME.svg` into a directory, which it makes.
///
/// Each file is replaced completely or not at all, so that an interrupted write leaves the earlier file. Charts of an
/// earlier run that this run does not have are removed.
///
/// # Errors
/// Where the directory or a file cannot be written.
pub fn save(results: &Results, directory: &Path) -> Result<()> {
    make(directory)?;
    let drawings = Drawings::of(results)?;
    let charts = directory.join(CHARTS);
    if drawings.all().next().is_some() {
        make(&charts)?;
    }
    for drawing in drawings.all() {
        let content = format!("{MARK}{}", drawing.chart.file());
        write(&charts.join(format!("{}.svg", drawing.name)), content.as_bytes())?;
    }
    remove_others(&charts, &drawings)?;
    let text = markdown::text(results, &drawings);
    let page = html::page(results, drawings)?;
    let contents = [json(results)?, csv::csv(results)?, csv::windows(results)?, text, page];
    for (name, content) in FILES.into_iter().zip(contents) {
        let path = directory.join(name);
        // An experiment of statements has no windows; those of an earlier run would look like its own.
        if content.is_empty() { remove(&path)? } else { write(&path, content.as_bytes())? }
    }
    Ok(())
}

/// Removes a file, if it is there.
fn remove(path: &Path) -> Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(Error::caused(format!("cannot remove {}", path.display()), error))
        }
        _ => Ok(()),
    }
}

fn make(directory: &Path) -> Result<()> {
    fs::create_dir_all(directory)
        .map_err(|error| Error::caused(format!("cannot make the directory {}", directory.display()), error))
}

/// Writes a temporary file in the same directory and renames it, which replaces the earlier file atomically.
///
/// # Errors
/// The file cannot be written. The earlier file is then unchanged, and the temporary file is removed.
pub fn write(path: &Path, content: &[u8]) -> Result<()> {
    let beside = path.with_added_extension(format!("{}.part", std::process::id()));
    fs::write(&beside, content).and_then(|()| fs::rename(&beside, path)).map_err(|error| {
        // The incomplete file would take space on a full disk.
        let _ = fs::remove_file(&beside);
        Error::caused(format!("cannot write {}", path.display()), error)
    })
}

/// Removes charts of an earlier run of other strategies, which would look like charts of this run.
fn remove_others(charts: &Path, drawings: &Drawings) -> Result<()> {
    let Ok(entries) = fs::read_dir(charts) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().unwrap_or_default();
        let ours = || fs::read_to_string(&path).is_ok_and(|text| text.starts_with(MARK));
        if path.extension().is_some_and(|ending| ending == "svg")
            && !drawings.all().any(|drawing| *drawing.name == *name)
            && ours()
        {
            remove(&path)?;
        }
    }
    Ok(())
}
