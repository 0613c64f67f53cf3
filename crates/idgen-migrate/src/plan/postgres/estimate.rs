//! Estimates the least time that steps take, from the server's counts of rows and a sample that is read.

use std::time::Instant;

use super::catalog::Catalog;
use super::graph::Graph;
use super::session::Session;
use crate::plan::duration::in_words;

/// Rows of each table that are read for the estimate.
const SAMPLE: u32 = 20_000;

/// Seconds for reading all rows of all tables once.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading(f64);

/// Reads samples. `None` if a table cannot be read in the time that a statement may take.
pub(super) async fn measure(session: &mut Session, catalog: &Catalog, graph: &Graph) -> Option<Reading> {
    let mut seconds = 0.0;
    for table in graph.tables.iter().filter_map(|&id| catalog.table(id)) {
        let name = table.written();
        let sql = format!("SELECT count(hashtext(s::text)) FROM (SELECT * FROM {name} LIMIT {SAMPLE}) AS s");
        let begin = Instant::now();
        let read = session.number(&sql).await.ok()?;
        seconds += begin.elapsed().as_secs_f64() * table.rows.max(read) as f64 / read.max(1) as f64;
    }
    Some(Reading(seconds))
}

impl Reading {
    /// Describes the time of a step; `None` if it does not depend on the rows.
    pub(super) fn shown(self, step: &str) -> Option<String> {
        let reading = in_words(self.0);
        match step {
            "check" | "verify" => Some(format!("at least {reading}, which reading all rows once takes")),
            "constraints" => Some(format!("more than {reading}, which reading all rows once takes")),
            "backfill" | "indexes" => Some(format!(
                "more than {reading}, which reading all rows once takes; writing takes several times as long"
            )),
            _ => None,
        }
    }

    /// Describes how the times were measured.
    pub(super) fn fact() -> String {
        format!(
            "Times are from reading {SAMPLE} rows of each table (all, if there are fewer). The copy says how long it will still take."
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_lower_bounds() {
        assert_eq!(
            Reading(0.2).shown("verify").unwrap(),
            "at least a second, which reading all rows once takes"
        );
        let backfill = Reading(600.0).shown("backfill").unwrap();
        assert!(backfill.starts_with("more than 10 minutes,"), "{backfill}");
        assert_eq!(Reading(600.0).shown("switch"), None);
    }
}
