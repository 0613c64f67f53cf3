//! The bits of ascending tails: packing and unpacking (RFC 9562 section 5.8, version 8).
//!
//! ```text
//! keyed prefix:        prefix 16 | round, offset 32       | version 4 | counter 12 | variant 2 | pad 6 | counter 16 | random 40
//! with a named writer: prefix 16 | tag 12, round, offset: | version 4 | low 12     | variant 2 | pad 6 | counter 28 | random 28
//! other prefixes:      prefix 16 | milliseconds:   top 32 | version 4 | low 12     | variant 2 | pad 6 | counter 28 | random 28
//! ```
//!
//! All begin with what only grows from one visit of a prefix to the next, so that later ids of a bucket (of one writer,
//! where it has a name) always follow the earlier ones. The pad is constant within a millisecond and never zero, as
//! MariaDB's UUID column refuses version 8 with a byte 8 of 0x80.

use core::time::Duration;

use uuid::Uuid;

use crate::error::{Error, Result};
use crate::fields::Head;
use crate::interval::Interval;
use crate::timestamp::Timestamp;

pub(crate) const COUNTER_BITS: u32 = 28;
/// The pad is 1 to 63: see the top of this file.
pub(crate) const LEAST_PAD: u8 = 1;
pub(crate) const LARGEST_PAD: u8 = 0x3F;
pub(crate) const LARGEST_COUNTER: u32 = (1 << COUNTER_BITS) - 1;
const MIDDLE_BITS: u32 = 32;
pub(crate) const TAG_BITS: u32 = 12;
const TIME_BITS: u32 = MIDDLE_BITS + TAG_BITS;
const VERSION_8: u64 = 0x8000;

/// The last millisecond that a tail with the time can hold.
pub(crate) const LAST_TIME_MS: i64 = (1 << TIME_BITS) - 1;

/// What all ids of one millisecond share, except the counter.
#[inline]
fn low(pad: u8) -> u64 {
    u64::from(0x80 | pad) << 56
}

/// Tails that begin with a number of 44 bits: the absolute time, after prefixes that do not hide it, or a writer's tag,
/// round and offset.
pub(crate) mod wide {
    use super::*;

    pub(crate) const RANDOM: u32 = 28;

    /// `base` holds the prefix in its top 16 bits; see [`base`](super::base).
    #[inline]
    pub(crate) fn head(base: u64, number: i64, pad: u8) -> Head {
        let number = number as u64;
        Head { top: base | number >> 12 << 16 | number & 0xFFF, low: low(pad) }
    }

    #[inline]
    pub(crate) fn with_counter(shared: Head, counter: u32) -> Head {
        Head { low: shared.low | u64::from(counter) << RANDOM, ..shared }
    }

    /// The smallest id whose tail begins with the number `first`, and the largest one that begins with `last`.
    pub(crate) fn bounds(base: u64, first: i64, last: i64) -> (Uuid, Uuid) {
        let largest = with_counter(head(base, last, LARGEST_PAD), LARGEST_COUNTER);
        (head(base, first, LEAST_PAD).with_random::<0>(0), largest.with_random::<RANDOM>(u64::MAX))
    }

    /// The number and the counter.
    fn read(top: u64, low: u64) -> (u64, u32) {
        let number = (top >> 16 & 0xFFFF_FFFF) << 12 | top & 0xFFF;
        (number, (low >> RANDOM) as u32 & ((1 << COUNTER_BITS) - 1))
    }

    /// The time and the counter.
    pub(crate) fn read_time(top: u64, low: u64) -> (Timestamp, u32) {
        let (ms, counter) = read(top, low);
        (Timestamp::from_unix_millis(ms as i64), counter)
    }

    /// The number that begins the tail of a named writer at the start of an interval.
    pub(crate) fn of_writer(tag: u16, round: u64, offset_bits: u32) -> i64 {
        (u64::from(tag) << MIDDLE_BITS | round << offset_bits) as i64
    }

    /// The tag, the round, the offset and the counter.
    pub(crate) fn read_of_writer(top: u64, low: u64, offset_bits: u32) -> (u16, u32, Duration, u32) {
        let (number, counter) = read(top, low);
        let (round, offset) = round_and_offset(number, offset_bits);
        ((number >> MIDDLE_BITS) as u16, round, offset, counter)
    }
}

/// Tails that begin with the round and the offset in the interval, after keyed prefixes.
pub(crate) mod keyed {
    use super::*;

    pub(crate) const RANDOM: u32 = 40;

    /// `base` holds prefix and round; see [`base`](super::base).
    #[inline]
    pub(crate) fn head(base: u64, offset_ms: i64, pad: u8) -> Head {
        Head { top: base | (offset_ms as u64) << 16, low: low(pad) }
    }

    /// The counter's top 12 bits into the top half, the other 16 above the random bits.
    #[inline]
    pub(crate) fn with_counter(shared: Head, counter: u32) -> Head {
        Head {
            top: shared.top | u64::from(counter >> 16),
            low: shared.low | u64::from(counter & 0xFFFF) << RANDOM,
        }
    }

    /// The smallest id with the offset `first_ms`, and the largest one with `last_ms`.
    pub(crate) fn bounds(base: u64, first_ms: i64, last_ms: i64) -> (Uuid, Uuid) {
        let largest = with_counter(head(base, last_ms, LARGEST_PAD), LARGEST_COUNTER);
        (head(base, first_ms, LEAST_PAD).with_random::<0>(0), largest.with_random::<RANDOM>(u64::MAX))
    }

    const TOO_LONG: &str = "an ascending tail after a keyed prefix cannot count the milliseconds of";
    const TOO_LONG_OF_WRITER: &str = "an ascending tail with a writer's tag cannot count the milliseconds of";

    /// How many of the 32 bits hold the offset in an interval after a keyed prefix.
    ///
    /// # Errors
    /// If the interval is longer than 2^32 ms, some 49 days.
    pub(crate) fn offset_bits(interval: Interval) -> Result<u32> {
        bits_of_longest(interval, TOO_LONG)
    }

    /// The same after a writer's sequential prefix.
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

    /// The round, the offset and the counter.
    pub(crate) fn read(top: u64, low: u64, offset_bits: u32) -> (u32, Duration, u32) {
        let (round, offset) = round_and_offset(top >> 16, offset_bits);
        let counter = (top & 0xFFF) << 16 | low >> RANDOM & 0xFFFF;
        (round, offset, counter as u32)
    }
}

/// From the lowest 32 bits of a number.
fn round_and_offset(number: u64, offset_bits: u32) -> (u32, Duration) {
    let middle = number & ((1 << MIDDLE_BITS) - 1);
    ((middle >> offset_bits) as u32, Duration::from_millis(middle & ((1 << offset_bits) - 1)))
}

/// The bits that all ids of an interval share. A tail of 44 bits has the round 0 here.
#[inline]
pub(crate) const fn base(prefix: u16, round: u64, offset_bits: u32) -> u64 {
    (prefix as u64) << 48 | round << (16 + offset_bits) | VERSION_8
}
