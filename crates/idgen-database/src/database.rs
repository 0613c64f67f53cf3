//! One enum of databases, for everything that measures, surveys, plans or starts one.

use std::fmt;

use serde::{Serialize, Serializer};

/// A database that idgen measures, surveys, plans for or starts. It is serialized as its name on the command line.
///
/// Code that depends on the database calls a method, or matches without a `_` arm, so that the compiler lists all places
/// that a new variant concerns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Database {
    /// The embedded engine.
    Sqlite,
    /// A MySQL server.
    MySql,
    /// A MariaDB server.
    MariaDb,
    /// A PostgreSQL server.
    Postgres,
}

impl Database {
    /// All databases, in the order in which they are listed.
    pub const ALL: &[Database] = &[Database::Sqlite, Database::MySql, Database::MariaDb, Database::Postgres];

    /// The two that speak MySQL's protocol, for tests that run on each.
    pub const MYSQL_FAMILY: [Database; 2] = [Database::MySql, Database::MariaDb];

    /// Reads the server software from the text that `SELECT version()` returns.
    ///
    /// ```
    /// use idgen_database::Database;
    /// assert_eq!(Database::of_version("9.7.4"), Database::MySql);
    /// assert_eq!(Database::of_version("10.11.19-MariaDB-deb12u1"), Database::MariaDb);
    /// assert_eq!(Database::of_version("PostgreSQL 18.6 on x86_64-pc-linux-gnu"), Database::Postgres);
    /// ```
    pub fn of_version(version: &str) -> Database {
        if version.contains("MariaDB") {
            Database::MariaDb
        } else if version.contains("PostgreSQL") {
            Database::Postgres
        } else {
            Database::MySql
        }
    }

    /// Reads the server software from the scheme of a connection URL; `None` where it is the scheme of no server known
    /// here. MySQL and MariaDB share their schemes, and the server says which of the two it is.
    ///
    /// ```
    /// use idgen_database::Database;
    /// assert_eq!(Database::of_scheme("postgresql://localhost/shop"), Some(Database::Postgres));
    /// assert_eq!(Database::of_scheme("mariadb://localhost/shop"), Some(Database::MySql));
    /// assert_eq!(Database::of_scheme("sqlite://shop.db"), None);
    /// ```
    pub fn of_scheme(url: &str) -> Option<Database> {
        match url.split_once("://")?.0 {
            "mysql" | "mariadb" => Some(Database::MySql),
            "postgres" | "postgresql" => Some(Database::Postgres),
            _ => None,
        }
    }

    /// The name for people, as its makers write it.
    pub const fn name(self) -> &'static str {
        match self {
            Database::Sqlite => "SQLite",
            Database::MySql => "MySQL",
            Database::MariaDb => "MariaDB",
            Database::Postgres => "PostgreSQL",
        }
    }

    /// The name on the command line.
    ///
    /// ```
    /// use idgen_database::Database;
    ///
    /// assert_eq!(Database::with_id("mariadb"), Some(Database::MariaDb));
    /// assert_eq!(Database::MariaDb.id(), "mariadb");
    /// ```
    pub const fn id(self) -> &'static str {
        match self {
            Database::Sqlite => "sqlite",
            Database::MySql => "mysql",
            Database::MariaDb => "mariadb",
            Database::Postgres => "postgres",
        }
    }

    /// The database with this name on the command line.
    pub fn with_id(id: &str) -> Option<Database> {
        Self::ALL.iter().copied().find(|database| database.id() == id)
    }

    /// Returns true if the database runs in the process of its client. Then many rows are committed together, and there is one writer.
    pub const fn is_embedded(self) -> bool {
        match self {
            Database::Sqlite => true,
            Database::MySql | Database::MariaDb | Database::Postgres => false,
        }
    }

    /// Returns true if there is a type `UUID` in addition to 16 bytes, with an order of its own. PostgreSQL's `uuid` is its type for 16 bytes.
    pub const fn has_uuid_type(self) -> bool {
        match self {
            Database::MariaDb => true,
            Database::Sqlite | Database::MySql | Database::Postgres => false,
        }
    }

    /// Returns true if `CHAR`, `VARCHAR` and `VARBINARY` are stored in different ways.
    pub const fn has_text_types(self) -> bool {
        match self {
            Database::MySql | Database::MariaDb => true,
            Database::Sqlite | Database::Postgres => false,
        }
    }

    /// Returns true if the rows of a table lie in the order of its key. Otherwise they lie in a heap, and the key has an index.
    pub const fn clusters_rows(self) -> bool {
        match self {
            Database::Sqlite | Database::MySql | Database::MariaDb => true,
            Database::Postgres => false,
        }
    }

    /// Returns true if the database speaks MySQL's protocol and language, so that the map of `idgen-mysql` runs on it.
    pub const fn speaks_mysql(self) -> bool {
        match self {
            Database::MySql | Database::MariaDb => true,
            Database::Sqlite | Database::Postgres => false,
        }
    }
}

impl Serialize for Database {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.id())
    }
}

impl fmt::Display for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
