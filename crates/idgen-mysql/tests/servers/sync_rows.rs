//! Tests that an unusual row or table leaves the others alone, and that it does not matter how changes are cut into
//! batches.

use idgen_mysql::Index;
use idgen_mysql::sync::{Change, Intake, Outcome, Table, Value};
use idgen_server::Database;

use crate::common::{connect, map, of_two, on_both, run};
use crate::sync::{APPLIED, REPEATED, Synced, apply, id};
use crate::sync_references::NOTES;

on_both!(
    an_error_belongs_to_the_row_in_which_it_happens,
    altered_tables_are_read_again,
    unique_values_go_from_row_to_row,
    a_renamed_table_keeps_its_log,
    values_are_stored_as_they_are_or_refused,
    erased_rows_do_not_come_back
);

/// A schema with these tables, and a sync of them.
pub async fn tables(
    database: Database,
    statements: &[impl AsRef<str>],
    tables: &[impl AsRef<str>],
) -> Synced {
    let (scratch, map) = map(database, Index::Unique).await;
    let mut connection = connect(scratch.url()).await;
    for statement in statements {
        run(&mut connection, statement.as_ref()).await;
    }
    map.install_sync().await.unwrap();
    let wanted: Vec<Table> = tables.iter().map(|name| Table::new(name.as_ref())).collect();
    let sync = map.sync(&wanted).await.unwrap();
    Synced { scratch, map, sync, connection }
}

pub fn put<const N: usize>(table: &str, row: u128, number: u64, values: [(&str, Value); N]) -> Change {
    Change::put(table, id(row), number, values)
}

pub fn delete(table: &str, row: u128, number: u64) -> Change {
    Change::delete(table, id(row), number)
}

pub fn refers(row: u128) -> Value {
    id(row).into()
}

pub fn text(text: &str) -> Value {
    text.into()
}

pub fn is_refused(outcome: &Outcome, words: &str) -> bool {
    matches!(outcome, Outcome::Refused(said) if said.contains(words))
}

pub const LISTS: &str = "CREATE TABLE lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL)";

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
    let mut names: Vec<&str> = bad.iter().map(|(table, ..)| *table).collect();
    names.push("lists");
    names.dedup();
    let mut synced = tables(database, &schema, &names).await;

    let mut batch = vec![put("lists", 1, 1, [("title", text("before"))])];
    for (place, (table, change, _)) in bad.iter().enumerate() {
        batch.push(change.clone());
        if !["parted", "docs"].contains(table) {
            // A good row beside the bad one, in the same statement.
            batch.push(put(table, 200 + place as u128, 1, [("a", Value::Int(1))]));
        }
    }
    batch.push(put("lists", 2, 1, [("title", text("after"))]));
    let answer = synced.apply(&batch).await;
    for (change, outcome) in batch.iter().zip(answer.outcomes()) {
        match bad.iter().find(|(_, bad, _)| bad.row == change.row) {
            Some((table, _, words)) => assert!(is_refused(outcome, words), "{table} {words}: {outcome:?}"),
            None => assert_eq!(*outcome, APPLIED, "{} {}", change.table, change.row),
        }
    }
    assert_eq!(synced.count("lists").await, 2);
    // An update that fails leaves the row, and those beside it are updated.
    let batch = [
        put("made", 200, 2, [("a", Value::Int(0))]),
        put("lists", 1, 2, [("title", text("changed"))]),
        put("made", 300, 1, [("a", Value::Int(5))]),
    ];
    let answer = synced.apply(&batch).await;
    assert!(is_refused(&answer.outcomes()[0], "1365"), "{answer:?}");
    assert_eq!(answer.outcomes()[1..], [APPLIED, APPLIED]);
    assert_eq!(synced.count("made WHERE a IN (1, 5)").await, 2);
    assert_eq!(synced.map.check().await.unwrap(), []);

    // An error of the table itself is for the operator, and ends the batch.
    synced.run("DROP TABLE checked").await;
    synced.run("START TRANSACTION").await;
    let error = synced
        .sync
        .apply(&mut synced.connection, &[put("checked", 400, 1, [("a", Value::Int(1))])])
        .await
        .unwrap_err();
    assert!(!error.is_transient() && error.to_string().contains("checked"), "{error}");
}

async fn altered_tables_are_read_again(database: Database) {
    let mut synced = tables(database, &[LISTS], &["lists"]).await;
    let of =
        |row, number, column: &str| put("lists", row, number, [("title", text("x")), (column, text("y"))]);
    let answer = synced.apply(&[of(1, 1, "color"), put("lists", 2, 1, [("title", text("t"))])]).await;
    assert!(is_refused(&answer.outcomes()[0], "color"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
    synced.run("ALTER TABLE lists ADD color VARCHAR(5) NOT NULL DEFAULT ''").await;
    assert_eq!(synced.apply(&[of(1, 1, "color")]).await.outcomes(), [APPLIED]);
    // Dropped, while rows that name it and others that do not are on their way.
    synced.run("ALTER TABLE lists DROP color").await;
    let batch = [
        put("lists", 5, 1, [("title", text("n"))]),
        of(1, 2, "color"),
        of(4, 1, "color"),
        put("lists", 2, 2, [("title", text("u"))]),
    ];
    let answer = synced.apply(&batch).await;
    assert!(is_refused(&answer.outcomes()[1], "that can be set"), "{answer:?}");
    assert!(is_refused(&answer.outcomes()[2], "that can be set"), "{answer:?}");
    assert_eq!([&answer.outcomes()[0], &answer.outcomes()[3]], [&APPLIED, &APPLIED]);
    // A longer column, and a new reference.
    synced.run("ALTER TABLE lists MODIFY title VARCHAR(30) NOT NULL").await;
    let long = put("lists", 6, 1, [("title", text(&"x".repeat(25)))]);
    assert_eq!(synced.apply(&[long]).await.outcomes(), [APPLIED]);
    synced.run("ALTER TABLE lists ADD parent BIGINT UNSIGNED NULL, ADD FOREIGN KEY (parent) REFERENCES lists (id)",
    )
    .await;
    let child = put("lists", 7, 1, [("title", text("c")), ("parent", refers(8))]);
    let answer = synced.apply(&[child, put("lists", 8, 1, [("title", text("p"))])]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED]);
    assert_eq!(synced.count("lists WHERE parent IS NOT NULL").await, 1);
}

async fn unique_values_go_from_row_to_row(database: Database) {
    let schema = [
        "CREATE TABLE tags (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, place INT NOT NULL UNIQUE)",
        "CREATE TABLE marks (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20) NOT NULL UNIQUE, CHECK (name IN ('a', 'b', 'c')))",
    ];
    let mut synced = tables(database, &schema, &["tags", "marks"]).await;
    let tag = |row: u128, number: u64, name: &str| {
        put(
            "tags",
            row,
            number,
            [("name", text(name)), ("place", Value::Int(name.bytes().map(i64::from).sum()))],
        )
    };
    let begin = [tag(1, 1, "food"), tag(2, 1, "A"), tag(3, 1, "x"), tag(4, 1, "y"), tag(5, 1, "z")];
    assert_eq!(synced.apply(&begin).await.outcomes(), vec![APPLIED; 5]);
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
        let answer = synced.apply(&batch).await;
        assert_eq!(answer.outcomes(), vec![APPLIED; batch.len()], "{batch:?}");
    }
    let as_expected = "tags WHERE name IN ('food', 'A', 'B', 'C', 'z', 'y')";
    assert_eq!(synced.count(as_expected).await, 6);
    // A value that another row keeps: the answer names that row. A swap beside it succeeds.
    let batch = [tag(3, 5, "y"), tag(4, 5, "z"), tag(2, 3, "food"), tag(10, 1, "food"), tag(8, 3, "food")];
    let answer = synced.apply(&batch).await;
    assert_eq!(answer.outcomes()[..2], [APPLIED, APPLIED]);
    for outcome in &answer.outcomes()[2..] {
        let Outcome::Blocked { table, row, number, reason } = outcome else { panic!("{outcome:?}") };
        assert_eq!((table.as_str(), *row, *number), ("tags", id(7), 1), "{reason}");
    }
    assert_eq!(synced.count("tags WHERE name IN ('C', 'B')").await, 2);
    // A check refuses each other value for a moment: the rows stay as they were.
    let mark = |row: u128, number: u64, name: &str| put("marks", row, number, [("name", text(name))]);
    synced.apply(&[mark(20, 1, "a"), mark(21, 1, "b")]).await;
    let answer = synced.apply(&[mark(20, 2, "b"), mark(21, 2, "a"), mark(22, 1, "c")]).await;
    assert!(matches!(
        answer.outcomes(),
        [Outcome::Blocked { .. }, Outcome::Blocked { .. }, Outcome::Applied { .. }]
    ));
    assert_eq!(synced.count("marks WHERE name IN ('a', 'b')").await, 2);
}

async fn a_renamed_table_keeps_its_log(database: Database) {
    let mut synced = tables(database, &[LISTS, NOTES], &["lists", "notes"]).await;
    let title =
        |table: &str, row: u128, number: u64, title: &str| put(table, row, number, [("title", text(title))]);
    synced.apply(&[title("lists", 1, 2, "new"), delete("lists", 2, 2)]).await;
    synced.apply(&[put("notes", 3, 1, [("list_id", refers(9))])]).await;
    synced.run("RENAME TABLE lists TO projects").await;
    let wanted = [Table::new("projects"), Table::new("notes")];
    let error = synced.map.sync(&wanted).await.unwrap_err();
    assert!(error.is_config() && error.to_string().contains("sync rename lists projects"), "{error}");
    synced.map.rename_synced("lists", "projects").await.unwrap();
    synced.map.rename_synced("lists", "projects").await.unwrap();
    synced.sync = synced.map.sync(&wanted).await.unwrap();
    let batch =
        [title("projects", 1, 1, "old"), title("projects", 2, 1, "deleted"), title("projects", 9, 1, "late")];
    let answer = synced.apply(&batch).await;
    let older = Outcome::Older { newest: 2 };
    assert_eq!(answer.outcomes(), [older.clone(), older, APPLIED]);
    assert_eq!(synced.count("notes WHERE list_id IS NOT NULL").await, 1);
    assert!(synced.map.rename_synced("notes", "projects").await.unwrap_err().is_config());
    assert!(synced.map.rename_synced("no'tes", "projects").await.unwrap_err().is_config());
    // A table that was dropped, and a new one.
    synced.run("DROP TABLE notes").await;
    synced.run(LISTS).await;
    assert!(synced.map.sync(&[Table::new("projects")]).await.is_ok());
    assert!(synced.map.sync(&[Table::new("lists")]).await.unwrap_err().is_config());
    synced.map.drop_synced("notes").await.unwrap();
    synced.map.sync(&[Table::new("lists")]).await.unwrap();
}

async fn values_are_stored_as_they_are_or_refused(database: Database) {
    let schema = "CREATE TABLE kept (id BIGINT UNSIGNED PRIMARY KEY, n BIGINT NULL, d DECIMAL(5,2) NULL, v VARCHAR(3) NULL, \
         c CHAR(3) NULL, t TINYTEXT NULL, b BINARY(2) NULL, at DATETIME NULL, day DATE NULL, y YEAR NULL, e ENUM('a','b') NULL, \
         w BIT(8) NULL, f DOUBLE NULL)";
    let mut synced = tables(database, &[schema], &["kept"]).await;
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
    let answer = synced.apply(&batch).await;
    for (pair, (column, good, bad)) in answer.outcomes().chunks(2).zip(&cases) {
        assert_eq!(pair[0], APPLIED, "{column} {good:?}");
        assert!(is_refused(&pair[1], &format!("its column {column}")), "{column} {bad:?}: {:?}", pair[1]);
    }
    assert_eq!(synced.count("kept").await, cases.len() as i64);
    let as_sent = "kept WHERE n = -5 OR n = 2 OR d = 1.25 OR BINARY v = 'x  ' OR c = 'x' OR CHAR_LENGTH(t) = 255 OR b = x'0102' \
         OR at = '2026-01-01 10:00:00' OR day = '2026-01-01' OR y = 2026 OR e = 'a' OR w = 1 OR f = 9007199254740992";
    assert_eq!(synced.count(as_sent).await, cases.len() as i64);
}

async fn erased_rows_do_not_come_back(database: Database) {
    let mut synced = tables(database, &[LISTS], &["lists"]).await;
    let list = |row: u128| put("lists", row, 1, [("title", text("l"))]);
    let first = synced.apply(&[list(1)]).await.ids()[&id(1)];
    synced.run("DELETE FROM lists").await;
    assert_eq!(synced.sync.forget(id(1)).await.unwrap(), Some(first));
    let strict = synced.sync.clone().intake(Intake::default().refuse_forgotten());
    let answer = apply(&strict, &mut synced.connection, &[list(1), list(2)]).await;
    assert!(is_refused(&answer.outcomes()[0], "erased"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
    assert_eq!(synced.count("lists").await, 1);
    // Each time that it is sent.
    let answer = apply(&strict, &mut synced.connection, &[list(1), list(2)]).await;
    assert!(is_refused(&answer.outcomes()[0], "erased"), "{answer:?}");
    assert_eq!(answer.outcomes()[1], REPEATED);
    assert_eq!(synced.map.find(id(1)).await.unwrap(), None);
    assert_eq!(synced.count("lists").await, 1);
    // By default, it is a new row.
    let again = synced.apply(&[list(1)]).await.ids()[&id(1)];
    assert_ne!(again, first);
    assert_eq!(synced.map.check().await.unwrap(), []);
}
