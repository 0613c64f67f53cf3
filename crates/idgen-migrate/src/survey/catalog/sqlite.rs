//! `sqlite_schema`, and the pragmas as tables.

use super::rows::{Places, add_to_foreign, add_to_key, column, first_number, number};
use crate::survey::schema::{Catalog, Class, Column, Counter, Key, Table};
use crate::survey::session::Session;
use crate::survey::sql;
use idgen_database::{Cell, Result};

pub(super) async fn read(session: &mut Session) -> Result<Catalog> {
    let mut catalog = Catalog::default();
    let mut places = Places::default();
    let sql = "SELECT l.name, l.wr FROM pragma_table_list l WHERE l.schema = 'main' AND l.type = 'table' \
               AND l.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY l.name";
    for row in session.catalog("tables", sql).await? {
        let [name, without_rowid] = &Cell::texts(&row)[..] else { continue };
        let table = Table { name: name.clone(), clustered: without_rowid == "1", ..Table::default() };
        places.add(&mut catalog, table);
    }
    columns(session, &mut catalog, &places).await?;
    keys(session, &mut catalog, &places).await?;
    foreign(session, &mut catalog, &places).await?;
    counters(session, &mut catalog, &places).await?;
    estimates(session, &mut catalog, &places).await;
    rowids(session, &mut catalog).await;
    let sql = "SELECT page_size, encoding FROM pragma_page_size, pragma_encoding";
    let of_file = session.catalog("the size of a page, and the encoding of texts", sql).await?;
    catalog.page_bytes = first_number(&of_file).unwrap_or(4_096) as u32;
    // SQLite names it UTF-8, UTF-16le or UTF-16be.
    if of_file.iter().any(|row| Cell::texts(row).iter().any(|encoding| encoding.starts_with("UTF-16"))) {
        for column in catalog.tables.iter_mut().flat_map(|table| &mut table.columns) {
            column.charset = Some("utf16".to_owned());
        }
    }
    catalog.used.push("reading the file".to_owned());
    Ok(catalog)
}

async fn columns(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = "SELECT l.name, x.name, x.type, x.\"notnull\", x.pk FROM pragma_table_list l \
               JOIN pragma_table_xinfo(l.name) x WHERE l.schema = 'main' AND l.type = 'table' AND x.hidden <> 1 \
               ORDER BY l.name, x.cid";
    let mut primary: Vec<(usize, u64, usize)> = Vec::new();
    for row in session.catalog("columns", sql).await? {
        let [table, name, type_text, not_null, place] = &Cell::texts(&row)[..] else { continue };
        let Some(at) = places.get("", table) else { continue };
        // Numbers and bytes have no collation, although the library returns BINARY for them.
        let is_text = has_text_affinity(type_text);
        let collation = session.sqlite_collation(table, name).filter(|name| is_text || name != "BINARY");
        let table = &mut catalog.tables[at];
        if let Some(place) = number(place).filter(|&place| place > 0) {
            primary.push((at, place, table.columns.len()));
        }
        table.columns.push(Column {
            name: name.clone(),
            type_text: type_text.clone(),
            class: Class::Any,
            is_builtin: true,
            nullable: not_null != "1" && place == "0",
            length: declared_length(type_text),
            charset: None,
            ignores_case: collation.as_deref() == Some("NOCASE"),
            collation,
        });
    }
    primary.sort_unstable();
    for (table, _, column) in primary {
        let table = &mut catalog.tables[table];
        add_to_key(table, "PRIMARY KEY", Some(column), || Key::new("PRIMARY KEY", true, true, true));
    }
    Ok(())
}

/// The 36 of `CHAR(36)`, which SQLite does not enforce.
fn declared_length(declared: &str) -> Option<u64> {
    let (_, rest) = declared.split_once('(')?;
    number(rest.strip_suffix(')')?.trim())
}

/// Returns true if a column with this declared type stores numbers as text (section 3.1 of "Datatypes In SQLite").
fn has_text_affinity(declared: &str) -> bool {
    let declared = declared.to_ascii_uppercase();
    !declared.contains("INT") && ["CHAR", "CLOB", "TEXT"].iter().any(|part| declared.contains(part))
}

/// Unique constraints and indexes, without the one that the primary key has.
async fn keys(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = "SELECT l.name, i.name, i.\"unique\", i.partial, x.name FROM pragma_table_list l \
               JOIN pragma_index_list(l.name) i JOIN pragma_index_info(i.name) x \
               WHERE l.schema = 'main' AND l.type = 'table' AND i.origin <> 'pk' ORDER BY l.name, i.name, x.seqno";
    for row in session.catalog("keys", sql).await? {
        let [table, name, unique, partial, of] = &Cell::texts(&row)[..] else { continue };
        let Some(table) = places.get("", table) else { continue };
        let table = &mut catalog.tables[table];
        let at = column(table, of);
        add_to_key(table, name, at, || Key::new(name, unique == "1", false, partial == "0"));
    }
    Ok(())
}

async fn foreign(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = "SELECT l.name, f.id, f.\"from\", f.\"table\", f.\"to\", f.seq FROM pragma_table_list l \
               JOIN pragma_foreign_key_list(l.name) f WHERE l.schema = 'main' AND l.type = 'table' \
               ORDER BY l.name, f.id, f.seq";
    for row in session.catalog("foreign keys", sql).await? {
        let [table, id, of, parent, parent_column, place] = &Cell::texts(&row)[..] else { continue };
        let (Some(table), Some(parent)) = (places.get("", table), places.get("", parent)) else { continue };
        // Without a name, it is the primary key of the parent.
        let implied = catalog.tables[parent].primary().and_then(|key| {
            let at = *key.columns.get(number(place)? as usize)?;
            Some(catalog.tables[parent].columns[at].name.clone())
        });
        let parent_column = if parent_column.is_empty() { implied } else { Some(parent_column.clone()) };
        let Some(parent_column) = parent_column else { continue };
        add_to_foreign(catalog, &format!("foreign key {id}"), (table, of), (parent, &parent_column));
    }
    Ok(())
}

async fn counters(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let exists = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_sequence'";
    if first_number(&session.catalog("whether there are counters", exists).await?) != Some(1) {
        return Ok(());
    }
    for row in session.catalog("counters", "SELECT name, seq FROM sqlite_sequence").await? {
        let [table, last] = &Cell::texts(&row)[..] else { continue };
        let (Some(table), Some(last)) = (places.get("", table), number(last)) else { continue };
        let table = &mut catalog.tables[table];
        let Some(column) = table.primary().and_then(|key| key.columns.first().copied()) else { continue };
        let used = last as f64 / i64::MAX as f64;
        table.counters.push(Counter {
            column,
            name: "AUTOINCREMENT".to_owned(),
            used: Ok(used),
            parent: None,
        });
    }
    Ok(())
}

/// The number of rows, where somebody ran ANALYZE.
async fn estimates(session: &mut Session, catalog: &mut Catalog, places: &Places) {
    let sql = "SELECT tbl, stat FROM sqlite_stat1";
    let exists = "SELECT count(*) FROM sqlite_schema WHERE name = 'sqlite_stat1'";
    let found = session.rows("whether there are statistics", exists, &[]).await;
    if found.ok().as_ref().and_then(first_number) == Some(1)
        && let Ok(rows) = session.rows("estimated rows", sql, &[]).await
    {
        for row in rows {
            let [table, stat] = &Cell::texts(&row)[..] else { continue };
            let Some(table) = places.get("", table) else { continue };
            // A partial index has fewer entries than the table has rows.
            let entries = stat.split(' ').next().and_then(number);
            let rows = &mut catalog.tables[table].rows;
            *rows = (*rows).max(entries);
        }
    }
}

/// Tables in one statement; SQLite allows 500 terms.
const TOGETHER: usize = 100;

/// The number of rows of the other tables, from their first and last row id. Deletions, and integers that the app has chosen,
/// leave gaps, so this can be too many. More rows than the file can hold are no estimate.
async fn rowids(session: &mut Session, catalog: &mut Catalog) {
    let sql = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";
    let size = session.rows("the size of the file", sql, &[]).await;
    let Some(file_bytes) = size.ok().as_ref().and_then(first_number) else { return };
    let unknown =
        catalog.tables.iter().enumerate().filter(|(_, table)| table.rows.is_none() && !table.clustered);
    let unknown: Vec<usize> = unknown.map(|(at, _)| at).collect();
    for tables in unknown.chunks(TOGETHER) {
        let span = |&at: &usize| {
            let name = sql::table(session.engine, &catalog.tables[at]);
            format!("SELECT {at}, (SELECT max(_rowid_) FROM {name}) - (SELECT min(_rowid_) FROM {name}) + 1")
        };
        let sql = tables.iter().map(span).collect::<Vec<_>>().join(" UNION ALL ");
        let Ok(rows) = session.rows("row ids", &sql, &[]).await else { continue };
        for row in rows {
            let [Some(at), rows] = &Cell::texts(&row).iter().map(|text| number(text)).collect::<Vec<_>>()[..]
            else {
                continue;
            };
            // A row takes a pointer of two bytes, a header and its row id.
            catalog.tables[*at as usize].rows = rows.filter(|&rows| rows <= file_bytes / 4);
        }
    }
}
