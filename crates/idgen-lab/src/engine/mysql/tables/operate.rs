//! Operations of several kinds on single rows. Each is one statement that commits by itself.

use std::time::Duration;

use idgen_server::Plain;
use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Row};

use super::keys::bind;
use super::plan::Plan;
use super::reference;
use crate::engine::mysql::doing;
use crate::engine::step::repeat;
use crate::engine::{Answer, Inserted, Outcome, Step};
use crate::key::Key;
use crate::{Error, Result};
use idgen_record::Column;

/// The deadline for the purge to remove deleted rows.
pub const PURGE_LIMIT: Duration = Duration::from_secs(300);
/// The time between two checks whether the purge has finished.
pub const PURGE_STEP: Duration = Duration::from_millis(500);

/// The statements, with the name of the table in them.
struct Statements {
    insert: String,
    read: String,
    update: String,
    delete: String,
}

impl Statements {
    fn of(plan: &Plan) -> Self {
        let rows = &plan.rows;
        Statements {
            insert: plan.insert(1),
            read: format!("SELECT payload FROM {rows} WHERE id = ?"),
            update: format!("UPDATE {rows} SET payload = ? WHERE id = ?"),
            delete: format!("DELETE FROM {rows} WHERE id = ?"),
        }
    }
}

/// Carries out the operations of one client, which makes each key immediately before it inserts the row.
pub async fn all(
    connection: &mut MySqlConnection,
    plan: &Plan,
    steps: &[Step<'_>],
    make: impl Fn() -> Result<Key>,
) -> Result<Vec<Answer>> {
    let statements = Statements::of(plan);
    let mut answers = Vec::with_capacity(steps.len());
    for step in steps {
        let key = step.key(&make)?;
        let attempt = async || one(connection, plan, &statements, step, &key).await;
        answers.push(repeat(attempt, is_lock_failure).await?);
    }
    Ok(answers)
}

fn is_lock_failure(error: &Error) -> bool {
    let cause =
        std::error::Error::source(error).and_then(|cause| cause.downcast_ref::<Plain>()).map(Plain::inner);
    cause.is_some_and(reference::is_lock_failure)
}

async fn one(
    connection: &mut MySqlConnection,
    plan: &Plan,
    statements: &Statements,
    step: &Step<'_>,
    key: &Key,
) -> Result<Outcome> {
    let query = |sql: &String| sqlx::query(AssertSqlSafe(sql.clone()));
    match step {
        Step::Insert { payload } => {
            let query = bind(query(&statements.insert), key, plan.column).bind(*payload);
            let result = query.execute(connection).await.map_err(doing("insert"))?;
            let number = (plan.column == Column::CountedInteger).then_some(result.last_insert_id());
            Ok(Outcome::Inserted(Inserted { key: *key, number }))
        }
        Step::Read(_) => {
            let failed = doing("read a row");
            let query = bind(query(&statements.read), key, plan.column);
            let row = query.fetch_optional(connection).await.map_err(&failed)?;
            let row = row.ok_or_else(|| step.missed())?;
            Ok(Outcome::Read(row.try_get_unchecked(0).map_err(failed)?))
        }
        Step::Update { payload, .. } => {
            let query = bind(query(&statements.update).bind(*payload), key, plan.column);
            let result = query.execute(connection).await.map_err(doing("update a row"))?;
            Outcome::of_changed(step, result.rows_affected())
        }
        Step::Delete(_) => {
            let query = bind(query(&statements.delete), key, plan.column);
            let result = query.execute(connection).await.map_err(doing("delete a row"))?;
            Outcome::of_changed(step, result.rows_affected())
        }
    }
}
