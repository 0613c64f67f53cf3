//! Times statements.

use std::time::Instant;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor};

use super::survey::survey;
use super::{Host, Mysql, connect, number, run};
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::experiment::{Case, Statements};
use crate::{Error, Result};
use idgen_record::CaseRecord;

impl Mysql {
    /// Runs and checks each case of an experiment, on one connection, and gives each record to `done`.
    ///
    /// # Errors
    /// Where the server refuses a statement, where a check fails or a file cannot be surveyed, those of
    /// `done`, and `is_interrupted` where the user cancelled: at once, also in the middle of a statement, and a
    /// server of the lab's own is ended then.
    pub fn time(
        &mut self,
        experiment: &Statements,
        cancel: &Cancel,
        done: &mut dyn FnMut(CaseRecord) -> Result<()>,
    ) -> Result<()> {
        self.heed(cancel);
        let host = &self.host;
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
