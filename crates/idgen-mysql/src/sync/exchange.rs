//! Rows of one batch that exchange their unique values or refer to each other in a circle, and rows that block a
//! change.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};

use crate::claim::pair::CHUNK;
use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::{Values, number_at};
use crate::sync::change::{Operation, Outcome, Value, integer};
use crate::sync::fits::Holds;
use crate::sync::log::{self, Newest, list};
use crate::sync::mode::{GO_BACK_EXCHANGE, SAVE_AGAIN, SAVE_EXCHANGE, lost};
use crate::sync::packet::BESIDE;
use crate::sync::shape::{Compared, OnDelete, Reference};
use crate::sync::trouble::{Owner, Refusal, owner};
use crate::sync::writer::{Row, Writer};

/// The search for the row that refuses a deletion follows this many deletions that cascade from one to the next.
const DEEPEST: usize = 16;
/// Every server takes a statement of this many bytes. The writer reads the actual limit only for a large batch.
const SMALL: usize = 1 << 20;

/// The searches for rows with unique values that one statement contains.
const SEARCHES: usize = 100;

/// A row: the place of its table, and its integer.
type Key = (usize, u64);

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

    /// The rows that have the unique values of changes, as far as they are known. Many are asked for in one statement.
    pub(super) async fn holders<C: Connection>(
        &self,
        connection: &mut C,
        rows: &[&Row<'_>],
    ) -> Attempt<Vec<Option<Key>>> {
        let mut holders = vec![None; rows.len()];
        let mut searches = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let refusal = self.refusals.get(&row.prepared.at).filter(|refused| refused.is_duplicate());
            let search = refusal.and_then(|refusal| self.search(row, &refusal.said));
            searches.extend(search.map(|search| (place, search)));
        }
        let parts = self.parts(searches.iter().map(|(_, search)| search.len() + BESIDE / 8));
        let parts = parts.into_iter().flat_map(|(from, to)| searches[from..to].chunks(SEARCHES));
        let mut left: Vec<&[(usize, String)]> = parts.collect();
        while let Some(part) = left.pop() {
            let search = |(place, search): &(usize, String)| {
                format!("(SELECT CAST({place} AS UNSIGNED) AS place, {search})")
            };
            let all = part.iter().map(search).collect::<Vec<_>>().join(" UNION ALL ");
            match connection.read(all).await {
                Ok(found) => {
                    for found in &found {
                        let place = usize::try_from(number_at(found, 0)?).unwrap_or(usize::MAX);
                        if let (Some(holder), Some(row)) = (holders.get_mut(place), rows.get(place)) {
                            *holder = Some((row.prepared.shape, number_at(found, 1)?));
                        }
                    }
                }
                // Without its name the change is refused, such as where the server cannot compare the value with the column.
                Err(failure) if owner(&failure, "") == Owner::Change => {
                    if part.len() > 1 {
                        let (first, second) = part.split_at(part.len() / 2);
                        left.extend([second, first]);
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(holders)
    }

    /// The rest of a `SELECT` that finds the row that has the unique values of a change.
    fn search(&self, row: &Row<'_>, said: &str) -> Option<String> {
        let shape = &self.shapes[row.prepared.shape];
        let (name, key) = (&shape.name, &shape.key);
        let named = index_named(said, name);
        let (_, parts) = shape.unique.iter().find(|(index, _)| Some(index.as_str()) == named)?;
        let literal = |column: &str| match row.targets.get(column) {
            Some(target) => target.map_or_else(|| "NULL".to_owned(), |target| target.to_string()),
            None => match row.prepared.change.values.get(column) {
                Some(value) => match (shape.columns.get(column), value) {
                    (Some(Holds::Members(members)), Value::Text(text)) => {
                        set_as_stored(members, text).literal()
                    }
                    (Some(holds), value) => as_compared(holds, value),
                    (None, value) => value.literal(),
                },
                // The current value of the row, or the default that a new row gets.
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
        let search = format!(
            "`{key}` AS id FROM `{name}` WHERE {} AND `{key}` <> {} LIMIT 1 LOCK IN SHARE MODE",
            conditions.join(" AND "),
            row.id
        );
        // An expression may repeat a large value.
        let most = if self.packet == usize::MAX { SMALL } else { self.packet.saturating_sub(BESIDE) };
        (search.len() <= most).then_some(search)
    }
}

/// The index of which a message says that it has the value already: `… for key 'index'`, with the table before the index on MySQL.
/// The value before it may have any words.
fn index_named<'a>(said: &'a str, table: &str) -> Option<&'a str> {
    let (_, end) = said.rsplit_once("for key '")?;
    let (index, _) = end.rsplit_once('\'')?;
    Some(index.strip_prefix(table).and_then(|index| index.strip_prefix('.')).unwrap_or(index))
}

/// A value as the column stores it. A number that is compared with a text is equal to other texts, too, a text that is
/// compared with a number is rounded, and a `FLOAT` has other numbers than a literal.
fn as_compared(holds: &Holds, value: &Value) -> String {
    let text = |number: &dyn std::fmt::Display| Value::Text(number.to_string()).literal();
    match (holds, value) {
        (
            Holds::Floats | Holds::FloatDecimals(_),
            Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Text(_),
        ) => match number(value).filter(|number| number.is_finite()) {
            Some(number) => format!("{:e}", holds.nearest(number)),
            None => value.literal(),
        },
        (
            Holds::Characters { .. } | Holds::Text(_) | Holds::Bytes | Holds::Binary(_),
            Value::Int(_) | Value::UInt(_),
        ) => match value {
            Value::Int(number) => text(number),
            Value::UInt(number) => text(number),
            _ => value.literal(),
        },
        (Holds::Characters { .. } | Holds::Text(_), Value::Float(number))
            if *number == 0.0 || (1e-4..1e14).contains(&number.abs()) =>
        {
            text(number)
        }
        (Holds::Integers(_), Value::Float(number)) => {
            integer(*number).map_or_else(|| value.literal(), |number| number.to_string())
        }
        // MariaDB compares bytes as a text.
        (Holds::Bits, Value::Bytes(bytes)) => {
            let bytes = &bytes[bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len())..];
            let bits = bytes.iter().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
            if bytes.len() <= 8 { bits.to_string() } else { value.literal() }
        }
        // As a text, it would be compared as a double.
        (Holds::Decimals(_), Value::Text(text))
            if text.trim().bytes().all(|letter| letter.is_ascii_digit() || b"+-.".contains(&letter))
                && number(value).is_some() =>
        {
            text.trim().to_owned()
        }
        (Holds::Integers(_), Value::Text(text)) => match text.trim().parse::<i128>() {
            Ok(number) => number.to_string(),
            Err(_) => value.literal(),
        },
        _ => value.literal(),
    }
}

/// The number of a value, as the server reads it.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        Value::Null | Value::Bytes(_) => None,
    }
}

/// The text that a `SET` stores: its members are in the order of the type, in whichever order a device names them. Others are refused before.
fn set_as_stored(members: &[String], value: &str) -> Value {
    let named: Vec<&str> = value.split(',').collect();
    let stored: Vec<&str> =
        members.iter().map(String::as_str).filter(|member| named.contains(member)).collect();
    Value::Text(stored.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_message_names_the_index() {
        let of = |said: &str| index_named(said, "t").map(str::to_owned);
        assert_eq!(of("Duplicate entry 'for key 'ua'' for key 't.ub'"), Some("ub".to_owned()));
        assert_eq!(of("1062 (23000): Duplicate entry 'ua' for key 'ub'"), Some("ub".to_owned()));
        assert_eq!(of("Duplicate entry"), None);
    }

    #[test]
    fn values_are_compared_as_they_are_stored() {
        let characters = Holds::Characters { most: 9, stripped: false };
        assert_eq!(as_compared(&characters, &Value::Int(5)), Value::from("5").literal());
        assert_eq!(as_compared(&characters, &Value::Float(1.5)), Value::from("1.5").literal());
        assert_eq!(as_compared(&Holds::Integers(64), &Value::from(" 9007199254740993")), "9007199254740993");
        assert_eq!(as_compared(&Holds::Integers(64), &Value::from("x")), Value::from("x").literal());
        assert_eq!(as_compared(&Holds::Integers(64), &Value::Float(1e18)), "1000000000000000000");
        let float = format!("{:e}", f64::from(0.1_f32));
        for value in [Value::Float(0.1), Value::from("0.1"), Value::from("1e-1")] {
            assert_eq!(as_compared(&Holds::Floats, &value), float);
            assert_eq!(as_compared(&Holds::FloatDecimals(2), &value), float);
        }
        assert_eq!(as_compared(&Holds::Bits, &Value::Bytes(vec![0, 1, 5])), "261");
        assert_eq!(as_compared(&Holds::Bytes, &Value::Int(5)), Value::from("5").literal());
        assert_eq!(as_compared(&Holds::Decimals(2), &Value::from(" 1.10")), "1.10");
        assert_eq!(as_compared(&Holds::Decimals(2), &Value::from("1e1")), Value::from("1e1").literal());
    }
}
