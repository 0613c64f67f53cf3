//! The sync's own tables: the newest change of each row, and references to rows that have not arrived.

use std::collections::HashMap;

use crate::caller::{Connection, Values, number_at};
use crate::failure::{Attempt, Failure};
use crate::sql::{PAST_SNAPSHOT, bytes_literal};

/// The names of the two tables.
#[derive(Clone, Debug)]
pub(super) struct Names {
    pub(super) rows: String,
    pub(super) open: String,
}

impl Names {
    /// Creates what is missing.
    pub(super) fn definitions(&self) -> [String; 2] {
        let (rows, open) = (&self.rows, &self.open);
        let name = "VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL";
        [
            format!(
                "CREATE TABLE IF NOT EXISTS {rows} (tbl {name}, id BIGINT UNSIGNED NOT NULL, \
                 number BIGINT UNSIGNED NOT NULL, digest BINARY(32) NOT NULL, PRIMARY KEY (tbl, id)) ENGINE=InnoDB"
            ),
            format!(
                "CREATE TABLE IF NOT EXISTS {open} (tbl {name}, id BIGINT UNSIGNED NOT NULL, col {name}, \
                 target {name}, target_id BIGINT UNSIGNED NOT NULL, since INT UNSIGNED NOT NULL, \
                 PRIMARY KEY (tbl, id, col), KEY target (target, target_id)) ENGINE=InnoDB"
            ),
        ]
    }
}

/// The newest change of a row that was applied; the number 0 before any was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Newest {
    pub(super) number: u64,
    pub(super) digest: [u8; 32],
}

pub(super) fn list(ids: &[u64]) -> String {
    ids.iter().map(u64::to_string).collect::<Vec<_>>().join(",")
}

/// Locks the rows of a table until the transaction ends, whether anything is known of them or not, and reads what is.
pub(super) async fn lock<C: Connection>(
    connection: &mut C,
    names: &Names,
    table: &str,
    ids: &[u64],
) -> Attempt<HashMap<u64, Newest>> {
    let rows = &names.rows;
    let new: Vec<String> = ids.iter().map(|id| format!("('{table}',{id},0,'')")).collect();
    let insert = format!(
        "{PAST_SNAPSHOT}INSERT INTO {rows} (tbl, id, number, digest) VALUES {} ON DUPLICATE KEY UPDATE number = {rows}.number",
        new.join(",")
    );
    connection.execute_after(&[], &insert).await?;
    let read = format!(
        "{PAST_SNAPSHOT}SELECT id, number, digest FROM {rows} WHERE tbl = '{table}' AND id IN ({}) FOR UPDATE",
        list(ids)
    );
    let mut newest = HashMap::new();
    for row in connection.read(read).await? {
        let digest = row.bytes(2)?.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let digest =
            digest.ok_or_else(|| Failure::Unreadable(format!("a digest in {rows} has not 32 bytes")))?;
        newest.insert(number_at(&row, 0)?, Newest { number: number_at(&row, 1)?, digest });
    }
    if newest.len() != ids.len() {
        return Err(Failure::Contradicted("rows were written and are not there"));
    }
    Ok(newest)
}

/// Stores the newest changes of rows that are locked.
pub(super) async fn store<C: Connection>(
    connection: &mut C,
    names: &Names,
    table: &str,
    newest: &[(u64, Newest)],
) -> Attempt<()> {
    let rows: Vec<String> = newest
        .iter()
        .map(|(id, Newest { number, digest })| format!("('{table}',{id},{number},{})", bytes_literal(digest)))
        .collect();
    let statement = format!(
        "INSERT INTO {} (tbl, id, number, digest) VALUES {} \
         ON DUPLICATE KEY UPDATE number = VALUES(number), digest = VALUES(digest)",
        names.rows,
        rows.join(",")
    );
    connection.execute_after(&[], &statement).await.map(drop)
}

/// Removes what only locked rows of which no change was applied.
pub(super) async fn unlock<C: Connection>(
    connection: &mut C,
    names: &Names,
    table: &str,
    ids: &[u64],
) -> Attempt<()> {
    let rows = &names.rows;
    let statement =
        format!("DELETE FROM {rows} WHERE tbl = '{table}' AND id IN ({}) AND number = 0", list(ids));
    connection.execute_after(&[], &statement).await.map(drop)
}

/// A reference to a row that has not arrived.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Open {
    pub(super) table: String,
    pub(super) id: u64,
    pub(super) column: String,
    pub(super) target: String,
    pub(super) target_id: u64,
}

/// Records open references.
pub(super) async fn open<C: Connection>(connection: &mut C, names: &Names, open: &[Open]) -> Attempt<()> {
    let rows: Vec<String> = open
        .iter()
        .map(|Open { table, id, column, target, target_id }| {
            format!("('{table}',{id},'{column}','{target}',{target_id},UNIX_TIMESTAMP())")
        })
        .collect();
    let statement = format!(
        "INSERT INTO {} (tbl, id, col, target, target_id, since) VALUES {}",
        names.open,
        rows.join(",")
    );
    connection.execute_after(&[], &statement).await.map(drop)
}

/// Forgets the open references of rows that have other values now, or are deleted.
pub(super) async fn forget<C: Connection>(
    connection: &mut C,
    names: &Names,
    table: &str,
    ids: &[u64],
    columns: Option<&[&str]>,
) -> Attempt<()> {
    let columns = columns.map_or(String::new(), |columns| format!(" AND col IN ('{}')", columns.join("','")));
    let statement = format!(
        "{PAST_SNAPSHOT}DELETE FROM {} WHERE tbl = '{table}' AND id IN ({}){columns}",
        names.open,
        list(ids)
    );
    connection.execute_after(&[], &statement).await.map(drop)
}

/// The open references to rows of a table that have arrived now.
pub(super) async fn arrived<C: Connection>(
    connection: &mut C,
    names: &Names,
    target: &str,
    ids: &[u64],
) -> Attempt<Vec<Open>> {
    let statement = format!(
        "{PAST_SNAPSHOT}SELECT tbl, id, col, target_id FROM {} WHERE target = '{target}' AND target_id IN ({}) FOR UPDATE",
        names.open,
        list(ids)
    );
    let text = |row: &C::Row, at: usize| -> Attempt<String> { Ok(row.text(at)?.unwrap_or_default()) };
    let rows = connection.read(statement).await?;
    rows.iter()
        .map(|row| {
            let (table, column) = (text(row, 0)?, text(row, 2)?);
            let (id, target_id) = (number_at(row, 1)?, number_at(row, 3)?);
            Ok(Open { table, id, column, target: target.to_owned(), target_id })
        })
        .collect()
}
