//! Converts keys to values of statements, and values of rows to keys.

use idgen::Uuid;
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{Postgres, Row};

use super::doing;
use crate::key::Key;
use crate::{Error, Result};
use idgen_record::Column;

/// A statement to which values are bound.
pub type Statement<'q> = Query<'q, Postgres, PgArguments>;

/// Binds keys as arrays of the type of their column.
///
/// # Errors
/// A key does not fit the column.
pub fn bind<'q>(query: Statement<'q>, keys: &[Key], column: Column) -> Result<Statement<'q>> {
    Ok(match column {
        Column::Binary16 | Column::Swapped16 => {
            query.bind(all(keys, |key| Some(Uuid::from_bytes(binary(key)?)))?)
        }
        Column::Bytea => query.bind(all(keys, |key| Some(binary(key)?.to_vec()))?),
        Column::TwoIntegers => {
            let halves = all(keys, |key| Some(halves(binary(key)?)))?;
            let (high, low): (Vec<i64>, Vec<i64>) = halves.into_iter().unzip();
            query.bind(high).bind(low)
        }
        Column::Text36 | Column::Base64 | Column::Base32 => query.bind(all(keys, |key| match key {
            Key::Text(text) => Some(text.to_string()),
            _ => None,
        })?),
        _ => query.bind(all(keys, |key| match key {
            Key::Uint(number) => i64::try_from(*number).ok(),
            _ => None,
        })?),
    })
}

/// Binds one key in the form that its column takes.
///
/// # Errors
/// It does not fit the column.
pub fn bind_one<'q>(query: Statement<'q>, key: &Key, column: Column) -> Result<Statement<'q>> {
    let misfit = || Error::config(format!("the key {key} does not fit its column"));
    Ok(match (key, column) {
        (Key::Binary(bytes), Column::Bytea) => query.bind(bytes.to_vec()),
        (Key::Binary(bytes), _) => query.bind(Uuid::from_bytes(*bytes)),
        (Key::Text(text), _) => query.bind(text.to_string()),
        (Key::Uint(number), _) => query.bind(i64::try_from(*number).map_err(|_| misfit())?),
        (Key::Assigned, _) => return Err(misfit()),
    })
}

fn all<T>(keys: &[Key], value: impl Fn(&Key) -> Option<T>) -> Result<Vec<T>> {
    keys.iter()
        .map(|key| value(key).ok_or_else(|| Error::config(format!("the key {key} does not fit its column"))))
        .collect()
}

fn binary(key: &Key) -> Option<[u8; 16]> {
    match key {
        Key::Binary(bytes) => Some(*bytes),
        _ => None,
    }
}

/// Both halves of a key, as signed integers that sort in the order of the bytes.
fn halves(bytes: [u8; 16]) -> (i64, i64) {
    let number = u128::from_be_bytes(bytes) ^ SIGNS;
    ((number >> 64) as i64, number as i64)
}

fn whole(high: i64, low: i64) -> [u8; 16] {
    let number = u128::from(high as u64) << 64 | u128::from(low as u64);
    (number ^ SIGNS).to_be_bytes()
}

/// The sign bits of both halves: with them inverted, signed numbers sort in the order of the bytes.
const SIGNS: u128 = 1 << 127 | 1 << 63;

/// The key in the first column of a row, or in the first two.
pub fn read_key(row: &PgRow, column: Column) -> Result<Key> {
    let failed = doing("read a key back");
    let key = match column {
        Column::Binary16 | Column::Swapped16 => {
            Some(Key::Binary(*row.try_get::<Uuid, _>(0).map_err(&failed)?.as_bytes()))
        }
        Column::Bytea => row.try_get::<Vec<u8>, _>(0).map_err(&failed)?.try_into().ok().map(Key::Binary),
        Column::TwoIntegers => {
            let (high, low) = (row.try_get(0).map_err(&failed)?, row.try_get(1).map_err(&failed)?);
            Some(Key::Binary(whole(high, low)))
        }
        Column::Text36 | Column::Base64 | Column::Base32 => {
            Key::text(row.try_get::<&str, _>(0).map_err(&failed)?)
        }
        _ => u64::try_from(row.try_get::<i64, _>(0).map_err(&failed)?).ok().map(Key::Uint),
    };
    key.ok_or_else(|| Error::unverified("the table holds a key that nobody inserted"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn halves_keep_the_order_of_the_bytes() {
        let mut keys: Vec<[u8; 16]> =
            [0, 1, u128::MAX, 1 << 63, (1 << 63) - 1, 1 << 64, 1 << 127, (1 << 127) - 1]
                .map(u128::to_be_bytes)
                .to_vec();
        keys.sort_unstable();
        let split: Vec<(i64, i64)> = keys.iter().map(|key| halves(*key)).collect();
        assert!(split.is_sorted(), "{split:?}");
        for (key, (high, low)) in keys.iter().zip(split) {
            assert_eq!(whole(high, low), *key);
        }
    }
}
