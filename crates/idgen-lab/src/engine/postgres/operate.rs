//! Operations of several kinds on single rows. Each is one statement that commits by itself.

use sqlx::postgres::PgConnection;
use sqlx::{AssertSqlSafe, Row};

use super::doing;
use super::keys::{bind, bind_one, read_key};
use super::plan::{Plan, type_of};
use super::writer::has_code;
use crate::Result;
use crate::engine::step::repeat;
use crate::engine::{Answer, Inserted, Outcome, Step};
use crate::key::Key;

/// The statements, with the name of the table and the type of the key in them.
struct Statements {
    insert: String,
    read: String,
    update: String,
    delete: String,
}

impl Statements {
    fn of(plan: &Plan) -> Self {
        let (rows, kind) = (&plan.rows, type_of(plan.column));
        Statements {
            insert: plan.insert(),
            read: format!("SELECT payload FROM {rows} WHERE id = $1::{kind}"),
            update: format!("UPDATE {rows} SET payload = $2::bytea WHERE id = $1::{kind}"),
            delete: format!("DELETE FROM {rows} WHERE id = $1::{kind}"),
        }
    }
}

/// deadlock_detected, and lock_not_available after a lock timeout.
const LOCK_FAILURES: [&str; 2] = ["40P01", "55P03"];

/// Carries out the operations of one client, which makes each key immediately before it inserts the row.
pub async fn all(
    connection: &mut PgConnection,
    plan: &Plan,
    steps: &[Step<'_>],
    make: impl Fn() -> Result<Key>,
) -> Result<Vec<Answer>> {
    let statements = Statements::of(plan);
    let mut answers = Vec::with_capacity(steps.len());
    for step in steps {
        let key = step.key(&make)?;
        let attempt = async || one(connection, plan, &statements, step, &key).await;
        answers.push(repeat(attempt, |error| has_code(error, &LOCK_FAILURES)).await?);
    }
    Ok(answers)
}

async fn one(
    connection: &mut PgConnection,
    plan: &Plan,
    statements: &Statements,
    step: &Step<'_>,
    key: &Key,
) -> Result<Outcome> {
    let query = |sql: &String| sqlx::query(AssertSqlSafe(sql.clone()));
    match step {
        Step::Insert { payload } => {
            let failed = doing("insert");
            let mut insert = query(&statements.insert);
            if !plan.is_made() {
                insert = bind(insert, &[*key], plan.column)?;
            }
            let insert = insert.bind(vec![payload.to_vec()]);
            let mut number = None;
            if plan.is_made() {
                let row = insert.fetch_one(connection).await.map_err(failed)?;
                if let Key::Uint(made) = read_key(&row, plan.column)? {
                    number = Some(made);
                }
            } else {
                insert.execute(connection).await.map_err(failed)?;
            }
            Ok(Outcome::Inserted(Inserted { key: *key, number }))
        }
        Step::Read(_) => {
            let failed = doing("read a row");
            let query = bind_one(query(&statements.read), key, plan.column)?;
            let row = query.fetch_optional(connection).await.map_err(&failed)?;
            let row = row.ok_or_else(|| step.missed())?;
            Ok(Outcome::Read(row.try_get(0).map_err(failed)?))
        }
        Step::Update { payload, .. } => {
            let query = bind_one(query(&statements.update), key, plan.column)?.bind(*payload);
            let result = query.execute(connection).await.map_err(doing("update a row"))?;
            Outcome::of_changed(step, result.rows_affected())
        }
        Step::Delete(_) => {
            let query = bind_one(query(&statements.delete), key, plan.column)?;
            let result = query.execute(connection).await.map_err(doing("delete a row"))?;
            Outcome::of_changed(step, result.rows_affected())
        }
    }
}
