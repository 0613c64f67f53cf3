//! Columns that refer to a changed key although no foreign key says so.

use std::collections::BTreeSet;

use super::catalog::{Catalog, Column, Place, Table};
use super::graph::{self, Graph};
use super::names::quoted;
use super::session::Session;
use super::spelling::{self, Spelling};
use crate::plan::references::{self, BATCH, COLUMNS, Owner, Read, References};
use idgen_database::Result;

/// Says which columns hold ids and have no foreign key.
pub(super) async fn notes(session: &mut Session, catalog: &Catalog, graph: &Graph) -> Result<Vec<String>> {
    let mut references = References::default();
    let mut columns = Vec::new();
    let can_hold_ids = |column: &&Column| {
        matches!(column.kind.as_str(), "text" | "varchar" | "bpchar" | "citext" | "bytea" | "uuid")
            && !graph.columns.contains_key(&(column.table, column.number))
    };
    for (at, column) in catalog.columns.iter().filter(can_hold_ids).enumerate() {
        let Some(table) = catalog.table(column.table).filter(|table| table.kind == "r") else { continue };
        let shown = format!("{}.{}", table.shown(), column.name);
        if !table.readable || at >= COLUMNS {
            references.unread.push(shown);
            continue;
        }
        // A table whose rows take too long is named.
        match sample(session, catalog, table, column).await {
            Ok(values) => {
                let ids: BTreeSet<u128> = values.iter().filter_map(|value| spelling::id(value)).collect();
                if !ids.is_empty() {
                    let is_key = graph::key_of(catalog, table.id) == [(column.table, column.number)];
                    columns.push(Read { shown, is_key, ids });
                }
            }
            Err(_) => references.unread.push(shown),
        }
    }
    let all = references::all_ids(&columns);
    let mut owners = Vec::new();
    for (&place, &spelling) in &graph.columns {
        if is_referred_to(catalog, place) {
            let ids = look_up(session, catalog, place, spelling, &all).await?;
            owners.push(Owner { shown: catalog.shown(place), ids });
        }
    }
    references.add(columns, &owners);
    Ok(references.notes(
        "leaves them alone",
        " Give them a foreign key first, and make the plan again, which then changes them too. Otherwise compare them by \
         `CAST(column AS uuid)` after the switch, or change them together with the applications.",
    ))
}

/// Returns true if other columns can refer to a changed column: it is a key, or a foreign key refers to it.
fn is_referred_to(catalog: &Catalog, place: Place) -> bool {
    graph::key_of(catalog, place.0) == [place]
        || catalog.foreign_keys.iter().flat_map(graph::pairs).any(|(_, parent)| parent == place)
}

/// Some values of a column, from both ends of its table. Bytes come as hexadecimal digits.
async fn sample(
    session: &mut Session,
    catalog: &Catalog,
    table: &Table,
    column: &Column,
) -> Result<Vec<String>> {
    let of = quoted(&column.name);
    let value = match column.kind.as_str() {
        "bytea" => format!("encode(substring(CAST({of} AS bytea) FOR 17), 'hex')"),
        _ => format!("left(CAST({of} AS text), 40)"),
    };
    let key = graph::key_of(catalog, table.id);
    let key: Vec<_> = key.iter().filter_map(|&place| Some(quoted(&catalog.column(place)?.name))).collect();
    let sql = references::sample(&value, &table.written(), &key);
    session.texts(&format!("values of {}", column.name), &sql).await
}

/// Returns those of the ids that are in a column.
async fn look_up(
    session: &mut Session,
    catalog: &Catalog,
    place: Place,
    spelling: Spelling,
    ids: &BTreeSet<u128>,
) -> Result<BTreeSet<u128>> {
    let (Some(table), Some(column)) = (catalog.table(place.0), catalog.column(place)) else {
        return Ok(BTreeSet::new());
    };
    let of = quoted(&column.name);
    let value = if spelling == Spelling::Bytes { format!("encode({of}, 'hex')") } else { of.clone() };
    let literals: Vec<String> = ids.iter().map(|&id| spelling.written(id)).collect();
    let mut found = BTreeSet::new();
    for batch in literals.chunks(BATCH) {
        let sql = format!(
            "SELECT CAST({value} AS text) FROM {} WHERE {of} IN ({})",
            table.written(),
            batch.join(", ")
        );
        let values = session.texts(&format!("ids in {}", table.shown()), &sql).await?;
        found.extend(values.iter().filter_map(|value| spelling::id(value)));
    }
    Ok(found)
}
