//! Reads a table from the catalog, over the caller's connection. Nothing here is judged.

use idgen_database::catalog::mysql::{self, IndexPart};
use idgen_database::catalog::{ForeignKey, Query};

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::values::Values;

/// A column, in the words of `information_schema.columns`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CatalogColumn {
    pub(super) name: String,
    /// The type with its length and its members, such as `varchar(20)`.
    pub(super) full_type: String,
    pub(super) data_type: String,
    /// The character set; empty for a type without characters.
    pub(super) charset: String,
    pub(super) nullable: bool,
    pub(super) has_default: bool,
    pub(super) is_primary: bool,
    pub(super) extra: String,
    /// The most characters, or bytes of a type that has no characters.
    pub(super) length: Option<u64>,
    /// The most bytes.
    pub(super) octets: Option<u64>,
    pub(super) scale: Option<u64>,
    pub(super) fraction: Option<u64>,
    /// The expression of a generated column; empty for the others.
    pub(super) generated: String,
}

/// A table as the catalog describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CatalogTable {
    /// The storage engine; `None` for a view, and if there is no such table.
    pub(super) engine: Option<String>,
    pub(super) columns: Vec<CatalogColumn>,
    pub(super) references: Vec<ForeignKey>,
    /// The parts of each unique index, without the primary key.
    pub(super) unique: Vec<(String, Vec<UniquePart>)>,
}

/// A column, or an expression, of a unique index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct UniquePart {
    /// Empty for an expression.
    pub(super) column: String,
    /// Empty for a column.
    pub(super) expression: String,
    /// The characters or bytes of it that the index compares; `None` if it compares all.
    pub(super) prefix: Option<u64>,
}

/// Selects 1 on MySQL, and 0 on MariaDB, which executes no comment for MySQL 8.
const IS_MYSQL: &str = "CAST(0 /*!80000 + 1 */ AS CHAR)";

/// An expression of the catalog as a statement writes it.
fn expression(shown: &str, is_mysql: &str) -> String {
    if is_mysql == "1" { mysql::unescaped(shown) } else { shown.to_owned() }
}

/// The rows of an answer, as the catalog's readers take them: `NULL` is the empty text. The session of the caller may have any
/// settings, and what is read is kept for all callers.
async fn rows<C: Connection>(connection: &mut C, query: &Query) -> Attempt<Vec<Vec<String>>> {
    let mut rows = Vec::new();
    for row in connection.read(query.in_bytes()).await? {
        let cells = (0..row.len()).map(|at| Ok(row.text(at)?.unwrap_or_default()));
        rows.push(cells.collect::<Attempt<_>>()?);
    }
    Ok(rows)
}

/// Reads the table of this name in the connection's schema. The name has only letters, digits and underscores.
pub(super) async fn read<C: Connection>(connection: &mut C, name: &str) -> Attempt<CatalogTable> {
    let of_name = format!("TABLE_SCHEMA = DATABASE() AND TABLE_NAME = '{name}'");
    let mut table = CatalogTable::default();
    let engine = Query::new(&["ENGINE"], format!("information_schema.TABLES WHERE {of_name}"));
    for row in rows(connection, &engine).await? {
        table.engine = row.into_iter().next().filter(|engine| !engine.is_empty());
    }
    let more = [
        "COLUMN_KEY",
        "CAST(CHARACTER_OCTET_LENGTH AS CHAR)",
        "CAST(NUMERIC_SCALE AS CHAR)",
        "CAST(DATETIME_PRECISION AS CHAR)",
        "IF(COLUMN_DEFAULT IS NULL, 'NO', 'YES')",
        "GENERATION_EXPRESSION",
        IS_MYSQL,
    ];
    for row in rows(connection, &mysql::columns(&of_name, &more)).await? {
        let Some(read) = mysql::Column::of_row(&row) else { continue };
        let [key, octets, scale, fraction, has_default, generated, is_mysql] = read.more else { continue };
        table.columns.push(CatalogColumn {
            name: read.name.to_owned(),
            full_type: read.type_text.to_owned(),
            data_type: read.data_type.to_lowercase(),
            charset: read.charset.to_lowercase(),
            nullable: read.nullable,
            is_primary: key == "PRI",
            extra: read.extra.to_lowercase(),
            length: read.length,
            octets: octets.parse().ok(),
            scale: scale.parse().ok(),
            fraction: fraction.parse().ok(),
            has_default: has_default == "YES",
            generated: expression(generated, is_mysql),
        });
    }
    let here = format!("k.TABLE_SCHEMA = DATABASE() AND k.TABLE_NAME = '{name}'");
    let keys = rows(connection, &mysql::foreign_keys_with_rules(&here)).await?;
    table.references = ForeignKey::of_rows(&keys);
    let more = ["COALESCE(/*!80013 EXPRESSION, */ NULL)", IS_MYSQL];
    let unique = format!("{of_name} AND NON_UNIQUE = 0 AND INDEX_NAME <> '{}'", IndexPart::PRIMARY);
    for row in rows(connection, &mysql::index_parts(&unique, &more)).await? {
        let Some(read) = IndexPart::of_row(&row) else { continue };
        let [shown, is_mysql] = read.more else { continue };
        let part = UniquePart {
            column: read.column.to_owned(),
            expression: expression(shown, is_mysql),
            prefix: read.prefix,
        };
        match table.unique.last_mut() {
            Some((last, parts)) if last == read.index => parts.push(part),
            _ => table.unique.push((read.index.to_owned(), vec![part])),
        }
    }
    Ok(table)
}
