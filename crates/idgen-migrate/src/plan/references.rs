//! Columns that refer to a changed key although no foreign key says so, as both kinds of servers are asked for them: their values
//! are looked up in the tables of the plan.

use std::collections::BTreeSet;

/// Rows that are read at each end of a table: the oldest may refer to rows that are gone.
const ROWS: u32 = 1_000;
/// Different values of each end that are looked up.
const VALUES: u32 = 50;
/// Columns that are read.
pub(crate) const COLUMNS: usize = 2_000;
/// Ids that one statement looks up.
pub(crate) const BATCH: usize = 1_000;

/// The ids of a column that were read.
pub(crate) struct Read {
    pub(crate) shown: String,
    /// The ids are those of its own table, unless they are found in another one.
    pub(crate) is_key: bool,
    pub(crate) ids: BTreeSet<u128>,
}

/// The ids of these that are in a column of the plan, which is shown with its table.
pub(crate) struct Owner {
    pub(crate) shown: String,
    pub(crate) ids: BTreeSet<u128>,
}

/// What the columns without a foreign key hold; each is shown with its table.
#[derive(Debug, Default)]
pub(crate) struct References {
    /// Ids of the plan's tables.
    found: Vec<String>,
    /// Ids, none of which is in a table of the plan.
    others: Vec<String>,
    /// No value, where the type is that of a key.
    pub(crate) empty: Vec<String>,
    pub(crate) unread: Vec<String>,
}

impl References {
    /// Tells the columns that refer to the plan's tables from others.
    pub(crate) fn add(&mut self, columns: Vec<Read>, owners: &[Owner]) {
        for Read { shown, is_key, ids } in columns {
            let of = |owner: &'_ Owner| (ids.intersection(&owner.ids).count(), owner.shown.clone());
            match owners.iter().map(of).max_by_key(|(count, _)| *count).filter(|(count, _)| *count > 0) {
                Some((count, owner)) => {
                    self.found.push(format!("{shown} ({count} of {} are in {owner})", ids.len()));
                }
                None if is_key => {}
                None => self.others.push(shown),
            }
        }
    }

    /// What is said of them. `left` says that the plan does not change them, and `remedy` what to do.
    pub(crate) fn notes(&self, left: &str, remedy: &str) -> Vec<String> {
        let found = format!(
            "These columns refer to tables of the plan without a foreign key, so the plan {left}. Of each, some values were looked up:"
        );
        let notes = [
            (&self.found, found.as_str(), remedy),
            (
                &self.others,
                "These columns have no foreign key and hold ids; those that were read are in no table of the plan:",
                "",
            ),
            (
                &self.empty,
                "These columns have no foreign key and the type of a key, and in the rows that were read they hold no value. If they refer \
                 to tables of the plan, they must be changed too:",
                "",
            ),
            (&self.unread, "These columns were not read, and may refer to tables of the plan:", ""),
        ];
        let named = notes.into_iter().filter(|(columns, ..)| !columns.is_empty());
        named.map(|(columns, before, after)| format!("{before} {}.{after}", columns.join(", "))).collect()
    }
}

/// All ids that were read.
pub(crate) fn all_ids(columns: &[Read]) -> BTreeSet<u128> {
    columns.iter().flat_map(|read| &read.ids).copied().collect()
}

/// A query of some values from both ends of a table. The names of the table and its key are quoted, and `value` is an expression.
pub(crate) fn sample(value: &str, table: &str, key: &[String]) -> String {
    let end = |direction: &str| {
        let names: Vec<_> = key.iter().map(|name| format!("{name} {direction}")).collect();
        let order = if names.is_empty() { String::new() } else { format!("ORDER BY {}", names.join(", ")) };
        format!(
            "(SELECT DISTINCT value FROM (SELECT {value} AS value FROM {table} {order} LIMIT {ROWS}) AS one_end \
             WHERE value IS NOT NULL LIMIT {VALUES})"
        )
    };
    format!("{} UNION {}", end("ASC"), end("DESC"))
}

/// An id with hyphens, in lower case.
pub(crate) fn hyphenated(id: u128) -> String {
    let digits = format!("{id:032x}");
    [&digits[..8], &digits[8..12], &digits[12..16], &digits[16..20], &digits[20..]].join("-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_name_what_was_found_first() {
        let references = References {
            found: vec!["notes.about (3 of 4 are in orders.id)".into()],
            unread: vec!["secrets.of".into()],
            ..References::default()
        };
        let notes = references.notes("leaves them alone", " Give them a foreign key first.");
        assert_eq!(notes.len(), 2);
        let found = "so the plan leaves them alone. Of each, some values were looked up: notes.about (3 of 4 are in orders.id). Give them a foreign key";
        assert!(notes[0].contains(found), "{}", notes[0]);
        assert!(notes[1].ends_with("may refer to tables of the plan: secrets.of."), "{}", notes[1]);
    }
}
