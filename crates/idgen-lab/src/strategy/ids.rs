//! The keys of one run, made by the real generators with a simulated clock and a seed.

use std::sync::Arc;

use idgen::Timestamp;
use idgen::source::{Clock, FixedClock};

use super::source::Source;
use super::{Column, IdKind, Strategy};
use crate::Result;
use crate::key::Key;
use crate::workload::{Arrivals, arrivals, moment, random_arrivals};
use idgen_record::Workload;

/// Makes the keys of a run in the order of the inserts. The same strategy and load always give the same keys.
///
/// Before each id, the clock moves to the next random arrival. The arrivals follow the rate, or they are spread so that
/// the run spans [`Workload::intervals`] intervals: weeks for the week-prefixed strategy, minutes for all others.
pub struct Ids {
    clock: Arc<FixedClock>,
    workload: Workload,
    interval_secs: u64,
    row: u64,
    source: Source,
    column: Column,
    /// The times of the ids, if they are random: the arrivals of all writers, and how many come before the next one of
    /// this writer.
    arrivals: Option<(Arrivals, u32)>,
    /// The time of the next key, if the caller sets it.
    given: Option<Timestamp>,
}

impl Ids {
    const MINUTE_SECS: u64 = 60;
    const WEEK_SECS: u64 = 7 * 86_400;

    /// The keys of this strategy for a single writer.
    ///
    /// # Errors
    /// A generator refuses its settings.
    pub fn new(strategy: &Strategy, workload: &Workload) -> Result<Self> {
        Self::of_writer(strategy, &Workload { writers: 1, ..workload.clone() }, 0)
    }

    /// The keys of one of [`Workload::writers`] writers, counted from 0. Each has a generator of its own, with its own
    /// randomness, node and state, the prefix key of its own name, and its share of the devices. The clock is the same
    /// for all.
    ///
    /// # Errors
    /// A generator refuses its settings.
    pub fn of_writer(strategy: &Strategy, workload: &Workload, writer: u32) -> Result<Self> {
        let clock = Arc::new(FixedClock::new(moment(workload, 0, 0)));
        let interval_secs = Self::interval_secs(strategy, workload);
        let source = Source::of(strategy.ids, &clock, workload, writer)?;
        let row = u64::from(writer);
        let arrivals = arrivals(workload, interval_secs).map(|all| (all, writer));
        let (column, given) = (strategy.column, None);
        Ok(Ids { clock, workload: workload.clone(), interval_secs, row, source, column, arrivals, given })
    }

    /// Seconds of an interval of this strategy.
    pub(crate) fn interval_secs(strategy: &Strategy, workload: &Workload) -> u64 {
        match (strategy.ids, workload.interval_secs) {
            (IdKind::Week, _) => Self::WEEK_SECS,
            (_, Some(secs)) => secs.into(),
            (_, None) => Self::MINUTE_SECS,
        }
    }

    /// The times at which the writers of this load make the ids of this strategy, one after another.
    pub(crate) fn arrivals(strategy: &Strategy, workload: &Workload) -> Arrivals {
        random_arrivals(workload, Self::interval_secs(strategy, workload))
    }

    /// Rows per simulated second of this strategy.
    pub(crate) fn rate(strategy: &Strategy, workload: &Workload) -> f64 {
        let secs = Self::interval_secs(strategy, workload) as f64 * f64::from(workload.intervals.max(1));
        workload.rate.unwrap_or(workload.rows as f64 / secs)
    }

    /// Sets the time of the next key. A caller with many writers follows their arrivals once, instead of once per
    /// writer.
    pub(crate) fn at(&mut self, moment: Timestamp) {
        self.given = Some(moment);
    }

    /// The time of the next key.
    fn next_moment(&mut self) -> Result<Timestamp> {
        if let Some(moment) = self.given.take() {
            return Ok(moment);
        }
        if let Some((arrivals, others)) = &mut self.arrivals {
            for _ in 0..*others {
                arrivals.next_moment()?;
            }
            *others = self.workload.writers - 1;
            return arrivals.next_moment();
        }
        Ok(moment(&self.workload, self.row, self.interval_secs))
    }

    /// The time at which the last key was made.
    pub(crate) fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The next key.
    ///
    /// # Errors
    /// The errors of the generator.
    pub fn next_key(&mut self) -> Result<Key> {
        let moment = self.next_moment()?;
        self.clock.set(moment);
        self.row += u64::from(self.workload.writers);
        self.source.next_key(self.column)
    }
}

#[cfg(test)]
mod tests {
    use idgen::ShortId;

    use super::super::{ALL, find};
    use super::*;

    fn client_made(strategy: &Strategy) -> bool {
        strategy.ids != IdKind::AutoIncrement && !strategy.ids.is_server_made()
    }

    fn keys(name: &str, rows: u64) -> Vec<Key> {
        let workload = Workload::of_rows(rows).unwrap();
        let mut ids = Ids::new(find(name).unwrap(), &workload).unwrap();
        (0..rows).map(|_| ids.next_key().unwrap()).collect()
    }

    #[test]
    fn the_same_seed_gives_the_same_keys_and_no_key_is_repeated() {
        for strategy in ALL.iter().filter(|strategy| client_made(strategy)) {
            let first = keys(strategy.name, 3_000);
            assert_eq!(first, keys(strategy.name, 3_000), "{}", strategy.name);
            let distinct: std::collections::BTreeSet<_> = first.iter().collect();
            assert_eq!(distinct.len(), 3_000, "{}", strategy.name);
        }
    }

    #[test]
    fn writers_have_ids_of_their_own() {
        let workload = Workload::of_rows(4_000).unwrap().with_writers(4).unwrap();
        for strategy in ALL.iter().filter(|strategy| client_made(strategy)) {
            let mut all = std::collections::BTreeSet::new();
            for writer in 0..4 {
                let mut ids = Ids::of_writer(strategy, &workload, writer).unwrap();
                all.extend((0..1_000).map(|_| ids.next_key().unwrap()));
            }
            assert_eq!(all.len(), 4_000, "{}", strategy.name);
        }
        // Each writer has its own keyed prefixes; counted prefixes are the same for all.
        for (name, prefixes) in [("minute-ascending", 4), ("minute-sequence", 1), ("minute-writers", 1)] {
            let firsts: std::collections::BTreeSet<_> = (0..4)
                .map(|writer| {
                    Ids::of_writer(find(name).unwrap(), &workload, writer).unwrap().next_key().unwrap()
                })
                .map(|key| match key {
                    Key::Binary(bytes) => [bytes[0], bytes[1]],
                    other => panic!("{other}"),
                })
                .collect();
            assert_eq!(firsts.len(), prefixes, "{name}");
        }
    }

    /// The arrivals of several writers together are those of a single one.
    #[test]
    fn writers_share_the_random_arrivals() {
        let load = Workload { rate: Some(50.0), ..Workload::of_rows(1_000).unwrap() };
        let strategy = find("minute-ascending").unwrap();
        let moments = |ids: &mut Ids, rows: usize| -> Vec<Timestamp> {
            let mut next = || {
                ids.next_key().unwrap();
                ids.now()
            };
            (0..rows).map(|_| next()).collect()
        };
        let alone = moments(&mut Ids::new(strategy, &load).unwrap(), 900);
        assert!(alone.is_sorted());
        let load = load.with_writers(3).unwrap();
        for writer in 0..3 {
            let own = moments(&mut Ids::of_writer(strategy, &load, writer).unwrap(), 300);
            let expected: Vec<Timestamp> = alone.iter().copied().skip(writer as usize).step_by(3).collect();
            assert_eq!(own, expected);
        }
        // At 50 per second, 900 rows take 18 seconds.
        let secs = alone[899].since(alone[0]).as_secs();
        assert!((15..=21).contains(&secs), "{secs}");
    }

    #[test]
    fn a_longer_interval_has_fewer_prefixes() {
        let prefixes = |interval_secs| {
            let load = Workload { rate: Some(10.0), interval_secs, ..Workload::of_rows(6_000).unwrap() };
            let mut ids = Ids::new(find("minute-ascending").unwrap(), &load).unwrap();
            let prefix = |key| match key {
                Key::Binary(bytes) => [bytes[0], bytes[1]],
                other => panic!("{other}"),
            };
            let mut found: Vec<_> = (0..6_000).map(|_| prefix(ids.next_key().unwrap())).collect();
            found.dedup();
            found.len()
        };
        // Ten minutes.
        assert!((9..=12).contains(&prefixes(None)));
        assert!((2..=4).contains(&prefixes(Some(240))));
    }

    #[test]
    fn time_ordered_kinds_ascend_and_random_ones_do_not() {
        for (name, ascends) in [
            ("v1-swapped", true),
            ("v6-binary", true),
            ("v7-binary", true),
            ("ulid-text26", true),
            ("v4-binary", false),
            ("v4-text36", false),
            ("v1-binary", false),
            // The column type moves the node and the high bits of the time to the front.
            ("v1-uuid", true),
            ("v7-uuid", true),
            ("v4-uuid", false),
            ("minute-sequence", true),
            ("minute-writers", true),
            ("fixed-prefix", true),
            ("week-binary", false),
            ("minute-ascending", false),
        ] {
            assert_eq!(keys(name, 4_000).is_sorted(), ascends, "{name}");
        }
    }

    #[test]
    fn prefixes_stay_for_an_interval() {
        for name in ["week-binary", "minute-random", "minute-ascending"] {
            let keys = keys(name, 4_000);
            let buckets: Vec<_> = keys.chunk_by(|a, b| prefix(a) == prefix(b)).collect();
            // 40 intervals with 100 rows each on average, and a standard deviation of 10.
            assert_eq!(buckets.len(), 40, "{name}");
            assert!(buckets.iter().all(|rows| (55..=145).contains(&rows.len())), "{name}");
            let ascends = buckets.iter().all(|rows| rows.is_sorted());
            assert_eq!(ascends, name == "minute-ascending", "{name}");
        }
    }

    /// Recorded runs whose keys are not at random moments have the same number of rows in each interval.
    #[test]
    fn keys_are_evenly_spaced_unless_arrivals_are_random() {
        let load = Workload { random_arrivals: false, ..Workload::of_rows(4_000).unwrap() };
        let mut ids = Ids::new(find("minute-random").unwrap(), &load).unwrap();
        let keys: Vec<_> = (0..4_000).map(|_| ids.next_key().unwrap()).collect();
        let rows: Vec<_> = keys.chunk_by(|a, b| prefix(a) == prefix(b)).map(<[_]>::len).collect();
        assert_eq!(rows, [100; 40]);
    }

    fn prefix(key: &Key) -> [u8; 2] {
        match key {
            Key::Binary(bytes) => [bytes[0], bytes[1]],
            other => panic!("{other}"),
        }
    }

    #[test]
    fn device_ids_come_from_many_devices() {
        let nodes: std::collections::BTreeSet<_> = keys("device", 4_000)
            .into_iter()
            .map(|key| match key {
                Key::Uint(number) => ShortId::new(number).device().node,
                other => panic!("{other}"),
            })
            .collect();
        // 4,000 draws from 5,000 devices give 5,000 (1 - e^-0.8) = 2,753 different ones.
        assert!((2_650..2_850).contains(&nodes.len()), "{}", nodes.len());
    }
}
