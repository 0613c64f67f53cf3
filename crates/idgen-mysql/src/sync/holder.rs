//! The rows that have the unique values of changes which the server has refused.

use crate::error::failure::Attempt;
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::number_at;
use crate::sync::change::{Value, integer};
use crate::sync::fits::Holds;
use crate::sync::packet::BESIDE;
use crate::sync::shape::Compared;
use crate::sync::trouble::{Owner, owner};
use crate::sync::writer::{Key, Row, Writer};

/// Every server takes a statement of this many bytes. The writer reads the actual limit only for a large batch.
const SMALL: usize = 1 << 20;
/// The searches for rows with unique values that one statement contains.
const SEARCHES: usize = 100;

impl Writer<'_> {
    /// The rows that have the unique values of changes, as far as they are known. Many are asked for in one statement.
    pub(super) async fn holders<C: Connection>(
        &self,
        connection: &mut C,
        rows: &[&Row<'_>],
    ) -> Attempt<Vec<Option<Key>>> {
        let mut holders = vec![None; rows.len()];
        let mut searches = Vec::new();
        for (place, row) in rows.iter().enumerate() {
            let refusal = self.refusals.get(&row.prepared.at).filter(|refused| refused.is_duplicate());
            let search = refusal.and_then(|refusal| self.search(row, &refusal.said));
            searches.extend(search.map(|search| (place, search)));
        }
        let parts = self.parts(searches.iter().map(|(_, search)| search.len() + BESIDE / 8));
        let parts = parts.into_iter().flat_map(|(from, to)| searches[from..to].chunks(SEARCHES));
        let mut left: Vec<&[(usize, String)]> = parts.collect();
        while let Some(part) = left.pop() {
            let search = |(place, search): &(usize, String)| {
                format!("(SELECT CAST({place} AS UNSIGNED) AS place, {search})")
            };
            let all = part.iter().map(search).collect::<Vec<_>>().join(" UNION ALL ");
            // A session may limit the rows of an answer.
            let all = if part.len() > 1 { format!("{all}{ALL}") } else { all };
            match connection.read(all).await {
                Ok(found) => {
                    for found in &found {
                        let place = usize::try_from(number_at(found, 0)?).unwrap_or(usize::MAX);
                        if let (Some(holder), Some(row)) = (holders.get_mut(place), rows.get(place)) {
                            *holder = Some((row.prepared.shape, number_at(found, 1)?));
                        }
                    }
                }
                // Without its name the change is refused, such as where the server cannot compare the value with the column.
                Err(failure) if owner(&failure, "") == Owner::Change => {
                    if part.len() > 1 {
                        let (first, second) = part.split_at(part.len() / 2);
                        left.extend([second, first]);
                    }
                }
                Err(failure) => return Err(failure),
            }
        }
        Ok(holders)
    }

    /// The rest of a `SELECT` that finds the row that has the unique values of a change.
    fn search(&self, row: &Row<'_>, said: &str) -> Option<String> {
        let shape = &self.shapes[row.prepared.shape];
        let (name, key) = (&shape.name, &shape.key);
        let named = index_named(said, name);
        let (_, parts) = shape.unique.iter().find(|(index, _)| Some(index.as_str()) == named)?;
        let literal = |column: &str| match row.targets.get(column) {
            Some(target) => target.map_or_else(|| "NULL".to_owned(), |target| target.to_string()),
            None => match row.prepared.change.values.get(column) {
                Some(value) => match (shape.columns.get(column), value) {
                    (Some(Holds::Members(members)), Value::Text(text)) => {
                        set_as_stored(members, text).literal()
                    }
                    (Some(holds), value) => as_compared(holds, value),
                    (None, value) => value.literal(),
                },
                // A row that was made again has the default, not the current value.
                None if row.is_replaced() && shape.columns_with_default().any(|name| name == column) => {
                    match shape.defaults.contains(column) {
                        true => format!("DEFAULT(`{column}`)"),
                        false => "NULL".to_owned(),
                    }
                }
                // The current value of the row, or the default that a new row gets.
                None => {
                    let has = format!("(SELECT `{column}` FROM `{name}` WHERE `{key}` = {})", row.id);
                    match shape.defaults.contains(column) {
                        true => format!("COALESCE({has}, DEFAULT(`{column}`))"),
                        false => has,
                    }
                }
            },
        };
        let condition = |part: &Compared| {
            let (text, value) = (&part.text, part.expression.with(literal));
            match part.prefix {
                _ if part.is_array => format!("JSON_OVERLAPS({text}, {value})"),
                Some(length) => format!("LEFT({text}, {length}) = LEFT({value}, {length})"),
                None => format!("{text} = {value}"),
            }
        };
        let conditions: Vec<String> = parts.iter().map(condition).collect();
        let search = format!(
            "`{key}` AS id FROM `{name}` WHERE {} AND `{key}` <> {} LIMIT 1 LOCK IN SHARE MODE",
            conditions.join(" AND "),
            row.id
        );
        // An expression may repeat a large value.
        let most = if self.packet == usize::MAX { SMALL } else { self.packet.saturating_sub(BESIDE) };
        (search.len() <= most).then_some(search)
    }
}

/// The index of which a message says that it has the value already: `… for key 'index'`, with the table before the index on MySQL.
/// The value before it may have any words.
fn index_named<'a>(said: &'a str, table: &str) -> Option<&'a str> {
    let (_, end) = said.rsplit_once("for key '")?;
    let (index, _) = end.rsplit_once('\'')?;
    Some(index.strip_prefix(table).and_then(|index| index.strip_prefix('.')).unwrap_or(index))
}

/// A value as the column stores it. A number that is compared with a text is equal to other texts, too, a text that is
/// compared with a number is rounded, and a `FLOAT` has other numbers than a literal.
fn as_compared(holds: &Holds, value: &Value) -> String {
    let text = |number: &dyn std::fmt::Display| Value::Text(number.to_string()).literal();
    match (holds, value) {
        (
            Holds::Floats | Holds::FloatDecimals(_),
            Value::Int(_) | Value::UInt(_) | Value::Float(_) | Value::Text(_),
        ) => match number(value).filter(|number| number.is_finite()) {
            Some(number) => format!("{:e}", holds.nearest(number)),
            None => value.literal(),
        },
        (
            Holds::Characters { .. } | Holds::Text { .. } | Holds::Bytes | Holds::Binary(_),
            Value::Int(_) | Value::UInt(_),
        ) => match value {
            Value::Int(number) => text(number),
            Value::UInt(number) => text(number),
            _ => value.literal(),
        },
        (Holds::Characters { .. } | Holds::Text { .. }, Value::Float(number))
            if *number == 0.0 || (1e-4..1e14).contains(&number.abs()) =>
        {
            text(number)
        }
        (Holds::Integers(_), Value::Float(number)) => {
            integer(*number).map_or_else(|| value.literal(), |number| number.to_string())
        }
        // MariaDB compares bytes as a text.
        (Holds::Bits, Value::Bytes(bytes)) => {
            let bytes = &bytes[bytes.iter().position(|byte| *byte != 0).unwrap_or(bytes.len())..];
            let bits = bytes.iter().fold(0, |bits: u64, byte| bits << 8 | u64::from(*byte));
            if bytes.len() <= 8 { bits.to_string() } else { value.literal() }
        }
        // As a text, it would be compared as a double.
        (Holds::Decimals(_), Value::Text(text))
            if text.trim().bytes().all(|letter| letter.is_ascii_digit() || b"+-.".contains(&letter))
                && number(value).is_some() =>
        {
            text.trim().to_owned()
        }
        (Holds::Integers(_), Value::Text(text)) => match text.trim().parse::<i128>() {
            Ok(number) => number.to_string(),
            Err(_) => value.literal(),
        },
        _ => value.literal(),
    }
}

/// The number of a value, as the server reads it.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(*number as f64),
        Value::UInt(number) => Some(*number as f64),
        Value::Float(number) => Some(*number),
        Value::Text(text) => text.trim().parse().ok(),
        Value::Null | Value::Bytes(_) => None,
    }
}

/// The text that a `SET` stores: its members are in the order of the type, in whichever order a device names them. Others are refused before.
fn set_as_stored(members: &[String], value: &str) -> Value {
    let named: Vec<&str> = value.split(',').collect();
    let stored: Vec<&str> =
        members.iter().map(String::as_str).filter(|member| named.contains(member)).collect();
    Value::Text(stored.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sync::fits::Charset;

    #[test]
    fn the_end_of_a_message_names_the_index() {
        let of = |said: &str| index_named(said, "t").map(str::to_owned);
        assert_eq!(of("Duplicate entry 'for key 'ua'' for key 't.ub'"), Some("ub".to_owned()));
        assert_eq!(of("1062 (23000): Duplicate entry 'ua' for key 'ub'"), Some("ub".to_owned()));
        assert_eq!(of("Duplicate entry"), None);
    }

    #[test]
    fn values_are_compared_as_they_are_stored() {
        let characters = Holds::Characters { most: 9, stripped: false, set: Charset::Utf8 };
        assert_eq!(as_compared(&characters, &Value::Int(5)), Value::from("5").literal());
        assert_eq!(as_compared(&characters, &Value::Float(1.5)), Value::from("1.5").literal());
        assert_eq!(as_compared(&Holds::Integers(64), &Value::from(" 9007199254740993")), "9007199254740993");
        assert_eq!(as_compared(&Holds::Integers(64), &Value::from("x")), Value::from("x").literal());
        assert_eq!(as_compared(&Holds::Integers(64), &Value::Float(1e18)), "1000000000000000000");
        let float = format!("{:e}", f64::from(0.1_f32));
        for value in [Value::Float(0.1), Value::from("0.1"), Value::from("1e-1")] {
            assert_eq!(as_compared(&Holds::Floats, &value), float);
            assert_eq!(as_compared(&Holds::FloatDecimals(2), &value), float);
        }
        assert_eq!(as_compared(&Holds::Bits, &Value::Bytes(vec![0, 1, 5])), "261");
        assert_eq!(as_compared(&Holds::Bytes, &Value::Int(5)), Value::from("5").literal());
        assert_eq!(as_compared(&Holds::Decimals(2), &Value::from(" 1.10")), "1.10");
        assert_eq!(as_compared(&Holds::Decimals(2), &Value::from("1e1")), Value::from("1e1").literal());
    }
}
