//! Finds out by experiment whether an error with a number of the server belongs to one row: a trigger can signal any number.

use std::time::{Duration, Instant};

use crate::error::failure::{Attempt, Failure};
use crate::statement::caller::Connection;
use crate::statement::sql::ALL;
use crate::statement::values::number_at;
use crate::sync::change::Value;
use crate::sync::mode::STILL_THERE;

/// A trigger signals at once. A statement that ran longer than this may have been killed, and killed again.
const AT_ONCE: Duration = Duration::from_secs(1);

/// Returns true if the error belongs to the rows of `statement`, although its number is one of the server's.
///
/// The same statement without rows executes no trigger. If the server takes it before and after it refuses the rows again, then
/// the rows are the reason, and not the server, the session or the table.
pub(super) async fn is_of_rows<C: Connection>(
    connection: &mut C,
    failure: &Failure,
    state: Option<&str>,
    table: &str,
    statement: &str,
) -> Attempt<bool> {
    let (Some(number), Some(empty)) = (failure.number(), without_rows(statement)) else { return Ok(false) };
    if comes_and_goes(number, state) || number == FULL && is_full(connection, failure, state, table).await? {
        return Ok(false);
    }
    let here: Vec<String> =
        STILL_THERE.iter().map(|part| (*part).to_owned()).chain([empty.clone()]).collect();
    if connection.execute_each(&here, &mut 0).await.is_err() {
        return Ok(false);
    }
    let begun = Instant::now();
    // If the server takes it now, the batch ends as it did at the first error, and the caller begins again.
    let again = connection.execute_each(&[statement.to_owned()], &mut 0).await;
    let is_same = again.is_err_and(|again| again.number() == Some(number)) && begun.elapsed() < AT_ONCE;
    Ok(is_same && connection.execute_each(&[empty], &mut 0).await.is_ok())
}

/// The statement with the same privileges, columns and table that writes no row.
fn without_rows(statement: &str) -> Option<String> {
    if !statement.starts_with("INSERT ") {
        return Some(format!("{statement} AND 1 = 0"));
    }
    let (head, _) = statement.split_once(" VALUES ")?;
    let columns = head.matches(',').count() + 1;
    let nulls = vec!["NULL"; columns].join(",");
    Some(format!("{head} SELECT {nulls} FROM (SELECT 1) AS nothing WHERE 1 = 0"))
}

/// The number of a table that is full.
const FULL: u16 = 1114;

/// Returns true if the server can fail so for some rows, and succeed later: waits, space, memory, and files. No experiment tells
/// such an error from that of a trigger, unless the trigger signals another state.
fn comes_and_goes(number: u16, state: Option<&str>) -> bool {
    let own = match number {
        // Files and memory of the server and of its storage engines.
        0..=299 => "HY000",
        1015 | 1016 | 1021 | 1026 | 1030 | 1034 | 1035 | 1041 | 1194 | 1195 => "HY000",
        1037 | 1038 => "HY001",
        1712 | 1812 | 1877 => "HY000",
        1932 => "42S02",
        // Rows that others have, and tables that others alter.
        1020 | 1205 | 1206 | 1412 | 1615 | 1637 | 3572 => "HY000",
        // The end of MariaDB's max_statement_time.
        1969 => "70100",
        _ => return false,
    };
    state.is_none_or(|state| state == own)
}

/// Returns true if a full table may be the server's: this one, or one whose size only the disk limits.
async fn is_full<C: Connection>(
    connection: &mut C,
    failure: &Failure,
    state: Option<&str>,
    table: &str,
) -> Attempt<bool> {
    if state.is_some_and(|state| state != "HY000") {
        return Ok(false);
    }
    let said = failure.to_string();
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_' || letter == '$';
    if said.split(|letter| !is_word(letter)).any(|word| word == table) {
        return Ok(true);
    }
    // The server names the table in quotes.
    let Some(name) = said.split('\'').nth(1) else { return Ok(false) };
    let (name, all) = (Value::from(name).literal(), ALL);
    let read = format!(
        "SELECT CAST(COUNT(*) AS UNSIGNED), CAST(COALESCE(SUM(ENGINE = 'MEMORY'), 0) AS UNSIGNED) \
         FROM information_schema.TABLES WHERE TABLE_NAME = {name}{all}"
    );
    let rows = connection.read(read).await?;
    let Some(row) = rows.first() else { return Ok(true) };
    let (tables, in_memory) = (number_at(row, 0)?, number_at(row, 1)?);
    Ok(tables == 0 || tables != in_memory)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_without_rows_names_the_same_columns() {
        let of = |statement: &str| without_rows(statement).unwrap();
        assert_eq!(
            of("INSERT INTO `t` (`id`,`a`) VALUES (1,x' VALUES '),(2,3)"),
            "INSERT INTO `t` (`id`,`a`) SELECT NULL,NULL FROM (SELECT 1) AS nothing WHERE 1 = 0"
        );
        assert_eq!(of("DELETE FROM `t` WHERE `id` IN (1)"), "DELETE FROM `t` WHERE `id` IN (1) AND 1 = 0");
    }

    #[test]
    fn another_state_than_the_servers_is_a_signal() {
        for (number, own) in
            [(28, "HY000"), (1021, "HY000"), (1205, "HY000"), (1037, "HY001"), (1969, "70100")]
        {
            assert!(comes_and_goes(number, Some(own)) && comes_and_goes(number, None), "{number}");
            assert!(!comes_and_goes(number, Some("45001")), "{number}");
        }
        // No limit of the server ends a statement that writes (3024, MySQL), and no error of it has a number below 1000.
        for number in [500, 1040, 1044, 1142, 1226, 1317, 2001, 3024] {
            assert!(!comes_and_goes(number, None), "{number}");
        }
    }
}
