//! Writes the rows of one round, in which each row has at most one change.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::caller::{Connection, number_at};
use crate::failure::{Attempt, Failure};
use crate::sql::PAST_SNAPSHOT;
use crate::sync::change::{Operation, Outcome, Value};
use crate::sync::log::{self, Names, Open, list};
use crate::sync::prepare::Prepared;
use crate::sync::shape::Shape;

/// A change whose UUIDs are integers.
pub(super) struct Row<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) id: u64,
    /// The integers of the rows that its columns refer to.
    pub(super) targets: BTreeMap<&'a str, Option<u64>>,
}

/// What a round has found out and done.
pub(super) struct Round<'a> {
    pub(super) shapes: &'a [Shape],
    pub(super) names: &'a Names,
    /// By the place of the change in the batch.
    pub(super) outcomes: HashMap<usize, Outcome>,
    pub(super) opened: u64,
    pub(super) resolved: u64,
}

/// A row to be written, with the literals of its columns.
struct Ready<'a> {
    row: &'a Row<'a>,
    columns: BTreeMap<&'a str, String>,
    open: Vec<Open>,
}

impl<'a> Round<'a> {
    pub(super) fn new(shapes: &'a [Shape], names: &'a Names) -> Round<'a> {
        Round { shapes, names, outcomes: HashMap::new(), opened: 0, resolved: 0 }
    }

    /// Parents are written before their children, and deleted after them.
    pub(super) async fn run<C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &'a [Row<'a>],
    ) -> Attempt<()> {
        let of = |at: usize, operation: Operation| {
            rows.iter()
                .filter(move |row| row.prepared.shape == at && row.prepared.change.operation == operation)
        };
        for (at, shape) in self.shapes.iter().enumerate() {
            let puts: Vec<&Row<'_>> = of(at, Operation::Put).collect();
            if !puts.is_empty() {
                self.put(connection, shape, puts).await?;
            }
        }
        for (at, shape) in self.shapes.iter().enumerate().rev() {
            let deletes: Vec<&Row<'_>> = of(at, Operation::Delete).collect();
            if !deletes.is_empty() {
                self.delete(connection, shape, deletes).await?;
            }
        }
        Ok(())
    }

    fn end(&mut self, row: &Row<'_>, outcome: Outcome) {
        self.outcomes.insert(row.prepared.at, outcome);
    }

    async fn put<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &'a Shape,
        rows: Vec<&'a Row<'a>>,
    ) -> Attempt<()> {
        let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
        let existing = present(connection, shape, &ids, "FOR UPDATE").await?;
        let mut there = self.present_targets(connection, shape, &rows).await?;
        let rows = in_order(shape, rows);
        let mut ready = Vec::new();
        for row in rows {
            match self.resolve(shape, row, &there) {
                Ok(row) => {
                    there.entry(shape.name.as_str()).or_default().insert(row.row.id);
                    ready.push(row);
                }
                Err(waits) => self.end(row, waits),
            }
        }
        let (old, new): (Vec<Ready<'_>>, Vec<Ready<'_>>) =
            ready.into_iter().partition(|ready| existing.contains(&ready.row.id));
        let written = self.insert(connection, shape, &new).await?;
        let inserted: Vec<u64> = written.iter().map(|at| new[*at].row.id).collect();
        let refused: HashSet<u64> =
            new.iter().map(|ready| ready.row.id).filter(|id| !inserted.contains(id)).collect();
        let mut open: Vec<Open> = Vec::new();
        for at in written {
            open.extend(new[at].open.iter().cloned());
            open.extend(refused_targets(shape, new[at].row, &refused));
        }
        for ready in &old {
            if self.update(connection, shape, ready).await? {
                open.extend(ready.open.iter().cloned());
            }
        }
        if !open.is_empty() {
            log::open(connection, self.names, &open).await?;
            self.opened += open.len() as u64;
        }
        self.resolve_arrived(connection, shape, &inserted).await
    }

    /// The rows that are there, of those to which the rows refer, by table. If one is not, it cannot arrive until this
    /// transaction ends, and whoever writes it then sees the open reference.
    async fn present_targets<C: Connection>(
        &self,
        connection: &mut C,
        shape: &'a Shape,
        rows: &[&Row<'_>],
    ) -> Attempt<HashMap<&'a str, HashSet<u64>>> {
        let mut wanted: BTreeMap<&str, Vec<u64>> = BTreeMap::new();
        for row in rows {
            for (column, target) in &row.targets {
                let table = shape.references[*column].table.as_str();
                wanted.entry(table).or_default().extend(*target);
            }
        }
        let own: HashSet<u64> = rows.iter().map(|row| row.id).collect();
        let mut there = HashMap::new();
        for (table, mut ids) in wanted {
            ids.sort_unstable();
            ids.dedup();
            let Some(target) = self.shapes.iter().find(|shape| shape.name == table) else { continue };
            let mut found = present(connection, target, &ids, "LOCK IN SHARE MODE").await?;
            let is_own = target.name == shape.name;
            ids.retain(|id| !(found.contains(id) || is_own && own.contains(id)));
            if !ids.is_empty() {
                log::lock(connection, self.names, &target.name, &ids).await?;
                found.extend(present(connection, target, &ids, "LOCK IN SHARE MODE").await?);
            }
            there.insert(target.name.as_str(), found);
        }
        Ok(there)
    }

    /// The literals of a row, or that it has to wait for a row to which it refers.
    fn resolve(
        &self,
        shape: &'a Shape,
        row: &'a Row<'a>,
        there: &HashMap<&str, HashSet<u64>>,
    ) -> Result<Ready<'a>, Outcome> {
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
            let is_there = there.get(reference.table.as_str()).is_some_and(|ids| ids.contains(&target_id));
            // A row may refer to itself.
            let is_there = is_there || (reference.table == shape.name && target_id == row.id);
            if !is_there {
                if reference.enforced && !reference.nullable {
                    let uuid =
                        row.prepared.references[*column].map_or(String::new(), |uuid| uuid.to_string());
                    return Err(Outcome::Waits(format!(
                        "its column {column} refers to {uuid} of {}, which has not arrived",
                        reference.table
                    )));
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

    /// Inserts rows, and returns the places of those that were inserted.
    async fn insert<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        rows: &[Ready<'_>],
    ) -> Attempt<Vec<usize>> {
        let mut written = Vec::new();
        let mut from = 0;
        while from < rows.len() {
            let same = |ready: &&Ready<'_>| ready.columns.keys().eq(rows[from].columns.keys());
            let to = from + rows[from..].iter().take_while(same).count();
            match of_row(connection.execute_after(&[], &insert_statement(shape, &rows[from..to])).await)? {
                None => {
                    rows[from..to].iter().for_each(|ready| self.end(ready.row, APPLIED));
                    written.extend(from..to);
                }
                // One of them was refused, and the server has undone the statement.
                Some(refused) if to - from == 1 => self.end(rows[from].row, refused),
                Some(_) => {
                    for at in from..to {
                        let statement = insert_statement(shape, &rows[at..=at]);
                        match of_row(connection.execute_after(&[], &statement).await)? {
                            None => {
                                self.end(rows[at].row, APPLIED);
                                written.push(at);
                            }
                            Some(refused) => self.end(rows[at].row, refused),
                        }
                    }
                }
            }
            from = to;
        }
        Ok(written)
    }

    /// Updates a row, and returns whether it was possible.
    async fn update<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        ready: &Ready<'_>,
    ) -> Attempt<bool> {
        let set: Vec<String> =
            ready.columns.iter().map(|(column, value)| format!("`{column}` = {value}")).collect();
        if !set.is_empty() {
            let (name, key, id) = (&shape.name, &shape.key, ready.row.id);
            let statement = format!("UPDATE `{name}` SET {} WHERE `{key}` = {id}", set.join(", "));
            if let Some(refused) = of_row(connection.execute_after(&[], &statement).await)? {
                self.end(ready.row, refused);
                return Ok(false);
            }
        }
        let columns: Vec<&str> = ready.row.targets.keys().copied().collect();
        if !columns.is_empty() {
            log::forget(connection, self.names, &shape.name, &[ready.row.id], Some(&columns)).await?;
        }
        self.end(ready.row, APPLIED);
        Ok(true)
    }

    /// Sets the columns that refer to rows that are there now.
    async fn resolve_arrived<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        inserted: &[u64],
    ) -> Attempt<()> {
        if inserted.is_empty() {
            return Ok(());
        }
        for open in log::arrived(connection, self.names, &shape.name, inserted).await? {
            let child = self.shapes.iter().find(|shape| shape.name == open.table);
            // A table that is not part of this sync any more keeps its open references.
            let Some(child) = child.filter(|child| child.references.contains_key(&open.column)) else {
                continue;
            };
            let (name, key, Open { id, column, target_id, .. }) = (&child.name, &child.key, &open);
            let statement = format!(
                "UPDATE `{name}` SET `{column}` = {target_id} WHERE `{key}` = {id} AND `{column}` IS NULL"
            );
            connection.execute_after(&[], &statement).await?;
            log::forget(connection, self.names, name, &[*id], Some(&[column])).await?;
            self.resolved += 1;
        }
        Ok(())
    }

    /// Deletes rows one after the other, and again those that others of them referred to.
    async fn delete<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        mut rows: Vec<&Row<'_>>,
    ) -> Attempt<()> {
        loop {
            let mut left = Vec::new();
            for row in &rows {
                let (name, key, id) = (&shape.name, &shape.key, row.id);
                let statement = format!("DELETE FROM `{name}` WHERE `{key}` = {id}");
                match of_row(connection.execute_after(&[], &statement).await)? {
                    None => {
                        self.end(row, APPLIED);
                        log::forget(connection, self.names, name, &[id], None).await?;
                    }
                    Some(refused) => {
                        self.end(row, refused);
                        left.push(*row);
                    }
                }
            }
            if left.is_empty() || left.len() == rows.len() {
                return Ok(());
            }
            rows = left;
        }
    }
}

const APPLIED: Outcome = Outcome::Applied { repeated: false };

fn insert_statement(shape: &Shape, rows: &[Ready<'_>]) -> String {
    let mut names = vec![format!("`{}`", shape.key)];
    names.extend(
        rows.first().into_iter().flat_map(|ready| ready.columns.keys()).map(|name| format!("`{name}`")),
    );
    let values: Vec<String> = rows
        .iter()
        .map(|ready| {
            let mut values = vec![ready.row.id.to_string()];
            values.extend(ready.columns.values().cloned());
            format!("({})", values.join(","))
        })
        .collect();
    format!("INSERT INTO `{}` ({}) VALUES {}", shape.name, names.join(","), values.join(","))
}

/// Of these ids, those that are there, locked.
async fn present<C: Connection>(
    connection: &mut C,
    shape: &Shape,
    ids: &[u64],
    lock: &str,
) -> Attempt<HashSet<u64>> {
    if ids.is_empty() {
        return Ok(HashSet::new());
    }
    let (name, key) = (&shape.name, &shape.key);
    let statement =
        format!("{PAST_SNAPSHOT}SELECT `{key}` FROM `{name}` WHERE `{key}` IN ({}) {lock}", list(ids));
    connection.read(statement).await?.iter().map(|row| number_at(row, 0)).collect()
}

/// Rows before those that refer to them in the same table. Those of a circle come last.
fn in_order<'a>(shape: &Shape, rows: Vec<&'a Row<'a>>) -> Vec<&'a Row<'a>> {
    let refers = |row: &Row<'_>, to: &HashSet<u64>| {
        row.targets.iter().any(|(column, target)| {
            shape.references[*column].table == shape.name
                && target.is_some_and(|target| target != row.id && to.contains(&target))
        })
    };
    let (mut ordered, mut left) = (Vec::new(), rows);
    loop {
        let ids: HashSet<u64> = left.iter().map(|row| row.id).collect();
        let (later, now): (Vec<&Row<'_>>, Vec<&Row<'_>>) =
            left.into_iter().partition(|row| refers(row, &ids));
        if now.is_empty() {
            ordered.extend(later);
            return ordered;
        }
        ordered.extend(now);
        left = later;
    }
}

/// The references of a row to rows of its own table that were refused after they seemed to be there.
fn refused_targets<'a>(
    shape: &'a Shape,
    row: &'a Row<'_>,
    refused: &'a HashSet<u64>,
) -> impl Iterator<Item = Open> + 'a {
    row.targets.iter().filter_map(move |(column, target)| {
        let is_own = shape.references[*column].table == shape.name;
        let target_id = (*target).filter(|id| is_own && refused.contains(id))?;
        let (table, target) = (shape.name.clone(), shape.name.clone());
        Some(Open { table, id: row.id, column: (*column).to_owned(), target, target_id })
    })
}

/// An error that is about the values of a row, as an outcome. Others end the batch.
fn of_row(done: Attempt<u64>) -> Attempt<Option<Outcome>> {
    let Err(failure) = done else { return Ok(None) };
    match failure.number() {
        // Other rows refer to it, or it refers to one that is not there.
        Some(1451 | 1217 | 1452 | 1216) => {
            Ok(Some(Outcome::Waits(format!("a foreign key is in the way: {failure}"))))
        }
        Some(
            1048 | 1062 | 1264 | 1265 | 1292 | 1364 | 1366 | 1367 | 1406 | 1411 | 1416 | 1644 | 1690 | 3140
            | 3819 | 4025 | 4078,
        ) => Ok(Some(Outcome::Refused(reason(&failure)))),
        _ => Err(failure),
    }
}

fn reason(failure: &Failure) -> String {
    format!("the database refuses its values: {failure}")
}
