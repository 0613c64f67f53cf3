//! What a client reads about the map's tables once a second, beside the server's settings and the state row: triggers that
//! can change what is stored, engines, and whether the tables are still those in which its pairs were stored.

use sqlx::mysql::MySqlConnection;
use uuid::Uuid;

use crate::caller::{Connection, Values};
use crate::failure::Attempt;
use crate::marker::marker;
use crate::server::Reason;
use crate::sql::SHARED;
use crate::tables::{Tables, unquoted};
use crate::triggers::assigned;

/// Reads what the tables are, and returns the reason why they must not be used, if there is one. `known` are ids and
/// their UUIDs that the map is known to hold.
pub(crate) async fn look(
    connection: &mut MySqlConnection,
    tables: &Tables,
    known: &[(u64, Uuid)],
) -> Attempt<Option<Reason>> {
    // Vitess has no triggers, and other engines only where its operators chose them.
    if tables.places.is_some() {
        return Ok(None);
    }
    let names = watched(tables).map(|(table, _)| table);
    let mut parts =
        vec![names.map(triggers_of).join(" UNION ALL "), names.map(engine_of).join(" UNION ALL ")];
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
            let problem = "it has no primary key, as if a view had replaced it".to_owned();
            return Ok(Some(Reason::Schema { table: unquoted(&tables.map).to_owned(), problem }));
        }
        Err(failure) => return Err(failure),
    };
    for row in rows {
        let kind = row.text(0)?;
        if kind.as_deref() == Some("pair") {
            found |= is_known(row.number(1)?, row.uuid(3)?);
            continue;
        }
        let (name, what) = (row.text(1)?.unwrap_or_default(), row.text(2)?.unwrap_or_default());
        let problem = match kind.as_deref() {
            Some("trigger") => changes(tables, &name, &what, &row.text(3)?.unwrap_or_default()),
            _ => Some(format!("its engine is {what}, not InnoDB")),
        };
        if let Some(problem) = problem {
            return Ok(Some(Reason::Schema { table: name, problem }));
        }
    }
    if !found {
        // A proxy may have sent the plain read to a server that lags behind, and sends a locking read to the one that takes
        // writes.
        for row in connection.read(pairs(SHARED)).await? {
            found |= is_known(row.number(1)?, row.uuid(3)?);
        }
    }
    let last = known.last().filter(|_| !found);
    Ok(last.map(|(id, _)| Reason::Replaced { table: unquoted(&tables.map).to_owned(), id: *id }))
}

/// Whether this is the UUID of a pair, or the marker of one that was forgotten.
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

/// What is wrong with a trigger, if it can change what the map stores.
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
