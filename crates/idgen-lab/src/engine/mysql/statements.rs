//! Times statements.

use std::time::Instant;

use idgen::source::FixedEntropy;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::survey::survey;
use super::{Host, connect, number, run};
use crate::engine::Done;
use crate::experiment::{Case, Statements};
use crate::order::shuffle;
use crate::{Error, Result};
use idgen_record::{CaseRecord, Sample};

/// Where the order of the cases in each round comes from.
pub const ORDER_SEED: u64 = 2_026;

/// Runs and checks each case of an experiment, on one connection: in rounds, so that a slow stretch of the machine slows
/// them all, each in a random order. Gives the record of a case to `done` after each of its runs.
pub fn time_all(host: &Host, experiment: &Statements, done: &mut Done<'_>) -> Result<()> {
    host.wait(async {
        let mut connection = connect(host).await?;
        for sql in &experiment.setup {
            run(&mut connection, sql).await?;
        }
        let mut random = FixedEntropy::new(ORDER_SEED);
        let mut records = vec![CaseRecord::default(); experiment.cases.len()];
        let mut order: Vec<usize> = (0..experiment.cases.len()).collect();
        // The cases of a file may be steps of one table.
        let in_steps = experiment.cases.iter().any(|case| case.file.is_some());
        for _ in 0..experiment.runs {
            if !in_steps {
                shuffle(&mut order, &mut random)?;
            }
            for place in &order {
                let record = &mut records[*place];
                time(host, &mut connection, &experiment.cases[*place], record).await?;
                done(record.clone())?;
            }
        }
        Ok(())
    })
}

/// Runs a case once more.
async fn time(
    host: &Host,
    connection: &mut MySqlConnection,
    case: &Case,
    record: &mut CaseRecord,
) -> Result<()> {
    for sql in &case.prepare {
        run(connection, sql).await?;
    }
    let clock = Instant::now();
    connection
        .fetch_all(AssertSqlSafe(case.sql.clone()))
        .await
        .map_err(|error| Error::engine(format!("the server refused \"{}\"", case.sql), error))?;
    let mut runs = std::mem::take(&mut record.runs);
    runs.push(clock.elapsed().as_secs_f64());
    let mut counted = None;
    if let Some(check) = &case.check {
        let found = number(connection, check).await?;
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
        Some(file) => Some(survey(host, connection, file).await?),
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

/// The median of the runs; not a number where there are none.
pub fn median(runs: &[f64]) -> f64 {
    Sample::of(runs.to_vec()).map_or(f64::NAN, |runs| runs.median())
}
