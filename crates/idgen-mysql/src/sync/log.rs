//! The sync's own tables: the newest change of each row, and references to rows that have not arrived.

use std::collections::HashMap;

use crate::claim::pair::CHUNK;
use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, WITH_SETTINGS, bytes_literal};
use crate::statement::values::{Values, number_at};
use crate::table::tables::unquoted;

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

/// A row: its table's name, and its integer.
pub(super) type Key<'a> = (&'a str, u64);

/// The condition for these rows, which are ordered by their tables.
fn are(keys: &[Key<'_>]) -> String {
    let of_table = |chunk: &[Key<'_>]| {
        let ids: Vec<u64> = chunk.iter().map(|(_, id)| *id).collect();
        format!("(tbl = '{}' AND id IN ({}))", chunk[0].0, list(&ids))
    };
    keys.chunk_by(|a, b| a.0 == b.0).map(of_table).collect::<Vec<_>>().join(" OR ")
}

/// Locks rows until the transaction ends, whether anything is known of them or not, and reads what is, in their order.
pub(super) async fn lock<C: Connection>(
    connection: &mut C,
    names: &Names,
    keys: &[Key<'_>],
) -> Attempt<Vec<Newest>> {
    let rows = &names.rows;
    let mut all = Vec::with_capacity(keys.len());
    for keys in keys.chunks(CHUNK) {
        let new: Vec<String> = keys.iter().map(|(table, id)| format!("('{table}',{id},0,'')")).collect();
        let insert = format!(
            "{WITH_SETTINGS}INSERT INTO {rows} (tbl, id, number, digest) VALUES {} ON DUPLICATE KEY UPDATE number = {rows}.number",
            new.join(",")
        );
        connection.execute_after(&[], &insert).await?;
        let read = format!(
            "{WITH_SETTINGS}SELECT tbl, id, number, digest FROM {rows} FORCE INDEX (PRIMARY) WHERE {}{ALL} FOR UPDATE",
            are(keys)
        );
        let mut found = HashMap::new();
        for row in connection.read(read).await? {
            let digest = row.bytes(3)?.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
            let digest =
                digest.ok_or_else(|| Failure::Unreadable(format!("a digest in {rows} has not 32 bytes")))?;
            let newest = Newest { number: number_at(&row, 2)?, digest };
            found.insert((row.text(0)?.unwrap_or_default(), number_at(&row, 1)?), newest);
        }
        for (table, id) in keys {
            let newest = found.get(&((*table).to_owned(), *id));
            all.push(*newest.ok_or(Failure::Contradicted("rows were written and are not there"))?);
        }
    }
    Ok(all)
}

/// Stores the newest changes of rows that are locked, or of rows whose integers are new (`fresh`).
pub(super) async fn store<C: Connection>(
    connection: &mut C,
    names: &Names,
    newest: &[(Key<'_>, Newest)],
    fresh: bool,
) -> Attempt<()> {
    let rows: Vec<String> = newest
        .iter()
        .map(|((table, id), Newest { number, digest })| {
            format!("('{table}',{id},{number},{})", bytes_literal(digest))
        })
        .collect();
    let update =
        if fresh { "" } else { " ON DUPLICATE KEY UPDATE number = VALUES(number), digest = VALUES(digest)" };
    let table = &names.rows;
    let statement =
        format!("INSERT INTO {table} (tbl, id, number, digest) VALUES {}{update}", rows.join(","));
    match connection.execute_after(&[], &statement).await {
        Err(failure) if fresh && failure.is_duplicate_key() => Err(damaged(format!(
            "the map has given an integer that {} already has: the map was restored from a backup without the tables that use \
             its integers: {failure}",
            unquoted(table)
        ))),
        done => done.map(drop),
    }
}

/// Removes what only locked rows of which no change was applied.
pub(super) async fn unlock<C: Connection>(
    connection: &mut C,
    names: &Names,
    keys: &[Key<'_>],
) -> Attempt<()> {
    for keys in keys.chunks(CHUNK) {
        let statement = format!("DELETE FROM {} WHERE ({}) AND number = 0", names.rows, are(keys));
        connection.execute_after(&[], &statement).await?;
    }
    Ok(())
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
    for ids in ids.chunks(CHUNK) {
        let statement = format!(
            "{WITH_SETTINGS}DELETE FROM {} WHERE tbl = '{table}' AND id IN ({}){columns}",
            names.open,
            list(ids)
        );
        connection.execute_after(&[], &statement).await?;
    }
    Ok(())
}

/// The open references to rows of a table that have arrived now.
pub(super) async fn arrived<C: Connection>(
    connection: &mut C,
    names: &Names,
    target: &str,
    ids: &[u64],
) -> Attempt<Vec<Open>> {
    let text = |row: &C::Row, at: usize| -> Attempt<String> { Ok(row.text(at)?.unwrap_or_default()) };
    let mut found = Vec::new();
    for ids in ids.chunks(CHUNK) {
        let statement = format!(
            "{WITH_SETTINGS}SELECT tbl, id, col, target_id FROM {} FORCE INDEX (target) \
             WHERE target = '{target}' AND target_id IN ({}){ALL} FOR UPDATE",
            names.open,
            list(ids)
        );
        for row in &connection.read(statement).await? {
            let (table, column) = (text(row, 0)?, text(row, 2)?);
            let (id, target_id) = (number_at(row, 1)?, number_at(row, 3)?);
            found.push(Open { table, id, column, target: target.to_owned(), target_id });
        }
    }
    Ok(found)
}
