//! The rows to which rows refer: whether they are there, and what a column holds until they are.

use std::collections::{BTreeMap, HashSet};

use crate::claim::pair::CHUNK;
use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, WITH_SETTINGS};
use crate::statement::values::number_at;
use crate::sync::change::{Outcome, Value};
use crate::sync::log::{self, Key, Open, list};
use crate::sync::shape::{OnDelete, Reference, Shape};
use crate::sync::trouble::Refusal;
use crate::sync::writer::{Ready, Row, Writer};

impl<'a> Writer<'a> {
    pub(super) fn is_there(&self, at: usize, id: u64) -> bool {
        self.there.contains(&(at, id))
    }

    /// True for a row that nobody can have written, because nobody but this transaction knows its integer.
    fn is_unwritten(&self, at: usize, id: u64) -> bool {
        self.fresh.contains(&id) && !self.inserted.contains(&(at, id))
    }

    /// Finds and locks those of these rows that exist. Rows whose integers are new are not looked up: they exist only
    /// if this batch has written them.
    pub(super) async fn look<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        ids: &[u64],
        lock: &str,
    ) -> Attempt<()> {
        let asked = |id: &u64| !self.is_unwritten(at, *id) && !self.is_there(at, *id);
        let ids: Vec<u64> = ids.iter().copied().filter(asked).collect();
        let Shape { name, key, .. } = &self.shapes[at];
        for ids in ids.chunks(CHUNK) {
            let statement = format!(
                "{WITH_SETTINGS}SELECT `{key}` FROM `{name}` FORCE INDEX (PRIMARY) WHERE `{key}` IN ({}){ALL} {lock}",
                list(ids)
            );
            for row in connection.read(statement).await? {
                self.there.insert((at, number_at(&row, 0)?));
            }
        }
        Ok(())
    }

    /// Finds out which rows are there, of those to which the rows of a table refer. If one is not, it cannot arrive until this
    /// transaction ends, and whoever writes it then sees the open reference.
    pub(super) async fn look_for_targets<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        rows: &[&Row<'_>],
    ) -> Attempt<()> {
        let shape = &self.shapes[at];
        let mut wanted: BTreeMap<usize, Vec<u64>> = BTreeMap::new();
        for row in rows {
            for (column, target) in &row.targets {
                if let Some(table) = self.place(&shape.references[*column].table) {
                    wanted.entry(table).or_default().extend(*target);
                }
            }
        }
        let own: HashSet<u64> = rows.iter().map(|row| row.id).collect();
        for (table, mut ids) in wanted {
            ids.sort_unstable();
            ids.dedup();
            self.look(connection, table, &ids, SHARED).await?;
            ids.retain(|id| {
                !(self.fresh.contains(id) || self.is_there(table, *id) || table == at && own.contains(id))
            });
            if !ids.is_empty() {
                let keys: Vec<Key<'a>> =
                    ids.iter().map(|id| (self.shapes[table].name.as_str(), *id)).collect();
                let newest = log::lock(connection, self.names, &keys).await?;
                self.locked.extend(keys);
                self.look(connection, table, &ids, SHARED).await?;
                // A row that had arrived and is not there was deleted with another one, by the schema or by the server.
                for (id, newest) in ids.iter().zip(newest).filter(|(_, newest)| newest.number > 0) {
                    // This batch may have a later deletion.
                    let number = self.deleted.entry((table, *id)).or_default();
                    *number = newest.number.max(*number);
                }
            }
        }
        Ok(())
    }

    /// The literals of a row, or that it has to wait for a row to which it refers.
    pub(super) fn resolve<'r>(&self, at: usize, row: &'r Row<'r>) -> Result<Ready<'r>, Outcome> {
        let shape = &self.shapes[at];
        let mut columns: BTreeMap<&str, String> = BTreeMap::new();
        for (column, value) in &row.prepared.change.values {
            columns.insert(column, value.literal());
        }
        let mut open = Vec::new();
        for (column, target_id) in &row.targets {
            let reference = &shape.references[*column];
            let Some(target_id) = *target_id else {
                columns.insert(column, Value::Null.literal());
                continue;
            };
            let table = self.place(&reference.table);
            // A row may refer to itself.
            let is_there = table == Some(at) && target_id == row.id
                || table.is_some_and(|table| self.is_there(table, target_id));
            if !is_there {
                let deleted = table.and_then(|table| self.deleted.get(&(table, target_id)));
                let uuid = row.prepared.references[*column].unwrap_or_default();
                let name = &reference.table;
                // The row would have been deleted with the one that it refers to, or could not have stayed.
                let ends = !reference.nullable || reference.on_delete == OnDelete::Cascades;
                if let Some(number) = deleted.filter(|_| reference.enforced && ends) {
                    let reason = format!("its column {column} refers to {uuid} of {name}, which was deleted");
                    return Err(Outcome::Blocked { reason, table: name.clone(), row: uuid, number: *number });
                }
                if reference.enforced && !reference.nullable {
                    let reason =
                        format!("its column {column} refers to {uuid} of {name}, which has not arrived");
                    return Err(Outcome::Waits { reason, table: name.clone(), row: uuid });
                }
                open.push(Open {
                    table: shape.name.clone(),
                    id: row.id,
                    column: (*column).to_owned(),
                    target: reference.table.clone(),
                    target_id,
                });
            }
            let id_now = is_there || !reference.enforced;
            columns.insert(column, if id_now { target_id.to_string() } else { Value::Null.literal() });
        }
        Ok(Ready { row, columns, open })
    }

    /// Refuses a row. If the server refuses it where a reference is NULL because its row is not there, such as by a check, the row waits for that
    /// one, or a deleted row blocks it.
    pub(super) fn refuse_or_wait(&mut self, ready: &Ready<'_>, refusal: Refusal) {
        let outcome = if refusal.is_of_a_value() { None } else { self.missing(ready) };
        self.refuse(ready.row, refusal);
        if let Some(outcome) = outcome {
            self.outcomes.insert(ready.row.prepared.at, outcome);
        }
    }

    /// The outcome of a row that cannot be written with NULL in a column that refers to a row that is not there; `None` if it has no such column.
    fn missing(&self, ready: &Ready<'_>) -> Option<Outcome> {
        let prepared = ready.row.prepared;
        let enforced = |open: &&Open| self.shapes[prepared.shape].references[&open.column].enforced;
        let deletion = |open: &Open| self.deleted.get(&(self.place(&open.target)?, open.target_id)).copied();
        let mut open: Vec<&Open> = ready.open.iter().filter(enforced).collect();
        // A deleted row may not come back, so the others come first.
        open.sort_by_key(|open| deletion(open).is_some());
        let first = open.first()?;
        let (column, table) = (&first.column, first.target.clone());
        let row = prepared.references[column.as_str()].unwrap_or_default();
        let refers = format!("its column {column} refers to {row} of {table}");
        let until = "and the database refuses the row without it";
        Some(match deletion(first) {
            Some(number) => Outcome::Blocked {
                reason: format!("{refers}, which was deleted, {until}"),
                table,
                row,
                number,
            },
            None => {
                Outcome::Waits { reason: format!("{refers}, which has not arrived, {until}"), table, row }
            }
        })
    }

    /// Sets the columns that refer to rows that are there now. Nothing but this batch can refer to a row whose integer is new.
    pub(super) async fn resolve_arrived<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        inserted: &[u64],
    ) -> Attempt<()> {
        let shape = &self.shapes[at];
        let awaited = |id: &u64| !self.fresh.contains(id) || self.awaited.contains(&(at, *id));
        let inserted: Vec<u64> = inserted.iter().copied().filter(awaited).collect();
        if inserted.is_empty() {
            return Ok(());
        }
        for open in log::arrived(connection, self.names, &shape.name, &inserted).await? {
            let child = self.shapes.iter().find(|shape| shape.name == open.table);
            // A table that is not part of this sync any more keeps its open references.
            let Some(child) = child else { continue };
            if !child.references.contains_key(&open.column) {
                self.is_stale = true;
                continue;
            }
            self.set(connection, child, &open).await?;
        }
        Ok(())
    }

    /// Sets a reference whose entry this transaction has locked. A unique index or a trigger may refuse it: then it stays open.
    async fn set<C: Connection>(&mut self, connection: &mut C, child: &Shape, open: &Open) -> Attempt<()> {
        let (name, key, Open { id, column, target_id, .. }) = (&child.name, &child.key, open);
        let guard = self.guard.condition();
        let statement = format!(
            "UPDATE `{name}` SET `{column}` = {target_id} WHERE `{key}` = {id} AND `{column}` IS NULL{guard}"
        );
        let refused = self.write(connection, name, &[statement], &mut 0).await?;
        if refused.is_none() {
            log::forget(connection, self.names, name, &[*id], Some(&[column])).await?;
            self.resolved += 1;
        }
        Ok(())
    }

    /// Sets references to rows that are there, and that a unique index may have refused before: a row that this batch has changed or deleted, or that went with
    /// one, may have had the value.
    pub(super) async fn set_freed<C: Connection>(&mut self, connection: &mut C) -> Attempt<()> {
        for child in self.shapes {
            for (column, reference) in &child.references {
                let mut read = child.unique.iter().flat_map(|(_, parts)| parts);
                let is_unique = read.any(|part| part.expression.columns().any(|read| read == column));
                let target = self.shapes.iter().find(|shape| shape.name == reference.table);
                let Some(target) = target.filter(|_| reference.nullable && reference.enforced && is_unique)
                else {
                    continue;
                };
                for open in log::refused(connection, self.names, (child, column), target).await? {
                    self.set(connection, child, &open).await?;
                }
            }
        }
        Ok(())
    }

    /// The references that the schema sets to NULL when rows are deleted, also those to rows that it deletes with them. They are open
    /// again afterwards, because a newer change can bring the row back.
    pub(super) async fn losing_target<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        ids: &[u64],
    ) -> Attempt<Vec<Open>> {
        let (mut losing, mut gone) = (Vec::new(), HashSet::new());
        let mut left = vec![(at, ids.to_vec())];
        while let Some((at, mut ids)) = left.pop() {
            ids.retain(|id| gone.insert((at, *id)));
            for (child, shape) in self.shapes.iter().enumerate() {
                for (column, reference) in &shape.references {
                    let follows = match reference.on_delete {
                        OnDelete::SetsNull => true,
                        OnDelete::Cascades => self.sets_null_below(child),
                        OnDelete::Stays => false,
                    };
                    if reference.table != self.shapes[at].name || !follows {
                        continue;
                    }
                    let found = self.referring(connection, child, column, &ids).await?;
                    if reference.on_delete == OnDelete::Cascades {
                        left.push((child, found.into_iter().map(|open| open.id).collect()));
                    } else {
                        losing.extend(found);
                    }
                }
            }
        }
        losing.retain(|open: &Open| self.place(&open.table).is_none_or(|at| !gone.contains(&(at, open.id))));
        Ok(losing)
    }

    /// Returns true if the deletion of a row of this table sets a reference to NULL, by itself or with rows that are deleted with it.
    fn sets_null_below(&self, at: usize) -> bool {
        let (mut seen, mut left) = (HashSet::from([at]), vec![at]);
        while let Some(at) = left.pop() {
            for (child, shape) in self.shapes.iter().enumerate() {
                for reference in shape.references.values().filter(|to| to.table == self.shapes[at].name) {
                    match reference.on_delete {
                        OnDelete::SetsNull => return true,
                        OnDelete::Cascades if seen.insert(child) => left.push(child),
                        _ => {}
                    }
                }
            }
        }
        false
    }

    /// The rows of a table that refer to these rows by a column.
    async fn referring<C: Connection>(
        &self,
        connection: &mut C,
        at: usize,
        column: &str,
        ids: &[u64],
    ) -> Attempt<Vec<Open>> {
        let Shape { name, key, references, .. } = &self.shapes[at];
        let mut found = Vec::new();
        for ids in ids.chunks(CHUNK) {
            let statement = format!(
                "{WITH_SETTINGS}SELECT `{key}`, `{column}` FROM `{name}` WHERE `{column}` IN ({}){ALL} FOR UPDATE",
                list(ids)
            );
            for row in connection.read(statement).await? {
                found.push(Open {
                    table: name.clone(),
                    id: number_at(&row, 0)?,
                    column: column.to_owned(),
                    target: references[column].table.clone(),
                    target_id: number_at(&row, 1)?,
                });
            }
        }
        Ok(found)
    }

    /// Records the references that have lost their rows, and deletes the rows with open references that would have been deleted
    /// with them.
    pub(super) async fn end_references<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        ids: &[u64],
        losing: Vec<Open>,
    ) -> Attempt<()> {
        let target = &self.shapes[at].name;
        if !losing.is_empty() {
            let places: Vec<_> =
                losing.iter().map(|open| (self.place(&open.target), open.target_id)).collect();
            self.awaited.extend(places.into_iter().filter_map(|(place, id)| Some((place?, id))));
            log::open(connection, self.names, &losing).await?;
        }
        let cascades =
            |reference: &Reference| reference.table == *target && reference.on_delete == OnDelete::Cascades;
        if !self.shapes.iter().any(|shape| shape.references.values().any(cascades)) {
            return Ok(());
        }
        for open in log::arrived(connection, self.names, target, ids).await? {
            let child = self.shapes.iter().find(|shape| shape.name == open.table);
            let Some(child) = child.filter(|child| child.references.get(&open.column).is_some_and(cascades))
            else {
                continue;
            };
            let (name, key, guard) = (&child.name, &child.key, self.guard.condition());
            let statement = format!("DELETE FROM `{name}` WHERE `{key}` = {}{guard}", open.id);
            if self.write(connection, name, &[statement], &mut 0).await?.is_none() {
                log::forget(connection, self.names, name, &[open.id], None).await?;
            }
        }
        Ok(())
    }
}

const SHARED: &str = "LOCK IN SHARE MODE";

/// Rows before those that refer to them in the same table. Those of a circle come last.
pub(super) fn in_order<'r, 'a>(shape: &Shape, rows: Vec<&'r Row<'a>>) -> Vec<&'r Row<'a>> {
    let (mut ordered, mut left) = (Vec::new(), rows);
    loop {
        let ids: HashSet<u64> = left.iter().map(|row| row.id).collect();
        let (later, now): (Vec<&'r Row<'a>>, Vec<&'r Row<'a>>) =
            left.into_iter().partition(|row| refers_to_own(shape, row, &ids));
        if now.is_empty() {
            ordered.extend(later);
            return ordered;
        }
        ordered.extend(now);
        left = later;
    }
}

/// Returns true if a row refers to another one of its own table, of those with these integers.
pub(super) fn refers_to_own(shape: &Shape, row: &Row<'_>, to: &HashSet<u64>) -> bool {
    row.targets.iter().any(|(column, target)| {
        shape.references[*column].table == shape.name
            && target.is_some_and(|target| target != row.id && to.contains(&target))
    })
}
