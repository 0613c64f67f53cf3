//! What `information_schema` says about the tables of one schema.

use std::collections::BTreeMap;

use super::quote::text;
use super::session::Session;
use crate::error::{Error, Result};

#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) schema: String,
    pub(super) tables: BTreeMap<String, Table>,
    /// Foreign keys of this schema, and those of others that refer to it.
    pub(super) foreign: Vec<Foreign>,
    /// Tables that have triggers, with the names of the triggers.
    pub(super) triggers: Vec<(String, String)>,
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) engine: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) is_partitioned: bool,
    pub(super) is_view: bool,
    pub(super) columns: Vec<Column>,
    /// The columns of the primary key.
    pub(super) primary: Vec<String>,
}

#[derive(Debug, Default)]
pub(super) struct Column {
    pub(super) name: String,
    /// As a declaration writes it: `char(36)`.
    pub(super) type_text: String,
    pub(super) data_type: String,
    pub(super) nullable: bool,
    pub(super) charset: String,
    pub(super) collation: String,
    pub(super) default: String,
    pub(super) is_generated: bool,
    pub(super) counts: bool,
    pub(super) comment: String,
    /// In characters or bytes; 0 if the type has none.
    pub(super) length: u64,
}

#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Foreign {
    pub(super) name: String,
    pub(super) schema: String,
    pub(super) table: String,
    pub(super) columns: Vec<String>,
    pub(super) to_schema: String,
    pub(super) to_table: String,
    pub(super) to_columns: Vec<String>,
    pub(super) on_update: String,
    pub(super) on_delete: String,
}

impl Table {
    pub(super) fn column(&self, name: &str) -> Option<&Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

impl Column {
    /// The type with its character set, for declarations of variables and columns.
    pub(super) fn declared(&self) -> String {
        match self.collation.as_str() {
            "" => self.type_text.clone(),
            collation => format!("{} CHARACTER SET {} COLLATE {collation}", self.type_text, self.charset),
        }
    }
}

impl Catalog {
    pub(super) async fn read(session: &mut Session) -> Result<Catalog> {
        let schema = session.text("SELECT DATABASE()").await?;
        if schema.is_empty() {
            return Err(Error::new("the URL names no schema: write mysql://user@host/schema"));
        }
        let mut catalog = Catalog { schema, ..Catalog::default() };
        catalog.read_tables(session).await?;
        catalog.read_columns(session).await?;
        catalog.read_keys(session).await?;
        catalog.read_foreign_keys(session).await?;
        let triggers = "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME FROM information_schema.TRIGGERS \
                        WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1, 2";
        for row in session.rows(triggers).await? {
            if let [table, name] = &row[..] {
                catalog.triggers.push((table.clone(), name.clone()));
            }
        }
        Ok(catalog)
    }

    /// A table that the user named.
    pub(super) fn table(&self, name: &str) -> Result<&Table> {
        let table = self.tables.get(name).ok_or_else(|| {
            Error::new(format!("the schema {} has no table \"{name}\" that this user can see", self.schema))
        })?;
        if table.is_view {
            return Err(Error::new(format!("the table {name} is not a base table")));
        }
        Ok(table)
    }

    async fn read_tables(&mut self, session: &mut Session) -> Result<()> {
        let sql = "SELECT TABLE_NAME, COALESCE(ENGINE, ''), CAST(TABLE_ROWS AS CHAR), \
                   CAST(DATA_LENGTH + INDEX_LENGTH AS CHAR), COALESCE(CREATE_OPTIONS, ''), TABLE_TYPE \
                   FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()";
        for row in session.rows(sql).await? {
            let [name, engine, rows, bytes, options, kind] = &row[..] else { continue };
            let table = Table {
                name: name.clone(),
                engine: engine.clone(),
                rows: rows.parse().unwrap_or(0),
                bytes: bytes.parse().unwrap_or(0),
                is_partitioned: options.contains("partitioned"),
                is_view: kind != "BASE TABLE",
                ..Table::default()
            };
            self.tables.insert(name.clone(), table);
        }
        Ok(())
    }

    async fn read_columns(&mut self, session: &mut Session) -> Result<()> {
        let sql = "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, IS_NULLABLE, CHARACTER_SET_NAME, \
                   COLLATION_NAME, COLUMN_DEFAULT, EXTRA, GENERATION_EXPRESSION, COLUMN_COMMENT, \
                   CAST(CHARACTER_MAXIMUM_LENGTH AS CHAR) FROM information_schema.COLUMNS \
                   WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, ORDINAL_POSITION";
        for row in session.rows(sql).await? {
            let [
                table,
                name,
                type_text,
                data_type,
                nullable,
                charset,
                collation,
                default,
                extra,
                made,
                comment,
                length,
            ] = &row[..]
            else {
                continue;
            };
            let Some(table) = self.tables.get_mut(table) else { continue };
            table.columns.push(Column {
                name: name.clone(),
                type_text: type_text.clone(),
                data_type: data_type.to_ascii_lowercase(),
                nullable: nullable == "YES",
                charset: charset.clone(),
                collation: collation.clone(),
                // MariaDB writes the default NULL as text.
                default: if default == "NULL" { String::new() } else { default.clone() },
                is_generated: !made.is_empty(),
                counts: extra.contains("auto_increment"),
                comment: comment.clone(),
                length: length.parse().unwrap_or(0),
            });
        }
        Ok(())
    }

    async fn read_keys(&mut self, session: &mut Session) -> Result<()> {
        let sql = "SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.STATISTICS \
                   WHERE TABLE_SCHEMA = DATABASE() AND INDEX_NAME = 'PRIMARY' ORDER BY TABLE_NAME, SEQ_IN_INDEX";
        for row in session.rows(sql).await? {
            let [table, column] = &row[..] else { continue };
            if let Some(table) = self.tables.get_mut(table) {
                table.primary.push(column.clone());
            }
        }
        Ok(())
    }

    async fn read_foreign_keys(&mut self, session: &mut Session) -> Result<()> {
        let sql = format!(
            "SELECT k.CONSTRAINT_NAME, k.TABLE_SCHEMA, k.TABLE_NAME, k.COLUMN_NAME, k.REFERENCED_TABLE_SCHEMA, \
             k.REFERENCED_TABLE_NAME, k.REFERENCED_COLUMN_NAME, r.UPDATE_RULE, r.DELETE_RULE \
             FROM information_schema.KEY_COLUMN_USAGE k JOIN information_schema.REFERENTIAL_CONSTRAINTS r \
             ON r.CONSTRAINT_SCHEMA = k.CONSTRAINT_SCHEMA AND r.CONSTRAINT_NAME = k.CONSTRAINT_NAME \
             AND r.TABLE_NAME = k.TABLE_NAME \
             WHERE k.REFERENCED_TABLE_NAME IS NOT NULL \
             AND (k.TABLE_SCHEMA = {0} OR k.REFERENCED_TABLE_SCHEMA = {0}) \
             ORDER BY k.TABLE_SCHEMA, k.TABLE_NAME, k.CONSTRAINT_NAME, k.ORDINAL_POSITION",
            text(&self.schema)
        );
        for row in session.rows(&sql).await? {
            let [name, schema, table, column, to_schema, to_table, to_column, on_update, on_delete] =
                &row[..]
            else {
                continue;
            };
            let same =
                |last: &&mut Foreign| last.name == *name && last.table == *table && last.schema == *schema;
            if let Some(last) = self.foreign.last_mut().filter(same) {
                last.columns.push(column.clone());
                last.to_columns.push(to_column.clone());
                continue;
            }
            self.foreign.push(Foreign {
                name: name.clone(),
                schema: schema.clone(),
                table: table.clone(),
                columns: vec![column.clone()],
                to_schema: to_schema.clone(),
                to_table: to_table.clone(),
                to_columns: vec![to_column.clone()],
                on_update: on_update.clone(),
                on_delete: on_delete.clone(),
            });
        }
        Ok(())
    }
}
