//! Other values for unique columns, for the moment in which rows of one batch exchange them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::sync::change::Value;
use crate::sync::fits::{Holds, Time};
use crate::sync::shape::{Compared, Shape};
use crate::sync::writer::{Row, Writer};

/// The values that a row gets.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Other {
    /// Values that probably no row has.
    Random,
    /// Random values, but an empty document where an index compares an expression over a text, which can read nothing
    /// from it.
    Document,
}

impl Writer<'_> {
    /// Gives a row other values in its unique columns, in as many indexes as possible; false if there is none.
    pub(super) async fn park<C: Connection>(&mut self, connection: &mut C, row: &Row<'_>) -> Attempt<bool> {
        let shapes = self.shapes;
        let shape = &shapes[row.prepared.shape];
        let (name, key, guard) = (&shape.name, &shape.key, self.guard.condition());
        for other in [Other::Random, Other::Document] {
            let Some(sets) = sets(shape, row, other) else { continue };
            let statement = format!("UPDATE `{name}` SET {sets} WHERE `{key}` = {}{guard}", row.id);
            if self.write(connection, name, &[statement], &mut 0).await?.is_none() {
                return Ok(true);
            }
        }
        // A check, or few free values: each index alone, and one value after the other.
        let mut parked: Vec<&str> = Vec::new();
        for (_, parts) in &shape.unique {
            let columns = touched(parts, row);
            if columns.iter().any(|(column, _)| parked.contains(column)) {
                continue;
            }
            let values = columns.iter().flat_map(|(column, is_column)| {
                let values = candidates(shapes, parts, row, column, *is_column);
                values.into_iter().map(move |value| (*column, value))
            });
            for (column, value) in values.collect::<Vec<_>>() {
                let statement =
                    format!("UPDATE `{name}` SET `{column}` = {value} WHERE `{key}` = {}{guard}", row.id);
                if self.write(connection, name, &[statement], &mut 0).await?.is_none() {
                    parked.push(column);
                    break;
                }
            }
        }
        Ok(!parked.is_empty())
    }
}

/// The columns of a unique index that a change sets, and whether the index compares the column itself.
fn touched<'p>(parts: &'p [Compared], row: &Row<'_>) -> Vec<(&'p str, bool)> {
    parts
        .iter()
        .flat_map(|part| part.expression.columns().map(|column| (column, part.expression.is_column())))
        .filter(|(column, _)| row.prepared.change.values.contains_key(*column))
        .collect()
}

/// Assigns another value to one column of each unique index that the change sets; `None` if an index has no column that can have one.
fn sets(shape: &Shape, row: &Row<'_>, other: Other) -> Option<String> {
    let mut sets = BTreeMap::new();
    for (_, parts) in &shape.unique {
        let columns = touched(parts, row);
        // An index that the change does not touch keeps its value.
        if columns.is_empty() {
            continue;
        }
        let value = |(column, is_column): (&str, bool)| {
            // A unique index takes any number of them.
            if is_column && shape.nullable.contains(column) {
                return Some((column.to_owned(), "NULL".to_owned()));
            }
            // References are not among them.
            let value = match shape.columns.get(column)? {
                Holds::Text { .. } | Holds::Other if !is_column && other == Other::Document => {
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

/// Values for a column of a unique index, of which the server takes one or none: each may be one that a row has, or that a check
/// refuses.
fn candidates(
    shapes: &[Shape],
    parts: &[Compared],
    row: &Row<'_>,
    column: &str,
    is_column: bool,
) -> Vec<String> {
    let shape = &shapes[row.prepared.shape];
    let nullable = shape.nullable.contains(column).then(|| "NULL".to_owned());
    if let Some(reference) = shape.references.get(column) {
        let target = shapes.iter().find(|target| target.name == reference.table);
        let other = target.filter(|_| reference.enforced).map_or_else(
            || (fastrand::u32(..) >> 1).to_string(),
            |target| free_target(shape, parts, row.id, column, target),
        );
        return nullable.into_iter().chain([other]).collect();
    }
    let Some(holds) = shape.columns.get(column) else { return Vec::new() };
    let sent = match row.prepared.change.values.get(column) {
        Some(Value::Text(text)) => text.clone(),
        Some(Value::Int(number)) => number.to_string(),
        Some(Value::UInt(number)) => number.to_string(),
        _ => String::new(),
    };
    let near = |step: &str| ["+", "-"].map(|sign| near(shape, parts, row.id, column, sign, step));
    let mut values: Vec<String> = match (is_column, &nullable) {
        (true, Some(null)) => vec![null.clone()],
        _ => Vec::new(),
    };
    values.extend(other_value(shape, column, holds));
    match holds {
        Holds::Characters { most, .. } | Holds::Text { most, .. } => {
            values.extend(texts(&sent, usize::try_from(*most).unwrap_or(usize::MAX)));
        }
        Holds::Binary(length) => {
            values.extend((0..8).map(|_| random_bytes((*length).min(255))));
        }
        Holds::Bytes => values.extend([7, 4, 3, 2, 2, 1, 1, 1].map(random_bytes)),
        Holds::Integers(_) | Holds::Doubles | Holds::Floats | Holds::Year | Holds::Bits => {
            values.extend(near("1"));
        }
        Holds::Decimals(digits) | Holds::FloatDecimals(digits) | Holds::DoubleDecimals(digits) => {
            values.extend(near("1"));
            if let Some(zeros) = digits.checked_sub(1) {
                let zeros = "0".repeat(usize::try_from(zeros).unwrap_or(0));
                values.extend(near(&format!("0.{zeros}1")));
            }
        }
        Holds::Time { of: Time::Day, .. } => values.extend(near("INTERVAL 1 DAY")),
        Holds::Time { .. } => values.extend(near("INTERVAL 1 SECOND")),
        Holds::Member(_) | Holds::Members(_) => {}
        Holds::Uuid | Holds::Inet6 | Holds::Inet4 | Holds::Other => {}
    }
    if !is_column {
        values.push("'{}'".to_owned());
        values.extend(nullable);
    }
    values
}

/// Texts that are short, and that look like the one that a change sets: a check may want a form such as `AB-12`.
fn texts(sent: &str, most: usize) -> Vec<String> {
    let one_of = |range: std::ops::RangeInclusive<char>| fastrand::char(range);
    let alike = |letter: char| match letter {
        '0'..='9' => one_of('0'..='9'),
        'a'..='z' => one_of('a'..='z'),
        'A'..='Z' => one_of('A'..='Z'),
        other => other,
    };
    let mut texts: Vec<String> = (0..8).map(|_| sent.chars().map(alike).collect::<String>()).collect();
    if sent.chars().count() + 3 <= most {
        texts.extend((0..2).map(|_| format!("{sent}{}", fastrand::u32(100..1000))));
    }
    texts.extend((0..4).map(|_| (0..most.min(8)).map(|_| fastrand::alphanumeric()).collect::<String>()));
    texts.into_iter().map(|text| Value::Text(text).literal()).collect()
}

/// The condition that a row has the same values as another one in the other columns of an index.
fn beside(parts: &[Compared], column: &str, row: &str, own: &str) -> String {
    let others = parts.iter().filter(|part| part.expression.is_column());
    let others = others.flat_map(|part| part.expression.columns()).filter(|other| *other != column);
    others.map(|other| format!(" AND {row}.`{other}` <=> {own}.`{other}`")).collect()
}

/// The number after the smallest one, or before the largest one, that has no row beside it.
fn near(shape: &Shape, parts: &[Compared], id: u64, column: &str, sign: &str, step: &str) -> String {
    let Shape { name, key, .. } = shape;
    let first = if sign == "+" { "MIN" } else { "MAX" };
    format!(
        "(SELECT free FROM (SELECT {first}(a.`{column}` {sign} {step}) AS free FROM `{name}` own JOIN `{name}` a \
         ON a.`{column}` IS NOT NULL{} LEFT JOIN `{name}` b ON b.`{column}` = a.`{column}` {sign} {step}{} \
         WHERE own.`{key}` = {id} AND b.`{key}` IS NULL) AS beside)",
        beside(parts, column, "a", "own"),
        beside(parts, column, "b", "own"),
    )
}

/// A row of the table to which a column refers, to which the column can refer without a duplicate; NULL if there is none.
fn free_target(shape: &Shape, parts: &[Compared], id: u64, column: &str, target: &Shape) -> String {
    let Shape { name, key, .. } = shape;
    format!(
        "(SELECT free FROM (SELECT p.`{}` AS free FROM `{}` p JOIN `{name}` own ON own.`{key}` = {id} \
         LEFT JOIN `{name}` b ON b.`{column}` = p.`{}`{} WHERE b.`{key}` IS NULL LIMIT 1) AS parents)",
        target.key,
        target.name,
        target.key,
        beside(parts, column, "b", "own"),
    )
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
        Holds::Characters { most, .. } | Holds::Text { most, .. } => text(*most),
        Holds::Integers(8) => Some(free_number(shape, column, 0..128)),
        Holds::Integers(bits) => Some((fastrand::u64(..) >> (65 - bits)).to_string()),
        Holds::Doubles => Some(fastrand::f64().to_string()),
        // The number after the largest one.
        Holds::Decimals(_)
        | Holds::FloatDecimals(_)
        | Holds::DoubleDecimals(_)
        | Holds::Floats
        | Holds::Year
        | Holds::Bits => Some(format!(
            "(SELECT above FROM (SELECT MAX(`{column}`) + 1 AS above FROM `{}`) AS largest)",
            shape.name
        )),
        Holds::Binary(length @ 8..) => Some(random_bytes(*length)),
        Holds::Bytes => Some(random_bytes(8)),
        Holds::Time { of: Time::Day, .. } => {
            Some(format!("DATE_ADD('1000-01-01', INTERVAL {} DAY)", below(3_000_000)))
        }
        Holds::Time { of: Time::Local, .. } => {
            Some(format!("DATE_ADD('1000-01-01', INTERVAL {} SECOND)", below(200_000_000_000)))
        }
        Holds::Time { of: Time::Instant, .. } => Some(format!("FROM_UNIXTIME({})", 1 + below(2_000_000_000))),
        Holds::Time { of: Time::OfDay, .. } => Some(format!("SEC_TO_TIME({})", below(3_000_000))),
        Holds::Member(members) => Some(free_number(shape, column, 1..1 + members.len())),
        Holds::Uuid => Some(format!(
            "'{}'",
            uuid::Builder::from_random_bytes(fastrand::u128(..).to_be_bytes()).into_uuid()
        )),
        Holds::Inet6 => Some(format!("'{}'", std::net::Ipv6Addr::from_bits(fastrand::u128(..)))),
        Holds::Inet4 => Some(format!("'{}'", std::net::Ipv4Addr::from_bits(fastrand::u32(..)))),
        // Each member is a bit.
        Holds::Members(members) => Some(free_number(shape, column, 0..1 << members.len().min(7))),
        _ => None,
    }
}

fn random_bytes(count: u64) -> String {
    Value::Bytes((0..count).map(|_| fastrand::u8(..)).collect()).literal()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_keep_their_form() {
        let form = |text: &str| -> String {
            let letters = text.chars().map(|letter| if letter.is_ascii_digit() { '0' } else { letter });
            letters.map(|letter| if letter.is_ascii_uppercase() { 'A' } else { letter }).collect()
        };
        let texts = texts("AB-12", 7);
        assert_eq!(texts.len(), 12);
        for text in &texts[..8] {
            let digits = text.strip_prefix("_utf8mb4 x'").and_then(|rest| rest.strip_suffix('\'')).unwrap();
            let bytes =
                (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap());
            assert_eq!(form(&bytes.map(char::from).collect::<String>()), "AA-00");
        }
    }
}
