//! Ids are in the order of time, then of their counter, whatever random bits they end with.

use uuid::Uuid;

use crate::fields::{self, Head};
use crate::generator::ulid;
use crate::tail::{self, keyed, long, wide};

/// The bits of time and counter of a layout, and its id of a time, a counter and random bits.
type Layout = (&'static str, u32, u32, fn(i64, u32, u64) -> Uuid);

/// The bits that all tails share.
const BASE: u64 = tail::base(0, 0, 0);

const LAYOUTS: [Layout; 6] = [
    ("v7", 60, fields::V7_COUNTER.bits, |time, counter, random| {
        fields::v7_with_counter(fields::v7(time), counter).with_random::<{ fields::V7_RANDOM }>(random)
    }),
    ("v6", 60, 14, |time, counter, random| {
        fields::v6(time as u64, 1 << 63 | u64::from(counter) << 48 | random >> 16)
    }),
    ("ulid", 48, ulid::COUNTER.bits, |time, counter, random| {
        ulid::with_counter(ulid::head(time), counter).with_random::<{ ulid::RANDOM }>(random)
    }),
    ("wide tail", 56, wide::COUNTER.bits, |time, counter, random| {
        let head: Head = wide::with_counter(wide::head(BASE, time, 0), counter);
        head.with_random::<{ wide::RANDOM }>(random)
    }),
    ("keyed tail", 44, keyed::COUNTER.bits, |time, counter, random| {
        keyed::with_counter(keyed::head(BASE, time, 0), counter).with_random::<{ keyed::RANDOM }>(random)
    }),
    ("long tail", 54, long::COUNTER.bits, |time, counter, random| {
        long::with_counter(long::head(BASE, time), counter).with_random::<{ long::RANDOM }>(random)
    }),
];

/// Tests by exhaustion: each carry of the time and of the counter, into each of their bits, with the largest random
/// bits before it and the smallest behind it, and with the bits above the carry all zero and all one. The induction:
/// two numbers that follow each other differ in one carry, and the bits above it are equal in both. They have places of
/// their own in an id, so their value does not matter.
#[test]
fn each_carry_leads_to_a_greater_id() {
    for (name, time_bits, counter_bits, id) in LAYOUTS {
        let (last_time, last_counter) = ((1_i64 << time_bits) - 1, (1_u32 << counter_bits) - 1);
        for carry in 0..time_bits {
            for above in [0, last_time & !((2 << carry) - 1)] {
                let time = above | 1 << carry;
                assert!(id(time - 1, last_counter, u64::MAX) < id(time, 0, 0), "{name} {carry}");
            }
        }
        for carry in 0..counter_bits {
            for above in [0, last_counter & !((2 << carry) - 1)] {
                let counter = above | 1 << carry;
                for time in [0, last_time] {
                    assert!(id(time, counter - 1, u64::MAX) < id(time, counter, 0), "{name} {carry}");
                }
            }
        }
    }
}
