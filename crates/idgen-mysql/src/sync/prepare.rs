//! Reads a change against the shape of its table and the intake rules, before anything is sent to the server.

use std::collections::BTreeMap;

use idgen::Timestamp;
use uuid::Uuid;

use crate::sync::change::{Change, Operation, Value};
use crate::sync::intake::Intake;
use crate::sync::shape::Shape;

/// The largest number of a change. JavaScript rounds larger numbers, so that no outbox could send a newer change.
const LARGEST_NUMBER: u64 = (1 << 53) - 1;

/// A change that the rules take.
#[derive(Debug)]
pub(super) struct Prepared<'a> {
    /// The place of the change in the batch.
    pub(super) at: usize,
    /// The place of its table.
    pub(super) shape: usize,
    pub(super) row: Uuid,
    /// The rows to which its columns refer.
    pub(super) references: BTreeMap<&'a str, Option<Uuid>>,
    pub(super) change: &'a Change,
}

impl Prepared<'_> {
    /// All UUIDs of the change.
    pub(super) fn uuids(&self) -> impl Iterator<Item = Uuid> {
        std::iter::once(self.row).chain(self.references.values().flatten().copied())
    }
}

/// The reason why a change is refused before anything is sent.
#[derive(Debug)]
pub(super) struct Unfit {
    pub(super) reason: String,
    /// True if the reason is a column as the table had it when it was read.
    pub(super) of_the_shape: bool,
}

impl From<String> for Unfit {
    fn from(reason: String) -> Unfit {
        Unfit { reason, of_the_shape: false }
    }
}

/// The change, or why it is refused.
pub(super) fn prepare<'a>(
    shapes: &[Shape],
    intake: &Intake,
    now: Timestamp,
    at: usize,
    change: &'a Change,
) -> Result<Prepared<'a>, Unfit> {
    let shape = shapes.iter().position(|shape| shape.name == change.table);
    let shape_at = shape.ok_or_else(|| format!("{:?} is not a table of the sync", change.table))?;
    let shape = &shapes[shape_at];
    let row = intake.uuid(&change.row, now)?;
    if change.number == 0 {
        return Err("the numbers of changes begin at 1".to_owned().into());
    }
    if change.number > LARGEST_NUMBER {
        let reason = format!(
            "the number {} of the change is larger than {LARGEST_NUMBER} (2^53 - 1), which every outbox can count to",
            change.number
        );
        return Err(reason.into());
    }
    if change.operation == Operation::Delete && !change.values.is_empty() {
        return Err("a deletion sets no columns".to_owned().into());
    }
    let mut references = BTreeMap::new();
    for (column, value) in &change.values {
        if let Some(reference) = shape.references.get(column) {
            let uuid = match value {
                Value::Null => None,
                Value::Text(text) => {
                    Some(intake.uuid(text, now).map_err(|said| format!("its column {column}: {said}"))?)
                }
                _ => {
                    return Err(format!(
                        "its column {column} refers to {}, by the text of a UUID",
                        reference.table
                    )
                    .into());
                }
            };
            references.insert(column.as_str(), uuid);
            continue;
        }
        let Some(holds) = shape.columns.get(column) else {
            let reason = format!("{} has no column {column:?} that can be set", shape.name);
            return Err(Unfit { reason, of_the_shape: true });
        };
        if matches!(value, Value::Float(number) if !number.is_finite()) {
            return Err(format!("its column {column} is not a finite number").into());
        }
        if *value == Value::Null && holds.is_instant() && !shape.nullable.contains(column) {
            let reason =
                format!("its column {column} may not be NULL, for which a server may store its own time");
            return Err(Unfit { reason, of_the_shape: true });
        }
        if let Some(problem) = holds.refuses(value) {
            return Err(Unfit { reason: format!("its column {column} {problem}"), of_the_shape: true });
        }
    }
    intake.check_owner(change)?;
    Ok(Prepared { at, shape: shape_at, row, references, change })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    #[test]
    fn a_number_that_javascript_rounds_is_refused() {
        let shape = Shape {
            name: "lists".to_owned(),
            key: "id".to_owned(),
            references: BTreeMap::new(),
            columns: HashMap::new(),
            unique: Vec::new(),
            nullable: HashSet::new(),
            defaults: HashSet::new(),
            with_default: HashSet::new(),
        };
        let of = |number: u64| {
            let change = Change::delete("lists", Uuid::from_u128(7 << 76 | 8 << 60 | 1), number);
            let shapes = std::slice::from_ref(&shape);
            prepare(shapes, &Intake::default(), Timestamp::from_unix_secs(1), 0, &change)
                .map(drop)
                .map_err(|unfit| unfit.reason)
        };
        assert_eq!(of(9_007_199_254_740_991), Ok(()));
        for number in [0, 9_007_199_254_740_992, u64::MAX] {
            let reason = of(number).unwrap_err();
            assert!(number == 0 || reason.contains(&number.to_string()), "{reason}");
            assert!(number == 0 || reason.contains("9007199254740991"), "{reason}");
        }
    }
}
