//! Where a compaction ends a file and begins the next one.

use crate::file::{BYTES_AT_END, File, Key, RowBytes};
use crate::settings::Release;

/// The sizes of files.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sizes {
    /// Bytes that a file should have.
    pub(crate) wanted: f64,
    /// A file ends when it has as many.
    pub(crate) most: f64,
    pub(crate) row: RowBytes,
    pub(crate) release: Release,
}

/// Divides sorted keys into files. `below` are the files of the level under that of the new files.
pub(crate) fn into_files(keys: &[Key], sizes: Sizes, below: &[File]) -> Vec<File> {
    let mut files = Vec::new();
    let mut borders = Borders::new(below);
    let (mut begin, mut bytes) = (0, 0.0);
    for (place, key) in keys.iter().enumerate() {
        let step = borders.pass(*key);
        let is_at_border = step.crossed > 0
            && sizes.release == Release::Aligned
            && (step.skips(sizes.wanted) || bytes >= sizes.wanted * borders.least_share());
        if place > begin && (bytes >= sizes.most || is_at_border) {
            files.extend(File::of(keys[begin..place].to_vec(), sizes.row));
            (begin, bytes) = (place, 0.0);
            borders.crossed = 0;
        }
        let before = if place > begin { keys[place - 1] } else { !*key };
        bytes += sizes.row.after(before, *key) - BYTES_AT_END;
    }
    files.extend(File::of(keys[begin..].to_vec(), sizes.row));
    files
}

/// What lies between a key and the one before it.
#[derive(Clone, Copy)]
struct Step {
    /// Borders of files below.
    crossed: u64,
    /// Bytes of the files that begin there.
    bytes: f64,
    /// The key lies in one of those files.
    is_inside: bool,
}

impl Step {
    /// Whether a whole file lies there, so that two files on its sides meet it less often than one across it.
    fn skips(self, wanted: f64) -> bool {
        let least = if self.is_inside { 3 } else { 2 };
        self.crossed >= least && self.bytes > wanted / 8.0
    }
}

/// The borders of the files below, as the keys pass them.
struct Borders<'a> {
    below: &'a [File],
    /// The file that the last key lies in or before.
    place: usize,
    /// The last key lies in that file, and not before it.
    inside: bool,
    /// Borders that the keys of this file have crossed.
    crossed: u64,
}

impl<'a> Borders<'a> {
    fn new(below: &'a [File]) -> Self {
        Borders { below, place: 0, inside: false, crossed: 0 }
    }

    /// Goes on to the next key.
    fn pass(&mut self, key: Key) -> Step {
        let (mut crossed, mut bytes) = (0, 0.0);
        while let Some(file) = self.below.get(self.place) {
            if self.inside && key > file.last() {
                self.inside = false;
                self.place += 1;
            } else if !self.inside && key >= file.first() {
                self.inside = true;
                bytes += file.bytes();
            } else {
                break;
            }
            crossed += 1;
        }
        self.crossed += crossed;
        Step { crossed, bytes, is_inside: self.inside }
    }

    /// The share of the wanted size from which on a file ends at a border: half at first, and more with each border that its
    /// keys have crossed, because they are dense there.
    fn least_share(&self) -> f64 {
        let more = self.crossed.saturating_sub(1) * 5;
        (50 + more.min(if self.inside { 40 } else { 50 })) as f64 / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of one byte of data whose keys have nothing in common.
    const ROW: RowBytes = RowBytes { whole: 1.0 + BYTES_AT_END, compressed: 1.0 };

    fn keys(numbers: impl IntoIterator<Item = u128>) -> Vec<Key> {
        numbers.into_iter().map(|number| number << 120).collect()
    }

    fn rows(files: Vec<File>) -> Vec<usize> {
        files.into_iter().map(|file| file.into_keys().len()).collect()
    }

    fn below(files: &[&[u128]]) -> Vec<File> {
        files.iter().filter_map(|numbers| File::of(keys(numbers.iter().copied()), ROW)).collect()
    }

    #[test]
    fn files_have_their_size_without_borders() {
        let sizes = Sizes { wanted: 10.0, most: 10.0, row: ROW, release: Release::Plain };
        let files = into_files(&keys(0..25), sizes, &below(&[&[0, 2], &[3, 8]]));
        assert_eq!(rows(files), [10, 10, 5]);
    }

    #[test]
    fn a_file_that_is_half_full_ends_at_a_border() {
        let sizes = Sizes { wanted: 10.0, most: 20.0, row: ROW, release: Release::Aligned };
        // The first border comes too early: four rows are less than half of ten.
        let files = into_files(&keys(0..30), sizes, &below(&[&[0, 3], &[4, 12], &[13, 40]]));
        assert_eq!(rows(files), [13, 17]);
    }

    #[test]
    fn keys_that_begin_alike_take_less() {
        let row = RowBytes { whole: 20.0, compressed: 0.5 };
        let file = File::of(vec![1 << 120, (1 << 120) + 1, 2 << 120], row).unwrap();
        // The second key has its first 15 bytes from the one before it.
        assert_eq!(file.bytes(), 10.0 + (20.0 - 15.0 * 15.0 / 16.0) / 2.0 + 10.0);
    }
}
