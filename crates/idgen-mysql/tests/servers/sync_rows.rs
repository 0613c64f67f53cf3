//! What is out of the ordinary in one row or one table leaves the others alone, and how changes are cut into batches does not
//! matter.

use idgen_mysql::sync::{Change, Intake, Outcome, Sync, Table, Value};
use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch};
use sqlx::MySqlConnection;

use crate::common::{connect, map, number, of_two, on_both, run};
use crate::sync::{APPLIED, apply, id};

on_both!(
    an_error_belongs_to_the_row_in_which_it_happens,
    altered_tables_are_read_again,
    unique_values_go_from_row_to_row,
    rows_that_refer_to_deleted_rows_do_not_wait,
    references_are_set_when_the_server_makes_the_row,
    deletions_that_set_references_to_null_can_be_undone,
    tables_that_lose_rows_are_refused,
    sessions_that_store_orphans_are_refused,
    a_renamed_table_keeps_its_log,
    values_are_stored_as_they_are_or_refused,
    erased_rows_do_not_come_back
);

/// A schema with these tables, and a sync of them.
async fn tables(database: Database, statements: &[&str], tables: &[&str]) -> (Scratch, UuidMap, Sync) {
    let (scratch, map) = map(database, Index::Unique).await;
    let mut connection = connect(scratch.url()).await;
    for statement in statements {
        run(&mut connection, *statement).await;
    }
    map.install_sync().await.unwrap();
    let wanted: Vec<Table> = tables.iter().map(|name| Table::new(name)).collect();
    let sync = map.sync(&wanted).await.unwrap();
    (scratch, map, sync)
}

fn put<const N: usize>(table: &str, row: u128, number: u64, values: [(&str, Value); N]) -> Change {
    Change::put(table, id(row), number, values)
}

fn delete(table: &str, row: u128, number: u64) -> Change {
    Change::delete(table, id(row), number)
}

fn refers(row: u128) -> Value {
    id(row).into()
}

fn text(text: &str) -> Value {
    text.into()
}

fn is_refused(outcome: &Outcome, words: &str) -> bool {
    matches!(outcome, Outcome::Refused(said) if said.contains(words))
}

/// Whether a row that was deleted is in the way.
fn is_ended(outcome: &Outcome, of: u128, deletion: u64) -> bool {
    matches!(outcome, Outcome::Blocked { table, row, number, reason }
        if table == "lists" && *row == id(of) && *number == deletion && reason.contains("which was deleted"))
}

async fn count(connection: &mut MySqlConnection, what: &str) -> i64 {
    number(connection, format!("SELECT COUNT(*) FROM {what}")).await.unwrap()
}

const LISTS: &str = "CREATE TABLE lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL)";

async fn an_error_belongs_to_the_row_in_which_it_happens(database: Database) {
    let trigger = |table: &str, body: &str| {
        format!(
            "CREATE TRIGGER of_{table} BEFORE INSERT ON {table} FOR EACH ROW BEGIN IF NEW.a = 0 THEN {body}; END IF; END"
        )
    };
    let mut schema = vec![LISTS.to_owned()];
    let mut bad: Vec<(&str, Change, &str)> = Vec::new();
    let kinds = [
        ("made", "a INT NOT NULL, b INT NOT NULL DEFAULT 0, c INT AS (1/a) STORED", "", "1365"),
        ("checked", "a INT NOT NULL, CHECK (1/a < 3)", "", of_two(database, "3819", "1365")),
        ("told", "a INT NOT NULL", "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 30001", "30001"),
        ("transient", "a INT NOT NULL", "SIGNAL SQLSTATE '45000' SET MYSQL_ERRNO = 1205", "1205"),
        ("audited", "a INT NOT NULL", "INSERT INTO of_nobody VALUES (1)", "1146"),
        ("counted", "a INT NOT NULL", "SELECT id INTO @idgen FROM two_rows", "1172"),
        ("large", "a INT NOT NULL, t LONGTEXT NULL", "", "max_allowed_packet"),
    ];
    schema.push("CREATE TABLE two_rows (id INT PRIMARY KEY)".to_owned());
    schema.push("INSERT INTO two_rows VALUES (1), (2)".to_owned());
    for (table, columns, body, words) in kinds {
        schema.push(format!("CREATE TABLE {table} (id BIGINT UNSIGNED PRIMARY KEY, {columns})"));
        if !body.is_empty() {
            schema.push(trigger(table, body));
        }
        let row = 100 + bad.len() as u128;
        bad.push((table, put(table, row, 1, [("a", Value::Int(0))]), words));
    }
    bad[6].1 = put("large", 106, 1, [("a", Value::Int(1)), ("t", text(&"x".repeat(40 << 20)))]);
    schema.push(
        "CREATE TABLE parted (id BIGINT UNSIGNED PRIMARY KEY, a INT) PARTITION BY RANGE (id) (PARTITION p VALUES LESS THAN (1))"
            .to_owned(),
    );
    bad.push(("parted", put("parted", 110, 1, [("a", Value::Int(1))]), "1526"));
    if database == Database::MySql {
        schema.push(
            "CREATE TABLE docs (id BIGINT UNSIGNED PRIMARY KEY, a JSON, g GEOMETRY SRID 4326)".to_owned(),
        );
        bad.push(("docs", put("docs", 111, 1, [("a", Value::Bytes(b"{}".to_vec()))]), "3144"));
        bad.push(("docs", put("docs", 112, 1, [("a", text("{"))]), "3140"));
        let point = Value::Bytes([&[0; 4][..], &[1, 1, 0, 0, 0], &[0; 16]].concat());
        bad.push(("docs", put("docs", 113, 1, [("g", point)]), "3643"));
    }
    let schema: Vec<&str> = schema.iter().map(String::as_str).collect();
    let mut names: Vec<&str> = bad.iter().map(|(table, ..)| *table).collect();
    names.push("lists");
    names.dedup();
    let (scratch, map, sync) = tables(database, &schema, &names).await;
    let mut connection = connect(scratch.url()).await;

    let mut batch = vec![put("lists", 1, 1, [("title", text("before"))])];
    for (place, (table, change, _)) in bad.iter().enumerate() {
        batch.push(change.clone());
        if !["parted", "docs"].contains(table) {
            // A good row beside the bad one, in the same statement.
            batch.push(put(table, 200 + place as u128, 1, [("a", Value::Int(1))]));
        }
    }
    batch.push(put("lists", 2, 1, [("title", text("after"))]));
    let answer = apply(&sync, &mut connection, &batch).await;
    for (change, outcome) in batch.iter().zip(answer.outcomes()) {
        match bad.iter().find(|(_, bad, _)| bad.row == change.row) {
            Some((table, _, words)) => assert!(is_refused(outcome, words), "{table} {words}: {outcome:?}"),
            None => assert_eq!(*outcome, APPLIED, "{} {}", change.table, change.row),
        }
    }
    assert_eq!(count(&mut connection, "lists").await, 2);
    // An update that fails leaves the row, and those beside it are updated.
    let batch = [
        put("made", 200, 2, [("a", Value::Int(0))]),
        put("lists", 1, 2, [("title", text("changed"))]),
        put("made", 300, 1, [("a", Value::Int(5))]),
    ];
    let answer = apply(&sync, &mut connection, &batch).await;
    assert!(is_refused(&answer.outcomes()[0], "1365"), "{answer:?}");
    assert_eq!(answer.outcomes()[1..], [APPLIED, APPLIED]);
    assert_eq!(count(&mut connection, "made WHERE a IN (1, 5)").await, 2);
    assert_eq!(map.check().await.unwrap(), []);

    // What is wrong with the table itself is for the operator, and ends the batch.
    run(&mut connection, "DROP TABLE checked").await;
    run(&mut connection, "START TRANSACTION").await;
    let error =
        sync.apply(&mut connection, &[put("checked", 400, 1, [("a", Value::Int(1))])]).await.unwrap_err();
    assert!(!error.is_transient() && error.to_string().contains("checked"), "{error}");
}

async fn altered_tables_are_read_again(database: Database) {
    let (scratch, _, sync) = tables(database, &[LISTS], &["lists"]).await;
    let mut connection = connect(scratch.url()).await;
    let of =
        |row, number, column: &str| put("lists", row, number, [("title", text("x")), (column, text("y"))]);
    let answer =
        apply(&sync, &mut connection, &[of(1, 1, "color"), put("lists", 2, 1, [("title", text("t"))])]).await;
    assert!(is_refused(&answer.outcomes()[0], "color"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
    run(&mut connection, "ALTER TABLE lists ADD color VARCHAR(5) NOT NULL DEFAULT ''").await;
    assert_eq!(apply(&sync, &mut connection, &[of(1, 1, "color")]).await.outcomes(), [APPLIED]);
    // Dropped, while rows that name it and others that do not are on their way.
    run(&mut connection, "ALTER TABLE lists DROP color").await;
    let batch = [
        put("lists", 5, 1, [("title", text("n"))]),
        of(1, 2, "color"),
        of(4, 1, "color"),
        put("lists", 2, 2, [("title", text("u"))]),
    ];
    let answer = apply(&sync, &mut connection, &batch).await;
    assert!(is_refused(&answer.outcomes()[1], "that can be set"), "{answer:?}");
    assert!(is_refused(&answer.outcomes()[2], "that can be set"), "{answer:?}");
    assert_eq!([&answer.outcomes()[0], &answer.outcomes()[3]], [&APPLIED, &APPLIED]);
    // A longer column, and a new reference.
    run(&mut connection, "ALTER TABLE lists MODIFY title VARCHAR(30) NOT NULL").await;
    let long = put("lists", 6, 1, [("title", text(&"x".repeat(25)))]);
    assert_eq!(apply(&sync, &mut connection, &[long]).await.outcomes(), [APPLIED]);
    run(
        &mut connection,
        "ALTER TABLE lists ADD parent BIGINT UNSIGNED NULL, ADD FOREIGN KEY (parent) REFERENCES lists (id)",
    )
    .await;
    let child = put("lists", 7, 1, [("title", text("c")), ("parent", refers(8))]);
    let answer = apply(&sync, &mut connection, &[child, put("lists", 8, 1, [("title", text("p"))])]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED]);
    assert_eq!(count(&mut connection, "lists WHERE parent IS NOT NULL").await, 1);
}

async fn unique_values_go_from_row_to_row(database: Database) {
    let schema = [
        "CREATE TABLE tags (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, place INT NOT NULL UNIQUE)",
        "CREATE TABLE marks (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, CHECK (CHAR_LENGTH(name) < 6))",
    ];
    let (scratch, _, sync) = tables(database, &schema, &["tags", "marks"]).await;
    let mut connection = connect(scratch.url()).await;
    let tag = |row: u128, number: u64, name: &str| {
        put(
            "tags",
            row,
            number,
            [("name", text(name)), ("place", Value::Int(name.bytes().map(i64::from).sum()))],
        )
    };
    let begin = [tag(1, 1, "food"), tag(2, 1, "A"), tag(3, 1, "x"), tag(4, 1, "y"), tag(5, 1, "z")];
    assert_eq!(apply(&sync, &mut connection, &begin).await.outcomes(), vec![APPLIED; 5]);
    // Deleted and made again under another key; renamed, and a new row with the old name.
    for batch in [
        vec![delete("tags", 1, 2), tag(6, 1, "food")],
        vec![tag(7, 1, "food"), delete("tags", 6, 2)],
        vec![tag(2, 2, "C"), tag(8, 1, "A")],
        vec![tag(9, 1, "A"), tag(8, 2, "B")],
        // A swap, a circle of three, and a chain that ends with a deletion.
        vec![tag(3, 2, "y"), tag(4, 2, "x")],
        vec![tag(3, 3, "x"), tag(4, 3, "z"), tag(5, 2, "y")],
        vec![tag(3, 4, "z"), tag(4, 4, "y"), delete("tags", 5, 3)],
    ] {
        let answer = apply(&sync, &mut connection, &batch).await;
        assert_eq!(answer.outcomes(), vec![APPLIED; batch.len()], "{batch:?}");
    }
    let as_expected = "tags WHERE name IN ('food', 'A', 'B', 'C', 'z', 'y')";
    assert_eq!(count(&mut connection, as_expected).await, 6);
    // A value that another row keeps: the answer names that row. A swap beside it succeeds.
    let batch = [tag(3, 5, "y"), tag(4, 5, "z"), tag(2, 3, "food"), tag(10, 1, "food"), tag(8, 3, "food")];
    let answer = apply(&sync, &mut connection, &batch).await;
    assert_eq!(answer.outcomes()[..2], [APPLIED, APPLIED]);
    for outcome in &answer.outcomes()[2..] {
        let Outcome::Blocked { table, row, number, reason } = outcome else { panic!("{outcome:?}") };
        assert_eq!((table.as_str(), *row, *number), ("tags", id(7), 1), "{reason}");
    }
    assert_eq!(count(&mut connection, "tags WHERE name IN ('C', 'B')").await, 2);
    // Values for a moment that a check refuses: the rows stay as they were.
    let mark = |row: u128, number: u64, name: &str| put("marks", row, number, [("name", text(name))]);
    apply(&sync, &mut connection, &[mark(20, 1, "a"), mark(21, 1, "b")]).await;
    let answer = apply(&sync, &mut connection, &[mark(20, 2, "b"), mark(21, 2, "a"), mark(22, 1, "c")]).await;
    assert!(matches!(
        answer.outcomes(),
        [Outcome::Blocked { .. }, Outcome::Blocked { .. }, Outcome::Applied { .. }]
    ));
    assert_eq!(count(&mut connection, "marks WHERE name IN ('a', 'b')").await, 2);
}

const ITEMS: &str = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
     user_id INT NULL, FOREIGN KEY (list_id) REFERENCES lists (id), FOREIGN KEY (user_id) REFERENCES users (id))";

async fn rows_that_refer_to_deleted_rows_do_not_wait(database: Database) {
    let users = "CREATE TABLE users (id INT PRIMARY KEY)";
    let parts = "CREATE TABLE parts (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, \
         FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE)";
    let outside = "CREATE TABLE reports (id INT PRIMARY KEY, list_id BIGINT UNSIGNED, FOREIGN KEY (list_id) REFERENCES lists (id))";
    let schema = [LISTS, users, ITEMS, parts, outside];
    let (scratch, _, sync) = tables(database, &schema, &["lists", "items", "parts"]).await;
    let mut connection = connect(scratch.url()).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let item = |row, list| put("items", row, 1, [("list_id", refers(list))]);
    let part = |row, list| put("parts", row, 1, [("list_id", refers(list))]);

    // Deleted before, and deleted in the same batch, in each cut.
    apply(&sync, &mut connection, &[list(1, 1), delete("lists", 1, 2)]).await;
    let answer = apply(&sync, &mut connection, &[item(11, 1), part(12, 1)]).await;
    assert!(answer.outcomes().iter().all(|outcome| is_ended(outcome, 1, 2)), "{answer:?}");
    apply(&sync, &mut connection, &[list(2, 1)]).await;
    let answer = apply(&sync, &mut connection, &[delete("lists", 2, 2), item(21, 2), part(22, 2)]).await;
    assert_eq!(answer.outcomes()[0], APPLIED);
    assert!(answer.outcomes()[1..].iter().all(|outcome| is_ended(outcome, 2, 2)), "{answer:?}");
    // A row that was deleted before it arrived.
    let answer = apply(&sync, &mut connection, &[delete("lists", 3, 2)]).await;
    assert_eq!(answer.outcomes(), [APPLIED]);
    let answer = apply(&sync, &mut connection, &[item(31, 3), list(3, 1)]).await;
    assert!(is_ended(&answer.outcomes()[0], 3, 2), "{answer:?}");
    assert_eq!(answer.outcomes()[1], Outcome::Older { newest: 2 });
    // A reference that cascades: the row is not there whichever of the two comes first.
    apply(&sync, &mut connection, &[part(41, 4)]).await;
    assert_eq!(count(&mut connection, "parts").await, 1);
    apply(&sync, &mut connection, &[delete("lists", 4, 1)]).await;
    assert_eq!(count(&mut connection, "parts").await, 0);
    assert_eq!(sync.open_references(9).await.unwrap(), []);
    // The list is made again, and the same row is taken.
    let answer = apply(&sync, &mut connection, &[item(11, 1), list(1, 3)]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED]);

    // A deletion that another row of the sync, or one outside of it, stands in the way of.
    let answer = apply(&sync, &mut connection, &[delete("lists", 1, 4)]).await;
    let [Outcome::Blocked { table, row, number, .. }] = answer.outcomes() else { panic!("{answer:?}") };
    assert_eq!((table.as_str(), *row, *number), ("items", id(11), 1));
    let moved = [delete("lists", 1, 4), list(5, 1), put("items", 11, 2, [("list_id", refers(5))])];
    assert_eq!(apply(&sync, &mut connection, &moved).await.outcomes(), vec![APPLIED; 3]);
    run(&mut connection, "INSERT INTO reports SELECT 1, id FROM lists").await;
    let answer = apply(&sync, &mut connection, &[delete("items", 11, 3), delete("lists", 5, 2)]).await;
    assert_eq!(answer.outcomes()[0], APPLIED);
    assert!(is_refused(&answer.outcomes()[1], "reports"), "{answer:?}");
    // A reference to a row of another table that is not there.
    let absent = put("items", 51, 1, [("list_id", refers(5)), ("user_id", Value::Int(7))]);
    let answer = apply(&sync, &mut connection, &[absent, item(52, 5)]).await;
    assert!(is_refused(&answer.outcomes()[0], "users"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
}

const NOTES: &str = "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, \
     FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE SET NULL)";

async fn references_are_set_when_the_server_makes_the_row(database: Database) {
    let (scratch, map, sync) = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let mut connection = connect(scratch.url()).await;
    apply(&sync, &mut connection, &[put("notes", 2, 1, [("list_id", refers(1))])]).await;
    let list = map.id_of(id(1)).await.unwrap();
    run(&mut connection, format!("INSERT INTO lists VALUES ({list}, 'of the server')")).await;
    assert_eq!(sync.open_references(9).await.unwrap().len(), 1);
    apply(&sync, &mut connection, &[put("lists", 1, 1, [("title", text("of a device"))])]).await;
    assert_eq!(count(&mut connection, &format!("notes WHERE list_id = {list}")).await, 1);
    assert_eq!(sync.open_references(9).await.unwrap(), []);
    // An index refuses to set a reference: the batch goes on, and the reference stays open.
    run(&mut connection, "ALTER TABLE notes ADD UNIQUE (list_id)").await;
    apply(&sync, &mut connection, &[put("notes", 3, 1, [("list_id", refers(9))])]).await;
    apply(&sync, &mut connection, &[put("notes", 4, 1, [("list_id", refers(9))])]).await;
    let answer = apply(&sync, &mut connection, &[put("lists", 9, 1, [("title", text("x"))])]).await;
    assert_eq!(answer.outcomes(), [APPLIED]);
    assert_eq!(sync.open_references(9).await.unwrap().len(), 1);
}

async fn deletions_that_set_references_to_null_can_be_undone(database: Database) {
    let (scratch, _, sync) = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let mut connection = connect(scratch.url()).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let note = |row, list| put("notes", row, 1, [("list_id", refers(list))]);
    // The same changes in each order of arrival: the newest of each row is there, and the reference is set.
    let orders = [[0, 1, 2, 3], [0, 2, 1, 3], [2, 0, 3, 1], [3, 2, 1, 0], [1, 2, 3, 0], [0, 1, 3, 2]];
    for (place, order) in orders.into_iter().enumerate() {
        let (l, n) = (100 + place as u128, 200 + place as u128);
        let changes = [list(l, 1), note(n, l), delete("lists", l, 2), list(l, 3)];
        for at in order {
            apply(&sync, &mut connection, &changes[at..=at]).await;
        }
    }
    assert_eq!(count(&mut connection, "notes WHERE list_id IS NULL").await, 0);
    assert_eq!(count(&mut connection, "notes JOIN lists ON lists.id = notes.list_id").await, 6);
    assert_eq!(sync.open_references(9).await.unwrap(), []);
    // A newer change of the row that refers wins over the reference that was lost.
    apply(&sync, &mut connection, &[delete("lists", 100, 4)]).await;
    assert_eq!(sync.open_references(9).await.unwrap().len(), 1);
    apply(&sync, &mut connection, &[put("notes", 200, 2, [("list_id", Value::Null)])]).await;
    apply(&sync, &mut connection, &[list(100, 5)]).await;
    assert_eq!(count(&mut connection, "notes WHERE list_id IS NULL").await, 1);
}

async fn tables_that_lose_rows_are_refused(database: Database) {
    let (scratch, map, _) = tables(database, &[LISTS], &["lists"]).await;
    let mut connection = connect(scratch.url()).await;
    for engine in of_two(database, vec!["MyISAM", "MEMORY"], vec!["MyISAM", "Aria"]) {
        let name = format!("in_{engine}");
        run(&mut connection, format!("CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY) ENGINE={engine}"))
            .await;
        let error = map.sync(&[Table::new(&name)]).await.unwrap_err();
        assert!(error.is_config() && error.to_string().contains("ENGINE=InnoDB"), "{error}");
    }
    run(&mut connection, "CREATE VIEW seen AS SELECT id, title FROM lists").await;
    let error = map.sync(&[Table::new("seen")]).await.unwrap_err();
    assert!(error.is_config(), "{error}");
}

async fn sessions_that_store_orphans_are_refused(database: Database) {
    let (scratch, _, sync) = tables(database, &[LISTS], &["lists"]).await;
    for setting in ["foreign_key_checks", "unique_checks"] {
        let mut connection = connect(scratch.url()).await;
        run(&mut connection, format!("SET SESSION {setting} = 0")).await;
        run(&mut connection, "START TRANSACTION").await;
        let error =
            sync.apply(&mut connection, &[put("lists", 1, 1, [("title", text("x"))])]).await.unwrap_err();
        assert!(error.is_config() && error.to_string().contains(setting), "{error}");
    }
}

async fn a_renamed_table_keeps_its_log(database: Database) {
    let (scratch, map, sync) = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let mut connection = connect(scratch.url()).await;
    let title =
        |table: &str, row: u128, number: u64, title: &str| put(table, row, number, [("title", text(title))]);
    apply(&sync, &mut connection, &[title("lists", 1, 2, "new"), delete("lists", 2, 2)]).await;
    apply(&sync, &mut connection, &[put("notes", 3, 1, [("list_id", refers(9))])]).await;
    run(&mut connection, "RENAME TABLE lists TO projects").await;
    let wanted = [Table::new("projects"), Table::new("notes")];
    let error = map.sync(&wanted).await.unwrap_err();
    assert!(error.is_config() && error.to_string().contains("sync rename lists projects"), "{error}");
    map.rename_synced("lists", "projects").await.unwrap();
    map.rename_synced("lists", "projects").await.unwrap();
    let sync = map.sync(&wanted).await.unwrap();
    let batch =
        [title("projects", 1, 1, "old"), title("projects", 2, 1, "deleted"), title("projects", 9, 1, "late")];
    let answer = apply(&sync, &mut connection, &batch).await;
    let older = Outcome::Older { newest: 2 };
    assert_eq!(answer.outcomes(), [older.clone(), older, APPLIED]);
    assert_eq!(count(&mut connection, "notes WHERE list_id IS NOT NULL").await, 1);
    assert!(map.rename_synced("notes", "projects").await.unwrap_err().is_config());
    assert!(map.rename_synced("no'tes", "projects").await.unwrap_err().is_config());
    // A table that was dropped, and a new one.
    run(&mut connection, "DROP TABLE notes").await;
    run(&mut connection, LISTS).await;
    assert!(map.sync(&[Table::new("projects")]).await.is_ok());
    assert!(map.sync(&[Table::new("lists")]).await.unwrap_err().is_config());
    map.drop_synced("notes").await.unwrap();
    map.sync(&[Table::new("lists")]).await.unwrap();
}

async fn values_are_stored_as_they_are_or_refused(database: Database) {
    let schema = "CREATE TABLE kept (id BIGINT UNSIGNED PRIMARY KEY, n BIGINT NULL, d DECIMAL(5,2) NULL, v VARCHAR(3) NULL, \
         c CHAR(3) NULL, t TINYTEXT NULL, b BINARY(2) NULL, at DATETIME NULL, day DATE NULL, y YEAR NULL, e ENUM('a','b') NULL, \
         w BIT(8) NULL, f DOUBLE NULL)";
    let (scratch, _, sync) = tables(database, &[schema], &["kept"]).await;
    let mut connection = connect(scratch.url()).await;
    let cases = [
        ("n", Value::Int(-5), Value::Float(1.5)),
        ("n", Value::Float(2.0), text("1.5")),
        ("d", Value::Float(1.25), text("1.239")),
        ("v", text("x  "), text("x   ")),
        ("c", text("x"), text("x ")),
        ("t", text(&" ".repeat(255)), text(&" ".repeat(256))),
        ("b", Value::Bytes(vec![1, 2]), Value::Bytes(vec![1])),
        ("at", text("2026-01-01 10:00:00"), text("2026-01-01 10:00:00.5")),
        ("day", text("2026-01-01"), text("2026-01-01 10:00:00")),
        ("y", Value::Int(2026), Value::Int(26)),
        ("e", text("a"), text("1")),
        ("w", Value::Int(1), text("1")),
        ("f", Value::Int(1 << 53), Value::Int((1 << 53) + 1)),
    ];
    let batch: Vec<Change> = cases
        .iter()
        .enumerate()
        .flat_map(|(at, (column, good, bad))| {
            let row = 10 * at as u128;
            [
                put("kept", row + 1, 1, [(*column, good.clone())]),
                put("kept", row + 2, 1, [(*column, bad.clone())]),
            ]
        })
        .collect();
    let answer = apply(&sync, &mut connection, &batch).await;
    for (pair, (column, good, bad)) in answer.outcomes().chunks(2).zip(&cases) {
        assert_eq!(pair[0], APPLIED, "{column} {good:?}");
        assert!(is_refused(&pair[1], &format!("its column {column}")), "{column} {bad:?}: {:?}", pair[1]);
    }
    assert_eq!(count(&mut connection, "kept").await, cases.len() as i64);
    let as_sent = "kept WHERE n = -5 OR n = 2 OR d = 1.25 OR BINARY v = 'x  ' OR c = 'x' OR CHAR_LENGTH(t) = 255 OR b = x'0102' \
         OR at = '2026-01-01 10:00:00' OR day = '2026-01-01' OR y = 2026 OR e = 'a' OR w = 1 OR f = 9007199254740992";
    assert_eq!(count(&mut connection, as_sent).await, cases.len() as i64);
}

async fn erased_rows_do_not_come_back(database: Database) {
    let (scratch, map, sync) = tables(database, &[LISTS], &["lists"]).await;
    let mut connection = connect(scratch.url()).await;
    let list = |row: u128| put("lists", row, 1, [("title", text("l"))]);
    let first = apply(&sync, &mut connection, &[list(1)]).await.ids()[&id(1)];
    run(&mut connection, "DELETE FROM lists").await;
    assert_eq!(sync.forget(id(1)).await.unwrap(), Some(first));
    let strict = sync.clone().intake(Intake::default().refuse_forgotten());
    let answer = apply(&strict, &mut connection, &[list(1), list(2)]).await;
    assert!(is_refused(&answer.outcomes()[0], "erased"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
    assert_eq!(count(&mut connection, "lists").await, 1);
    // By default, it is a new row.
    let again = apply(&sync, &mut connection, &[list(1)]).await.ids()[&id(1)];
    assert_ne!(again, first);
    assert_eq!(map.check().await.unwrap(), []);
}
