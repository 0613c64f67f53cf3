//! The order of the work: what the newest changes of rows do to each other does not depend on how they are cut into batches.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::claim::pair::CHUNK;
use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::{ALL, WITH_SETTINGS};
use crate::statement::values::number_at;
use crate::sync::change::Operation;
use crate::sync::log::list;
use crate::sync::shape::OnDelete;
use crate::sync::writer::{Key, Row, Writer};

/// Up to this many rows are tried again without first looking up the rows that have their values.
const FEW: usize = 8;

fn key(row: &Row<'_>) -> Key {
    (row.prepared.shape, row.id)
}

/// The rows whose unique values nobody has, or one of these rows. Those of a chain that ends at a row beside them are left out.
fn held_among<'r>(rows: Vec<&'r Row<'r>>, holders: Vec<Option<Key>>) -> Vec<(&'r Row<'r>, Option<Key>)> {
    let mut left: Vec<(&'r Row<'r>, Option<Key>)> = rows.into_iter().zip(holders).collect();
    loop {
        let keys: HashSet<Key> = left.iter().map(|(row, _)| key(row)).collect();
        let before = left.len();
        left.retain(|(_, holder)| holder.is_none_or(|holder| keys.contains(&holder)));
        if left.len() == before {
            return left;
        }
    }
}

impl Writer<'_> {
    /// Writes rows, of which each has one change.
    ///
    /// Deletions come before the changes after them in the batch that refer to the deleted row or take its unique
    /// values, and after those before them that refer to it. Rows that leave a parent come before its deletion, which
    /// would extend to them. Changes that fail are tried again as long as other changes of the batch succeed: these may
    /// free a value or delete a row that blocked them.
    pub(super) async fn round<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&'r Row<'r>],
    ) -> Attempt<()> {
        let (deletes, puts): (Vec<&'r Row<'r>>, Vec<&'r Row<'r>>) =
            rows.iter().copied().partition(|row| row.prepared.change.operation == Operation::Delete);
        let referred = self.first_references(&puts);
        let (early, late): (Vec<&'r Row<'r>>, Vec<&'r Row<'r>>) = deletes.iter().copied().partition(|row| {
            let first = referred.get(&key(row));
            first.is_none_or(|first| row.prepared.at < *first)
        });
        let leaving = self.leaving(connection, &deletes, &puts).await?;
        let early_keys: HashSet<Key> = early.iter().map(|row| key(row)).collect();
        let moved = self.with_parents(&leaving, &puts, &early_keys);
        self.put_all(connection, &moved).await?;
        // A parent stays as long as a row has not left it, and so does what refers to it after its deletion.
        let held = |writer: &Self| -> HashSet<Key> {
            leaving.iter().filter(|(row, _)| !writer.is_applied(row)).map(|(_, from)| *from).collect()
        };
        let failed = |writer: &Self, rows: &[&'r Row<'r>], held: &HashSet<Key>| -> Vec<&'r Row<'r>> {
            let waits = |row: &&Row<'_>| match row.prepared.change.operation {
                Operation::Delete => held.contains(&key(row)),
                Operation::Put | Operation::Replace => {
                    writer.targets(row).any(|target| held.contains(&target) && early_keys.contains(&target))
                }
            };
            rows.iter().copied().filter(|row| !writer.is_applied(row) && !waits(row)).collect()
        };
        let left = failed(self, &early, &held(self));
        self.delete_all(connection, &left).await?;
        let left = failed(self, &puts, &held(self));
        self.put_all(connection, &left).await?;
        let left = failed(self, &late, &held(self));
        self.delete_all(connection, &left).await?;
        let (mut holds, mut backwards) = (true, true);
        loop {
            let before = self.applied;
            let waits = |writer: &Self| if holds { held(writer) } else { HashSet::new() };
            let mut left = failed(self, &deletes, &waits(self));
            left.retain(|row| self.may_succeed(row));
            // Rows that refer to each other may be in either order.
            if backwards {
                left.reverse();
            }
            backwards = !backwards;
            self.delete_all(connection, &left).await?;
            let mut left = failed(self, &puts, &waits(self));
            left.retain(|row| self.may_succeed(row));
            let left = self.holders_first(connection, left).await?;
            self.put_all(connection, &left).await?;
            if self.applied == before {
                let left = failed(self, &puts, &waits(self));
                self.exchange(connection, left).await?;
            }
            if self.applied == before {
                let left = failed(self, &deletes, &waits(self));
                self.unlink(connection, left).await?;
            }
            if self.applied == before {
                if !holds || held(self).is_empty() {
                    return Ok(());
                }
                holds = false;
            }
        }
    }

    /// The rows to which a change refers.
    fn targets(&self, row: &Row<'_>) -> impl Iterator<Item = Key> {
        let shape = &self.shapes[row.prepared.shape];
        let target = |(column, target): (&&str, &Option<u64>)| {
            self.place(&shape.references[*column].table).zip(*target)
        };
        row.targets.iter().filter_map(target)
    }

    /// Changes of rows that refer to another row now, with which they would be deleted, and that row.
    async fn leaving<'r, C: Connection>(
        &self,
        connection: &mut C,
        deletes: &[&Row<'_>],
        puts: &[&'r Row<'r>],
    ) -> Attempt<Vec<(&'r Row<'r>, Key)>> {
        let mut leaving = Vec::new();
        if deletes.is_empty() {
            return Ok(leaving);
        }
        for (at, shape) in self.shapes.iter().enumerate() {
            for (column, reference) in &shape.references {
                let Some(target) = self.place(&reference.table) else { continue };
                if reference.on_delete != OnDelete::Cascades {
                    continue;
                }
                let moves = |row: &&Row<'_>| {
                    row.prepared.shape == at
                        && !self.fresh.contains(&row.id)
                        && (row.targets.contains_key(column.as_str())
                            || reference.nullable && row.is_replaced())
                };
                let rows: BTreeMap<u64, &'r Row<'r>> =
                    puts.iter().copied().filter(moves).map(|row| (row.id, row)).collect();
                let ids: Vec<u64> = rows.keys().copied().collect();
                let (name, key) = (&shape.name, &shape.key);
                for ids in ids.chunks(CHUNK) {
                    let statement = format!(
                        "{WITH_SETTINGS}SELECT `{key}`, `{column}` FROM `{name}` FORCE INDEX (PRIMARY) \
                         WHERE `{key}` IN ({}) AND `{column}` IS NOT NULL{ALL} FOR UPDATE",
                        list(ids)
                    );
                    for found in &connection.read(statement).await? {
                        let (row, from) = (rows[&number_at(found, 0)?], number_at(found, 1)?);
                        // A row that was made again does not name what it refers to no more.
                        if row.targets.get(column.as_str()).copied().flatten() != Some(from) {
                            leaving.push((row, (target, from)));
                        }
                    }
                }
            }
        }
        Ok(leaving)
    }

    /// The rows that leave others, and the rows of the batch to which they refer then; none that refers to a deleted row.
    fn with_parents<'r>(
        &self,
        leaving: &[(&'r Row<'r>, Key)],
        puts: &[&'r Row<'r>],
        deleted: &HashSet<Key>,
    ) -> Vec<&'r Row<'r>> {
        let by_key: HashMap<Key, &'r Row<'r>> = puts.iter().map(|row| (key(row), *row)).collect();
        let mut left: Vec<&'r Row<'r>> = leaving.iter().map(|(row, _)| *row).collect();
        let mut chosen = HashSet::new();
        while let Some(row) = left.pop() {
            if chosen.insert(key(row)) {
                left.extend(self.targets(row).filter_map(|target| by_key.get(&target)));
            }
        }
        let is_first = |row: &&Row<'_>| {
            chosen.contains(&key(row)) && !self.targets(row).any(|target| deleted.contains(&target))
        };
        puts.iter().copied().filter(is_first).collect()
    }

    /// Rows after those of the batch that have their unique values. Otherwise a row that is inserted at the top of a list, whose
    /// positions are unique, would take the square of its length of statements. Rows are left out whose values a row has that is
    /// not written with them: the server would refuse them again.
    async fn holders_first<'r, C: Connection>(
        &self,
        connection: &mut C,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<Vec<&'r Row<'r>>> {
        if rows.len() <= FEW {
            return Ok(rows);
        }
        let holders = self.holders(connection, &rows).await?;
        let (rows, holders): (Vec<&'r Row<'r>>, Vec<Option<Key>>) =
            held_among(rows, holders).into_iter().unzip();
        let places: HashMap<Key, usize> = rows.iter().enumerate().map(|(at, row)| (key(row), at)).collect();
        let after: Vec<Option<usize>> =
            holders.iter().map(|holder| holder.and_then(|holder| places.get(&holder).copied())).collect();
        let (mut ordered, mut is_done) = (Vec::with_capacity(rows.len()), vec![false; rows.len()]);
        for first in 0..rows.len() {
            let (mut chain, mut next) = (Vec::new(), Some(first));
            while let Some(at) = next.filter(|at| !is_done[*at]) {
                is_done[at] = true;
                chain.push(rows[at]);
                next = after[at];
            }
            ordered.extend(chain.into_iter().rev());
        }
        Ok(ordered)
    }

    /// The rows that may have to exchange their values: those of a chain that ends at a row beside them do not.
    pub(super) async fn in_circles<'r, C: Connection>(
        &self,
        connection: &mut C,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<Vec<&'r Row<'r>>> {
        if rows.len() <= FEW {
            return Ok(rows);
        }
        let holders = self.holders(connection, &rows).await?;
        Ok(held_among(rows, holders).into_iter().map(|(row, _)| row).collect())
    }

    /// The first place in the batch of a change that refers to a row.
    fn first_references(&self, puts: &[&Row<'_>]) -> HashMap<Key, usize> {
        let mut first = HashMap::new();
        for row in puts {
            for target in self.targets(row) {
                let at = first.entry(target).or_insert(row.prepared.at);
                *at = row.prepared.at.min(*at);
            }
        }
        first
    }

    /// Parents are written before their children.
    pub(super) async fn put_all<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&'r Row<'r>],
    ) -> Attempt<()> {
        for at in 0..self.shapes.len() {
            let rows: Vec<&Row<'_>> = rows.iter().copied().filter(|row| row.prepared.shape == at).collect();
            if !rows.is_empty() {
                self.put(connection, at, rows).await?;
            }
        }
        Ok(())
    }

    /// Children are deleted before their parents.
    pub(super) async fn delete_all<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&'r Row<'r>],
    ) -> Attempt<()> {
        for at in (0..self.shapes.len()).rev() {
            let rows: Vec<&Row<'_>> = rows.iter().copied().filter(|row| row.prepared.shape == at).collect();
            if !rows.is_empty() {
                self.delete(connection, at, rows).await?;
            }
        }
        Ok(())
    }
}
