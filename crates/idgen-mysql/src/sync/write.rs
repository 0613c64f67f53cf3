//! Inserts, updates and deletes rows. Many rows are one statement, and what the server refuses together is tried in halves,
//! until each change that it refuses is alone.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::claim::pair::CHUNK;
use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::sync::log::{self, Open, list};
use crate::sync::mode::{Guard, STILL_THERE, lost, refuse_unsafe};
use crate::sync::shape::Shape;
use crate::sync::targets::{in_order, refused_targets};
use crate::sync::trouble::{Owner, Refusal, owner};
use crate::sync::writer::{Ready, Row, Writer};

/// About how many bytes of statements are sent at once.
const TEXT: usize = 1 << 20;
/// More bytes than the statements have that are sent with one of a row.
const BESIDE: usize = 1024;

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
        let (mut old, mut new) = (Vec::new(), Vec::new());
        for row in in_order(shape, rows) {
            match self.resolve(at, row) {
                Ok(ready) if existing.contains(&row.id) => old.push(ready),
                Ok(ready) => {
                    self.there.insert((at, row.id));
                    new.push(ready);
                }
                Err(outcome) => {
                    self.refusals.remove(&row.prepared.at);
                    self.outcomes.insert(row.prepared.at, outcome);
                }
            }
        }
        let written = self.insert(connection, shape, &new).await?;
        let inserted: Vec<u64> = written.iter().map(|place| new[*place].row.id).collect();
        let done: HashSet<u64> = inserted.iter().copied().collect();
        let refused =
            new.iter().map(|ready| ready.row.id).filter(|id| !done.contains(id)).collect::<HashSet<u64>>();
        self.inserted.extend(inserted.iter().map(|id| (at, *id)));
        self.there.retain(|(table, id)| *table != at || !refused.contains(id));
        let mut open: Vec<Open> = Vec::new();
        for place in written {
            open.extend(new[place].open.iter().cloned());
            open.extend(refused_targets(shape, new[place].row, &refused));
        }
        let updated = self.update(connection, shape, &old).await?;
        for place in &updated {
            open.extend(old[*place].open.iter().cloned());
        }
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

    /// Inserts rows, and returns the places of those that were inserted. What the server refuses together is tried in halves,
    /// until each row that it refuses is alone.
    async fn insert<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        rows: &[Ready<'_>],
    ) -> Attempt<Vec<usize>> {
        let guard = self.guard;
        let sizes = rows.iter().map(|ready| ready.columns.values().map(|value| value.len() + 1).sum());
        let mut written = Vec::new();
        // Ranges of places, the next one last.
        let mut left = self.parts(sizes);
        left.reverse();
        while let Some((from, to)) = left.pop() {
            // A row alone names its own columns only: DEFAULT is not what a column gets that is left out, if a trigger fills it.
            let columns: BTreeSet<&str> =
                rows[from..to].iter().flat_map(|ready| ready.columns.keys().copied()).collect();
            let row = |at: usize| {
                let key = rows[at].row.id.to_string();
                let mut row = format!("({}", if at == from { guard.value(&key) } else { key });
                for name in &columns {
                    row.push(',');
                    row.push_str(rows[at].columns.get(name).map_or("DEFAULT", String::as_str));
                }
                row + ")"
            };
            let names: String = columns.iter().map(|name| format!(",`{name}`")).collect();
            let statement = format!(
                "INSERT INTO `{}` (`{}`{names}) VALUES {}",
                shape.name,
                shape.key,
                (from..to).map(row).collect::<Vec<_>>().join(",")
            );
            match self.write(connection, &shape.name, &[statement], &mut 0).await? {
                None => {
                    rows[from..to].iter().for_each(|ready| self.apply(ready.row));
                    written.extend(from..to);
                }
                Some(refused) if to - from == 1 => self.refuse(rows[from].row, refused),
                Some(_) => {
                    let middle = usize::midpoint(from, to);
                    left.extend([(middle, to), (from, middle)]);
                }
            }
        }
        Ok(written)
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
            let set: Vec<String> =
                ready.columns.iter().map(|(column, value)| format!("`{column}` = {value}")).collect();
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
                    self.refuse(rows[places[next]].row, refused);
                    next += 1;
                }
            }
        }
        let mut referring: BTreeMap<Vec<&str>, Vec<u64>> = BTreeMap::new();
        for place in &written {
            let row = rows[*place].row;
            self.apply(row);
            referring.entry(row.targets.keys().copied().collect()).or_default().push(row.id);
        }
        for (columns, ids) in referring.into_iter().filter(|(columns, _)| !columns.is_empty()) {
            log::forget(connection, self.names, name, &ids, Some(&columns)).await?;
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
        if ended.is_err() && *done < checks {
            refuse_unsafe(connection).await?;
        } else {
            self.is_ready = true;
            *done -= checks;
        }
        let Err(failure) = ended else { return Ok(None) };
        let owner = owner(&failure, table);
        if !self.is_ready || owner == Owner::Batch {
            return Err(failure);
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
    fn parts(&self, sizes: impl ExactSizeIterator<Item = usize>) -> Vec<(usize, usize)> {
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
