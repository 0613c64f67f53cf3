//! Checks the contents of the map's tables; their layout is checked elsewhere.

use crate::claim::context::Context;
use crate::claim::state_row::lost;
use crate::connection::nodes::Take;
use crate::error::{Error, Result};
use crate::map::finding::Severity;
use crate::statement::values::Values;
use crate::table::schema::{EPOCHS, State};
use crate::table::tables::unquoted;

const ACTION: &str = "check the map's tables";

/// Returns the problems of the state row, of the tables' kinds, and of the tables' foreign keys.
pub(crate) async fn tables(context: &Context) -> Result<Vec<(Severity, String)>> {
    let mut findings = state_row(context).await?;
    for table in [unquoted(&context.tables.map), &context.tables.state, &context.tables.claim] {
        findings.extend(kind(context, table).await?);
        findings.extend(foreign_keys(context, table).await?);
    }
    Ok(findings)
}

async fn state_row(context: &Context) -> Result<Vec<(Severity, String)>> {
    let (table, map) = (&context.tables.state, &context.tables.map);
    let mut findings = Vec::new();
    let mut find = |text: String| findings.push((Severity::Broken, text));
    let read = format!("SELECT * FROM {table}");
    let mut rows = context.read_rows(ACTION, &read).await?;
    if rows.len() != 1 {
        // One answer alone proves nothing about the table: a real problem is found again.
        rows = context.read_rows(ACTION, &read).await?;
    }
    let states: Vec<State> =
        rows.iter().map(State::of_row).collect::<std::result::Result<_, _>>().map_err(Error::once(ACTION))?;
    let [state] = &states[..] else {
        find(format!(
            "{table} has {} rows: keep the one that the map began with, with one = 1",
            states.len()
        ));
        return Ok(findings);
    };
    let width = context.installed.width;
    if !width.can_be_next(state.next_id) {
        let (next, max) = (state.next_id, width.max_id());
        find(format!("the next id is {next}, and ids of this map are 1 to {max}: fence the map"));
    }
    if state.epoch == 0 {
        find(format!("the epoch in {table} is 0: {EPOCHS}"));
    }
    let pool = &context.pool;
    let found = pool.attempt(Take::Queued, async |connection| lost(&mut **connection, map, state, "").await);
    if let Some(problem) = found.await.map_err(Error::once(ACTION))? {
        find(problem);
    }
    Ok(findings)
}

/// A table that keeps what is deleted, or that is in parts.
async fn kind(context: &Context, table: &str) -> Result<Vec<(Severity, String)>> {
    let of_table = format!("table_schema = DATABASE() AND table_name = '{table}'");
    let mut findings = Vec::new();
    let kind = format!("SELECT table_type FROM information_schema.tables WHERE {of_table}");
    for row in context.read_rows(ACTION, &kind).await? {
        if row.text(0).map_err(Error::once(ACTION))?.is_some_and(|kind| kind == "SYSTEM VERSIONED") {
            let text = format!(
                "{table} has system versioning, whose history keeps UUIDs that were forgotten: run ALTER TABLE {table} DROP \
                 SYSTEM VERSIONING"
            );
            findings.push((Severity::Broken, text));
        }
    }
    let parts = format!(
        "SELECT partition_name FROM information_schema.partitions WHERE {of_table} AND partition_name IS NOT NULL"
    );
    if !context.read_rows(ACTION, &parts).await?.is_empty() {
        let text = format!(
            "{table} is partitioned, which the map is not tested with: run ALTER TABLE {table} REMOVE PARTITIONING"
        );
        findings.push((Severity::Warning, text));
    }
    Ok(findings)
}

/// Foreign keys of the map's own tables, by which changes of other tables delete or change pairs.
async fn foreign_keys(context: &Context, table: &str) -> Result<Vec<(Severity, String)>> {
    let statement = format!(
        "SELECT constraint_name, delete_rule, update_rule FROM information_schema.referential_constraints \
         WHERE constraint_schema = DATABASE() AND table_name = '{table}'"
    );
    let mut findings = Vec::new();
    for row in context.read_rows(ACTION, &statement).await? {
        let name = row.text(0).map_err(Error::once(ACTION))?.unwrap_or_default();
        let rules = [1, 2].map(|at| row.text(at).map_err(Error::once(ACTION)));
        let mut changes = false;
        for rule in rules {
            changes |= rule?.is_some_and(|rule| !matches!(rule.as_str(), "RESTRICT" | "NO ACTION"));
        }
        if changes {
            let text = format!(
                "the foreign key {name} deletes or changes rows of {table} when another table changes: drop it, or use ON \
                 DELETE RESTRICT ON UPDATE RESTRICT"
            );
            findings.push((Severity::Broken, text));
        }
    }
    Ok(findings)
}
