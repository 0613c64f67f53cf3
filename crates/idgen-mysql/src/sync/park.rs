//! Other values for unique columns, for the moment in which rows of one batch exchange them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::sync::fits::{Holds, Time};
use crate::sync::shape::Shape;
use crate::sync::writer::{Row, Writer};

/// Which values a row gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    /// Values that probably no row has.
    Random,
    /// The same, but an empty document where an index compares an expression over a text: nothing can be read from it.
    Document,
}

impl Writer<'_> {
    /// Gives a row other values in its unique columns; false if that is not possible.
    pub(super) async fn park<C: Connection>(&mut self, connection: &mut C, row: &Row<'_>) -> Attempt<bool> {
        let shape = &self.shapes[row.prepared.shape];
        let (name, key, guard) = (&shape.name, &shape.key, self.guard.condition());
        for other in [Other::Random, Other::Document] {
            let Some(sets) = sets(shape, row, other) else { continue };
            let statement = format!("UPDATE `{name}` SET {sets} WHERE `{key}` = {}{guard}", row.id);
            if self.write(connection, name, &[statement], &mut 0).await?.is_none() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Assigns another value to one column of each unique index that the change sets; `None` if an index has no column that can have one.
fn sets(shape: &Shape, row: &Row<'_>, other: Other) -> Option<String> {
    let mut sets = BTreeMap::new();
    for (_, parts) in &shape.unique {
        let columns: Vec<(&str, bool)> = parts
            .iter()
            .flat_map(|part| part.expression.columns().map(|column| (column, part.expression.is_column())))
            .filter(|(column, _)| row.prepared.change.values.contains_key(*column))
            .collect();
        // An index that the change does not touch keeps its value.
        if columns.is_empty() {
            continue;
        }
        let value = |(column, is_column): (&str, bool)| {
            let value = match shape.columns.get(column)? {
                // A unique index takes any number of them.
                _ if is_column && shape.nullable.contains(column) => Some("NULL".to_owned()),
                Holds::Text(_) | Holds::Other if !is_column && other == Other::Document => {
                    Some("'{}'".to_owned())
                }
                holds => other_value(shape, column, holds),
            };
            let value = value.or_else(|| shape.nullable.contains(column).then(|| "NULL".to_owned()))?;
            Some((column.to_owned(), value))
        };
        let (column, value) = columns.into_iter().find_map(value)?;
        sets.insert(column, value);
    }
    let sets: Vec<String> = sets.iter().map(|(column, value)| format!("`{column}` = {value}")).collect();
    (!sets.is_empty()).then(|| sets.join(", "))
}

/// A value that probably no row has in this column; `None` if the column's type has too few values.
fn other_value(shape: &Shape, column: &str, holds: &Holds) -> Option<String> {
    let below = |most: u64| fastrand::u64(..most);
    let text = |most: u64| {
        let digits = format!("{:016x}{:016x}", fastrand::u64(..), fastrand::u64(..));
        let most = usize::try_from(most).unwrap_or(usize::MAX).min(digits.len());
        (most >= 8).then(|| format!("'{}'", &digits[..most]))
    };
    match holds {
        Holds::Characters { most, .. } | Holds::Text(most) => text(*most),
        Holds::Integers(8) => Some(free_number(shape, column, 0..128)),
        Holds::Integers(bits) => Some((fastrand::u64(..) >> (65 - bits)).to_string()),
        Holds::Doubles => Some(fastrand::f64().to_string()),
        // The number after the largest one.
        Holds::Decimals(_) | Holds::Floats | Holds::Year | Holds::Bits => Some(format!(
            "(SELECT above FROM (SELECT MAX(`{column}`) + 1 AS above FROM `{}`) AS largest)",
            shape.name
        )),
        Holds::Binary(length @ 8..) => {
            let bytes: String = (0..*length).map(|_| format!("{:02x}", fastrand::u8(..))).collect();
            Some(format!("x'{bytes}'"))
        }
        Holds::Bytes => Some(format!("x'{:016x}'", fastrand::u64(..))),
        Holds::Time { of: Time::Day, .. } => {
            Some(format!("DATE_ADD('1000-01-01', INTERVAL {} DAY)", below(3_000_000)))
        }
        Holds::Time { of: Time::Local, .. } => {
            Some(format!("DATE_ADD('1000-01-01', INTERVAL {} SECOND)", below(200_000_000_000)))
        }
        Holds::Time { of: Time::Instant, .. } => Some(format!("FROM_UNIXTIME({})", 1 + below(2_000_000_000))),
        Holds::Time { of: Time::OfDay, .. } => Some(format!("SEC_TO_TIME({})", below(3_000_000))),
        Holds::Member(members) => Some(free_number(shape, column, 1..1 + members.len())),
        // Each member is a bit.
        Holds::Members(members) => Some(free_number(shape, column, 0..1 << members.len().min(7))),
        _ => None,
    }
}

/// The smallest of a few numbers that no row has in this column, and NULL if rows have them all.
fn free_number(shape: &Shape, column: &str, numbers: Range<usize>) -> String {
    let numbers: Vec<String> = numbers.map(|number| format!("SELECT {number} AS n")).collect();
    format!(
        "(SELECT free FROM (SELECT MIN(n) AS free FROM ({}) AS numbers WHERE n NOT IN \
         (SELECT `{column}` + 0 FROM `{}` WHERE `{column}` IS NOT NULL)) AS smallest)",
        numbers.join(" UNION ALL "),
        shape.name
    )
}
