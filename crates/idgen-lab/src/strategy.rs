//! The closed list of key strategies: which id goes into which column.

mod ids;
mod list;
pub(crate) mod native;
mod offset;
mod tour;

use serde::{Deserialize, Serialize};

use crate::{Error, Result};

pub use ids::Ids;
pub(crate) use ids::prefix_key;
pub use list::ALL;

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
    /// Keyed hash of the minute, then the offset in the minute alone: the layout that was given up.
    MinuteOffset,
    /// Number of the minute, then time and counter.
    MinuteSequence,
    /// 64 bits: seconds, device, counter.
    Device,
    /// The server's `UUID_SHORT()`: its number, when it was started, a counter.
    UuidShort,
    /// The server's `UUID()`, a version 1.
    ServerV1,
}

impl IdKind {
    /// True where a function of the server makes the ids, so that no client knows them beforehand.
    pub fn is_server_made(self) -> bool {
        matches!(self, IdKind::UuidShort | IdKind::ServerV1)
    }
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
    /// 16 bytes that no index knows: the table has no key, and lies in the order of hidden row numbers.
    Unkeyed16,
    /// MariaDB's type `UUID`: 16 bytes, in an order of its own.
    Uuid,
    /// 36 characters, hyphenated.
    Text36,
    /// The same in a `VARCHAR`.
    VarText36,
    /// The same in a `VARBINARY`.
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
    /// True where a second table leads from the UUID to the integer.
    pub fn is_mapped(self) -> bool {
        use Column::{MappedDedup, MappedInteger, MappedReferenceDedup, MappedReferenceLock, MappedUnique};
        matches!(
            self,
            MappedInteger | MappedUnique | MappedDedup | MappedReferenceLock | MappedReferenceDedup
        )
    }

    /// True where a stored function, which a server may forbid to be made, gives the integer.
    pub fn is_by_function(self) -> bool {
        matches!(self, Column::MappedReferenceLock | Column::MappedReferenceDedup)
    }
}

/// A database that strategies run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    /// The embedded engine.
    Sqlite,
    /// A MySQL server.
    Mysql,
    /// A MariaDB server.
    Mariadb,
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
            IdKind::AutoIncrement | IdKind::Device | IdKind::UuidShort => Family::Integer,
            // What the rows lie by is an integer, whatever stands in them.
            IdKind::V4 if self.column.is_mapped() || self.column == Column::Unkeyed16 => Family::Integer,
            IdKind::V4 => Family::Random,
            IdKind::V1 | IdKind::V6 | IdKind::V7 | IdKind::Ulid | IdKind::ServerV1 => Family::Time,
            IdKind::Week
            | IdKind::MinuteRandom
            | IdKind::MinuteAscending
            | IdKind::MinuteOffset
            | IdKind::MinuteSequence => Family::Prefixed,
        }
    }

    /// Refuses a database that cannot do this.
    ///
    /// # Errors
    /// Why it cannot, and what to take instead.
    ///
    /// ```
    /// use idgen_lab::strategy::{Target, find};
    ///
    /// let native = find("v7-uuid")?;
    /// assert!(native.check(Target::Mariadb).is_ok());
    /// assert!(native.check(Target::Mysql).unwrap_err().to_string().contains("v7-binary"));
    /// # Ok::<(), idgen_lab::Error>(())
    /// ```
    pub fn check(&self, target: Target) -> Result<()> {
        let embedded = target == Target::Sqlite;
        let why = match self.column {
            Column::Uuid if target != Target::Mariadb => {
                "it has no type UUID: take the same ids in 16 bytes, "
            }
            Column::VarText36 | Column::VarBinary36 if embedded => "it keeps all text alike: take v4-text36",
            _ if self.ids.is_server_made() && embedded => "it has no function that makes ids",
            column if column.is_mapped() && column != Column::MappedInteger && embedded => {
                "that map is one of MySQL and MariaDB: take mapped"
            }
            _ => return Ok(()),
        };
        let instead = match (self.column, self.ids) {
            (Column::Uuid, IdKind::V1) => "v1-swapped",
            (Column::Uuid, IdKind::V7) => "v7-binary",
            (Column::Uuid, _) => "v4-binary",
            _ => "",
        };
        Err(Error::config(format!("{target} cannot run {}: {why}{instead}", self.name)))
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Target::Sqlite => "SQLite",
            Target::Mysql => "MySQL",
            Target::Mariadb => "MariaDB",
        })
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

/// Strategies that are only compared where they are named: other forms of one idea, and the published
/// functions, which take one UUID at a time.
const ON_REQUEST: [&str; 11] = [
    "minute-text36",
    "minute-offset",
    "no-primary-key",
    "v4-varchar36",
    "v4-varbinary36",
    "v1-uuid",
    "uuid-swapped",
    "minute-sequence",
    "mapped-dedup",
    "mapped-ref-lock",
    "mapped-ref-dedup",
];

/// The strategies that are compared on a database where none are named.
///
/// ```
/// use idgen_lab::strategy::{Target, default_set};
///
/// assert!(default_set(Target::Sqlite).iter().all(|strategy| strategy.check(Target::Sqlite).is_ok()));
/// ```
pub fn default_set(target: Target) -> Vec<&'static Strategy> {
    ALL.iter()
        .filter(|strategy| !ON_REQUEST.contains(&strategy.name) && strategy.check(target).is_ok())
        .collect()
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
            assert!(strategy.title.len() <= 22, "{} is too wide for a table", ALL[index].title);
            assert!(strategy.explains.len() <= 77 && !strategy.explains.ends_with('.'));
        }
    }

    #[test]
    fn each_database_has_its_own_set() {
        let names = |target| default_set(target).iter().map(|strategy| strategy.name).collect::<Vec<_>>();
        assert_eq!(names(Target::Sqlite).len(), 14);
        assert!(ON_REQUEST.iter().all(|name| find(name).is_ok() && !names(Target::Mariadb).contains(name)));
        assert_eq!(names(Target::Mariadb).len(), names(Target::Mysql).len() + 2, "the UUID type");
        for (name, refused) in [
            ("v4-uuid", &[Target::Sqlite, Target::Mysql][..]),
            ("uuid-short", &[Target::Sqlite]),
            ("mapped-unique", &[Target::Sqlite]),
            ("v4-varchar36", &[Target::Sqlite]),
            ("no-primary-key", &[]),
            ("mapped", &[]),
        ] {
            for target in [Target::Sqlite, Target::Mysql, Target::Mariadb] {
                let found = find(name).unwrap().check(target);
                assert_eq!(found.is_err(), refused.contains(&target), "{name} {target}");
                assert!(found.is_ok() || found.unwrap_err().is_config());
            }
        }
    }
}
