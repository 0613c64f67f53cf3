//! The kind that a value was read as, and times that are plausible for ids.

use crate::survey::judge::kinds::Kind;

pub(super) const SECOND: i64 = 1_000;
pub(super) const YEAR: i64 = 365 * 24 * 3_600 * SECOND;
/// 2005-01-01: where only a pattern shows the kind, older times are chance.
pub(super) const EARLIEST: i64 = 1_104_537_600 * SECOND;

/// A value that was read as one kind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Reading {
    pub(crate) kind: Kind,
    /// The time in the id, in milliseconds since 1970, if its kind is certain.
    pub(crate) time: Option<i64>,
    /// True if chance does not explain that values of the column fit this kind.
    pub(crate) certain: bool,
}

impl Reading {
    pub(super) const fn certain(kind: Kind, time: Option<i64>) -> Reading {
        Reading { kind, time, certain: true }
    }

    pub(super) const fn guess(kind: Kind) -> Reading {
        Reading { kind, time: None, certain: false }
    }
}
