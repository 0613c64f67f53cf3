//! What devices and the server say to each other, in JSON. UUIDs and 64-bit integers are texts, because JavaScript rounds
//! numbers above 2^53.

use std::collections::{BTreeMap, HashMap};

use idgen_mysql::sync;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use serde_json::value::RawValue;

/// What a device sends.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Changes of rows, in any order. Each is read by itself, so that one that cannot be read is refused alone.
    pub changes: Vec<Box<RawValue>>,
}

impl Batch {
    /// Reads a body.
    ///
    /// # Errors
    /// It is not JSON, or not a batch. The text names the place, because none of its changes can be read alone then.
    pub fn read(body: &[u8]) -> Result<Batch, String> {
        serde_json::from_slice(body).map_err(|error| {
            let lines = body.split_inclusive(|byte| *byte == b'\n').take(error.line().saturating_sub(1));
            let at = lines.map(<[u8]>::len).sum::<usize>() + error.column();
            let place = place(body, at).map_or_else(String::new, |place| format!(", in {place}"));
            format!(
                "the body is no batch in JSON{place}: {error}. Nothing was applied. JSON has no NaN and no Infinity (in Python, \
                 json.dumps writes them unless allow_nan=False), its texts are UTF-8, and control characters in them are escaped: \
                 correct the change, or leave it out"
            )
        })
    }
}

/// The change of a body in which this byte is: its number, from 1, and its row, if that is before the byte.
fn place(body: &[u8], at: usize) -> Option<String> {
    let (mut depth, mut number, mut start) = (0_u32, 0, 0);
    let (mut is_text, mut is_escaped) = (false, false);
    let read = &body[..at.min(body.len())];
    for (at, byte) in read.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            _ if is_text => {}
            b'{' | b'[' => {
                depth += 1;
                if depth == 2 {
                    (number, start) = (1, at);
                }
            }
            b'}' | b']' => depth = depth.saturating_sub(1),
            b',' if depth == 2 => (number, start) = (number + 1, at),
            _ => {}
        }
    }
    if depth < 2 {
        return None;
    }
    let change = String::from_utf8_lossy(&read[start..]);
    let row = change.split_once("\"row\"").and_then(|(_, rest)| rest.split('"').nth(1));
    let row = row.filter(|row| uuid::Uuid::try_parse(row).is_ok());
    Some(row.map_or_else(|| format!("change {number}"), |row| format!("change {number} (row {row})")))
}

/// A change of one row.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Change {
    /// The table.
    pub table: String,
    /// The row's UUID in canonical text.
    pub row: String,
    /// The number of the change, as text.
    pub number: String,
    /// The changes of this row that the device knows, as its outbox writes them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<String>,
    /// What the change does.
    pub operation: Operation,
    /// The columns of the row: texts, numbers, booleans and null. None if it is deleted.
    #[serde(default)]
    pub columns: BTreeMap<String, Box<RawValue>>,
}

/// What a change does to its row.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// The row gets these values. Columns that are not named keep theirs.
    Put,
    /// The row gets these values, and its other columns their defaults.
    Replace,
    /// The row is deleted.
    Delete,
}

/// What the server answers.
#[derive(Debug, Deserialize, Serialize)]
pub struct Answer {
    /// What became of each change, in the order of the batch.
    pub outcomes: Vec<Outcome>,
    /// The integers of all UUIDs in the batch, as texts.
    pub ids: HashMap<String, String>,
    /// How much the server takes at once.
    pub limits: Limits,
}

/// How much the server takes at once. It is part of each answer, and of each refusal of a batch that is too large.
#[derive(Clone, Copy, Debug, Deserialize, Serialize, PartialEq, Eq)]
pub struct Limits {
    /// The most changes of a batch.
    pub changes: usize,
    /// The most bytes of a body, after it was decompressed.
    pub bytes: usize,
}

/// The answer to a batch of which nothing was applied. If the batch took too long, the limits are lower than the server's.
#[derive(Debug, Deserialize, Serialize)]
pub struct Failure {
    /// Why, for people.
    pub error: String,
    /// How much the server takes at once.
    pub limits: Limits,
}

/// What became of a change.
#[derive(Debug, Deserialize, Serialize)]
#[serde(tag = "outcome", rename_all = "lowercase")]
pub enum Outcome {
    /// The row is as the change has it.
    Applied,
    /// A newer change of the row was applied before.
    Older {
        /// Its number, as text.
        newest: String,
    },
    /// The change refers to a row that has not arrived.
    Waits {
        /// Why, for people.
        reason: String,
        /// The table of the row that it waits for.
        table: String,
        /// The row that it waits for.
        row: String,
    },
    /// A row that is there stands in the way.
    Blocked {
        /// Why, for people.
        reason: String,
        /// The table of the row that stands in the way.
        table: String,
        /// The row that stands in the way.
        row: String,
        /// The number of its newest change, as text.
        number: String,
    },
    /// The change is refused.
    Refused {
        /// Why, for people.
        reason: String,
    },
}

impl Change {
    /// The change that `idgen_mysql` applies.
    ///
    /// # Errors
    /// The text is no change, a number has more than 64 bits, a text has half a character, or a column holds an array or an
    /// object.
    pub fn read(text: &RawValue) -> Result<sync::Change, String> {
        let change: Change = serde_json::from_str(text.get())
            .map_err(|error| format!("the change cannot be read: {error}"))?;
        let number = |text: &str| {
            let number = text.parse().ok().filter(|number: &u64| number.to_string() == text);
            number.ok_or_else(|| format!("the number {text:?} of a change is no integer"))
        };
        let known = change.known.as_deref().map(str::parse).transpose()?;
        let number = number(&change.number)?;
        let operation = match change.operation {
            Operation::Put => sync::Operation::Put,
            Operation::Replace => sync::Operation::Replace,
            Operation::Delete => sync::Operation::Delete,
        };
        let value = |(name, text): (String, Box<RawValue>)| {
            let value = read(&text).map_err(|error| format!("its column {name} {error}"))?;
            Ok((name, value))
        };
        let values = change.columns.into_iter().map(value).collect::<Result<_, String>>()?;
        Ok(sync::Change { table: change.table, row: change.row, number, known, operation, values })
    }
}

fn read(text: &RawValue) -> Result<sync::Value, String> {
    let value = serde_json::from_str(text.get()).map_err(|error| format!("cannot be read: {error}"))?;
    Ok(match value {
        Value::Null => sync::Value::Null,
        Value::Bool(value) => sync::Value::Int(value.into()),
        Value::String(text) => sync::Value::Text(text),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => sync::Value::Int(number),
            (None, Some(number), _) => sync::Value::UInt(number),
            // The reader rounds integers that have more than 64 bits.
            (None, None, Some(number)) if text.get().contains(['.', 'e', 'E']) => {
                if !keeps(number, text.get()) {
                    return Err(
                        "has a number with more digits than a double keeps: send it as text".to_owned()
                    );
                }
                sync::Value::Float(number)
            }
            _ => return Err("has an integer of more than 64 bits: send it as text".to_owned()),
        },
        Value::Array(_) | Value::Object(_) => {
            return Err("must hold a text, a number, a boolean or null".to_owned());
        }
    })
}

/// Returns true if a number has all digits of a text of JSON: at most 17, and those with which the number is written.
fn keeps(number: f64, text: &str) -> bool {
    let (digits, _) = decimal(text);
    let same = |shown: String| decimal(&shown) == decimal(text);
    digits.is_empty()
        || digits.len() <= 17
            && (same(format!("{number:e}")) || same(format!("{number:.*e}", digits.len() - 1)))
}

/// The digits of a number without zeros around them, and the power of ten of the last one.
fn decimal(text: &str) -> (String, i64) {
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let after = mantissa.split_once('.').map_or(0, |(_, after)| after.len() as i64);
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let digits = all.trim_end_matches('0');
    let zeros = (all.len() - digits.len()) as i64;
    // An exponent of more than 32 bits is that of no number.
    let exponent = exponent.parse::<i32>().map_or(i64::MIN / 2, i64::from);
    (digits.trim_start_matches('0').to_owned(), exponent - after + zeros)
}

impl From<&sync::Outcome> for Outcome {
    fn from(outcome: &sync::Outcome) -> Outcome {
        match outcome.clone() {
            sync::Outcome::Applied { .. } => Outcome::Applied,
            sync::Outcome::Older { newest } => Outcome::Older { newest: newest.to_string() },
            sync::Outcome::Waits { reason, table, row } => {
                Outcome::Waits { reason, table, row: row.to_string() }
            }
            sync::Outcome::Blocked { reason, table, row, number } => {
                Outcome::Blocked { reason, table, row: row.to_string(), number: number.to_string() }
            }
            sync::Outcome::Refused(reason) => Outcome::Refused { reason },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_what_is_not_json_is_named() {
        let row = "0190b0a0-0000-7000-8000-000000000002";
        let body = |value: &[u8]| {
            let (start, end) = (
                format!(
                    "{{\"changes\": [\n{{\"table\": \"lists\", \"columns\": {{\"title\": \"[}},\\\"\"}}}},\n{{\"row\": \"{row}\", \"columns\": {{\"title\": "
                ),
                "}}]}",
            );
            [start.as_bytes(), value, end.as_bytes()].concat()
        };
        assert_eq!(Batch::read(&body(b"1")).unwrap().changes.len(), 2);
        for bad in [&b"NaN"[..], b"-Infinity", b"\"\xff\"", b"\"\x01\""] {
            let said = Batch::read(&body(bad)).unwrap_err();
            assert!(said.contains(&format!("in change 2 (row {row})")) && said.contains("line 3"), "{said}");
        }
        let said = Batch::read(b"{\"changes\": [{\"table\": NaN").unwrap_err();
        assert!(said.contains("in change 1:"), "{said}");
        assert!(Batch::read(b"{").unwrap_err().contains("JSON: EOF"));
    }
}
