//! Times statements.

use std::time::Instant;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{Mysql, connect, doing, run};
use crate::experiment::{Case, CaseRecord, Statements};
use crate::runner::Cancel;
use crate::{Error, Result};

/// How often each case is run; the median counts.
const RUNS: usize = 3;

impl Mysql {
    /// Runs and checks each case of an experiment, on one connection.
    ///
    /// # Errors
    /// Where the server refuses a statement, where a check fails, and `is_interrupted` where the user
    /// cancelled.
    pub fn time(&mut self, experiment: &Statements, cancel: &Cancel) -> Result<Vec<CaseRecord>> {
        let host = &self.host;
        host.runtime.block_on(async {
            let mut connection = connect(host).await?;
            for sql in &experiment.setup {
                run(&mut connection, sql).await?;
            }
            let mut records = Vec::with_capacity(experiment.cases.len());
            for case in &experiment.cases {
                cancel.check()?;
                records.push(time(&mut connection, case).await?);
            }
            Ok(records)
        })
    }
}

async fn time(connection: &mut MySqlConnection, case: &Case) -> Result<CaseRecord> {
    let mut runs = Vec::with_capacity(RUNS);
    let mut counted = None;
    for _ in 0..RUNS {
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
    let mut sorted = runs.clone();
    sorted.sort_by(f64::total_cmp);
    Ok(CaseRecord {
        name: case.name.clone(),
        sql: case.sql.clone(),
        secs: sorted[sorted.len() / 2],
        runs,
        counted,
        published_secs: case.published_secs,
    })
}

async fn number(connection: &mut MySqlConnection, sql: &str) -> Result<String> {
    let failed = doing("check what a statement did");
    let row = connection.fetch_one(AssertSqlSafe(sql.to_owned())).await.map_err(&failed)?;
    row.try_get_unchecked(0).map_err(&failed)
}
