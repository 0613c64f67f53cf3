//! Which of the two servers.

use std::fmt;

/// The server software.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Flavor {
    /// Oracle's MySQL, 8.0 or later.
    MySql,
    /// MariaDB, 10.6 or later.
    MariaDb,
}

impl Flavor {
    /// Both, for tests that run on each.
    pub const ALL: [Flavor; 2] = [Flavor::MySql, Flavor::MariaDb];

    /// Reads the flavor from the text that `SELECT VERSION()` gives.
    ///
    /// ```
    /// use idgen_server::Flavor;
    /// assert_eq!(Flavor::of_version("9.7.4"), Flavor::MySql);
    /// assert_eq!(Flavor::of_version("10.11.19-MariaDB-deb12u1"), Flavor::MariaDb);
    /// ```
    pub fn of_version(version: &str) -> Flavor {
        if version.contains("MariaDB") { Flavor::MariaDb } else { Flavor::MySql }
    }

    /// The image that `scripts/images.sh` builds.
    pub(crate) fn own_image(self) -> &'static str {
        match self {
            Flavor::MySql => "idgen-mysql:9.7",
            Flavor::MariaDb => "idgen-mariadb:10.11",
        }
    }

    /// The environment variable whose URL is taken before a server is started.
    pub const fn url_variable(self) -> &'static str {
        match self {
            Flavor::MySql => "IDGEN_MYSQL_URL",
            Flavor::MariaDb => "IDGEN_MARIADB_URL",
        }
    }

    /// `MYSQL` or `MARIADB`, as in the names of environment variables.
    pub(crate) fn shout(self) -> &'static str {
        match self {
            Flavor::MySql => "MYSQL",
            Flavor::MariaDb => "MARIADB",
        }
    }
}

impl fmt::Display for Flavor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Flavor::MySql => "MySQL",
            Flavor::MariaDb => "MariaDB",
        })
    }
}
