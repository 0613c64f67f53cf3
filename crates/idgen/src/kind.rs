//! The kinds of ids that this crate generates.

use core::fmt;

use crate::error::{Error, Result};

/// A kind of id. The command line and state files use its name.
///
/// ```
/// use idgen::Kind;
///
/// assert_eq!("v7".parse::<Kind>()?, Kind::V7);
/// assert_eq!(Kind::MysqlShort.name(), "mysql-short");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// UUID version 1: Gregorian time (low bits first), clock sequence, node.
    V1,
    /// UUID version 4: random.
    V4,
    /// UUID version 6: Gregorian time (high bits first), clock sequence, node.
    V6,
    /// UUID version 7: Unix milliseconds, counter, random tail.
    V7,
    /// ULID: Unix milliseconds and 80 bits, without version and variant.
    Ulid,
    /// A prefix of the MySQL week and a random tail.
    Week,
    /// A prefix that stays the same for an interval, and a tail.
    Prefixed,
    /// 64 bits: seconds, low bytes of the node, counter.
    Short,
    /// 64 bits: like MySQL's `UUID_SHORT()`.
    MysqlShort,
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 9] = [
        Kind::V1,
        Kind::V4,
        Kind::V6,
        Kind::V7,
        Kind::Ulid,
        Kind::Week,
        Kind::Prefixed,
        Kind::Short,
        Kind::MysqlShort,
    ];

    /// The name, in lowercase.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::V1 => "v1",
            Kind::V4 => "v4",
            Kind::V6 => "v6",
            Kind::V7 => "v7",
            Kind::Ulid => "ulid",
            Kind::Week => "week",
            Kind::Prefixed => "prefixed",
            Kind::Short => "short",
            Kind::MysqlShort => "mysql-short",
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl core::str::FromStr for Kind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Kind::ALL.into_iter().find(|kind| kind.name() == text).ok_or_else(|| {
            Error::config(
                "no kind of id has the name",
                text,
                "choose v1, v4, v6, v7, ulid, week, prefixed, short or mysql-short",
            )
        })
    }
}
