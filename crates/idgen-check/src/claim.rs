//! The kind that an id claims to be, by its variant and version, and the fields that follow from the claim.

use idgen::Timestamp;

/// The way in which an id was read. The bits of a ULID or of a 64-bit id do not say what they are, so the text does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// A UUID: its version and variant say the rest.
    Uuid,
    /// A ULID, as its text of 26 characters says.
    Ulid,
    /// A number of 64 bits, in the lower half.
    Short,
}

/// The kind that an id claims to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Claim {
    Nil,
    Max,
    Version(u8),
    OtherVariant,
    Ulid,
    Short,
}

const VERSION: u128 = 0xF << 76;
const VARIANT: u128 = 0b11 << 62;

impl Claim {
    /// The number of different claims: versions 0 to 15, and five others.
    pub(crate) const COUNT: usize = 21;

    pub(crate) fn of(reading: Reading, id: u128) -> Self {
        match reading {
            Reading::Ulid => Claim::Ulid,
            Reading::Short => Claim::Short,
            Reading::Uuid if id & VARIANT == 0b10 << 62 => Claim::Version((id >> 76) as u8 & 0xF),
            Reading::Uuid if id == 0 => Claim::Nil,
            Reading::Uuid if id == u128::MAX => Claim::Max,
            Reading::Uuid => Claim::OtherVariant,
        }
    }

    /// A number below [`COUNT`](Claim::COUNT).
    pub(crate) fn index(self) -> usize {
        match self {
            Claim::Version(version) => usize::from(version),
            Claim::Nil => 16,
            Claim::Max => 17,
            Claim::OtherVariant => 18,
            Claim::Ulid => 19,
            Claim::Short => 20,
        }
    }

    /// The name of the kind, as `--require` takes it.
    pub(crate) fn name(self) -> &'static str {
        const VERSIONS: [&str; 16] = [
            "v0", "v1", "v2", "v3", "v4", "v5", "v6", "v7", "v8", "v9", "v10", "v11", "v12", "v13", "v14",
            "v15",
        ];
        match self {
            Claim::Nil => "nil",
            Claim::Max => "max",
            Claim::Version(version) => VERSIONS[usize::from(version & 0xF)],
            Claim::OtherVariant => "other-variant",
            Claim::Ulid => "ulid",
            Claim::Short => "short",
        }
    }

    /// The kind of this name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        let others = [Claim::Nil, Claim::Max, Claim::OtherVariant, Claim::Ulid, Claim::Short];
        (0..16).map(Claim::Version).chain(others).find(|claim| claim.name() == name)
    }

    /// Returns the places of the time of creation and of the bits after it; `None` for ids of kinds that have no such
    /// time.
    pub(crate) fn layout(self) -> Option<Layout> {
        match self {
            Claim::Version(1) => Some(Layout { time: v1_ticks, ..GREGORIAN }),
            Claim::Version(6) => Some(Layout { time: v6_ticks, ..GREGORIAN }),
            Claim::Version(7) => Some(Layout { tail: v7_tail, tail_bits: 74, ..UNIX }),
            Claim::Ulid => Some(Layout { tail: |id| id << 48, tail_bits: 80, ..UNIX }),
            _ => None,
        }
    }

    /// The bits that RFC 9562 lets the generator choose, as far as they are not a time: candidates for randomness.
    pub(crate) fn free_bits(self) -> u128 {
        match self {
            Claim::Version(4) => !(VERSION | VARIANT),
            Claim::Version(7) => ((1 << 80) - 1) & !(VERSION | VARIANT),
            Claim::Ulid => (1 << 80) - 1,
            _ => 0,
        }
    }
}

/// The places of the time and of the bits after it. Comparing the time and then the tail orders ids as they were made.
#[derive(Clone, Copy)]
pub(crate) struct Layout {
    /// The time in units.
    pub(crate) time: fn(u128) -> u64,
    /// The other bits that order ids, at the top of 128 bits.
    pub(crate) tail: fn(u128) -> u128,
    /// The number of bits in the tail.
    pub(crate) tail_bits: u32,
    /// Units of time in a millisecond.
    pub(crate) per_ms: u64,
    /// Units from the beginning of the count to 1970.
    pub(crate) to_unix: i64,
}

const UNIX: Layout = Layout { time: unix_ms, tail: v7_tail, tail_bits: 74, per_ms: 1, to_unix: 0 };
const GREGORIAN: Layout = Layout {
    time: v1_ticks,
    tail: |id| id << 66,
    tail_bits: 62,
    per_ms: 10_000,
    to_unix: 0x01B2_1DD2_1381_4000,
};

impl Layout {
    /// A number of units as a moment.
    pub(crate) fn moment(self, units: u64) -> Timestamp {
        let ticks = (units as i64).wrapping_sub(self.to_unix).saturating_mul((10_000 / self.per_ms) as i64);
        Timestamp::from_unix_ticks(ticks)
    }

    /// The number of units at a moment; negative before the count begins.
    pub(crate) fn units(self, moment: Timestamp) -> i64 {
        moment.unix_ticks().div_euclid((10_000 / self.per_ms) as i64).saturating_add(self.to_unix)
    }

    /// Units as milliseconds.
    pub(crate) fn ms(self, units: u64) -> f64 {
        units as f64 / self.per_ms as f64
    }
}

fn unix_ms(id: u128) -> u64 {
    (id >> 80) as u64
}

/// `rand_a` and `rand_b` of RFC 9562 section 5.7 without the variant between them.
fn v7_tail(id: u128) -> u128 {
    (id >> 64 & 0xFFF) << 116 | (id & ((1 << 62) - 1)) << 54
}

fn v1_ticks(id: u128) -> u64 {
    let top = (id >> 64) as u64;
    top >> 32 | (top >> 16 & 0xFFFF) << 32 | (top & 0x0FFF) << 48
}

fn v6_ticks(id: u128) -> u64 {
    let top = (id >> 64) as u64;
    top >> 16 << 12 | top & 0x0FFF
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(text: &str) -> u128 {
        idgen::codec::hyphenated::decode(text).unwrap().as_u128()
    }

    #[test]
    fn claims_follow_from_the_bits() {
        for (text, name) in [
            ("00000000-0000-0000-0000-000000000000", "nil"),
            ("ffffffff-ffff-ffff-ffff-ffffffffffff", "max"),
            ("c232ab00-9414-11ec-b3c8-9f6bdeced846", "v1"),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", "v7"),
            ("017f22e2-79b0-7cc3-18c4-dc0c0c07398f", "other-variant"),
            ("017f22e2-79b0-7cc3-d8c4-dc0c0c07398f", "other-variant"),
        ] {
            let claim = Claim::of(Reading::Uuid, id(text));
            assert_eq!((claim.name(), Claim::named(name)), (name, Some(claim)), "{text}");
            assert!(claim.index() < Claim::COUNT);
        }
        assert_eq!(Claim::named("v16"), None);
    }

    /// RFC 9562, appendix A: the same moment in versions 1, 6 and 7.
    #[test]
    fn times_and_tails_are_those_of_the_examples() {
        for (text, version) in [
            ("c232ab00-9414-11ec-b3c8-9f6bdeced846", 1),
            ("1ec9414c-232a-6b00-b3c8-9f6bdeced846", 6),
            ("017f22e2-79b0-7cc3-98c4-dc0c0c07398f", 7),
        ] {
            let layout = Claim::Version(version).layout().unwrap();
            let units = (layout.time)(id(text));
            assert_eq!(layout.moment(units).to_string(), "2022-02-22T19:22:22Z");
            assert_eq!(layout.units(layout.moment(units)), units as i64);
            assert_eq!(
                (layout.tail)(id(text)).trailing_zeros().min(128 - layout.tail_bits),
                128 - layout.tail_bits
            );
        }
        assert_eq!(v7_tail(id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")) >> 116, 0xCC3);
        assert_eq!(
            v7_tail(id("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")) >> 54 & ((1 << 62) - 1),
            0x18C4_DC0C_0C07_398F
        );
    }
}
