//! The choices that are made when a map is installed.

use std::fmt;

/// The index that keeps pairs unique. It is chosen at install, and recorded in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Index {
    /// A unique index on the UUID. The default: one statement for each new pair, and the table itself
    /// enforces the promise.
    Unique,
    /// An index on a 32-bit hash, which is about half as large, and a small table of claims. A new pair takes more round
    /// trips, and fewer pages have to stay in memory.
    Dedup,
}

impl Index {
    /// The index of this name.
    pub(crate) fn named(name: &str) -> Option<Index> {
        match name {
            "unique" => Some(Index::Unique),
            "dedup" => Some(Index::Dedup),
            _ => None,
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Index::Unique => "unique",
            Index::Dedup => "dedup",
        })
    }
}

/// The width of the ids. It is chosen at install, and recorded in the schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IdWidth {
    /// `INT UNSIGNED`: 4.29 billion ids, 4 bytes each.
    Bits32,
    /// `BIGINT UNSIGNED`, used up to 2^63 - 1 so that languages without unsigned integers can hold them.
    Bits64,
}

impl IdWidth {
    /// The largest id.
    pub const fn max_id(self) -> u64 {
        match self {
            IdWidth::Bits32 => u32::MAX as u64,
            IdWidth::Bits64 => i64::MAX as u64,
        }
    }

    /// Returns true if a state row can have this next id. The one after the largest id means that no id is left.
    pub(crate) const fn can_be_next(self, next_id: u64) -> bool {
        1 <= next_id && next_id <= self.max_id() + 1
    }

    pub(crate) const fn bits(self) -> u8 {
        match self {
            IdWidth::Bits32 => 32,
            IdWidth::Bits64 => 64,
        }
    }

    pub(crate) const fn column(self) -> &'static str {
        match self {
            IdWidth::Bits32 => "INT UNSIGNED",
            IdWidth::Bits64 => "BIGINT UNSIGNED",
        }
    }
}

impl fmt::Display for IdWidth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-bit", self.bits())
    }
}

/// The value that the schema records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Installed {
    pub(crate) index: Index,
    pub(crate) width: IdWidth,
}

impl fmt::Display for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} with {} ids", self.index, self.width)
    }
}
