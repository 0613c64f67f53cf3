//! The bits of ascending tails: packing and unpacking (RFC 9562 section 5.8, version 8).
//!
//! ```text
//! keyed prefix:        prefix 16 | round, offset 32       | version 4 | fraction 12 | variant 2 | counter 22 | random 40
//! with a named writer: prefix 16 | tag 12, round, offset: | version 4 | low 12      | variant 2 | fraction 12 | counter 18 | random 32
//! other prefixes:      prefix 16 | milliseconds:   top 32 | version 4 | low 12      | variant 2 | fraction 12 | counter 18 | random 32
//! fixed, 17 to 32 bits: prefix n | time:         top 48-n | version 4 | middle 12   | variant 2 | one 1 | low 26 | counter 11 | random 24
//! ```
//!
//! All begin with what only grows from one visit of a prefix to the next, so that later ids of a bucket (of one writer,
//! where it has a name) always follow the earlier ones. The fraction is that of the millisecond, from 64 to 4,095
//! ([`Unit::HighFraction`](crate::generator::unit::Unit)); the time of the last row is milliseconds and such a fraction.
//! The counter of the first row is never below 2^16, and the last row has a one there, because
//! MariaDB's UUID column refuses version 8 with a byte 8 of 0x80.

use core::time::Duration;

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::fields::{Counter, Head};
use crate::generator::unit::{FRACTION, FRACTION_BITS};
use crate::interval::Interval;
use crate::timestamp::Timestamp;

const MIDDLE_BITS: u32 = 32;
pub(crate) const TAG_BITS: u32 = 12;
const TIME_BITS: u32 = MIDDLE_BITS + TAG_BITS;
const VERSION_8: u64 = 0x8000;
/// The two bits of the variant.
const VARIANT: u64 = 1 << 63;
/// The least half after the variant that MariaDB accepts.
const LEAST_LOW: u64 = VARIANT | 1 << 56;
const LARGEST_LOW: u64 = VARIANT | u64::MAX >> 2;

/// The last millisecond that a tail with the time can hold.
pub(crate) const LAST_TIME_MS: i64 = (1 << TIME_BITS) - 1;

/// Tails that begin with a number of 44 bits: the absolute time, after prefixes that do not hide it, or a writer's tag,
/// round and offset.
pub(crate) mod wide {
    use super::*;

    pub(crate) const RANDOM: u32 = 32;
    /// A fraction of the millisecond has at least 131,072 ids.
    pub(crate) const COUNTER: Counter = Counter { bits: 18, least: 0 };
    const BEHIND_FRACTION: u32 = RANDOM + COUNTER.bits;

    /// `base` holds the prefix in its top 16 bits; see [`base`](super::base). `time` is that of
    /// [`Unit::HighFraction`](crate::generator::unit::Unit), less `origin_ms`.
    #[inline]
    pub(crate) fn head(base: u64, time: i64, origin_ms: i64) -> Head {
        let number = (time >> FRACTION_BITS) - origin_ms;
        Head { top: top(base, number), low: VARIANT | ((time & FRACTION) as u64) << BEHIND_FRACTION }
    }

    #[inline]
    fn top(base: u64, number: i64) -> u64 {
        let number = number as u64;
        base | number >> 12 << 16 | number & 0xFFF
    }

    #[inline]
    pub(crate) fn with_counter(shared: Head, counter: u32) -> Head {
        Head { low: shared.low | u64::from(counter) << RANDOM, ..shared }
    }

    /// The smallest id whose tail begins with the number `first`, and the largest one that begins with `last`.
    pub(crate) fn bounds(base: u64, first: i64, last: i64) -> (Uuid, Uuid) {
        (Uuid::from_u64_pair(top(base, first), LEAST_LOW), Uuid::from_u64_pair(top(base, last), LARGEST_LOW))
    }

    /// The number, the fraction and the counter.
    fn read(top: u64, low: u64) -> (u64, u16, u32) {
        let number = (top >> 16 & 0xFFFF_FFFF) << 12 | top & 0xFFF;
        let counter = (low >> RANDOM) as u32 & (COUNTER.limit() - 1);
        (number, (low >> BEHIND_FRACTION & 0xFFF) as u16, counter)
    }

    /// The milliseconds, the fraction and the counter.
    pub(crate) fn read_time(top: u64, low: u64) -> (Timestamp, u16, u32) {
        let (ms, fraction, counter) = read(top, low);
        (Timestamp::from_unix_millis(ms as i64), fraction, counter)
    }

    /// The number that begins the tail of a named writer at the start of an interval.
    pub(crate) fn of_writer(tag: u16, round: u64, offset_bits: u32) -> i64 {
        (u64::from(tag) << MIDDLE_BITS | round << offset_bits) as i64
    }

    /// The tag, and what [`keyed::read`](super::keyed::read) returns.
    pub(crate) fn read_of_writer(top: u64, low: u64, offset_bits: u32) -> (u16, Keyed) {
        let (number, fraction, counter) = read(top, low);
        let (round, offset) = round_and_offset(number, offset_bits);
        ((number >> MIDDLE_BITS) as u16, Keyed { round, offset, fraction, counter })
    }
}

/// The fields of a tail after a keyed prefix, or of a named writer's tail.
#[derive(Clone, Copy)]
pub(crate) struct Keyed {
    pub(crate) round: u32,
    /// The whole milliseconds since the interval began.
    pub(crate) offset: Duration,
    pub(crate) fraction: u16,
    pub(crate) counter: u32,
}

/// Tails that begin with the round and the offset in the interval, after keyed prefixes.
pub(crate) mod keyed {
    use super::*;

    pub(crate) const RANDOM: u32 = 40;
    /// A fraction of the millisecond has at least 2 million ids. The first 6 of the 22 bits are never zero.
    pub(crate) const COUNTER: Counter = Counter { bits: 22, least: 1 << 16 };

    /// `base` holds prefix and round; see [`base`](super::base). `time` is that of
    /// [`Unit::HighFraction`](crate::generator::unit::Unit), and `start_ms` the begin of the interval.
    #[inline]
    pub(crate) fn head(base: u64, time: i64, start_ms: i64) -> Head {
        let offset_ms = (time >> FRACTION_BITS) - start_ms;
        Head { top: base | (offset_ms as u64) << 16 | (time & FRACTION) as u64, low: VARIANT }
    }

    /// The counter above the random bits.
    #[inline]
    pub(crate) fn with_counter(shared: Head, counter: u32) -> Head {
        Head { low: shared.low | u64::from(counter) << RANDOM, ..shared }
    }

    /// The smallest id with the offset `first_ms`, and the largest one with `last_ms`.
    pub(crate) fn bounds(base: u64, first_ms: i64, last_ms: i64) -> (Uuid, Uuid) {
        let top = |ms: i64| base | (ms as u64) << 16;
        (
            Uuid::from_u64_pair(top(first_ms), LEAST_LOW),
            Uuid::from_u64_pair(top(last_ms) | FRACTION as u64, LARGEST_LOW),
        )
    }

    const TOO_LONG: &str = "an ascending tail after a keyed prefix cannot count the milliseconds of";
    const TOO_LONG_OF_WRITER: &str = "an ascending tail with a writer's tag cannot count the milliseconds of";

    /// The number of the 32 bits that hold the offset in an interval after a keyed prefix.
    ///
    /// # Errors
    /// If the interval is longer than 2^32 ms, some 49 days.
    pub(crate) fn offset_bits(interval: Interval) -> Result<u32> {
        bits_of_longest(interval, TOO_LONG)
    }

    /// The number of the bits that hold the offset in an interval after a writer's sequential prefix.
    ///
    /// # Errors
    /// If the interval is longer than 2^32 ms, some 49 days.
    pub(crate) fn offset_bits_of_writer(interval: Interval) -> Result<u32> {
        bits_of_longest(interval, TOO_LONG_OF_WRITER)
    }

    fn bits_of_longest(interval: Interval, problem: &'static str) -> Result<u32> {
        let longest = interval.longest().as_millis();
        if longest > 1 << MIDDLE_BITS {
            return Err(Error::config(problem, interval, "choose an interval of at most 49 days"));
        }
        Ok(longest.next_power_of_two().trailing_zeros())
    }

    /// The last millisecond that round and offset can hold.
    pub(crate) fn last_ms(interval: Interval, offset_bits: u32) -> i64 {
        let intervals = 1i64 << (16 + MIDDLE_BITS - offset_bits);
        interval.start_of(intervals).unix_millis() - 1
    }

    /// The round, the offset, the fraction and the counter.
    pub(crate) fn read(top: u64, low: u64, offset_bits: u32) -> Keyed {
        let (round, offset) = round_and_offset(top >> 16, offset_bits);
        let counter = (low >> RANDOM) as u32 & (COUNTER.limit() - 1);
        Keyed { round, offset, fraction: (top & 0xFFF) as u16, counter }
    }
}

/// Tails after a fixed prefix of 17 to 32 bits, which leaves no place for the milliseconds before the variant.
pub(crate) mod long {
    use super::*;

    pub(crate) const RANDOM: u32 = 24;
    /// A fraction of the millisecond has at least 1,024 ids.
    pub(crate) const COUNTER: Counter = Counter { bits: 11, least: 0 };
    /// The bits of the time after the variant.
    const LOW_BITS: u32 = 26;
    const BEHIND_TIME: u32 = RANDOM + COUNTER.bits;
    /// Keeps byte 8 from being 0x80.
    const ONE: u64 = 1 << (BEHIND_TIME + LOW_BITS);

    /// The last millisecond that fits behind a prefix of this many bits.
    pub(crate) const fn last_ms(prefix_bits: u8) -> i64 {
        (1 << (60 - prefix_bits as u32 + LOW_BITS - FRACTION_BITS)) - 1
    }

    /// `base` holds the prefix and the version; `time` is that of [`Unit::HighFraction`](crate::generator::unit::Unit).
    #[inline]
    pub(crate) fn head(base: u64, time: i64) -> Head {
        let (high, low) = ((time >> LOW_BITS) as u64, time as u64 & ((1 << LOW_BITS) - 1));
        Head { top: base | high >> 12 << 16 | high & 0xFFF, low: VARIANT | ONE | low << BEHIND_TIME }
    }

    /// The counter above the random bits.
    #[inline]
    pub(crate) fn with_counter(shared: Head, counter: u32) -> Head {
        Head { low: shared.low | u64::from(counter) << RANDOM, ..shared }
    }

    /// The smallest id of the millisecond `first_ms`, and the largest one of `last_ms`.
    pub(crate) fn bounds(base: u64, first_ms: i64, last_ms: i64) -> (Uuid, Uuid) {
        let id = |time, rest| {
            let Head { top, low } = head(base, time);
            Uuid::from_u64_pair(top, low | rest)
        };
        let last = last_ms << FRACTION_BITS | FRACTION;
        (id(first_ms << FRACTION_BITS, 0), id(last, (1 << BEHIND_TIME) - 1))
    }

    /// The milliseconds, the fraction and the counter of an id with a prefix of 32 bits.
    pub(crate) fn read(top: u64, low: u64) -> (Timestamp, u16, u32) {
        let high = (top >> 16 & 0xFFFF) << 12 | top & 0xFFF;
        let time = high << LOW_BITS | low >> BEHIND_TIME & ((1 << LOW_BITS) - 1);
        let ms = Timestamp::from_unix_millis((time >> FRACTION_BITS) as i64);
        (ms, (time & 0xFFF) as u16, (low >> RANDOM) as u32 & (COUNTER.limit() - 1))
    }
}

/// Splits the lowest 32 bits of a number into the round and the offset.
fn round_and_offset(number: u64, offset_bits: u32) -> (u32, Duration) {
    let middle = number & ((1 << MIDDLE_BITS) - 1);
    ((middle >> offset_bits) as u32, Duration::from_millis(middle & ((1 << offset_bits) - 1)))
}

/// The bits that all ids of an interval share. A tail of 44 bits has the round 0 here.
#[inline]
pub(crate) const fn base(prefix: u16, round: u64, offset_bits: u32) -> u64 {
    (prefix as u64) << 48 | round << (16 + offset_bits) | VERSION_8
}
