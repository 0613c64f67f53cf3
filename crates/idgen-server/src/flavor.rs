//! Which server software.

use std::fmt;

/// The server software.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Oracle's MySQL, 8.0 or later.
    MySql,
    /// MariaDB, 10.6 or later.
    MariaDb,
    /// PostgreSQL, 15 or later.
    Postgres,
}

impl Flavor {
    /// The two that speak MySQL's protocol, for tests that run on each.
    pub const MYSQL_FAMILY: [Flavor; 2] = [Flavor::MySql, Flavor::MariaDb];

    /// Reads the flavor from the text that `SELECT version()` returns.
    ///
    /// ```
    /// use idgen_server::Flavor;
    /// assert_eq!(Flavor::of_version("9.7.4"), Flavor::MySql);
    /// assert_eq!(Flavor::of_version("10.11.19-MariaDB-deb12u1"), Flavor::MariaDb);
    /// assert_eq!(Flavor::of_version("PostgreSQL 18.6 on x86_64-pc-linux-gnu"), Flavor::Postgres);
    /// ```
    pub fn of_version(version: &str) -> Flavor {
        if version.contains("MariaDB") {
            Flavor::MariaDb
        } else if version.contains("PostgreSQL") {
            Flavor::Postgres
        } else {
            Flavor::MySql
        }
    }

    /// Reads the flavor from the scheme of a connection URL; `None` where it is the scheme of no server known here.
    /// MySQL and MariaDB share their schemes, and the server says which of the two it is.
    pub fn of_scheme(url: &str) -> Option<Flavor> {
        match url.split_once("://")?.0 {
            "mysql" | "mariadb" => Some(Flavor::MySql),
            "postgres" | "postgresql" => Some(Flavor::Postgres),
            _ => None,
        }
    }

    /// The image that `scripts/images.sh` builds.
    pub(crate) fn own_image(self) -> &'static str {
        match self {
            Flavor::MySql => "idgen-mysql:9.7",
            Flavor::MariaDb => "idgen-mariadb:10.11",
            Flavor::Postgres => "idgen-postgres:18",
        }
    }

    /// The environment variable whose URL is taken before a server is started.
    pub const fn url_variable(self) -> &'static str {
        match self {
            Flavor::MySql => "IDGEN_MYSQL_URL",
            Flavor::MariaDb => "IDGEN_MARIADB_URL",
            Flavor::Postgres => "IDGEN_POSTGRES_URL",
        }
    }

    /// `MYSQL`, `MARIADB` or `POSTGRES`, as in the names of environment variables.
    pub(crate) fn upper_name(self) -> &'static str {
        match self {
            Flavor::MySql => "MYSQL",
            Flavor::MariaDb => "MARIADB",
            Flavor::Postgres => "POSTGRES",
        }
    }
}

impl fmt::Display for Flavor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flavor::MySql => "MySQL",
            Flavor::MariaDb => "MariaDB",
            Flavor::Postgres => "PostgreSQL",
        })
    }
}
