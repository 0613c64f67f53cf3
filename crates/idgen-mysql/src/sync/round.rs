//! The order of the work: what the newest changes of rows do to each other does not depend on how they are cut into batches.

use std::collections::HashMap;

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::sync::change::Operation;
use crate::sync::writer::{Row, Writer};

impl Writer<'_> {
    /// Writes rows, of which each has one change.
    ///
    /// Deletions come before the changes after them in the batch that refer to the deleted row or take its unique values, and
    /// after those before them that refer to it. What fails is tried again as long as other changes of the batch succeed: they
    /// may free a value or delete a row that was in the way.
    pub(super) async fn round<'r, C: Connection>(
        &mut self,
        connection: &mut C,
        rows: &[&'r Row<'r>],
    ) -> Attempt<()> {
        let (deletes, puts): (Vec<&'r Row<'r>>, Vec<&'r Row<'r>>) =
            rows.iter().copied().partition(|row| row.prepared.change.operation == Operation::Delete);
        let referred = self.first_references(&puts);
        let (early, late): (Vec<&'r Row<'r>>, Vec<&'r Row<'r>>) = deletes.iter().copied().partition(|row| {
            let first = referred.get(&(row.prepared.shape, row.id));
            first.is_none_or(|first| row.prepared.at < *first)
        });
        self.delete_all(connection, &early).await?;
        self.put_all(connection, &puts).await?;
        self.delete_all(connection, &late).await?;
        let failed = |writer: &Self, rows: &[&'r Row<'r>]| -> Vec<&'r Row<'r>> {
            rows.iter().copied().filter(|row| !writer.is_applied(row)).collect()
        };
        loop {
            let before = self.applied;
            let left = failed(self, &deletes);
            self.delete_all(connection, &left).await?;
            let left = failed(self, &puts);
            self.put_all(connection, &left).await?;
            if self.applied == before {
                break;
            }
        }
        let left = failed(self, &deletes);
        self.unlink(connection, left).await?;
        let left = failed(self, &puts);
        self.exchange(connection, left).await
    }

    /// The first place in the batch of a change that refers to a row.
    fn first_references(&self, puts: &[&Row<'_>]) -> HashMap<(usize, u64), usize> {
        let mut first = HashMap::new();
        for row in puts {
            let references = &self.shapes[row.prepared.shape].references;
            for (column, target) in &row.targets {
                let Some((table, id)) = self.place(&references[*column].table).zip(*target) else { continue };
                let at = first.entry((table, id)).or_insert(row.prepared.at);
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
