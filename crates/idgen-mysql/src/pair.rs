//! Pairs of a UUID and its id.

use uuid::Uuid;

/// UUIDs in one statement: a quarter of a second of work at most, and some 30 kB of text. MariaDB makes a
/// temporary table of a list of 1,000 or more (`in_predicate_conversion_threshold`), and may then read, and
/// lock, the whole table to join it.
pub(crate) const CHUNK: usize = 999;

/// A pair, and whether this call made it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Claimed {
    pub(crate) uuid: Uuid,
    pub(crate) id: u64,
    pub(crate) new: bool,
}

/// Which way to try first. A wrong guess costs a round trip, never the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Guess {
    Known,
    New,
}
