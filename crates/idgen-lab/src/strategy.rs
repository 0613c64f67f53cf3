//! The closed list of key strategies: which id goes into which column.

mod ids;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

pub use ids::Ids;

/// What a row is identified by, and how that is stored.
#[derive(Debug, PartialEq, Eq)]
pub struct Strategy {
    /// The name on the command line and in every file.
    pub name: &'static str,
    /// A few words for charts and tables.
    pub title: &'static str,
    /// Where the ids come from.
    pub ids: IdKind,
    /// What the key column holds.
    pub column: Column,
    /// What it is and why one would choose it, in a line.
    pub explains: &'static str,
}

/// Where the ids come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdKind {
    /// The database counts.
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
    /// MD5 of year and week, then random.
    Week,
    /// Keyed hash of the minute, then random.
    MinuteRandom,
    /// Keyed hash of the minute, then time and counter.
    MinuteAscending,
    /// 64 bits: seconds, device, counter.
    Device,
}

/// What the key column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Column {
    /// A 64-bit integer that the database chooses.
    CountedInteger,
    /// A 64-bit integer that the client gives.
    Integer,
    /// 16 bytes.
    Binary16,
    /// 16 bytes with the time of a version 1 UUID moved to the front, as `UUID_TO_BIN(u, 1)` does.
    Swapped16,
    /// 36 characters, hyphenated.
    Text36,
    /// 22 characters of base64.
    Base64,
    /// 26 characters of Crockford base32.
    Base32,
    /// A 64-bit integer, found through a second table from UUID to integer.
    MappedInteger,
}

/// The families that reports colour alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Family {
    /// Integers that count, or that start with the time.
    Integer,
    /// Random over the whole key space.
    Random,
    /// UUIDs that hold the time.
    Time,
    /// A prefix that stays put for an interval.
    Prefixed,
}

impl Strategy {
    /// The family of its ids.
    pub fn family(&self) -> Family {
        match self.ids {
            IdKind::AutoIncrement | IdKind::Device => Family::Integer,
            IdKind::V4 if self.column == Column::MappedInteger => Family::Integer,
            IdKind::V4 => Family::Random,
            IdKind::V1 | IdKind::V6 | IdKind::V7 | IdKind::Ulid => Family::Time,
            IdKind::Week | IdKind::MinuteRandom | IdKind::MinuteAscending => Family::Prefixed,
        }
    }
}

impl Family {
    /// In a word.
    pub fn title(self) -> &'static str {
        match self {
            Family::Integer => "integer",
            Family::Random => "random",
            Family::Time => "time-based",
            Family::Prefixed => "prefixed",
        }
    }
}

/// Every strategy, in the order in which reports show them.
pub static ALL: [Strategy; 15] = [
    Strategy {
        name: "auto-increment",
        title: "auto-increment",
        ids: IdKind::AutoIncrement,
        column: Column::CountedInteger,
        explains: "the database counts 1, 2, 3: smallest and densest, but only it can make ids",
    },
    Strategy {
        name: "v4-text36",
        title: "v4, text 36",
        ids: IdKind::V4,
        column: Column::Text36,
        explains: "random UUID as 36 characters: what most schemas have, and the widest",
    },
    Strategy {
        name: "v4-base64",
        title: "v4, base64 22",
        ids: IdKind::V4,
        column: Column::Base64,
        explains: "random UUID as 22 characters of base64: shorter text, same disorder",
    },
    Strategy {
        name: "v4-binary",
        title: "v4, binary 16",
        ids: IdKind::V4,
        column: Column::Binary16,
        explains: "random UUID as 16 bytes: as small as a UUID gets, but on a page of its own",
    },
    Strategy {
        name: "v1-binary",
        title: "v1, binary 16",
        ids: IdKind::V1,
        column: Column::Binary16,
        explains: "time-based UUID with its fast bits first: sweeps all keys every 7 minutes",
    },
    Strategy {
        name: "v1-swapped",
        title: "v1, swapped 16",
        ids: IdKind::V1,
        column: Column::Swapped16,
        explains: "its slow bits moved to the front, as UUID_TO_BIN(u, 1) does: ascending",
    },
    Strategy {
        name: "v6-binary",
        title: "v6, binary 16",
        ids: IdKind::V6,
        column: Column::Binary16,
        explains: "version 1 with its time in order by definition: ascending without swapping",
    },
    Strategy {
        name: "v7-binary",
        title: "v7, binary 16",
        ids: IdKind::V7,
        column: Column::Binary16,
        explains: "milliseconds first, monotonic within them: ascending, shows its time",
    },
    Strategy {
        name: "ulid-text26",
        title: "ULID, text 26",
        ids: IdKind::Ulid,
        column: Column::Base32,
        explains: "milliseconds and randomness as 26 characters: ascending text",
    },
    Strategy {
        name: "week-binary",
        title: "week, random tail",
        ids: IdKind::Week,
        column: Column::Binary16,
        explains: "MD5 of year and week, then random: a week shares 1/65,536 of all keys",
    },
    Strategy {
        name: "minute-random",
        title: "minute, random tail",
        ids: IdKind::MinuteRandom,
        column: Column::Binary16,
        explains: "keyed hash of the minute, then random: hides the calendar, saves reads",
    },
    Strategy {
        name: "minute-text36",
        title: "minute, text 36",
        ids: IdKind::MinuteRandom,
        column: Column::Text36,
        explains: "the same as 36 characters: the published form of the idea",
    },
    Strategy {
        name: "minute-ascending",
        title: "minute, asc. tail",
        ids: IdKind::MinuteAscending,
        column: Column::Binary16,
        explains: "keyed hash of the minute, then time and counter: fills pages as well",
    },
    Strategy {
        name: "device",
        title: "device, 64 bits",
        ids: IdKind::Device,
        column: Column::Integer,
        explains: "seconds, device, counter in 64 bits: made offline by thousands of devices",
    },
    Strategy {
        name: "mapped",
        title: "v4 mapped to integer",
        ids: IdKind::V4,
        column: Column::MappedInteger,
        explains: "a small table from UUID to integer: the wide table has integer keys",
    },
];

/// The strategies that are compared where none are named: all but the second form of one idea.
pub fn default_set() -> Vec<&'static Strategy> {
    ALL.iter().filter(|strategy| strategy.name != "minute-text36").collect()
}

/// The strategy of this name.
///
/// # Errors
/// Where there is none: the message lists those there are.
///
/// ```
/// assert_eq!(idgen_lab::strategy::find("v7-binary")?.title, "v7, binary 16");
/// # Ok::<(), idgen_lab::Error>(())
/// ```
pub fn find(name: &str) -> Result<&'static Strategy> {
    ALL.iter().find(|strategy| strategy.name == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|strategy| strategy.name).collect();
        Error::config(format!("no strategy \"{name}\": choose from {}", names.join(", ")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lines_are_lines() {
        for (index, strategy) in ALL.iter().enumerate() {
            assert!(std::ptr::eq(find(strategy.name).unwrap(), strategy), "two strategies {}", strategy.name);
            assert!(strategy.title.len() <= 20, "{} is too wide for a table", ALL[index].title);
            assert!(strategy.explains.len() <= 77 && !strategy.explains.ends_with('.'));
        }
    }
}
