//! Times statements on a server, and checks their effects.

use std::time::Instant;

use idgen::source::FixedEntropy;
use idgen_record::{CaseRecord, FileFigures, Sample};

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
    async fn survey(&mut self, file: &File) -> Result<FileFigures>;
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
    let mut records = vec![CaseRecord::default(); experiment.cases.len()];
    let mut order: Vec<usize> = (0..experiment.cases.len()).collect();
    for _ in 0..experiment.runs {
        if !experiment.is_in_steps() {
            shuffle(&mut order, &mut random)?;
        }
        for place in &order {
            let record = &mut records[*place];
            time(client, &experiment.cases[*place], record).await?;
            done(record.clone())?;
        }
    }
    Ok(())
}

/// Runs a case one more time.
async fn time(client: &mut impl Client, case: &Case, record: &mut CaseRecord) -> Result<()> {
    for sql in &case.prepare {
        client.run(sql).await?;
    }
    let clock = Instant::now();
    client.fetch(&case.sql).await?;
    let mut runs = std::mem::take(&mut record.runs);
    runs.push(clock.elapsed().as_secs_f64());
    let mut counted = None;
    if let Some(check) = &case.check {
        let found = client.number(check).await?;
        if case.expects.as_ref().is_some_and(|expected| *expected != found) {
            return Err(Error::unverified(format!(
                "\"{check}\" gave {found} after \"{}\", not {}",
                case.sql,
                case.expects.as_deref().unwrap_or_default()
            )));
        }
        counted = Some(found);
    }
    let file = match &case.file {
        Some(file) => Some(client.survey(file).await?),
        None => None,
    };
    *record = CaseRecord {
        name: case.name.clone(),
        sql: case.sql.clone(),
        secs: median(&runs),
        runs,
        counted,
        published_secs: case.published_secs,
        published_tolerance: case.file.as_ref().and_then(|file| file.tolerance),
        file,
        ..CaseRecord::default()
    };
    Ok(())
}

/// The median of the runs; NaN if there are none.
pub(in crate::engine) fn median(runs: &[f64]) -> f64 {
    Sample::of(runs.to_vec()).map_or(f64::NAN, |runs| runs.median())
}
