//! `pg_catalog`.

mod sequences;

use super::rows::{Places, add_to_key, column, first_number, foreign_keys, number};
use crate::survey::options::Options;
use crate::survey::schema::{Catalog, Class, Column, Key, Table};
use crate::survey::session::Session;
use idgen_database::{Cell, Result};

const OWN: &str =
    "n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast') AND n.nspname NOT LIKE 'pg\\_temp%'";

pub(super) async fn read(session: &mut Session, options: &Options) -> Result<Catalog> {
    let mut catalog = Catalog::new(8_192);
    let mut places = Places::default();
    tables(session, &mut catalog, &mut places).await?;
    columns(session, &mut catalog, &places).await?;
    keys(session, &mut catalog, &places).await?;
    foreign(session, &mut catalog, &places).await?;
    sequences::read(session, &mut catalog, &places, !options.tables.is_empty()).await?;
    let pool = "SELECT pg_size_bytes(current_setting('shared_buffers'))::text";
    let pool = session.rows("the size of the shared buffers", pool, &[]).await;
    catalog.pool_bytes = pool.ok().as_ref().and_then(first_number);
    catalog
        .used
        .push("CONNECT on the database and SELECT on the surveyed tables and their sequences".to_owned());
    Ok(catalog)
}

async fn tables(session: &mut Session, catalog: &mut Catalog, places: &mut Places) -> Result<()> {
    // No function that waits for a lock on a table, as pg_relation_size does. Partitions are read as tables; what they are parts of has no rows of its own.
    let sql = format!(
        "SELECT n.nspname::text, c.relname::text, c.reltuples::bigint::text, \
         has_table_privilege(c.oid, 'SELECT')::text, c.relpages::text, \
         (c.relpersistence = 'u' AND pg_is_in_recovery())::text \
         FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace \
         WHERE c.relkind = 'r' AND {OWN} ORDER BY 1, 2"
    );
    for row in session.catalog("tables", &sql).await? {
        let [schema, name, rows, permitted, pages, elsewhere] = &Cell::texts(&row)[..] else { continue };
        // -1: never analyzed.
        let rows = number(rows);
        let bytes_per_row = match (number(pages), rows) {
            (Some(pages), Some(rows)) if rows > 0 => Some(pages as f64 * 8_192.0 / rows as f64),
            _ => None,
        };
        let table = Table {
            schema: schema.clone(),
            name: name.clone(),
            rows,
            bytes_per_row,
            unreadable: match (permitted.as_str(), elsewhere.as_str()) {
                (_, "true") => Some("it is unlogged, so a standby has none of its rows: survey the primary"),
                ("true", _) => None,
                _ => Some("they need SELECT on it"),
            },
            ..Table::default()
        };
        places.add(catalog, table);
    }
    Ok(())
}

async fn columns(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    // A domain is its type. A type of another schema may have the name of one of PostgreSQL's; that of citext is told by being a base type,
    // which only a superuser makes.
    let sql = format!(
        "SELECT n.nspname::text, c.relname::text, a.attname::text, format_type(a.atttypid, a.atttypmod)::text, \
         (a.attnotnull OR t.typnotnull)::text, CASE WHEN greatest(a.atttypmod, t.typtypmod) > 4 \
         THEN (greatest(a.atttypmod, t.typtypmod) - 4)::text END, \
         l.collname::text, (l.oid IS NOT NULL AND NOT l.collisdeterministic)::text, \
         CASE WHEN b.typnamespace = 'pg_catalog'::regnamespace OR (b.typname, b.typtype) = ('citext', 'b') THEN b.typname::text END, \
         (b.typnamespace = 'pg_catalog'::regnamespace)::text, (t.typtype = 'd')::text \
         FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_type t ON t.oid = a.atttypid \
         JOIN pg_type b ON b.oid = CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE t.oid END \
         LEFT JOIN pg_collation l ON l.oid = a.attcollation \
         WHERE c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND {OWN} ORDER BY 1, 2, a.attnum"
    );
    for row in session.catalog("columns", &sql).await? {
        let [schema, table, name, type_text, not_null, length, collation, ignoring, base, own, domain] =
            &Cell::texts(&row)[..]
        else {
            continue;
        };
        let Some(table) = places.get(schema, table) else { continue };
        let class = class(base);
        let is_text = matches!(class, Class::Text { .. });
        catalog.tables[table].columns.push(Column {
            name: name.clone(),
            type_text: type_text.clone(),
            class,
            // A value is cast to the types of ids, and to others by their own name, which is that of a domain here.
            is_builtin: own == "true" && (class != Class::Other || domain == "false"),
            nullable: not_null != "true",
            length: if is_text { number(length) } else { None },
            charset: None,
            collation: (!collation.is_empty()).then(|| collation.clone()),
            ignores_case: ignoring == "true" || base == "citext",
        });
    }
    Ok(())
}

fn class(base: &str) -> Class {
    let int = |bits| Class::Int { bits, unsigned: false };
    match base {
        "int2" => int(16),
        "int4" => int(32),
        "int8" => int(64),
        "uuid" => Class::Uuid,
        "bytea" => Class::Bytes { fixed: false },
        "bpchar" => Class::Text { fixed: true },
        "varchar" | "text" | "citext" => Class::Text { fixed: false },
        _ => Class::Other,
    }
}

async fn keys(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = format!(
        "SELECT n.nspname::text, c.relname::text, x.relname::text, i.indisunique::text, i.indisprimary::text, \
         a.attname::text, (i.indpred IS NULL AND i.indisvalid AND m.amname = 'btree')::text, x.relpages::text, \
         (k.place <= i.indnkeyatts)::text, m.amname::text, \
         CASE WHEN i.indpred IS NOT NULL THEN x.reltuples::bigint::text END \
         FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_class x ON x.oid = i.indexrelid JOIN pg_am m ON m.oid = x.relam \
         CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k(attnum, place) \
         LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum AND k.attnum > 0 \
         WHERE c.relkind = 'r' AND {OWN} ORDER BY 1, 2, 3, k.place"
    );
    for row in session.catalog("keys", &sql).await? {
        let [schema, table, name, unique, primary, of, whole, pages, is_key, method, entries] =
            &Cell::texts(&row)[..]
        else {
            continue;
        };
        let Some(table) = places.get(schema, table) else { continue };
        let table = &mut catalog.tables[table];
        let at = column(table, of);
        if is_key == "false" {
            if let Some(key) = table.keys.last_mut().filter(|key| key.name == *name) {
                key.included.extend(at);
            }
            continue;
        }
        add_to_key(table, name, at, || Key {
            pages: number(pages).filter(|&pages| pages > 0),
            holds_values: matches!(method.as_str(), "btree" | "gist"),
            entries: number(entries),
            ..Key::new(name, unique == "true", primary == "true", whole == "true")
        });
    }
    Ok(())
}

async fn foreign(session: &mut Session, catalog: &mut Catalog, places: &Places) -> Result<()> {
    let sql = format!(
        "SELECT n.nspname::text, c.relname::text, o.conname::text, a.attname::text, pn.nspname::text, \
         p.relname::text, pa.attname::text FROM pg_constraint o \
         JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace \
         JOIN pg_class p ON p.oid = o.confrelid JOIN pg_namespace pn ON pn.oid = p.relnamespace \
         CROSS JOIN LATERAL unnest(o.conkey, o.confkey) WITH ORDINALITY AS k(child, parent, place) \
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.child \
         JOIN pg_attribute pa ON pa.attrelid = p.oid AND pa.attnum = k.parent \
         WHERE o.contype = 'f' AND {OWN} ORDER BY 1, 2, 3, k.place"
    );
    foreign_keys(session, catalog, places, &sql).await
}
