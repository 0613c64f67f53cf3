//! Decides to whom an error belongs: to the change in whose statement it happened, or to the connection, the transaction or
//! the server.
//!
//! Only the second group is listed, because every schema can have errors of its own: checks, triggers, generated columns,
//! partitions. Numbers: MySQL reference manual, "Server Error Message Reference"; MariaDB, "Error Codes".

use crate::error::failure::Failure;
use crate::error::numbers::Verdict;
use crate::sync::change::Outcome;

/// The server's error for one change.
#[derive(Clone, Debug)]
pub(super) struct Refusal {
    pub(super) number: Option<u16>,
    pub(super) said: String,
}

impl Refusal {
    pub(super) fn of(failure: &Failure) -> Refusal {
        Refusal { number: failure.number(), said: failure.words() }
    }

    pub(super) fn outcome(&self) -> Outcome {
        Outcome::Refused(format!("the database refuses its values: {}", self.said))
    }

    /// Returns true if a duplicate key is the reason.
    pub(super) fn is_duplicate(&self) -> bool {
        matches!(self.number, Some(1062 | 1586))
    }

    /// Returns true if a value of the row is the reason, whatever its references are: a duplicate, a foreign key, and what does not fit its column.
    pub(super) fn is_of_a_value(&self) -> bool {
        let numbers = [1264, 1265, 1292, 1364, 1366, 1406];
        self.is_duplicate()
            || self.is_reference()
            || self.number.is_none_or(|number| numbers.contains(&number))
    }

    /// Returns true if a foreign key is the reason.
    pub(super) fn is_reference(&self) -> bool {
        matches!(self.number, Some(1451 | 1217 | 1452 | 1216))
    }
}

/// The part of the work that an error ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// The change in whose statement it happened, which is refused.
    Change,
    /// The change, if the transaction is still open. A trigger can signal the error of a deadlock, but only a real one
    /// ends the transaction.
    ChangeIfGoingOn,
    /// The connection, the transaction or the server: the batch ends, unless an experiment shows that the rows are the reason
    /// ([`is_of_rows`](crate::sync::proof::is_of_rows)).
    Batch,
}

/// Decides what an error ends. `table` is the table that the statement names: an error about its existence or
/// privileges is for the operator.
pub(super) fn owner(failure: &Failure, table: &str) -> Owner {
    owner_by_state(failure, state(failure).as_deref(), table)
}

/// The SQLSTATE of an error, if the driver reports it.
pub(super) fn state(failure: &Failure) -> Option<String> {
    let error = failure.source().and_then(sqlx::Error::as_database_error)?;
    error.code().map(|state| state.into_owned())
}

/// Like [`owner`], with a state that was read in another way.
pub(super) fn owner_by_state(failure: &Failure, state: Option<&str>, table: &str) -> Owner {
    let number = failure.number();
    // SIGNAL and RESIGNAL without a number of their own, with any state: a trigger says it of its row.
    if matches!(number, Some(1642..=1645)) {
        return Owner::Change;
    }
    match (state, number) {
        // SIGNAL can name any number, and most triggers name this state.
        (Some("45000"), _) => return Owner::Change,
        // The server's own wait for a lock has the state HY000.
        (Some(state), Some(1205)) if state != "HY000" => return Owner::Change,
        (Some(state), _) if state.starts_with("40") => return Owner::ChangeIfGoingOn,
        (Some(state), Some(number)) if state.starts_with("08") && !(1000..5000).contains(&number) => {
            return Owner::ChangeIfGoingOn;
        }
        (Some(state), _) if state.starts_with("08") => return Owner::Batch,
        // A driver may not tell the state.
        (_, Some(1213)) => return Owner::ChangeIfGoingOn,
        _ => {}
    }
    // Without a number, it is not the server that failed.
    let is_of_all = number.is_none_or(|number| is_of_the_server(number, &failure.to_string(), table))
        || number_is_listed_as_temporary(failure);
    if is_of_all { Owner::Batch } else { Owner::Change }
}

/// Returns true if the error cannot have ended the transaction, nor come from another session: the value of a row breaks a rule,
/// and a statement in another session writes no row ([`Guard`](crate::sync::mode::Guard)). The other errors are not worth a list.
pub(super) fn ends_its_statement(failure: &Failure) -> bool {
    // Duplicates, references, NULL, values that do not fit, and checks.
    matches!(
        failure.number(),
        Some(1062 | 1586 | 1451 | 1452 | 1216 | 1217 | 1048 | 1364 | 1264 | 1366 | 1406 | 3819 | 4025)
    )
}

/// Returns true if the error may be about a table of the same name in another schema, to which a trigger writes.
pub(super) fn may_be_elsewhere(failure: &Failure) -> bool {
    matches!(failure.number(), Some(1142 | 1143 | 1146))
}

/// Returns true if the error names another schema than this one before the table's name.
pub(super) fn is_elsewhere(failure: &Failure, schema: &str, table: &str) -> bool {
    let (said, schema, table) =
        (failure.to_string().to_lowercase(), schema.to_lowercase(), table.to_lowercase());
    let names_any = said.contains(&format!(".{table}'")) || said.contains(&format!("`.`{table}`"));
    let names_own =
        said.contains(&format!("'{schema}.{table}'")) || said.contains(&format!("`{schema}`.`{table}`"));
    may_be_elsewhere(failure) && names_any && !names_own
}

fn number_is_listed_as_temporary(failure: &Failure) -> bool {
    failure.verdict() != Verdict::Final
}

fn is_of_the_server(number: u16, said: &str, table: &str) -> bool {
    match number {
        // The driver refuses to send a packet of this size, and the connection stays usable.
        2020 => false,
        // Files and memory of the server; the driver and its connection.
        0..=999 | 2000..=2999 => true,
        // The engine's error 139: the row is too large for a page.
        1030 => !said.contains("139"),
        1015 | 1016 | 1021 | 1026 | 1034 | 1035 | 1037 | 1038 | 1041 | 1114 | 1194 | 1195 => true,
        1712 | 1812 | 1877 | 1932 => true,
        // Connections and limits of the user; the end of the statement's time.
        1040 | 1129 | 1130 | 1135 | 1203 | 1226 | 1969 | 3024 => true,
        // The session: LOCK TABLES, a read-only or an XA transaction, locks that another transaction has.
        1099 | 1100 | 1206 | 1223 | 1792 | 1836 | 1399..=1402 | 1613 | 1614 | 3572 => true,
        1044 | 1045 => true,
        // A trigger may be without a table or a privilege, which refuses its row alone. MariaDB names the table as `shop`.`items`.
        1142 | 1143 | 1146 => {
            said.contains(&format!("'{table}'"))
                || said.contains(&format!(".{table}'"))
                || said.contains(&format!("`.`{table}`"))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::driver::DriverError;

    #[test]
    fn a_refusal_has_no_advice_for_operators_of_the_map() {
        let said = "INSERT command denied to user 'a'@'b' for table 'audit'";
        let failure = Failure::Driver(DriverError::new(1142, said));
        assert!(failure.to_string().contains("docs/mapping.md"));
        let refusal = Refusal::of(&failure);
        assert!(refusal.said.contains(said) && !refusal.said.contains("docs/"), "{}", refusal.said);
    }

    #[test]
    fn a_table_of_the_same_name_in_another_schema_is_of_a_trigger() {
        let elsewhere = |number, said: &str| {
            is_elsewhere(&Failure::Driver(DriverError::new(number, said)), "shop", "items")
        };
        assert!(elsewhere(1146, "Table 'archive.items' doesn't exist"));
        assert!(elsewhere(1142, "INSERT command denied to user 'a'@'b' for table `archive`.`items`"));
        assert!(!elsewhere(1146, "Table 'shop.items' doesn't exist"));
        assert!(!elsewhere(1142, "INSERT command denied to user 'a'@'b' for table `shop`.`items`"));
        // MySQL names no schema here.
        assert!(!elsewhere(1142, "INSERT command denied to user 'a'@'b' for table 'items'"));
    }

    #[test]
    fn what_is_not_of_the_server_belongs_to_the_change() {
        let of = |number, said: &str| owner(&Failure::Driver(DriverError::new(number, said)), "items");
        for (number, said) in [
            (1365, "Division by 0"),
            (1644, "Lock wait timeout exceeded; a trigger's own words"),
            (3819, "Check constraint"),
            (30_001, "a trigger's own number"),
            (1146, "Table 'shop.audit' doesn't exist"),
            (1142, "INSERT command denied to user 'a'@'b' for table 'audit'"),
            (1172, "Result consisted of more than one row"),
            (1526, "Table has no partition for value 7"),
            (1030, "Got error 139 from storage engine"),
            (3144, "Cannot create a JSON value from a string with CHARACTER SET 'binary'"),
            (3643, "The SRID of the geometry does not match"),
            (1062, "Duplicate entry"),
            (1054, "Unknown column"),
            (2020, "Got packet bigger than 'max_allowed_packet' bytes"),
        ] {
            assert_eq!(of(number, said), Owner::Change, "{number} {said}");
        }
        for (number, said) in [
            (1205, "Lock wait timeout exceeded"),
            (1020, "Record has changed since last read"),
            (1030, "Got error 28 from storage engine"),
            (1114, "The table 'items' is full"),
            (28, "No space left on device"),
            (1290, "running with the --read-only option"),
            (1836, "Running in read-only mode"),
            (1040, "Too many connections"),
            (2013, "Lost connection"),
            (2055, "Lost connection to server"),
            (1317, "Query execution was interrupted"),
            (1146, "Table 'shop.items' doesn't exist"),
            (1142, "INSERT command denied to user 'a'@'b' for table 'items'"),
            (1142, "INSERT command denied to user 'a'@'b' for table `shop`.`items`"),
        ] {
            assert_eq!(of(number, said), Owner::Batch, "{number} {said}");
        }
        assert_eq!(of(1213, "Deadlock found"), Owner::ChangeIfGoingOn);
        assert_eq!(owner(&Failure::Sql(sqlx::Error::WorkerCrashed), "items"), Owner::Batch);
        assert_eq!(owner(&Failure::Contradicted("x"), "items"), Owner::Batch);
    }
}
