//! What is written of a batch, and what was found out on the way.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::sync::change::Outcome;
use crate::sync::log::{Key, Names, Open};
use crate::sync::prepare::Prepared;
use crate::sync::shape::Shape;

/// A change whose UUIDs are integers.
pub(super) struct Row<'a> {
    pub(super) prepared: &'a Prepared<'a>,
    pub(super) id: u64,
    /// The integers of the rows that its columns refer to.
    pub(super) targets: BTreeMap<&'a str, Option<u64>>,
}

/// What is written, and what was found out on the way.
pub(super) struct Writer<'a> {
    pub(super) shapes: &'a [Shape],
    pub(super) names: &'a Names,
    /// Integers that this transaction has given. Nothing outside of it knows them, so nothing refers to them, and no row has
    /// them that this batch has not written.
    pub(super) fresh: &'a HashSet<u64>,
    /// Rows that are there and that this transaction has locked, by the place of their table.
    pub(super) there: HashSet<(usize, u64)>,
    /// Rows that this batch has inserted. They are not there any more after a deletion that the schema extends to them.
    pub(super) inserted: HashSet<(usize, u64)>,
    /// Rows for which references of this batch are open.
    pub(super) awaited: HashSet<(usize, u64)>,
    /// Rows to which others refer, and that are locked although they are not there.
    pub(super) locked: Vec<Key<'a>>,
    /// By the place of the change in the batch.
    pub(super) outcomes: HashMap<usize, Outcome>,
    pub(super) opened: u64,
    pub(super) resolved: u64,
    /// Whether the session is known to refuse values that do not fit.
    pub(super) is_strict: bool,
}

/// A row to be written, with the literals of its columns.
pub(super) struct Ready<'r> {
    pub(super) row: &'r Row<'r>,
    pub(super) columns: BTreeMap<&'r str, String>,
    pub(super) open: Vec<Open>,
}

impl<'a> Writer<'a> {
    pub(super) fn new(shapes: &'a [Shape], names: &'a Names, fresh: &'a HashSet<u64>) -> Writer<'a> {
        Writer {
            shapes,
            names,
            fresh,
            there: HashSet::new(),
            inserted: HashSet::new(),
            awaited: HashSet::new(),
            locked: Vec::new(),
            outcomes: HashMap::new(),
            opened: 0,
            resolved: 0,
            is_strict: false,
        }
    }
}
