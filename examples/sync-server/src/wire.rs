//! What devices and the server say to each other, in JSON. UUIDs and 64-bit integers are texts, because JavaScript rounds
//! numbers above 2^53.

use std::collections::{BTreeMap, HashMap};

use idgen_mysql::sync;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a device sends.
#[derive(Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Batch {
    /// Changes of rows, in any order.
    pub changes: Vec<Change>,
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
    /// What the change does.
    pub operation: Operation,
    /// The columns of the row: texts, numbers, booleans and null. None if it is deleted.
    #[serde(default)]
    pub columns: BTreeMap<String, Value>,
}

/// What a change does to its row.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Operation {
    /// The row gets these values.
    Put,
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
    /// The change has to be sent again, after others.
    Waits {
        /// What it waits for.
        reason: String,
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
    /// A text is no number, or a column holds an array or an object.
    pub fn read(self) -> Result<sync::Change, String> {
        let number = self.number.parse().ok().filter(|number: &u64| number.to_string() == self.number);
        let number =
            number.ok_or_else(|| format!("the number {:?} of a change is no integer", self.number))?;
        let operation = match self.operation {
            Operation::Put => sync::Operation::Put,
            Operation::Delete => sync::Operation::Delete,
        };
        let values = self.columns.into_iter().map(|(name, value)| Ok((name, read(value)?)));
        let values = values.collect::<Result<_, String>>()?;
        Ok(sync::Change { table: self.table, row: self.row, number, operation, values })
    }
}

fn read(value: Value) -> Result<sync::Value, String> {
    Ok(match value {
        Value::Null => sync::Value::Null,
        Value::Bool(value) => sync::Value::Int(value.into()),
        Value::String(text) => sync::Value::Text(text),
        Value::Number(number) => match (number.as_i64(), number.as_u64(), number.as_f64()) {
            (Some(number), ..) => sync::Value::Int(number),
            (None, Some(number), _) => sync::Value::UInt(number),
            (None, None, Some(number)) => sync::Value::Float(number),
            (None, None, None) => return Err(format!("{number} is no number that a column can hold")),
        },
        Value::Array(_) | Value::Object(_) => {
            return Err("a column holds a text, a number, a boolean or null".to_owned());
        }
    })
}

impl From<&sync::Answer> for Answer {
    fn from(answer: &sync::Answer) -> Answer {
        let outcome = |outcome: &sync::Outcome| match outcome {
            sync::Outcome::Applied { .. } => Outcome::Applied,
            sync::Outcome::Older { newest } => Outcome::Older { newest: newest.to_string() },
            sync::Outcome::Waits(reason) => Outcome::Waits { reason: reason.clone() },
            sync::Outcome::Refused(reason) => Outcome::Refused { reason: reason.clone() },
        };
        let ids = answer.ids().iter().map(|(uuid, id)| (uuid.to_string(), id.to_string()));
        Answer { outcomes: answer.outcomes().iter().map(outcome).collect(), ids: ids.collect() }
    }
}
