//! Rows that wait for each other.

use std::collections::HashMap;

use uuid::Uuid;

use crate::sync::change::Outcome;
use crate::sync::writer::Row;

/// The place of a change in the batch, and the table and the UUID of the row that it waits for.
type Waiting = (usize, (String, Uuid));

/// Refuses the rows of a batch that wait for each other in a circle: none of them can be stored first. A device sends a row together
/// with the one that it waits for, so such rows come in one batch sooner or later.
pub(super) fn refuse_circles(rows: &[&Row<'_>], outcomes: &mut HashMap<usize, Outcome>) {
    let mut waits: HashMap<(&str, Uuid), Waiting> = HashMap::new();
    for row in rows {
        let (at, change) = (row.prepared.at, row.prepared.change);
        if let Some(Outcome::Waits { table, row: target, .. }) = outcomes.get(&at) {
            waits.insert((change.table.as_str(), row.prepared.row), (at, (table.clone(), *target)));
        }
    }
    // A row that does not wait itself is left out, and so is whoever waits for it in turn.
    for (of, (at, _)) in &waits {
        let (mut next, mut steps) = (*of, 0);
        let is_circle = loop {
            let Some((_, (table, row))) = waits.get(&next) else { break false };
            next = (table.as_str(), *row);
            steps += 1;
            if next == *of {
                break true;
            }
            if steps > waits.len() {
                break false;
            }
        };
        if is_circle {
            let reason = format!(
                "{steps} rows wait for each other, and the server stores no row before the one to which it refers: let one of their \
                 columns be NULL"
            );
            outcomes.insert(*at, Outcome::Refused(reason));
        }
    }
}
