//! Reads a table from the catalog: the queries, and their rows as they are. Nothing here is judged.

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

/// A column of a foreign key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CatalogReference {
    pub(super) column: String,
    pub(super) target: String,
    pub(super) target_column: String,
    /// The rule for a deletion, such as `SET NULL`.
    pub(super) on_delete: String,
}

/// A table as the catalog describes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct CatalogTable {
    /// The storage engine; `None` for a view, and if there is no such table.
    pub(super) engine: Option<String>,
    pub(super) columns: Vec<CatalogColumn>,
    pub(super) references: Vec<CatalogReference>,
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

fn text(row: &impl Values, at: usize) -> Attempt<String> {
    Ok(row.text(at)?.unwrap_or_default())
}

fn count(row: &impl Values, at: usize) -> Attempt<Option<u64>> {
    Ok(row.text(at)?.and_then(|text| text.parse().ok()))
}

/// Selects 1 on MySQL, and 0 on MariaDB, which executes no comment for MySQL 8.
const IS_MYSQL: &str = "0 /*!80000 + 1 */";

/// An expression of the catalog as a statement writes it. Before each quote and each backslash of it, MySQL shows another backslash.
/// The next column of the row is that of [`IS_MYSQL`].
fn expression(row: &impl Values, at: usize) -> Attempt<String> {
    let shown = text(row, at)?;
    if text(row, at + 1)? != "1" {
        return Ok(shown);
    }
    let mut letters = shown.chars().peekable();
    let mut written = String::new();
    while let Some(letter) = letters.next() {
        let escaped = letters.next_if(|next| letter == '\\' && matches!(next, '\'' | '\\'));
        written.push(escaped.unwrap_or(letter));
    }
    Ok(written)
}

/// Reads the table of this name in the connection's schema. The name has only letters, digits and underscores.
pub(super) async fn read<C: Connection>(connection: &mut C, name: &str) -> Attempt<CatalogTable> {
    let here = format!("table_schema = DATABASE() AND table_name = '{name}'");
    let mut table = CatalogTable::default();
    let engine = format!("SELECT engine FROM information_schema.tables WHERE {here}");
    for row in connection.read(engine).await? {
        table.engine = row.text(0)?;
    }
    let columns = format!(
        "SELECT column_name, column_type, LOWER(data_type), is_nullable, column_key, LOWER(extra), \
         CAST(character_maximum_length AS CHAR), CAST(character_octet_length AS CHAR), CAST(numeric_scale AS CHAR), \
         CAST(datetime_precision AS CHAR), IF(column_default IS NULL, 'NO', 'YES'), \
         generation_expression, CAST({IS_MYSQL} AS CHAR) \
         FROM information_schema.columns WHERE {here} ORDER BY ordinal_position"
    );
    for row in connection.read(columns).await? {
        table.columns.push(CatalogColumn {
            name: text(&row, 0)?,
            full_type: text(&row, 1)?,
            data_type: text(&row, 2)?,
            nullable: text(&row, 3)? == "YES",
            is_primary: text(&row, 4)? == "PRI",
            extra: text(&row, 5)?,
            length: count(&row, 6)?,
            octets: count(&row, 7)?,
            scale: count(&row, 8)?,
            fraction: count(&row, 9)?,
            has_default: text(&row, 10)? == "YES",
            generated: expression(&row, 11)?,
        });
    }
    let references = format!(
        "SELECT k.column_name, k.referenced_table_name, k.referenced_column_name, r.delete_rule \
         FROM information_schema.key_column_usage k JOIN information_schema.referential_constraints r \
         ON r.constraint_schema = k.constraint_schema AND r.constraint_name = k.constraint_name AND r.table_name = k.table_name \
         WHERE k.table_schema = DATABASE() AND k.table_name = '{name}' AND k.referenced_table_name IS NOT NULL"
    );
    for row in connection.read(references).await? {
        let [column, target, target_column, on_delete] =
            [text(&row, 0)?, text(&row, 1)?, text(&row, 2)?, text(&row, 3)?];
        table.references.push(CatalogReference { column, target, target_column, on_delete });
    }
    let unique = format!(
        "SELECT index_name, COALESCE(column_name, ''), CAST(sub_part AS CHAR), COALESCE(/*!80013 expression, */ NULL), \
         CAST({IS_MYSQL} AS CHAR) FROM information_schema.statistics \
         WHERE {here} AND non_unique = 0 AND index_name <> 'PRIMARY' ORDER BY index_name, seq_in_index"
    );
    for row in connection.read(unique).await? {
        let (column, prefix, expression) = (text(&row, 1)?, count(&row, 2)?, expression(&row, 3)?);
        let (index, part) = (text(&row, 0)?, UniquePart { column, expression, prefix });
        match table.unique.last_mut() {
            Some((last, parts)) if *last == index => parts.push(part),
            _ => table.unique.push((index, vec![part])),
        }
    }
    Ok(table)
}
