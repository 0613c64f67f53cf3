//! Notes of a plan to `BIGINT` for the person who executes it: how many ids are left until its last step, and which columns without a
//! foreign key may refer to the key.

use super::catalog::{Catalog, Column, Table};
use super::form;
use super::graph::Graph;
use super::quote::{name, text};
use super::session::Session;
use crate::plan::references;
use idgen_database::Result;

pub(super) async fn notes(
    session: &mut Session,
    catalog: &Catalog,
    graph: &Graph,
    start: &str,
) -> Result<Vec<String>> {
    let table = catalog.table(start)?;
    let mut notes = Vec::new();
    if let Some(column) = table.primary.first().and_then(|key| table.column(key)) {
        notes.push(left(session, table, column).await?);
        let columns = without_foreign_key(catalog, graph, table, column);
        notes.extend(references::small_by_name(&columns, &format!("{start}.{}", column.name)));
    }
    Ok(notes)
}

/// The triggers write each row to the old table too, whose type is the smaller one.
async fn left(session: &mut Session, table: &Table, column: &Column) -> Result<String> {
    let of = name(&column.name);
    let largest = session.text(&format!("SELECT CAST(MAX({of}) AS CHAR) FROM {}", name(&table.name))).await?;
    let sql = format!(
        "SELECT CAST(AUTO_INCREMENT AS CHAR) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_NAME = {}",
        text(&table.name)
    );
    let counter = if column.counts { session.text(&sql).await? } else { String::new() };
    let next = counter.parse::<i128>().ok().map(|next| next - 1);
    let used = next.max(largest.parse().ok()).unwrap_or_default();
    let most = form::most(&column.data_type, &column.type_text);
    Ok(references::ids_left(
        &format!("{}.{}", table.name, column.name),
        &column.type_text.to_uppercase(),
        used,
        i128::from(most),
        "error 1264 (Out of range value), also if the counter gave the id",
    ))
}

/// Integers of fewer than 64 bits whose names say that they refer to the key.
fn without_foreign_key(catalog: &Catalog, graph: &Graph, of: &Table, key: &Column) -> Vec<String> {
    let tables = catalog.tables.values().filter(|table| table.is_base());
    let all = tables.flat_map(|table| table.columns.iter().map(move |column| (table, column)));
    let found = all.filter(|(table, column)| {
        let place = (table.name.clone(), column.name.clone());
        matches!(column.data_type.as_str(), "tinyint" | "smallint" | "mediumint" | "int")
            && !graph.keys.contains_key(&place)
            && references::is_named_after(&column.name, &of.name, &key.name)
            && !catalog
                .foreign
                .iter()
                .any(|foreign| foreign.table == table.name && foreign.columns.contains(&column.name))
    });
    found
        .map(|(table, column)| {
            format!("{}.{} ({})", table.name, column.name, column.type_text.to_uppercase())
        })
        .collect()
}
