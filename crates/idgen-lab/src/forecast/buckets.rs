//! Ids with a keyed minute prefix whose rounds can be shorter than those of the generators.

use idgen::{PrefixKey, Timestamp};

use crate::key::Key;
use crate::strategy::{self, Ids, prefix_key};
use crate::{Error, Result};
use idgen_record::Workload;

/// The number of prefixes of 16 bits, which is also the number of minutes in a round.
const ROUND: u64 = 1 << 16;
const MINUTE_MS: i64 = 60_000;

/// The ids of one writer with keyed prefixes, in the order in which the generator makes them. Each minute of a round
/// has a prefix of its own. An ascending tail begins with the writer's tag (if the writer has a name), the round, and
/// the offset in the minute.
///
/// A model of a smaller table has shorter rounds with fewer prefixes. A prefix is therefore used again as often as in the
/// large table, and later visits still append to their buckets. The prefixes of a whole round are drawn at once,
/// because the generator needs as long for a single one.
pub(super) struct Bucketed {
    /// Supplies the time of each id, and bytes that are random or ascend within a millisecond.
    ids: Ids,
    ascending: bool,
    /// Minutes of a shortened round.
    minutes: i64,
    /// The generator's minute minus this is the minute in the shortened rounds.
    shift: i64,
    first_round: i64,
    current_minute: Option<i64>,
    prefix: u16,
    /// The tag of the writer, if it has a name.
    tag: u16,
    prefixes: Prefixes,
}

impl Bucketed {
    /// The ids of one writer, with rounds that are `crowd` times shorter.
    pub(super) fn new(ascending: bool, workload: &Workload, writer: u32, crowd: u64) -> Result<Self> {
        let source = strategy::find(if ascending { "minute-sequence" } else { "v4-binary" })?;
        let minutes = (ROUND / crowd.clamp(1, ROUND)) as i64;
        // The load begins at the same position in its round, so that the round ends at the same row.
        let start = minute(workload.start_unix_secs * 1_000);
        let (round, place) = (start.div_euclid(ROUND as i64), start.rem_euclid(ROUND as i64));
        let first = round * minutes + place * minutes / ROUND as i64;
        Ok(Bucketed {
            ids: Ids::of_writer(source, workload, writer)?,
            ascending,
            minutes,
            shift: start - first,
            first_round: round,
            current_minute: None,
            prefix: 0,
            tag: 0,
            prefixes: Prefixes::new(prefix_key(workload, writer)?, minutes),
        })
    }

    /// Sets the time at which the next id is made.
    pub(super) fn at(&mut self, moment: Timestamp) {
        self.ids.at(moment);
    }

    /// The next id. It sorts like an id of the generator, but is not a valid one: it has no version.
    pub(super) fn next_key(&mut self) -> Result<[u8; 16]> {
        let Key::Binary(mut id) = self.ids.next_key()? else {
            return Err(Error::config("keyed prefixes are modeled in front of 16 bytes only"));
        };
        let millis = self.ids.now().unix_millis();
        let minute = minute(millis);
        if self.current_minute != Some(minute) {
            self.current_minute = Some(minute);
            self.prefix = self.prefixes.at(minute - self.shift);
            self.tag = self.prefixes.key.writer_tag(self.prefix).unwrap_or(0);
        }
        id[..2].copy_from_slice(&self.prefix.to_be_bytes());
        if self.ascending {
            // The fraction of the millisecond, the counter and random bits follow.
            id.copy_within(8..14, 10);
            let round = (minute - self.shift).div_euclid(self.minutes) - self.first_round;
            id[2..4].copy_from_slice(&self.tag.to_be_bytes());
            id[4..8].copy_from_slice(&(round as u32).to_be_bytes());
            id[8..10].copy_from_slice(&((millis - minute * MINUTE_MS) as u16).to_be_bytes());
        }
        Ok(id)
    }
}

fn minute(unix_millis: i64) -> i64 {
    unix_millis.div_euclid(MINUTE_MS)
}

/// The prefixes of a writer: a permutation of as many numbers as a round has minutes.
struct Prefixes {
    key: PrefixKey,
    minutes: i64,
    /// A round of the key with its number; it determines the order of several shortened rounds.
    whole: Option<(i64, Vec<u16>)>,
    /// The prefixes of the current round with its number.
    current: Option<(i64, Vec<u16>)>,
}

impl Prefixes {
    fn new(key: PrefixKey, minutes: i64) -> Self {
        Prefixes { key, minutes, whole: None, current: None }
    }

    fn at(&mut self, minute: i64) -> u16 {
        let (round, place) = (minute.div_euclid(self.minutes), minute.rem_euclid(self.minutes) as usize);
        match &self.current {
            Some((current, prefixes)) if *current == round => prefixes[place],
            _ => {
                let prefixes = self.draw(round);
                let prefix = prefixes[place];
                self.current = Some((round, prefixes));
                prefix
            }
        }
    }

    /// The ranks within a part of a permutation are themselves a permutation, and equally random.
    fn draw(&mut self, round: i64) -> Vec<u16> {
        let rounds_in_whole = ROUND as i64 / self.minutes;
        if rounds_in_whole == 1 {
            return self.key.round(round);
        }
        let whole = round.div_euclid(rounds_in_whole);
        if self.whole.as_ref().is_none_or(|(number, _)| *number != whole) {
            self.whole = Some((whole, self.key.round(whole)));
        }
        let all = self.whole.as_ref().map_or(&[][..], |(_, prefixes)| prefixes);
        let minutes = self.minutes as usize;
        let stretch = &all[round.rem_euclid(rounds_in_whole) as usize * minutes..][..minutes];
        let mut places: Vec<usize> = (0..minutes).collect();
        places.sort_unstable_by_key(|&place| stretch[place]);
        let mut ranks = vec![0; minutes];
        for (rank, place) in places.into_iter().enumerate() {
            ranks[place] = rank as u16;
        }
        ranks
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeMap;

    /// A load of this many minutes with ten rows each.
    fn workload(minutes: u32) -> Workload {
        Workload { intervals: minutes, ..Workload::of_rows(u64::from(minutes) * 10).unwrap() }
    }

    fn ids(ascending: bool, workload: &Workload, crowd: u64) -> Vec<[u8; 16]> {
        let mut ids = Bucketed::new(ascending, workload, 0, crowd).unwrap();
        (0..workload.rows).map(|_| ids.next_key().unwrap()).collect()
    }

    /// The naive version: the generator itself. The load begins 12 minutes before the end of a round.
    #[test]
    fn unshortened_rounds_have_the_prefixes_of_the_generator() {
        let start = (29_460_000 / ROUND as i64 * ROUND as i64 - 12) * 60;
        // A single writer has no name; two writers have names.
        for (name, ascending, writers, writer) in [
            ("minute-ascending", true, 1, 0),
            ("minute-ascending", true, 2, 1),
            ("minute-random", false, 1, 0),
            ("minute-random", false, 2, 1),
        ] {
            let workload = Workload { start_unix_secs: start, writers, ..workload(100) };
            let rows = workload.rows / u64::from(writers);
            let mut real = Ids::of_writer(strategy::find(name).unwrap(), &workload, writer).unwrap();
            let real: Vec<Key> = (0..rows).map(|_| real.next_key().unwrap()).collect();
            let mut ours = Bucketed::new(ascending, &workload, writer, 1).unwrap();
            let ours: Vec<Key> = (0..rows).map(|_| Key::Binary(ours.next_key().unwrap())).collect();
            let prefix = |key: &Key| match key {
                Key::Binary(bytes) => [bytes[0], bytes[1]],
                other => panic!("{other}"),
            };
            assert!(real.iter().map(prefix).eq(ours.iter().map(prefix)), "{name}");
            if ascending {
                let order = |keys: &[Key]| {
                    let mut places: Vec<usize> = (0..keys.len()).collect();
                    places.sort_by_key(|&place| &keys[place]);
                    places
                };
                assert_eq!(order(&real), order(&ours));
            }
        }
    }

    #[test]
    fn later_rounds_append_to_their_buckets() {
        // Rounds of 64 minutes.
        let workload = workload(640);
        let mut buckets: BTreeMap<[u8; 2], Vec<[u8; 16]>> = BTreeMap::new();
        for id in ids(true, &workload, 1_024) {
            buckets.entry([id[0], id[1]]).or_default().push(id);
        }
        assert_eq!(buckets.len(), 64);
        for rows in buckets.values() {
            // 100 rows on average, with a standard deviation of 10.
            assert!(rows.is_sorted() && (55..=145).contains(&rows.len()), "{} rows", rows.len());
        }
    }

    #[test]
    fn each_round_is_a_different_permutation() {
        for minutes in [8, 100, 5_461] {
            let mut prefixes = Prefixes::new(PrefixKey::new(b"sixteen bytes or more").unwrap(), minutes);
            let rounds: Vec<Vec<u16>> = (0..3)
                .map(|round| (0..minutes).map(|at| prefixes.at(round * minutes + at)).collect())
                .collect();
            assert!(rounds[0] != rounds[1] && rounds[1] != rounds[2], "{minutes}");
            for mut round in rounds {
                round.sort_unstable();
                assert!(round.into_iter().map(i64::from).eq(0..minutes), "{minutes}");
            }
        }
    }
}
