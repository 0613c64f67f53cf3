//! Reads a catalog from `information_schema`.

use super::{Catalog, Column, Part, Table};
use crate::plan::data::Engine;
use crate::plan::mysql::quote::text;
use crate::plan::mysql::session::Session;
use crate::programs::Program;
use idgen_database::catalog::ForeignKey;
use idgen_database::catalog::mysql::{self, IndexPart, unescaped};
use idgen_database::{Error, Result};

/// The tables of the schema that the URL names.
const HERE: &str = "TABLE_SCHEMA = DATABASE()";

impl Catalog {
    pub(in crate::plan::mysql) async fn read(session: &mut Session) -> Result<Catalog> {
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

    async fn read_tables(&mut self, session: &mut Session) -> Result<()> {
        let sql = "SELECT TABLE_NAME, COALESCE(ENGINE, ''), CAST(TABLE_ROWS AS CHAR), \
                   CAST(DATA_LENGTH + INDEX_LENGTH AS CHAR), COALESCE(CREATE_OPTIONS, ''), TABLE_TYPE, \
                   IF(ROW_FORMAT IN ('Compact', 'Redundant', 'Dynamic') AND ROW_FORMAT <> @@GLOBAL.innodb_default_row_format, ROW_FORMAT, '') \
                   FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()";
        for row in session.rows(sql).await? {
            let [name, engine, rows, bytes, options, kind, format] = &row[..] else { continue };
            let table = Table {
                name: name.clone(),
                engine: engine.clone(),
                rows: rows.parse().unwrap_or(0),
                bytes: bytes.parse().unwrap_or(0),
                is_partitioned: options.contains("partitioned"),
                kind: kind.clone(),
                row_format: match options.to_ascii_lowercase().contains("row_format=") {
                    true => String::new(),
                    false => format.to_uppercase(),
                },
                ..Table::default()
            };
            self.tables.insert(name.clone(), table);
        }
        Ok(())
    }

    async fn read_columns(&mut self, session: &mut Session) -> Result<()> {
        let more = ["CONCAT('=', COLUMN_DEFAULT)", "GENERATION_EXPRESSION", "COLUMN_COMMENT"];
        for row in session.rows(&mysql::columns(HERE, &more).sql()).await? {
            let Some(read) = mysql::Column::of_row(&row) else { continue };
            let ([default, made, comment], Some(table)) = (read.more, self.tables.get_mut(read.table)) else {
                continue;
            };
            table.columns.push(Column {
                name: read.name.to_owned(),
                type_text: read.type_text.to_owned(),
                data_type: read.data_type.to_ascii_lowercase(),
                nullable: read.nullable,
                charset: read.charset.to_owned(),
                collation: read.collation.to_owned(),
                default: written_default(session.engine, &read, default.strip_prefix('=')),
                has_hidden_default: default.is_empty() && read.has_expression_default(),
                generated: match session.engine {
                    Engine::MySql => unescaped(made),
                    _ => made.clone(),
                },
                is_stored: {
                    let extra = read.extra.to_ascii_uppercase();
                    extra.contains("STORED GENERATED") || extra.contains("PERSISTENT")
                },
                is_invisible: read.is_invisible(),
                counts: read.counts(),
                is_stamped: read.is_stamped(),
                comment: comment.clone(),
                length: read.length.unwrap_or(0),
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
        let is_plain = format!("IF({is_seen} AND COLLATION = 'A' AND INDEX_COMMENT = '', '1', '0')");
        let more = [expression, "NULLABLE", &is_plain];
        for row in session.rows(&mysql::index_parts(HERE, &more).sql()).await? {
            let Some(read) = IndexPart::of_row(&row) else { continue };
            let ([expression, nullable, is_plain], Some(table)) =
                (read.more, self.tables.get_mut(read.table))
            else {
                continue;
            };
            table.parts.push(Part {
                index: read.index.to_owned(),
                column: read.column.to_owned(),
                expression: unescaped(expression),
                prefix: read.prefix.unwrap_or(0),
                is_tree: read.is_tree(),
                is_unique: read.is_unique,
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

    /// Programs of other schemas that do not name this one cannot use its tables. If those of other schemas cannot be read, the plan says so.
    async fn read_programs(&mut self, session: &mut Session) -> Result<()> {
        let here = session.rows(&mysql::programs("{schema} = DATABASE()")).await?;
        self.programs = here.into_iter().filter_map(Program::of_row).collect();
        for program in self.programs.iter().filter(|program| program.kind == "trigger") {
            self.triggers.push((program.table.clone(), program.name.clone()));
        }
        let others = format!("{{schema}} <> DATABASE() AND {{schema}} NOT IN {}", mysql::OF_SERVER);
        match session.rows(&mysql::programs(&others)).await {
            Ok(rows) => {
                let others = rows.into_iter().filter_map(Program::of_row);
                self.programs.extend(others.filter(|one| one.text.is_empty() || one.mentions(&self.schema)));
            }
            Err(error) => self.others_unread = Some(error.to_string()),
        }
        Ok(())
    }

    async fn read_foreign_keys(&mut self, session: &mut Session) -> Result<()> {
        let schema = text(&self.schema);
        let keys = mysql::foreign_keys_with_rules(&format!(
            "k.TABLE_SCHEMA = {schema} OR k.REFERENCED_TABLE_SCHEMA = {schema}"
        ));
        self.foreign = ForeignKey::of_rows(&session.rows(&keys.sql()).await?);
        Ok(())
    }
}

/// A default as a declaration writes it.
fn written_default(engine: Engine, column: &mysql::Column<'_>, shown: Option<&str>) -> String {
    match shown {
        // MariaDB writes the default NULL as text.
        None | Some("NULL") if engine == Engine::MariaDb => String::new(),
        None => String::new(),
        Some(shown) if engine == Engine::MariaDb && shown.starts_with('\'') => shown.to_owned(),
        Some(shown) if engine == Engine::MariaDb => format!("({shown})"),
        Some(shown) if column.has_expression_default() => format!("({})", unescaped(shown)),
        // MySQL shows bytes as 0x….
        Some(shown) if column.data_type == "binary" => shown.to_owned(),
        Some(shown) if shown.contains('\\') => format!("({})", text(shown)),
        Some(shown) => text(shown),
    }
}
