//! Times statements.

use std::time::Instant;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::survey::survey;
use super::{Host, connect, number, run};
use crate::engine::Done;
use crate::experiment::{Case, Statements};
use crate::{Error, Result};
use idgen_record::CaseRecord;

/// Runs and checks each case of an experiment, on one connection, and gives each record to `done`.
pub fn time_all(host: &Host, experiment: &Statements, done: &mut Done<'_>) -> Result<()> {
    host.wait(async {
        let mut connection = connect(host).await?;
        for sql in &experiment.setup {
            run(&mut connection, sql).await?;
        }
        for case in &experiment.cases {
            done(time(host, &mut connection, case, experiment.runs).await?)?;
        }
        Ok(())
    })
}

async fn time(host: &Host, connection: &mut MySqlConnection, case: &Case, times: u32) -> Result<CaseRecord> {
    let mut runs = Vec::with_capacity(times as usize);
    let mut counted = None;
    for _ in 0..times {
        for sql in &case.prepare {
            run(connection, sql).await?;
        }
        let clock = Instant::now();
        connection
            .fetch_all(AssertSqlSafe(case.sql.clone()))
            .await
            .map_err(|error| Error::engine(format!("the server refused \"{}\"", case.sql), error))?;
        runs.push(clock.elapsed().as_secs_f64());
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
    }
    let file = match &case.file {
        Some(file) => Some(survey(host, connection, file).await?),
        None => None,
    };
    Ok(CaseRecord {
        name: case.name.clone(),
        sql: case.sql.clone(),
        secs: median(&runs),
        runs,
        counted,
        published_secs: case.published_secs,
        file,
        ..CaseRecord::default()
    })
}

/// The middle of the runs; of an even number the longer of the two.
pub fn median(runs: &[f64]) -> f64 {
    let mut sorted = runs.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
