//! Converts keys to values of statements, and values of rows to keys.

use idgen::Uuid;
use sqlx::mysql::{MySqlArguments, MySqlRow};
use sqlx::query::Query;
use sqlx::{MySql, Row};

use crate::engine::mysql::doing;
use crate::key::Key;
use crate::strategy::native;
use crate::{Error, Result};
use idgen_record::Column;

/// A statement to which values are bound.
pub type Statement<'q> = Query<'q, MySql, MySqlArguments>;

/// Binds a key in the form that its column takes.
pub fn bind<'q>(query: Statement<'q>, key: &Key, column: Column) -> Statement<'q> {
    match key {
        Key::Assigned => query.bind(None::<u64>),
        Key::Uint(number) => query.bind(*number),
        Key::Binary(bytes) if column == Column::Uuid => {
            query.bind(Uuid::from_bytes(native::from_stored(*bytes)).to_string())
        }
        Key::Binary(bytes) => query.bind(bytes.to_vec()),
        Key::Text(text) => query.bind(text.to_string()),
    }
}

/// The key in the first column of a row.
pub fn read_key(row: &MySqlRow, column: Column) -> Result<Key> {
    let failed = doing("read a key back");
    // The type is not checked: depending on server and collation, the same bytes have one type or another.
    let key = match column {
        Column::Binary16 | Column::Swapped16 | Column::Unkeyed16 => {
            let bytes: Vec<u8> = row.try_get_unchecked(0).map_err(&failed)?;
            bytes.try_into().ok().map(Key::Binary)
        }
        Column::Uuid => {
            let text: String = row.try_get_unchecked(0).map_err(&failed)?;
            Uuid::parse_str(&text).ok().map(|uuid| Key::Binary(native::to_stored(*uuid.as_bytes())))
        }
        Column::Text36 | Column::VarText36 | Column::VarBinary36 | Column::Base64 | Column::Base32 => {
            let text: String = row.try_get_unchecked(0).map_err(&failed)?;
            Key::text(&text)
        }
        _ => Some(Key::Uint(row.try_get(0).map_err(&failed)?)),
    };
    key.ok_or_else(|| Error::unverified("the table holds a key of a length that nobody inserted"))
}
