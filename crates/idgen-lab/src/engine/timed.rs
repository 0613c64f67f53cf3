//! Times statements on a server, and checks their effects.

use std::time::Instant;

use idgen::source::FixedEntropy;
use idgen_record::{Run, StrategyRecord, Totals, TreeFigures};
use innodb_pages::Distribution;

use super::Done;
use crate::experiment::{Case, File, Statements};
use crate::order::shuffle;
use crate::{Error, Result};

/// The seed for the random order of the cases in each round.
pub const ORDER_SEED: u64 = 2_026;

/// A connection on which statements are timed.
pub(in crate::engine) trait Client {
    /// Runs a statement that returns nothing.
    async fn run(&mut self, sql: &str) -> Result<()>;

    /// Runs a statement, and fetches all rows that it returns.
    async fn fetch(&mut self, sql: &str) -> Result<()>;

    /// The single value that a statement returns, as text.
    async fn number(&mut self, sql: &str) -> Result<String>;

    /// Surveys a table, and compares its rows with the number that the server counts.
    async fn survey(&mut self, file: &File) -> Result<Surveyed>;
}

/// A table as a statement left it.
pub(in crate::engine) struct Surveyed {
    /// Rows in it.
    pub rows: u64,
    /// Bytes of its file, including pages that no index uses; or of its heap and its indexes.
    pub bytes: u64,
    /// Bytes of the heap, in which the rows lie: a part of `bytes`. `None` where the rows lie in the first
    /// index.
    pub heap_bytes: Option<u64>,
    /// The indexes: the clustered one, the table itself, first; beside a heap, that of the primary key.
    pub indexes: Vec<TreeFigures>,
}

impl Surveyed {
    /// The figures of the table. Each index holds the key once; beside a heap only the index of the primary key does, and
    /// the heap.
    fn totals(&self, key_bytes: Option<u32>) -> Totals {
        let per_row = |bytes: u64| bytes as f64 / self.rows.max(1) as f64;
        let pages = self.indexes.iter().map(|index| index.bytes).sum::<u64>() + self.heap_bytes.unwrap_or(0);
        let copies = if self.heap_bytes.is_some() { 2 } else { self.indexes.len() };
        let fill = |of: fn(&TreeFigures) -> f64| self.indexes.first().map_or(f64::NAN, of);
        Totals {
            fill_mean: fill(|index| index.fill_mean),
            fill_p10: fill(|index| index.fill_p10),
            bytes_per_row: per_row(pages),
            allocated_bytes_per_row: Some(per_row(self.bytes)),
            heap_bytes_per_row: self.heap_bytes.map(per_row),
            key_bytes_per_row: key_bytes.map(|bytes| f64::from(bytes) * copies as f64),
            ..Totals::of(self.rows, f64::NAN)
        }
    }
}

/// The index with its page fill.
pub(in crate::engine) fn filled(index: TreeFigures, fill: &Distribution) -> TreeFigures {
    let (fill_mean, fill_p10) = (fill.mean, fill.p10);
    TreeFigures { fill_mean, fill_p10, fill_histogram: fill.histogram.into(), ..index }
}

/// Runs and checks each case of an experiment on one connection. The cases run in rounds, each round in a random order,
/// so that a phase in which the machine is slow affects all of them. Passes the record of a case to `done` after each
/// of its runs.
pub(in crate::engine) async fn time_all(
    client: &mut impl Client,
    experiment: &Statements,
    done: &mut Done<'_>,
) -> Result<()> {
    for sql in &experiment.setup {
        client.run(sql).await?;
    }
    let mut random = FixedEntropy::new(ORDER_SEED);
    let mut taken: Vec<Vec<(u64, Run)>> = vec![Vec::new(); experiment.cases.len()];
    let mut order: Vec<usize> = (0..experiment.cases.len()).collect();
    for _ in 0..experiment.runs {
        if !experiment.is_in_steps() {
            shuffle(&mut order, &mut random)?;
        }
        for place in &order {
            let runs = &mut taken[*place];
            runs.push((ORDER_SEED, time(client, &experiment.cases[*place]).await?));
            Run::of_repeats(runs.clone()).map_or(Ok(()), &mut *done)?;
        }
    }
    Ok(())
}

/// Runs a case once.
async fn time(client: &mut impl Client, case: &Case) -> Result<Run> {
    for sql in &case.prepare {
        client.run(sql).await?;
    }
    let clock = Instant::now();
    client.fetch(&case.sql).await?;
    let secs = clock.elapsed().as_secs_f64();
    let mut counted = None;
    if let Some(check) = &case.check {
        let found = client.number(check).await?;
        let unverified =
            |what| Error::unverified(format!("\"{check}\" gave {found} after \"{}\", {what}", case.sql));
        if let Some(expected) = case.expects.as_ref().filter(|expected| **expected != found) {
            return Err(unverified(format!("not {expected}")));
        }
        counted = Some(found.parse().map_err(|_| unverified("which is not a number".into()))?);
    }
    let strategy = StrategyRecord {
        name: case.name.clone(),
        title: case.name.clone(),
        explains: case.sql.clone(),
        key: None,
    };
    let Some(file) = &case.file else {
        return Ok(Run::of(strategy, Totals { counted, ..Totals::of(0, secs) }));
    };
    let found = client.survey(file).await?;
    let totals = Totals { secs, counted, ..found.totals(file.key_bytes) };
    Ok(Run { trees: found.indexes, ..Run::of(strategy, totals) })
}

#[cfg(test)]
mod tests {
    use super::*;
    use idgen_record::Role;

    #[test]
    fn each_index_holds_a_copy_of_the_key() {
        let fill = Distribution::of(vec![0.5]);
        let one = filled(TreeFigures::index("a", Role::Rows, 10, [1, 0], 600), &fill);
        let mut found = Surveyed { rows: 10, bytes: 5_000, heap_bytes: None, indexes: vec![one; 6] };
        let totals = found.totals(Some(36));
        assert_eq!((totals.bytes_per_row, totals.allocated_bytes_per_row), (360.0, Some(500.0)));
        assert_eq!((totals.key_bytes_per_row, totals.fill_mean), (Some(216.0), 0.5));
        found.heap_bytes = Some(1_200);
        let totals = found.totals(Some(36));
        assert_eq!((totals.heap_bytes_per_row, totals.bytes_per_row), (Some(120.0), 480.0));
        assert_eq!(totals.key_bytes_per_row, Some(72.0));
        assert_eq!(found.totals(None).key_bytes_per_row, None);
    }
}
