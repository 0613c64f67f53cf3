//! What `information_schema` says about the tables of one schema.

use std::collections::{BTreeMap, BTreeSet};

use super::quote::{literal, name, text, unescaped};
use super::session::Session;
use crate::plan::data::Engine;
use idgen_database::{Error, Result};

/// The name of each primary key.
const PRIMARY: &str = "PRIMARY";

#[derive(Debug, Default)]
pub(super) struct Catalog {
    pub(super) schema: String,
    pub(super) tables: BTreeMap<String, Table>,
    /// Foreign keys of this schema, and those of others that refer to it.
    pub(super) foreign: Vec<Foreign>,
    /// Tables that have triggers, with the names of the triggers.
    pub(super) triggers: Vec<(String, String)>,
    /// Views, routines, events and triggers with the texts of their statements.
    pub(super) programs: Vec<Program>,
}

/// Something in the schema that has statements of its own.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) shown: String,
    text: String,
}

impl Program {
    /// Whether its text has this name as a word.
    pub(super) fn mentions(&self, name: &str) -> bool {
        let text = self.text.to_lowercase();
        let mut words = text.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$')));
        words.any(|word| word == name.to_lowercase())
    }
}

#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) name: String,
    pub(super) engine: String,
    pub(super) rows: u64,
    pub(super) bytes: u64,
    pub(super) is_partitioned: bool,
    /// `BASE TABLE`, or `VIEW`, `SYSTEM VERSIONED` and so on.
    pub(super) kind: String,
    pub(super) columns: Vec<Column>,
    pub(super) parts: Vec<Part>,
    /// The index whose columns tell the rows apart: the primary key, or a unique key without NULL.
    pub(super) key: String,
    /// The columns of this key.
    pub(super) primary: Vec<String>,
    /// Check constraints: their names and conditions.
    pub(super) conditions: Vec<(String, String)>,
}

/// A part of an index.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Part {
    pub(super) index: String,
    /// Empty for an expression.
    pub(super) column: String,
    pub(super) expression: String,
    /// How many characters or bytes of the column; 0 for all.
    pub(super) prefix: u64,
    pub(super) is_tree: bool,
    is_unique: bool,
    nullable: bool,
    /// Ascending, seen by the optimizer, without a comment: as the server makes an index for a foreign key.
    is_plain: bool,
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
    /// As a declaration writes it: a text in quotes, or an expression in parentheses. Empty if there is none.
    pub(super) default: String,
    /// There is a default, but MySQL does not show it: it was given by `ALTER COLUMN … SET DEFAULT (expression)`.
    pub(super) has_hidden_default: bool,
    /// The expression of a generated column; empty for others.
    pub(super) generated: String,
    pub(super) is_invisible: bool,
    pub(super) counts: bool,
    /// Set to the time by each UPDATE that does not name it.
    pub(super) is_stamped: bool,
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

    pub(super) fn is_base(&self) -> bool {
        self.kind == "BASE TABLE"
    }

    pub(super) fn has_primary_key(&self) -> bool {
        self.key == PRIMARY
    }

    fn of_index(&self, index: &str) -> Vec<&Part> {
        self.parts.iter().filter(|part| part.index == index).collect()
    }

    /// Whether these columns are a whole unique key.
    pub(super) fn is_unique(&self, columns: &[String]) -> bool {
        !self.indexes_of(columns, |part| part.is_unique).is_empty()
    }

    /// The indexes that the server may have made for a foreign key of these columns.
    pub(super) fn supports_of(&self, columns: &[String]) -> Vec<&str> {
        self.indexes_of(columns, |part| part.is_plain && part.is_tree && !part.is_unique)
    }

    /// The indexes of these whole columns, in this order, all of whose parts are as asked.
    fn indexes_of(&self, columns: &[String], fits: impl Fn(&Part) -> bool) -> Vec<&str> {
        let is_of = |index: &&str| {
            let parts = self.of_index(index);
            parts.iter().all(|part| part.prefix == 0 && fits(part))
                && parts.iter().map(|part| &part.column).eq(columns)
        };
        self.indexes().into_iter().filter(is_of).collect()
    }

    fn indexes(&self) -> BTreeSet<&str> {
        self.parts.iter().map(|part| part.index.as_str()).collect()
    }

    /// The primary key, or the shortest unique key that tells each row apart.
    fn choose_key(&mut self) {
        // The copy writes the columns of the key.
        let is_written = |part: &Part| self.column(&part.column).is_some_and(|column| !column.is_generated());
        let tells_apart = |part: &&Part| {
            part.is_unique && part.is_tree && !part.nullable && part.prefix == 0 && is_written(part)
        };
        let keys = self.indexes().into_iter().filter(|index| self.of_index(index).iter().all(tells_apart));
        let key = keys.min_by_key(|index| (*index != PRIMARY, self.of_index(index).len())).map(str::to_owned);
        if let Some(key) = key {
            self.primary = self.of_index(&key).into_iter().map(|part| part.column.clone()).collect();
            self.key = key;
        }
    }
}

impl Column {
    pub(super) fn is_generated(&self) -> bool {
        !self.generated.is_empty()
    }

    /// The whole column with another default, as MySQL needs it: it does not show a default that `ALTER COLUMN … SET DEFAULT
    /// (expression)` gave, and a dump of the table would lose it.
    pub(super) fn definition(&self, default: &str) -> String {
        let mut all = format!("{} {}", name(&self.name), self.declared());
        all.push_str(if self.nullable { " NULL" } else { " NOT NULL" });
        if !default.is_empty() {
            all.push_str(&format!(" DEFAULT {default}"));
        }
        if self.is_invisible {
            all.push_str(" INVISIBLE");
        }
        if !self.comment.is_empty() {
            all.push_str(&format!(" COMMENT {}", literal(&self.comment)));
        }
        all
    }

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
        catalog.read_indexes(session).await?;
        catalog.read_conditions(session).await?;
        catalog.read_programs(session).await?;
        catalog.read_foreign_keys(session).await?;
        Ok(catalog)
    }

    /// A table that the user named.
    pub(super) fn table(&self, name: &str) -> Result<&Table> {
        let table = self.tables.get(name).ok_or_else(|| {
            Error::new(format!("the schema {} has no table \"{name}\" that this user can see", self.schema))
        })?;
        if !table.is_base() {
            return Err(Error::new(format!("the table {name} is no base table, but {}", table.kind)));
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
                kind: kind.clone(),
                ..Table::default()
            };
            self.tables.insert(name.clone(), table);
        }
        Ok(())
    }

    async fn read_columns(&mut self, session: &mut Session) -> Result<()> {
        let sql = "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, DATA_TYPE, IS_NULLABLE, CHARACTER_SET_NAME, \
                   COLLATION_NAME, CONCAT('=', COLUMN_DEFAULT), EXTRA, GENERATION_EXPRESSION, COLUMN_COMMENT, \
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
                default: written_default(session.engine, data_type, default.strip_prefix('='), extra),
                has_hidden_default: default.is_empty() && extra.contains("DEFAULT_GENERATED"),
                generated: made.clone(),
                is_invisible: extra.to_ascii_uppercase().contains("INVISIBLE"),
                counts: extra.contains("auto_increment"),
                is_stamped: extra.to_ascii_lowercase().contains("on update"),
                comment: comment.clone(),
                length: length.parse().unwrap_or(0),
            });
        }
        Ok(())
    }

    async fn read_indexes(&mut self, session: &mut Session) -> Result<()> {
        // MariaDB has no indexes on expressions.
        let (expression, is_seen) = match session.engine {
            Engine::MySql => ("EXPRESSION", "IS_VISIBLE = 'YES'"),
            _ => ("NULL", "IGNORED = 'NO'"),
        };
        let sql = format!(
            "SELECT TABLE_NAME, INDEX_NAME, COLUMN_NAME, {expression}, CAST(SUB_PART AS CHAR), INDEX_TYPE, \
             CAST(NON_UNIQUE AS CHAR), NULLABLE, IF({is_seen} AND COLLATION = 'A' AND INDEX_COMMENT = '', '1', '0') FROM information_schema.STATISTICS \
             WHERE TABLE_SCHEMA = DATABASE() ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX"
        );
        for row in session.rows(&sql).await? {
            let [table, index, column, expression, prefix, kind, is_repeated, nullable, is_plain] = &row[..]
            else {
                continue;
            };
            let Some(table) = self.tables.get_mut(table) else { continue };
            table.parts.push(Part {
                index: index.clone(),
                column: column.clone(),
                expression: unescaped(expression),
                prefix: prefix.parse().unwrap_or(0),
                is_tree: kind == "BTREE",
                is_unique: is_repeated == "0",
                nullable: nullable == "YES",
                is_plain: is_plain == "1",
            });
        }
        self.tables.values_mut().for_each(Table::choose_key);
        Ok(())
    }

    async fn read_conditions(&mut self, session: &mut Session) -> Result<()> {
        let sql = match session.engine {
            Engine::MySql => {
                "SELECT t.TABLE_NAME, c.CONSTRAINT_NAME, c.CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS AS c \
                 JOIN information_schema.TABLE_CONSTRAINTS AS t ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA \
                 AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE = 'CHECK' \
                 WHERE c.CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1, 2"
            }
            _ => {
                "SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS \
                 WHERE CONSTRAINT_SCHEMA = DATABASE() ORDER BY 1, 2"
            }
        };
        for row in session.rows(sql).await? {
            let [table, name, clause] = &row[..] else { continue };
            if let Some(table) = self.tables.get_mut(table) {
                table.conditions.push((name.clone(), unescaped(clause)));
            }
        }
        Ok(())
    }

    async fn read_programs(&mut self, session: &mut Session) -> Result<()> {
        let sql = "SELECT CONCAT('view ', TABLE_NAME), VIEW_DEFINITION FROM information_schema.VIEWS \
                   WHERE TABLE_SCHEMA = DATABASE() UNION ALL \
                   SELECT CONCAT(LOWER(ROUTINE_TYPE), ' ', ROUTINE_NAME), ROUTINE_DEFINITION FROM information_schema.ROUTINES \
                   WHERE ROUTINE_SCHEMA = DATABASE() UNION ALL \
                   SELECT CONCAT('event ', EVENT_NAME), EVENT_DEFINITION FROM information_schema.EVENTS \
                   WHERE EVENT_SCHEMA = DATABASE() ORDER BY 1";
        for row in session.rows(sql).await? {
            if let [shown, text] = &row[..] {
                self.programs.push(Program { shown: shown.clone(), text: text.clone() });
            }
        }
        let triggers = "SELECT EVENT_OBJECT_TABLE, TRIGGER_NAME, ACTION_STATEMENT FROM information_schema.TRIGGERS \
                        WHERE TRIGGER_SCHEMA = DATABASE() ORDER BY 1, 2";
        for row in session.rows(triggers).await? {
            if let [table, name, text] = &row[..] {
                self.triggers.push((table.clone(), name.clone()));
                self.programs.push(Program { shown: format!("trigger {name}"), text: text.clone() });
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

/// A default as a declaration writes it.
fn written_default(engine: Engine, data_type: &str, shown: Option<&str>, extra: &str) -> String {
    match shown {
        // MariaDB writes the default NULL as text.
        None | Some("NULL") if engine == Engine::MariaDb => String::new(),
        None => String::new(),
        Some(shown) if engine == Engine::MariaDb && shown.starts_with('\'') => shown.to_owned(),
        Some(shown) if engine == Engine::MariaDb => format!("({shown})"),
        Some(shown) if extra.contains("DEFAULT_GENERATED") => format!("({})", unescaped(shown)),
        // MySQL shows bytes as 0x….
        Some(shown) if data_type == "binary" => shown.to_owned(),
        Some(shown) if shown.contains('\\') => format!("({})", text(shown)),
        Some(shown) => text(shown),
    }
}
