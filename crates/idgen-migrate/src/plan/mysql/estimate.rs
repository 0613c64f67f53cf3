//! Estimates the time that steps take, from the server's counts of rows and a sample that is read.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::catalog::Table;
use super::quote::{name, text};
use super::session::Session;
use crate::plan::data::Engine;
use crate::plan::duration::{TRIALS, in_words, of_trial, rows_of_trial, seconds_of_all};
use idgen_database::Result;

/// Rows of each table that are read for the estimate.
const SAMPLE: u64 = 5_000;

#[derive(Default)]
pub(super) struct Estimates {
    tables: BTreeMap<String, Estimate>,
}

struct Estimate {
    rows: u64,
    /// Unknown if the statistics are older than most rows, and the size of the file cannot be read.
    bytes: Option<u64>,
    read: u64,
    took: Duration,
    /// Rows that were copied into a temporary table, and how long that took.
    trial: Option<(u64, Duration)>,
}

impl Estimates {
    pub(super) async fn measure(&mut self, session: &mut Session, table: &Table) -> Result<()> {
        let columns: Vec<_> = table.columns.iter().map(|column| name(&column.name)).collect();
        // One by one: columns of two collations have none together.
        let sums: Vec<_> =
            columns.iter().map(|column| format!("COALESCE(CRC32(sample.{column}), 0)")).collect();
        let sql = format!(
            "SELECT COUNT(*), SUM({}) FROM (SELECT {} FROM {} LIMIT {SAMPLE}) AS sample",
            sums.join(" + "),
            columns.join(", "),
            name(&table.name)
        );
        let begin = Instant::now();
        let read = session.text(&sql).await?.parse().unwrap_or(0);
        let took = begin.elapsed();
        // Each row has an id of 16 bytes.
        let is_old = table.bytes < 16 * table.rows.max(read);
        let bytes = match file_size(session, &table.name).await {
            Some(size) => Some(size.max(table.bytes)),
            None => (!is_old).then_some(table.bytes),
        };
        let estimate = Estimate { rows: table.rows, bytes, read, took, trial: None };
        self.tables.insert(table.name.clone(), estimate);
        Ok(())
    }

    /// Applies [`rows_of_trial`] to a table that was [measured](Estimates::measure); `most` if it was not.
    pub(super) fn rows_of_trial(&self, table: &str, most: u64) -> u64 {
        self.tables.get(table).map_or(most, |of| rows_of_trial(most, of.rows, of.bytes.unwrap_or(0)))
    }

    pub(super) fn add_trial(&mut self, table: &str, trial: (u64, Duration)) {
        if let Some(estimate) = self.tables.get_mut(table) {
            estimate.trial = Some(trial);
        }
    }

    pub(super) fn facts(&self) -> Vec<String> {
        let facts = self.tables.iter().map(|(table, of)| {
            let size = match of.bytes {
                Some(bytes) => format!("{} of data and indexes, as the server estimates", mebibytes(bytes)),
                None => "a size that the server's statistics do not show: they are older than most rows (ANALYZE TABLE)".into(),
            };
            format!(
                "{table} has about {} rows and {size}. The new table needs at most as \
                 much again until the last step; a binary log of rows gets less than that (more for compressed tables). Reading {} rows took {}.",
                of.rows.max(of.read),
                of.read,
                milliseconds(of.took)
            )
        });
        let with_trials = self.tables.values().any(|of| of.trial.is_some());
        facts.chain(with_trials.then(|| TRIALS.to_owned())).collect()
    }

    /// Describes the time for reading all rows of all tables once; `None` if it is unknown for one of them.
    pub(super) fn reading(&self) -> Option<String> {
        let all: Option<Vec<f64>> = self.tables.values().map(Estimate::seconds).collect();
        Some(format!("at least {}, which reading all rows once takes", in_words(all?.iter().sum())))
    }

    pub(super) fn copy(&self, table: &str) -> Option<String> {
        let estimate = self.tables.get(table)?;
        if let Some((rows @ 1.., took)) = estimate.trial {
            return Some(of_trial(rows, took, seconds_of_all(took, rows, estimate.rows)));
        }
        let seconds = estimate.seconds()?;
        Some(format!(
            "more than {}, which reading all rows once takes; writing them takes several times as long",
            in_words(seconds)
        ))
    }
}

/// The size of the table's file, which needs the privilege PROCESS. The statistics of a table may be older than most of its rows.
async fn file_size(session: &mut Session, table: &str) -> Option<u64> {
    let list = if session.engine == Engine::MySql { "INNODB_TABLESPACES" } else { "INNODB_SYS_TABLESPACES" };
    let sql = format!(
        "SELECT CAST(FILE_SIZE AS CHAR) FROM information_schema.{list} WHERE NAME = CONCAT(DATABASE(), '/', {})",
        text(table)
    );
    session.text(&sql).await.ok()?.parse().ok()
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
