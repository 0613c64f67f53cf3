//! The files in the directory of a run. Each is written completely or not at all.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;

use flate2::{Compression, GzBuilder};

use super::blocks::Page;
use super::{csv, json::json, records, report};
use crate::error::{Error, Result};
use idgen_record::Results;

/// The files that [`save`] writes, `windows.csv` only where there are windows, beside the charts in [`CHARTS`].
pub const FILES: [&str; 5] = ["results.json", "results.csv", "windows.csv", "report.md", "report.html"];

/// The directory of the charts, `NAME.svg` each, within that of the report.
pub const CHARTS: &str = "charts";

/// A mark in every chart that the lab writes, so that it never removes other files.
const MARK: &str = "<!-- drawn by idgen lab -->\n";

/// A directory that no other run of the lab writes into as long as this lives.
#[must_use = "another run may write into the directory as soon as this is dropped"]
#[derive(Debug)]
pub struct Prepared(#[expect(dead_code, reason = "its lock ends with it")] Option<fs::File>);

/// Creates the directory, and checks before the runs that it can be written.
///
/// Files in it stay until the first results of this run replace them.
///
/// # Errors
/// The directory cannot be made or written, another run writes into it, or it has a file of a report's name but no record: somebody else's.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// std::fs::write(directory.path().join("report.html"), "of the year")?;
/// let error = idgen_report::prepare(directory.path()).unwrap_err();
/// assert!(error.to_string().contains("report.html"), "{error}");
///
/// std::fs::remove_file(directory.path().join("report.html"))?;
/// let prepared = idgen_report::prepare(directory.path()).unwrap();
/// let error = idgen_report::prepare(directory.path()).unwrap_err();
/// assert!(error.to_string().contains("another run of idgen lab"), "{error}");
/// drop(prepared);
/// let _prepared = idgen_report::prepare(directory.path()).unwrap();
/// # Ok::<(), std::io::Error>(())
/// ```
pub fn prepare(directory: &Path) -> Result<Prepared> {
    make(directory)?;
    let is_there = |name: &str| directory.join(name).exists();
    let ours = records::NAMES.into_iter().any(is_there);
    if let Some(name) = FILES.into_iter().find(|name| is_there(name)).filter(|_| !ours) {
        return Err(Error::refused(format!(
            "{} has a file {name} that idgen lab did not write, because there is no {} beside it: choose another directory",
            directory.display(),
            records::NAMES[0]
        )));
    }
    tempfile::NamedTempFile::new_in(directory)
        .map(drop)
        .map_err(|error| Error::caused(format!("cannot write into {}", directory.display()), error))?;
    // Where a directory cannot be opened or locked, nothing keeps two runs apart.
    let opened = fs::File::open(directory).ok();
    match opened.as_ref().map(fs::File::try_lock) {
        Some(Err(fs::TryLockError::WouldBlock)) => Err(Error::refused(format!(
            "another run of idgen lab writes into {}: choose another directory with --out, or wait for it",
            directory.display()
        ))),
        _ => Ok(Prepared(opened)),
    }
}

/// Refuses the path of a page where another file is, so that no database and no record is replaced by one.
///
/// # Errors
/// The file exists and does not begin as a page of HTML.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// let path = directory.path().join("shop.db");
/// idgen_report::check_page(&path)?;
/// std::fs::write(&path, "SQLite format 3")?;
/// assert!(idgen_report::check_page(&path).unwrap_err().to_string().contains("shop.db"));
/// std::fs::write(&path, "<!DOCTYPE html><title>of yesterday</title>")?;
/// idgen_report::check_page(&path)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn check_page(path: &Path) -> Result<()> {
    const BEGINNING: &[u8] = b"<!doctype html";
    if !path.is_file() {
        return Ok(());
    }
    let mut begin = Vec::new();
    let read =
        fs::File::open(path).and_then(|file| file.take(BEGINNING.len() as u64).read_to_end(&mut begin));
    read.map_err(|error| Error::caused(format!("cannot read {}", path.display()), error))?;
    if begin.is_empty() || begin.eq_ignore_ascii_case(BEGINNING) {
        return Ok(());
    }
    Err(Error::refused(format!(
        "{} is there and is no page: choose another file for --html, or remove it",
        path.display()
    )))
}

/// Writes `results.json`, `results.csv`, `windows.csv`, `report.md`, `report.html` and each chart as
/// `charts/NAME.svg` into a directory, which it makes.
///
/// Each file is replaced completely or not at all, so that an interrupted write leaves the earlier file. Charts of an
/// earlier run that this run does not have are removed.
///
/// # Errors
/// The directory or a file cannot be written.
pub fn save(results: &Results, directory: &Path) -> Result<()> {
    make(directory)?;
    let page = report::report(results)?;
    draw(&directory.join(CHARTS), &page, None)?;
    let contents =
        [json(results)?, csv::csv(results)?, csv::windows(results)?, page.markdown(), page.html()?];
    for (name, content) in FILES.into_iter().zip(contents) {
        let path = directory.join(name);
        // An experiment of statements has no windows; those of an earlier run would look like its own.
        if content.is_empty() { remove(&path)? } else { write(&path, content.as_bytes())? }
    }
    Ok(())
}

/// Writes a recorded run in the form in which a repository keeps it: the record, compressed as `results.json.gz`, and the
/// charts that are named. [`save`] draws the others from the record at any time.
///
/// The record is kept as it is, and not written anew. Where the directory is that of the run, the files that [`save`] wrote
/// there are removed.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// use idgen_report::{archive, json, open};
///
/// let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rebuild").as_ref();
/// let kept = directory.path();
/// archive(recorded, kept, &[])?;
/// assert_eq!(json(&open(kept)?)?, json(&open(recorded)?)?);
/// assert!(!kept.join("charts").exists());
/// # Ok::<(), idgen_report::Error>(())
/// ```
///
/// # Errors
/// The run cannot be read, it has no chart of a name, or a file cannot be written. Nothing is removed then.
pub fn archive(run: &Path, directory: &Path, charts: &[&str]) -> Result<()> {
    let file = records::find(run)?;
    let text = records::text_of(&file)
        .map_err(|error| Error::caused(format!("cannot read {}", file.display()), error))?;
    let results = records::open(&file)?;
    let page = report::report(&results)?;
    if let Some(name) = charts.iter().find(|name| !page.charts().any(|drawing| drawing.name == **name)) {
        let names: Vec<_> = page.charts().map(|drawing| &*drawing.name).collect();
        return Err(Error::refused(format!("this run has no chart {name:?}: it has {}", names.join(", "))));
    }
    make(directory)?;
    let cannot = |error| Error::caused("cannot compress the record", error);
    // The same record gives the same bytes: the header has no time and no name.
    let mut compressed = GzBuilder::new().write(Vec::new(), Compression::best());
    compressed.write_all(text.as_bytes()).map_err(cannot)?;
    write(&directory.join(records::NAMES[1]), &compressed.finish().map_err(cannot)?)?;
    draw(&directory.join(CHARTS), &page, Some(charts))?;
    for name in FILES {
        remove(&directory.join(name))?;
    }
    Ok(())
}

/// Draws the charts, or those that are named, and removes others of an earlier run: they would look like charts of this
/// one.
fn draw(directory: &Path, page: &Page, named: Option<&[&str]>) -> Result<()> {
    let wanted = |name: &str| named.is_none_or(|named| named.contains(&name));
    for drawing in page.charts().filter(|drawing| wanted(&drawing.name)) {
        make(directory)?;
        let content = format!("{MARK}{}", drawing.chart.file());
        write(&directory.join(format!("{}.svg", drawing.name)), content.as_bytes())?;
    }
    let Ok(entries) = fs::read_dir(directory) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()) {
        let name = path.file_stem().unwrap_or_default();
        let ours = || fs::read_to_string(&path).is_ok_and(|text| text.starts_with(MARK));
        if path.extension().is_some_and(|ending| ending == "svg")
            && !page.charts().any(|drawing| *drawing.name == *name && wanted(&drawing.name))
            && ours()
        {
            remove(&path)?;
        }
    }
    // Only if nothing is left in it.
    let _ = fs::remove_dir(directory);
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
