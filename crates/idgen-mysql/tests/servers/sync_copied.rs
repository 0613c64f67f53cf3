//! Devices that were restored or copied, and rows that were deleted and made again.

use idgen_mysql::sync::{Change, KnownChanges, Operation, Outcome, Value};
use idgen_server::Database;

use crate::common::on_both;
use crate::sync::{APPLIED, id};
use crate::sync_rows::{LISTS, delete, put, refers, tables, text};

on_both!(
    a_copy_overwrites_nothing_unseen,
    a_number_of_two_copies_is_told_apart,
    a_row_made_again_has_no_values_from_before,
    a_row_made_again_is_compared_by_its_defaults,
    a_signed_key_is_read
);

/// A device knows the numbers that it has sent. A copy of it does not know those of the original.
async fn a_copy_overwrites_nothing_unseen(database: Database) {
    let mut synced = tables(database, &[LISTS], &["lists"]).await;
    let list = |number, known: Option<u64>, title: &str| Change {
        known: known.map(KnownChanges::from),
        ..put("lists", 1, number, [("title", text(title))])
    };
    for (change, outcome, title) in [
        (list(1, Some(0), "a"), APPLIED, "a"),
        (list(2, Some(1), "b"), APPLIED, "b"),
        // Restored from a backup that has the number 1, and changed twice.
        (list(3, Some(1), "of the copy"), Outcome::Older { newest: 2 }, "b"),
        (Change { known: Some(1.into()), ..delete("lists", 1, 7) }, Outcome::Older { newest: 2 }, "b"),
        // The answer to the number 3 was lost, and the row was changed again.
        (list(3, Some(2), "c"), APPLIED, "c"),
        (list(4, Some(3), "d"), APPLIED, "d"),
        // The server was restored: it has less than the device knows.
        (list(9, Some(8), "e"), APPLIED, "e"),
        // Another one has used the number that this one gives out.
        (list(9, Some(8), "of the copy"), Outcome::Older { newest: 9 }, "e"),
        // A sender that keeps no such number.
        (list(10, None, "f"), APPLIED, "f"),
    ] {
        let told = format!("{database}: {change:?}");
        assert_eq!(synced.apply(&[change]).await.outcomes(), [outcome], "{told}");
        assert_eq!(synced.count(&format!("lists WHERE title = '{title}'")).await, 1, "{told}");
    }
    // In one batch, each knows the one before.
    let batch = [list(12, Some(11), "h"), list(11, Some(10), "g")];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED, Outcome::Older { newest: 12 }]);
}

/// Two copies of a device give out the same number, and the answer that says so to one of them is lost.
async fn a_number_of_two_copies_is_told_apart(database: Database) {
    let mut synced = tables(database, &[LISTS], &["lists"]).await;
    let list = |number, known: &str, title: &str| Change {
        known: Some(known.parse().unwrap()),
        ..put("lists", 1, number, [("title", text(title))])
    };
    let (a, b, c, d) =
        ("1:000000000000000a", "2:000000000000000b", "2:000000000000000c", "3:000000000000000d");
    let older = Outcome::Older { newest: 2 };
    for (change, outcome, title) in [
        (list(1, &format!("0 0:0 {a}"), "a"), APPLIED, "a"),
        (list(2, &format!("1 {a} {b}"), "b"), APPLIED, "b"),
        // Sent again: its answer was lost.
        (list(2, &format!("2 {a} {b}"), "b"), Outcome::Applied { repeated: true }, "b"),
        (list(2, &format!("1 {a} {c}"), "of the copy"), older.clone(), "b"),
        (list(2, &format!("2 {a} {c}"), "of the copy"), older.clone(), "b"),
        (list(3, &format!("2 {a} {c} {d}"), "of the copy"), older.clone(), "b"),
        (
            Change { known: Some(format!("2 {a} {c} {d}").parse().unwrap()), ..delete("lists", 1, 3) },
            older,
            "b",
        ),
        (list(3, &format!("2 {a} {b} {d}"), "c"), APPLIED, "c"),
        // After the answer that the server has another change, its user decides.
        (list(4, "3 4:000000000000000e", "d"), APPLIED, "d"),
        // The server was restored: it has less than the device knows.
        (list(9, "8 7:000000000000000e 8:000000000000000f 9:000000000000000a", "e"), APPLIED, "e"),
    ] {
        let told = format!("{database}: {change:?}");
        assert_eq!(synced.apply(&[change]).await.outcomes(), [outcome], "{told}");
        assert_eq!(synced.count(&format!("lists WHERE title = '{title}'")).await, 1, "{told}");
    }
    // A deletion has a mark, too, and is remembered.
    let delete = Change {
        known: Some("9 9:000000000000000a 10:000000000000000b".parse().unwrap()),
        ..delete("lists", 1, 10)
    };
    assert_eq!(synced.apply(&[delete]).await.outcomes(), [APPLIED], "{database}");
    let again = list(11, "10 10:000000000000000c 11:000000000000000d", "of the copy");
    let answer = synced.apply(&[again]).await;
    assert_eq!(answer.outcomes(), [Outcome::Older { newest: 10 }], "{database}");
}

/// The result does not depend on whether the deletion was sent.
async fn a_row_made_again_has_no_values_from_before(database: Database) {
    let items = "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL, note TEXT NULL, \
        list_id BIGINT UNSIGNED NULL, rank INT NOT NULL DEFAULT 7, twice INT AS (rank * 2) STORED, \
        FOREIGN KEY (list_id) REFERENCES lists (id))";
    let items = items.replace("rank", "place");
    let mut synced = tables(database, &[LISTS, &items], &["lists", "items"]).await;
    synced.run("SET SESSION sql_mode = 'STRICT_ALL_TABLES'").await;
    synced.apply(&[put("lists", 1, 1, [("title", text("l"))])]).await;
    let full = |row, list| {
        let values = [
            ("title", text("a")),
            ("note", text("secret")),
            ("list_id", refers(list)),
            ("place", Value::Int(1)),
        ];
        put("items", row, 1, values)
    };
    let again = |row| Change::replace("items", id(row), 3, [("title", text("b"))]);
    // Without the deletion, with it, in one batch, and a row whose reference was open.
    let cuts: [Vec<Vec<Change>>; 5] = [
        vec![vec![full(11, 1)], vec![again(11)]],
        vec![vec![full(12, 1)], vec![delete("items", 12, 2)], vec![again(12)]],
        vec![vec![full(13, 1), delete("items", 13, 2), again(13)]],
        vec![vec![full(14, 2)], vec![again(14)]],
        vec![vec![again(15)]],
    ];
    for cut in &cuts {
        for batch in cut {
            let answer = synced.apply(batch).await;
            let last = batch.iter().position(|change| change.operation == Operation::Replace);
            assert!(last.is_none_or(|at| answer.outcomes()[at] == APPLIED), "{database}: {answer:?}");
        }
    }
    synced.apply(&[put("lists", 2, 1, [("title", text("later"))])]).await;
    let as_new = "items WHERE title = 'b' AND note IS NULL AND list_id IS NULL AND place = 7 AND twice = 14";
    assert_eq!(synced.count(as_new).await, cuts.len() as i64, "{database}");
    // A column without a default keeps its value where the row is, and is missed where it is not.
    let none = |row| Change::replace("items", id(row), 4, [("note", text("n"))]);
    let answer = synced.apply(&[none(11), none(16)]).await;
    assert_eq!(answer.outcomes()[0], APPLIED, "{database}");
    assert!(matches!(&answer.outcomes()[1], Outcome::Refused(said) if said.contains("title")), "{answer:?}");
    assert_eq!(synced.count("items WHERE note = 'n' AND title = 'b'").await, 1, "{database}");
}

/// Which row is in the way is decided by the values that the row gets.
async fn a_row_made_again_is_compared_by_its_defaults(database: Database) {
    let pairs = "CREATE TABLE pairs (id BIGINT UNSIGNED PRIMARY KEY, a INT NOT NULL, b INT NOT NULL DEFAULT 0, \
        made INT NOT NULL DEFAULT (1 + 2), UNIQUE KEY ab (a, b))";
    let mut synced = tables(database, &[pairs], &["pairs"]).await;
    let pair = |row, a, b| {
        put("pairs", row, 1, [("a", Value::Int(a)), ("b", Value::Int(b)), ("made", Value::Int(9))])
    };
    let batch = [pair(1, 5, 7), pair(2, 1, 0), pair(3, 1, 7)];
    synced.apply(&batch).await;
    let again = |a| Change::replace("pairs", id(1), 2, [("a", Value::Int(a))]);
    let answer = synced.apply(&[again(1)]).await;
    let by = |outcome: &Outcome| matches!(outcome, Outcome::Blocked { row, .. } if *row == id(2));
    assert!(by(&answer.outcomes()[0]), "{database}: {answer:?}");
    assert_eq!(synced.apply(&[again(2)]).await.outcomes(), [APPLIED], "{database}");
    assert_eq!(synced.count("pairs WHERE a = 2 AND b = 0 AND made = 3").await, 1, "{database}");
}

/// The map's integers fit into a signed column as well.
async fn a_signed_key_is_read(database: Database) {
    let (lists, items) = (
        "CREATE TABLE lists (id BIGINT PRIMARY KEY, title VARCHAR(20) NOT NULL UNIQUE)",
        "CREATE TABLE items (id BIGINT PRIMARY KEY, list_id BIGINT NOT NULL, FOREIGN KEY (list_id) REFERENCES lists (id))",
    );
    let mut synced = tables(database, &[lists, items], &["lists", "items"]).await;
    let list = |row, number, title: &str| put("lists", row, number, [("title", text(title))]);
    let item = put("items", 5, 1, [("list_id", refers(1))]);
    let batch = [list(1, 1, "a"), list(2, 1, "b"), item];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED; 3], "{database}");
    let batch = [list(1, 2, "b"), list(2, 2, "a")];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED; 2], "{database}");
    let answer = synced.apply(&[delete("lists", 1, 3), list(3, 1, "a")]).await;
    assert!(
        answer.outcomes().iter().all(|one| matches!(one, Outcome::Blocked { .. })),
        "{database}: {answer:?}"
    );
}
