//! Sessions of callers that have other settings: what is read in them is the same.

use idgen_mysql::sync::Value;
use idgen_server::Database;

use crate::common::{connect, count, on_both, run};
use crate::sync::{APPLIED, REPEATED, Synced, apply};
use crate::sync_rows::{LISTS, put, refers, tables, text};

on_both!(an_altered_table_is_read_in_any_session);

const SETTINGS: [&str; 6] = [
    "SET sql_select_limit = 1",
    "SET NAMES latin1",
    "SET character_set_results = NULL",
    "SET character_set_results = binary",
    "SET character_set_connection = ucs2",
    "SET character_set_results = latin1, sql_select_limit = 2",
];

/// The definitions that such a session reads are kept for other callers, too.
async fn an_altered_table_is_read_in_any_session(database: Database) {
    for setting in SETTINGS {
        let Synced { scratch, sync, .. } = tables(database, &[LISTS], &["lists"]).await;
        let (mut caller, mut other) = (connect(scratch.url()).await, connect(scratch.url()).await);
        run(&mut caller, setting).await;
        let alter = "ALTER TABLE lists ADD day ENUM('日', '月') CHARACTER SET utf8mb4 NOT NULL, ADD n INT NULL UNIQUE, \
             ADD parent BIGINT UNSIGNED NULL, ADD FOREIGN KEY (parent) REFERENCES lists (id)";
        run(&mut other, alter).await;
        let row = |row, day: &str, parent: Value| {
            let n = Value::Int(row as i64);
            put("lists", row, 1, [("title", text("l")), ("day", text(day)), ("n", n), ("parent", parent)])
        };
        let batch = [row(1, "日", refers(9)), row(2, "月", refers(9))];
        let answer = apply(&sync, &mut caller, &batch).await;
        assert_eq!(answer.outcomes(), [APPLIED; 2], "{database}: {setting}");
        let answer = apply(&sync, &mut other, &[row(3, "月", Value::Null)]).await;
        assert_eq!(answer.outcomes(), [APPLIED], "{database}: {setting}");
        // Two references are set at once.
        let answer = apply(&sync, &mut caller, &[row(9, "日", Value::Null), row(1, "日", refers(9))]).await;
        assert_eq!(answer.outcomes(), [APPLIED, REPEATED], "{database}: {setting}");
        let set = "lists c JOIN lists p ON p.id = c.parent AND p.day = _utf8mb4 x'e697a5'";
        assert_eq!(count(&mut other, set).await, 2, "{database}: {setting}");
        let months = "lists WHERE day = _utf8mb4 x'e69c88'";
        assert_eq!(count(&mut other, months).await, 2, "{database}: {setting}");
    }
}
