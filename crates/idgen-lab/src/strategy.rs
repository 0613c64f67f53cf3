//! The list of key strategies: which id goes into which column.

mod bytes;
mod columns;
mod ids;
mod list;
pub(crate) mod native;
mod source;

use idgen_record::{Column, Database, Family, IdKind, Key, StrategyRecord};

use crate::unknown::unknown;
use crate::{Error, Result};

use columns::IN_COLUMNS;
#[doc(hidden)]
pub use ids::Ids;
pub use list::ALL;
pub(crate) use source::prefix_key;

/// A way to identify rows and to store their key.
#[derive(Debug, PartialEq, Eq)]
pub struct Strategy {
    /// The name on the command line and in every file.
    pub name: &'static str,
    /// A short form for charts and tables.
    pub title: &'static str,
    /// The source of the ids.
    pub ids: IdKind,
    /// The type and content of the key column.
    pub column: Column,
    /// A line that describes the strategy and says why one would choose it.
    pub explains: &'static str,
}

impl Strategy {
    /// The family of its ids.
    pub fn family(&self) -> Family {
        match self.ids {
            IdKind::AutoIncrement | IdKind::Device | IdKind::UuidShort => Family::Integer,
            // These rows are sorted by an integer, whatever ids they contain.
            IdKind::V4 if self.column.is_mapped() || self.column == Column::Unkeyed16 => Family::Integer,
            IdKind::V4 | IdKind::ServerV4 => Family::Random,
            IdKind::FixedPrefix
            | IdKind::V1
            | IdKind::V6
            | IdKind::V7
            | IdKind::Ulid
            | IdKind::ServerV1
            | IdKind::ServerV7 => Family::Time,
            IdKind::Week
            | IdKind::MinuteRandom
            | IdKind::MinuteAscending
            | IdKind::MinuteSequence
            | IdKind::MinuteWriters => Family::Prefixed,
        }
    }

    /// Refuses a database that does not support this strategy.
    ///
    /// # Errors
    /// The error says why, and what to choose instead.
    ///
    /// ```
    /// use idgen_lab::strategy::find;
    /// use idgen_record::Database;
    ///
    /// let native = find("v7-uuid")?;
    /// assert!(native.check(Database::MariaDb).is_ok());
    /// assert!(native.check(Database::MySql).unwrap_err().to_string().contains("v7-binary"));
    /// # Ok::<(), idgen_lab::Error>(())
    /// ```
    pub fn check(&self, database: Database) -> Result<()> {
        let is_postgres = database == Database::Postgres;
        let why = match self.column {
            Column::Uuid if is_postgres => "it already stores 16 bytes in its type uuid: choose ",
            Column::Uuid if !database.has_uuid_type() => {
                "it has no type UUID: choose the same ids in 16 bytes, "
            }
            Column::VarText36 | Column::VarBinary36 if !database.has_text_types() => {
                "it stores all text columns in the same way: choose v4-text36"
            }
            Column::Bytea | Column::TwoIntegers if !is_postgres => {
                "that kind of column is only compared on PostgreSQL: choose the same ids in 16 bytes, "
            }
            Column::Unkeyed16 if !database.clusters_rows() => {
                "without a key there is no index, and its rows are in a heap in any case: choose auto-increment"
            }
            _ if self.ids.is_server_made() && !self.ids.is_made_by(database) => {
                "it has no function that makes these ids: choose "
            }
            column if column.is_mapped() && column != Column::MappedInteger && !database.speaks_mysql() => {
                "that map exists only on MySQL and MariaDB: choose mapped"
            }
            _ => return Ok(()),
        };
        let instead = if why.ends_with(' ') { self.portable() } else { "" };
        Err(Error::config(format!("{database} cannot run {}: {why}{instead}", self.name)))
    }
}

impl Strategy {
    /// Refuses a strategy that this database does not support; without a database, one that RocksDB does not support.
    ///
    /// # Errors
    /// The error says why, and what to choose instead.
    #[doc(hidden)]
    pub fn check_on(&self, database: Option<Database>) -> Result<()> {
        match database {
            Some(database) => self.check(database),
            None => bytes::check(self),
        }
    }

    /// The most similar strategy that every database supports.
    pub(crate) fn portable(&self) -> &'static str {
        match self.ids {
            IdKind::V1 | IdKind::ServerV1 => "v1-swapped",
            IdKind::V7 | IdKind::ServerV7 => "v7-binary",
            IdKind::MinuteAscending => "minute-ascending",
            IdKind::UuidShort => "device",
            _ => "v4-binary",
        }
    }
}

impl From<&Strategy> for StrategyRecord {
    fn from(strategy: &Strategy) -> Self {
        StrategyRecord {
            name: strategy.name.into(),
            title: strategy.title.into(),
            explains: strategy.explains.into(),
            key: Some(Key { ids: strategy.ids, column: strategy.column, family: strategy.family() }),
        }
    }
}

/// Strategies that are compared only if they are named: variants of another strategy, and the published functions,
/// which take one UUID at a time.
const ON_REQUEST: [&str; 18] = [
    "fixed-prefix",
    "fixed-text36",
    "v7-text36",
    "week-text36",
    "v4-bytea",
    "v4-server",
    "minute-bigints",
    "minute-text36",
    "no-primary-key",
    "v4-varchar36",
    "v4-varbinary36",
    "v1-uuid",
    "uuid-swapped",
    "minute-sequence",
    "minute-writers",
    "mapped-dedup",
    "mapped-ref-lock",
    "mapped-ref-dedup",
];

/// The strategies that are compared on a database if none are named.
///
/// ```
/// use idgen_lab::strategy::default_set;
/// use idgen_record::Database;
///
/// assert!(default_set(Database::Sqlite).iter().all(|strategy| strategy.check(Database::Sqlite).is_ok()));
/// ```
pub fn default_set(database: Database) -> Vec<&'static Strategy> {
    default_set_on(Some(database))
}

/// The strategies that are compared on this database if none are named; without a database, those for RocksDB.
#[doc(hidden)]
pub fn default_set_on(database: Option<Database>) -> Vec<&'static Strategy> {
    ALL.iter()
        .filter(|strategy| !ON_REQUEST.contains(&strategy.name) && strategy.check_on(database).is_ok())
        .collect()
}

/// The strategies whose ids fit this column: those of the list, and further kinds of ids in columns of text and in types of
/// one database.
pub(crate) fn of_column(column: Column) -> impl Iterator<Item = &'static Strategy> {
    ALL.iter().chain(&IN_COLUMNS).filter(move |strategy| strategy.column == column)
}

/// The strategy of this name. `short` is another name of `device`.
///
/// # Errors
/// There is none: the message lists the existing ones.
///
/// ```
/// assert_eq!(idgen_lab::strategy::find("v7-binary")?.title, "v7, binary 16");
/// # Ok::<(), idgen_lab::Error>(())
/// ```
pub fn find(name: &str) -> Result<&'static Strategy> {
    /// The library and the rest of the command line call these ids `short`.
    const SHORT: (&str, &str) = ("short", "device");
    let name = if name == SHORT.0 { SHORT.1 } else { name };
    ALL.iter().chain(&IN_COLUMNS).find(|strategy| strategy.name == name).ok_or_else(|| {
        let names: Vec<_> = ALL.iter().map(|strategy| strategy.name).collect();
        unknown("strategy", name, &names)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_lines_are_lines() {
        assert_eq!(find("short").unwrap().name, "device");
        for strategy in ALL.iter().chain(&IN_COLUMNS) {
            assert!(std::ptr::eq(find(strategy.name).unwrap(), strategy), "two strategies {}", strategy.name);
            assert!(strategy.title.len() <= 22, "{} is too wide for a table", strategy.title);
            assert!(strategy.explains.len() <= 77 && !strategy.explains.ends_with('.'), "{}", strategy.name);
        }
        assert!(ALL.iter().all(|strategy| strategy.name.len() <= 16), "too wide for the list");
    }

    #[test]
    fn each_database_has_its_own_set() {
        let names = |target| default_set(target).iter().map(|strategy| strategy.name).collect::<Vec<_>>();
        assert_eq!(names(Database::Sqlite).len(), 14);
        assert!(ON_REQUEST.iter().all(|name| find(name).is_ok() && !names(Database::MariaDb).contains(name)));
        assert_eq!(names(Database::MariaDb).len(), names(Database::MySql).len() + 2, "the UUID type");
        assert_eq!(names(Database::Postgres).len(), names(Database::Sqlite).len() + 1, "uuidv7()");
        for (name, refused) in [
            ("v4-uuid", &[Database::Sqlite, Database::MySql, Database::Postgres][..]),
            ("uuid-short", &[Database::Sqlite, Database::Postgres]),
            ("mapped-unique", &[Database::Sqlite, Database::Postgres]),
            ("v4-varchar36", &[Database::Sqlite, Database::Postgres]),
            ("no-primary-key", &[Database::Postgres]),
            ("mapped", &[]),
            ("v4-bytea", &[Database::Sqlite, Database::MySql, Database::MariaDb]),
            ("v7-server", &[Database::Sqlite, Database::MySql, Database::MariaDb]),
            ("minute-bigints", &[Database::Sqlite, Database::MySql, Database::MariaDb]),
        ] {
            for &target in Database::ALL {
                let found = find(name).unwrap().check(target);
                assert_eq!(found.is_err(), refused.contains(&target), "{name} {target}");
                assert!(found.is_ok() || found.unwrap_err().is_config());
            }
        }
    }
}
