//! The sync's own tables: the newest change of each row, and references to rows that have not arrived.

use std::collections::{BTreeSet, HashMap, HashSet};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::claim::pair::CHUNK;
use crate::error::damaged;
use crate::error::failure::{Attempt, Failure};
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, WITH_SETTINGS, bytes_literal};
use crate::statement::values::{Values, number_at};
use crate::sync::change::{Change, Content};
use crate::sync::known_changes::Mark;
use crate::sync::mode::Guard;
use crate::sync::shape::Shape;
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
    /// The digest of its content, then its mark.
    digest: [u8; 32],
}

impl Newest {
    /// No change was applied.
    pub(super) const NONE: Newest = Newest { number: 0, digest: [0; 32] };

    pub(super) fn of(number: u64, content: Content, mark: Mark) -> Newest {
        let mut digest = [0; 32];
        digest[..24].copy_from_slice(&content);
        digest[24..].copy_from_slice(&mark);
        Newest { number, digest }
    }

    /// Returns true if the newest change does this.
    pub(super) fn has(&self, content: Content) -> bool {
        self.digest[..24] == content
    }

    pub(super) fn mark(&self) -> Mark {
        let mut mark = Mark::default();
        mark.copy_from_slice(&self.digest[24..]);
        mark
    }

    /// Returns true if the newest change has deleted the row.
    pub(super) fn is_deletion(&self) -> bool {
        self.number > 0 && self.has(Change::digest_of_deletions())
    }
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
        connection.run_one(&insert).await?;
        let read = format!(
            "{WITH_SETTINGS}SELECT CAST(tbl AS BINARY), id, number, digest FROM {rows} FORCE INDEX (PRIMARY) WHERE {}{ALL} FOR UPDATE",
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

/// Ends an `INSERT` that gives these columns of existing rows the new values. MySQL names the new row (from 8.0.19 on), because it
/// warns of `VALUES()`, and MariaDB knows no such name.
fn replacing(columns: &[&str]) -> String {
    let set = |column: &&str| format!("{column} = /*!80019 made.{column} *//*M! VALUES({column}) */");
    let set: Vec<String> = columns.iter().map(set).collect();
    format!(" /*!80019 AS made */ON DUPLICATE KEY UPDATE {}", set.join(", "))
}

/// Stores the newest changes of rows that are locked, or of rows whose integers are new (`fresh`).
pub(super) async fn store<C: Connection>(
    connection: &mut C,
    names: &Names,
    guard: Guard,
    newest: &[(Key<'_>, Newest)],
    fresh: bool,
) -> Attempt<()> {
    for newest in newest.chunks(CHUNK) {
        let row = |(at, ((table, id), Newest { number, digest })): (usize, &(Key<'_>, Newest))| {
            let number = number.to_string();
            let number = if at == 0 { guard.value(&number) } else { number };
            format!("('{table}',{id},{number},{})", bytes_literal(digest))
        };
        let rows: Vec<String> = newest.iter().enumerate().map(row).collect();
        let update = if fresh { String::new() } else { replacing(&["number", "digest"]) };
        let table = &names.rows;
        let statement =
            format!("INSERT INTO {table} (tbl, id, number, digest) VALUES {}{update}", rows.join(","));
        match connection.run_one(&statement).await {
            Err(failure) if fresh && failure.is_duplicate_key() => {
                return Err(damaged(format!(
                    "the map has given an integer that {} already has: the map was restored from a backup without the tables that use \
             its integers: {failure}",
                    unquoted(table)
                )));
            }
            done => done.map_err(|failure| guard.lost(failure))?,
        };
    }
    Ok(())
}

/// Removes what only locked rows of which no change was applied.
pub(super) async fn unlock<C: Connection>(
    connection: &mut C,
    names: &Names,
    keys: &[Key<'_>],
) -> Attempt<()> {
    for keys in keys.chunks(CHUNK) {
        let statement = format!("DELETE FROM {} WHERE ({}) AND number = 0", names.rows, are(keys));
        connection.run_one(&statement).await?;
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
        "INSERT INTO {} (tbl, id, col, target, target_id, since) VALUES {}{}",
        names.open,
        rows.join(","),
        replacing(&["target", "target_id"])
    );
    connection.run_one(&statement).await.map(drop)
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
        connection.run_one(&statement).await?;
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
            "{WITH_SETTINGS}SELECT CAST(tbl AS BINARY), id, CAST(col AS BINARY), target_id FROM {} FORCE INDEX (target) \
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

/// Ends a `SELECT` that reads what is committed now, not when the transaction began to read, and leaves out what others have locked.
const SHARED_FREE: &str = "/*!80000 FOR SHARE SKIP LOCKED *//*M! LOCK IN SHARE MODE SKIP LOCKED */";

/// The open references of a column to rows that are there, with locked entries, so that nobody forgets them meanwhile. A transaction that has
/// locked one of these rows or entries sets the reference itself, if this one has freed its value.
pub(super) async fn refused<C: Connection>(
    connection: &mut C,
    names: &Names,
    (child, column): (&Shape, &str),
    target: &Shape,
) -> Attempt<Vec<Open>> {
    let (open, table, arrived, key) = (&names.open, &child.name, &target.name, &target.key);
    let entries = format!(
        "{WITH_SETTINGS}SELECT id, target_id FROM {open} FORCE INDEX (PRIMARY) WHERE tbl = '{table}' AND col = '{column}' \
         AND target = '{arrived}' ORDER BY id{ALL} FOR UPDATE SKIP LOCKED"
    );
    let mut all = Vec::new();
    for row in &connection.read(entries).await? {
        let (table, column, target) = (table.clone(), column.to_owned(), arrived.clone());
        all.push(Open { table, id: number_at(row, 0)?, column, target, target_id: number_at(row, 1)? });
    }
    let targets: BTreeSet<u64> = all.iter().map(|open| open.target_id).collect();
    let targets: Vec<u64> = targets.into_iter().collect();
    let mut there = HashSet::new();
    for ids in targets.chunks(CHUNK) {
        let statement = format!(
            "{WITH_SETTINGS}SELECT `{key}` FROM `{arrived}` FORCE INDEX (PRIMARY) WHERE `{key}` IN ({}){ALL} {SHARED_FREE}",
            list(ids)
        );
        for row in &connection.read(statement).await? {
            there.insert(number_at(row, 0)?);
        }
    }
    all.retain(|open| there.contains(&open.target_id));
    Ok(all)
}

/// The table's name under which erased UUIDs are kept, which no table has.
const FORGOTTEN: &str = "";

/// An erased UUID: its digest, which does not reveal it, and the beginning of the digest as a key.
fn erased(uuid: Uuid) -> (u64, [u8; 32]) {
    let digest: [u8; 32] = Sha256::digest(uuid.as_bytes()).into();
    let mut key = [0; 8];
    key.copy_from_slice(&digest[..8]);
    (u64::from_be_bytes(key), digest)
}

/// The statement that records that a UUID was erased.
pub(super) fn erase(names: &Names, uuid: Uuid) -> String {
    let (key, digest) = erased(uuid);
    let digest = bytes_literal(&digest);
    format!(
        "INSERT INTO {} (tbl, id, number, digest) VALUES ('{FORGOTTEN}',{key},1,{digest}) ON DUPLICATE KEY UPDATE number = 1",
        names.rows
    )
}

/// Returns those of these UUIDs that were erased.
pub(super) async fn forgotten<C: Connection>(
    connection: &mut C,
    names: &Names,
    uuids: &[Uuid],
) -> Attempt<HashSet<Uuid>> {
    let mut found = HashSet::new();
    for uuids in uuids.chunks(CHUNK) {
        let keys: Vec<u64> = uuids.iter().map(|uuid| erased(*uuid).0).collect();
        let statement = format!(
            "{WITH_SETTINGS}SELECT id, digest FROM {} FORCE INDEX (PRIMARY) WHERE tbl = '{FORGOTTEN}' AND id IN ({}){ALL} LOCK IN SHARE MODE",
            names.rows,
            list(&keys)
        );
        let mut rows = HashMap::new();
        for row in &connection.read(statement).await? {
            rows.insert(number_at(row, 0)?, row.bytes(1)?);
        }
        found.extend(uuids.iter().filter(|uuid| {
            let (key, digest) = erased(**uuid);
            rows.get(&key).is_some_and(|found| found.as_deref() == Some(&digest[..]))
        }));
    }
    Ok(found)
}

/// The numbers of the newest changes of rows, of which one was applied.
pub(super) async fn numbers<C: Connection>(
    connection: &mut C,
    names: &Names,
    table: &str,
    ids: &[u64],
) -> Attempt<HashMap<u64, u64>> {
    let mut numbers = HashMap::new();
    for ids in ids.chunks(CHUNK) {
        let statement = format!(
            "{WITH_SETTINGS}SELECT id, number FROM {} FORCE INDEX (PRIMARY) WHERE tbl = '{table}' AND id IN ({}){ALL} LOCK IN SHARE MODE",
            names.rows,
            list(ids)
        );
        for row in &connection.read(statement).await? {
            numbers.insert(number_at(row, 0)?, number_at(row, 1)?);
        }
    }
    Ok(numbers)
}

/// The tables of which changes were applied.
pub(super) async fn tables<C: Connection>(connection: &mut C, names: &Names) -> Attempt<Vec<String>> {
    let statement = format!("SELECT DISTINCT tbl FROM {}", names.rows);
    let mut tables = Vec::new();
    for row in &connection.read(statement).await? {
        tables.extend(row.text(0)?.filter(|table| table != FORGOTTEN));
    }
    Ok(tables)
}

/// The statements after which the log of one table is that of another.
pub(super) fn rename(names: &Names, from: &str, to: &str) -> [String; 3] {
    let Names { rows, open } = names;
    [
        format!("UPDATE {rows} SET tbl = '{to}' WHERE tbl = '{from}'"),
        format!("UPDATE {open} SET tbl = '{to}' WHERE tbl = '{from}'"),
        format!("UPDATE {open} SET target = '{to}' WHERE target = '{from}'"),
    ]
}

/// The statements that remove the log of a table.
pub(super) fn remove(names: &Names, table: &str) -> [String; 2] {
    [
        format!("DELETE FROM {} WHERE tbl = '{table}'", names.rows),
        format!("DELETE FROM {} WHERE tbl = '{table}' OR target = '{table}'", names.open),
    ]
}
