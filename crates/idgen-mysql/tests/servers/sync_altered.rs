//! Tables that are altered while a sync of them is open, where the server itself has nothing to refuse.

use idgen_mysql::sync::Value;
use idgen_server::Database;

use crate::common::on_both;
use crate::sync::APPLIED;
use crate::sync_rows::{LISTS, delete, is_refused, put, refers, tables, text};

on_both!(
    a_rule_of_a_foreign_key_is_read_again,
    fewer_digits_are_noticed,
    a_renamed_column_is_read_again,
    a_temporary_table_takes_no_rows,
    the_server_chooses_no_value
);

const ITEMS: &str = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, memo VARCHAR(20) NULL, \
    CONSTRAINT of_list FOREIGN KEY (list_id) REFERENCES lists (id))";

/// A row that leaves a list is not deleted with it, and so keeps the column that the server alone sets.
async fn a_rule_of_a_foreign_key_is_read_again(database: Database) {
    let mut synced = tables(database, &[LISTS, ITEMS], &["lists", "items"]).await;
    let list = |row| put("lists", row, 1, [("title", text("l"))]);
    let batch = [list(1), list(2), put("items", 3, 1, [("list_id", refers(1))])];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED, APPLIED, APPLIED]);
    synced.run("UPDATE items SET memo = 'of the server'").await;
    synced.run("ALTER TABLE items DROP FOREIGN KEY of_list").await;
    let cascade = "ALTER TABLE items ADD CONSTRAINT of_list FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE";
    synced.run(cascade).await;
    let batch = [delete("lists", 1, 2), put("items", 3, 2, [("list_id", refers(2))])];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED, APPLIED]);
    assert_eq!(synced.count("items WHERE memo = 'of the server'").await, 1, "{database}");
}

/// The server rounds, and says that it succeeded.
async fn fewer_digits_are_noticed(database: Database) {
    let prices = "CREATE TABLE prices (id BIGINT UNSIGNED PRIMARY KEY, price DECIMAL(10,4) NULL, day DATETIME(3) NULL)";
    let mut synced = tables(database, &[prices], &["prices"]).await;
    let price = |row, number, price: &str| put("prices", row, number, [("price", text(price))]);
    assert_eq!(synced.apply(&[price(1, 1, "1.2345")]).await.outcomes(), [APPLIED]);
    for (alter, change) in [
        ("ALTER TABLE prices MODIFY price DECIMAL(10,2) NULL", price(2, 1, "1.2345")),
        (
            "ALTER TABLE prices MODIFY day DATETIME NULL",
            put("prices", 3, 1, [("day", text("2026-01-02 03:04:05.678"))]),
        ),
        ("ALTER TABLE prices MODIFY price INT NULL", price(4, 1, "1.25")),
    ] {
        synced.run(alter).await;
        let answer = synced.apply(&[change]).await;
        assert!(is_refused(&answer.outcomes()[0], ""), "{database}: {alter}: {:?}", answer.outcomes());
    }
}

/// The change has the new name; the key and the references are found under theirs.
async fn a_renamed_column_is_read_again(database: Database) {
    let items = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, n INT NULL, \
        CONSTRAINT of_list FOREIGN KEY (list_id) REFERENCES lists (id))";
    let mut synced = tables(database, &[LISTS, items], &["lists", "items"]).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let item = |row, number, list| put("items", row, number, [("list_id", refers(list))]);
    let batch = [list(1, 1), item(3, 1, 1), item(4, 1, 9), item(5, 1, 8)];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED; 4]);
    synced.run("ALTER TABLE items CHANGE id item_id BIGINT UNSIGNED NOT NULL").await;
    let change = put("items", 3, 2, [("n", Value::Int(7))]);
    synced.run("BEGIN").await;
    let error = synced.error(std::slice::from_ref(&change)).await;
    assert!(error.is_transient() && error.to_string().contains("altered"), "{database}: {error}");
    synced.run("ROLLBACK").await;
    assert_eq!(synced.apply(&[change]).await.outcomes(), [APPLIED], "{database}");
    assert_eq!(synced.count("items WHERE n = 7 AND list_id IS NOT NULL").await, 1, "{database}");
    synced.run("ALTER TABLE items CHANGE list_id parent_id BIGINT UNSIGNED NULL").await;
    // The reference was opened under the old name.
    assert_eq!(synced.apply(&[list(9, 1)]).await.outcomes(), [APPLIED], "{database}");
    let renamed = put("items", 5, 2, [("parent_id", refers(1))]);
    assert_eq!(synced.apply(&[renamed, list(8, 1)]).await.outcomes(), [APPLIED; 2], "{database}");
    assert_eq!(synced.count("items i JOIN lists l ON l.id = i.parent_id").await, 2, "{database}");
}

async fn a_temporary_table_takes_no_rows(database: Database) {
    let mut synced = tables(database, &[LISTS], &["lists"]).await;
    let change = put("lists", 1, 1, [("title", text("l"))]);
    for table in ["lists", "uuid_map_row", "uuid_map_open"] {
        let like = format!("CREATE TEMPORARY TABLE {table} SELECT * FROM {table}");
        synced.run(like).await;
        if table != "lists" {
            synced.run(format!("ALTER TABLE {table} ADD PRIMARY KEY (tbl, id)")).await;
        }
        synced.run("BEGIN").await;
        let error = synced.error(std::slice::from_ref(&change)).await;
        let said = error.to_string();
        assert!(
            error.is_schema() && said.contains("temporary table") && said.contains(table),
            "{database}: {said}"
        );
        synced.run("ROLLBACK").await;
        synced.run(format!("DROP TEMPORARY TABLE {table}")).await;
    }
    assert_eq!(synced.apply(&[change]).await.outcomes(), [APPLIED]);
    assert_eq!(synced.number("SELECT COUNT(*) FROM lists").await, Ok(1), "{database}");
}

/// Counters, and times without `explicit_defaults_for_timestamp`: the server stores another value than 0 and NULL.
async fn the_server_chooses_no_value(database: Database) {
    let rows = "CREATE TABLE kept (id BIGINT UNSIGNED PRIMARY KEY, n INT NOT NULL AUTO_INCREMENT UNIQUE, at TIMESTAMP NOT NULL \
        DEFAULT CURRENT_TIMESTAMP)";
    let mut synced = tables(database, &[rows], &["kept"]).await;
    synced.run("SET SESSION explicit_defaults_for_timestamp = OFF").await;
    let batch = [
        put("kept", 1, 1, [("n", Value::Int(0))]),
        put("kept", 2, 1, [("at", Value::Null)]),
        put("kept", 3, 1, [("at", text("2026-01-02 03:04:05"))]),
    ];
    let answer = synced.apply(&batch).await;
    let outcomes = answer.outcomes();
    assert!(
        is_refused(&outcomes[0], "\"n\"") && is_refused(&outcomes[1], "at may not be NULL"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[2], APPLIED);
    assert_eq!(synced.count("kept WHERE at = '2026-01-02 03:04:05'").await, 1, "{database}");
}
