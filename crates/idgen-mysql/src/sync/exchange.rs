//! Rows of one batch that exchange their unique values or refer to each other in a circle, and rows that stand in the way of a
//! change.

use std::collections::HashMap;

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::values::{Values, number_at};
use crate::sync::change::{Operation, Outcome, Value};
use crate::sync::fits::Holds;
use crate::sync::log::{self, Newest};
use crate::sync::mode::{GO_BACK_EXCHANGE, SAVE_AGAIN, SAVE_EXCHANGE, lost};
use crate::sync::shape::{Compared, Reference};
use crate::sync::trouble::{Owner, Refusal, owner};
use crate::sync::writer::{Row, Writer};

/// What a writer knew of rows before it wrote them together.
struct Before {
    applied: u64,
    refusals: Vec<Option<Refusal>>,
}

impl Writer<'_> {
    /// Rows that have each other's unique values get others for a moment: each of them would fail before the other one.
    ///
    /// A row that fails nevertheless gets its values back, and the rest is tried again without it.
    pub(super) async fn exchange<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<()> {
        let is_duplicate = |refused: Option<&Refusal>| refused.is_some_and(Refusal::is_duplicate);
        let mut left: Vec<&Row<'_>> = rows
            .into_iter()
            .filter(|row| {
                is_duplicate(self.refusals.get(&row.prepared.at)) && self.is_there(row.prepared.shape, row.id)
            })
            .collect();
        // The server has said it of one alone, which is no exchange.
        while left.len() > 1 {
            let before = self.begin_exchange(connection, &left).await?;
            let mut parked = Vec::new();
            for row in &left {
                if self.park(connection, row).await? {
                    parked.push(*row);
                }
            }
            if parked.len() == left.len() {
                self.put_all(connection, &left).await?;
            }
            let done: Vec<&Row<'_>> = parked.iter().copied().filter(|row| self.is_applied(row)).collect();
            if done.len() == left.len() {
                return Ok(());
            }
            self.take_back(connection, &left, before).await?;
            left = if parked.len() < left.len() { parked } else { done };
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
        // What shows that the transaction goes on comes after it, because it is released and set again.
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

    /// Names the rows that stand in the way of changes that the server has refused.
    pub(super) async fn name_blockers<C: Connection>(
        &mut self,
        connection: &mut C,
        map: &str,
        newest: &HashMap<(usize, u64), Newest>,
        rows: &[&Row<'_>],
    ) -> Attempt<()> {
        for row in rows {
            let Some(refusal) = self.refusals.get(&row.prepared.at).cloned() else { continue };
            let found = if row.prepared.change.operation == Operation::Delete && refusal.is_reference() {
                self.child(connection, row).await?
            } else if refusal.is_duplicate() {
                self.holder(connection, row, &refusal.said).await?
            } else {
                None
            };
            let Some((at, id)) = found else { continue };
            let table = self.shapes[at].name.clone();
            let statement = format!("SELECT uuid FROM {map} WHERE id = {id}");
            let Some(by) = connection.read(statement).await?.first().map(|row| row.uuid(0)).transpose()?
            else {
                continue;
            };
            let number = match newest.get(&(at, id)) {
                Some(newest) => newest.number,
                None => log::number(connection, self.names, &table, id).await?,
            };
            let does = if refusal.is_duplicate() { "has the same value" } else { "refers to it" };
            let reason = format!("the row {by} of {table} {does}: {}", refusal.said);
            self.outcomes.insert(row.prepared.at, Outcome::Blocked { reason, table, row: by, number });
        }
        Ok(())
    }

    /// A row that refers to a row that is to be deleted.
    async fn child<C: Connection>(&self, connection: &mut C, row: &Row<'_>) -> Attempt<Option<(usize, u64)>> {
        let target = &self.shapes[row.prepared.shape].name;
        for (at, shape) in self.shapes.iter().enumerate() {
            let columns = shape.references.iter().filter(|(_, reference)| reference.table == *target);
            for (column, _) in columns {
                let (name, key) = (&shape.name, &shape.key);
                // A lock shows rows that are newer than the transaction's snapshot.
                let statement = format!(
                    "SELECT `{key}` FROM `{name}` WHERE `{column}` = {} AND `{key}` <> {} LIMIT 1 LOCK IN SHARE MODE",
                    row.id, row.id
                );
                if let Some(found) = connection.read(statement).await?.first() {
                    return Ok(Some((at, number_at(found, 0)?)));
                }
            }
        }
        Ok(None)
    }

    /// The row that has the unique values of a change.
    async fn holder<C: Connection>(
        &self,
        connection: &mut C,
        row: &Row<'_>,
        said: &str,
    ) -> Attempt<Option<(usize, u64)>> {
        let at = row.prepared.shape;
        let shape = &self.shapes[at];
        let named =
            |index: &str| said.contains(&format!("'{index}'")) || said.contains(&format!(".{index}'"));
        let Some((_, parts)) = shape.unique.iter().find(|(index, _)| named(index)) else { return Ok(None) };
        let (name, key) = (&shape.name, &shape.key);
        let literal = |column: &str| match row.targets.get(column) {
            Some(target) => target.map_or_else(|| "NULL".to_owned(), |target| target.to_string()),
            None => match row.prepared.change.values.get(column) {
                Some(value) => match (shape.columns.get(column), value) {
                    (Some(Holds::Members(members)), Value::Text(text)) => {
                        set_as_stored(members, text).literal()
                    }
                    _ => value.literal(),
                },
                // What the row has, or a new one gets.
                None => {
                    let has = format!("(SELECT `{column}` FROM `{name}` WHERE `{key}` = {})", row.id);
                    match shape.defaults.contains(column) {
                        true => format!("COALESCE({has}, DEFAULT(`{column}`))"),
                        false => has,
                    }
                }
            },
        };
        let condition = |part: &Compared| {
            let (text, value) = (&part.text, part.expression.with(literal));
            match part.prefix {
                _ if part.is_array => format!("JSON_OVERLAPS({text}, {value})"),
                Some(length) => format!("LEFT({text}, {length}) = LEFT({value}, {length})"),
                None => format!("{text} = {value}"),
            }
        };
        let conditions: Vec<String> = parts.iter().map(condition).collect();
        let statement = format!(
            "SELECT `{key}` FROM `{name}` WHERE {} AND `{key}` <> {} LIMIT 1 LOCK IN SHARE MODE",
            conditions.join(" AND "),
            row.id
        );
        let found = match connection.read(statement).await {
            // Without its name the change is refused, such as where the server cannot compare the value with the column.
            Err(failure) if owner(&failure, name) == Owner::Change => return Ok(None),
            found => found?,
        };
        Ok(found.first().map(|found| number_at(found, 0)).transpose()?.map(|id| (at, id)))
    }
}

/// The text that a `SET` stores: its members are in the order of the type, in whichever order a device names them. Others are refused before.
fn set_as_stored(members: &[String], value: &str) -> Value {
    let named: Vec<&str> = value.split(',').collect();
    let stored: Vec<&str> =
        members.iter().map(String::as_str).filter(|member| named.contains(member)).collect();
    Value::Text(stored.join(","))
}
