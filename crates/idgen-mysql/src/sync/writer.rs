//! The state of a batch while it is written.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::sync::change::{Operation, Outcome};
use crate::sync::log::{self, Names, Open};
use crate::sync::mode::Guard;
use crate::sync::prepare::Prepared;
use crate::sync::shape::Shape;
use crate::sync::trouble::Refusal;

/// A row: the place of its table, and its integer.
pub(super) type Key = (usize, u64);

/// A change whose UUIDs are integers.
pub(super) struct Row<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) id: u64,
    /// The integers of the rows that its columns refer to.
    pub(super) targets: BTreeMap<&'a str, Option<u64>>,
}

impl Row<'_> {
    /// Returns true if the columns that the change does not name get their defaults.
    pub(super) fn is_replaced(&self) -> bool {
        self.prepared.change.operation == Operation::Replace
    }
}

/// Writes a batch, and keeps what it finds out about the rows.
pub(super) struct Writer<'a> {
    pub(super) shapes: &'a [Shape],
    pub(super) names: &'a Names,
    pub(super) guard: Guard,
    /// The most bytes of a statement.
    pub(super) packet: usize,
    /// Integers that this transaction has given. Nothing outside of it knows them, so nothing refers to them, and no row has
    /// them that this batch has not written.
    pub(super) fresh: &'a HashSet<u64>,
    /// Rows that are there and that this transaction has locked, by the place of their table.
    pub(super) there: HashSet<Key>,
    /// Rows that this batch has inserted. They are not there any more after a deletion that the schema extends to them.
    pub(super) inserted: HashSet<Key>,
    /// Rows that were deleted, by their newest change or by the schema, and the number of that change.
    pub(super) deleted: HashMap<Key, u64>,
    /// Rows for which references of this batch are open.
    pub(super) awaited: HashSet<Key>,
    /// Rows to which others refer, and that are locked although they are not there.
    pub(super) locked: Vec<log::Key<'a>>,
    /// The outcomes, by the place of the change in the batch.
    pub(super) outcomes: HashMap<usize, Outcome>,
    /// The server's last error for each refused change, by the place of the change in the batch.
    pub(super) refusals: HashMap<usize, Refusal>,
    /// The number of changes that were applied.
    pub(super) applied: u64,
    /// The number of changes that were applied when a change was refused last, by its place in the batch.
    pub(super) refused_after: HashMap<usize, u64>,
    pub(super) opened: u64,
    pub(super) resolved: u64,
    /// True if an open reference names a column that is no reference in the definition of its table that was read.
    pub(super) is_stale: bool,
    /// True if the savepoint is set, in a session that refuses values that do not fit.
    pub(super) is_ready: bool,
}

/// A row to be written, with the literals of its columns.
pub(super) struct Ready<'r> {
    pub(super) row: &'r Row<'r>,
    pub(super) columns: BTreeMap<&'r str, String>,
    pub(super) open: Vec<Open>,
}

pub(super) const APPLIED: Outcome = Outcome::Applied { repeated: false };

impl<'a> Writer<'a> {
    pub(super) fn new(
        shapes: &'a [Shape],
        names: &'a Names,
        guard: Guard,
        packet: usize,
        fresh: &'a HashSet<u64>,
    ) -> Writer<'a> {
        Writer {
            shapes,
            names,
            guard,
            packet,
            fresh,
            there: HashSet::new(),
            inserted: HashSet::new(),
            deleted: HashMap::new(),
            awaited: HashSet::new(),
            locked: Vec::new(),
            outcomes: HashMap::new(),
            refusals: HashMap::new(),
            applied: 0,
            refused_after: HashMap::new(),
            opened: 0,
            resolved: 0,
            is_stale: false,
            is_ready: guard.is_set(),
        }
    }

    /// The place of a table.
    pub(super) fn place(&self, table: &str) -> Option<usize> {
        self.shapes.iter().position(|shape| shape.name == table)
    }

    pub(super) fn apply(&mut self, row: &Row<'_>) {
        self.refusals.remove(&row.prepared.at);
        self.outcomes.insert(row.prepared.at, APPLIED);
        self.applied += 1;
    }

    pub(super) fn refuse(&mut self, row: &Row<'_>, refusal: Refusal) {
        self.outcomes.insert(row.prepared.at, refusal.outcome());
        self.refusals.insert(row.prepared.at, refusal);
        self.refused_after.insert(row.prepared.at, self.applied);
    }

    /// Returns false for a change that the server has refused, if nothing was applied since.
    pub(super) fn may_succeed(&self, row: &Row<'_>) -> bool {
        !self.refusals.contains_key(&row.prepared.at)
            || self.refused_after.get(&row.prepared.at) != Some(&self.applied)
    }

    pub(super) fn is_applied(&self, row: &Row<'_>) -> bool {
        self.outcomes.get(&row.prepared.at) == Some(&APPLIED)
    }
}
