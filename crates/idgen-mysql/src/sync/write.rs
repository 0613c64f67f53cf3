//! Writes the rows of one round after another. In a round, each row has at most one change.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::claim::pair::CHUNK;
use crate::error::failure::{Attempt, Failure};
use crate::statement::caller::Connection;
use crate::sync::change::{Operation, Outcome};
use crate::sync::log::{self, Open, list};
use crate::sync::mode::{STRICT, refuse_lax};
use crate::sync::shape::Shape;
use crate::sync::targets::{in_order, refused_targets};
use crate::sync::writer::{Ready, Row, Writer};

/// About how many bytes of statements are sent at once. The server's default limit is 16 MiB or more.
const TEXT: usize = 1 << 20;

impl Writer<'_> {
    /// Parents are written before their children, and deleted after them.
    pub(super) async fn round<C: Connection>(&mut self, connection: &mut C, rows: &[Row<'_>]) -> Attempt<()> {
        let of = |at: usize, operation: Operation| {
            rows.iter()
                .filter(move |row| row.prepared.shape == at && row.prepared.change.operation == operation)
        };
        for at in 0..self.shapes.len() {
            let puts: Vec<&Row<'_>> = of(at, Operation::Put).collect();
            if !puts.is_empty() {
                self.put(connection, at, puts).await?;
            }
        }
        for at in (0..self.shapes.len()).rev() {
            let deletes: Vec<&Row<'_>> = of(at, Operation::Delete).collect();
            if !deletes.is_empty() {
                self.delete(connection, at, deletes).await?;
            }
        }
        Ok(())
    }

    fn end(&mut self, row: &Row<'_>, outcome: Outcome) {
        self.outcomes.insert(row.prepared.at, outcome);
    }

    async fn put<'r, C: Connection>(
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
                Err(waits) => self.end(row, waits),
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
        for place in self.update(connection, shape, &old).await? {
            open.extend(old[place].open.iter().cloned());
        }
        if !open.is_empty() {
            log::open(connection, self.names, &open).await?;
            self.opened += open.len() as u64;
            for Open { target, target_id, .. } in &open {
                self.awaited.extend(self.place(target).map(|place| (place, *target_id)));
            }
        }
        self.resolve_arrived(connection, at, &inserted).await
    }

    /// Inserts rows, and returns the places of those that were inserted. What the server refuses together is tried in halves,
    /// until each row that it refuses is alone.
    async fn insert<C: Connection>(
        &mut self,
        connection: &mut C,
        shape: &Shape,
        rows: &[Ready<'_>],
    ) -> Attempt<Vec<usize>> {
        let columns: BTreeSet<&str> = rows.iter().flat_map(|ready| ready.columns.keys().copied()).collect();
        let mut names = vec![format!("`{}`", shape.key)];
        names.extend(columns.iter().map(|name| format!("`{name}`")));
        let into = format!("INSERT INTO `{}` ({}) VALUES ", shape.name, names.join(","));
        let values = |ready: &Ready<'_>| {
            let mut values = vec![ready.row.id.to_string()];
            let default = || "DEFAULT".to_owned();
            values
                .extend(columns.iter().map(|name| ready.columns.get(name).cloned().unwrap_or_else(default)));
            format!("({})", values.join(","))
        };
        let values: Vec<String> = rows.iter().map(values).collect();
        let mut written = Vec::new();
        // Ranges of places, the next one last.
        let mut left = parts(&values);
        left.reverse();
        while let Some((from, to)) = left.pop() {
            let statement = format!("{into}{}", values[from..to].join(","));
            match self.write(connection, &[statement], &mut 0).await? {
                None => {
                    rows[from..to].iter().for_each(|ready| self.end(ready.row, APPLIED));
                    written.extend(from..to);
                }
                Some(refused) if to - from == 1 => self.end(rows[from].row, refused),
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
        let (name, key) = (&shape.name, &shape.key);
        let mut statements = Vec::new();
        let mut written = Vec::new();
        for (place, ready) in rows.iter().enumerate() {
            let set: Vec<String> =
                ready.columns.iter().map(|(column, value)| format!("`{column}` = {value}")).collect();
            if set.is_empty() {
                written.push(place);
            } else {
                let set = set.join(", ");
                statements
                    .push((place, format!("UPDATE `{name}` SET {set} WHERE `{key}` = {}", ready.row.id)));
            }
        }
        let (places, statements): (Vec<usize>, Vec<String>) = statements.into_iter().unzip();
        for (from, to) in parts(&statements) {
            let mut next = from;
            while next < to {
                let mut done = 0;
                let refused = self.write(connection, &statements[next..to], &mut done).await?;
                written.extend(&places[next..next + done]);
                next += done;
                if let Some(refused) = refused {
                    self.end(rows[places[next]].row, refused);
                    next += 1;
                }
            }
        }
        let mut referring: BTreeMap<Vec<&str>, Vec<u64>> = BTreeMap::new();
        for place in &written {
            let row = rows[*place].row;
            self.end(row, APPLIED);
            referring.entry(row.targets.keys().copied().collect()).or_default().push(row.id);
        }
        for (columns, ids) in referring.into_iter().filter(|(columns, _)| !columns.is_empty()) {
            log::forget(connection, self.names, name, &ids, Some(&columns)).await?;
        }
        Ok(written)
    }

    /// Runs statements that write values, and stops at the first one that the server refuses because of its values. Sets `done`
    /// to the number of those that it did not refuse.
    async fn write<C: Connection>(
        &mut self,
        connection: &mut C,
        statements: &[String],
        done: &mut usize,
    ) -> Attempt<Option<Outcome>> {
        let mut all = Vec::with_capacity(statements.len() + 1);
        all.extend((!self.is_strict).then(|| STRICT.to_owned()));
        let checks = all.len();
        all.extend_from_slice(statements);
        let ended = connection.execute_each(&all, done).await;
        if checks > 0 {
            if ended.is_err() && *done == 0 {
                refuse_lax(connection).await?;
            }
            self.is_strict = true;
            *done = done.saturating_sub(checks);
        }
        of_row(ended)
    }

    /// Deletes rows: together, or else one after the other, and again those that others of them referred to.
    async fn delete<C: Connection>(
        &mut self,
        connection: &mut C,
        at: usize,
        mut rows: Vec<&Row<'_>>,
    ) -> Attempt<()> {
        // The schema may delete others with them.
        self.there.clear();
        let Shape { name, key, .. } = &self.shapes[at];
        let mut chunk = CHUNK;
        loop {
            let (mut left, mut deleted) = (Vec::new(), Vec::new());
            for rows in rows.chunks(chunk) {
                let ids: Vec<u64> = rows.iter().map(|row| row.id).collect();
                let statement = format!("DELETE FROM `{name}` WHERE `{key}` IN ({})", list(&ids));
                let refused = of_row(connection.execute_after(&[], &statement).await.map(drop))?;
                match &refused {
                    None => deleted.extend(ids),
                    Some(_) => left.extend(rows),
                }
                rows.iter().for_each(|row| self.end(row, refused.clone().unwrap_or(APPLIED)));
            }
            log::forget(connection, self.names, name, &deleted, None).await?;
            if left.is_empty() || chunk == 1 && deleted.is_empty() {
                return Ok(());
            }
            (rows, chunk) = (left, 1);
        }
    }
}

const APPLIED: Outcome = Outcome::Applied { repeated: false };

/// Cuts texts into ranges that are sent together.
fn parts(texts: &[String]) -> Vec<(usize, usize)> {
    let (mut parts, mut from, mut size) = (Vec::new(), 0, 0);
    for (at, text) in texts.iter().enumerate() {
        if at > from && (size + text.len() > TEXT || at - from == CHUNK) {
            parts.push((from, at));
            (from, size) = (at, 0);
        }
        size += text.len();
    }
    if from < texts.len() {
        parts.push((from, texts.len()));
    }
    parts
}

/// An error that is about the values of a row, as an outcome. Others end the batch.
fn of_row(done: Attempt<()>) -> Attempt<Option<Outcome>> {
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
