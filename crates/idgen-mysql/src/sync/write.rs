//! Inserts, updates and deletes rows. Many rows are one statement, and what the server refuses together is tried in halves,
//! until each change that it refuses is alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::claim::pair::CHUNK;
use crate::error::failure::{Attempt, Failure};
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::Values;
use crate::sync::log::{self, Open, list};
use crate::sync::mode::{Guard, STILL_THERE, lost, refuse_unsafe};
use crate::sync::packet::BESIDE;
use crate::sync::proof::is_of_rows;
use crate::sync::shape::Shape;
use crate::sync::targets::{in_order, refers_to_own};
use crate::sync::trouble::{
    Owner, Refusal, ends_its_statement, is_elsewhere, may_be_elsewhere, owner, owner_by_state, state,
};
use crate::sync::writer::{Ready, Row, Writer};

/// The approximate number of bytes of statements that are sent at once.
const TEXT: usize = 1 << 20;

/// The state of the last error, for a driver that reports its number alone: a trigger can signal any number. `None` if
/// the server, or another connection, does not know the error.
async fn asked_state<C: Connection>(connection: &mut C, failure: &Failure) -> Option<String> {
    failure.number()?;
    let ask = "GET DIAGNOSTICS CONDITION 1 @idgen_state = RETURNED_SQLSTATE".to_owned();
    connection.execute_each(&[ask], &mut 0).await.ok()?;
    let rows = connection.read(format!("SELECT CAST(@idgen_state AS BINARY){ALL}")).await.ok()?;
    rows.first()?.text(0).ok()?
}

impl Writer<'_> {
    pub(super) async fn put<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        rows: Vec<&'r Row<'r>>,
    ) -> Attempt<()> {
        let shape = &self.shapes[at];
        let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
        self.look(connection, at, &ids, "FOR UPDATE").await?;
        let existing: HashSet<u64> = ids.into_iter().filter(|id| self.is_there(at, *id)).collect();
        self.look_for_targets(connection, at, &rows).await?;
        let (old, new): (Vec<&Row<'_>>, Vec<&Row<'_>>) =
            in_order(shape, rows).into_iter().partition(|row| existing.contains(&row.id));
        let mut ready = Vec::with_capacity(new.len());
        for row in new {
            if let Some(row) = self.ready(at, row) {
                // Rows after this one may refer to it, until the server refuses it.
                self.there.insert((at, row.row.id));
                ready.push(row);
            }
        }
        let new = self.insert(connection, at, ready).await?;
        let inserted: Vec<u64> = new.iter().map(|ready| ready.row.id).collect();
        // A row with the same integer may have been deleted by the schema, which leaves its open references.
        let again = |id: &u64| !self.fresh.contains(id) || self.inserted.contains(&(at, *id));
        let again: Vec<u64> = inserted.iter().copied().filter(again).collect();
        log::forget(connection, self.names, &shape.name, &again, None).await?;
        self.inserted.extend(inserted.iter().map(|id| (at, *id)));
        // Only now it is known which of the new rows are there.
        let old: Vec<Ready<'_>> = old.into_iter().filter_map(|row| self.ready(at, row)).collect();
        let updated = self.update(connection, shape, &old).await?;
        let written = new.iter().chain(updated.iter().map(|place| &old[*place]));
        let open: Vec<Open> = written.flat_map(|ready| ready.open.iter().cloned()).collect();
        if !open.is_empty() {
            log::open(connection, self.names, &open).await?;
            self.opened += open.len() as u64;
            for Open { target, target_id, .. } in &open {
                self.awaited.extend(self.place(target).map(|place| (place, *target_id)));
            }
        }
        // The server itself may have made a row that was waited for.
        let arrived: Vec<u64> =
            inserted.into_iter().chain(updated.iter().map(|place| old[*place].row.id)).collect();
        self.resolve_arrived(connection, at, &arrived).await
    }

    /// The row with the literals of its columns. If it has to wait, notes that as its outcome.
    fn ready<'r>(&mut self, at: usize, row: &'r Row<'r>) -> Option<Ready<'r>> {
        match self.resolve(at, row) {
            Ok(ready) => Some(ready),
            Err(outcome) => {
                self.refusals.remove(&row.prepared.at);
                self.outcomes.insert(row.prepared.at, outcome);
                None
            }
        }
    }

    /// Inserts rows, and returns those that were inserted. What the server refuses together is tried in halves, until each row
    /// that it refuses is alone.
    async fn insert<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        mut rows: Vec<Ready<'r>>,
    ) -> Attempt<Vec<Ready<'r>>> {
        let (guard, shape) = (self.guard, &self.shapes[at]);
        let sizes = rows.iter().map(|ready| ready.columns.values().map(|value| value.len() + 1).sum());
        let parts = self.parts(sizes);
        // The next part last.
        let mut left: Vec<Vec<Ready<'r>>> =
            parts.into_iter().rev().map(|(from, _)| rows.split_off(from)).collect();
        let (mut written, mut refused) = (Vec::new(), HashSet::new());
        while let Some(part) = left.pop() {
            let mut part = self.ready_again(at, part, &mut refused);
            if part.is_empty() {
                continue;
            }
            // A row alone names its own columns only: DEFAULT is not what a column gets that is left out, if a trigger fills it.
            let columns: BTreeSet<&str> =
                part.iter().flat_map(|ready| ready.columns.keys().copied()).collect();
            let row = |(place, ready): (usize, &Ready<'_>)| {
                let key = ready.row.id.to_string();
                let mut row = format!("({}", if place == 0 { guard.value(&key) } else { key });
                for name in &columns {
                    row.push(',');
                    row.push_str(ready.columns.get(name).map_or("DEFAULT", String::as_str));
                }
                row + ")"
            };
            let names: String = columns.iter().map(|name| format!(",`{name}`")).collect();
            let statement = format!(
                "INSERT INTO `{}` (`{}`{names}) VALUES {}",
                shape.name,
                shape.key,
                part.iter().enumerate().map(row).collect::<Vec<_>>().join(",")
            );
            match self.write(connection, &shape.name, &[statement], &mut 0).await? {
                None => {
                    part.iter().for_each(|ready| self.apply(ready.row));
                    written.append(&mut part);
                }
                Some(said) if part.len() == 1 => {
                    let row = part[0].row;
                    self.there.remove(&(at, row.id));
                    refused.insert(row.id);
                    self.refuse_or_wait(&part[0], said);
                }
                Some(_) => {
                    let later = part.split_off(part.len() / 2);
                    left.extend([later, part]);
                }
            }
        }
        Ok(written)
    }

    /// Resolves the rows again that refer to rows of their own table that were refused after they seemed to be there. Those that
    /// have to wait for them are refused, too.
    fn ready_again<'r>(
        &mut self,
        at: usize,
        rows: Vec<Ready<'r>>,
        refused: &mut HashSet<u64>,
    ) -> Vec<Ready<'r>> {
        let mut kept = Vec::with_capacity(rows.len());
        for ready in rows {
            let row = ready.row;
            if !refers_to_own(&self.shapes[at], row, refused) {
                kept.push(ready);
            } else if let Some(ready) = self.ready(at, row) {
                kept.push(ready);
            } else {
                self.there.remove(&(at, row.id));
                refused.insert(row.id);
            }
        }
        kept
    }

    /// Updates rows, and returns the places of those that were updated.
    async fn update<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        rows: &[Ready<'_>],
    ) -> Attempt<Vec<usize>> {
        let (name, key, guard) = (&shape.name, &shape.key, self.guard.condition());
        let mut statements = Vec::new();
        let mut written = Vec::new();
        for (place, ready) in rows.iter().enumerate() {
            let mut set: Vec<String> =
                ready.columns.iter().map(|(column, value)| format!("`{column}` = {value}")).collect();
            if ready.row.is_replaced() {
                let others = shape.columns_with_default().filter(|name| !ready.columns.contains_key(name));
                set.extend(others.map(|name| format!("`{name}` = DEFAULT")));
            }
            if set.is_empty() {
                written.push(place);
            } else {
                let set = set.join(", ");
                statements.push((
                    place,
                    format!("UPDATE `{name}` SET {set} WHERE `{key}` = {}{guard}", ready.row.id),
                ));
            }
        }
        let (places, statements): (Vec<usize>, Vec<String>) = statements.into_iter().unzip();
        for (from, to) in self.parts(statements.iter().map(String::len)) {
            let mut next = from;
            while next < to {
                let mut done = 0;
                let refused = self.write(connection, name, &statements[next..to], &mut done).await?;
                written.extend(&places[next..next + done]);
                next += done;
                if let Some(refused) = refused {
                    self.refuse_or_wait(&rows[places[next]], refused);
                    next += 1;
                }
            }
        }
        // Those of all columns of a row that was made again.
        let mut referring: BTreeMap<Option<Vec<&str>>, Vec<u64>> = BTreeMap::new();
        for place in &written {
            let row = rows[*place].row;
            self.apply(row);
            let columns = (!row.is_replaced()).then(|| row.targets.keys().copied().collect());
            referring.entry(columns).or_default().push(row.id);
        }
        for (columns, ids) in referring.into_iter().filter(|(columns, _)| columns != &Some(Vec::new())) {
            log::forget(connection, self.names, name, &ids, columns.as_deref()).await?;
        }
        Ok(written)
    }

    /// Runs statements that write rows of a table, and stops at the first one that the server refuses because of its row. Sets
    /// `done` to the number of those that it did not refuse.
    ///
    /// The server has undone what the refused statement did. It cannot have ended the transaction, or the batch fails.
    pub(super) async fn write<C: Connection>(
        &mut self,
        connection: &mut C,
        table: &str,
        statements: &[String],
        done: &mut usize,
    ) -> Attempt<Option<Refusal>> {
        if let [statement] = statements
            && statement.len() + BESIDE > self.packet
        {
            let (long, most) = (statement.len(), self.packet);
            let said = format!(
                "they take {long} bytes in a statement, and the server takes at most {most} (max_allowed_packet)"
            );
            return Ok(Some(Refusal { number: None, said }));
        }
        let mut all = if self.is_ready { Vec::new() } else { Guard::begin_late() };
        let checks = all.len();
        all.extend_from_slice(statements);
        let ended = connection.execute_each(&all, done).await;
        match &ended {
            Err(failure) if *done < checks => refuse_unsafe(connection, failure).await?,
            _ => {
                self.is_ready = true;
                *done -= checks;
            }
        }
        let Err(failure) = ended else { return Ok(None) };
        let (mut owner, mut told) = (owner(&failure, table), state(&failure));
        if owner == Owner::Batch && told.is_none() {
            told = asked_state(connection, &failure).await;
            if let Some(told) = &told {
                owner = owner_by_state(&failure, Some(told), table);
            }
        }
        if owner == Owner::Batch && may_be_elsewhere(&failure) {
            let schema = connection.read(format!("SELECT CAST(DATABASE() AS BINARY){ALL}")).await?;
            let schema = schema.first().map(|row| row.text(0)).transpose()?.flatten().unwrap_or_default();
            if is_elsewhere(&failure, &schema, table) {
                owner = Owner::Change;
            }
        }
        if self.is_ready
            && owner == Owner::Batch
            && let Some(statement) = statements.get(*done)
            && is_of_rows(connection, &failure, told.as_deref(), table, statement).await?
        {
            return Ok(Some(Refusal::of(&failure)));
        }
        if !self.is_ready || owner == Owner::Batch {
            return Err(failure);
        }
        if ends_its_statement(&failure) {
            return Ok(Some(Refusal::of(&failure)));
        }
        match connection.execute_each(&STILL_THERE.map(str::to_owned), &mut 0).await {
            Ok(()) => Ok(Some(Refusal::of(&failure))),
            Err(_) if owner == Owner::ChangeIfGoingOn => Err(failure),
            Err(gone) => Err(lost(gone)),
        }
    }

    /// Deletes rows: together, or else one after the other. The round tries those again that others refer to.
    pub(super) async fn delete<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        rows: Vec<&Row<'_>>,
    ) -> Attempt<()> {
        // The schema may delete others with them.
        self.there.clear();
        let Shape { name, key, .. } = &self.shapes[at];
        let guard = self.guard.condition();
        let mut left: Vec<&[&Row<'_>]> = rows.chunks(CHUNK).rev().collect();
        while let Some(rows) = left.pop() {
            let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
            let losing = self.losing_target(connection, at, &ids).await?;
            let statement = format!("DELETE FROM `{name}` WHERE `{key}` IN ({}){guard}", list(&ids));
            match self.write(connection, name, &[statement], &mut 0).await? {
                None => {
                    rows.iter().for_each(|row| self.apply(row));
                    self.deleted.extend(rows.iter().map(|row| ((at, row.id), row.prepared.change.number)));
                    log::forget(connection, self.names, name, &ids, None).await?;
                    self.end_references(connection, at, &ids, losing).await?;
                }
                Some(refused) if rows.len() == 1 => self.refuse(rows[0], refused),
                Some(_) => left.extend(rows.chunks(1).rev()),
            }
        }
        Ok(())
    }

    /// Cuts texts of these sizes into ranges that are sent together.
    pub(super) fn parts(&self, sizes: impl ExactSizeIterator<Item = usize>) -> Vec<(usize, usize)> {
        let (most, count) = (TEXT.min(self.packet / 2), sizes.len());
        let (mut parts, mut from, mut size) = (Vec::new(), 0, 0);
        for (at, text) in sizes.enumerate() {
            if at > from && (size + text > most || at - from == CHUNK) {
                parts.push((from, at));
                (from, size) = (at, 0);
            }
            size += text;
        }
        if from < count {
            parts.push((from, count));
        }
        parts
    }
}
