//! Finds equal ids, exactly: ids are collected in runs, each run is sorted, and the runs are merged at the end. Runs that
//! do not fit into memory wait in temporary files.

mod run;

use std::io;
use std::path::PathBuf;
use std::thread::JoinHandle;

use serde::Serialize;

use crate::place::Place;
use run::{Record, Run};

/// Pairs that are named.
const MOST_PAIRS: usize = 5;
const RECORD: u64 = size_of::<Record>() as u64;

/// The ids so far.
#[derive(Debug)]
pub(crate) struct Search {
    /// Records in a run: a quarter of the memory. One run is filled while another one is sorted, and two sorted ones stay.
    capacity: usize,
    folder: PathBuf,
    filling: Vec<Record>,
    sorting: Option<JoinHandle<Vec<Record>>>,
    sorted: Vec<Run>,
    kept: usize,
}

/// Equal ids among all that were read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Duplicates {
    /// Ids that are equal to an earlier one.
    pub repeated: u64,
    /// Different ids that occur more than once.
    pub values: u64,
    /// Ids whose first occurrence is in another stream, as after a fork.
    pub across_streams: u64,
    /// The pairs that end first: the first occurrence of an id, and the one that repeats it.
    pub first: Vec<Pair>,
    /// True if the ids did not fit into [`Options::duplicates`](crate::Options::duplicates) bytes of memory and went through temporary files.
    pub used_files: bool,
}

/// Two equal ids.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Pair {
    /// The id as 32 hexadecimal digits.
    pub id: String,
    /// The first place of the id.
    pub first: Place,
    /// The place at which it is repeated.
    pub again: Place,
}

impl Search {
    /// A search that keeps about this many bytes in memory; its files are in this folder.
    pub(crate) fn new(memory: u64, folder: PathBuf) -> Self {
        let capacity = usize::try_from(memory / RECORD / 4).unwrap_or(usize::MAX).max(1 << 10);
        Search { capacity, folder, filling: Vec::new(), sorting: None, sorted: Vec::new(), kept: 0 }
    }

    pub(crate) fn push(&mut self, ids: impl ExactSizeIterator<Item = u128>, first: Place) -> io::Result<()> {
        self.filling.reserve(ids.len());
        for (index, id) in ids.enumerate() {
            self.filling.push(Record::new(id, first.after(index)));
        }
        if self.filling.len() >= self.capacity {
            self.collect()?;
            let mut full = std::mem::replace(&mut self.filling, Vec::with_capacity(self.capacity + 1024));
            self.sorting = Some(std::thread::spawn(move || {
                full.sort_unstable();
                full
            }));
        }
        Ok(())
    }

    /// Takes the run that a thread sorts, and writes it to a file if two are in memory already.
    fn collect(&mut self) -> io::Result<()> {
        let Some(sorting) = self.sorting.take() else { return Ok(()) };
        let sorted = sorting.join().map_err(|_| io::Error::other("a thread that sorts ids panicked"))?;
        if self.kept < 2 {
            self.kept += 1;
            self.sorted.push(Run::memory(sorted));
        } else {
            self.sorted.push(Run::file(&sorted, &self.folder)?);
        }
        Ok(())
    }

    /// Merges the runs.
    pub(crate) fn finish(mut self) -> io::Result<Duplicates> {
        self.collect()?;
        let mut last = std::mem::take(&mut self.filling);
        last.sort_unstable();
        self.sorted.push(Run::memory(last));
        let used_files = self.sorted.iter().any(Run::is_file);
        let mut found = Duplicates { used_files, ..Duplicates::default() };
        let (mut first, mut is_repeated) = (None::<Record>, false);
        run::merge(self.sorted, |record| {
            match first {
                Some(first) if first.id() == record.id() => {
                    found.values += u64::from(!is_repeated);
                    is_repeated = true;
                    found.add(first, record);
                }
                _ => (first, is_repeated) = (Some(record), false),
            };
        })?;
        Ok(found)
    }
}

impl Duplicates {
    #[cold]
    fn add(&mut self, first: Record, again: Record) {
        self.repeated += 1;
        self.across_streams += u64::from(first.place().stream != again.place().stream);
        let at = self.first.partition_point(|pair| order(pair.again) < order(again.place()));
        if at < MOST_PAIRS {
            let id = format!("{:032x}", first.id());
            self.first.insert(at, Pair { id, first: first.place(), again: again.place() });
            self.first.truncate(MOST_PAIRS);
        }
    }
}

fn order(place: Place) -> (u16, u64) {
    (place.stream, place.line)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    const START: Place = Place { stream: 0, line: 1 };

    fn search(memory: u64, streams: &[Vec<u128>]) -> Duplicates {
        let mut search = Search::new(memory, std::env::temp_dir());
        for (stream, ids) in streams.iter().enumerate() {
            for (batch, part) in ids.chunks(700).enumerate() {
                let place = Place { stream: stream as u16, line: 1 + 700 * batch as u64 };
                search.push(part.iter().copied(), place).unwrap();
            }
        }
        search.finish().unwrap()
    }

    /// Finds the duplicates with a hash map.
    fn naive(streams: &[Vec<u128>]) -> Duplicates {
        let mut found = Duplicates::default();
        let mut seen: HashMap<u128, (Place, u64)> = HashMap::new();
        for (stream, ids) in streams.iter().enumerate() {
            for (index, &id) in ids.iter().enumerate() {
                let place = Place { stream: stream as u16, line: 1 + index as u64 };
                let (first, count) = seen.entry(id).or_insert((place, 0));
                *count += 1;
                if *count > 1 {
                    found.repeated += 1;
                    found.values += u64::from(*count == 2);
                    found.across_streams += u64::from(first.stream != place.stream);
                    if found.first.len() < MOST_PAIRS {
                        found.first.push(Pair { id: format!("{id:032x}"), first: *first, again: place });
                    }
                }
            }
        }
        found
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(40))]
        #[test]
        fn the_search_agrees_with_a_hash_map(seed: u64, sizes in prop::collection::vec(0usize..6_000, 1..4), bits in 8u32..20) {
            let mut random = fastrand::Rng::with_seed(seed);
            let streams: Vec<Vec<u128>> = sizes
                .iter()
                .map(|&size| (0..size).map(|_| u128::from(random.u64(..) >> (64 - bits)) << 60).collect())
                .collect();
            let expected = naive(&streams);
            let files = search(0, &streams);
            prop_assert_eq!(&Duplicates { used_files: false, ..files.clone() }, &expected);
            prop_assert_eq!(search(1 << 30, &streams), expected);
        }
    }

    #[test]
    fn runs_beyond_the_memory_go_to_files() {
        let ids: Vec<u128> = (0..20_000).map(|n| n * 7 % 20_011).collect();
        let mut streams = vec![ids];
        assert_eq!(search(0, &streams), Duplicates { used_files: true, ..Duplicates::default() });
        streams.push(vec![3]);
        let found = search(0, &streams);
        assert_eq!((found.repeated, found.across_streams, found.first.len()), (1, 1, 1));
        assert_eq!(found.first[0].again, Place { stream: 1, line: 1 });
    }

    /// A million equal ids end up in one group, which no partition by value could divide.
    #[test]
    fn equal_ids_only() {
        let found = search(0, &[vec![5; 100_000]]);
        assert_eq!((found.repeated, found.values), (99_999, 1));
        assert_eq!(found.first[0].first, START);
        assert_eq!(found.first[4].again, START.after(5));
    }

    #[test]
    fn a_folder_that_is_missing_is_an_error() {
        let mut search = Search::new(0, "/nonexistent/folder".into());
        let result = (0..20_u128)
            .try_for_each(|n| search.push(vec![n; 1_024].into_iter(), START))
            .and_then(|()| search.finish().map(drop));
        let error = result.unwrap_err().to_string();
        assert!(error.contains("/nonexistent/folder") && error.contains("temporary file"), "{error}");
    }
}
