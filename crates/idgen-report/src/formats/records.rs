//! Finds and opens recorded runs, by their paths or by short names.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use flate2::read::MultiGzDecoder;

use crate::error::{Error, Result};
use crate::formats::json::read;
use idgen_record::Results;

/// The record in the directory of a run: as the lab writes it, or compressed by [`archive`](crate::archive).
pub(crate) const NAMES: [&str; 2] = ["results.json", "results.json.gz"];

/// The directory of this repository that short names are searched in.
const RECORDED: &str = "docs/results";

/// The longest text of a record that is read. A small compressed file can contain a text that fills the memory.
const LONGEST: u64 = 1 << 30;

/// The results of a run, which is named by
///
/// - its file, `results.json` or the same compressed with gzip, whose ending `.json.gz` may be left out,
/// - its directory,
/// - the end of the path of a run below `docs/results` of the current directory, such as `mysql/switch-1x`, if only one
///   run there has this end.
///
/// # Errors
/// There is no such run, there are several, or its file is damaged or of another format. The message names the path and
/// says what to do.
pub fn open(run: &Path) -> Result<Results> {
    let file = find(run)?;
    let text = text_of(&file).map_err(|error| Error::caused(unreadable(&file), error))?;
    read(&text).map_err(|error| Error::caused(format!("cannot use {}", file.display()), error))
}

/// The results in a file with one record on each line, in their order, as the hold-out sets of docs/results have them.
///
/// # Errors
/// The errors of [`open`], with the number of the line.
pub fn open_lines(file: &Path) -> Result<Vec<Results>> {
    let text = text_of(file).map_err(|error| Error::caused(unreadable(file), error))?;
    let numbered = text.lines().enumerate();
    let of = |(at, line): (usize, &str)| {
        let place = format!("cannot use line {} of {}", at + 1, file.display());
        read(line).map_err(|error| Error::caused(place, error))
    };
    numbered.map(of).collect()
}

/// The files of all runs at or below a directory, in the order of their paths.
///
/// # Errors
/// A directory cannot be read.
pub fn below(directory: &Path) -> Result<Vec<PathBuf>> {
    found_below(directory, &|path| {
        let name = path.to_string_lossy();
        path.file_name().is_some_and(|name| NAMES[0] == name) || name.ends_with(".json.gz")
    })
}

/// The ending of a file with a record on each line.
pub(crate) const LINES: &str = ".jsonl.gz";

/// The files at or below a directory whose names have this ending, in the order of their paths.
pub(crate) fn below_with(directory: &Path, ending: &str) -> Result<Vec<PathBuf>> {
    found_below(directory, &|path| path.to_string_lossy().ends_with(ending))
}

fn found_below(directory: &Path, wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    collect(directory, wanted, &mut found)
        .map_err(|error| Error::caused(format!("cannot read {}", directory.display()), error))?;
    found.sort();
    Ok(found)
}

/// The file of a run.
pub(crate) fn find(run: &Path) -> Result<PathBuf> {
    if run.is_dir() {
        let file = NAMES.iter().map(|name| run.join(name)).find(|file| file.is_file());
        return file.ok_or_else(|| Error::refused(format!("{}{}", unreadable(run), such_as(run))));
    }
    let compressed = run.with_added_extension("json.gz");
    for file in [run, &compressed] {
        if file.exists() {
            return Ok(file.to_owned());
        }
    }
    let mut ends: Vec<PathBuf> = below(Path::new(RECORDED)).unwrap_or_default();
    ends.retain(|file| short(file).ends_with(run));
    match &ends[..] {
        [file] => Ok(file.clone()),
        [] => {
            let missing = io::Error::from(io::ErrorKind::NotFound);
            Err(Error::caused(unreadable(run), missing))
        }
        several => Err(Error::refused(format!(
            "{} is the end of several runs: name one of {}",
            run.display(),
            listed(several)
        ))),
    }
}

fn unreadable(path: &Path) -> String {
    format!("cannot read {}: name a results.json or its directory", path.display())
}

/// The path by which a run is named: of its directory, or of its file without the ending.
fn short(file: &Path) -> PathBuf {
    let named = file.file_name().is_some_and(|name| NAMES.iter().any(|record| name == *record));
    match file.parent() {
        Some(directory) if named => directory.to_owned(),
        _ => file.with_extension("").with_extension(""),
    }
}

fn listed(files: &[PathBuf]) -> String {
    let names: Vec<_> = files.iter().map(|file| short(file).display().to_string()).collect();
    names.join(", ")
}

/// The advice for a directory of experiments, which has a directory of results for each.
fn such_as(directory: &Path) -> String {
    let runs = below(directory).unwrap_or_default();
    if runs.is_empty() { String::new() } else { format!(", such as {}", listed(&runs)) }
}

fn collect(directory: &Path, wanted: &dyn Fn(&Path) -> bool, found: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, wanted, found)?;
        } else if wanted(&path) {
            found.push(path);
        }
    }
    Ok(())
}

/// The text of a file or pipe, decompressed if it is compressed. A device such as `/dev/zero` may never end.
pub(crate) fn text_of(file: &Path) -> io::Result<String> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::FileTypeExt as _;

        let kind = fs::metadata(file)?.file_type();
        if kind.is_char_device() || kind.is_block_device() {
            return Err(io::Error::other("it is a device"));
        }
    }
    let mut bytes = Vec::new();
    File::open(file)?.take(LONGEST + 1).read_to_end(&mut bytes)?;
    if bytes.starts_with(&[0x1f, 0x8b]) {
        let mut text = Vec::new();
        MultiGzDecoder::new(&bytes[..]).take(LONGEST + 1).read_to_end(&mut text)?;
        bytes = text;
    }
    if bytes.len() as u64 > LONGEST {
        return Err(io::Error::other(format!("its text is longer than {LONGEST} bytes")));
    }
    String::from_utf8(bytes).map_err(|error| {
        io::Error::other(match error.as_bytes() {
            [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] => {
                "its text is UTF-16, as its byte order mark says: save it as UTF-8"
            }
            _ => "its text is not UTF-8",
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;

    #[test]
    fn a_compressed_file_is_read_and_a_damaged_or_endless_one_is_refused() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("results.json.gz");
        let compressed = |text: &[u8]| {
            let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            writer.write_all(text).unwrap();
            writer.finish().unwrap()
        };
        let good = compressed(b"{\"format\": 1}");
        fs::write(&file, &good).unwrap();
        assert_eq!(text_of(&file).unwrap(), "{\"format\": 1}");
        for damaged in [&good[..good.len() - 6], &good[..12], &[0x1f, 0x8b][..], &compressed(&[0xff; 9])] {
            fs::write(&file, damaged).unwrap();
            assert!(text_of(&file).is_err(), "{damaged:?}");
        }
    }

    #[test]
    fn the_short_name_of_a_run_is_its_directory_or_its_file() {
        for (file, name) in [
            ("docs/results/day/mysql/mixed/results.json.gz", "mysql/mixed"),
            ("docs/results/day/mysql/mixed/results.json", "day/mysql/mixed"),
            ("docs/results/hold-out/mysql/p32.json.gz", "hold-out/mysql/p32"),
        ] {
            assert!(short(Path::new(file)).ends_with(name), "{file}");
        }
        assert!(!short(Path::new("docs/results/day/mysql/mixed-8/results.json")).ends_with("mixed"));
    }
}
