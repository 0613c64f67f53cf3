//! Tables and rows that are a little out of the ordinary: each change has its outcome, whatever stands beside it.

use idgen_mysql::sync::{Outcome, Value};
use idgen_server::Database;

use crate::common::on_both;
use crate::sync::{APPLIED, id};
use crate::sync_rows::{LISTS, delete, is_refused, put, refers, tables, text};

on_both!(
    columns_with_defaults_can_be_set,
    a_column_that_a_trigger_fills_may_be_left_out,
    signals_of_triggers_belong_to_their_rows,
    a_trigger_may_need_a_table_of_another_schema,
    values_that_would_be_cut_off_are_refused,
    rows_that_a_cascade_has_deleted_do_not_arrive,
    references_in_circles_are_set,
    a_row_that_refers_to_itself_is_deleted,
    names_may_be_reserved_words
);

async fn columns_with_defaults_can_be_set(database: Database) {
    let schema = "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, at TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, \
                  tag VARCHAR(20) NOT NULL DEFAULT (CONCAT('t', 1)), n INT NOT NULL DEFAULT 3, kind ENUM('a', 'b') NOT NULL, \
                  double_n INT AS (2 * n) STORED)";
    let mut synced = tables(database, &[schema], &["notes"]).await;
    let kind = || ("kind", text("b"));
    let batch = [
        put(
            "notes",
            1,
            1,
            [("at", text("2026-01-01 10:00:00")), ("tag", text("mine")), ("n", Value::Int(4)), kind()],
        ),
        put("notes", 2, 1, [kind()]),
        put("notes", 3, 1, [("tag", text("mine")), kind()]),
        put("notes", 4, 1, [("double_n", Value::Int(4)), kind()]),
    ];
    let answer = synced.apply(&batch).await;
    assert_eq!(answer.outcomes()[..3], [APPLIED, APPLIED, APPLIED]);
    assert!(is_refused(&answer.outcomes()[3], "double_n"), "{answer:?}");
    let stored = "notes WHERE (at = '2026-01-01 10:00:00' AND tag = 'mine' AND n = 4) OR (tag = 't1' AND n = 3) OR tag = 'mine'";
    assert_eq!(synced.count(stored).await, 3);
}

/// The value of a column that a change does not name does not depend on the changes beside it.
async fn a_column_that_a_trigger_fills_may_be_left_out(database: Database) {
    let schema = [
        "CREATE TABLE filled (id BIGINT UNSIGNED PRIMARY KEY, title VARCHAR(20) NOT NULL, slug VARCHAR(20) NOT NULL, \
         kind ENUM('a', 'b') NOT NULL, r INT NULL)",
        "CREATE TRIGGER fill BEFORE INSERT ON filled FOR EACH ROW BEGIN IF NEW.slug IS NULL OR NEW.slug = '' THEN \
         SET NEW.slug = CONCAT('of-', NEW.title); END IF; END",
    ];
    let mut synced = tables(database, &schema, &["filled"]).await;
    let short = |row, title: &str| put("filled", row, 1, [("title", text(title))]);
    let long =
        |row| put("filled", row, 1, [("title", text("x")), ("slug", text("own")), ("kind", text("b"))]);
    let alone = synced.apply(&[short(1, "a")]).await.outcomes()[0].clone();
    let answer = synced.apply(&[short(2, "b"), long(3), short(4, "c")]).await;
    let same = |outcome: &Outcome| match (&alone, outcome) {
        (Outcome::Refused(_), Outcome::Refused(_)) => true,
        (alone, outcome) => alone == outcome,
    };
    assert!(same(&answer.outcomes()[0]) && same(&answer.outcomes()[2]), "{database}: {alone:?}, {answer:?}");
    assert_eq!(answer.outcomes()[1], APPLIED);
}

async fn signals_of_triggers_belong_to_their_rows(database: Database) {
    let mut schema = vec![LISTS.to_owned()];
    // Numbers, too, which a trigger may take from the server: a deadlock's, that of a wait for a lock, and its own.
    let states = [
        ("40001", 0),
        ("08S01", 0),
        ("02000", 0),
        ("22012", 0),
        ("70100", 0),
        ("HY000", 0),
        ("40001", 1213),
        ("40001", 1205),
        ("40000", 30_001),
        ("08S01", 30_001),
        ("45000", 1213),
    ];
    for (state, number) in states {
        let table = format!("t{state}_{number}");
        let number_set = if number == 0 { String::new() } else { format!(", MYSQL_ERRNO = {number}") };
        schema.push(format!("CREATE TABLE {table} (id BIGINT UNSIGNED PRIMARY KEY, a INT NOT NULL)"));
        for time in ["INSERT", "UPDATE"] {
            schema.push(format!(
                "CREATE TRIGGER {time}_{table} BEFORE {time} ON {table} FOR EACH ROW BEGIN IF NEW.a = 0 THEN \
                 SIGNAL SQLSTATE '{state}' SET MESSAGE_TEXT = 'not zero'{number_set}; END IF; END"
            ));
        }
    }
    let names: Vec<String> = states.iter().map(|(state, number)| format!("t{state}_{number}")).collect();
    let all: Vec<&str> = names.iter().map(String::as_str).chain(["lists"]).collect();
    let mut synced = tables(database, &schema, &all).await;
    for (at, name) in names.iter().enumerate() {
        let row = |row: u128| 100 * (at as u128 + 1) + row;
        let a = |place: u128, number: u64, a: i64| put(name, row(place), number, [("a", Value::Int(a))]);
        let list = |place: u128| put("lists", row(place), 1, [("title", text("l"))]);
        let batch = [list(1), a(2, 1, 0), list(3), a(4, 1, 1)];
        let answer = synced.apply(&batch).await;
        assert!(is_refused(&answer.outcomes()[1], "not zero"), "{name}: {answer:?}");
        assert_eq!(
            [&answer.outcomes()[0], &answer.outcomes()[2], &answer.outcomes()[3]],
            [&APPLIED; 3],
            "{name}"
        );
        let answer = synced.apply(&[a(4, 2, 0), list(5)]).await;
        assert!(is_refused(&answer.outcomes()[0], "not zero"), "{name}: {answer:?}");
        assert_eq!(answer.outcomes()[1], APPLIED, "{name}");
    }
}

/// Its error names a table of the same name, which is not the sync's.
async fn a_trigger_may_need_a_table_of_another_schema(database: Database) {
    let trigger = "CREATE TRIGGER archive BEFORE INSERT ON lists FOR EACH ROW BEGIN IF NEW.title = 'bad' THEN \
                   INSERT INTO mysql.lists VALUES (1); END IF; END";
    let mut synced = tables(database, &[LISTS, trigger], &["lists"]).await;
    let list = |row, title| put("lists", row, 1, [("title", text(title))]);
    let answer = synced.apply(&[list(1, "a"), list(2, "bad"), list(3, "b")]).await;
    assert!(is_refused(&answer.outcomes()[1], "mysql.lists"), "{database}: {answer:?}");
    assert_eq!([&answer.outcomes()[0], &answer.outcomes()[2]], [&APPLIED; 2], "{database}");
}

async fn values_that_would_be_cut_off_are_refused(database: Database) {
    let schema = "CREATE TABLE kept (id BIGINT UNSIGNED PRIMARY KEY, v VARCHAR(3) NULL, c CHAR(3) NULL, t TINYTEXT NULL, \
                  span TIME NULL, at DATETIME(3) NULL, w BIT(64) NULL, s SET('a', 'b') NULL, e ENUM('', 'a') NULL, \
                  y YEAR NULL, n DECIMAL(5, 2) NULL, stamp TIMESTAMP NULL, day DATE NULL, \
                  l VARCHAR(4) CHARACTER SET latin1 NULL, wide VARCHAR(24) NULL)";
    let mut synced = tables(database, &[schema], &["kept"]).await;
    let bytes = |bytes: &[u8]| Value::Bytes(bytes.to_vec());
    let blanks = vec![b' '; 256];
    let cases = [
        ("v", bytes(b"x  "), bytes(b"x   ")),
        ("c", bytes(b"xyz"), bytes(b"x ")),
        ("t", bytes(&blanks[..255]), bytes(&blanks)),
        ("span", text("25:00:00"), text("2026-01-01 10:00:00")),
        ("span", text("-1:00:00"), text("900:00:00")),
        ("at", text("2026-01-01T10:00:00.123"), text("2026-01-01 10:00:00+02:00")),
        ("at", Value::Int(20_260_101_100_000), text("2026-01-01 25:00:00")),
        ("w", Value::UInt(u64::MAX), Value::Int(-1)),
        ("s", text("b,a"), text("c")),
        ("e", text(""), text("b")),
        ("y", Value::Int(2155), Value::Int(2156)),
        ("y", text("1901"), text("1900")),
        ("n", text("-999.99"), text("1000")),
        ("stamp", text("2037-12-31 00:00:00"), text("9999-12-31 00:00:00")),
        ("stamp", text("1970-01-02 00:00:01"), text("1960-01-01 00:00:00")),
        ("at", text("9999-12-31 23:59:59.999"), text("2026-02-30 00:00:00")),
        ("at", text("20260101101112"), text("10:11:12")),
        ("at", Value::Int(20_260_101), Value::Int(260_101_101_112)),
        ("stamp", text("2026-01-02"), text("10:11:12")),
        ("day", text("2026-1-31"), text("26-01-31")),
        ("day", text("2026/01/31"), text("10:11:12")),
        ("day", Value::Int(20_260_131), Value::Int(101)),
        ("y", text("2026"), text("2026.7")),
        ("y", text("1999"), text("26.00")),
        ("s", text("a"), text("a,a")),
        ("v", text("3.1"), Value::Float(3.25159)),
        (
            "wide",
            Value::Float(-2.225_073_858_507_201_4e-308),
            Value::Bytes(b"\xe9                        ".to_vec()),
        ),
        ("l", bytes(b"\xe9bc "), bytes(b"\xe9bcd ")),
    ];
    for (at, (column, good, bad)) in cases.iter().enumerate() {
        let row = 10 * at as u128;
        let [good, bad] = [(row + 1, good), (row + 2, bad)]
            .map(|(row, value)| put("kept", row, 1, [(*column, value.clone())]));
        let answer = synced.apply(&[good.clone(), bad.clone()]).await;
        assert_eq!(answer.outcomes()[0], APPLIED, "{database}: {good:?}");
        assert!(matches!(&answer.outcomes()[1], Outcome::Refused(_)), "{database}: {bad:?}: {answer:?}");
    }
}

/// A row that the schema deletes with another one is gone: changes that refer to it are not answered with a wait for
/// it.
async fn rows_that_a_cascade_has_deleted_do_not_arrive(database: Database) {
    let schema = [
        LISTS,
        "CREATE TABLE items (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NOT NULL, \
         FOREIGN KEY (list_id) REFERENCES lists (id) ON DELETE CASCADE)",
        "CREATE TABLE marks (id BIGINT UNSIGNED PRIMARY KEY, item_id BIGINT UNSIGNED NOT NULL, \
         FOREIGN KEY (item_id) REFERENCES items (id) ON DELETE CASCADE)",
        "CREATE TABLE stars (id BIGINT UNSIGNED PRIMARY KEY, mark_id BIGINT UNSIGNED NOT NULL, \
         FOREIGN KEY (mark_id) REFERENCES marks (id))",
    ];
    let list = put("lists", 1, 1, [("title", text("l"))]);
    let item = put("items", 2, 1, [("list_id", refers(1))]);
    let mark = put("marks", 3, 1, [("item_id", refers(2))]);
    let late = put("marks", 4, 1, [("item_id", refers(2))]);
    let star = put("stars", 5, 1, [("mark_id", refers(3))]);
    let gone = delete("lists", 1, 2);
    for cut in [vec![3, 4], vec![3], vec![1, 2, 3, 4, 5], vec![2, 3, 5]] {
        let mut synced = tables(database, &schema, &["lists", "items", "marks", "stars"]).await;
        let all = [list.clone(), item.clone(), mark.clone(), gone.clone(), late.clone(), star.clone()];
        let (mut outcomes, mut from) = (Vec::new(), 0);
        for to in cut.iter().copied().chain([all.len()]) {
            if from < to {
                outcomes.extend(synced.apply(&all[from..to]).await.outcomes().to_vec());
            }
            from = to;
        }
        assert_eq!(outcomes[3], APPLIED, "{database} {cut:?}: {outcomes:?}");
        // Sent again, as a device does with what waits: the outcome is final.
        let again = synced.apply(&[late.clone(), star.clone()]).await;
        for outcome in again.outcomes() {
            assert!(matches!(outcome, Outcome::Blocked { .. }), "{database} {cut:?}: {outcome:?}");
        }
        assert_eq!(synced.number("SELECT COUNT(*) FROM lists, items, marks, stars").await, Ok(0));
    }
}

async fn references_in_circles_are_set(database: Database) {
    let schema = [
        "CREATE TABLE a (id BIGINT UNSIGNED PRIMARY KEY, b_id BIGINT UNSIGNED NULL)",
        "CREATE TABLE b (id BIGINT UNSIGNED PRIMARY KEY, a_id BIGINT UNSIGNED NOT NULL, FOREIGN KEY (a_id) REFERENCES a (id))",
        "ALTER TABLE a ADD FOREIGN KEY (b_id) REFERENCES b (id)",
        "CREATE TABLE own (id BIGINT UNSIGNED PRIMARY KEY, own_id BIGINT UNSIGNED NOT NULL, FOREIGN KEY (own_id) REFERENCES own (id))",
    ];
    let batch = [
        put("b", 2, 1, [("a_id", refers(1))]),
        put("a", 1, 1, [("b_id", refers(2))]),
        put("own", 5, 1, [("own_id", refers(4))]),
        put("own", 4, 1, [("own_id", refers(4))]),
    ];
    for size in 1..=batch.len() {
        let mut synced = tables(database, &schema, &["b", "a", "own"]).await;
        for _ in 0..2 {
            for part in batch.chunks(size) {
                synced.apply(part).await;
            }
        }
        let set = "SELECT COUNT(*) FROM a JOIN b ON b.a_id = a.id AND a.b_id = b.id";
        assert_eq!(synced.number(set).await, Ok(1), "{database}, batches of {size}");
        assert_eq!(synced.count("own").await, 2);
        // Deleted together, in any order.
        for change in [delete("a", 1, 2), delete("b", 2, 2)] {
            synced.apply(&[change]).await;
        }
        let answer = synced.apply(&[delete("a", 1, 2), delete("b", 2, 2)]).await;
        assert!(
            answer.outcomes().iter().all(|outcome| matches!(outcome, Outcome::Applied { .. })),
            "{answer:?}"
        );
    }
}

/// InnoDB refuses the deletion of such a row.
async fn a_row_that_refers_to_itself_is_deleted(database: Database) {
    let schema = [
        "CREATE TABLE own (id BIGINT UNSIGNED PRIMARY KEY, own_id BIGINT UNSIGNED NULL, FOREIGN KEY (own_id) REFERENCES own (id))",
        "CREATE TABLE roots (id BIGINT UNSIGNED PRIMARY KEY, root_id BIGINT UNSIGNED NOT NULL, \
         FOREIGN KEY (root_id) REFERENCES roots (id))",
    ];
    let mut synced = tables(database, &schema, &["own", "roots"]).await;
    let row = |row: u128, to: u128| put("roots", row, 1, [("root_id", refers(to))]);
    let batch =
        [put("own", 1, 1, [("own_id", refers(1))]), row(2, 2), row(3, 3), row(4, 4), row(5, 4), row(6, 2)];
    assert_eq!(synced.apply(&batch).await.outcomes(), [APPLIED; 6], "{database}");
    let answer = synced.apply(&[delete("own", 1, 2), delete("roots", 3, 2)]).await;
    assert_eq!(answer.outcomes(), [APPLIED; 2], "{database}");
    // Each of two, one of which another row refers to.
    let answer = synced.apply(&[delete("roots", 2, 2), delete("roots", 4, 2)]).await;
    assert!(
        answer.outcomes().iter().all(|outcome| matches!(outcome, Outcome::Blocked { .. })),
        "{database}: {answer:?}"
    );
    let both = [delete("roots", 4, 2), delete("roots", 5, 2)];
    assert_eq!(synced.apply(&both).await.outcomes(), [APPLIED; 2], "{database}");
    let left = "SELECT COUNT(*) FROM roots WHERE root_id IN (SELECT id FROM roots WHERE root_id = id)";
    assert_eq!(synced.number(left).await, Ok(2), "{database}");
    assert_eq!(synced.count("own").await, 0, "{database}");
}

async fn names_may_be_reserved_words(database: Database) {
    let schema = [
        "CREATE TABLE `order` (`key` BIGINT UNSIGNED PRIMARY KEY, `group` VARCHAR(20) NOT NULL UNIQUE, `select` INT NULL)",
        "CREATE TABLE `table` (`where` BIGINT UNSIGNED PRIMARY KEY, `from` BIGINT UNSIGNED NULL, `index` INT NULL UNIQUE, \
         FOREIGN KEY (`from`) REFERENCES `order` (`key`) ON DELETE SET NULL)",
    ];
    let mut synced = tables(database, &schema, &["order", "table"]).await;
    let row = |row: u128, number: u64, index: i64| {
        put("table", row, number, [("from", refers(1)), ("index", Value::Int(index))])
    };
    synced.apply(&[row(2, 1, 7), row(3, 1, 8)]).await;
    let group = |row: u128, number: u64, group: &str| {
        put("order", row, number, [("group", text(group)), ("select", Value::Int(1))])
    };
    let answer = synced.apply(&[group(1, 1, "a"), row(2, 2, 8), row(3, 2, 7)]).await;
    assert_eq!(answer.outcomes(), vec![APPLIED; 3]);
    let answer = synced.apply(&[group(4, 1, "a")]).await;
    assert!(matches!(&answer.outcomes()[0], Outcome::Blocked { row, .. } if *row == id(1)), "{answer:?}");
    assert_eq!(synced.count("`table` WHERE `from` IS NOT NULL").await, 2);
    assert_eq!(synced.apply(&[delete("order", 1, 2)]).await.outcomes(), [APPLIED]);
    assert_eq!(synced.open().await.len(), 2);
    assert_eq!(synced.map.check().await.unwrap(), []);
}
