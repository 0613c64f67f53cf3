//! Rows that refer to other rows: deleted ones, cascades, and tables or sessions that would lose rows or store orphans.

use idgen_mysql::sync::{Outcome, Table, Value};
use idgen_server::Database;

use crate::common::{connect, of_two, on_both, run};
use crate::sync::{APPLIED, Synced, id};
use crate::sync_rows::{LISTS, delete, is_refused, put, refers, tables, text};

on_both!(
    rows_that_refer_to_deleted_rows_do_not_wait,
    references_are_set_when_the_server_makes_the_row,
    deletions_that_set_references_to_null_can_be_undone,
    rows_that_are_made_again_have_no_old_references,
    rows_that_refer_to_refused_rows_wait_for_them,
    tables_that_lose_rows_are_refused,
    sessions_that_store_orphans_are_refused,
    references_to_rows_that_go_with_others_can_be_undone,
    rows_whose_check_needs_a_reference_wait_for_it,
    open_references_follow_a_renamed_column
);

/// Returns true if a deleted row of `lists` blocks the change.
fn is_ended(outcome: &Outcome, of: u128, deletion: u64) -> bool {
    matches!(outcome, Outcome::Blocked { table, row, number, reason }
        if table == "lists" && *row == id(of) && *number == deletion && reason.contains("which was deleted"))
}

const ITEMS: &str = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
     user_id INT NULL, FOREIGN KEY (list_id) REFERENCES lists (id), FOREIGN KEY (user_id) REFERENCES users (id))";

async fn rows_that_refer_to_deleted_rows_do_not_wait(database: Database) {
    let users = "CREATE TABLE users (id INT PRIMARY KEY)";
    let parts = "CREATE TABLE parts (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, \
         FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE)";
    let outside = "CREATE TABLE reports (id INT PRIMARY KEY, list_id BIGINT UNSIGNED, FOREIGN KEY (list_id) REFERENCES lists (id))";
    let schema = [LISTS, users, ITEMS, parts, outside];
    let mut synced = tables(database, &schema, &["lists", "items", "parts"]).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let item = |row, list| put("items", row, 1, [("list_id", refers(list))]);
    let part = |row, list| put("parts", row, 1, [("list_id", refers(list))]);

    // Deleted before, and deleted in the same batch, in each cut.
    synced.apply(&[list(1, 1), delete("lists", 1, 2)]).await;
    let answer = synced.apply(&[item(11, 1), part(12, 1)]).await;
    assert!(answer.outcomes().iter().all(|outcome| is_ended(outcome, 1, 2)), "{answer:?}");
    synced.apply(&[list(2, 1)]).await;
    let answer = synced.apply(&[delete("lists", 2, 2), item(21, 2), part(22, 2)]).await;
    assert_eq!(answer.outcomes()[0], APPLIED);
    assert!(answer.outcomes()[1..].iter().all(|outcome| is_ended(outcome, 2, 2)), "{answer:?}");
    // A row that was deleted before it arrived.
    let answer = synced.apply(&[delete("lists", 3, 2)]).await;
    assert_eq!(answer.outcomes(), [APPLIED]);
    let answer = synced.apply(&[item(31, 3), list(3, 1)]).await;
    assert!(is_ended(&answer.outcomes()[0], 3, 2), "{answer:?}");
    assert_eq!(answer.outcomes()[1], Outcome::Older { newest: 2 });
    // A reference that cascades: the row is not there whichever of the two comes first.
    synced.apply(&[part(41, 4)]).await;
    assert_eq!(synced.count("parts").await, 1);
    synced.apply(&[delete("lists", 4, 1)]).await;
    assert_eq!(synced.count("parts").await, 0);
    assert_eq!(synced.open().await, []);
    // The list is made again, and the same row is taken.
    let answer = synced.apply(&[item(11, 1), list(1, 3)]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED]);

    // A row of the sync blocks a deletion, and then a row outside of it.
    let answer = synced.apply(&[delete("lists", 1, 4)]).await;
    let [Outcome::Blocked { table, row, number, .. }] = answer.outcomes() else { panic!("{answer:?}") };
    assert_eq!((table.as_str(), *row, *number), ("items", id(11), 1));
    let moved = [delete("lists", 1, 4), list(5, 1), put("items", 11, 2, [("list_id", refers(5))])];
    assert_eq!(synced.apply(&moved).await.outcomes(), vec![APPLIED; 3]);
    synced.run("INSERT INTO reports SELECT 1, id FROM lists").await;
    let answer = synced.apply(&[delete("items", 11, 3), delete("lists", 5, 2)]).await;
    assert_eq!(answer.outcomes()[0], APPLIED);
    assert!(is_refused(&answer.outcomes()[1], "reports"), "{answer:?}");
    // A reference to a row of another table that is not there.
    let absent = put("items", 51, 1, [("list_id", refers(5)), ("user_id", Value::Int(7))]);
    let answer = synced.apply(&[absent, item(52, 5)]).await;
    assert!(is_refused(&answer.outcomes()[0], "users"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
}

pub const NOTES: &str = "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, \
     FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE SET NULL)";

async fn references_are_set_when_the_server_makes_the_row(database: Database) {
    let mut synced = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    synced.apply(&[put("notes", 2, 1, [("list_id", refers(1))])]).await;
    let list = synced.map.id_of(id(1)).await.unwrap();
    synced.run(format!("INSERT INTO lists VALUES ({list}, 'of the server')")).await;
    assert_eq!(synced.open().await.len(), 1);
    synced.apply(&[put("lists", 1, 1, [("title", text("of a device"))])]).await;
    assert_eq!(synced.count(&format!("notes WHERE list_id = {list}")).await, 1);
    assert_eq!(synced.open().await, []);
    // An index refuses to set a reference: the batch continues, and the reference stays open.
    synced.run("ALTER TABLE notes ADD UNIQUE (list_id)").await;
    synced.apply(&[put("notes", 3, 1, [("list_id", refers(9))])]).await;
    synced.apply(&[put("notes", 4, 1, [("list_id", refers(9))])]).await;
    let answer = synced.apply(&[put("lists", 9, 1, [("title", text("x"))])]).await;
    assert_eq!(answer.outcomes(), [APPLIED]);
    assert_eq!(synced.open().await.len(), 1);
}

async fn deletions_that_set_references_to_null_can_be_undone(database: Database) {
    let mut synced = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let note = |row, list| put("notes", row, 1, [("list_id", refers(list))]);
    // In each order of arrival of these changes, the newest change of each row is there in the end, and the reference
    // is set.
    let orders = [[0, 1, 2, 3], [0, 2, 1, 3], [2, 0, 3, 1], [3, 2, 1, 0], [1, 2, 3, 0], [0, 1, 3, 2]];
    for (place, order) in orders.into_iter().enumerate() {
        let (l, n) = (100 + place as u128, 200 + place as u128);
        let changes = [list(l, 1), note(n, l), delete("lists", l, 2), list(l, 3)];
        for at in order {
            synced.apply(&changes[at..=at]).await;
        }
    }
    assert_eq!(synced.count("notes WHERE list_id IS NULL").await, 0);
    assert_eq!(synced.count("notes JOIN lists ON lists.id = notes.list_id").await, 6);
    assert_eq!(synced.open().await, []);
    // A newer change of the row that refers wins over the reference that was lost.
    synced.apply(&[delete("lists", 100, 4)]).await;
    assert_eq!(synced.open().await.len(), 1);
    synced.apply(&[put("notes", 200, 2, [("list_id", Value::Null)])]).await;
    synced.apply(&[list(100, 5)]).await;
    assert_eq!(synced.count("notes WHERE list_id IS NULL").await, 1);
}

async fn tables_that_lose_rows_are_refused(database: Database) {
    let mut synced = tables(database, &[LISTS], &["lists"]).await;
    for engine in of_two(database, vec!["MyISAM", "MEMORY"], vec!["MyISAM", "Aria"]) {
        let name = format!("in_{engine}");
        synced.run(format!("CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY) ENGINE={engine}")).await;
        let error = synced.map.sync(&[Table::new(&name)]).await.unwrap_err();
        assert!(error.is_config() && error.to_string().contains("ENGINE=InnoDB"), "{error}");
    }
    synced.run("CREATE VIEW seen AS SELECT id, title FROM lists").await;
    let error = synced.map.sync(&[Table::new("seen")]).await.unwrap_err();
    assert!(error.is_config(), "{error}");
}

async fn sessions_that_store_orphans_are_refused(database: Database) {
    let Synced { scratch, sync, .. } = tables(database, &[LISTS], &["lists"]).await;
    // MariaDB alone has the mode that stores an empty text as NULL, and the switch for checks.
    let mode = ("EMPTY_STRING_IS_NULL", "SET SESSION sql_mode = 'STRICT_ALL_TABLES,EMPTY_STRING_IS_NULL'");
    let settings = [
        ("foreign_key_checks", "SET SESSION foreign_key_checks = 0"),
        ("unique_checks", "SET SESSION unique_checks = 0"),
        mode,
        ("check_constraint_checks", "SET SESSION check_constraint_checks = 0"),
    ];
    for (setting, set) in &settings[..of_two(database, 2, 4)] {
        let mut connection = connect(scratch.url()).await;
        run(&mut connection, *set).await;
        run(&mut connection, "START TRANSACTION").await;
        let error =
            sync.apply(&mut connection, &[put("lists", 1, 1, [("title", text("x"))])]).await.unwrap_err();
        assert!(error.is_config() && error.to_string().contains(setting), "{error}");
    }
}

/// The schema has deleted the row that had an open reference, and its next state has none.
async fn rows_that_are_made_again_have_no_old_references(database: Database) {
    let items = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
         note_id BIGINT UNSIGNED NULL, FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE, \
         FOREIGN KEY (note_id) REFERENCES lists (id))";
    let mut synced = tables(database, &[LISTS, items], &["lists", "items"]).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let item = |number, note: Value| put("items", 2, number, [("list_id", refers(1)), ("note_id", note)]);
    synced.apply(&[list(1, 1), item(1, refers(3))]).await;
    synced.apply(&[delete("lists", 1, 2)]).await;
    let answer = synced.apply(&[list(1, 3), item(2, Value::Null)]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED]);
    assert_eq!(synced.open().await, []);
    synced.apply(&[list(3, 1)]).await;
    assert_eq!(synced.count("items WHERE note_id IS NULL").await, 1);
}

/// A row of the same table and the same batch that is refused is like one that has not arrived.
async fn rows_that_refer_to_refused_rows_wait_for_them(database: Database) {
    let table = |name: &str, null: &str, more: &str| {
        format!(
            "CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY, a INT NOT NULL{more}, to_id BIGINT UNSIGNED {null}, \
             CHECK (a > 0), FOREIGN KEY (to_id) REFERENCES {name} (id))"
        )
    };
    let schema = [table("own", "NULL", " UNIQUE"), table("must", "NOT NULL", "")];
    let mut synced = tables(database, &schema, &["own", "must"]).await;
    let of = |table: &str, row, number, a, to: Value| {
        put(table, row, number, [("a", Value::Int(a)), ("to_id", to)])
    };
    // The new row takes the value of one that refers to it.
    synced.apply(&[of("own", 1, 1, 7, Value::Null)]).await;
    let batch = [of("own", 2, 1, 7, Value::Null), of("own", 1, 2, 8, refers(2))];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED, APPLIED], "{database}");
    assert_eq!(synced.count("own WHERE to_id IS NOT NULL").await, 1);

    let batch =
        [of("own", 3, 1, 0, Value::Null), of("own", 4, 1, 1, refers(3)), of("own", 5, 1, 2, refers(4))];
    let answer = synced.apply(&batch).await;
    assert!(matches!(answer.outcomes()[0], Outcome::Refused(_)), "{database}: {answer:?}");
    assert_eq!(answer.outcomes()[1..], [APPLIED, APPLIED], "{database}");
    assert_eq!(synced.open().await.len(), 1);
    synced.apply(&[of("own", 3, 2, 3, Value::Null)]).await;
    assert_eq!(synced.count("own WHERE to_id IS NOT NULL").await, 3);

    let last = [of("must", 13, 1, 1, refers(12)), of("must", 14, 1, 1, refers(13))];
    let batch = [of("must", 11, 1, 1, refers(11)), of("must", 12, 1, 0, refers(11))];
    let answer = synced.apply(&[&last[..], &batch].concat()).await;
    for (outcome, of) in answer.outcomes().iter().zip([12, 13]) {
        assert!(matches!(outcome, Outcome::Waits { row, .. } if *row == id(of)), "{database}: {answer:?}");
    }
    assert_eq!(answer.outcomes()[2], APPLIED, "{database}");
    assert!(matches!(answer.outcomes()[3], Outcome::Refused(_)), "{database}: {answer:?}");
    let again = [&last[..], &[of("must", 12, 2, 1, refers(11))]].concat();
    assert_eq!(synced.apply(&again).await.outcomes(), [APPLIED; 3], "{database}");
}

/// A note refers to an item that is deleted with its list. List and item come back.
async fn references_to_rows_that_go_with_others_can_be_undone(database: Database) {
    let items = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, item_id BIGINT UNSIGNED NULL, \
         FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE, FOREIGN KEY (item_id) REFERENCES items (id) ON DELETE SET NULL)";
    let notes = "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, item_id BIGINT UNSIGNED NULL, \
         FOREIGN KEY (item_id) REFERENCES items (id) ON DELETE SET NULL)";
    let mut synced = tables(database, &[LISTS, items, notes], &["lists", "items", "notes"]).await;
    for (place, note_is_first) in [false, true].into_iter().enumerate() {
        let [l, i, k, n] = [0, 1, 2, 3].map(|at| 100 * (place as u128 + 1) + at);
        let list = |number| put("lists", l, number, [("title", text("l"))]);
        let item =
            |row, number, other| put("items", row, number, [("list_id", refers(l)), ("item_id", other)]);
        let note = put("notes", n, 1, [("item_id", refers(i))]);
        synced.apply(&[list(1), item(i, 1, refers(k)), item(k, 1, Value::Null)]).await;
        if note_is_first {
            synced.apply(std::slice::from_ref(&note)).await;
        }
        synced.apply(&[delete("lists", l, 2)]).await;
        if !note_is_first {
            synced.apply(std::slice::from_ref(&note)).await;
        }
        // The items that went with their list have open references no more, since their rows are gone.
        assert_eq!(synced.open().await.len(), 1, "{database}, {note_is_first}");
        let back = [list(3), item(i, 2, refers(k)), item(k, 2, Value::Null)];
        assert_eq!(synced.apply(&back).await.outcomes(), [APPLIED; 3]);
        assert_eq!(synced.open().await, [], "{database}, {note_is_first}");
    }
    assert_eq!(synced.count("notes JOIN items ON items.id = notes.item_id").await, 2, "{database}");
    assert_eq!(synced.count("items WHERE item_id IS NOT NULL").await, 2, "{database}");
}

/// docs/sync.md describes these steps.
async fn open_references_follow_a_renamed_column(database: Database) {
    let items = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, FOREIGN KEY (list_id) REFERENCES lists (id))";
    let mut synced = tables(database, &[LISTS, items], &["lists", "items"]).await;
    let item = put("items", 2, 1, [("list_id", refers(1))]);
    assert_eq!(synced.apply(&[item]).await.outcomes(), [APPLIED]);
    synced.run("ALTER TABLE items RENAME COLUMN list_id TO folder_id").await;
    synced.run("UPDATE uuid_map_open SET col = 'folder_id' WHERE tbl = 'items' AND col = 'list_id'").await;
    let list = put("lists", 1, 1, [("title", text("l"))]);
    assert_eq!(synced.apply(&[list]).await.outcomes(), [APPLIED]);
    assert_eq!(synced.open().await, [], "{database}");
    assert_eq!(synced.count("items WHERE folder_id IS NOT NULL").await, 1, "{database}");
}

/// A check sees NULL until the row arrives to which a column refers.
async fn rows_whose_check_needs_a_reference_wait_for_it(database: Database) {
    let notes = "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, item_id BIGINT UNSIGNED NULL, \
                 n INT NULL, FOREIGN KEY (list_id) REFERENCES lists (id), CHECK (list_id IS NOT NULL OR item_id IS NOT NULL), \
                 CHECK (n < 10))";
    let nodes = "CREATE TABLE nodes (id BIGINT UNSIGNED PRIMARY KEY, up BIGINT UNSIGNED NULL, is_root BOOLEAN NOT NULL, \
                 FOREIGN KEY (up) REFERENCES nodes (id), CHECK (is_root = (up IS NULL)))";
    let mut synced = tables(database, &[LISTS, notes, nodes], &["lists", "notes", "nodes"]).await;
    let note = |row, list| put("notes", row, 1, [("list_id", refers(list))]);
    let list = |row| put("lists", row, 1, [("title", text("x"))]);
    let waits_for = |outcome: &Outcome, name: &str, of: u128| matches!(outcome, Outcome::Waits { table, row, .. } if table == name && *row == id(of));
    let child = put("nodes", 12, 1, [("up", refers(11)), ("is_root", Value::Int(0))]);
    let answer = synced.apply(&[note(1, 9), child.clone()]).await;
    assert!(waits_for(&answer.outcomes()[0], "lists", 9), "{database}: {answer:?}");
    assert!(waits_for(&answer.outcomes()[1], "nodes", 11), "{database}: {answer:?}");
    let root = put("nodes", 11, 1, [("up", Value::Null), ("is_root", Value::Int(1))]);
    let answer = synced.apply(&[list(9), root, note(1, 9), child]).await;
    assert_eq!(answer.outcomes(), [APPLIED; 4], "{database}");
    // A change of a row that is there.
    let moved = put("notes", 1, 2, [("list_id", refers(8))]);
    let answer = synced.apply(std::slice::from_ref(&moved)).await;
    assert!(waits_for(&answer.outcomes()[0], "lists", 8), "{database}: {answer:?}");
    assert_eq!(synced.apply(&[list(8), moved]).await.outcomes(), [APPLIED; 2], "{database}");
    // A deleted list may not come back.
    synced.apply(&[list(6), delete("lists", 6, 2)]).await;
    let answer = synced.apply(&[note(4, 6)]).await;
    assert!(is_ended(&answer.outcomes()[0], 6, 2), "{database}: {answer:?}");
    // A row that is refused also when its list is there.
    let bad = put("notes", 3, 1, [("list_id", refers(7)), ("n", Value::Int(10))]);
    let answer = synced.apply(&[list(7), bad]).await;
    assert!(is_refused(&answer.outcomes()[1], of_two(database, "3819", "4025")), "{database}: {answer:?}");
}
