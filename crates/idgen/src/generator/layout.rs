//! The layouts of prefixed ids: the bits that the ids of an interval share, and what their tail begins with.

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::fields::{self, Head};
use crate::generator::Tail;
use crate::interval::{Bucket, Interval};
use crate::prefix::Prefix;
use crate::tail;
use crate::timestamp::Timestamp;

/// The layout of the tail, which follows from the kinds of tail and prefix.
#[derive(Clone, Copy)]
pub(crate) enum Layout {
    Random { version: u8 },
    Time,
    Keyed { offset_bits: u32 },
    Named { offset_bits: u32 },
}

impl Layout {
    /// The layout, and the last millisecond that it can hold.
    ///
    /// # Errors
    /// If prefix, interval and tail cannot be combined.
    pub(crate) fn of(prefix: &Prefix, interval: Interval, tail: Tail) -> Result<(Self, i64)> {
        prefix.check(interval)?;
        Ok(match (tail, prefix) {
            (Tail::RandomV4 | Tail::RandomV8, Prefix::SequentialOf(writer)) => {
                return Err(Error::config(
                    "a random tail has no place for the tag of a writer:",
                    writer.tag(),
                    "choose an ascending tail, or a sequential prefix without a writer",
                ));
            }
            (Tail::RandomV4, _) => (Layout::Random { version: 4 }, i64::MAX),
            (Tail::RandomV8, _) => (Layout::Random { version: 8 }, i64::MAX),
            (Tail::Ascending, Prefix::Keyed(key)) => {
                let offset_bits = tail::keyed::offset_bits(interval)?;
                let layout = if key.has_writer() {
                    Layout::Named { offset_bits }
                } else {
                    Layout::Keyed { offset_bits }
                };
                (layout, tail::keyed::last_ms(interval, offset_bits))
            }
            (Tail::Ascending, Prefix::SequentialOf(_)) => {
                let offset_bits = tail::keyed::offset_bits_of_writer(interval)?;
                (Layout::Named { offset_bits }, tail::keyed::last_ms(interval, offset_bits))
            }
            (Tail::Ascending, Prefix::Sequential { .. } | Prefix::Md5Week { .. }) => {
                (Layout::Time, tail::LAST_TIME_MS)
            }
        })
    }
}

/// A bucket with the bits that its ids share.
#[derive(Clone, Copy)]
pub(crate) struct Current {
    start: Timestamp,
    end: Timestamp,
    /// The time in milliseconds minus this is the number that the tail begins with: after a keyed prefix the offset,
    /// with tag and round where those are not in the base.
    origin_ms: i64,
    /// The prefix in the top 16 bits, the round, the version: see [`tail::base`].
    base: u64,
}

impl Current {
    /// Holds no moment.
    pub(crate) const NONE: Current =
        Current { start: Timestamp::UNIX_EPOCH, end: Timestamp::UNIX_EPOCH, origin_ms: 0, base: 0 };

    /// Returns the interval of this moment, which it enters if necessary.
    #[inline]
    pub(crate) fn at(&mut self, at: Timestamp, prefix: &Prefix, interval: Interval, layout: Layout) -> &Self {
        if !(self.start <= at && at < self.end) {
            *self = Current::enter(at, prefix, interval, layout);
        }
        self
    }

    #[cold]
    pub(crate) fn enter(at: Timestamp, prefix: &Prefix, interval: Interval, layout: Layout) -> Self {
        let (Bucket { number, start, end }, bits) = prefix.at(interval, at);
        let round = number as u64 >> 16;
        let (base, origin_ms) = match layout {
            Layout::Random { .. } | Layout::Time => (tail::base(bits, 0, 0), 0),
            Layout::Keyed { offset_bits } => (tail::base(bits, round, offset_bits), start.unix_millis()),
            Layout::Named { offset_bits } => {
                let first = tail::wide::of_writer(prefix.writer_tag(bits), round, offset_bits);
                (tail::base(bits, 0, 0), start.unix_millis() - first)
            }
        };
        Current { start, end, origin_ms, base }
    }

    /// The first moment of the next bucket.
    pub(crate) fn end(&self) -> Timestamp {
        self.end
    }

    /// The prefix.
    #[inline]
    pub(crate) fn prefix(&self) -> u16 {
        (self.base >> 48) as u16
    }

    /// An ascending id of this time after a keyed prefix without a writer, except counter and random bits.
    #[inline]
    pub(crate) fn keyed_head(&self, time: i64) -> Head {
        tail::keyed::head(self.base, time, self.origin_ms)
    }

    /// An ascending id of this time after the other prefixes, or with a writer, except counter and random bits.
    #[inline]
    pub(crate) fn wide_head(&self, time: i64) -> Head {
        tail::wide::head(self.base, time, self.origin_ms)
    }

    /// The smallest id of a millisecond, and the largest of another one, both of this bucket.
    pub(crate) fn bounds(&self, layout: Layout, first_ms: i64, last_ms: i64) -> (Uuid, Uuid) {
        let prefix = u128::from(self.prefix()) << 112;
        match layout {
            Layout::Random { version } => {
                // In version 8, byte 8 is never 0x80: see the generator.
                let least = if version == 8 { 1 << 56 } else { 0 };
                (fields::stamped(prefix | least, version), fields::stamped(prefix | u128::MAX >> 16, version))
            }
            Layout::Time | Layout::Named { .. } => {
                tail::wide::bounds(self.base, first_ms - self.origin_ms, last_ms - self.origin_ms)
            }
            Layout::Keyed { .. } => {
                tail::keyed::bounds(self.base, first_ms - self.origin_ms, last_ms - self.origin_ms)
            }
        }
    }
}
