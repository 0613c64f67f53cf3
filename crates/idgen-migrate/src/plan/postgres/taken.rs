//! Names that the plan needs and that something else has.

use super::catalog::Catalog;
use super::change::{Change, TableChange};
use super::names::{literal, quoted};
use super::session::Session;
use idgen_database::{Error, Result};

/// The steps would take columns, indexes and schemas with these names as their own.
pub(super) async fn check(session: &mut Session, catalog: &Catalog, change: &Change) -> Result<()> {
    let schema = literal(&change.schema);
    if session.number(&format!("SELECT count(*) FROM pg_namespace WHERE nspname = {schema}")).await? > 0 {
        return Err(Error::new(format!(
            "the schema {} is there, so another change of these keys has begun: finish it, or go back with its files of undo/. If its \
             folder is lost, this command makes it again from a copy of the schema as it was (pg_dump --schema-only)",
            change.schema
        )));
    }
    let others = session.texts("the plans at work", &at_work(change)).await?;
    if !others.is_empty() {
        return Err(Error::new(format!(
            "another plan is at work on these tables ({}): finish it, or go back with its files of undo/",
            others.join(", ")
        )));
    }
    let mut taken = Vec::new();
    for table in &change.tables {
        let own = catalog.tables.iter().find(|own| (&own.schema, &own.name) == (&table.schema, &table.name));
        let names = columns(table, change);
        let found = catalog.columns.iter().filter(|column| {
            own.is_some_and(|own| own.id == column.table) && names.contains(&column.name.as_str())
        });
        taken.extend(found.map(|column| format!("the column {}.{}", table.shown, column.name)));
        taken.extend(constraints(session, table, change).await?);
        taken.extend(relations(session, table, change).await?);
    }
    match taken.is_empty() {
        true => Ok(()),
        false => Err(Error::new(format!(
            "the plan needs names that are taken: rename {} for the change; if a former plan for the same keys left them, its undo/abandon.sql removes them",
            taken.join(", ")
        ))),
    }
}

/// A query of the schemas of other plans that have columns in these tables.
fn at_work(change: &Change) -> String {
    let tables = change
        .tables
        .iter()
        .map(|table| literal(&format!("{}.{}", quoted(&table.schema), quoted(&table.name))));
    format!(
        "SELECT DISTINCT n.nspname::text FROM pg_namespace n JOIN pg_attribute a ON a.attrelid IN (SELECT to_regclass(t) FROM unnest(ARRAY[{}]) t) \
         AND NOT a.attisdropped AND a.attname LIKE '%\\_' || substr(n.nspname, 7) || '\\_%' WHERE n.nspname ~ '^idgen_[a-z][a-z0-9]{{7}}$' ORDER BY 1",
        tables.collect::<Vec<_>>().join(", ")
    )
}

fn columns<'a>(table: &'a TableChange, change: &Change) -> Vec<&'a str> {
    let of = |column: &'a super::change::ColumnChange| {
        let text = (change.keep_text && change.columns_of_text()).then_some(column.text.as_str());
        [Some(column.new.as_str()), Some(column.kept.as_str()), text]
    };
    table.columns.iter().flat_map(of).flatten().collect()
}

/// Constraints of the table with names of the plan.
async fn constraints(session: &mut Session, table: &TableChange, change: &Change) -> Result<Vec<String>> {
    let keys =
        change.keys.iter().filter(|key| (&key.child.schema, &key.child.name) == (&table.schema, &table.name));
    let keys = keys.flat_map(|key| [&key.new, &key.kept]);
    let columns =
        table.columns.iter().flat_map(|column| [&column.check, &column.same, &column.not_null_kept]);
    let names: Vec<String> = keys.chain(columns).map(|name| literal(name)).collect();
    let sql = format!(
        "SELECT 'the constraint ' || conname || ' of ' || conrelid::regclass FROM pg_constraint \
         WHERE conrelid = to_regclass({}) AND conname IN ({}) ORDER BY 1",
        literal(&format!("{}.{}", quoted(&table.schema), quoted(&table.name))),
        names.join(", ")
    );
    session.texts("the names of constraints", &sql).await
}

/// Tables, views and indexes in the schema of the table with names of the plan.
async fn relations(session: &mut Session, table: &TableChange, change: &Change) -> Result<Vec<String>> {
    let view = (change.keep_text && !change.columns_of_text()).then_some(&table.view);
    let names = table.indexes.iter().flat_map(|index| [&index.new, &index.kept]).chain(view);
    let names: Vec<String> = names.map(|name| literal(name)).collect();
    if names.is_empty() {
        return Ok(names);
    }
    let sql = format!(
        "SELECT pg_describe_object('pg_class'::regclass, oid, 0) FROM pg_class WHERE relname IN ({}) AND relnamespace = \
         (SELECT oid FROM pg_namespace WHERE nspname = {}) ORDER BY 1",
        names.join(", "),
        literal(&table.schema)
    );
    session.texts("the names of indexes", &sql).await
}
