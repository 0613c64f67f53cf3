//! Finds out which figures a server shows, and which it does not show.
//!
//! Sources: PostgreSQL manual, sections pageinspect, pgstattuple, pg_walinspect, and Predefined Roles.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{doing, run};
use crate::{Error, Result};

/// The first version with `pg_stat_wal`, which counts full-page images.
const OLDEST: u32 = 14_00_00;
/// The first version whose statistics are in shared memory, with `pg_stat_force_next_flush()`.
const WITH_SHARED_STATISTICS: u32 = 15_00_00;
/// The first version with `pg_walinspect`.
const WITH_WALINSPECT: u32 = 15_00_00;
/// The first version with `pg_stat_io` and `bt_multi_page_stats()`.
const WITH_IO: u32 = 16_00_00;
/// The first version in which one request may be for several pages.
const WITH_LARGE_IO: u32 = 18_00_00;

/// The sources of figures that the lab can read on a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// The version of the server as a number: 18.6 is 180006.
    pub version: u32,
    pub page_bytes: u32,
    pub cache_bytes: u64,
    /// Each page of an index.
    pub pages: bool,
    /// The mean page fill of the leaf pages of an index.
    pub density: bool,
    /// The records of the log, which show page splits.
    pub log: bool,
    /// True if the lab may start checkpoints.
    pub checkpoints: bool,
    /// The figures that reports therefore lack: a sentence for each, which says why, and how to make the
    /// server show it.
    pub missing: Vec<String>,
}

/// An extension that gives access to figures.
struct Source {
    extension: &'static str,
    /// A query like those of the lab, to find out whether the user may call the functions.
    trial: &'static str,
    shows: &'static str,
    /// The role whose members may call its functions, besides superusers.
    role: Option<&'static str>,
}

const PAGES: Source = Source {
    extension: "pageinspect",
    trial: "SELECT live_items FROM bt_page_stats('pg_class_oid_index', 1)",
    shows: "leaf pages per 1,000 inserts, tenth percentile of the page fill, and maps of pages",
    role: None,
};
const DENSITY: Source = Source {
    extension: "pgstattuple",
    trial: "SELECT avg_leaf_density FROM pgstatindex('pg_class_oid_index')",
    shows: "page fill",
    role: Some("pg_stat_scan_tables"),
};
const LOG: Source = Source {
    extension: "pg_walinspect",
    // The positions may be inside of records: nothing is found unless a whole one is between them, so they are far apart.
    trial: "SELECT count(*) FROM pg_get_wal_stats(pg_current_wal_flush_lsn() - 65536, pg_current_wal_flush_lsn())",
    shows: "page splits",
    role: Some("pg_read_server_files"),
};

impl Reach {
    /// Creates the extensions in the lab's database and tries out what the user may call.
    ///
    /// # Errors
    /// The server is too old, or does not answer.
    pub async fn of(connection: &mut PgConnection, ours: bool) -> Result<Self> {
        let failed = doing("read the server's settings");
        let sql = "SELECT current_setting('server_version_num')::int8, current_setting('block_size')::int8, \
                   (SELECT setting::int8 FROM pg_settings WHERE name = 'shared_buffers')";
        let row = connection.fetch_one(sql).await.map_err(&failed)?;
        let at = |column: usize| row.try_get::<i64, _>(column).map_err(&failed);
        let (version, page_bytes, buffers) = (at(0)?, at(1)?, at(2)?);
        let mut reach = Reach {
            version: u32::try_from(version).unwrap_or(0),
            page_bytes: u32::try_from(page_bytes).unwrap_or(0),
            cache_bytes: u64::try_from(buffers * page_bytes).unwrap_or(0),
            checkpoints: ours,
            ..Reach::default()
        };
        if reach.version < OLDEST {
            return Err(Error::config(format!(
                "the lab needs PostgreSQL 14 or later, which counts full-page images in pg_stat_wal; this is {}",
                reach.version / 10_000
            )));
        }
        if !reach.counts_io() {
            reach.missing.push(
                "No pages written: before PostgreSQL 16, which has pg_stat_io, the server counts them only when its \
                 checkpointer wakes up, perhaps minutes later. Pages read are those of the lab's database."
                    .to_owned(),
            );
        }
        reach.pages = reach.try_source(connection, &PAGES).await;
        // If the pages can be read, the density follows from them.
        reach.density = !reach.pages && reach.try_source(connection, &DENSITY).await;
        if reach.version < WITH_WALINSPECT {
            reach.missing.push(
                "No page splits: the extension pg_walinspect, which shows them, came with PostgreSQL 15."
                    .to_owned(),
            );
        } else {
            reach.log = reach.try_source(connection, &LOG).await;
        }
        if !ours {
            reach.missing.push(
                "No fixed distance between checkpoints, on which the bytes of the log depend: nothing but the lab's own \
                 database is changed on a server given by URL, whose checkpoint_timeout and max_wal_size decide; \
                 --engine postgres measures a server of the lab's own with checkpoints at a fixed distance."
                    .to_owned(),
            );
        }
        Ok(reach)
    }

    /// Returns whether the server counts pages read, written and extended by itself.
    pub fn counts_io(&self) -> bool {
        self.version >= WITH_IO
    }

    /// Returns whether one request may read or write several pages, so that requests and pages are counted
    /// separately.
    pub fn has_large_io(&self) -> bool {
        self.version >= WITH_LARGE_IO
    }

    /// Returns whether a session can report its counts at once. Otherwise it reports them at its first
    /// statement after half a second, and others read them up to half a second late.
    pub fn flushes_statistics(&self) -> bool {
        self.version >= WITH_SHARED_STATISTICS
    }

    /// Returns whether one query returns all pages of an index.
    pub fn lists_pages(&self) -> bool {
        self.version >= WITH_IO
    }

    async fn try_source(&mut self, connection: &mut PgConnection, source: &Source) -> bool {
        let extension = source.extension;
        let create = format!("CREATE EXTENSION IF NOT EXISTS {extension}");
        let why = match connection.execute(AssertSqlSafe(create)).await {
            Err(error) => why_not_created(&error, source),
            Ok(_) => match connection.fetch_optional(source.trial).await {
                Err(error) => why_not_called(&error, source),
                Ok(_) => return true,
            },
        };
        self.missing.push(format!("No {}: {why}.", source.shows));
        false
    }
}

fn is_refused(error: &sqlx::Error) -> bool {
    /// insufficient_privilege
    const REFUSED: &str = "42501";
    error.as_database_error().and_then(|error| error.code()).is_some_and(|code| code == REFUSED)
}

fn why_not_created(error: &sqlx::Error, source: &Source) -> String {
    /// feature_not_supported, undefined_file
    const ABSENT: [&str; 2] = ["0A000", "58P01"];
    let extension = source.extension;
    let code = error.as_database_error().and_then(|error| error.code());
    if code.is_some_and(|code| ABSENT.contains(&code.as_ref())) {
        return format!(
            "the server does not have the extension {extension}, which the package postgresql-contrib has"
        );
    }
    if !is_refused(error) {
        return format!("the extension {extension} cannot be created ({error})");
    }
    let role = match source.role {
        Some(role) => format!(", and GRANT {role} TO that user lets it call its functions"),
        None => ", but only superusers may call its functions, too".to_owned(),
    };
    format!(
        "only a superuser may create the extension {extension}; CREATE EXTENSION in the database template1 puts it \
         into every new database{role}"
    )
}

fn why_not_called(error: &sqlx::Error, source: &Source) -> String {
    let extension = source.extension;
    match source.role {
        _ if !is_refused(error) => format!("the extension {extension} cannot be used ({error})"),
        Some(role) => format!(
            "the user may not call the functions of {extension}, which GRANT {role} TO that user allows"
        ),
        None => format!("only a superuser may call the functions of {extension}"),
    }
}

/// Makes queries read trees in index order, so that no sorted copy of the table is read instead.
pub async fn read_by_index(connection: &mut PgConnection) -> Result<()> {
    run(connection, "SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off").await
}
