//! Columns that refer to a changed key although no foreign key says so.

use std::collections::{BTreeMap, BTreeSet};

use super::catalog::{Catalog, Column, Table};
use super::form::Form;
use super::graph::Graph;
use super::quote::name;
use super::session::Session;
use crate::plan::references::{self, BATCH, COLUMNS, Owner, Read, References};
use idgen_database::Result;

/// Says which columns hold ids, or could hold them, and have no foreign key.
pub(super) async fn notes(session: &mut Session, catalog: &Catalog, graph: &Graph) -> Result<Vec<String>> {
    let mut references = References::default();
    let mut columns = Vec::new();
    for (at, (table, column)) in candidates(catalog, graph).enumerate() {
        let shown = format!("{}.{}", table.name, column.name);
        let is_key = table.primary == [column.name.clone()];
        if at >= COLUMNS {
            references.unread.push(shown);
            continue;
        }
        // A column is listed if this user may not read it, or if reading its rows takes too long.
        let Ok(values) = sample(session, table, column).await else {
            references.unread.push(shown);
            continue;
        };
        let ids: BTreeSet<u128> = values.iter().filter_map(|value| id(value)).collect();
        if values.is_empty() && !is_key && is_alike(catalog, graph, column) {
            references.empty.push(shown);
        } else if !ids.is_empty() {
            columns.push(Read { shown, is_key, ids });
        }
    }
    let all = references::all_ids(&columns);
    let mut owners = Vec::new();
    for ((table, column), form) in &graph.keys {
        if is_referred_to(catalog, table, column) {
            let ids = look_up(session, table, column, *form, &all).await?;
            owners.push(Owner { shown: format!("{table}.{column}"), ids });
        }
    }
    references.add(columns, &owners);
    Ok(references.notes(
        "does not change them",
        " Give them a foreign key first, and make the plan again, which then changes them too; or change them together with the \
         applications.",
    ))
}

/// Columns that can hold ids and do not change.
fn candidates<'c>(catalog: &'c Catalog, graph: &'c Graph) -> impl Iterator<Item = (&'c Table, &'c Column)> {
    let tables = catalog.tables.values().filter(|table| table.is_base());
    tables.flat_map(move |table| {
        let columns = table.columns.iter().filter(move |column| {
            can_hold_ids(column) && !graph.keys.contains_key(&(table.name.clone(), column.name.clone()))
        });
        columns.map(move |column| (table, column))
    })
}

fn can_hold_ids(column: &Column) -> bool {
    match column.data_type.as_str() {
        "char" | "varchar" => column.length >= 32,
        "binary" | "varbinary" => column.length >= 16,
        "tinytext" | "text" | "mediumtext" | "longtext" | "tinyblob" | "blob" | "mediumblob" | "longblob"
        | "uuid" => true,
        _ => false,
    }
}

/// Returns true if a column has the type and the length of a key.
fn is_alike(catalog: &Catalog, graph: &Graph, column: &Column) -> bool {
    let mut keys = graph.keys.keys().filter_map(|(table, key)| catalog.tables.get(table)?.column(key));
    keys.any(|key| (key.length, &key.data_type) == (column.length, &column.data_type))
}

/// Returns true if other columns can refer to a changed column: it is a key, or a foreign key refers to it.
fn is_referred_to(catalog: &Catalog, table: &str, column: &str) -> bool {
    let is_key = catalog.tables.get(table).is_some_and(|table| table.primary == [column]);
    let mut parents = catalog.foreign.iter().filter(|key| key.to_table == table);
    is_key || parents.any(|key| key.to_columns.iter().any(|to| to == column))
}

/// Some values of a column, from both ends of its table. Bytes come as hexadecimal digits.
async fn sample(session: &mut Session, table: &Table, column: &Column) -> Result<Vec<String>> {
    let is_bytes = column.data_type.contains("binary") || column.data_type.contains("blob");
    let of = name(&column.name);
    let value = if is_bytes { format!("HEX(LEFT({of}, 17))") } else { format!("LEFT({of}, 40)") };
    let key: Vec<_> = table.primary.iter().map(|key| name(key)).collect();
    let sql = references::sample(&value, &name(&table.name), &key);
    Ok(session.rows(&sql).await?.into_iter().flatten().collect())
}

/// The id that a text or the digits of 16 bytes are.
fn id(value: &str) -> Option<u128> {
    Form::of_text(value)?;
    u128::from_str_radix(&value.replace('-', ""), 16).ok()
}

/// Returns those of the ids that are in a column.
async fn look_up(
    session: &mut Session,
    table: &str,
    column: &str,
    form: Form,
    ids: &BTreeSet<u128>,
) -> Result<BTreeSet<u128>> {
    let written: BTreeMap<String, u128> = ids.iter().map(|&id| (form.written(id), id)).collect();
    let literals: Vec<&String> = written.keys().collect();
    let of = name(column);
    let value = if form == Form::Bytes { format!("HEX({of})") } else { of.clone() };
    let mut found = BTreeSet::new();
    for batch in literals.chunks(BATCH) {
        let list: Vec<&str> = batch.iter().map(|literal| literal.as_str()).collect();
        let sql = format!("SELECT {value} FROM {} WHERE {of} IN ({})", name(table), list.join(", "));
        found.extend(session.rows(&sql).await?.iter().flatten().filter_map(|value| id(value)));
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_read_from_texts_and_from_digits_of_bytes() {
        let expected = 0x6ccd_780c_baba_1026_9564_5b8c_6560_24db;
        assert_eq!(id("6ccd780c-baba-1026-9564-5b8c656024db"), Some(expected));
        assert_eq!(id("6CCD780CBABA102695645B8C656024DB"), Some(expected));
        assert_eq!(id("6CCD780CBABA102695645B8C656024DB00"), None);
    }
}
