//! Reads the state of the map's tables once a second, in addition to the server's settings and the state row: triggers
//! that can change what is stored, engines, definitions, and whether the tables are still those in which its pairs were
//! stored.

use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::error::failure::Attempt;
use crate::error::refusal::Reason;
use crate::installed::Index;
use crate::statement::caller::Connection;
use crate::statement::sql::SHARED;
use crate::statement::values::Values;
use crate::table::marker::marker;
use crate::table::table_kind::{VIEW, other_engine};
use crate::table::tables::{Tables, unquoted};
use crate::table::triggers::assigned;

/// The result of a reading of the tables.
pub(crate) enum Looked {
    /// They must not be used.
    Refused(Reason),
    /// Their definitions: columns, keys and constraints. `None` if a table is not there.
    Defined(Option<Vec<String>>),
}

/// Reads the state of the tables. `known` are ids and their UUIDs that the map is known to hold.
pub(crate) async fn look(
    connection: &mut MySqlConnection,
    tables: &Tables,
    index: Index,
    known: &[(u64, Uuid)],
) -> Attempt<Looked> {
    // Vitess has no triggers, and other engines and definitions only where its operators chose them.
    if tables.places.is_some() {
        return Ok(Looked::Defined(Some(Vec::new())));
    }
    let names = watched(tables).map(|(table, _)| table);
    let mut parts =
        vec![names.map(triggers_of).join(" UNION ALL "), names.map(engine_of).join(" UNION ALL ")];
    parts.push(show_definitions(tables, index));
    let mut definitions = Vec::new();
    let pairs = |lock: &str| {
        let list: Vec<String> = known.iter().map(|(id, _)| id.to_string()).collect();
        let (map, list) = (&tables.map, list.join(","));
        // A locking read of the whole table would wait for every open transaction with a new pair.
        let from = format!("{map} FORCE INDEX (PRIMARY)");
        format!("SELECT 'pair' AS watch, id AS name, '' AS what, uuid FROM {from} WHERE id IN ({list}){lock}")
    };
    if !known.is_empty() {
        parts.push(pairs(""));
    }
    let is_known = |id: Option<u64>, uuid: Uuid| {
        id.is_some_and(|id| known.iter().any(|pair| pair.0 == id && is_pair(uuid, *pair)))
    };
    let mut found = known.is_empty();
    let rows = match connection.read(parts.join("; ")).await {
        Ok(rows) => rows,
        Err(failure) if failure.is_no_index() => {
            // Only a view has no such index: the column is required at the client's first use.
            let problem = VIEW.to_owned();
            let table = unquoted(&tables.map).to_owned();
            return Ok(Looked::Refused(Reason::Schema { table, problem }));
        }
        Err(failure) if failure.is_no_table() => return Ok(Looked::Defined(None)),
        Err(failure) => return Err(failure),
    };
    for row in rows {
        if row.has("Create Table") || row.has("View") {
            definitions.push(row.text(1)?.unwrap_or_default());
            continue;
        }
        let kind = row.text(0)?;
        if kind.as_deref() == Some("pair") {
            found |= is_known(row.number(1)?, row.uuid(3)?);
            continue;
        }
        let (name, what) = (row.text(1)?.unwrap_or_default(), row.text(2)?.unwrap_or_default());
        let problem = match kind.as_deref() {
            Some("trigger") => changes(tables, &name, &what, &row.text(3)?.unwrap_or_default()),
            _ => Some(other_engine(&name, &what)),
        };
        if let Some(problem) = problem {
            return Ok(Looked::Refused(Reason::Schema { table: name, problem }));
        }
    }
    if !found {
        // A proxy may have sent the plain read to a server that lags behind, and sends a locking read to the one that takes
        // writes.
        for row in connection.read(pairs(SHARED)).await? {
            found |= is_known(row.number(1)?, row.uuid(3)?);
        }
    }
    Ok(match known.last().filter(|_| !found) {
        Some((id, _)) => {
            Looked::Refused(Reason::Replaced { table: unquoted(&tables.map).to_owned(), id: *id })
        }
        None => Looked::Defined(Some(definitions)),
    })
}

/// The definitions of the tables, as [`look`] reads them.
pub(crate) async fn definitions(
    connection: &mut MySqlConnection,
    tables: &Tables,
    index: Index,
) -> Attempt<Vec<String>> {
    if tables.places.is_some() {
        return Ok(Vec::new());
    }
    match connection.read(show_definitions(tables, index)).await {
        Ok(rows) => rows.iter().map(|row| Ok(row.text(1)?.unwrap_or_default())).collect(),
        // The query for the columns reports which table is not there.
        Err(failure) if failure.is_no_table() => Ok(Vec::new()),
        Err(failure) => Err(failure),
    }
}

fn show_definitions(tables: &Tables, index: Index) -> String {
    let claim = (index == Index::Dedup).then_some(&tables.claim);
    let names = [&tables.map, &tables.state].into_iter().chain(claim);
    names.map(|table| format!("SHOW CREATE TABLE {table}")).collect::<Vec<_>>().join("; ")
}

/// Returns true if this is the UUID of the pair, or the marker that replaces a forgotten one.
fn is_pair(stored: Uuid, (id, uuid): (u64, Uuid)) -> bool {
    stored == uuid || stored == marker(id)
}

/// The tables on which every pair depends, and the columns that a trigger must not change.
fn watched(tables: &Tables) -> [(&str, &'static [&'static str]); 3] {
    [
        (unquoted(&tables.map), &["id", "uuid"]),
        (&tables.state, &["one", "version", "strategy", "id_bits", "next_id", "map_id", "epoch"]),
        (&tables.claim, &["uuid", "turn"]),
    ]
}

/// One table in each `SELECT`: for several, MariaDB would read the whole schema.
fn triggers_of(table: &str) -> String {
    format!(
        "SELECT 'trigger' AS watch, event_object_table AS name, trigger_name AS what, action_statement \
         FROM information_schema.triggers WHERE event_object_schema = DATABASE() AND event_object_table = '{table}' \
         AND action_timing = 'BEFORE' AND event_manipulation IN ('INSERT', 'UPDATE')"
    )
}

fn engine_of(table: &str) -> String {
    format!(
        "SELECT 'engine' AS watch, table_name AS name, engine AS what, '' FROM information_schema.tables \
         WHERE table_schema = DATABASE() AND table_name = '{table}' AND engine <> 'InnoDB'"
    )
}

/// Describes the problem of a trigger that can change what the map stores; `None` if it cannot.
fn changes(tables: &Tables, table: &str, trigger: &str, body: &str) -> Option<String> {
    let columns = assigned(body);
    let (_, own) = watched(tables).into_iter().find(|(name, _)| name.eq_ignore_ascii_case(table))?;
    let changed = own.iter().find(|own| columns.iter().any(|column| column == *own))?;
    Some(format!(
        "its trigger {trigger} changes the column {changed} of new rows, so that other values are stored than those \
                  that the map acknowledges; drop the trigger"
    ))
}

/// A table with a trigger that can change what the map stores, and what is wrong with it. Users without the privilege
/// TRIGGER see no triggers.
pub(crate) async fn changing_trigger(
    connection: &mut MySqlConnection,
    tables: &Tables,
) -> Attempt<Option<(String, String)>> {
    let parts = watched(tables).map(|(table, _)| triggers_of(table));
    for row in connection.read(parts.join(" UNION ALL ")).await? {
        let [name, trigger, body] = [1, 2, 3].map(|at| row.text(at));
        let (name, trigger, body) =
            (name?.unwrap_or_default(), trigger?.unwrap_or_default(), body?.unwrap_or_default());
        if let Some(problem) = changes(tables, &name, &trigger, &body) {
            return Ok(Some((name, problem)));
        }
    }
    Ok(None)
}
