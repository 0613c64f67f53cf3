//! What an id tells about itself.

use core::time::Duration;

use uuid::{Uuid, Variant};

use crate::codec::Format;
use crate::error::Result;
use crate::fields;
use crate::interval::Interval;
use crate::node::Node;
#[cfg(feature = "prefixed")]
use crate::prefix::md5_week_prefix;
use crate::short_id::ShortId;
use crate::tail;
use crate::timestamp::Timestamp;

/// An id of either width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnyId {
    /// 128 bits.
    Uuid(Uuid),
    /// 64 bits.
    Short(ShortId),
}

/// What an id is, and what can be read from it.
///
/// Fields that the kind does not have are `None`. Where the layout is this crate's own choice (the
/// counter of version 7 and of ULIDs, the whole of version 8), ids of other makers give numbers without
/// meaning there.
///
/// ```
/// let seen = idgen::inspect("1ec9414c-232a-6b00-b3c8-9f6bdeced846")?;
/// assert_eq!(seen.version, Some(6));
/// assert_eq!(seen.timestamp.unwrap().to_string(), "2022-02-22T19:22:22Z");
/// assert_eq!(seen.clock_sequence, Some(13_256));
/// assert!(seen.node.unwrap().is_multicast());
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Inspection {
    /// The id.
    pub id: AnyId,
    /// The format of the text that it was read from.
    pub format: Option<Format>,
    /// What it is, as far as its bits show.
    pub nature: Nature,
    /// The version field, where the variant says that there is one.
    pub version: Option<u8>,
    /// The variant of a 128-bit id; a ULID has none.
    pub variant: Option<Variant>,
    /// The time at which it was made.
    pub timestamp: Option<Timestamp>,
    /// The clock sequence of versions 1 and 6, 14 bits.
    pub clock_sequence: Option<u16>,
    /// The node of versions 1 and 6.
    pub node: Option<Node>,
    /// The counter of versions 7 and 8 and of ULIDs, as this crate lays it out.
    pub counter: Option<u32>,
    /// The leading 16 bits of versions 4 and 8: a prefix, if it is a prefixed id.
    pub prefix: Option<u16>,
    /// When a version 8 was made, if it is a prefixed id with an ascending tail and its prefix is not keyed.
    /// The bits do not show whether the prefix is keyed: see [`keyed`](Self::keyed).
    pub tail_time: Option<Timestamp>,
    /// The round of 65,536 intervals of an ascending tail behind a keyed prefix; only after
    /// [`keyed`](Self::keyed).
    pub round: Option<u32>,
    /// How long after the start of its interval an id with an ascending tail behind a keyed prefix was made;
    /// only after [`keyed`](Self::keyed).
    pub offset: Option<Duration>,
}

impl Inspection {
    /// Reads the tail of a version 8 as one behind a keyed prefix that changes once every `interval`: it gives
    /// round, offset and counter, and takes back [`tail_time`](Self::tail_time).
    ///
    /// The bits do not show which prefix or interval was chosen, so this must be known. Where the offset that
    /// results is longer than the interval, the id was not made so, and round, offset and counter are `None`.
    /// Other versions stay as they are.
    ///
    /// ```
    /// use core::time::Duration;
    /// use idgen::{Interval, Prefix, PrefixKey, Timestamp};
    /// use idgen::generator::{Generate, Prefixed, Tail};
    /// use idgen::source::{FixedClock, FixedEntropy};
    ///
    /// let clock = FixedClock::new(Timestamp::from_unix_secs(60 * 65_536 * 3 + 42));
    /// let prefix = Prefix::Keyed(PrefixKey::new(b"sixteen bytes or more")?);
    /// let mut ids = Prefixed::new(clock, FixedEntropy::new(1), prefix, Interval::Minute, Tail::Ascending)?;
    /// let seen = idgen::inspect_uuid(ids.next_id()?).keyed(Interval::Minute)?;
    /// assert_eq!((seen.round, seen.offset), (Some(3), Some(Duration::from_secs(42))));
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where no keyed prefix can have the interval, as it is longer than 49 days.
    pub fn keyed(self, interval: Interval) -> Result<Self> {
        let offset_bits = tail::keyed::offset_bits(interval)?;
        let (Nature::V8, AnyId::Uuid(id)) = (self.nature, self.id) else { return Ok(self) };
        let (top, low) = id.as_u64_pair();
        let (round, offset, counter) = tail::keyed::read(top, low, offset_bits);
        let fits = offset < interval.longest();
        Ok(Inspection {
            tail_time: None,
            round: fits.then_some(round),
            offset: fits.then_some(offset),
            counter: fits.then_some(counter),
            ..self
        })
    }
}

/// What an id is, as far as its bits show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Nature {
    /// All bits 0.
    Nil,
    /// All bits 1.
    Max,
    /// Version 1.
    V1,
    /// Version 4: random, or week-prefixed or prefixed with a random tail.
    V4,
    /// Version 6.
    V6,
    /// Version 7.
    V7,
    /// Version 8: prefixed, or anything else.
    V8,
    /// A version that this crate does not make (2, 3, 5, or one to come).
    OtherVersion,
    /// A text of 26 characters whose bits show no version that this crate makes: a ULID.
    Ulid,
    /// Another variant: of before RFC 9562, or no UUID at all.
    OtherVariant,
    /// A 64-bit number: a device id or one of `UUID_SHORT()`, which leave no mark.
    Short,
}

impl Nature {
    /// A short name: that of the [`Kind`](crate::Kind), where one follows from the bits.
    pub const fn name(self) -> &'static str {
        match self {
            Nature::Nil => "nil",
            Nature::Max => "max",
            Nature::V1 => "v1",
            Nature::V4 => "v4",
            Nature::V6 => "v6",
            Nature::V7 => "v7",
            Nature::V8 => "v8",
            Nature::OtherVersion => "other-version",
            Nature::Ulid => "ulid",
            Nature::OtherVariant => "other-variant",
            Nature::Short => "short",
        }
    }

    /// A phrase for people.
    pub const fn describe(self) -> &'static str {
        match self {
            Nature::Nil => "the nil UUID",
            Nature::Max => "the max UUID",
            Nature::V1 => "UUID version 1: time, clock sequence, node",
            Nature::V4 => "UUID version 4: random, or a prefix and a random tail",
            Nature::V6 => "UUID version 6: sortable time, clock sequence, node",
            Nature::V7 => "UUID version 7: milliseconds, counter, random",
            Nature::V8 => "UUID version 8: prefixed, or of another maker",
            Nature::OtherVersion => "UUID of a version that idgen does not make",
            Nature::Ulid => "ULID: milliseconds and 80 more bits",
            Nature::OtherVariant => "128 bits of another variant",
            Nature::Short => "64-bit id: of a device, or of UUID_SHORT()",
        }
    }
}

/// Inspects a text in any format: see [`Format::decode_any`] for how it is recognised. A decimal number
/// below 2^64 is taken for a 64-bit id.
///
/// # Errors
/// Where no format could have written the text.
pub fn inspect(text: impl AsRef<[u8]>) -> Result<Inspection> {
    let (format, id) = Format::decode_any(text)?;
    Ok(inspect_decoded(format, id))
}

/// Inspects an id that was read from a text of this format: 26 characters are a ULID unless the bits
/// show a version that this crate makes, and a decimal number below 2^64 is a 64-bit id.
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

/// Whether the bits say a version that this crate makes (1, 4, 6, 7 or 8), or nil or max. A ULID's random
/// bits do so in one of thirteen, those of this crate, whose counter begins low, in one of eight; then only
/// its maker knows.
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
    let mut seen = Inspection {
        id: AnyId::Uuid(id),
        format: None,
        nature: Nature::OtherVariant,
        version: None,
        variant: Some(id.get_variant()),
        timestamp: None,
        clock_sequence: None,
        node: None,
        counter: None,
        prefix: None,
        tail_time: None,
        round: None,
        offset: None,
    };
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
            seen.counter = Some(((top & 0x0FFF) << 14 | bottom >> 48 & 0x3FFF) as u32);
        }
        8 => {
            seen.nature = Nature::V8;
            seen.prefix = Some(prefix);
            let (time, counter) = tail::time::read(top, bottom);
            seen.tail_time = Some(time);
            seen.counter = Some(counter);
        }
        _ => seen.nature = Nature::OtherVersion,
    }
    seen
}

/// Inspects a ULID: its 80 bits after the time may look like any version, so only who knows that it is
/// one should call this.
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
        nature: Nature::Ulid,
        version: None,
        variant: None,
        timestamp: Some(Timestamp::from_unix_millis(fields::unix_ms(&id) as i64)),
        clock_sequence: None,
        node: None,
        counter: Some(((top & 0xFFFF) << 10 | bottom >> 54) as u32),
        prefix: None,
        tail_time: None,
        round: None,
        offset: None,
        ..inspect_uuid(id)
    }
}

/// Inspects a 64-bit id. Its bits do not say which layout they follow: read
/// [`ShortId::device`] and [`ShortId::mysql`].
pub fn inspect_short(id: ShortId) -> Inspection {
    Inspection {
        id: AnyId::Short(id),
        format: None,
        nature: Nature::Short,
        version: None,
        variant: None,
        timestamp: None,
        clock_sequence: None,
        node: None,
        counter: None,
        prefix: None,
        tail_time: None,
        round: None,
        offset: None,
    }
}

/// The weeks between two moments whose md5-week prefix this is, as MySQL's year and week: about one
/// in 65,536, so that the true one is nearly always alone.
///
/// ```
/// use idgen::Timestamp;
///
/// let (from, to) = (Timestamp::from_date(2000, 1, 1), Timestamp::from_date(2040, 1, 1));
/// assert!(idgen::weeks_of_prefix(0xe34e, from, to).eq([(2012, 1)]));
/// ```
#[cfg(feature = "prefixed")]
pub fn weeks_of_prefix(prefix: u16, from: Timestamp, to: Timestamp) -> impl Iterator<Item = (i32, u8)> {
    weeks_between(from, to).filter(move |&(year, week)| md5_week_prefix(year, week) == prefix)
}

/// The weeks between two moments, as MySQL's year and week, in their order: what a table of their
/// prefixes is made from, where many prefixes are looked up.
///
/// ```
/// use idgen::Timestamp;
///
/// let (from, to) = (Timestamp::from_date(2011, 12, 24), Timestamp::from_date(2012, 1, 2));
/// assert!(idgen::weeks_between(from, to).eq([(2011, 51), (2011, 52), (2012, 1)]));
/// ```
pub fn weeks_between(from: Timestamp, to: Timestamp) -> impl Iterator<Item = (i32, u8)> {
    let mut day = from;
    core::iter::from_fn(move || {
        if day >= to {
            return None;
        }
        let week = day.mysql_week();
        // The next week begins on Sunday, or with the year.
        let sunday = Interval::Week.bucket(day).end;
        day = sunday.min(Timestamp::from_date(week.0 + 1, 1, 1));
        Some(week)
    })
}

#[cfg(all(test, feature = "prefixed", feature = "std"))]
mod tests {
    use super::*;
    use crate::generator::{Generate, Prefixed, Tail, Ulid, V7};
    use crate::source::{FixedClock, FixedEntropy};
    use crate::{Prefix, codec};

    const NOON: Timestamp = Timestamp::from_unix_secs(1_795_262_400);

    #[test]
    fn what_was_put_in_is_read_out() {
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

    /// Every day of the span asks for its own week: the naive twin of the stepping iterator.
    #[test]
    fn no_week_is_missed() {
        let (from, to) = (Timestamp::from_date(2010, 12, 29), Timestamp::from_date(2012, 2, 3));
        for day in from.unix_days()..to.unix_days() {
            let (year, week) = Timestamp::from_unix_secs(day * 86_400).mysql_week();
            let prefix = md5_week_prefix(year, week);
            assert!(weeks_of_prefix(prefix, from, to).any(|found| found == (year, week)), "{year} {week}");
        }
    }
}
