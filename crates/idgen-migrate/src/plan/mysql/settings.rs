//! The settings that each session needs, whatever the server, the user or the client's own file says.

use std::time::Duration;

use crate::plan::data::{Engine, Statement};

/// Triggers and procedures are executed with the mode of the session that created them.
const MODE: &str = "STRICT_ALL_TABLES,NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION";

/// Procedures that only read are made with it, and what writes to tables with expressions, of which a session without a strict mode may have stored values
/// that a strict one refuses.
pub(super) const LAX: &str = "SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO,NO_ENGINE_SUBSTITUTION'";

/// Sets the mode of the plan's sessions again.
pub(super) fn strict() -> String {
    format!("SET SESSION sql_mode = '{MODE}'")
}

/// A session waits for a lock of rows or of a table for a second: clients that wait behind it wait longer by themselves.
const WAITS: &str = "lock_wait_timeout = 1, innodb_lock_wait_timeout = 1";

/// Marks the session, so that a file finds out whether all of its statements reach the same one.
pub(super) fn marker(variable: &str) -> Statement {
    Statement::new(
        "A pooler may send statements to several sessions, which the next ones find out.",
        format!("SET @{variable} = CONNECTION_ID()"),
    )
}

/// The statements with which a session begins. By default, MySQL shows a counter of `AUTO_INCREMENT` as it was up to a
/// day ago. MySQL 8.0.30 and later may hide primary keys that the server made by itself; older ones skip the comment.
pub(super) fn clean(engine: Engine) -> Vec<Statement> {
    let limits = match engine {
        Engine::MySql => {
            "max_execution_time = 0, information_schema_stats_expiry = 0 /*!80030 , show_gipk_in_create_table_and_information_schema = 1 */"
        }
        _ => "max_statement_time = 0, check_constraint_checks = 1, default_regex_flags = ''",
    };
    vec![
        Statement::new("The files are in UTF-8.", "SET NAMES utf8mb4"),
        Statement::new(
            "What a server or a client may have set otherwise, and what would change the meaning of the statements below.",
            format!(
                "SET SESSION autocommit = 1, completion_type = 0, sql_mode = '{MODE}', foreign_key_checks = 1, unique_checks = 1, \
                 sql_safe_updates = 0, sql_select_limit = 18446744073709551615, sql_big_selects = 1, sql_auto_is_null = 0, \
                 time_zone = '+00:00', group_concat_max_len = 1048576, {WAITS}, {limits}"
            ),
        ),
        Statement::new(
            "The same for transactions.",
            "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ WRITE",
        ),
    ]
}

/// Limits the time of each statement; MySQL does so for statements that only read.
pub(super) fn limited(engine: Engine, limit: Duration) -> String {
    match engine {
        Engine::MariaDb => format!("SET SESSION max_statement_time = {}", limit.as_secs_f64()),
        _ => format!("SET SESSION max_execution_time = {}", limit.as_millis()),
    }
}
