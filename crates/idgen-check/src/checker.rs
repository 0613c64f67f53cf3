//! Takes ids as they come, in one pass.

use std::io;

use idgen::{Timestamp, Uuid};

use crate::analysis::{Analysis, Clock};
use crate::claim::{Claim, Reading};
use crate::duplicates::Search;
use crate::judge;
use crate::options::Options;
use crate::place::Place;
use crate::predict::MOST;
use crate::report::Report;
use crate::seen::{Seen, Stream};

/// Checks a stream of ids, or several streams together.
///
/// Memory is bounded: about 20 MB, and what [`Options::duplicates`] allows.
///
/// ```
/// use idgen_check::{Checker, Options, Reading, Status};
///
/// let mut checker = Checker::new(Options::default());
/// let stream = checker.stream("my generator");
/// for _ in 0..100 {
///     let ids: Vec<_> = (0..100).map(|_| idgen::v7()).collect();
///     checker.push(stream, Reading::Uuid, &ids, None)?;
/// }
/// let report = checker.finish()?;
/// assert_eq!((report.ids, report.worst()), (10_000, Status::Holds));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Checker {
    pub(crate) seen: Seen,
    search: Option<Search>,
}

impl Checker {
    /// A check without ids.
    pub fn new(options: Options) -> Self {
        let search = options.duplicates.map(|memory| Search::new(memory, options.folder.clone()));
        Checker { seen: Seen::new(options), search }
    }

    /// Adds a stream, and returns its number. The order of ids is checked in each stream, duplicates in all together.
    ///
    /// # Panics
    /// At more than 65,536 streams.
    pub fn stream(&mut self, name: &str) -> u16 {
        let number = u16::try_from(self.seen.streams.len()).expect("a check has at most 65,536 streams");
        self.seen.streams.push(Stream::new(name));
        number
    }

    /// Adds the next ids of a stream. `arrived` is the time when they had been read, if the generator runs at the same
    /// time: no id can be from later.
    ///
    /// # Errors
    /// If temporary files cannot be written.
    ///
    /// # Panics
    /// If the stream was not added.
    pub fn push(
        &mut self,
        stream: u16,
        reading: Reading,
        ids: &[Uuid],
        arrived: Option<Timestamp>,
    ) -> io::Result<()> {
        let state = &mut self.seen.streams[usize::from(stream)];
        let first = Place { stream, line: state.lines + 1 };
        state.lines += ids.len() as u64;
        state.ids += ids.len() as u64;
        let kept = match reading {
            Reading::Uuid => &mut state.uuids,
            Reading::Ulid => &mut state.ulids,
            Reading::Short => &mut Vec::new(),
        };
        let most = MOST.saturating_sub(kept.len());
        kept.extend(ids.iter().take(most).map(Uuid::as_u128));
        let claim_of = |id: &Uuid| Claim::of(reading, id.as_u128());
        let clock = Clock { latest: self.seen.options.latest(), arrived };
        let mut from = 0;
        for part in ids.chunk_by(|a, b| claim_of(a) == claim_of(b)) {
            let claim = claim_of(&part[0]);
            let place = first.after(from);
            if state.claim.is_some_and(|before| before != claim) {
                self.seen.changes.add(place);
            }
            state.claim = Some(claim);
            let last = &mut state.last[claim.index()];
            let slot = &mut self.seen.analyses[claim.index()];
            let analysis = slot.get_or_insert_with(|| Box::new(Analysis::new(claim, &self.seen.options)));
            analysis.push(*last, part, place, clock);
            *last = part.last().map(Uuid::as_u128);
            from += part.len();
        }
        match &mut self.search {
            Some(search) => search.push(ids.iter().map(Uuid::as_u128), first),
            None => Ok(()),
        }
    }

    /// Counts a line that is no id, and remembers why.
    pub(crate) fn push_bad(&mut self, stream: u16, text: &[u8], why: String) {
        let state = &mut self.seen.streams[usize::from(stream)];
        state.lines += 1;
        self.seen.texts.add_bad(Place { stream, line: state.lines }, text, why);
    }

    /// Ends the check, and judges what was seen.
    ///
    /// # Errors
    /// If temporary files cannot be read or written.
    pub fn finish(mut self) -> io::Result<Report> {
        let duplicates = self.search.take().map(Search::finish).transpose()?;
        Ok(judge::report(self.seen, duplicates))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_that_alternate_are_kept_apart() {
        let mut checker = Checker::new(Options::default());
        let stream = checker.stream("both");
        let ids: Vec<_> = (0..2_000).flat_map(|_| [idgen::v7(), idgen::v4()]).collect();
        checker.push(stream, Reading::Uuid, &ids[..999], None).unwrap();
        checker.push(stream, Reading::Uuid, &ids[999..], None).unwrap();
        assert_eq!(checker.seen.changes.count, 3_999);
        assert_eq!(checker.seen.changes.first[0], Place { stream, line: 2 });
        let v7 = checker.seen.analyses[7].as_ref().unwrap();
        assert!(v7.order.is_strict() && v7.order.pairs == 1_999);
        assert_eq!(checker.seen.streams[0].ids, 4_000);
    }
}
