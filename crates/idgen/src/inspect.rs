//! Reads what an id shows: the functions. The modules hold the types of the answer.

mod foreign;
mod inspection;
mod nature;
mod weeks;

use uuid::{Uuid, Variant};

use crate::codec::Format;
use crate::error::Result;
use crate::fields;
use crate::generator::unit::Unit;
use crate::short_id::ShortId;
use crate::tail;
use crate::timestamp::Timestamp;

pub use foreign::{ForeignId, ForeignKind, foreign_numbers, foreign_texts};
pub use inspection::{AnyId, Inspection};
pub use nature::Nature;
pub use weeks::weeks_between;

/// Inspects a text in any format: [`Format::decode_any`] says how the format is detected. A decimal number
/// below 2^64 is treated as a 64-bit id.
///
/// ```
/// let seen = idgen::inspect("017f22e2-79b0-7cc3-98c4-dc0c0c07398f")?; // RFC 9562, appendix A.6
/// assert_eq!(seen.version, Some(7));
/// assert_eq!(seen.timestamp.unwrap().to_string(), "2022-02-22T19:22:22Z");
/// # Ok::<(), idgen::Error>(())
/// ```
///
/// # Errors
/// If no format could have written the text.
pub fn inspect(text: impl AsRef<[u8]>) -> Result<Inspection> {
    let (format, id) = Format::decode_any(text)?;
    Ok(inspect_decoded(format, id))
}

/// Inspects an id that was read from a text of this format. A text in base32 is treated as a ULID, unless the bits show
/// a version that this crate generates, and a decimal number below 2^64 as a 64-bit id.
///
/// ```
/// use idgen::codec::Format;
///
/// let seen = idgen::inspect_decoded(Format::Int, idgen::Uuid::from_u128(7));
/// assert_eq!(seen.id, idgen::AnyId::Short(idgen::ShortId::new(7)));
/// ```
pub fn inspect_decoded(format: Format, id: Uuid) -> Inspection {
    match u64::try_from(id.as_u128()) {
        Ok(number) if format == Format::Int => inspect_short(ShortId::new(number)),
        _ => {
            let mut seen = inspect_uuid(id);
            if format == Format::Base32 && !has_known_version(&seen) {
                seen = inspect_ulid(id);
            }
            seen.format = Some(format);
            seen
        }
    }
}

/// True if the bits show a version that this crate generates (1, 4, 6, 7 or 8), or nil or max. By chance, the bits of
/// one ULID in thirteen do so, and of one in eight of this crate's ULIDs, whose counter begins low. The bits then do
/// not say which of the two the id is.
fn has_known_version(seen: &Inspection) -> bool {
    !matches!(seen.nature, Nature::OtherVariant | Nature::OtherVersion)
}

/// Inspects a 128-bit id.
///
/// ```
/// let seen = idgen::inspect_uuid(idgen::v7());
/// assert_eq!(seen.version, Some(7));
/// ```
pub fn inspect_uuid(id: Uuid) -> Inspection {
    let seen = Inspection::of(AnyId::Uuid(id), Nature::OtherVariant);
    let mut seen = Inspection { variant: Some(id.get_variant()), ..seen };
    if id.is_nil() {
        seen.nature = Nature::Nil;
        return seen;
    }
    if id.is_max() {
        seen.nature = Nature::Max;
        return seen;
    }
    if id.get_variant() != Variant::RFC4122 {
        return seen;
    }
    let version = id.get_version_num() as u8;
    seen.version = Some(version);
    let (top, bottom) = id.as_u64_pair();
    let prefix = (top >> 48) as u16;
    match version {
        1 | 6 => {
            let ticks = if version == 1 { fields::v1_ticks(&id) } else { fields::v6_ticks(&id) };
            let (sequence, node) = fields::sequence_of(&id);
            seen.nature = if version == 1 { Nature::V1 } else { Nature::V6 };
            seen.timestamp = Some(Timestamp::from_gregorian_ticks(ticks));
            seen.clock_sequence = Some(sequence);
            seen.node = Some(node);
        }
        4 => {
            seen.nature = Nature::V4;
            seen.prefix = Some(prefix);
        }
        7 => {
            seen.nature = Nature::V7;
            seen.timestamp = Some(Timestamp::from_unix_millis(fields::unix_ms(&id) as i64));
            seen.fraction = Unit::Fraction.after_ms((top & 0x0FFF) as u16);
            seen.counter = Some((bottom >> fields::V7_RANDOM & 0x3FFF) as u32);
        }
        8 => {
            seen.nature = Nature::V8;
            seen.prefix = Some(prefix);
            let (time, fraction, counter) = match top >> 32 == u64::from(u32::MAX) {
                true => tail::long::read(top, bottom),
                false => tail::wide::read_time(top, bottom),
            };
            seen.tail_time = Some(time);
            seen.fraction = Unit::HighFraction.after_ms(fraction);
            seen.counter = Some(counter);
        }
        _ => seen.nature = Nature::OtherVersion,
    }
    seen
}

/// Inspects an id that is known to be a ULID. Its 80 bits after the time may look like those of any version.
///
/// ```
/// let made = idgen::ulid();
/// let seen = idgen::inspect_ulid(made);
/// assert_eq!((seen.nature.name(), seen.version), ("ulid", None));
/// assert!(seen.timestamp.is_some() && seen.counter.is_some());
/// ```
pub fn inspect_ulid(id: Uuid) -> Inspection {
    let (top, bottom) = id.as_u64_pair();
    Inspection {
        timestamp: Some(Timestamp::from_unix_millis(fields::unix_ms(&id) as i64)),
        counter: Some(((top & 0xFFFF) << 10 | bottom >> 54) as u32),
        ..Inspection::of(AnyId::Uuid(id), Nature::Ulid)
    }
}

/// Inspects a 64-bit id. Its bits do not say which layout they follow: read
/// [`ShortId::device`] and [`ShortId::mysql`].
pub fn inspect_short(id: ShortId) -> Inspection {
    Inspection::of(AnyId::Short(id), Nature::Short)
}

#[cfg(all(test, feature = "prefixed", feature = "std"))]
mod tests {
    use super::*;
    use crate::codec;
    use crate::generator::{Generate, Prefixed, Tail, Ulid, V7};
    use crate::interval::Interval;
    use crate::prefix::Prefix;
    use crate::source::{FixedClock, FixedEntropy};

    const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

    #[test]
    fn inspection_reads_the_fields_that_generators_wrote() {
        let clock = FixedClock::new(NOON);
        let mut v7 = V7::new(&clock, FixedEntropy::new(1));
        let (a, b) = (inspect_uuid(v7.next_id().unwrap()), inspect_uuid(v7.next_id().unwrap()));
        assert_eq!((a.timestamp, a.nature), (Some(NOON), Nature::V7));
        assert_eq!(a.counter.map(|c| c + 1), b.counter);

        let mut ulid = Ulid::new(&clock, FixedEntropy::new(1));
        let text = codec::base32::to_string(&ulid.next_id().unwrap());
        let first = inspect(&text).unwrap();
        let second = inspect(codec::base32::to_string(&ulid.next_id().unwrap())).unwrap();
        assert_eq!((first.timestamp, first.nature), (Some(NOON), Nature::Ulid));
        assert_eq!(first.counter.map(|c| c + 1), second.counter);

        let prefix = Prefix::Sequential { bits: 16 };
        let mut ids =
            Prefixed::new(&clock, FixedEntropy::new(1), prefix, Interval::Day, Tail::Ascending).unwrap();
        let (a, b) = (inspect_uuid(ids.next_id().unwrap()), inspect_uuid(ids.next_id().unwrap()));
        assert_eq!(a.tail_time, Some(NOON));
        assert_eq!(a.prefix, Some((NOON.unix_secs() / 86_400) as u16));
        assert_eq!(a.counter.map(|c| c + 1), b.counter);
    }

    #[test]
    fn a_version_1_text_in_base32_stays_version_1() {
        let id: Uuid = "c232ab00-9414-11ec-b3c8-9f6bdeced846".parse().unwrap();
        let seen = inspect(codec::base32::to_string(&id)).unwrap();
        assert_eq!((seen.nature, seen.format), (Nature::V1, Some(Format::Base32)));
    }

    #[test]
    fn numbers_up_to_64_bits_are_short_ids() {
        let seen = inspect("102176818768904192").unwrap();
        assert_eq!(
            (seen.nature, seen.id),
            (Nature::Short, AnyId::Short(ShortId::new(102_176_818_768_904_192)))
        );
        assert_eq!(inspect("18446744073709551616").unwrap().id, AnyId::Uuid(Uuid::from_u128(1 << 64)));
        assert_eq!(inspect(codec::hyphenated::to_string(&Uuid::nil())).unwrap().nature, Nature::Nil);
        assert_eq!(inspect_uuid(Uuid::max()).nature, Nature::Max);
    }
}
