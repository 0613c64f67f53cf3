//! One compaction: which files it merges, and what comes out.

use std::ops::Range;

use crate::cut::{Sizes, into_files};
use crate::file::{File, Key, bytes_of};
use crate::level::Level;
use crate::settings::Release;

/// What a compaction did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Done {
    /// Bytes that were written.
    pub(crate) written: f64,
    /// Files that were moved without being written.
    pub(crate) moved: u64,
}

/// Merges the oldest file of level 0, and those that overlap with it, into a level.
pub(crate) fn level0(files: &mut Vec<File>, into: &mut Level, below: &[File], sizes: Sizes) -> Done {
    if files.is_empty() {
        return Done::default();
    }
    if sizes.release == Release::Aligned && !into.files().is_empty() {
        let moved = movable(files, into);
        if moved > 0 {
            return move_all(files.drain(..moved), into);
        }
    }
    let mut taken = vec![files.remove(0)];
    // A file that overlaps with a taken one is taken too, and so on.
    while let Some(place) = files.iter().position(|file| taken.iter().any(|one| one.overlaps(file))) {
        taken.push(files.remove(place));
    }
    merge(taken, into, below, sizes)
}

/// The number of the oldest files that can move together: each lies beside those before it, and no file of the level has a key
/// in the range from the first to the last of them.
fn movable(files: &[File], into: &Level) -> usize {
    let (mut first, mut last) = (Key::MAX, Key::MIN);
    for (count, file) in files.iter().enumerate() {
        if count > 0 && file.first() <= last && first <= file.last() {
            return count;
        }
        (first, last) = (first.min(file.first()), last.max(file.last()));
        if !into.overlapping(first, last).is_empty() {
            return count;
        }
    }
    files.len()
}

/// Merges one file of a level into the next: the one that meets the fewest bytes there for each of its own.
pub(crate) fn next(from: &mut Level, into: &mut Level, below: &[File], sizes: Sizes) -> Done {
    let Some(place) = cheapest(from, into) else { return Done::default() };
    let file = &from.files()[place];
    if into.overlapping(file.first(), file.last()).is_empty() {
        let most = if sizes.release == Release::Aligned { MOST_MOVED } else { 1 };
        let places = beside(from, into, place, most);
        return move_all(from.take(places).into_iter(), into);
    }
    let places = widened(from, into, place);
    merge(from.take(places), into, below, sizes)
}

/// Files that are moved at once.
const MOST_MOVED: usize = 4;

/// The file at this place and up to `most` with its neighbors, those to the right first, between which the next level has no
/// key.
fn beside(from: &Level, into: &Level, place: usize, most: usize) -> Range<usize> {
    let files = from.files();
    let free = |places: &Range<usize>| {
        into.overlapping(files[places.start].first(), files[places.end - 1].last()).is_empty()
    };
    let mut places = place..place + 1;
    while places.len() < most && places.end < files.len() && free(&(places.start..places.end + 1)) {
        places.end += 1;
    }
    while places.len() < most && places.start > 0 && free(&(places.start - 1..places.end)) {
        places.start -= 1;
    }
    places
}

fn move_all(files: impl Iterator<Item = File>, into: &mut Level) -> Done {
    let mut moved = 0;
    for file in files {
        into.add(vec![file]);
        moved += 1;
    }
    Done { written: 0.0, moved }
}

fn cheapest(from: &Level, into: &Level) -> Option<usize> {
    let ratio =
        |file: &File| bytes_of(&into.files()[into.overlapping(file.first(), file.last())]) / file.bytes();
    let ratios = from.files().iter().map(ratio).enumerate();
    ratios.min_by(|one, other| one.1.total_cmp(&other.1)).map(|(place, _)| place)
}

/// The file at this place and its neighbors, as far as they meet no other files of the next level.
fn widened(from: &Level, into: &Level, place: usize) -> Range<usize> {
    let file = &from.files()[place];
    let met = &into.files()[into.overlapping(file.first(), file.last())];
    let (first, last) = (met[0].first().min(file.first()), met[met.len() - 1].last().max(file.last()));
    let all = from.overlapping(first, last);
    let (begin, end) = (&from.files()[all.start], &from.files()[all.end - 1]);
    let more = into.overlapping(begin.first(), end.last());
    if more.len() == met.len() { all } else { place..place + 1 }
}

/// Merges files with those that they meet in a level. A single one that meets none moves there.
fn merge(mut taken: Vec<File>, into: &mut Level, below: &[File], sizes: Sizes) -> Done {
    let first = taken.iter().map(File::first).min().unwrap_or_default();
    let last = taken.iter().map(File::last).max().unwrap_or_default();
    let met = into.overlapping(first, last);
    if taken.len() == 1 && met.is_empty() {
        into.add(taken);
        return Done { written: 0.0, moved: 1 };
    }
    taken.extend(into.take(met));
    let mut keys: Vec<Key> = taken.into_iter().flat_map(File::into_keys).collect();
    // Finds the sorted runs, and merges them.
    keys.sort();
    let files = into_files(&keys, sizes, below);
    let written = bytes_of(&files);
    into.add(files);
    Done { written, moved: 0 }
}
