//! Pairs of a UUID and its id.

use uuid::Uuid;

use crate::call::observe;

/// UUIDs in one statement: at most a quarter of a second of work, and about 30 kB of text. MariaDB makes a
/// temporary table of a list of 1,000 or more (`in_predicate_conversion_threshold`), and may then read, and
/// lock, the whole table to join it.
pub(crate) const CHUNK: usize = 999;

/// A pair, and whether this call created it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) uuid: Uuid,
    pub(crate) id: u64,
    pub(crate) new: bool,
}

/// Counts UUIDs that got an id now, and those that had one.
pub(crate) fn count(pairs: &[Claimed]) {
    let new = pairs.iter().filter(|pair| pair.new).count() as u64;
    metrics::counter!("idgen_map_new_total").increment(new);
    observe::found(pairs.len() - new as usize);
}

/// The statement to try first. A wrong guess costs a round trip, and never changes the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Known,
    New,
}
