//! How long steps take, from the server's counts of rows and a sample that is read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::catalog::Table;
use super::quote::name;
use super::session::Session;
use crate::error::Result;

/// Rows of each table that are read for the estimate.
const SAMPLE: u64 = 5_000;

#[derive(Default)]
pub(super) struct Estimates {
    tables: BTreeMap<String, Estimate>,
}

struct Estimate {
    rows: u64,
    bytes: u64,
    read: u64,
    took: Duration,
}

impl Estimates {
    pub(super) async fn measure(&mut self, session: &mut Session, table: &Table) -> Result<()> {
        let columns: Vec<_> =
            table.columns.iter().map(|column| format!("sample.{}", name(&column.name))).collect();
        let sql = format!(
            "SELECT COUNT(*), SUM(CRC32(CONCAT_WS(' ', {}))) FROM (SELECT * FROM {} LIMIT {SAMPLE}) AS sample",
            columns.join(", "),
            name(&table.name)
        );
        let begin = Instant::now();
        let read = session.text(&sql).await?.parse().unwrap_or(0);
        let estimate = Estimate { rows: table.rows, bytes: table.bytes, read, took: begin.elapsed() };
        self.tables.insert(table.name.clone(), estimate);
        Ok(())
    }

    pub(super) fn facts(&self) -> Vec<String> {
        let facts = self.tables.iter().map(|(table, of)| {
            format!(
                "{table} has about {} rows and {} of data and indexes, as the server estimates. The new table needs at most as \
                 much again until the last step. Reading {} rows took {}.",
                of.rows,
                mebibytes(of.bytes),
                of.read,
                milliseconds(of.took)
            )
        });
        facts.collect()
    }

    /// Of reading all rows of all tables once.
    pub(super) fn reading(&self) -> Option<String> {
        let all: Option<Vec<f64>> = self.tables.values().map(Estimate::seconds).collect();
        Some(format!("at least {}, which reading all rows once takes", in_words(all?.iter().sum())))
    }

    pub(super) fn copy(&self, table: &str) -> Option<String> {
        let seconds = self.tables.get(table)?.seconds()?;
        Some(format!(
            "more than {}, which reading all rows once takes; writing them takes several times as long",
            in_words(seconds)
        ))
    }
}

impl Estimate {
    fn seconds(&self) -> Option<f64> {
        (self.read > 0).then(|| self.took.as_secs_f64() * self.rows.max(self.read) as f64 / self.read as f64)
    }
}

fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20))
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

fn in_words(seconds: f64) -> String {
    match seconds {
        ..1.0 => "a second".to_owned(),
        ..120.0 => format!("{seconds:.0} seconds"),
        ..7200.0 => format!("{:.0} minutes", seconds / 60.0),
        _ => format!("{:.0} hours", seconds / 3600.0),
    }
}
