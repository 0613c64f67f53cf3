//! A change of a row, and what became of it.

use std::collections::{BTreeMap, HashMap};

use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::statement::sql::bytes_literal;
use crate::sync::known_changes::KnownChanges;

/// The value of a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// `NULL`
    Null,
    /// A whole number.
    Int(i64),
    /// A whole number without a sign.
    UInt(u64),
    /// A number that is not an infinity and not NaN.
    Float(f64),
    /// A text; also a time or JSON, as the server reads them. In a column that refers to a row it is the canonical text of
    /// the row's UUID.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl From<Uuid> for Value {
    fn from(uuid: Uuid) -> Value {
        Value::Text(uuid.to_string())
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_owned())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl Value {
    /// The value in a statement. Texts are written in hexadecimal digits, so that none can end the literal.
    pub(super) fn literal(&self) -> String {
        match self {
            Value::Null => "NULL".to_owned(),
            Value::Int(number) => number.to_string(),
            Value::UInt(number) => number.to_string(),
            Value::Float(number) => format!("{number:e}"),
            Value::Text(text) => format!("_utf8mb4 {}", bytes_literal(text.as_bytes())),
            Value::Bytes(bytes) => bytes_literal(bytes),
        }
    }

    /// About how many bytes the value has.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Value::Text(text) => text.len(),
            Value::Bytes(bytes) => bytes.len(),
            _ => 8,
        }
    }

    /// Adds the value to a digest. Integers have the form of their decimal text, because JavaScript sends those above 2^53 as text,
    /// and have no fraction, because JavaScript does not tell 1.0 from 1. Other values have a form of their own.
    fn digest(&self, hash: &mut Sha256) {
        let (tag, bytes): (u8, Vec<u8>) = match self {
            Value::Null => (0, Vec::new()),
            Value::Int(number) => (4, number.to_string().into_bytes()),
            Value::UInt(number) => (4, number.to_string().into_bytes()),
            Value::Float(number) => match integer(*number) {
                Some(number) => (4, number.to_string().into_bytes()),
                None => (3, number.to_bits().to_be_bytes().to_vec()),
            },
            Value::Text(text) => (4, text.as_bytes().to_vec()),
            Value::Bytes(bytes) => (5, bytes.clone()),
        };
        add(hash, tag, &bytes);
    }
}

/// The integer of at most 64 bits that a number is.
pub(super) fn integer(number: f64) -> Option<i128> {
    // Exact: a number without a fraction, below 2^64.
    (number.fract() == 0.0 && number.abs() < 18_446_744_073_709_551_616.0).then_some(number as i128)
}

fn add(hash: &mut Sha256, tag: u8, bytes: &[u8]) {
    hash.update([tag]);
    hash.update((bytes.len() as u64).to_be_bytes());
    hash.update(bytes);
}

/// The effect of a change on its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// The row gets these values, and is inserted if it is not there. Columns that are not named keep theirs.
    Put,
    /// The row is deleted, if it is there.
    Delete,
    /// The row gets these values, and its other columns their defaults: the sender has deleted it and made it again, and the
    /// deletion may not have been sent. A column without a default that may not be NULL keeps its value.
    Replace,
}

/// A change of one row, as a device sends it: the whole state of the row, not the difference to the state before it.
///
/// Changes of a row may arrive in any order, and only the newest counts. So a [`Put`](Operation::Put) names all columns that
/// the app ever sets, and inserts the row if an earlier change has not arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The table.
    pub table: String,
    /// The key of the row: the canonical text of a UUID.
    pub row: String,
    /// The number of this change. It ascends with each change of the row, from 1 to 2^53 - 1.
    pub number: u64,
    /// The changes of this row that the sender knows; `None` if it keeps none. If one was applied that is not among them, the sender was
    /// restored from a backup or copied: the change is [`Older`](Outcome::Older), whatever its own number is.
    pub known: Option<KnownChanges>,
    /// [`Put`](Operation::Put) stores the row, and [`Delete`](Operation::Delete) removes it.
    pub operation: Operation,
    /// The columns that it sets, without the key; none if it deletes the row.
    pub values: BTreeMap<String, Value>,
}

impl Change {
    /// The state of a row.
    pub fn put<const N: usize>(table: &str, row: Uuid, number: u64, values: [(&str, Value); N]) -> Change {
        Change::new(table, row, number, Operation::Put, values)
    }

    /// The state of a row that was deleted before and made again.
    pub fn replace<const N: usize>(
        table: &str,
        row: Uuid,
        number: u64,
        values: [(&str, Value); N],
    ) -> Change {
        Change::new(table, row, number, Operation::Replace, values)
    }

    /// The deletion of a row.
    pub fn delete(table: &str, row: Uuid, number: u64) -> Change {
        Change::new(table, row, number, Operation::Delete, [])
    }

    fn new<const N: usize>(
        table: &str,
        row: Uuid,
        number: u64,
        operation: Operation,
        values: [(&str, Value); N],
    ) -> Change {
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Change { table: table.to_owned(), row: row.to_string(), number, known: None, operation, values }
    }

    /// The digest of every deletion.
    pub(super) fn digest_of_deletions() -> Content {
        Change::delete("", Uuid::nil(), 1).digest()
    }

    /// A digest of what the change does.
    pub(super) fn digest(&self) -> Content {
        let mut hash = Sha256::new();
        add(&mut hash, self.operation as u8, &[]);
        for (name, value) in &self.values {
            add(&mut hash, 9, name.as_bytes());
            value.digest(&mut hash);
        }
        let digest: [u8; 32] = hash.finalize().into();
        let mut content = Content::default();
        content.copy_from_slice(&digest[..24]);
        content
    }
}

/// The first bytes of a digest of what a change does.
pub(super) type Content = [u8; 24];

/// The outcome of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The row is as the change describes it, now or since the change was applied before. The change is never sent
    /// again.
    Applied {
        /// True if the change was applied by an earlier batch, or earlier in this one.
        repeated: bool,
    },
    /// A newer change of the row was applied before, or in the same batch, or one of which the sender does not know, so this one did nothing.
    Older {
        /// The number of the newest change that was applied.
        newest: u64,
    },
    /// The change did nothing, because it refers to a row that has not arrived: send it again after that row.
    Waits {
        /// The reason, for people.
        reason: String,
        /// The table of the row that it waits for.
        table: String,
        /// The row that it waits for.
        row: Uuid,
    },
    /// The change did nothing, because another row blocks it: it has the same value in a column that is unique, it
    /// refers to the row that is deleted, or the change refers to it and it was deleted. Final, unless the sender has a
    /// newer change of that row than `number`: then send both.
    Blocked {
        /// The reason, for people.
        reason: String,
        /// The table of the row that blocks the change.
        table: String,
        /// The row that blocks the change.
        row: Uuid,
        /// The number of its newest change; 0 if none was applied.
        number: u64,
    },
    /// The change did nothing and never will, for the reason that is given.
    Refused(String),
}

impl Outcome {
    /// Its name in counters.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Outcome::Applied { repeated: false } => "applied",
            Outcome::Applied { repeated: true } => "repeated",
            Outcome::Older { .. } => "older",
            Outcome::Waits { .. } => "waits",
            Outcome::Blocked { .. } => "blocked",
            Outcome::Refused(_) => "refused",
        }
    }
}

/// The answer to a batch.
#[derive(Clone, Debug, Default)]
pub struct Answer {
    pub(super) outcomes: Vec<Outcome>,
    pub(super) ids: HashMap<Uuid, u64>,
}

impl Answer {
    /// Returns the outcome of each change, in the order of the batch.
    pub fn outcomes(&self) -> &[Outcome] {
        &self.outcomes
    }

    /// The integers of all UUIDs in the batch, except those of changes that the intake rules refused.
    pub fn ids(&self) -> &HashMap<Uuid, u64> {
        &self.ids
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_that_differ_have_different_digests() {
        let row = Uuid::from_u128(1);
        let make = |values: [(&str, Value); 2]| Change::put("t", row, 1, values).digest();
        let first = make([("a", Value::Text("bc".into())), ("d", Value::Null)]);
        assert_eq!(first, make([("d", Value::Null), ("a", "bc".into())]));
        for other in [
            make([("ab", "c".into()), ("d", Value::Null)]),
            make([("a", Value::Bytes(b"bc".to_vec())), ("d", Value::Null)]),
            make([("a", "bc".into()), ("d", "".into())]),
            make([("a", "bc".into()), ("d", Value::Int(0))]),
        ] {
            assert_ne!(first, other);
        }
        assert_ne!(Change::delete("t", row, 1).digest(), Change::put("t", row, 1, []).digest());
    }

    #[test]
    fn the_same_number_has_one_digest_in_every_language() {
        let of = |value: Value| Change::put("t", Uuid::from_u128(1), 1, [("a", value)]).digest();
        let large = 9_007_199_254_740_993_u64;
        for same in [
            vec![Value::Int(1), Value::UInt(1), Value::Float(1.0), "1".into()],
            vec![Value::Int(large as i64), Value::UInt(large), large.to_string().as_str().into()],
            vec![Value::UInt(u64::MAX), "18446744073709551615".into()],
            vec![Value::Int(-7), Value::Float(-7.0), "-7".into()],
            vec![Value::Int(0), Value::Float(0.0), Value::Float(-0.0)],
        ] {
            assert!(same.iter().all(|value| of(value.clone()) == of(same[0].clone())), "{same:?}");
        }
        let different: Vec<Value> = vec![
            Value::Null,
            Value::Int(1),
            Value::Float(1.5),
            "1.5".into(),
            "1.0".into(),
            "01".into(),
            Value::Bytes(b"1".to_vec()),
            Value::Float(1e300),
            Value::UInt(large),
            Value::Float(large as f64),
        ];
        let digests: std::collections::HashSet<Content> = different.iter().cloned().map(of).collect();
        assert_eq!(digests.len(), different.len());
    }

    #[test]
    fn a_text_cannot_end_its_literal() {
        assert_eq!(Value::from("'\\").literal(), "_utf8mb4 x'275c'");
        assert_eq!(Value::from("").literal(), "_utf8mb4 x''");
        assert_eq!(Value::Float(1e300).literal(), "1e300");
        assert_eq!(Value::Int(i64::MIN).literal(), "-9223372036854775808");
    }
}
