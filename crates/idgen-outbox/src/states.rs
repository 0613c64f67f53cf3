//! The transitions of a row's state. Implementations in other languages have the same statements.

use std::collections::HashMap;
use std::time::{Duration, SystemTime};

use rusqlite::{Connection, params};
use serde_json::json;
use uuid::Uuid;

use crate::change::{Change, Unreadable};
use crate::error::{Error, Result};

/// Makes the table and its indexes, if they are missing.
pub(crate) const SCHEMA: &str = include_str!("schema.sql");

/// A change waits for at most this long until it is sent again.
pub(crate) const LONGEST: Duration = Duration::from_secs(3600);

/// The largest number of a change: JavaScript rounds larger integers.
const LARGEST: u64 = (1 << 53) - 1;

pub(crate) fn millis(time: SystemTime) -> i64 {
    let since = time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// The time after a pause; a clock at the end of its range has none.
pub(crate) fn later(now: SystemTime, pause: Duration) -> SystemTime {
    now.checked_add(pause).unwrap_or(now)
}

/// The last place, found in the index of states and places: with one function over the table, each change would read the whole outbox.
macro_rules! last {
    () => {
        concat!(
            "(SELECT COALESCE(MAX(place), 0) FROM (",
            last!("pending"),
            " UNION ALL ",
            last!("done"),
            " UNION ALL ",
            last!("refused"),
            "))"
        )
    };
    ($state:literal) => {
        concat!(
            "SELECT * FROM (SELECT position AS place FROM idgen_outbox WHERE state = '",
            $state,
            "' ORDER BY position DESC LIMIT 1)"
        )
    };
}

pub(crate) fn stored(number: u64) -> Result<i64> {
    let held = i64::try_from(number).ok().filter(|_| number <= LARGEST);
    held.ok_or_else(|| {
        Error::misuse(format!("{number} is not the number of a change: pass on that of the batch"))
    })
}

pub(crate) fn because(table: &str, row: &str) -> String {
    format!("it waits for the row {row} of {table}, which was refused")
}

/// Writes the newest change of a row. A pending row keeps its place, so that it stays before the rows that refer to it.
pub(crate) fn write(
    transaction: &Connection,
    table: &str,
    row: Uuid,
    operation: &str,
    columns: &str,
) -> Result<u64> {
    let row = row.to_string();
    let statement = concat!(
        "INSERT INTO idgen_outbox (tbl, row, number, operation, columns, state, position) VALUES (?1, ?2, 1, ?3, ?4, 'pending', ",
        last!(),
        " + 1) ON CONFLICT (tbl, row) DO UPDATE SET number = number + 1, \
         operation = IIF(excluded.operation = 'put' AND (operation = 'delete' OR operation = 'replace' AND state <> 'done'), \
         'replace', excluded.operation), \
         columns = excluded.columns, position = IIF(state = 'pending', position, excluded.position), \
         state = 'pending', reason = NULL, needs_tbl = NULL, needs_row = NULL, attempts = 0, wake = 0, resent = 0 \
         RETURNING number"
    );
    let mut statement = transaction.prepare_cached(statement)?;
    let number: i64 = statement.query_row(params![table, row, operation, columns], |row| row.get(0))?;
    release(transaction, table, &row)?;
    Ok(number.unsigned_abs())
}

pub(crate) fn done(database: &Connection, table: &str, row: &str) -> Result<()> {
    // Of what was given out, the last one is the row's newest change.
    let done = "UPDATE idgen_outbox SET state = 'done', sent = MAX(sent, number), \
         given = IIF(instr(given, ' ' || number || ':') > 0, substr(given, instr(given, ' ' || number || ':')), ''), reason = NULL, needs_tbl = NULL, needs_row = NULL, attempts = 0, \
         wake = 0, resent = 0 WHERE tbl = ?1 AND row = ?2";
    database.execute(done, params![table, row])?;
    release(database, table, row)
}

/// Refuses the rows that wait for a row. The plus sign keeps SQLite from reading all pending rows, of which there may be thousands for each call.
const REFUSE_OTHERS: &str = "WITH RECURSIVE others (tbl, row) AS (SELECT ?1, ?2 UNION SELECT o.tbl, o.row FROM idgen_outbox o \
         JOIN others ON o.needs_tbl = others.tbl AND o.needs_row = others.row) \
         UPDATE idgen_outbox SET state = 'refused', reason = ?3, attempts = 0, wake = 0 \
         WHERE +state = 'pending' AND needs_row IS NOT NULL AND (tbl, row) IN (SELECT tbl, row FROM others) \
         AND (tbl, row) <> (?1, ?2)";

/// Refuses a row of which the server has a change that this device does not know. The next number follows both, and is known to follow the server's.
pub(crate) fn older(
    database: &Connection,
    (table, row, number): (&str, &str, i64),
    newest: u64,
) -> Result<()> {
    let reason = format!(
        "the server has a newer change of this row, with the number {newest}: this device was restored from a backup, or copied"
    );
    // Nothing can follow the largest number, so that the row stays refused.
    if refuse(database, (table, row, number), &reason)? && newest < LARGEST {
        let knows = "UPDATE idgen_outbox SET number = MAX(number, ?3), sent = ?3, given = ' ' || ?3 || ':0' WHERE tbl = ?1 AND row = ?2";
        database.execute(knows, params![table, row, stored(newest)?])?;
    }
    Ok(())
}

/// Has a change wait behind all others until this time.
pub(crate) fn wait(
    database: &Connection,
    (table, row): (&str, &str),
    reason: &str,
    until: SystemTime,
) -> Result<()> {
    let statement = concat!(
        "UPDATE idgen_outbox SET reason = ?3, attempts = attempts + 1, wake = ?4, position = ",
        last!(),
        " + 1 WHERE tbl = ?1 AND row = ?2"
    );
    database.execute(statement, params![table, row, reason, millis(until)])?;
    Ok(())
}

/// Refuses a row, and those that wait for it, unless it has another number than this one by now. Returns whether it did.
pub(crate) fn refuse(
    database: &Connection,
    (table, row, number): (&str, &str, i64),
    reason: &str,
) -> Result<bool> {
    let refuse = "UPDATE idgen_outbox SET state = 'refused', reason = ?3, needs_tbl = NULL, needs_row = NULL, \
         attempts = 0, wake = 0, resent = 0 WHERE tbl = ?1 AND row = ?2 AND number = ?4";
    if database.execute(refuse, params![table, row, reason, number])? == 0 {
        return Ok(false);
    }
    database.execute(REFUSE_OTHERS, params![table, row, because(table, row)])?;
    Ok(true)
}

/// The table `again` of a statement: rows that are sent again come last, in their order, and in consecutive places. Larger steps
/// would reach the largest integer at some time.
macro_rules! again {
    ($which:literal) => {
        concat!(
            "again AS (SELECT tbl, row, ",
            last!(),
            " + ROW_NUMBER() OVER (ORDER BY position, tbl, row) AS place FROM idgen_outbox WHERE ",
            $which,
            ")"
        )
    };
}

macro_rules! in_again {
    () => {
        "position = again.place FROM again WHERE idgen_outbox.tbl = again.tbl AND idgen_outbox.row = again.row"
    };
}

/// Sends the rows again that wait for a row or were refused because of it, and those that wait for these.
fn release(database: &Connection, table: &str, row: &str) -> Result<()> {
    let release = concat!(
        "WITH RECURSIVE others (tbl, row) AS (SELECT ?1, ?2 UNION SELECT o.tbl, o.row FROM idgen_outbox o \
         JOIN others ON o.needs_tbl = others.tbl AND o.needs_row = others.row), ",
        again!(
            "needs_row IS NOT NULL AND state <> 'done' AND (tbl, row) IN (SELECT tbl, row FROM others) AND (tbl, row) <> (?1, ?2)"
        ),
        " UPDATE idgen_outbox SET state = 'pending', reason = NULL, needs_tbl = NULL, needs_row = NULL, attempts = 0, wake = 0, ",
        in_again!()
    );
    database.prepare_cached(release)?.execute(params![table, row])?;
    Ok(())
}

/// Marks of more characters than this are not kept: a row that is changed and given out again and again without an answer is known by its numbers alone then.
const MARKS: usize = 400;

/// Notes that these changes may reach the server now, also those that were changed again since they were read. Each new number gets a mark.
pub(crate) fn give_out(database: &Connection, batch: &mut [Change]) -> Result<()> {
    let before = |change: &Change| change.known.split(' ').next().and_then(|sent| sent.parse().ok());
    let new: Vec<_> = batch
        .iter_mut()
        .filter(|change| before(change).is_none_or(|sent: u64| sent < change.number))
        .collect();
    if new.is_empty() {
        return Ok(());
    }
    let numbers = new.iter().map(|change| json!([change.table, change.row.to_string(), change.number]));
    let numbers = serde_json::Value::from_iter(numbers).to_string();
    let statement = format!(
        "UPDATE idgen_outbox SET sent = new.number, \
         given = IIF(length(given) BETWEEN 1 AND {MARKS}, given, ' ' || sent || ':0') || ' ' || new.number || ':' || hex(randomblob(8)) \
         FROM (SELECT value ->> 0 AS tbl, value ->> 1 AS row, value ->> 2 AS number FROM json_each(?1)) AS new \
         WHERE idgen_outbox.tbl = new.tbl AND idgen_outbox.row = new.row AND sent < new.number \
         RETURNING tbl, row, given"
    );
    let mut statement = database.prepare_cached(&statement)?;
    let mut given: HashMap<(String, String), String> = HashMap::new();
    let mut rows = statement.query([numbers])?;
    while let Some(row) = rows.next()? {
        given.insert((row.get(0)?, row.get(1)?), row.get(2)?);
    }
    for change in new {
        if let Some(given) = given.get(&(change.table.clone(), change.row.to_string())) {
            change.known = format!("{}{given}", before(change).unwrap_or_default());
        }
    }
    Ok(())
}

/// Refuses a row that cannot be read, by its texts as they were written.
pub(crate) fn set_aside(database: &Connection, found: &Unreadable) -> Result<()> {
    let refuse = "UPDATE idgen_outbox SET state = 'refused', reason = ?3 WHERE tbl = ?1 AND row = ?2";
    database.execute(refuse, params![found.table, found.row, found.reason])?;
    Ok(())
}

/// Gives a column of all rows of a table another name, or removes it. Rows have a higher number then: under the same one, the server may have them
/// with the column of before.
pub(crate) fn rename_column(database: &Connection, table: &str, from: &str, to: Option<&str>) -> Result<u64> {
    let path = |name: &str| format!("'$.\"{name}\"'");
    let from = path(from);
    let changed = match to {
        Some(to) => format!("json_remove(json_set(columns, {}, columns -> {from}), {from})", path(to)),
        None => format!("json_remove(columns, {from})"),
    };
    let statement = format!(
        "UPDATE idgen_outbox SET columns = {changed}, number = number + 1, state = IIF(state = 'refused', 'pending', state), \
         reason = IIF(state = 'refused', NULL, reason), needs_tbl = IIF(state = 'refused', NULL, needs_tbl), \
         needs_row = IIF(state = 'refused', NULL, needs_row) \
         WHERE tbl = ?1 AND json_valid(columns) AND json_type(columns, {from}) IS NOT NULL"
    );
    Ok(database.execute(&statement, [table])? as u64)
}

pub(crate) fn retry(database: &Connection, table: &str, row: &str) -> Result<bool> {
    let retry = concat!(
        "UPDATE idgen_outbox SET state = 'pending', reason = NULL, number = number + 1, needs_tbl = NULL, needs_row = NULL, position = ",
        last!(),
        " + 1 WHERE tbl = ?1 AND row = ?2 AND state = 'refused'"
    );
    if database.execute(retry, params![table, row])? == 0 {
        return Ok(false);
    }
    release(database, table, row)?;
    Ok(true)
}

pub(crate) fn resend(database: &Connection) -> Result<u64> {
    let resend = concat!(
        "WITH ",
        again!("state = 'done'"),
        " UPDATE idgen_outbox SET state = 'pending', resent = 1, ",
        in_again!()
    );
    Ok(database.execute(resend, [])? as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The steps of a statement, as SQLite plans them.
    fn planned(sql: &str) -> Vec<String> {
        let database = Connection::open_in_memory().unwrap();
        database.execute_batch(SCHEMA).unwrap();
        let mut plan = database.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
        let binds = vec!["x"; plan.parameter_count()];
        let steps = plan.query_map(rusqlite::params_from_iter(binds), |row| row.get(3)).unwrap();
        steps.collect::<std::result::Result<Vec<String>, _>>().unwrap()
    }

    /// A refusal does not read all rows that wait for others.
    #[test]
    fn rows_that_wait_are_found_by_their_keys() {
        let steps = planned(REFUSE_OTHERS);
        assert_eq!(steps[0], "SEARCH idgen_outbox USING PRIMARY KEY (tbl=? AND row=?)", "{steps:?}");
    }

    /// A change of one row among many reads a few of them.
    #[test]
    fn the_last_place_is_found_in_the_index() {
        let steps = planned(concat!("SELECT ", last!()));
        let of = |how: &str| steps.iter().filter(|step| step.contains(how)).count();
        assert_eq!(
            of("SEARCH idgen_outbox USING COVERING INDEX idgen_outbox_state (state=?)"),
            3,
            "{steps:?}"
        );
        assert_eq!(of("SCAN idgen_outbox"), 0, "{steps:?}");
    }
}
