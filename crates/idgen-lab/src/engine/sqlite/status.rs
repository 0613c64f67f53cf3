//! Reads the counters of the page cache, `sqlite3_db_status()`.
//!
//! `CACHE_MISS` counts pages read from the file and `CACHE_WRITE` pages written to it. `CACHE_SPILL` counts those among
//! the written pages that were written in the middle of a transaction because the cache was full. Source: SQLite C
//! interface, "Status Parameters for database connections". A test in this directory compares reads and writes with the
//! counts of the kernel.

use rusqlite::{Connection, ffi};

use crate::engine::{Counters, FilePages};
use crate::{Error, Result};

/// The counts since [`reset`].
pub fn counters(db: &Connection) -> Result<Counters> {
    let pages = FilePages {
        read: read(db, ffi::SQLITE_DBSTATUS_CACHE_MISS, false)?,
        written: read(db, ffi::SQLITE_DBSTATUS_CACHE_WRITE, false)?,
    };
    Ok(Counters {
        pages_read: pages.read,
        pages_written: Some(pages.written),
        // The file contains only these tables.
        table_pages: Some(pages),
        pages_spilled: Some(read(db, ffi::SQLITE_DBSTATUS_CACHE_SPILL, false)?),
        cache_hits: Some(read(db, ffi::SQLITE_DBSTATUS_CACHE_HIT, false)?),
        ..Counters::default()
    })
}

/// Sets the counts to zero.
pub fn reset(db: &Connection) -> Result<()> {
    for parameter in [
        ffi::SQLITE_DBSTATUS_CACHE_MISS,
        ffi::SQLITE_DBSTATUS_CACHE_WRITE,
        ffi::SQLITE_DBSTATUS_CACHE_SPILL,
        ffi::SQLITE_DBSTATUS_CACHE_HIT,
    ] {
        read(db, parameter, true)?;
    }
    Ok(())
}

#[allow(unsafe_code, reason = "rusqlite has no safe form of sqlite3_db_status")]
fn read(db: &Connection, parameter: i32, reset: bool) -> Result<u64> {
    let (mut current, mut highest) = (0, 0);
    // SAFETY: the handle is valid while `db` is borrowed, `db` is used by this thread alone, and both
    // results are live integers.
    let code = unsafe {
        ffi::sqlite3_db_status(db.handle(), parameter, &mut current, &mut highest, i32::from(reset))
    };
    if code != ffi::SQLITE_OK {
        return Err(Error::engine(
            "SQLite could not read its counters",
            rusqlite::Error::SqliteFailure(ffi::Error::new(code), None),
        ));
    }
    // The counter is 32 bits wide and wraps; a negative value is its upper half.
    Ok(u64::from(current as u32))
}
