//! SQLite.

use std::time::{Duration, Instant};

use rusqlite::types::{Value, ValueRef};
use rusqlite::{Connection, ErrorCode, OpenFlags, params_from_iter};

use super::{Cell, Failure, Rows};
use crate::error::{Error, Result};

pub(super) struct Sqlite {
    connection: Connection,
    limit: Duration,
}

pub(super) const READ_ONLY: &str = "PRAGMA query_only = on";

pub(super) fn version() -> String {
    rusqlite::version().to_owned()
}

impl Sqlite {
    pub(super) fn open(path: &str, limit: Duration) -> Result<Sqlite> {
        let failed = |error| Error::of(format!("cannot open the SQLite database {path}"), error);
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let connection = Connection::open_with_flags(path, flags).map_err(failed)?;
        connection.execute_batch(READ_ONLY).map_err(failed)?;
        connection.busy_timeout(limit).map_err(failed)?;
        // A file that is no database is found by its first statement.
        connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(())).map_err(failed)?;
        Ok(Sqlite { connection, limit })
    }

    /// Limits the time of the next statements.
    pub(super) fn limit(&mut self, limit: Duration) -> Result<()> {
        let refused = |error| Error::of("cannot limit the wait for a lock", error);
        self.connection.busy_timeout(limit).map_err(refused)?;
        self.limit = limit;
        Ok(())
    }

    pub(super) fn rows(&mut self, sql: &str, binds: &[Cell]) -> std::result::Result<Rows, Failure> {
        let begin = Instant::now();
        let failure = |error: rusqlite::Error| {
            let code = error.sqlite_error_code();
            Failure {
                is_late: code == Some(ErrorCode::DatabaseBusy),
                code: code.map_or("of the driver".to_owned(), |code| format!("{code:?}")),
                message: error.to_string(),
            }
        };
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
            if begin.elapsed() > self.limit {
                return Err(Failure { is_late: true, code: String::new(), message: String::new() });
            }
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
