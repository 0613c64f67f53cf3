//! The parts of a key strategy: the source of its ids, and the type of its column.

use serde::{Deserialize, Serialize};

/// The sources of ids: generators of the client, and functions of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdKind {
    /// Integers that the database counts.
    AutoIncrement,
    /// UUID version 1: time, its low bits first.
    V1,
    /// UUID version 4: random.
    V4,
    /// UUID version 6: version 1 with its time in order.
    V6,
    /// UUID version 7, monotonic within the millisecond.
    V7,
    /// ULID, monotonic within the millisecond.
    Ulid,
    /// A prefix of ones, 32 bits (16 in some records), then time and counter.
    FixedPrefix,
    /// MD5 of year and week, then random.
    Week,
    /// Keyed hash of the minute, then random.
    MinuteRandom,
    /// Keyed hash of the minute, then time and counter.
    MinuteAscending,
    /// Number of the minute, then time and counter.
    MinuteSequence,
    /// Number of the minute, then the writer's tag, then time and counter.
    MinuteWriters,
    /// 64 bits: seconds, device, counter.
    Device,
    /// The server's `UUID_SHORT()`: its number, when it was started, a counter.
    UuidShort,
    /// The server's `UUID()`, a version 1.
    ServerV1,
    /// The server's `gen_random_uuid()`, a version 4.
    ServerV4,
    /// The server's `uuidv7()`.
    ServerV7,
}

impl IdKind {
    /// Returns whether a function of the server generates the ids, so that the client does not know them
    /// before the insert.
    pub fn is_server_made(self) -> bool {
        matches!(self, IdKind::UuidShort | IdKind::ServerV1 | IdKind::ServerV4 | IdKind::ServerV7)
    }
}

/// The types and contents of key columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Column {
    /// A 64-bit integer that the database chooses.
    CountedInteger,
    /// A 64-bit integer that the client gives.
    Integer,
    /// 16 bytes; the type `uuid` on PostgreSQL.
    Binary16,
    /// PostgreSQL's type `bytea`: 16 bytes with their length.
    Bytea,
    /// Two 64-bit integers that are the key together: the first and the last 64 bits of 16 bytes.
    TwoIntegers,
    /// 16 bytes with the time of a version 1 UUID moved to the front, as `UUID_TO_BIN(u, 1)` does.
    Swapped16,
    /// 16 bytes without an index: the table has no primary key, and is in the order of hidden row numbers.
    Unkeyed16,
    /// MariaDB's type `UUID`: 16 bytes, in an order of its own.
    Uuid,
    /// 36 characters, hyphenated.
    Text36,
    /// 36 characters, hyphenated, in a `VARCHAR`.
    VarText36,
    /// 36 characters, hyphenated, in a `VARBINARY`.
    VarBinary36,
    /// 22 characters of base64.
    Base64,
    /// 26 characters of Crockford base32.
    Base32,
    /// A 64-bit integer, found through a second table from UUID to integer: its primary key is the UUID.
    MappedInteger,
    /// A 64-bit integer from the map of `idgen-mysql`, strategy unique.
    MappedUnique,
    /// A 64-bit integer from the map of `idgen-mysql`, strategy dedup.
    MappedDedup,
    /// A 32-bit integer from the published stored function under a named lock.
    MappedReferenceLock,
    /// A 32-bit integer from the published stored function with a table of recent hashes.
    MappedReferenceDedup,
}

impl Column {
    /// Returns whether a second table maps the UUID to the integer.
    pub fn is_mapped(self) -> bool {
        use Column::{MappedDedup, MappedInteger, MappedReferenceDedup, MappedReferenceLock, MappedUnique};
        matches!(
            self,
            MappedInteger | MappedUnique | MappedDedup | MappedReferenceLock | MappedReferenceDedup
        )
    }

    /// Returns whether a stored function gives the integer. A server may forbid creating it.
    pub fn is_by_function(self) -> bool {
        matches!(self, Column::MappedReferenceLock | Column::MappedReferenceDedup)
    }
}

/// The families of ids. Reports have one color for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Integers that count, or that start with the time.
    Integer,
    /// Random over the whole key space.
    Random,
    /// UUIDs that hold the time.
    Time,
    /// A prefix that stays the same for an interval.
    Prefixed,
}

impl Family {
    /// The name in reports.
    pub fn title(self) -> &'static str {
        match self {
            Family::Integer => "integer",
            Family::Random => "random",
            Family::Time => "time-based",
            Family::Prefixed => "prefixed",
        }
    }
}
