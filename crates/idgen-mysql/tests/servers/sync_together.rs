//! Changes of one batch that need each other: rows that leave a deleted parent, what an exchange frees, values that rows get for
//! a moment, and the row that is named where none helps.

use idgen_mysql::sync::{Change, Outcome, Value};
use idgen_server::Database;
use sqlx::Connection;

use crate::common::{connect, number, on_both};
use crate::sync::{APPLIED, Synced, apply, id};
use crate::sync_rows::{LISTS, delete, is_refused, put, refers, tables, text};

on_both!(
    rows_that_leave_a_deleted_parent_keep_their_own,
    what_an_exchange_frees_is_taken,
    rows_exchange_values_of_which_few_are_free,
    rows_exchange_references,
    the_row_that_refuses_is_named,
    the_row_of_another_session_is_named,
    long_chains_take_few_statements,
    rows_that_wait_for_each_other_are_refused
);

fn is_blocked(outcome: &Outcome, by_table: &str, by: u128) -> bool {
    matches!(outcome, Outcome::Blocked { table, row, .. } if table == by_table && *row == id(by))
}

async fn rows_that_leave_a_deleted_parent_keep_their_own(database: Database) {
    let items = "CREATE TABLE i (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
         title VARCHAR(20) NOT NULL UNIQUE, seen INT NOT NULL DEFAULT 0, \
         FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE)";
    let subs = "CREATE TABLE s (id BIGINT UNSIGNED PRIMARY KEY, i_id BIGINT UNSIGNED NOT NULL, \
         FOREIGN KEY (i_id) REFERENCES i (id) ON DELETE CASCADE)";
    let notes = "CREATE TABLE n (id BIGINT UNSIGNED PRIMARY KEY, i_id BIGINT UNSIGNED NULL, \
         FOREIGN KEY (i_id) REFERENCES i (id) ON DELETE SET NULL)";
    let mut synced = tables(database, &[LISTS, items, subs, notes], &["lists", "i", "s", "n"]).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let item = |row, number, list, title: &str| {
        put("i", row, number, [("list_id", refers(list)), ("title", text(title))])
    };
    // Two items of one list that is deleted, with what refers to them. The other list is there, or comes with the batch.
    let base = |at: u128| 100 * (at + 1);
    let cases: [&dyn Fn(u128) -> Vec<Change>; 6] = [
        &|at| vec![item(at + 3, 2, at + 2, "c"), item(at + 4, 2, at + 2, "d"), delete("lists", at + 1, 2)],
        &|at| vec![delete("lists", at + 1, 2), item(at + 4, 2, at + 2, "d"), item(at + 3, 2, at + 2, "c")],
        &|at| {
            let moved = vec![item(at + 3, 2, at + 9, "c"), item(at + 4, 2, at + 9, "d")];
            [vec![delete("lists", at + 1, 2)], moved, vec![list(at + 9, 1)]].concat()
        },
        // They exchange their titles.
        &|at| vec![item(at + 3, 2, at + 2, "b"), item(at + 4, 2, at + 2, "a"), delete("lists", at + 1, 2)],
        &|at| vec![delete("lists", at + 1, 2), item(at + 3, 2, at + 2, "b"), item(at + 4, 2, at + 2, "a")],
        // A title of a row that is deleted with the list.
        &|at| {
            let moved = vec![item(at + 3, 2, at + 2, "e"), item(at + 4, 2, at + 2, "d")];
            [vec![delete("lists", at + 1, 2), delete("i", at + 7, 2)], moved].concat()
        },
    ];
    for (place, case) in cases.iter().enumerate() {
        let at = base(place as u128);
        synced.run("DELETE FROM i").await;
        let before = [
            list(at + 1, 1),
            list(at + 2, 1),
            item(at + 3, 1, at + 1, "a"),
            item(at + 4, 1, at + 1, "b"),
            item(at + 7, 1, at + 1, "e"),
            put("s", at + 5, 1, [("i_id", refers(at + 3))]),
            put("n", at + 6, 1, [("i_id", refers(at + 3))]),
        ];
        assert_eq!(synced.apply(&before).await.outcomes(), vec![APPLIED; 7]);
        synced.run("UPDATE i SET seen = 7").await;
        let batch = case(at);
        let answer = synced.apply(&batch).await;
        assert_eq!(answer.outcomes(), vec![APPLIED; batch.len()], "{database} {place}");
        let kept = "i JOIN s ON s.i_id = i.id JOIN n ON n.i_id = i.id WHERE seen = 7";
        assert_eq!(synced.count(kept).await, 1, "{database} {place}");
        assert_eq!(synced.count("i").await, 2, "{database} {place}");
    }
}

async fn what_an_exchange_frees_is_taken(database: Database) {
    let items = "CREATE TABLE i (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
         title VARCHAR(20) NOT NULL UNIQUE, FOREIGN KEY (list_id) REFERENCES lists (id))";
    let places = "CREATE TABLE c (id BIGINT UNSIGNED PRIMARY KEY, x VARCHAR(20) NOT NULL UNIQUE, y VARCHAR(20) NOT NULL UNIQUE)";
    let circles = "CREATE TABLE r (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL UNIQUE, \
         r_id BIGINT UNSIGNED NULL, FOREIGN KEY (r_id) REFERENCES r (id))";
    let mut synced = tables(database, &[LISTS, items, places, circles], &["lists", "i", "c", "r"]).await;
    let list = |row, number| put("lists", row, number, [("title", text("l"))]);
    let item = |row, number, list, title: &str| {
        put("i", row, number, [("list_id", refers(list)), ("title", text(title))])
    };
    let place = |row, number, x: &str, y: &str| put("c", row, number, [("x", text(x)), ("y", text(y))]);
    let circle =
        |row, number, title: &str, to| put("r", row, number, [("title", text(title)), ("r_id", refers(to))]);
    for (before, batch) in [
        (
            vec![list(1, 1), list(2, 1), item(3, 1, 1, "A"), item(4, 1, 1, "B")],
            vec![item(3, 2, 2, "B"), item(4, 2, 2, "A"), delete("lists", 1, 2)],
        ),
        (
            vec![place(11, 1, "X1", "Y1"), place(12, 1, "X2", "Y2")],
            vec![place(11, 2, "X2", "Y3"), place(12, 2, "X1", "Y2"), place(13, 1, "X3", "Y1")],
        ),
        (
            vec![circle(21, 1, "a", 22), circle(22, 1, "b", 21)],
            vec![
                delete("r", 21, 2),
                delete("r", 22, 2),
                put("r", 23, 1, [("title", text("a")), ("r_id", Value::Null)]),
            ],
        ),
    ] {
        synced.apply(&before).await;
        let answer = synced.apply(&batch).await;
        assert_eq!(answer.outcomes(), [APPLIED; 3], "{database}");
    }
}

async fn rows_exchange_values_of_which_few_are_free(database: Database) {
    let bytes = |values: &[u8]| Value::Bytes(values.to_vec());
    let kinds = [
        ("code", "v CHAR(3) NOT NULL UNIQUE", [text("abc"), text("abd")]),
        ("letters", "v VARCHAR(2) NOT NULL UNIQUE", [text("a"), text("b")]),
        ("four", "v BINARY(4) NOT NULL UNIQUE", [bytes(&[1; 4]), bytes(&[2; 4])]),
        ("seven", "v VARBINARY(7) NOT NULL UNIQUE", [bytes(&[1]), bytes(&[2])]),
        ("bits", "v BIT(8) NOT NULL UNIQUE", [Value::Int(255), Value::Int(1)]),
        ("years", "v YEAR NOT NULL UNIQUE", [Value::Int(2155), Value::Int(2000)]),
        ("decimals", "v DECIMAL(3) NOT NULL UNIQUE", [Value::Int(999), Value::Int(998)]),
        ("small", "v TINYINT NOT NULL UNIQUE, CHECK (v < 0)", [Value::Int(-1), Value::Int(-2)]),
        ("ranged", "v INT NOT NULL UNIQUE, CHECK (v BETWEEN 1 AND 1000)", [Value::Int(1000), Value::Int(1)]),
        (
            "forms",
            "v VARCHAR(20) NOT NULL UNIQUE, CHECK (v REGEXP '^[A-Z]{2,5}-[0-9]+$')",
            [text("AB-1"), text("CD-22")],
        ),
        (
            "days",
            "v DATE NOT NULL UNIQUE, CHECK (v BETWEEN '2026-01-01' AND '2026-12-31')",
            [text("2026-01-01"), text("2026-12-31")],
        ),
        (
            "hours",
            "v TIME NOT NULL UNIQUE, CHECK (v BETWEEN '08:00:00' AND '18:00:00')",
            [text("09:00:00"), text("10:00:00")],
        ),
        ("kinds", "v ENUM('a', 'b', 'c') NOT NULL UNIQUE", [text("a"), text("b")]),
        // Nothing is free in the other index, and nothing has to be.
        ("beside", "v INT NOT NULL UNIQUE, w ENUM('a', 'b') NOT NULL UNIQUE", [Value::Int(1), Value::Int(2)]),
        (
            "pairs",
            "v INT NOT NULL, w VARCHAR(9) NOT NULL, UNIQUE (w, v), CHECK (v BETWEEN 1 AND 3)",
            [1, 2].map(Value::Int),
        ),
    ];
    let schema = kinds
        .iter()
        .map(|(name, columns, _)| format!("CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY, {columns})"));
    let schema: Vec<String> = schema.collect();
    let names: Vec<&str> = kinds.iter().map(|(name, ..)| *name).collect();
    let mut synced = tables(database, &schema, &names).await;
    let mut wrong = Vec::new();
    for (at, (name, _, [first, second])) in kinds.iter().enumerate() {
        let row = |place: u128, number: u64, value: &Value| {
            let row = 10 * at as u128 + place;
            match *name {
                "beside" => {
                    let w = text(if place == 1 { "a" } else { "b" });
                    put(name, row, number, [("v", value.clone()), ("w", w)])
                }
                "pairs" => put(name, row, number, [("v", value.clone()), ("w", text("w"))]),
                _ => put(name, row, number, [("v", value.clone())]),
            }
        };
        let before = [row(1, 1, first), row(2, 1, second)];
        assert_eq!(synced.apply(&before).await.outcomes(), [APPLIED; 2], "{name}");
        let answer = synced.apply(&[row(1, 2, second), row(2, 2, first)]).await;
        if answer.outcomes() != [APPLIED; 2] {
            wrong.push(format!("{name}: {:?}", answer.outcomes()));
        }
    }
    assert!(wrong.is_empty(), "{database}:\n{}", wrong.join("\n"));
}

async fn rows_exchange_references(database: Database) {
    let list = "list_id BIGINT UNSIGNED";
    let key = "FOREIGN KEY (list_id) REFERENCES lists (id)";
    let one = format!("CREATE TABLE one (id BIGINT UNSIGNED PRIMARY KEY, {list} NOT NULL UNIQUE, {key})");
    let maybe = format!("CREATE TABLE maybe (id BIGINT UNSIGNED PRIMARY KEY, {list} NULL UNIQUE, {key})");
    let both = format!(
        "CREATE TABLE pairs (id BIGINT UNSIGNED PRIMARY KEY, {list} NOT NULL, other_id BIGINT UNSIGNED NOT NULL, \
         UNIQUE (list_id, other_id), {key}, FOREIGN KEY (other_id) REFERENCES lists (id))"
    );
    let mut synced =
        tables(database, &[LISTS, &one, &maybe, &both], &["lists", "one", "maybe", "pairs"]).await;
    let lists: Vec<Change> = (1..4).map(|row| put("lists", row, 1, [("title", text("l"))])).collect();
    synced.apply(&lists).await;
    for (at, table) in ["one", "maybe", "pairs"].into_iter().enumerate() {
        let row = |place: u128, number: u64, list: u128| {
            let row = 10 * (at as u128 + 1) + place;
            match table {
                "pairs" => put(table, row, number, [("list_id", refers(list)), ("other_id", refers(list))]),
                _ => put(table, row, number, [("list_id", refers(list))]),
            }
        };
        synced.apply(&[row(1, 1, 1), row(2, 1, 2)]).await;
        let answer = synced.apply(&[row(1, 2, 2), row(2, 2, 1)]).await;
        assert_eq!(answer.outcomes(), [APPLIED; 2], "{database} {table}");
    }
}

async fn the_row_that_refuses_is_named(database: Database) {
    let child = |name: &str, of: &str, rule: &str| {
        format!(
            "CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY, p_id BIGINT UNSIGNED NOT NULL, \
             FOREIGN KEY (p_id) REFERENCES {of} (id) {rule})"
        )
    };
    let (items, invoices, bills) = (
        child("a_items", "lists", "ON DELETE CASCADE"),
        child("invoices", "lists", ""),
        child("bills", "a_items", ""),
    );
    let texts = "CREATE TABLE texts (id BIGINT UNSIGNED PRIMARY KEY, v VARCHAR(20) NOT NULL UNIQUE)";
    let two = "CREATE TABLE two (id BIGINT UNSIGNED PRIMARY KEY, a VARCHAR(20) NOT NULL, b VARCHAR(20) NOT NULL, \
         UNIQUE ua (a), UNIQUE ub (b))";
    let repeated = vec!["LEFT(v, 2)"; 300].join(", ");
    let large = format!(
        "CREATE TABLE large (id BIGINT UNSIGNED PRIMARY KEY, v MEDIUMTEXT NOT NULL, g VARCHAR(700) AS (CONCAT({repeated})) STORED UNIQUE)"
    );
    let mut synced = tables(
        database,
        &[LISTS, &items, &invoices, &bills, texts, two, &large],
        &["a_items", "bills", "invoices", "lists", "texts", "two", "large"],
    )
    .await;
    let list = |row| put("lists", row, 1, [("title", text("l"))]);
    let child = |table: &str, row, of| put(table, row, 1, [("p_id", refers(of))]);
    let before = [
        list(1),
        child("a_items", 2, 1),
        child("invoices", 3, 1),
        list(4),
        child("a_items", 5, 4),
        child("bills", 6, 5),
        put("texts", 11, 1, [("v", text("05"))]),
        put("texts", 12, 1, [("v", text("5"))]),
        put("two", 21, 1, [("a", text("x")), ("b", text("'ua'"))]),
        put("large", 31, 1, [("v", text("large"))]),
    ];
    assert_eq!(synced.apply(&before).await.outcomes(), vec![APPLIED; 10]);
    let batch = [
        delete("lists", 1, 2),
        delete("lists", 4, 2),
        put("texts", 13, 1, [("v", Value::Int(5))]),
        put("two", 22, 1, [("a", text("y")), ("b", text("'ua'"))]),
    ];
    let answer = synced.apply(&batch).await;
    let by = [("invoices", 3), ("bills", 6), ("texts", 12), ("two", 21)];
    for (outcome, (table, row)) in answer.outcomes().iter().zip(by) {
        assert!(is_blocked(outcome, table, row), "{database} {table}: {outcome:?}");
    }
    // The statement that finds the row would be too large.
    let large = put("large", 32, 1, [("v", text(&"la".repeat(60_000)))]);
    let answer = synced.apply(&[large, list(41)]).await;
    assert!(matches!(answer.outcomes(), [Outcome::Refused(_), APPLIED]), "{database}: {answer:?}");
}

async fn the_row_of_another_session_is_named(database: Database) {
    let lists = "CREATE TABLE lists (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL UNIQUE)";
    let Synced { scratch, sync, .. } = tables(database, &[lists], &["lists"]).await;
    let list = |row| put("lists", row, 1, [("title", text("l"))]);
    let (mut connection, mut other) = (connect(scratch.url()).await, connect(scratch.url()).await);
    let mut transaction = connection.begin().await.unwrap();
    assert_eq!(number(&mut transaction, "SELECT COUNT(*) FROM lists, uuid_map").await, Ok(0));
    assert_eq!(apply(&sync, &mut other, &[list(1)]).await.outcomes(), [APPLIED]);
    let answer = sync.apply(&mut transaction, &[list(2)]).await.unwrap();
    assert!(is_blocked(&answer.outcomes()[0], "lists", 1), "{database}: {answer:?}");
}

async fn long_chains_take_few_statements(database: Database) {
    let positions = "CREATE TABLE positions (id BIGINT UNSIGNED PRIMARY KEY, pos INT NOT NULL UNIQUE)";
    let nodes = "CREATE TABLE nodes (id BIGINT UNSIGNED PRIMARY KEY, node_id BIGINT UNSIGNED NULL, \
         FOREIGN KEY (node_id) REFERENCES nodes (id))";
    let mut synced = tables(database, &[positions, nodes], &["positions", "nodes"]).await;
    let position =
        |row: u128, number: u64, pos: u128| put("positions", row, number, [("pos", Value::Int(pos as i64))]);
    let before: Vec<Change> = (1..61).map(|row| position(row, 1, row)).collect();
    synced.apply(&before).await;
    // In their order, and in another one.
    for (round, step) in [(1, 1), (2, 37)] {
        let mut batch = vec![position(100 + round, 1, 1)];
        let rows = (0..60).map(|at| 1 + at * step % 60);
        batch.extend(rows.map(|row| position(row, 1 + round as u64, row + round)));
        if round == 2 {
            batch.push(position(101, 2, 2));
        }
        let from = synced.statements().await;
        let answer = synced.apply(&batch).await;
        let took = synced.statements().await - from;
        let missing =
            answer.outcomes().iter().filter(|outcome| !matches!(outcome, Outcome::Applied { .. })).count();
        assert_eq!(missing, 0, "{database} {round}: {answer:?}");
        assert!(took < 700, "{database} {round}: {took}");
    }
    let node = |row: u128| {
        let parent = if row == 200 { Value::Null } else { refers(row - 1) };
        put("nodes", row, 1, [("node_id", parent)])
    };
    let before: Vec<Change> = (200..300).map(node).collect();
    synced.apply(&before).await;
    let batch: Vec<Change> = (200..300).map(|row| delete("nodes", row, 2)).collect();
    let from = synced.statements().await;
    let answer = synced.apply(&batch).await;
    let took = synced.statements().await - from;
    assert_eq!(answer.outcomes(), vec![APPLIED; 100], "{database}");
    assert!(took < 1_000, "{database}: {took}");
}

/// No row can be stored before the one to which it refers. Who waits for them waits on, as for any row that was refused.
async fn rows_that_wait_for_each_other_are_refused(database: Database) {
    let table = |name: &str, to: &str| {
        format!("CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY, {to}_id BIGINT UNSIGNED NOT NULL)")
    };
    let (schema_a, schema_b) = (table("a", "b"), table("b", "a"));
    let schema = [
        schema_a.as_str(),
        &schema_b,
        "ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id)",
        "ALTER TABLE b ADD FOREIGN KEY (a_id) REFERENCES a (id)",
    ];
    let mut synced = tables(database, &schema, &["a", "b"]).await;
    let (a, b) = (
        |row, to| put("a", row, 1, [("b_id", refers(to))]),
        |row, to| put("b", row, 1, [("a_id", refers(to))]),
    );
    let answer = synced.apply(&[a(1, 2), b(2, 1), b(3, 1), a(4, 9)]).await;
    let outcomes = answer.outcomes();
    assert!(
        outcomes[..2].iter().all(|outcome| is_refused(outcome, "2 rows wait for each other")),
        "{outcomes:?}"
    );
    assert!(outcomes[2..].iter().all(|outcome| matches!(outcome, Outcome::Waits { .. })), "{outcomes:?}");
}
