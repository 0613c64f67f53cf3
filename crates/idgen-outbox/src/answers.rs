//! A change is sent until the server has answered: each answer ends it, refuses it, or has it wait.

use std::time::{Duration, SystemTime};

use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::change::Outcome;
use crate::error::Result;
use crate::outbox::Outbox;
use crate::states::{LONGEST, because, done, later, older, refuse, stored, wait};

impl Outbox {
    /// Records the server's answer for a change. An answer for an older change than the newest one of the row does
    /// nothing: the newest one is still to be sent.
    ///
    /// - [`Waits`](Outcome::Waits): the change is sent again when the row that it waits for was applied, or after 2 seconds, then
    ///   4, and so on, up to an hour. If that row is refused here, this one is, too.
    /// - [`Blocked`](Outcome::Blocked): refused, unless this device has a newer change of the row that blocks it. Then
    ///   it waits.
    /// - [`Older`](Outcome::Older): the device was restored from a backup or copied. The row is refused, and
    ///   [`retry`](Self::retry) or the next change of the row overwrites the server's row.
    ///
    /// # Errors
    /// SQLite fails. Record all answers of a batch in one transaction.
    pub fn answered(
        &self,
        database: &Connection,
        (table, row, number): (&str, Uuid, u64),
        outcome: &Outcome,
        now: SystemTime,
    ) -> Result<()> {
        let (row, number) = (row.to_string(), stored(number)?);
        let find =
            "SELECT state, resent, attempts, number, sent FROM idgen_outbox WHERE tbl = ?1 AND row = ?2";
        let mut find = database.prepare_cached(find)?;
        let found = find.query_row(params![table, row], |found| {
            let numbers = (found.get::<_, i64>(3)?, found.get::<_, i64>(4)?);
            Ok((found.get::<_, String>(0)?, found.get::<_, bool>(1)?, found.get::<_, i64>(2)?, numbers))
        });
        let Some((state, resent, attempts, (current, sent))) = found.optional()? else { return Ok(()) };
        if current != number {
            return match outcome {
                // The server has a change of which this device does not know, and would be overwritten by the next one.
                Outcome::Older(newest) if state == "pending" && number < current => {
                    let own = number.unsigned_abs() < *newest && *newest <= sent.unsigned_abs();
                    if own { Ok(()) } else { older(database, (table, &row, current), *newest) }
                }
                _ => Ok(()),
            };
        }
        match (state.as_str(), outcome) {
            // Also of a row that was refused: the change was sent twice.
            ("pending" | "refused", Outcome::Applied) => done(database, table, &row),
            ("pending", Outcome::Older(_)) if resent => done(database, table, &row),
            ("pending", Outcome::Older(newest)) => older(database, (table, &row, number), *newest),
            ("pending", Outcome::Refused(reason)) => {
                refuse(database, (table, &row, number), reason).map(drop)
            }
            (
                "pending",
                Outcome::Waits { reason, table: needs, row: needed }
                | Outcome::Blocked { reason, table: needs, row: needed, .. },
            ) => {
                let needed = needed.to_string();
                // A row that the server has may have a higher number since a column was renamed.
                let other = "SELECT state, IIF(state = 'done', MIN(number, sent), number) FROM idgen_outbox WHERE tbl = ?1 AND row = ?2";
                let mut other = database.prepare_cached(other)?;
                let other = other.query_row(params![needs, needed], |found| {
                    Ok((found.get::<_, String>(0)? == "refused", found.get::<_, i64>(1)?))
                });
                let other = other.optional()?;
                let is_refused = other.is_some_and(|(is_refused, _)| is_refused);
                let is_final = match outcome {
                    Outcome::Blocked { number, .. } => other
                        .is_none_or(|(is_refused, newest)| is_refused || newest.unsigned_abs() <= *number),
                    _ => is_refused,
                };
                if is_final {
                    let reason = if is_refused { &because(needs, &needed) } else { reason };
                    refuse(database, (table, &row, number), reason)?;
                } else {
                    let pause = Duration::from_secs(2 << attempts.clamp(0, 20)).min(LONGEST);
                    wait(database, (table, &row), reason, later(now, pause))?;
                }
                let name =
                    "UPDATE idgen_outbox SET needs_tbl = ?3, needs_row = ?4 WHERE tbl = ?1 AND row = ?2";
                database.execute(name, params![table, row, needs, needed])?;
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
