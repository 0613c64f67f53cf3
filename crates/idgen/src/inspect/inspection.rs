//! The fields that can be read from an id.

use core::time::Duration;

use uuid::{Uuid, Variant};

use crate::codec::Format;
use crate::error::Result;
use crate::generator::unit::Unit;
use crate::inspect::nature::Nature;
use crate::interval::Interval;
use crate::node::Node;
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

/// The kind of an id, and everything that can be read from it.
///
/// Fields that the kind does not have are `None`. Some layouts are this crate's own choice: fraction and counter of version 7,
/// the counter of ULIDs, and all of version 8. For ids that another program or an earlier layout generated, these fields are
/// meaningless; times are in whole milliseconds, which all layouts share.
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
    /// The kind of the id, as far as its bits show it.
    pub nature: Nature,
    /// The version field, if the variant has one.
    pub version: Option<u8>,
    /// The variant of a 128-bit id; a ULID has none.
    pub variant: Option<Variant>,
    /// The time at which it was generated.
    pub timestamp: Option<Timestamp>,
    /// The clock sequence of versions 1 and 6, 14 bits.
    pub clock_sequence: Option<u16>,
    /// The node of versions 1 and 6.
    pub node: Option<Node>,
    /// The time after the whole millisecond of [`timestamp`](Self::timestamp), [`tail_time`](Self::tail_time) or
    /// [`offset`](Self::offset) the id was generated, as versions 7 and 8 of this crate show it. For version 7,
    /// PostgreSQL's `uuidv7()` and other generators with the method 3 of RFC 9562 section 6.2 show it too; others have a counter or
    /// random bits there.
    pub fraction: Option<Duration>,
    /// The counter of versions 7 and 8 and of ULIDs, as this crate lays it out.
    pub counter: Option<u32>,
    /// The leading 16 bits of versions 4 and 8: a prefix, if it is a prefixed id.
    pub prefix: Option<u16>,
    /// When a version 8 was generated, if it is a prefixed id with an ascending tail and its prefix is not keyed.
    /// The bits do not show whether the prefix is keyed: see [`keyed`](Self::keyed).
    pub tail_time: Option<Timestamp>,
    /// The round of 65,536 intervals of an ascending tail after a keyed prefix; only after
    /// [`keyed`](Self::keyed).
    pub round: Option<u32>,
    /// The time after the start of its interval at which an id with an ascending tail after a keyed prefix was generated;
    /// only after [`keyed`](Self::keyed).
    pub offset: Option<Duration>,
    /// The tag of a named writer, 12 bits; only after [`keyed_named`](Self::keyed_named) and
    /// [`sequential_named`](Self::sequential_named).
    pub writer_tag: Option<u16>,
}

impl Inspection {
    /// Reads the tail of a version 8 as one after a keyed prefix that changes once every `interval`: it sets
    /// round, offset and counter, and clears [`tail_time`](Self::tail_time).
    ///
    /// The bits do not show which prefix or interval was chosen, so this must be known. If the offset that
    /// results is longer than the interval, the id has another layout, and round, offset and counter are `None`.
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
    /// If no keyed prefix can have the interval, because it is longer than 49 days.
    pub fn keyed(self, interval: Interval) -> Result<Self> {
        let offset_bits = tail::keyed::offset_bits(interval)?;
        let (Nature::V8, AnyId::Uuid(id)) = (self.nature, self.id) else { return Ok(self) };
        let (top, low) = id.as_u64_pair();
        let tail = tail::keyed::read(top, low, offset_bits);
        Ok(self.with_tail((tail.offset < interval.longest()).then_some(tail), None))
    }

    /// Inspects the ids of a named writer ([`PrefixKey::for_writer`](crate::PrefixKey::for_writer)): it sets the
    /// writer's tag too.
    ///
    /// ```
    /// use idgen::{Interval, Prefix, PrefixKey, Timestamp};
    /// use idgen::generator::{Generate, Prefixed, Tail};
    /// use idgen::source::{FixedClock, FixedEntropy};
    ///
    /// let key = PrefixKey::new(b"sixteen bytes or more")?.for_writer("node-b");
    /// let clock = FixedClock::new(Timestamp::from_unix_secs(60 * 65_536 * 3 + 42));
    /// let prefix = Prefix::Keyed(key.clone());
    /// let mut ids = Prefixed::new(clock, FixedEntropy::new(1), prefix, Interval::Minute, Tail::Ascending)?;
    /// let seen = idgen::inspect_uuid(ids.next_id()?).keyed_named(Interval::Minute)?;
    /// assert_eq!((seen.round, seen.writer_tag), (Some(3), key.writer_tag(seen.prefix.unwrap())));
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no keyed prefix can have the interval, because it is longer than 49 days.
    pub fn keyed_named(self, interval: Interval) -> Result<Self> {
        let offset_bits = tail::keyed::offset_bits(interval)?;
        let (Nature::V8, AnyId::Uuid(id)) = (self.nature, self.id) else { return Ok(self) };
        let (top, low) = id.as_u64_pair();
        let (tag, tail) = tail::wide::read_of_writer(top, low, offset_bits);
        let fits = tail.offset < interval.longest();
        Ok(self.with_tail(fits.then_some(tail), fits.then_some(tag)))
    }

    /// Reads the tail of a version 8 as one of a writer after a [sequential prefix](crate::Prefix::SequentialOf): it sets
    /// round, offset, counter and the writer's tag, as [`keyed_named`](Self::keyed_named) does, and
    /// [`tail_time`](Self::tail_time), which these three and the prefix tell.
    ///
    /// ```
    /// use idgen::{Interval, Prefix, Timestamp, Writer};
    /// use idgen::generator::{Generate, Prefixed, Tail};
    /// use idgen::source::{FixedClock, FixedEntropy};
    ///
    /// let (now, writer) = (Timestamp::from_unix_secs(1_795_219_200), Writer::new("orders-1"));
    /// let prefix = Prefix::SequentialOf(writer);
    /// let clock = FixedClock::new(now);
    /// let mut ids = Prefixed::new(clock, FixedEntropy::new(1), prefix, Interval::Hour, Tail::Ascending)?;
    /// let seen = idgen::inspect_uuid(ids.next_id()?).sequential_named(Interval::Hour)?;
    /// assert_eq!((seen.tail_time, seen.writer_tag), (Some(now), Some(writer.tag())));
    /// # Ok::<(), idgen::Error>(())
    /// ```
    ///
    /// # Errors
    /// If no ascending tail can have the interval, because it is longer than 49 days.
    pub fn sequential_named(self, interval: Interval) -> Result<Self> {
        tail::keyed::offset_bits_of_writer(interval)?;
        let seen = self.keyed_named(interval)?;
        let number = |round: u32, prefix: u16| i64::from(round) << 16 | i64::from(prefix);
        let start =
            seen.round.zip(seen.prefix).map(|(round, prefix)| interval.start_of(number(round, prefix)));
        let tail_time = start.zip(seen.offset).map(|(start, offset)| start.saturating_add(offset));
        Ok(Inspection { tail_time, ..seen })
    }

    /// This inspection with a tail behind a keyed prefix: its round, its offset and its counter.
    fn with_tail(self, tail: Option<tail::Keyed>, writer_tag: Option<u16>) -> Self {
        Inspection {
            tail_time: None,
            round: tail.map(|tail| tail.round),
            offset: tail.map(|tail| tail.offset),
            fraction: tail.and_then(|tail| Unit::HighFraction.after_ms(tail.fraction)),
            counter: tail.map(|tail| tail.counter),
            writer_tag,
            ..self
        }
    }

    /// The kind of an id, without any field.
    pub(super) fn of(id: AnyId, nature: Nature) -> Self {
        Inspection {
            id,
            format: None,
            nature,
            version: None,
            variant: None,
            timestamp: None,
            clock_sequence: None,
            node: None,
            fraction: None,
            counter: None,
            prefix: None,
            tail_time: None,
            round: None,
            offset: None,
            writer_tag: None,
        }
    }
}
