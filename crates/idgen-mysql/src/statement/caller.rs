//! Runs statements on a connection of the map or of the caller, whichever driver made it.

use futures_util::TryStreamExt;
use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{AssertSqlSafe, Either, Executor};

use crate::error::failure::{Attempt, Failure};
use crate::error::refusal::{Reason, Refusal};
use crate::statement::driver::{DriverAnswer, DriverConnection};
use crate::statement::shadow::Shadow;
use crate::statement::sql::ALL;
use crate::statement::values::{DriverRow, Values};

/// The number of rows that the statement before it changed.
const COUNT: &str = "SELECT ROW_COUNT()";
/// The row that a temporary table with the name of one of the map's would take.
const CLAIM: &str = "a claim";

/// A connection that runs statements: each as a command of its own, or several in one text where that is right.
pub trait Connection: Send {
    type Row: Values;

    /// True if the driver may replace a lost connection by itself, and repeat a statement on it.
    const CONNECTS_AGAIN: bool;

    /// Runs a statement, and returns the number of rows that it changed.
    fn run_one(&mut self, statement: &str) -> impl Future<Output = Attempt<u64>> + Send;

    /// The rows of a statement.
    fn read(&mut self, statement: String) -> impl Future<Output = Attempt<Vec<Self::Row>>> + Send;

    /// Runs a statement after others that must succeed first, and returns the number of rows that it changed. If one of the
    /// others is `SHOW CREATE TABLE`, it fails where a temporary table of the session has the name.
    fn execute_after(
        &mut self,
        checks: &[String],
        statement: &str,
    ) -> impl Future<Output = Attempt<u64>> + Send {
        async move {
            for check in checks {
                for row in self.read(check.clone()).await? {
                    if let Some(refused) = hidden_by(&row, CLAIM)? {
                        return Err(refused);
                    }
                }
            }
            self.run_one(statement).await
        }
    }

    /// Runs an `INSERT` after others that must succeed first, and returns the number of its rows. It is `None` unless two answers of the server agree on it: that of the `INSERT`, and
    /// one that it gives only if it has not refused the `INSERT`. Sets `inserted` once the `INSERT` is done, even if the
    /// second answer fails. Where that takes a command of its own, it asks only if the `INSERT` may pass over rows (`ignore`),
    /// and its number decides.
    fn insert_after(
        &mut self,
        checks: &[String],
        statement: &str,
        ignore: bool,
        inserted: &mut bool,
    ) -> impl Future<Output = Attempt<Option<u64>>> + Send {
        async move {
            let affected = self.execute_after(checks, statement).await?;
            *inserted = true;
            if !ignore {
                return Ok(Some(affected));
            }
            let rows = self.read(COUNT.to_owned() + ALL).await?;
            let count = rows.first().map(|row| row.text(0)).transpose()?.flatten();
            Ok((count.and_then(|count| count.parse().ok()) == Some(affected)).then_some(affected))
        }
    }

    /// Runs statements of which none has an answer with rows that matter, and stops at the first one that fails. Sets `done`
    /// to the number of those that have succeeded.
    fn execute_each(
        &mut self,
        statements: &[String],
        done: &mut usize,
    ) -> impl Future<Output = Attempt<()>> + Send {
        async move {
            for statement in statements {
                self.run_one(statement).await?;
                *done += 1;
            }
            Ok(())
        }
    }

    /// The rows of all these statements.
    fn read_each(&mut self, statements: &[String]) -> impl Future<Output = Attempt<Vec<Self::Row>>> + Send {
        async move {
            let mut rows = Vec::new();
            for statement in statements {
                rows.extend(self.read(statement.clone()).await?);
            }
            Ok(rows)
        }
    }

    /// Runs statements, and then one that reads. Returns the number of rows that the first ones changed, and the rows of the
    /// last one.
    fn read_after(
        &mut self,
        statements: &[String],
        read: String,
    ) -> impl Future<Output = Attempt<(u64, Vec<Self::Row>)>> + Send {
        async move {
            let mut changed = 0;
            for statement in statements {
                changed += self.run_one(statement).await?;
            }
            Ok((changed, self.read(read).await?))
        }
    }
}

/// Several statements in one text take one round trip. On a node of a Galera cluster, [`OneByOne`] keeps them apart.
impl Connection for MySqlConnection {
    type Row = MySqlRow;

    const CONNECTS_AGAIN: bool = false;

    async fn run_one(&mut self, statement: &str) -> Attempt<u64> {
        Ok(self.execute(sqlx::raw_sql(AssertSqlSafe(statement.to_owned()))).await?.rows_affected())
    }

    async fn execute_after(&mut self, checks: &[String], statement: &str) -> Attempt<u64> {
        Ok(run_text(self, checks, statement, &mut false).await?.0)
    }

    async fn insert_after(
        &mut self,
        checks: &[String],
        statement: &str,
        _: bool,
        inserted: &mut bool,
    ) -> Attempt<Option<u64>> {
        // A limit of its own overrides `sql_select_limit` of a caller's connection.
        let statement = format!("{statement}; {COUNT}{ALL}");
        let (changed, counted) = run_text(self, checks, &statement, inserted).await?;
        Ok((counted == Some(changed)).then_some(changed))
    }

    async fn execute_each(&mut self, statements: &[String], done: &mut usize) -> Attempt<()> {
        let mut answers = self.fetch_many(sqlx::raw_sql(AssertSqlSafe(statements.join("; "))));
        while let Some(answer) = answers.try_next().await? {
            *done += usize::from(answer.is_left());
        }
        Ok(())
    }

    async fn read(&mut self, statement: String) -> Attempt<Vec<MySqlRow>> {
        Ok(self.fetch_all(sqlx::raw_sql(AssertSqlSafe(statement))).await?)
    }

    async fn read_each(&mut self, statements: &[String]) -> Attempt<Vec<MySqlRow>> {
        if statements.is_empty() {
            return Ok(Vec::new());
        }
        self.read(statements.join("; ")).await
    }

    async fn read_after(&mut self, statements: &[String], read: String) -> Attempt<(u64, Vec<MySqlRow>)> {
        let texts: Vec<&str> = statements.iter().map(String::as_str).chain([read.as_str()]).collect();
        let mut answers = self.fetch_many(sqlx::raw_sql(AssertSqlSafe(texts.join("; "))));
        let (mut ended, mut changed, mut rows) = (0, 0, Vec::new());
        while let Some(answer) = answers.try_next().await? {
            match answer {
                Either::Left(end) => {
                    changed += if ended < statements.len() { end.rows_affected() } else { 0 };
                    ended += 1;
                }
                Either::Right(row) if ended == statements.len() => rows.push(row),
                Either::Right(_) => {}
            }
        }
        Ok((changed, rows))
    }
}

/// Runs checks and then a statement in one text, which takes one round trip; the server stops at the first one that fails.
/// Returns the number of rows that were changed, and the number that a statement after it selects. Sets `done` once the
/// checks and the statement have ended.
async fn run_text(
    connection: &mut MySqlConnection,
    checks: &[String],
    statement: &str,
    done: &mut bool,
) -> Attempt<(u64, Option<u64>)> {
    let texts: Vec<&str> = checks.iter().map(String::as_str).chain([statement]).collect();
    let text = texts.join("; ");
    let mut answers = connection.fetch_many(sqlx::raw_sql(AssertSqlSafe(text)));
    let (mut ended, mut changed, mut counted, mut hidden) = (0, 0, None, None);
    loop {
        match answers.try_next().await {
            Ok(Some(Either::Left(end))) => {
                ended += 1;
                changed += end.rows_affected();
                *done = ended > checks.len();
            }
            Ok(Some(Either::Right(row))) if *done => {
                counted = row.text(0)?.and_then(|count| count.parse().ok());
            }
            Ok(Some(Either::Right(row))) => hidden = hidden.or(hidden_by(&row, CLAIM)?),
            // If a temporary table hides one of the map's, the result of a statement does not matter, not even its
            // error.
            answer => match (hidden, answer) {
                (Some(refused), _) => return Err(refused),
                (None, Err(error)) => return Err(error.into()),
                (None, Ok(_)) => return Ok((changed, counted)),
            },
        }
    }
}

/// One statement after the other, because most drivers refuse a text of several statements.
impl<C: DriverConnection> Connection for C {
    type Row = DriverRow;

    const CONNECTS_AGAIN: bool = true;

    async fn run_one(&mut self, statement: &str) -> Attempt<u64> {
        Ok(self.run(statement).await.map_err(Failure::Driver)?.affected)
    }

    async fn read(&mut self, statement: String) -> Attempt<Vec<DriverRow>> {
        let DriverAnswer { columns, rows, .. } = self.run(&statement).await.map_err(Failure::Driver)?;
        let columns: std::sync::Arc<[String]> = columns.into();
        Ok(rows.into_iter().map(|values| DriverRow { columns: columns.clone(), values }).collect())
    }
}

/// The refusal of a table that `SHOW CREATE TABLE` described, if it is a temporary one, in which `what` would be lost.
pub(crate) fn hidden_by(row: &impl Values, what: &str) -> Attempt<Option<Failure>> {
    if !row.has("Create Table") || !Shadow::of_definition(row)?.is_some_and(Shadow::is_of_session) {
        return Ok(None);
    }
    let table = row.text(0)?.unwrap_or_default();
    let problem = format!(
        "a temporary table of this session has its name, in which {what} would be lost; drop the temporary table and roll the \
         transaction back"
    );
    let refusal = Refusal::of_caller(Reason::Schema { table, problem });
    Ok(Some(Failure::Refused(Box::new(refusal))))
}
