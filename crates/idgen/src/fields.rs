//! The bit fields of the UUID versions: packing and unpacking, nothing else.
//!
//! Source: RFC 9562 sections 5.1 (version 1), 5.6 (6), 5.7 (7) and 5.8 (8).

use uuid::Uuid;

use crate::chunks::chunks;
use crate::node::Node;

const VARIANT: u128 = 0b10 << 62;

/// The last millisecond that version 7 and ULIDs can hold.
pub(crate) const LAST_UNIX_MS: i64 = (1 << 48) - 1;

/// Version 1 from a 60-bit Gregorian timestamp and what [`sequence_and_node`] gives.
#[inline]
pub(crate) fn v1(ticks: u64, sequence_and_node: u64) -> Uuid {
    let low = ticks as u32;
    let mid = (ticks >> 32) as u16;
    let high = (ticks >> 48) as u16 & 0x0FFF | 0x1000;
    let top = u64::from(low) << 32 | u64::from(mid) << 16 | u64::from(high);
    Uuid::from_u64_pair(top, sequence_and_node)
}

/// Version 6: the same fields, the time's high bits first.
#[inline]
pub(crate) fn v6(ticks: u64, sequence_and_node: u64) -> Uuid {
    let top = (ticks & !0x0FFF) << 4 | 0x6000 | ticks & 0x0FFF;
    Uuid::from_u64_pair(top, sequence_and_node)
}

/// The lower half of versions 1 and 6, from a 14-bit clock sequence and a node.
#[inline]
pub(crate) fn sequence_and_node(clock_sequence: u16, node: Node) -> u64 {
    let mut bytes = [0; 8];
    bytes[2..].copy_from_slice(&node.bytes());
    u64::from_be_bytes(bytes) | u64::from(clock_sequence & 0x3FFF | 0x8000) << 48
}

/// An id except the random bits at its end: the halves as big-endian numbers.
#[derive(Clone, Copy)]
pub(crate) struct Head {
    pub(crate) top: u64,
    pub(crate) low: u64,
}

impl Head {
    /// The id with random bits for its last `RANDOM`.
    ///
    /// The random bytes stay in their order, because swapping them would not make them more random.
    #[inline]
    pub(crate) fn with_random<const RANDOM: u32>(self, bits: u64) -> Uuid {
        let low = self.low.to_be() | bits & random_mask::<RANDOM>();
        Uuid::from_u64_pair(self.top, u64::from_be(low))
    }

    /// An id for each eight random bytes, with a counter above the random bits that starts at this id's. The caller
    /// ensures that the counter does not carry into another byte, so that it counts the same in any byte order.
    #[inline(always)]
    pub(crate) fn count_up<const RANDOM: u32>(self, ids: &mut [Uuid], random: &[u8]) {
        let (low, step) = (self.low.to_be(), (1u64 << RANDOM).to_be());
        #[cfg(all(feature = "fast", target_arch = "x86_64", target_feature = "sse2"))]
        let (done, low) =
            crate::place::count_up_pairs(ids, random, self.top.to_be(), low, step, random_mask::<RANDOM>());
        #[cfg(not(all(feature = "fast", target_arch = "x86_64", target_feature = "sse2")))]
        let done = 0;
        let (random, _) = chunks::<_, 8>(&random[8 * done..]);
        for ((id, bits), i) in ids[done..].iter_mut().zip(random).zip(0..) {
            // A product, because sums would wait for each other.
            let low =
                low.wrapping_add(step.wrapping_mul(i)) | u64::from_ne_bytes(*bits) & random_mask::<RANDOM>();
            *id = Uuid::from_u64_pair(self.top, u64::from_be(low));
        }
    }
}

#[inline]
const fn random_mask<const RANDOM: u32>() -> u64 {
    ((1 << RANDOM) - 1u64).to_be()
}

/// The random bits at the end of version 7.
pub(crate) const V7_RANDOM: u32 = 48;

/// The counter above them. A fraction of the millisecond has at least 8,192 ids.
pub(crate) const V7_COUNTER: Counter = Counter { bits: 14, least: 0 };

/// Version 7 except counter and random end, from a time in 1/4,096 ms: 48 bits of Unix milliseconds, and the fraction in
/// `rand_a`.
#[inline]
pub(crate) fn v7(time: i64) -> Head {
    let time = time as u64;
    Head { top: time >> 12 << 16 | 0x7000 | time & 0x0FFF, low: 0x8000 << V7_RANDOM }
}

/// The counter of version 7, in the top of `rand_b`.
#[inline]
pub(crate) fn v7_with_counter(shared: Head, counter: u32) -> Head {
    Head { low: shared.low | u64::from(counter) << V7_RANDOM, ..shared }
}

/// A counter of an id: it starts at random in its lower half, and not below `least`.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    pub(crate) bits: u32,
    /// Zero, or a power of two.
    pub(crate) least: u32,
}

impl Counter {
    /// The first counter of a time, from random bits.
    #[inline]
    pub(crate) const fn first(self, draw: u64) -> u32 {
        let seed = draw as u32 & ((1 << (self.bits - 1)) - 1);
        // The numbers after `least` are twice as frequent, which does not matter.
        if seed < self.least { seed | self.least } else { seed }
    }

    /// Counters are below this.
    #[inline]
    pub(crate) const fn limit(self) -> u32 {
        1 << self.bits
    }
}

/// Any version from the bits that are neither version nor variant (those of `bits` are overwritten).
#[inline]
pub(crate) const fn stamped(bits: u128, version: u8) -> Uuid {
    let version_cleared = bits & !(0xF << 76) | (version as u128) << 76;
    Uuid::from_u128(version_cleared & !(0b11 << 62) | VARIANT)
}

/// Makes the id from random bits, whose bytes stay in their order.
#[inline]
pub(crate) fn random(bits: u128, version: u8) -> Uuid {
    stamped(u128::from_be(bits), version)
}

/// The Gregorian timestamp of version 1.
pub(crate) fn v1_ticks(id: &Uuid) -> u64 {
    let (top, _) = id.as_u64_pair();
    top >> 32 | (top >> 16 & 0xFFFF) << 32 | (top & 0x0FFF) << 48
}

/// The Gregorian timestamp of version 6.
pub(crate) fn v6_ticks(id: &Uuid) -> u64 {
    let (top, _) = id.as_u64_pair();
    top >> 16 << 12 | top & 0x0FFF
}

/// The Unix milliseconds of version 7, or of a ULID.
pub(crate) fn unix_ms(id: &Uuid) -> u64 {
    id.as_u64_pair().0 >> 16
}

/// The clock sequence and the node of versions 1 and 6.
pub(crate) fn sequence_of(id: &Uuid) -> (u16, Node) {
    let bytes = id.as_bytes();
    let sequence = u16::from_be_bytes([bytes[8], bytes[9]]) & 0x3FFF;
    let [.., a, b, c, d, e, f] = *bytes;
    (sequence, Node::new([a, b, c, d, e, f]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timestamp::Timestamp;
    use proptest::prelude::*;
    use std::string::String;
    use std::vec::Vec;

    #[derive(serde::Deserialize)]
    struct Vectors {
        vectors: Vec<Vector>,
    }

    #[derive(serde::Deserialize)]
    struct Vector {
        version: u8,
        uuid: Uuid,
        gregorian_100ns: Option<u64>,
        clock_sequence: Option<u16>,
        node: Option<String>,
        unix_ms: Option<u64>,
        utc: Option<String>,
    }

    #[test]
    fn the_examples_of_rfc_9562() {
        let text = include_str!("../tests/vectors/rfc9562.json");
        let vectors: Vectors = serde_json::from_str(text).unwrap();
        assert_eq!(vectors.vectors.len(), 5);
        for v in vectors.vectors {
            assert_eq!(v.uuid.get_version_num(), usize::from(v.version));
            assert_eq!(stamped(v.uuid.as_u128(), v.version), v.uuid);
            match v.version {
                1 | 6 => {
                    let node: Node = v.node.unwrap().parse().unwrap();
                    let (ticks, sequence) = (v.gregorian_100ns.unwrap(), v.clock_sequence.unwrap());
                    let (made, read) = match v.version {
                        1 => (v1(ticks, sequence_and_node(sequence, node)), v1_ticks(&v.uuid)),
                        _ => (v6(ticks, sequence_and_node(sequence, node)), v6_ticks(&v.uuid)),
                    };
                    assert_eq!((made, read, sequence_of(&v.uuid)), (v.uuid, ticks, (sequence, node)));
                    assert_eq!(std::format!("{}", Timestamp::from_gregorian_ticks(ticks)), v.utc.unwrap());
                }
                7 => {
                    let ms = v.unix_ms.unwrap();
                    assert_eq!(unix_ms(&v.uuid), ms);
                    let (top, bottom) = v.uuid.as_u64_pair();
                    let (fraction, counter) = (top & 0x0FFF, (bottom >> V7_RANDOM) as u32 & 0x3FFF);
                    let head = v7_with_counter(v7((ms << 12 | fraction) as i64), counter);
                    assert_eq!(head.with_random::<V7_RANDOM>(bottom.to_be()), v.uuid);
                }
                _ => {}
            }
        }
    }

    proptest! {
        /// The fast loop equals single ids, for every position of the counter's end within its byte.
        #[test]
        fn counting_up_equals_single_ids(first in 0u32..1 << 14, bits in prop::collection::vec(any::<[u8; 8]>(), 0..40)) {
            let count = bits.len().min(256 - first as usize % 256);
            let mut ids = std::vec![Uuid::nil(); count];
            let head = |counter| v7_with_counter(v7(1), counter);
            head(first).count_up::<V7_RANDOM>(&mut ids, bits[..count].as_flattened());
            for ((id, counter), bits) in ids.into_iter().zip(first..).zip(bits) {
                prop_assert_eq!(id, head(counter).with_random::<V7_RANDOM>(u64::from_ne_bytes(bits)));
            }
        }

        #[test]
        fn v1_and_v6_give_back_their_fields(ticks in 0u64..1 << 60, sequence in 0u16..1 << 14, node: [u8; 6]) {
            let node = Node::new(node);
            let low = sequence_and_node(sequence, node);
            for (id, read) in [(v1(ticks, low), v1_ticks as fn(&Uuid) -> u64), (v6(ticks, low), v6_ticks)] {
                prop_assert_eq!(read(&id), ticks);
                prop_assert_eq!(sequence_of(&id), (sequence, node));
                prop_assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
            }
        }

        #[test]
        fn stamping_touches_six_bits(bits: u128, version in 0u8..16) {
            let id = stamped(bits, version);
            prop_assert_eq!(id.get_version_num(), usize::from(version));
            prop_assert_eq!((id.as_u128() ^ bits) & !(0xF << 76 | 0b11 << 62), 0);
        }
    }
}
