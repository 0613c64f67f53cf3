//! The kinds of ids.

use serde::Serialize;

/// A kind of id, as far as values show it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// UUID version 7.
    V7,
    /// UUID version 4.
    V4,
    /// UUID version 1.
    V1,
    /// UUID version 1 with its time fields swapped, as `UUID_TO_BIN(id, 1)` stores it.
    V1Swapped,
    /// UUID version 6.
    V6,
    /// UUID version 8.
    V8,
    /// A UUID of version 2, 3 or 5.
    OtherUuid,
    /// A ULID.
    Ulid,
    /// A TypeID: a word, an underscore, and a UUID in base32.
    TypeId,
    /// An ObjectId of MongoDB, by pattern.
    ObjectId,
    /// An xid, by pattern: an ObjectId in base32.
    Xid,
    /// A KSUID, by pattern: seconds and 128 random bits.
    Ksuid,
    /// A cuid, by pattern.
    Cuid,
    /// A cuid2, by pattern.
    Cuid2,
    /// A TSID in base32, by pattern: a Snowflake since 2020.
    Tsid,
    /// A Snowflake of a known epoch, by pattern: a time in the upper 39 to 48 bits.
    Snowflake,
    /// A 64-bit id with seconds in its upper half, by pattern.
    Seconds64,
    /// A time since 1970 in seconds, by pattern.
    Seconds,
    /// A time since 1970 in milliseconds, by pattern.
    Millis,
    /// A time since 1970 in microseconds, by pattern.
    Micros,
    /// A time since 1970 in nanoseconds, by pattern.
    Nanos,
    /// An integer below 2^40, or one that a counter made.
    Counted,
    /// A larger integer.
    OtherInteger,
    /// The nil UUID.
    Nil,
    /// The max UUID.
    Max,
    /// 128 bits without a known layout.
    Other128,
    /// A hash of 160 or 256 bits as hexadecimal digits.
    Digest,
    /// A text without a known layout.
    Text,
    /// Bytes without a known layout.
    Bytes,
}

impl Kind {
    /// A short name.
    ///
    /// ```
    /// assert_eq!(idgen_migrate::survey::Kind::V1Swapped.name(), "v1 swapped");
    /// ```
    pub const fn name(self) -> &'static str {
        match self {
            Kind::V7 => "v7",
            Kind::V4 => "v4",
            Kind::V1 => "v1",
            Kind::V1Swapped => "v1 swapped",
            Kind::V6 => "v6",
            Kind::V8 => "v8",
            Kind::OtherUuid => "v2, v3 or v5",
            Kind::Ulid => "ULID",
            Kind::TypeId => "TypeID",
            Kind::ObjectId => "ObjectId",
            Kind::Xid => "xid",
            Kind::Ksuid => "KSUID",
            Kind::Cuid => "cuid",
            Kind::Cuid2 => "cuid2",
            Kind::Tsid => "TSID",
            Kind::Snowflake => "Snowflake",
            Kind::Seconds64 => "64-bit, seconds first",
            Kind::Seconds => "time in s",
            Kind::Millis => "time in ms",
            Kind::Micros => "time in µs",
            Kind::Nanos => "time in ns",
            Kind::Counted => "integer",
            Kind::OtherInteger => "large integer",
            Kind::Nil => "nil",
            Kind::Max => "max",
            Kind::Other128 => "other 128 bits",
            Kind::Digest => "hexadecimal digest",
            Kind::Text => "text",
            Kind::Bytes => "bytes",
        }
    }

    /// Returns true if ids of this kind sort by their time.
    pub(crate) fn is_time_first(self) -> bool {
        matches!(
            self,
            Kind::V7
                | Kind::V6
                | Kind::V1Swapped
                | Kind::Ulid
                | Kind::TypeId
                | Kind::ObjectId
                | Kind::Xid
                | Kind::Ksuid
                | Kind::Cuid
                | Kind::Tsid
                | Kind::Snowflake
                | Kind::Seconds64
                | Kind::Seconds
                | Kind::Millis
                | Kind::Micros
                | Kind::Nanos
        )
    }

    /// Returns true if ids of this kind are random, so that new ones arrive everywhere.
    pub(crate) fn is_random(self) -> bool {
        matches!(self, Kind::V4 | Kind::OtherUuid | Kind::Digest | Kind::Cuid2)
    }

    /// Returns true if new ids of this kind arrive at many places: random ones, and those that begin with the lower part of their time.
    pub(crate) fn is_everywhere(self) -> bool {
        self.is_random() || matches!(self, Kind::V1 | Kind::Other128)
    }

    /// Returns true if ids of this kind have at most 128 bits, so that 16 bytes hold them.
    pub(crate) fn fits_16_bytes(self) -> bool {
        !matches!(self, Kind::Digest | Kind::Text | Kind::Bytes | Kind::Ksuid | Kind::Cuid | Kind::Cuid2)
    }
}
