//! How long steps take, from the server's counts of rows and a sample that is read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::catalog::{Catalog, Session};
use super::change::{Change, TableChange};
use super::graph::Graph;
use super::names::quoted;

/// Rows of each table that are read for the estimate.
const SAMPLE: u32 = 20_000;

/// What a step does with a row, in times of reading it once. Measured with `IDGEN_SOAK_OPERATIONS` on PostgreSQL 18.6, where
/// the tables are in memory.
mod times {
    /// Reads it and compares the keys.
    pub(super) const READ: f64 = 1.0;
    /// Writes it once more, with an entry of each index of the table.
    pub(super) const WRITE: f64 = 1.0;
    pub(super) const WRITE_ENTRY: f64 = 1.0;
    /// Sorts it into an index.
    pub(super) const SORT: f64 = 1.0;
    /// Looks for the row that it refers to.
    pub(super) const LOOK: f64 = 1.0;
}

/// Seconds of the steps whose time depends on the rows.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Seconds(BTreeMap<&'static str, f64>);

/// A table whose sample was read.
struct Measured<'a> {
    table: &'a TableChange,
    /// Seconds for reading all of its rows once.
    read: f64,
    /// All indexes, also those that do not change.
    indexes: usize,
    keys: usize,
}

/// Reads samples. `None` if a table cannot be read in the time that a statement may take.
pub(super) async fn measure(
    session: &mut Session,
    catalog: &Catalog,
    graph: &Graph,
    change: &Change,
) -> Option<Seconds> {
    let mut measured = Vec::new();
    for (table, found) in change.tables.iter().zip(graph.tables.iter().filter_map(|&id| catalog.table(id))) {
        let name = format!("{}.{}", quoted(&table.schema), quoted(&table.name));
        let sql = format!("SELECT count(hashtext(s::text)) FROM (SELECT * FROM {name} LIMIT {SAMPLE}) AS s");
        // The first time, the server may still have to read its catalog and the blocks.
        session.number(&sql).await.ok()?;
        let begin = Instant::now();
        let read = session.number(&sql).await.ok()?;
        let rows = found.rows.max(read) as f64;
        measured.push(Measured {
            table,
            read: begin.elapsed().as_secs_f64() * rows / read.max(1) as f64,
            indexes: catalog.indexes.iter().filter(|index| index.table == found.id).count(),
            keys: change.keys.iter().filter(|key| key.child.name == table.name).count(),
        });
    }
    Some(Seconds::of(&measured))
}

impl Seconds {
    fn of(tables: &[Measured<'_>]) -> Seconds {
        let sum =
            |times: &dyn Fn(&Measured<'_>) -> f64| tables.iter().map(|of| of.read * times(of)).sum::<f64>();
        let unique = |of: &Measured<'_>| of.table.indexes.iter().filter(|index| index.unique).count() as f64;
        Seconds(BTreeMap::from([
            ("check", sum(&|of| times::READ + times::SORT * unique(of) + times::LOOK * of.keys as f64)),
            ("backfill", sum(&|of| times::WRITE + times::WRITE_ENTRY * of.indexes as f64)),
            ("indexes", sum(&|of| times::SORT * of.table.indexes.len() as f64)),
            ("constraints", sum(&|of| times::READ + times::LOOK * of.keys as f64)),
            ("verify", sum(&|_| times::READ)),
        ]))
    }

    /// What is said of a step.
    pub(super) fn shown(&self, step: &str) -> Option<String> {
        let seconds = *self.0.get(step)?;
        Some(format!("about {}", in_words(seconds)))
    }

    /// What the times are of.
    pub(super) fn fact() -> String {
        format!(
            "Times are from reading {SAMPLE} rows of each table (all, if there are fewer). They are for tables that are in memory, \
             on a server that has time to spare. The copy says how long it will still take."
        )
    }
}

fn in_words(seconds: f64) -> String {
    match Duration::try_from_secs_f64(seconds).map_or(u64::MAX, |time| time.as_secs()) {
        0 => "a second".to_owned(),
        1..120 => format!("{seconds:.0} seconds"),
        120..7200 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}
