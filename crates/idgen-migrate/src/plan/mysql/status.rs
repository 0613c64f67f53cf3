//! Reads the ledgers of plans, and what their next steps would wait for.

mod blocked;

use super::ledger;
use super::names::ending;
use super::quote::{name, text, with_ending};
use crate::plan::data::Engine;
use crate::plan::identity;
use crate::plan::status::cells::{cell, texts};
use crate::plan::status::data::{Copied, State, Status, StepStatus};
use idgen_database::{Cell, Database, Error, Result, Rows, Session};

/// The schema that the URL names.
pub(crate) async fn schema(session: &mut Session) -> Result<Option<String>> {
    let rows = session.catalog("the schema of the session", "SELECT DATABASE()").await?;
    Ok(rows.first().and_then(|row| row.first()).and_then(Cell::text))
}

/// The plans of one schema, or of all that the account sees.
pub(crate) async fn read(session: &mut Session, schema: Option<&str>) -> Result<Vec<Status>> {
    let only = schema.map(|schema| format!(" AND TABLE_SCHEMA = {}", text(schema))).unwrap_or_default();
    let found = session
        .catalog(
            "ledgers of plans",
            &format!(
                "SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES WHERE TABLE_NAME RLIKE \
                 '^idgen_[a-z][a-z0-9]{{{}}}_steps$' AND TABLE_COMMENT = {}{only} ORDER BY TABLE_NAME, TABLE_SCHEMA",
                identity::LENGTH - 1,
                text(ledger::COMMENT)
            ),
        )
        .await?;
    let mut plans = Vec::new();
    for row in texts(&found) {
        let [schema, ledger] = &row[..] else { continue };
        let id = ledger.trim_start_matches("idgen_").trim_end_matches("_steps");
        plans.extend(plan(session, schema, id).await?);
    }
    Ok(plans)
}

/// Names the tables of a plan, which are in the schema of the tables that it changes.
struct Ledger<'a> {
    schema: &'a str,
    id: &'a str,
}

impl Ledger<'_> {
    /// A table of the plan, in its schema.
    fn own(&self, table: &str) -> String {
        self.table(&format!("idgen_{}_{table}", self.id))
    }

    fn table(&self, table: &str) -> String {
        format!("{}.{}", name(self.schema), name(table))
    }
}

/// One plan; none if its ledger was dropped meanwhile.
async fn plan(session: &mut Session, schema: &str, id: &str) -> Result<Option<Status>> {
    let ledger = Ledger { schema, id };
    let sql = format!(
        "SELECT step, file, state, begun, ended, session, account FROM {} ORDER BY place",
        ledger.own("steps")
    );
    let Some(rows) = there(session.rows("the ledger of a plan", &sql, &[]).await)? else { return Ok(None) };
    let lock = format!("SELECT IS_USED_LOCK({})", text(&format!("idgen_{id}")));
    let lock = session.catalog("the session that executes a file", &lock).await?;
    let at_work = lock.first().and_then(|row| row.first()).and_then(Cell::text);
    let mut rows = texts(&rows).into_iter();
    // The first row is about the plan itself.
    let about = rows.next().unwrap_or_default();
    let (target, tables) = (cell(&about, 0), cell(&about, 1));
    let steps: Vec<StepStatus> = rows.map(|row| StepStatus::of_row(&row, at_work.is_some())).collect();
    let next = steps.iter().find(|step| step.state != State::Done);
    let mut status = Status {
        id: id.to_owned(),
        engine: if session.engine == Database::MySql { Engine::MySql } else { Engine::MariaDb },
        schema: schema.to_owned(),
        target,
        tables: copies(session, &ledger, tables.split(", ")).await?,
        next: next.map(|step| match step.state {
            State::RunningBack | State::StoppedBack => format!("undo/{}", step.file),
            _ => step.file.clone(),
        }),
        steps,
        session: at_work,
        blocked: Vec::new(),
        unread: Vec::new(),
    };
    blocked::add(session, &ledger, &mut status).await;
    Ok(Some(status))
}

/// The tables with their copies. Before `new-tables`, there are none.
async fn copies(
    session: &mut Session,
    ledger: &Ledger<'_>,
    tables: impl Iterator<Item = &str>,
) -> Result<Vec<Copied>> {
    let tables: Vec<&str> = tables.collect();
    let names: Vec<_> = tables.iter().map(|table| text(table)).collect();
    session.read_fresh_statistics();
    let estimates = session
        .catalog(
            "estimated rows",
            &format!(
                "SELECT TABLE_NAME, TABLE_ROWS FROM information_schema.TABLES WHERE TABLE_SCHEMA = {} AND TABLE_NAME IN ({})",
                text(ledger.schema),
                names.join(", ")
            ),
        )
        .await?;
    let estimates = texts(&estimates);
    let ending = ending(ledger.id, "at");
    let positions: Vec<_> = tables
        .iter()
        .enumerate()
        .map(|(at, table)| {
            let position = ledger.table(&with_ending(table, &ending));
            format!("SELECT {at}, rows_copied, finished FROM {position}")
        })
        .collect();
    let positions = positions.join(" UNION ALL ");
    let positions = there(session.rows("positions of copies", &positions, &[]).await)?.unwrap_or_default();
    let positions = texts(&positions);
    let copied = |(at, table): (usize, &&str)| {
        let of_rows = estimates.iter().find(|row| cell(row, 0) == **table);
        let of_rows = of_rows.and_then(|row| cell(row, 1).parse::<u64>().ok());
        let position = positions.iter().find(|row| cell(row, 0) == at.to_string());
        let rows = position.and_then(|row| cell(row, 1).parse().ok()).unwrap_or(0);
        let part = position.and(of_rows).map(|of| (rows as f64 / of.max(1) as f64).min(1.0));
        Copied {
            table: (*table).to_owned(),
            rows,
            of_rows,
            part,
            is_finished: position.is_some_and(|row| cell(row, 2) == "1"),
            rows_per_second: None,
            seconds_left: None,
        }
    };
    Ok(tables.iter().enumerate().map(copied).collect())
}

/// The answer; `None` if a table of it is not there.
fn there(answer: std::result::Result<Rows, idgen_database::Refused>) -> Result<Option<Rows>> {
    match answer {
        Ok(rows) => Ok(Some(rows)),
        Err(refused) if refused.why.contains("doesn't exist") => Ok(None),
        Err(refused) => Err(Error::new(format!("cannot read the ledger of a plan: {}", refused.why))),
    }
}
