//! The bit fields of the UUID versions: packing and unpacking, nothing else.
//!
//! Source: RFC 9562 sections 5.1 (version 1), 5.6 (6), 5.7 (7) and 5.8 (8).

use uuid::Uuid;

use crate::node::Node;

const VARIANT: u128 = 0b10 << 62;

/// Version 1 from a 60-bit Gregorian timestamp, a 14-bit clock sequence and a node.
#[inline]
pub(crate) fn v1(ticks: u64, clock_sequence: u16, node: Node) -> Uuid {
    let low = ticks as u32;
    let mid = (ticks >> 32) as u16;
    let high = (ticks >> 48) as u16 & 0x0FFF | 0x1000;
    let top = u64::from(low) << 32 | u64::from(mid) << 16 | u64::from(high);
    Uuid::from_u64_pair(top, sequence_and_node(clock_sequence, node))
}

/// Version 6: the same fields, the time's high bits first.
#[inline]
pub(crate) fn v6(ticks: u64, clock_sequence: u16, node: Node) -> Uuid {
    let top = (ticks & !0x0FFF) << 4 | 0x6000 | ticks & 0x0FFF;
    Uuid::from_u64_pair(top, sequence_and_node(clock_sequence, node))
}

#[inline]
fn sequence_and_node(clock_sequence: u16, node: Node) -> u64 {
    let mut bytes = [0; 8];
    bytes[2..].copy_from_slice(&node.bytes());
    u64::from_be_bytes(bytes) | u64::from(clock_sequence & 0x3FFF | 0x8000) << 48
}

/// Version 7 from 48 bits of Unix milliseconds, the 12 bits of `rand_a`, a counter of 14 bits in the top
/// of `rand_b`, and 64 random bits, of which 48 are used.
#[inline]
pub(crate) fn v7(unix_ms: u64, rand_a: u16, counter: u16, random: u64) -> Uuid {
    let top = unix_ms << 16 | 0x7000 | u64::from(rand_a & 0x0FFF);
    with_random_end(top, u64::from(counter & 0x3FFF | 0x8000) << 48, 48, random)
}

/// The top half, the beginning of the low half, and random bits in its last `random_bits`.
///
/// The random bytes stay in their order, as swapping them would make them no more random.
#[inline]
pub(crate) fn with_random_end(top: u64, low: u64, random_bits: u32, random: u64) -> Uuid {
    let mask = (1 << random_bits) - 1;
    Uuid::from_u64_pair(top, u64::from_be(low.to_be() | random & u64::to_be(mask)))
}

/// Any version from the bits that are neither version nor variant (those of `bits` are overwritten).
#[inline]
pub(crate) fn stamped(bits: u128, version: u8) -> Uuid {
    let version_cleared = bits & !(0xF << 76) | u128::from(version) << 76;
    Uuid::from_u128(version_cleared & !(0b11 << 62) | VARIANT)
}

/// The same from random bits, whose bytes stay in their order.
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
    use crate::Timestamp;
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
        let text = include_str!("../../../tests/vectors/rfc9562.json");
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
                        1 => (v1(ticks, sequence, node), v1_ticks(&v.uuid)),
                        _ => (v6(ticks, sequence, node), v6_ticks(&v.uuid)),
                    };
                    assert_eq!((made, read, sequence_of(&v.uuid)), (v.uuid, ticks, (sequence, node)));
                    assert_eq!(std::format!("{}", Timestamp::from_gregorian_ticks(ticks)), v.utc.unwrap());
                }
                7 => {
                    let ms = v.unix_ms.unwrap();
                    assert_eq!(unix_ms(&v.uuid), ms);
                    let (top, bottom) = v.uuid.as_u64_pair();
                    assert_eq!(v7(ms, top as u16, (bottom >> 48) as u16, bottom.to_be()), v.uuid);
                }
                _ => {}
            }
        }
    }

    proptest! {
        #[test]
        fn v1_and_v6_give_back_their_fields(ticks in 0u64..1 << 60, sequence in 0u16..1 << 14, node: [u8; 6]) {
            let node = Node::new(node);
            for (id, read) in [(v1(ticks, sequence, node), v1_ticks as fn(&Uuid) -> u64), (v6(ticks, sequence, node), v6_ticks)] {
                prop_assert_eq!(read(&id), ticks);
                prop_assert_eq!(sequence_of(&id), (sequence, node));
                prop_assert_eq!(id.get_variant(), uuid::Variant::RFC4122);
            }
        }

        #[test]
        fn v6_sorts_by_time_then_sequence(a in (0u64..1 << 60, 0u16..1 << 14), b in (0u64..1 << 60, 0u16..1 << 14)) {
            let node = Node::new([1; 6]);
            prop_assert_eq!(v6(a.0, a.1, node).cmp(&v6(b.0, b.1, node)), a.cmp(&b));
        }

        #[test]
        fn stamping_touches_six_bits(bits: u128, version in 0u8..16) {
            let id = stamped(bits, version);
            prop_assert_eq!(id.get_version_num(), usize::from(version));
            prop_assert_eq!((id.as_u128() ^ bits) & !(0xF << 76 | 0b11 << 62), 0);
        }
    }
}
