//! Checks, when a program starts, that a column fits its Rust type.

use sqlx::{AssertSqlSafe, Executor, MySqlPool, Row};
use uuid::Uuid;

use crate::error::failure::Kind;
use crate::error::{Error, Result};
use crate::types::ColumnType;
use crate::types::private::Column;

const ACTION: &str = "check the column";

/// The number of rows that are read to distinguish layouts that have the same column type.
const SAMPLE: usize = 100;

/// With fewer rows nothing is concluded, because half of the UUIDs are valid by chance when read in the wrong layout.
const ENOUGH: usize = 10;

/// Checks that a column of the pool's schema holds ids the way `T` reads them: its type, its length and
/// its collation; and for `BINARY(16)`, from up to 100 rows, that the ids in it are not swapped where `T` is
/// not, or the other way round. Call it at start, once for each column.
///
/// ```no_run
/// use idgen_mysql::{check_column, types::Base64Char22};
///
/// # async fn example(pool: sqlx::MySqlPool) -> idgen_mysql::Result<()> {
/// check_column::<Base64Char22>(&pool, "orders", "id").await?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The column does not fit ([`is_column`](Error::is_column)), or the server does not describe it.
pub async fn check_column<T: ColumnType>(pool: &MySqlPool, table: &str, column: &str) -> Result<()> {
    let look = "SELECT CAST(column_type AS CHAR), CAST(character_maximum_length AS UNSIGNED), \
        CAST(collation_name AS CHAR) FROM information_schema.columns \
        WHERE table_schema = DATABASE() AND table_name = ? AND column_name = ?";
    let row =
        pool.fetch_optional(sqlx::query(look).bind(table).bind(column)).await.map_err(Error::once(ACTION))?;
    let Some(row) = row else {
        return Err(problem(format!("there is no column {table}.{column} in this schema")));
    };
    let read = || -> std::result::Result<Column, sqlx::Error> {
        let kind: String = row.try_get(0)?;
        Ok(Column { kind: kind.to_lowercase(), length: row.try_get(1)?, collation: row.try_get(2)? })
    };
    let found = read().map_err(Error::once(ACTION))?;
    if !T::fits(&found) {
        let collation = found.collation.map(|name| format!(" COLLATE {name}")).unwrap_or_default();
        return Err(problem(format!(
            "column {table}.{column} is {}{collation}, but its type in the program is for {}",
            found.kind,
            T::DEFINITION
        )));
    }
    if T::readings([0; 16]).is_some() {
        check_layout::<T>(pool, table, column).await?;
    }
    Ok(())
}

/// A UUID that is read in the wrong layout has other bits where its version should be.
async fn check_layout<T: ColumnType>(pool: &MySqlPool, table: &str, column: &str) -> Result<()> {
    // These names are safe to use in SQL: the look-up above found them in the schema.
    let (table_name, column_name) = (table.replace('`', "``"), column.replace('`', "``"));
    let statement = format!(
        "SELECT `{column_name}` FROM `{table_name}` WHERE `{column_name}` IS NOT NULL LIMIT {SAMPLE}"
    );
    let rows = pool.fetch_all(sqlx::raw_sql(AssertSqlSafe(statement))).await.map_err(Error::once(ACTION))?;
    let (mut ours, mut other) = (0, 0);
    for row in &rows {
        let bytes: Vec<u8> = row.try_get(0).map_err(Error::once(ACTION))?;
        let readings = <[u8; 16]>::try_from(&bytes[..]).ok().and_then(T::readings);
        let Some((by_us, by_other)) = readings else {
            let length = bytes.len();
            return Err(problem(format!("column {table}.{column} holds a value of {length} bytes, not 16")));
        };
        ours += usize::from(is_regular(by_us));
        other += usize::from(is_regular(by_other));
    }
    if rows.len() >= ENOUGH && other == rows.len() && ours < rows.len() {
        return Err(problem(format!(
            "column {table}.{column} holds UUIDs of the other byte order: {other} of {other} rows are proper \
             UUIDs there, {ours} in the order of the program's type; exchange Binary16 and SwappedBinary16"
        )));
    }
    Ok(())
}

/// Version 1 to 8 in its place, and the variant of RFC 9562.
fn is_regular(uuid: Uuid) -> bool {
    (1..=8).contains(&uuid.get_version_num()) && uuid.get_variant() == uuid::Variant::RFC4122
}

fn problem(problem: String) -> Error {
    Error::new(Kind::Column { problem })
}
