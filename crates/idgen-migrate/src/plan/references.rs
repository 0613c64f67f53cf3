//! Columns that refer to a changed key although no foreign key says so, on all database software: their values are
//! looked up in the tables of the plan.

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

/// Columns without a foreign key, by the values that they hold. Each is written with its table.
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

    /// Describes these columns. `left` says that the plan does not change them, and `remedy` what to do.
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

/// Says how many ids are left of a type that a key has until the last step.
pub(crate) fn ids_left(shown: &str, declared: &str, used: i128, most: i128, error: &str) -> String {
    let left = (most - used).max(0);
    format!(
        "Until the last step, each id must still fit the type of before ({declared}, at most {most}), since the old columns are kept current \
         for the way back. {shown} is at {used}: {left} ids are left. After that an INSERT fails, as it would without the plan, with {error}. \
         `finish` ends this: execute it before the ids run out."
    )
}

/// The note about columns of small integers that no foreign key connects with the key, although their names say so.
pub(crate) fn small_by_name(columns: &[String], key: &str) -> Option<String> {
    (!columns.is_empty()).then(|| {
        format!(
            "These columns are named after {key} and have no foreign key, so the plan does not change them, and they cannot hold larger ids: \
             {}. Give them a foreign key first, and make the plan again, which then changes them too; or change them before the last step.",
            columns.join(", ")
        )
    })
}

/// Returns true if a column has the name that references to a key usually have: `order_id`, `orders_id` or `orderid`
/// for `orders.id`, and `order_no` also for `orders.order_no`.
pub(crate) fn is_named_after(column: &str, table: &str, key: &str) -> bool {
    let plain = |name: &str| name.to_lowercase().replace('_', "");
    let (column, table, key) = (plain(column), plain(table), plain(key));
    let singular = match (table.strip_suffix("ies"), table.strip_suffix('s')) {
        (Some(stem), _) => format!("{stem}y"),
        (_, Some(stem)) => stem.to_owned(),
        _ => table.clone(),
    };
    let has_both = [&table, &singular].into_iter().any(|table| column.ends_with(&format!("{table}{key}")));
    has_both || (key.starts_with(&singular) && column.ends_with(&key))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_to_a_key_are_known_by_their_names() {
        for (column, table, key) in [
            ("order_id", "orders", "id"),
            ("first_order_id", "orders", "id"),
            ("orders_id", "orders", "id"),
            ("OrderId", "Orders", "Id"),
            ("category_id", "categories", "id"),
            ("order_no", "orders", "order_no"),
        ] {
            assert!(is_named_after(column, table, key), "{column}");
        }
        for (column, table, key) in
            [("id", "orders", "id"), ("line_id", "orders", "id"), ("amount", "orders", "id")]
        {
            assert!(!is_named_after(column, table, key), "{column}");
        }
    }

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
