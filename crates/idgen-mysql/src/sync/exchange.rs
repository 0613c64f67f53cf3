//! Rows of one batch that exchange their unique values or refer to each other in a circle, and rows that block a
//! change.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crate::claim::pair::CHUNK;
use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::{Values, number_at};
use crate::sync::change::{Operation, Outcome};
use crate::sync::log::{self, Newest, list};
use crate::sync::mode::{GO_BACK_EXCHANGE, SAVE_AGAIN, SAVE_EXCHANGE, lost};
use crate::sync::shape::{OnDelete, Reference};
use crate::sync::trouble::Refusal;
use crate::sync::writer::{Key, Row, Writer};

/// The search for the row that refuses a deletion follows this many deletions that cascade from one to the next.
const DEEPEST: usize = 16;

/// The state of a writer before it writes rows together, which is restored if that fails.
struct Before {
    applied: u64,
    refusals: Vec<Option<Refusal>>,
}

impl Writer<'_> {
    /// Gives rows that have each other's unique values temporary ones: otherwise each of them would fail before the
    /// other one.
    ///
    /// A row that fails nevertheless gets its values back, and the rest is tried again without it.
    pub(super) async fn exchange<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<()> {
        let is_duplicate = |refused: Option<&Refusal>| refused.is_some_and(Refusal::is_duplicate);
        let mut left: Vec<&'r Row<'r>> = rows
            .into_iter()
            .filter(|row| {
                is_duplicate(self.refusals.get(&row.prepared.at)) && self.is_there(row.prepared.shape, row.id)
            })
            .collect();
        left = self.in_circles(connection, left).await?;
        // The server has said it of one alone, which is no exchange.
        while left.len() > 1 {
            let before = self.begin_exchange(connection, &left).await?;
            // One of two rows is enough, such as where only one value is free.
            let mut is_any_parked = false;
            for row in &left {
                is_any_parked |= self.park(connection, row).await?;
            }
            let mut again = if is_any_parked { left.clone() } else { Vec::new() };
            while !again.is_empty() {
                let applied = self.applied;
                self.put_all(connection, &again).await?;
                if self.applied == applied {
                    break;
                }
                again.retain(|row| !self.is_applied(row));
            }
            let done: Vec<&Row<'_>> = left.iter().copied().filter(|row| self.is_applied(row)).collect();
            if done.len() == left.len() {
                return Ok(());
            }
            self.take_back(connection, &left, before).await?;
            left = done;
        }
        Ok(())
    }

    /// Rows of one batch that are deleted and refer to each other in a circle lose their references first, as far as these may be NULL. A row
    /// that refers to itself is a circle of one: InnoDB refuses its deletion, too. If that reference must not be NULL, it refers to
    /// a row that stays.
    pub(super) async fn unlink<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<()> {
        let is_reference =
            |row: &&Row<'_>| self.refusals.get(&row.prepared.at).is_some_and(Refusal::is_reference);
        let mut left: Vec<&Row<'_>> = rows.into_iter().filter(is_reference).collect();
        let shapes = self.shapes;
        let may_refer_to_itself = |row: &&Row<'_>| {
            let shape = &shapes[row.prepared.shape];
            shape.references.values().any(|reference| reference.table == shape.name)
        };
        while left.len() > 1 || left.iter().any(may_refer_to_itself) {
            let before = self.begin_exchange(connection, &left).await?;
            for row in &left {
                let shape = &self.shapes[row.prepared.shape];
                let (name, key, guard) = (&shape.name, &shape.key, self.guard.condition());
                let deleted = left.iter().filter(|other| other.prepared.shape == row.prepared.shape);
                let deleted = deleted.map(|other| other.id.to_string()).collect::<Vec<_>>().join(", ");
                let set = |(column, reference): (&String, &Reference)| match reference.nullable {
                    true => Some(format!("`{column}` = NULL")),
                    false if reference.table == *name => Some(format!(
                        "`{column}` = (SELECT `{key}` FROM (SELECT `{key}` FROM `{name}` WHERE `{key}` NOT IN ({deleted}) LIMIT 1) AS stays)"
                    )),
                    false => None,
                };
                let sets: Vec<String> = shape.references.iter().filter_map(set).collect();
                if !sets.is_empty() {
                    let sets = sets.join(", ");
                    let statement = format!("UPDATE `{name}` SET {sets} WHERE `{key}` = {}{guard}", row.id);
                    self.write(connection, name, &[statement], &mut 0).await?;
                }
            }
            // A circle of tables has no order of its own.
            self.delete_all(connection, &left).await?;
            let again: Vec<&Row<'_>> = left.iter().copied().filter(|row| !self.is_applied(row)).collect();
            self.delete_all(connection, &again).await?;
            let done: Vec<&Row<'_>> = left.iter().copied().filter(|row| self.is_applied(row)).collect();
            if done.len() == left.len() {
                return Ok(());
            }
            self.take_back(connection, &left, before).await?;
            self.there.clear();
            for row in &left {
                self.deleted.remove(&(row.prepared.shape, row.id));
            }
            left = done;
        }
        Ok(())
    }

    /// Begins to write rows together, which `take_back` undoes unless all of them are applied.
    async fn begin_exchange<C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&Row<'_>],
    ) -> Attempt<Before> {
        let refusals = rows.iter().map(|row| self.refusals.get(&row.prepared.at).cloned()).collect();
        let before = Before { applied: self.applied, refusals };
        // The savepoint that shows whether the transaction is still open comes second, because it is released and set
        // again.
        let begin = [SAVE_EXCHANGE, SAVE_AGAIN].map(str::to_owned);
        connection.execute_each(&begin, &mut 0).await?;
        Ok(before)
    }

    /// Undoes what was written since `begin_exchange`, and refuses the rows as they were refused before.
    async fn take_back<C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&Row<'_>],
        before: Before,
    ) -> Attempt<()> {
        let back = [GO_BACK_EXCHANGE, SAVE_AGAIN].map(str::to_owned);
        connection.execute_each(&back, &mut 0).await.map_err(lost)?;
        self.applied = before.applied;
        for (row, refusal) in rows.iter().zip(before.refusals) {
            if let Some(refusal) = refusal {
                self.refuse(row, refusal);
            }
        }
        Ok(())
    }

    /// Names the rows that block changes that the server has refused.
    pub(super) async fn name_blockers<C: Connection>(
        &mut self,
        connection: &mut C,
        map: &str,
        newest: &HashMap<Key, Newest>,
        rows: &[&Row<'_>],
    ) -> Attempt<()> {
        let mut blockers = self.holders(connection, rows).await?;
        for (row, blocker) in rows.iter().zip(&mut blockers) {
            let refusal = self.refusals.get(&row.prepared.at);
            if row.prepared.change.operation == Operation::Delete
                && refusal.is_some_and(Refusal::is_reference)
            {
                *blocker = self.child(connection, row).await?;
            }
        }
        let mut unknown: BTreeMap<usize, BTreeSet<u64>> = BTreeMap::new();
        for (at, id) in blockers.iter().flatten() {
            unknown.entry(*at).or_default().insert(*id);
        }
        let (mut uuids, mut numbers) = (HashMap::new(), HashMap::new());
        for (at, ids) in unknown {
            let ids: Vec<u64> = ids.into_iter().collect();
            for ids in ids.chunks(CHUNK) {
                // A lock shows rows that are newer than the transaction's snapshot.
                let statement =
                    format!("SELECT id, uuid FROM {map} WHERE id IN ({}){ALL} LOCK IN SHARE MODE", list(ids));
                for row in &connection.read(statement).await? {
                    uuids.insert(number_at(row, 0)?, row.uuid(1)?);
                }
            }
            let ids: Vec<u64> = ids.into_iter().filter(|id| !newest.contains_key(&(at, *id))).collect();
            for (id, number) in log::numbers(connection, self.names, &self.shapes[at].name, &ids).await? {
                numbers.insert((at, id), number);
            }
        }
        for (row, blocker) in rows.iter().zip(blockers) {
            let Some((at, id)) = blocker else { continue };
            let (Some(by), Some(refusal)) = (uuids.get(&id), self.refusals.get(&row.prepared.at)) else {
                continue;
            };
            let number = newest.get(&(at, id)).map(|newest| newest.number);
            let number = number.or_else(|| numbers.get(&(at, id)).copied()).unwrap_or(0);
            let table = self.shapes[at].name.clone();
            let does = if refusal.is_duplicate() { "has the same value" } else { "refers to it" };
            let reason = format!("the row {by} of {table} {does}: {}", refusal.said);
            self.outcomes.insert(row.prepared.at, Outcome::Blocked { reason, table, row: *by, number });
        }
        Ok(())
    }

    /// A row whose foreign key refuses the deletion of a row: it refers to the row, or to one that would be deleted with it.
    async fn child<C: Connection>(&self, connection: &mut C, row: &Row<'_>) -> Attempt<Option<(usize, u64)>> {
        let mut seen = HashSet::from([(row.prepared.shape, row.id)]);
        let mut left = VecDeque::from([(row.prepared.shape, vec![row.id], 0)]);
        while let Some((target, ids, depth)) = left.pop_front() {
            let target = &self.shapes[target].name;
            for on_delete in [OnDelete::Stays, OnDelete::Cascades] {
                for (at, shape) in self.shapes.iter().enumerate() {
                    let refers = |reference: &Reference| {
                        reference.enforced && reference.table == *target && reference.on_delete == on_delete
                    };
                    for (column, _) in shape.references.iter().filter(|(_, reference)| refers(reference)) {
                        let most = if on_delete == OnDelete::Stays { seen.len() + 1 } else { CHUNK };
                        // A lock shows rows that are newer than the transaction's snapshot.
                        let statement = format!(
                            "SELECT `{}` FROM `{}` WHERE `{column}` IN ({}) LIMIT {most} LOCK IN SHARE MODE",
                            shape.key,
                            shape.name,
                            list(&ids)
                        );
                        let mut found = Vec::new();
                        for row in &connection.read(statement).await? {
                            found.push(number_at(row, 0)?);
                        }
                        found.retain(|id| !seen.contains(&(at, *id)));
                        if on_delete == OnDelete::Stays {
                            if let Some(id) = found.first() {
                                return Ok(Some((at, *id)));
                            }
                        } else if !found.is_empty() && depth < DEEPEST {
                            seen.extend(found.iter().map(|id| (at, *id)));
                            left.push_back((at, found, depth + 1));
                        }
                    }
                }
            }
        }
        Ok(None)
    }
}
