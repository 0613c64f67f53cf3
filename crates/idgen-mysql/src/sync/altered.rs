//! Notices that a table is not the one that was read: it was altered since, or a temporary table of the session hides it.
//!
//! The server refuses what a new definition does not allow, but does silently what it does: it rounds to fewer digits, or extends a
//! deletion to other rows. So a batch that has written compares the definitions of its tables at its end, where its transaction
//! keeps them from being altered.

use std::collections::{BTreeMap, HashSet};

use crate::error::failure::Attempt;
use crate::statement::caller::{Connection, hidden_by};
use crate::statement::sql::show;
use crate::statement::values::Values;
use crate::sync::Known;
use crate::sync::change::Operation;
use crate::sync::log::Names;
use crate::sync::writer::Row;

/// The definitions of tables as the server shows them, by their names.
pub(super) type Definitions = BTreeMap<String, String>;

/// The definitions of these tables.
///
/// # Errors
/// A temporary table of the session has the name of one.
pub(super) async fn definitions<C: Connection>(connection: &mut C, tables: &[&str]) -> Attempt<Definitions> {
    let statements: Vec<String> = tables.iter().map(|table| show(&format!("`{table}`"))).collect();
    let mut definitions = Definitions::new();
    for (table, row) in tables.iter().zip(connection.read_each(&statements).await?) {
        if let Some(refused) = hidden_by(&row, "a row")? {
            return Err(refused);
        }
        definitions.insert((*table).to_owned(), without_counter(&row.text(1)?.unwrap_or_default()));
    }
    Ok(definitions)
}

/// Returns true if tables that changes were written to, or to which a deletion may extend, are defined in another way than when they
/// were read.
pub(super) async fn are_altered<C: Connection>(
    transaction: &mut C,
    names: &Names,
    known: &Known,
    rows: &[Row<'_>],
) -> Attempt<bool> {
    let deletes = rows.iter().any(|row| row.prepared.change.operation == Operation::Delete);
    let written: HashSet<usize> = rows.iter().map(|row| row.prepared.shape).collect();
    let places = (0..known.shapes.len()).filter(|at| deletes || written.contains(at));
    let mut tables: Vec<&str> = places.map(|at| known.shapes[at].name.as_str()).collect();
    // A temporary table could take the numbers of the changes, too.
    tables.extend([names.rows.as_str(), names.open.as_str()]);
    let now = definitions(transaction, &tables).await?;
    let was_other = |(table, definition)| known.definitions.get(table).is_some_and(|was| was != definition);
    Ok(now.iter().any(was_other))
}

/// A definition without the next number of an `AUTO_INCREMENT` column, which each row changes.
fn without_counter(definition: &str) -> String {
    let Some((before, after)) = definition.split_once(" AUTO_INCREMENT=") else {
        return definition.to_owned();
    };
    before.to_owned() + after.trim_start_matches(|c: char| c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_is_no_part_of_a_definition() {
        let definition =
            |counter| format!("CREATE TABLE `a` (\n) ENGINE=InnoDB{counter} DEFAULT CHARSET=utf8mb4");
        assert_eq!(without_counter(&definition(" AUTO_INCREMENT=17")), definition(""));
        assert_eq!(without_counter(&definition("")), definition(""));
    }
}
