//! A level below level 0: files in the order of their keys, none of which overlaps another.

use std::ops::Range;

use crate::file::{File, Key, bytes_of};

#[derive(Clone, Debug, Default)]
pub(crate) struct Level {
    files: Vec<File>,
}

impl Level {
    pub(crate) fn files(&self) -> &[File] {
        &self.files
    }

    pub(crate) fn bytes(&self) -> f64 {
        bytes_of(&self.files)
    }

    /// The places of the files that have keys from `first` to `last`.
    pub(crate) fn overlapping(&self, first: Key, last: Key) -> Range<usize> {
        let begin = self.files.partition_point(|file| file.last() < first);
        let end = self.files.partition_point(|file| file.first() <= last);
        begin..end.max(begin)
    }

    /// Whether a file covers this key: then its filter is asked.
    pub(crate) fn covers(&self, key: Key) -> bool {
        let place = self.files.partition_point(|file| file.last() < key);
        self.files.get(place).is_some_and(|file| file.covers(key))
    }

    /// Removes these files.
    pub(crate) fn take(&mut self, places: Range<usize>) -> Vec<File> {
        self.files.drain(places).collect()
    }

    /// Adds files, in their order, that overlap none of those that are here and have none of them between them.
    pub(crate) fn add(&mut self, files: Vec<File>) {
        let Some(first) = files.first() else { return };
        let place = self.files.partition_point(|file| file.last() < first.first());
        self.files.splice(place..place, files);
    }
}
