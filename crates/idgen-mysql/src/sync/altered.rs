//! Notices that a table is not the one that was read: it was altered since, or a temporary table of the session hides it.
//!
//! The server refuses what a new definition does not allow, but does silently what it does: it rounds to fewer digits, or extends a
//! deletion to other rows. So a batch that has written compares the definitions of its tables at its end, where its transaction
//! keeps them from being altered.

use std::collections::BTreeMap;

use crate::error::failure::{Attempt, Failure};
use crate::error::refusal::{Reason, Refusal};
use crate::statement::caller::Connection;
use crate::statement::shadow::Shadow;
use crate::statement::sql::show;
use crate::statement::values::Values;

/// The definitions of tables as the server shows them, by their names.
pub(super) type Definitions = BTreeMap<String, String>;

const SHADOWED: &str = "a temporary table of this session has its name, in which the rows would be lost; drop the temporary table and \
                        roll the transaction back";

/// The definitions of these tables.
///
/// # Errors
/// A temporary table of the session has the name of one.
pub(super) async fn definitions<C: Connection>(connection: &mut C, tables: &[&str]) -> Attempt<Definitions> {
    let statements: Vec<String> = tables.iter().map(|table| show(&format!("`{table}`"))).collect();
    let mut definitions = Definitions::new();
    for (table, row) in tables.iter().zip(connection.read_each(&statements).await?) {
        if Shadow::of_definition(&row)?.is_some_and(Shadow::is_of_session) {
            let server = "the caller's connection".to_owned();
            let reason = Reason::Schema { table: (*table).to_owned(), problem: SHADOWED.to_owned() };
            return Err(Failure::Refused(Box::new(Refusal { server, reason, elsewhere: false })));
        }
        definitions.insert((*table).to_owned(), without_counter(&row.text(1)?.unwrap_or_default()));
    }
    Ok(definitions)
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
