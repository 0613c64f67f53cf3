//! Operations of several kinds on the rows of a table.

use std::time::Instant;

use rusqlite::{Connection, OptionalExtension, params};

use super::doing;
use crate::Result;
use crate::engine::{Answer, Inserted, Outcome, Step};
use crate::key::Key;

/// Carries out these operations in one transaction. Each key is made immediately before its row is inserted.
pub fn all(
    db: &mut Connection,
    is_counted: bool,
    steps: &[Step<'_>],
    mut make: impl FnMut() -> Result<Key>,
) -> Result<Vec<Answer>> {
    let transaction = db.transaction().map_err(doing("begin a transaction"))?;
    let mut answers = Vec::with_capacity(steps.len());
    for step in steps {
        let key = step.key(&mut make)?;
        let began = Instant::now();
        let outcome = one(&transaction, is_counted, step, &key)?;
        answers.push(Answer { outcome, took: began.elapsed(), repeated: 0 });
    }
    transaction.commit().map_err(doing("commit"))?;
    Ok(answers)
}

fn one(db: &Connection, is_counted: bool, step: &Step<'_>, key: &Key) -> Result<Outcome> {
    let prepared = |sql| db.prepare_cached(sql).map_err(doing("prepare an operation"));
    Ok(match step {
        Step::Insert { payload } => {
            prepared("INSERT INTO lab_rows (id, payload) VALUES (?, ?)")?
                .execute(params![key, payload])
                .map_err(doing("insert"))?;
            let number = is_counted.then(|| u64::try_from(db.last_insert_rowid()).ok()).flatten();
            Outcome::Inserted(Inserted { key: *key, number })
        }
        Step::Read(_) => {
            let found: Option<Vec<u8>> = prepared("SELECT payload FROM lab_rows WHERE id = ?")?
                .query_row(params![key], |row| row.get(0))
                .optional()
                .map_err(doing("read a row"))?;
            Outcome::Read(found.ok_or_else(|| step.missed())?)
        }
        Step::Update { payload, .. } => {
            let rows = prepared("UPDATE lab_rows SET payload = ? WHERE id = ?")?
                .execute(params![payload, key])
                .map_err(doing("update a row"))?;
            Outcome::of_changed(step, rows as u64)?
        }
        Step::Delete(_) => {
            let rows = prepared("DELETE FROM lab_rows WHERE id = ?")?
                .execute(params![key])
                .map_err(doing("delete a row"))?;
            Outcome::of_changed(step, rows as u64)?
        }
    })
}
