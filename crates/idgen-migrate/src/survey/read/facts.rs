//! Facts of the catalog beside tables, columns and keys: expressions of unique indexes, tables that are not read, and,
//! for a change of ids, partitions and statements.

use super::said::{self, Said};
use crate::survey::options::{NewIds, Options};
use crate::survey::schema::{Catalog, Class};
use crate::survey::session::{Cell, Engine, Session};
use crate::survey::sql;

/// An expression of a unique index.
#[derive(Debug)]
pub(crate) struct Expression {
    pub(crate) table: usize,
    pub(crate) index: String,
    pub(crate) text: String,
}

/// Partitions by a column that can hold ids.
#[derive(Debug)]
pub(crate) struct Partition {
    pub(crate) table: String,
    pub(crate) column: String,
    /// The method, as the database names it.
    pub(crate) method: String,
    pub(crate) by: String,
    /// True if it is a hash of all digits.
    pub(crate) is_hash: bool,
    /// Shows the partitions and their rows.
    pub(crate) statement: String,
}

/// All of these.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) expressions: Vec<Expression>,
    pub(crate) partitions: Vec<Partition>,
    pub(crate) said: Vec<Said>,
}

/// Reads them. What the survey cannot see is added to `unseen`.
pub(crate) async fn read(
    session: &mut Session,
    catalog: &Catalog,
    options: &Options,
    unseen: &mut Vec<String>,
) -> Facts {
    let mut facts = Facts { expressions: expressions(session, catalog).await, ..Facts::default() };
    if session.engine == Engine::Postgres {
        unread(session, options, unseen).await;
    }
    if options.to == Some(NewIds::V7) {
        facts.partitions = partitions(session, catalog).await;
        facts.said = said::read(session, unseen).await;
    }
    facts
}

async fn rows(session: &mut Session, purpose: &str, sql: &str) -> Vec<Vec<String>> {
    let rows = session.rows(purpose, sql, &[]).await.unwrap_or_default();
    rows.iter().map(|row| Cell::texts(row)).collect()
}

async fn expressions(session: &mut Session, catalog: &Catalog) -> Vec<Expression> {
    let sql = match session.engine {
        Engine::MySql => {
            "SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, EXPRESSION FROM information_schema.STATISTICS \
             WHERE EXPRESSION IS NOT NULL AND NON_UNIQUE = 0 AND (DATABASE() IS NULL OR TABLE_SCHEMA = DATABASE())"
        }
        Engine::Postgres => {
            "SELECT n.nspname::text, c.relname::text, x.relname::text, pg_get_expr(i.indexprs, i.indrelid)::text \
             FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
             JOIN pg_class x ON x.oid = i.indexrelid WHERE i.indisunique AND i.indexprs IS NOT NULL AND i.indnkeyatts = 1"
        }
        Engine::Sqlite => {
            "SELECT '', tbl_name, name, substr(sql, instr(sql, '(')) FROM sqlite_schema WHERE type = 'index' \
             AND sql LIKE 'CREATE UNIQUE %' AND sql LIKE '%(%(%'"
        }
        // MariaDB has no indexes on expressions.
        Engine::MariaDb => return Vec::new(),
    };
    let rows = rows(session, "expressions of unique indexes", sql).await;
    let expression = |row: Vec<String>| {
        let [schema, table, index, text] = &row[..] else { return None };
        let is =
            |of: &crate::survey::schema::Table| of.schema == *schema && of.name.eq_ignore_ascii_case(table);
        let table = catalog.tables.iter().position(is)?;
        Some(Expression { table, index: index.clone(), text: text.clone() })
    };
    rows.into_iter().filter_map(expression).collect()
}

/// Tables of PostgreSQL that are not read, and tables of which policies hide rows.
async fn unread(session: &mut Session, options: &Options, unseen: &mut Vec<String>) {
    let sql = "SELECT n.nspname::text, c.relname::text, c.relkind::text, row_security_active(c.oid)::text FROM pg_class c \
               JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'f') \
               AND (c.relkind <> 'r' OR c.relrowsecurity) \
               AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname NOT LIKE 'pg\\_temp%' \
               ORDER BY 1, 2";
    for row in rows(session, "foreign and partitioned tables, and row-level security", sql).await {
        let [schema, name, kind, has_policies] = &row[..] else { continue };
        let shown = if schema == "public" { name.clone() } else { format!("{schema}.{name}") };
        if !options.tables.is_empty() && !options.tables.iter().any(|of| of == name || *of == shown) {
            continue;
        }
        match kind.as_str() {
            "f" => unseen.push(format!("{shown}: a foreign table, whose rows another server has")),
            "p" => unseen.push(format!(
                "{shown} as a whole: it is partitioned, and its partitions are surveyed as tables"
            )),
            _ => {}
        }
        if has_policies == "true" {
            unseen.push(format!(
                "rows of {shown} that its policies hide: row-level security is active for this user, so the survey sees what \
                 the policies show"
            ));
        }
    }
}

/// Tables that are partitioned by a column of text, bytes or UUIDs.
async fn partitions(session: &mut Session, catalog: &Catalog) -> Vec<Partition> {
    let engine = session.engine;
    let sql = match engine {
        Engine::MySql | Engine::MariaDb => {
            "SELECT DISTINCT TABLE_SCHEMA, TABLE_NAME, PARTITION_METHOD, PARTITION_EXPRESSION FROM information_schema.PARTITIONS \
             WHERE PARTITION_METHOD IS NOT NULL AND (DATABASE() IS NULL OR TABLE_SCHEMA = DATABASE())"
        }
        Engine::Postgres => {
            "SELECT n.nspname::text, c.relname::text, split_part(pg_get_partkeydef(c.oid), ' ', 1), \
             substr(pg_get_partkeydef(c.oid), strpos(pg_get_partkeydef(c.oid), '(')), \
             (SELECT string_agg(a.attname::text, ' ') FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid \
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND t.typname IN ('uuid', 'text', 'varchar', 'bpchar', 'bytea')) \
             FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'p' \
             AND n.nspname NOT IN ('pg_catalog', 'information_schema')"
        }
        Engine::Sqlite => return Vec::new(),
    };
    let mut found = Vec::new();
    for row in rows(session, "partitions", sql).await {
        let [schema, table, method, by, rest @ ..] = &row[..] else { continue };
        let is = |of: &&crate::survey::schema::Table| of.schema == *schema && of.name == *table;
        let columns: Vec<String> = match (rest.first(), catalog.tables.iter().find(is)) {
            (Some(names), _) => names.split(' ').map(str::to_owned).collect(),
            (None, Some(table)) => {
                let can_be = |class| matches!(class, Class::Text { .. } | Class::Bytes { .. } | Class::Uuid);
                table.columns.iter().filter(|of| can_be(of.class)).map(|of| of.name.clone()).collect()
            }
            (None, None) => continue,
        };
        let words: Vec<&str> =
            by.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty()).collect();
        let Some(column) = columns.iter().find(|name| words.contains(&name.as_str())) else { continue };
        // KEY of MySQL and HASH of PostgreSQL hash the whole value; HASH of MySQL is an expression modulo the number of partitions.
        let is_hash = match engine {
            Engine::Postgres => method.eq_ignore_ascii_case("hash") && words.len() == 1,
            _ => method.to_ascii_uppercase().contains("KEY"),
        };
        let statement = match engine {
            Engine::Postgres => format!(
                "SELECT c.relname, c.reltuples FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid \
                 WHERE i.inhparent = {}::regclass",
                sql::text(engine, &format!("{}.{}", sql::name(engine, schema), sql::name(engine, table)))
            ),
            _ => format!(
                "SELECT PARTITION_NAME, TABLE_ROWS FROM information_schema.PARTITIONS WHERE TABLE_SCHEMA = {} AND TABLE_NAME = {}",
                sql::text(engine, schema),
                sql::text(engine, table)
            ),
        };
        let shown = if schema == "public" { table.clone() } else { format!("{schema}.{table}") };
        found.push(Partition {
            table: shown,
            column: column.clone(),
            method: method.to_ascii_uppercase(),
            by: by.clone(),
            is_hash,
            statement,
        });
    }
    found
}
