//! Rows of one batch that exchange their unique values or refer to each other in a circle, and rows that stand in the way of a
//! change.

use std::collections::{BTreeMap, HashMap};

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::values::{Values, number_at};
use crate::sync::catalog::UniquePart;
use crate::sync::change::{Operation, Outcome};
use crate::sync::fits::{Holds, Time};
use crate::sync::log::{self, Newest};
use crate::sync::mode::{GO_BACK_EXCHANGE, SAVE_EXCHANGE, lost};
use crate::sync::shape::Shape;
use crate::sync::trouble::{Refusal, ends_the_batch};
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
            self.is_exchanging = false;
            let done: Vec<&Row<'_>> = parked.iter().copied().filter(|row| self.is_applied(row)).collect();
            if done.len() == left.len() {
                return Ok(());
            }
            self.take_back(connection, &left, before).await?;
            left = if parked.len() < left.len() { parked } else { done };
        }
        Ok(())
    }

    /// Rows of one batch that are deleted and refer to each other in a circle lose their references first, as far as these may be NULL.
    pub(super) async fn unlink<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<()> {
        let is_reference =
            |row: &&Row<'_>| self.refusals.get(&row.prepared.at).is_some_and(Refusal::is_reference);
        let mut left: Vec<&Row<'_>> = rows.into_iter().filter(is_reference).collect();
        while left.len() > 1 {
            let before = self.begin_exchange(connection, &left).await?;
            for row in &left {
                let shape = &self.shapes[row.prepared.shape];
                let nullable = shape.references.iter().filter(|(_, reference)| reference.nullable);
                let sets: Vec<String> = nullable.map(|(column, _)| format!("`{column}` = NULL")).collect();
                if !sets.is_empty() {
                    let (name, key, guard) = (&shape.name, &shape.key, self.guard.condition());
                    let sets = sets.join(", ");
                    let statement = format!("UPDATE `{name}` SET {sets} WHERE `{key}` = {}{guard}", row.id);
                    self.write(connection, name, &[statement], &mut 0).await?;
                }
            }
            // A circle of tables has no order of its own.
            self.delete_all(connection, &left).await?;
            let again: Vec<&Row<'_>> = left.iter().copied().filter(|row| !self.is_applied(row)).collect();
            self.delete_all(connection, &again).await?;
            self.is_exchanging = false;
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
        connection.execute_after(&[], SAVE_EXCHANGE).await?;
        self.is_exchanging = true;
        Ok(before)
    }

    /// Undoes what was written since `begin_exchange`, and refuses the rows as they were refused before.
    async fn take_back<C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&Row<'_>],
        before: Before,
    ) -> Attempt<()> {
        connection.execute_after(&[], GO_BACK_EXCHANGE).await.map_err(lost)?;
        self.applied = before.applied;
        for (row, refusal) in rows.iter().zip(before.refusals) {
            if let Some(refusal) = refusal {
                self.refuse(row, refusal);
            }
        }
        Ok(())
    }

    /// Gives a row other values in its unique columns; false if that is not possible.
    async fn park<C: Connection>(&mut self, connection: &mut C, row: &Row<'_>) -> Attempt<bool> {
        let shape = &self.shapes[row.prepared.shape];
        let mut sets = BTreeMap::new();
        for (_, parts) in &shape.unique {
            let mut named = parts.iter().map(|part| &part.column);
            let other = named.find_map(|column| {
                let is_set = row.prepared.change.values.contains_key(column);
                other_value(shape, column).filter(|_| is_set).map(|value| (column.clone(), value))
            });
            match other {
                Some((column, value)) => drop(sets.insert(column, value)),
                None => return Ok(false),
            }
        }
        let sets: Vec<String> = sets.iter().map(|(column, value)| format!("`{column}` = {value}")).collect();
        if sets.is_empty() {
            return Ok(false);
        }
        let (name, key, guard) = (&shape.name, &shape.key, self.guard.condition());
        let statement = format!("UPDATE `{name}` SET {} WHERE `{key}` = {}{guard}", sets.join(", "), row.id);
        Ok(self.write(connection, name, &[statement], &mut 0).await?.is_none())
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
        let mut conditions = Vec::new();
        for UniquePart { column, prefix } in parts {
            let literal = match row.targets.get(column.as_str()) {
                Some(Some(target)) => target.to_string(),
                Some(None) => return Ok(None),
                None => match row.prepared.change.values.get(column) {
                    Some(value) => value.literal(),
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
            conditions.push(match prefix {
                Some(length) => format!("LEFT(`{column}`, {length}) = LEFT({literal}, {length})"),
                None => format!("`{column}` = {literal}"),
            });
        }
        let statement = format!(
            "SELECT `{key}` FROM `{name}` WHERE {} AND `{key}` <> {} LIMIT 1 LOCK IN SHARE MODE",
            conditions.join(" AND "),
            row.id
        );
        let found = match connection.read(statement).await {
            // Without its name the change is refused, such as where the server cannot compare the value with the column.
            Err(failure) if !ends_the_batch(&failure, name) => return Ok(None),
            found => found?,
        };
        Ok(found.first().map(|found| number_at(found, 0)).transpose()?.map(|id| (at, id)))
    }
}

/// A literal that probably no row has in this column; `None` if the column's type has too few values.
fn other_value(shape: &Shape, column: &str) -> Option<String> {
    // A unique index takes any number of them.
    if shape.nullable.contains(column) {
        return Some("NULL".to_owned());
    }
    let below = |most: u64| fastrand::u64(..most);
    let text = |most: u64| {
        let digits = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(digits.len());
        (most >= 8).then(|| format!("'{}'", &digits[..most]))
    };
    match shape.columns.get(column)? {
        Holds::Characters { most, .. } | Holds::Text(most) => text(*most),
        Holds::Integers(bits) => Some((fastrand::u64(..) >> (65 - bits)).to_string()),
        Holds::Doubles => Some(fastrand::f64().to_string()),
        // The number after the largest one.
        Holds::Decimals(_) | Holds::Floats | Holds::Year | Holds::Bits => Some(format!(
            "(SELECT above FROM (SELECT MAX(`{column}`) + 1 AS above FROM `{}`) AS largest)",
            shape.name
        )),
        Holds::Binary(length @ 8..) => {
            let bytes: String = (0..*length).map(|_| format!("{:02x}", fastrand::u8(..))).collect();
            Some(format!("x'{bytes}'"))
        }
        Holds::Bytes => Some(format!("x'{:016x}'", fastrand::u64(..))),
        Holds::Time { of: Time::Day, .. } => {
            Some(format!("DATE_ADD('1000-01-01', INTERVAL {} DAY)", below(3_000_000)))
        }
        Holds::Time { of: Time::Local, .. } => {
            Some(format!("DATE_ADD('1000-01-01', INTERVAL {} SECOND)", below(200_000_000_000)))
        }
        Holds::Time { of: Time::Instant, .. } => Some(format!("FROM_UNIXTIME({})", 1 + below(2_000_000_000))),
        Holds::Time { of: Time::OfDay, .. } => Some(format!("SEC_TO_TIME({})", below(3_000_000))),
        _ => None,
    }
}
