//! Rows that wait for each other.

use std::collections::HashMap;

use uuid::Uuid;

use crate::sync::change::Outcome;
use crate::sync::writer::Row;

/// The table and the UUID of a row.
type Key = (String, Uuid);

/// Refuses the rows of a batch that wait for each other in a circle: none of them can be stored first. A device sends a row together
/// with the one that it waits for, so such rows come in one batch sooner or later.
pub(super) fn refuse_circles(rows: &[&Row<'_>], outcomes: &mut HashMap<usize, Outcome>) {
    // The place of each change in the batch, and the row that it waits for.
    let mut waits: HashMap<Key, (usize, Key)> = HashMap::new();
    for row in rows {
        let (at, change) = (row.prepared.at, row.prepared.change);
        if let Some(Outcome::Waits { table, row: target, .. }) = outcomes.get(&at) {
            waits.insert((change.table.clone(), row.prepared.row), (at, (table.clone(), *target)));
        }
    }
    // Each row is walked through once, however long the chains are in which rows wait.
    let mut walks: HashMap<&Key, usize> = HashMap::new();
    for (walk, mut of) in waits.keys().enumerate() {
        while let Some((_, target)) = waits.get(of).filter(|_| !walks.contains_key(of)) {
            walks.insert(of, walk);
            of = target;
        }
        if walks.get(of) != Some(&walk) {
            continue;
        }
        // The walk came back to a row of its own.
        let next = |row: &&Key| waits.get(*row).map(|(_, target)| target).filter(|target| *target != of);
        let circle: Vec<&Key> = std::iter::successors(Some(of), next).collect();
        for row in &circle {
            let reason = format!(
                "{} rows wait for each other, and the server stores no row before the one to which it refers: let one of their \
                 columns be NULL",
                circle.len()
            );
            outcomes.insert(waits[*row].0, Outcome::Refused(reason));
        }
    }
}
