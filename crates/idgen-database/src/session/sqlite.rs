//! SQLite.
//!
//! A connection that only reads still makes the two files beside a database in WAL mode, `-wal` and `-shm`, and cannot remove them: they would belong to
//! this user, and the application could not write any more. So a database in WAL mode that no client has open is read as one that does not change
//! (`immutable`), and opened again as soon as it did change. See <https://www.sqlite.org/wal.html#read_only_databases>.

use std::fs::{self, File};
use std::io::Read;
use std::time::{Duration, Instant, SystemTime};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::{Cell, Failure, Rows};
use crate::error::{Error, Result};

pub(super) struct Sqlite {
    path: String,
    connection: Connection,
    /// The state of a file that is read as one that does not change.
    unopened: Option<Stamp>,
    limit: Duration,
}

/// The time of the last change, and the length.
type Stamp = (SystemTime, u64);

/// A database in WAL mode that no client has open; `None` for others.
fn unopened(path: &str) -> Option<Stamp> {
    let mut header = [0; 20];
    File::open(path).ok()?.read_exact(&mut header).ok()?;
    // The version of the format for writers: <https://www.sqlite.org/fileformat2.html#file_format_version_numbers>.
    let is_wal = header[18] == 2;
    let is_open = ["-wal", "-shm"].iter().any(|suffix| fs::exists(format!("{path}{suffix}")).unwrap_or(true));
    let file = fs::metadata(path).ok()?;
    (is_wal && !is_open).then_some((file.modified().ok()?, file.len()))
}

/// Fails if to open the database would make a file that its owner could not write.
#[cfg(unix)]
fn check_owner(path: &str) -> Result<()> {
    use std::os::unix::fs::MetadataExt as _;

    let exists = |suffix: &str| fs::exists(format!("{path}{suffix}")).unwrap_or(false);
    let Ok(file) = fs::metadata(path) else { return Ok(()) };
    // SQLite gives the files that it makes for root to the owner of the database.
    let me = rustix::process::geteuid().as_raw();
    if exists("-wal") && !exists("-shm") && me != 0 && me != file.uid() {
        return Err(Error::new(format!(
            "{path} has a log ({path}-wal) that no client has read since its last one was ended: reading it would make a file that the owner of \
             the database, the user {}, could not write. Do this as that user, or open the database once with its application",
            file.uid()
        )));
    }
    Ok(())
}

#[cfg(not(unix))]
fn check_owner(_: &str) -> Result<()> {
    Ok(())
}

/// Connects, and reads the schema: a file that is no database is found by its first statement.
fn connect(path: &str, limit: Duration, immutable: bool) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = if immutable {
        let quoted = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        Connection::open_with_flags(format!("file:{quoted}?immutable=1"), flags | OpenFlags::SQLITE_OPEN_URI)?
    } else {
        Connection::open_with_flags(path, flags)?
    };
    connection.execute_batch(READ_ONLY)?;
    connection.busy_timeout(limit)?;
    connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()))?;
    Ok(connection)
}

pub(super) const READ_ONLY: &str = "PRAGMA query_only = on";

pub(super) fn version() -> String {
    rusqlite::version().to_owned()
}

impl Sqlite {
    pub(super) fn open(path: &str, limit: Duration) -> Result<Sqlite> {
        let failed = |error| {
            let what = format!("cannot open the SQLite database {path}");
            match fs::exists(format!("{path}-journal")) {
                Ok(true) => Error::of(
                    format!(
                        "{what}: {path}-journal is the journal of a transaction that was not ended, which only a client that writes can undo: open the \
                         database once with its application"
                    ),
                    error,
                ),
                _ => Error::of(what, error),
            }
        };
        check_owner(path)?;
        let unopened = unopened(path);
        let connection = connect(path, limit, unopened.is_some()).map_err(failed)?;
        Ok(Sqlite { path: path.to_owned(), connection, unopened, limit })
    }

    /// Limits the time of the next statements.
    pub(super) fn limit(&mut self, limit: Duration) -> Result<()> {
        let refused = |error| Error::of("cannot limit the wait for a lock", error);
        self.connection.busy_timeout(limit).map_err(refused)?;
        self.limit = limit;
        Ok(())
    }

    /// Executes a statement. If a client has opened the file while it was read as one that does not change, opens it as clients do, and executes the
    /// statement again.
    pub(super) fn rows(&mut self, sql: &str, binds: &[Cell]) -> std::result::Result<Rows, Failure> {
        for _ in 0..REOPENS {
            let answer = self.rows_once(sql, binds);
            let now = self.unopened.and_then(|_| unopened(&self.path));
            if self.unopened == now {
                return answer;
            }
            self.unopened = now;
            self.connection = connect(&self.path, self.limit, self.unopened.is_some()).map_err(failure)?;
        }
        self.rows_once(sql, binds)
    }

    fn rows_once(&mut self, sql: &str, binds: &[Cell]) -> std::result::Result<Rows, Failure> {
        let end = Instant::now() + self.limit;
        self.connection.progress_handler(OPERATIONS, Some(move || Instant::now() > end)).map_err(failure)?;
        let mut statement = self.connection.prepare(sql).map_err(failure)?;
        let columns = statement.column_count();
        let binds = binds.iter().map(|cell| match cell {
            Cell::Null => Value::Null,
            Cell::Text(text) => Value::Text(text.clone()),
            Cell::Int(number) => Value::Integer(*number),
            Cell::Bytes(bytes) => Value::Blob(bytes.clone()),
        });
        let mut answer = statement.query(params_from_iter(binds)).map_err(failure)?;
        let mut rows = Vec::new();
        while let Some(row) = answer.next().map_err(failure)? {
            let cell = |at| {
                Ok(match row.get_ref(at)? {
                    ValueRef::Null => Cell::Null,
                    ValueRef::Integer(number) => Cell::Int(number),
                    // No id is a fraction.
                    ValueRef::Real(_) => Cell::Text(String::new()),
                    ValueRef::Text(text) => Cell::Text(String::from_utf8_lossy(text).into_owned()),
                    ValueRef::Blob(bytes) => Cell::Bytes(bytes.to_vec()),
                })
            };
            rows.push((0..columns).map(cell).collect::<rusqlite::Result<_>>().map_err(failure)?);
        }
        Ok(rows)
    }

    pub(super) fn collation(&self, table: &str, column: &str) -> Option<String> {
        let (_, collation, ..) = self.connection.column_metadata(Some("main"), table, column).ok()?;
        Some(collation?.to_string_lossy().into_owned())
    }
}

/// Operations of SQLite's virtual machine, a fraction of a millisecond, after which the time is compared with the limit.
const OPERATIONS: i32 = 10_000;

/// A file that is opened and closed by clients again and again is read as clients read it after so many attempts.
const REOPENS: usize = 5;

fn failure(error: rusqlite::Error) -> Failure {
    let code = error.sqlite_error_code();
    Failure {
        is_late: matches!(code, Some(ErrorCode::DatabaseBusy | ErrorCode::OperationInterrupted)),
        code: code.map_or("of the driver".to_owned(), |code| format!("{code:?}")),
        message: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_that_finds_no_row_is_ended_at_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("kept.db");
        Connection::open(&path).unwrap().execute_batch("CREATE TABLE kept (id)").unwrap();
        let mut sqlite = Sqlite::open(path.to_str().unwrap(), Duration::from_millis(50)).unwrap();
        // It would never end.
        let endless =
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n WHERE i < 0";
        assert!(sqlite.rows(endless, &[]).unwrap_err().is_late);
        assert_eq!(sqlite.rows("SELECT count(*) FROM kept", &[]).unwrap().len(), 1);
    }
}
