//! A site of many records: one page with every run as a point, and the records to download.
//!
//! The page is written with the records beside it into a temporary directory, which then takes the place of the earlier site.

mod commits;
mod entry;
mod figure;
mod index;
mod place;
mod records;

use std::fs;
use std::path::Path;

use crate::error::{Error, Result};
use crate::formats::files::write;

/// Text in the head of each page of a site, by which a site is recognized, so that nothing else is replaced.
pub(crate) const MARK: &str = "idgen lab site";
/// The files of a site, beside the records.
const PAGE: &str = "index.html";
const SUMS: &str = "SHA256SUMS";

/// Counts what a site contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Site {
    /// Records.
    pub records: usize,
    /// Runs in all records.
    pub runs: usize,
}

/// Writes a site of all records in and below a directory: `index.html`, the records, and their checksums as `SHA256SUMS`. It
/// needs neither a server nor a network.
///
/// Records are `results.json`, the same as `NAME.json.gz`, and `NAME.jsonl.gz` with a record on each line. Where `git` knows the
/// files, the page names the commit that last changed each of them.
///
/// ```
/// # let directory = tempfile::tempdir().unwrap();
/// let recorded = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/rebuild");
/// let site = idgen_report::site(recorded.as_ref(), &directory.path().join("site"))?;
/// assert_eq!(site.records, 1);
/// assert!(directory.path().join("site/index.html").exists());
/// # Ok::<(), idgen_report::Error>(())
/// ```
///
/// # Errors
/// The directory has no records, one of them cannot be read, or `to` has files that are no earlier site. Nothing is written
/// then.
pub fn site(from: &Path, to: &Path) -> Result<Site> {
    place::check(from, to)?;
    let entries = records::read_all(from)?;
    let page = index::page(&entries)?.html()?;
    place::replace(to, |new| {
        write(&new.join(PAGE), page.as_bytes())?;
        let mut sums = String::new();
        for file in records::files(&entries) {
            let copy = new.join(&file.link);
            let made = copy.parent().map_or(Ok(()), fs::create_dir_all);
            made.and_then(|()| fs::copy(&file.path, &copy)).map_err(|error| {
                Error::caused(format!("cannot copy {} to {}", file.path.display(), copy.display()), error)
            })?;
            sums += &format!("{}  {}\n", file.sha256, file.link);
        }
        write(&new.join(SUMS), sums.as_bytes())
    })?;
    let runs = entries.iter().flat_map(|entry| &entry.results.runs).map(idgen_record::Run::run_count).sum();
    Ok(Site { records: entries.len(), runs })
}
