//! `information_schema`, and InnoDB's persistent statistics where they may be read.

mod sequences;

use std::collections::HashMap;

use super::rows::{Places, add_to_key, column, first_number, foreign_keys, number};
use crate::survey::schema::{Catalog, Class, Column, Counter, Key, Table};
use crate::survey::session::{Engine, Session};
use idgen_database::catalog::mysql::{self, IndexPart};
use idgen_database::{Cell, Result};

/// The tables of the URL's schema, or those of all schemas that are not the server's own.
fn of_schema(column: &str) -> String {
    format!(
        "(DATABASE() IS NULL OR {column} = DATABASE()) AND \
         {column} NOT IN ('mysql', 'sys', 'information_schema', 'performance_schema')"
    )
}

pub(super) async fn read(session: &mut Session) -> Result<Catalog> {
    let mut catalog = Catalog::new(16_384);
    let mut places = Places::default();
    tables(session, &mut catalog, &mut places).await?;
    columns(session, &mut catalog, &places).await?;
    if session.engine == Engine::MariaDb {
        sequences::read(session, &mut catalog, &places).await?;
    }
    keys(session, &mut catalog, &places).await?;
    foreign(session, &mut catalog, &places).await?;
    statistics(session, &mut catalog, &places).await;
    hidden(session, &mut catalog).await;
    if settings(session, &mut catalog).await {
        unreported_cascades(session, &mut catalog, &places).await?;
    }
    catalog
        .used
        .push("SELECT on the surveyed tables (the catalog shows only tables with a privilege)".to_owned());
    Ok(catalog)
}

/// Sizes of pages and of the buffer pool, and whether MySQL cascades foreign keys without InnoDB. Servers without the
/// variable, which are MySQL before 9.6 and MariaDB, cascade in InnoDB.
async fn settings(session: &mut Session, catalog: &mut Catalog) -> bool {
    let sql = "SHOW GLOBAL VARIABLES WHERE Variable_name IN \
               ('innodb_page_size', 'innodb_buffer_pool_size', 'innodb_native_foreign_keys')";
    let rows = session.rows("settings of InnoDB", sql, &[]).await.unwrap_or_default();
    let mut outside = false;
    for row in rows {
        let [name, value] = &Cell::texts(&row)[..] else { continue };
        match name.as_str() {
            "innodb_page_size" => catalog.page_bytes = number(value).unwrap_or(16_384) as u32,
            "innodb_buffer_pool_size" => catalog.pool_bytes = number(value),
            _ => outside = value == "OFF",
        }
    }
    outside
}

/// Foreign keys that change other rows. Those that only refuse (`RESTRICT`, `NO ACTION`) report their errors.
async fn unreported_cascades(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = format!(
        "SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CONSTRAINT_NAME, DELETE_RULE, UPDATE_RULE \
         FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE {} AND (DELETE_RULE IN ('CASCADE', 'SET NULL') \
         OR UPDATE_RULE IN ('CASCADE', 'SET NULL'))",
        of_schema("CONSTRAINT_SCHEMA")
    );
    let mut rules = HashMap::new();
    for row in session.catalog("foreign keys that change other rows", &sql).await? {
        let [schema, table, name, on_delete, on_update] = &Cell::texts(&row)[..] else { continue };
        let Some(table) = places.get(schema, table) else { continue };
        let changes = [("ON DELETE", on_delete), ("ON UPDATE", on_update)]
            .into_iter()
            .filter(|(_, rule)| matches!(rule.as_str(), "CASCADE" | "SET NULL"))
            .map(|(event, rule)| format!("{event} {rule}"));
        rules.insert((table, name.clone()), changes.collect::<Vec<_>>().join(" "));
    }
    for foreign in &mut catalog.foreign {
        foreign.unreported = rules.remove(&(foreign.table, foreign.name.clone()));
    }
    Ok(())
}

/// The engines that keep rows in the order of the primary key, and end every other index with it.
const CLUSTERED: [&str; 2] = ["InnoDB", "ROCKSDB"];

/// Tables, and the next value of their counters, which `columns` judges by the type.
async fn tables(session: &mut Session, catalog: &mut Catalog, places: &mut Places) -> Result<()> {
    let sql = format!(
        "SELECT TABLE_SCHEMA, TABLE_NAME, ENGINE, CAST(TABLE_ROWS AS CHAR), CAST(AUTO_INCREMENT AS CHAR), \
         CAST(AVG_ROW_LENGTH AS CHAR) FROM information_schema.TABLES \
         WHERE TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED') AND {} ORDER BY TABLE_SCHEMA, TABLE_NAME",
        of_schema("TABLE_SCHEMA")
    );
    session.read_fresh_statistics();
    for row in session.catalog("tables", &sql).await? {
        let [schema, name, engine, rows, next, row_bytes] = &Cell::texts(&row)[..] else { continue };
        let counters = number(next).map(|next| Counter {
            column: usize::MAX,
            name: "AUTO_INCREMENT".to_owned(),
            used: Ok(next as f64),
            parent: None,
        });
        let table = Table {
            schema: schema.clone(),
            name: name.clone(),
            rows: number(rows),
            clustered: CLUSTERED.iter().any(|known| engine.eq_ignore_ascii_case(known)),
            storage: Some(engine.clone()).filter(|engine| !engine.is_empty()),
            counters: counters.into_iter().collect(),
            bytes_per_row: number(row_bytes).filter(|&bytes| bytes > 0).map(|bytes| bytes as f64),
            ..Table::default()
        };
        places.add(catalog, table);
    }
    Ok(())
}

async fn columns(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = mysql::columns(&of_schema("TABLE_SCHEMA"), &[]).sql();
    for row in session.catalog("columns", &sql).await? {
        let row = Cell::texts(&row);
        let Some(read) = mysql::Column::of_row(&row) else { continue };
        let Some(table) = places.get(read.schema, read.table) else { continue };
        let table = &mut catalog.tables[table];
        let class = class(read.data_type, read.type_text);
        if read.counts()
            && let (Some(counter), Class::Int { bits, unsigned }) = (table.counters.first_mut(), class)
        {
            counter.column = table.columns.len();
            let most = 2_f64.powi(bits as i32 - i32::from(!unsigned));
            // The counter is the next value, so the used values are those below it.
            counter.used = counter.used.clone().map(|next| (next - 1.0) / (most - 1.0));
        }
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        table.columns.push(Column {
            name: read.name.to_owned(),
            type_text: read.type_text.to_owned(),
            class,
            is_builtin: true,
            nullable: read.nullable,
            length: read.length,
            charset: some(read.charset),
            collation: some(read.collation),
            ignores_case: read.collation.contains("_ci"),
        });
    }
    for table in &mut catalog.tables {
        // A counter of a type that is no integer, such as FLOAT.
        table.counters.retain(|counter| counter.column != usize::MAX);
    }
    Ok(())
}

fn class(data_type: &str, type_text: &str) -> Class {
    let unsigned = type_text.contains("unsigned");
    let int = |bits| Class::Int { bits, unsigned };
    match data_type.to_ascii_lowercase().as_str() {
        "tinyint" => int(8),
        "smallint" => int(16),
        "mediumint" => int(24),
        "int" => int(32),
        "bigint" => int(64),
        "uuid" => Class::Uuid,
        "binary" => Class::Bytes { fixed: true },
        "varbinary" | "tinyblob" => Class::Bytes { fixed: false },
        "char" => Class::Text { fixed: true },
        "varchar" | "tinytext" => Class::Text { fixed: false },
        _ => Class::Other,
    }
}

async fn keys(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = mysql::index_parts(&of_schema("TABLE_SCHEMA"), &[]).sql();
    for row in session.catalog("keys", &sql).await? {
        let row = Cell::texts(&row);
        let Some(part) = IndexPart::of_row(&row) else { continue };
        let Some(table) = places.get(part.schema, part.table) else { continue };
        let table = &mut catalog.tables[table];
        let at = column(table, part.column);
        // The prefix may be as long as the column.
        let prefix = part.prefix.filter(|_| at.is_some_and(|at| table.columns[at].length != part.prefix));
        let is_primary = part.index == IndexPart::PRIMARY;
        add_to_key(table, part.index, at, || Key::new(part.index, part.is_unique, is_primary, true));
        if let Some(key) = table.keys.last_mut() {
            key.whole &= part.is_tree() && prefix.is_none();
            key.holds_values = part.kind != "FULLTEXT";
            key.prefixes.extend(at.zip(prefix));
        }
    }
    Ok(())
}

async fn foreign(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    foreign_keys(session, catalog, places, &mysql::foreign_keys(&of_schema("k.TABLE_SCHEMA")).sql()).await
}

/// Pages of each index. The table of statistics may be read only with a privilege.
async fn statistics(session: &mut Session, catalog: &mut Catalog, places: &Places) {
    let sql = format!(
        "SELECT database_name, table_name, index_name, stat_name, CAST(stat_value AS CHAR) \
         FROM mysql.innodb_index_stats WHERE stat_name IN ('size', 'n_leaf_pages') AND {}",
        of_schema("database_name")
    );
    let Ok(rows) = session.rows("pages of each index", &sql, &[]).await else {
        catalog.unseen.push(
            "pages of each index and page fill: they need SELECT on mysql.innodb_index_stats".to_owned(),
        );
        return;
    };
    catalog.used.push("SELECT on mysql.innodb_index_stats, for pages of indexes".to_owned());
    for row in rows {
        let [schema, table, name, stat, value] = &Cell::texts(&row)[..] else { continue };
        // A partition has a row of its own: orders#p#p2026, or orders#P#p2026 before MySQL 8.0.
        let whole = table.split_once("#p#").or_else(|| table.split_once("#P#")).map(|(table, _)| table);
        let whole = whole.and_then(|table| places.get(schema, table));
        let Some(table) = places.get(schema, table).or(whole) else { continue };
        let Some(key) = catalog.tables[table].keys.iter_mut().find(|key| key.name == *name) else { continue };
        let pages = if stat == "size" { &mut key.pages } else { &mut key.leaf_pages };
        *pages = number(value).map(|value| value + pages.unwrap_or(0));
    }
}

/// The catalog shows only tables on which this user has a privilege: says so, unless it may read all of them.
async fn hidden(session: &mut Session, catalog: &mut Catalog) {
    let sql = "SELECT CAST(COUNT(*) AS CHAR) FROM (SELECT GRANTEE FROM information_schema.USER_PRIVILEGES \
               WHERE PRIVILEGE_TYPE = 'SELECT' UNION ALL SELECT GRANTEE FROM information_schema.SCHEMA_PRIVILEGES \
               WHERE PRIVILEGE_TYPE = 'SELECT' AND DATABASE() LIKE TABLE_SCHEMA) AS granted \
               WHERE GRANTEE = CONCAT('''', REPLACE(CURRENT_USER(), '@', '''@'''), '''')";
    let rows = session.rows("whether this user may read all tables", sql, &[]).await.ok();
    if rows.as_ref().and_then(first_number).is_none_or(|granted| granted == 0) {
        catalog.unseen.push(
            "tables and columns on which this user has no privilege, if there are any: to see all of the schema, it needs SELECT \
             on the schema, by itself and not by a role"
                .to_owned(),
        );
    }
}
