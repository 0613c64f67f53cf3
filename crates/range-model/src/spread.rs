//! Changes of keys by the table, so that neighbors are not stored together.

use serde::Serialize;

/// The conversion of an id to the bytes by which a table is sorted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Spread {
    /// The bytes of the id.
    #[default]
    None,
    /// The bits of the id in reverse order, so that the bits that change fastest come first.
    BitReversed,
    /// A number before the id, in two bytes: a hash of the id modulo this many. A hash-sharded index, and a salt, are made so. At most
    /// 65,536.
    Hashed(u32),
}

impl Spread {
    /// The most parts of [`Spread::Hashed`].
    pub const MOST_PARTS: u32 = 65_536;

    /// Writes the bytes that the table is sorted by to `into`, in place of what it has.
    ///
    /// ```
    /// use range_model::Spread;
    ///
    /// let mut sorted_by = Vec::new();
    /// Spread::BitReversed.apply(&[0x01, 0x80], &mut sorted_by);
    /// assert_eq!(sorted_by, [0x01, 0x80]);
    /// Spread::BitReversed.apply(&[0x00, 0x03], &mut sorted_by);
    /// assert_eq!(sorted_by, [0xc0, 0x00]);
    /// Spread::Hashed(8).apply(&[5], &mut sorted_by);
    /// assert_eq!((sorted_by.len(), sorted_by[0], sorted_by[2]), (3, 0, 5));
    /// ```
    pub fn apply(self, id: &[u8], into: &mut Vec<u8>) {
        into.clear();
        match self {
            Spread::None => into.extend_from_slice(id),
            Spread::BitReversed => into.extend(id.iter().rev().map(|byte| byte.reverse_bits())),
            Spread::Hashed(parts) => {
                let part = (hash(id) % u64::from(parts.clamp(1, Spread::MOST_PARTS))) as u16;
                into.extend_from_slice(&part.to_be_bytes());
                into.extend_from_slice(id);
            }
        }
    }

    /// Bytes that are put before the id.
    pub fn head_bytes(self) -> u32 {
        if matches!(self, Spread::Hashed(_)) { 2 } else { 0 }
    }
}

/// FNV-1a of 64 bits, and a last step that mixes the high bits into the low ones. Databases use other hashes, which spread
/// keys as evenly.
fn hash(bytes: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    hash ^ (hash >> 29)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn reversing_twice_gives_the_id_again(id: [u8; 16]) {
            let (mut once, mut twice) = (Vec::new(), Vec::new());
            Spread::BitReversed.apply(&id, &mut once);
            Spread::BitReversed.apply(&once, &mut twice);
            prop_assert_eq!(twice, id);
        }
    }

    /// Numbers that ascend fall into each part of the hashes about equally often.
    #[test]
    fn hashes_of_consecutive_numbers_are_spread_evenly() {
        let mut counts = [0_u32; 16];
        let mut bytes = Vec::new();
        for number in 0..16_000_u64 {
            Spread::Hashed(16).apply(&number.to_be_bytes(), &mut bytes);
            counts[usize::from(bytes[1])] += 1;
        }
        assert!(counts.iter().all(|count| (850..1_150).contains(count)), "{counts:?}");
    }
}
