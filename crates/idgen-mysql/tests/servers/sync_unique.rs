//! Unique values of all kinds: who has them is known, and rows of one batch may exchange them.

use idgen_mysql::sync::{Change, Outcome, Value};
use idgen_server::Database;

use crate::common::{of_two, on_both};
use crate::sync::{APPLIED, id};
use crate::sync_rows::{delete, put, tables, text};

on_both!(
    the_row_that_has_a_unique_value_is_named,
    unique_values_of_all_types_are_exchanged,
    a_default_is_a_unique_value_too,
    rows_with_all_values_of_a_column_block_each_other
);

/// Columns with a unique index, two values that the index holds for equal, and another one.
fn indexes(database: Database) -> Vec<(&'static str, &'static str, [Value; 3])> {
    let documents = [r#"{"n": "it's"}"#, r#"{"m": 1, "n": "it's"}"#, r#"{"n": "x"}"#].map(text);
    let mut indexes = vec![
        (
            "trimmed",
            "v VARCHAR(40) NOT NULL, g VARCHAR(40) AS (LOWER(TRIM(v))) STORED UNIQUE",
            [" Food", "food ", "x"].map(text),
        ),
        (
            "halves",
            "v INT NOT NULL, g INT AS (v / 2) STORED UNIQUE",
            [Value::Int(4), Value::Int(3), Value::Int(9)],
        ),
        (
            "rounded_twice",
            "v INT NOT NULL, h INT AS (v / 2), g INT AS (h * 3) STORED UNIQUE",
            [Value::Int(4), Value::Int(3), Value::Int(9)],
        ),
        (
            "nested",
            "v VARCHAR(40) NOT NULL, n INT NOT NULL DEFAULT 7, w VARCHAR(50) AS (CONCAT('it''s `v` \\\\', v)), \
             g VARCHAR(60) AS (CONCAT(w, n)) STORED, UNIQUE (n, g)",
            ["One", "one", "three"].map(text),
        ),
        (
            "documents",
            "v JSON NOT NULL, g VARCHAR(20) AS (JSON_UNQUOTE(JSON_EXTRACT(v, '$.n'))) UNIQUE",
            documents.clone(),
        ),
        ("short", "v TINYINT NOT NULL UNIQUE", [Value::Int(1), text("1"), Value::Int(0)]),
        ("sets", "v SET('a', 'b') NOT NULL UNIQUE", [text("a,b"), text("b,a"), text("b")]),
        (
            "prefix",
            "v VARCHAR(40) NOT NULL, UNIQUE u (v(4))",
            [text("food-a"), text("food-b"), text("drink")],
        ),
        ("folded", "v VARCHAR(40) NOT NULL UNIQUE", [text("Straße"), text("STRASSE"), text("x")]),
        ("latin", "v VARCHAR(40) CHARACTER SET latin1 NOT NULL UNIQUE", [text("é"), text("É"), text("x")]),
        ("numbers", "v DECIMAL(10, 2) NOT NULL UNIQUE", [text("1.5"), Value::Float(1.5), Value::Int(2)]),
        ("days", "v DATE NOT NULL UNIQUE", [text("2026-01-01"), Value::Int(20_260_101), text("2026-01-02")]),
        ("bits", "v BIT(16) NOT NULL UNIQUE", [Value::Int(7), Value::UInt(7), Value::Int(8)]),
        ("years", "v YEAR NOT NULL UNIQUE", [Value::Int(2026), text("2026"), Value::Int(2027)]),
        ("kinds", "v ENUM('a', 'b', 'c', 'd') NOT NULL UNIQUE", [text("a"), text("a"), text("b")]),
        (
            "blobs",
            "v BLOB NOT NULL, UNIQUE u (v(2))",
            [Value::Bytes(vec![1, 2, 3]), Value::Bytes(vec![1, 2]), Value::Bytes(vec![2])],
        ),
    ];
    indexes.extend([
        ("floats", "v FLOAT NOT NULL UNIQUE", [Value::Float(0.1), text("0.1"), Value::Float(0.7)]),
        ("short_floats", "v FLOAT(7,2) NOT NULL UNIQUE", [Value::Float(0.1), text("0.10"), text("0.7")]),
        (
            "flags",
            "v BIT(8) NOT NULL UNIQUE",
            [Value::Bytes(vec![5]), Value::Bytes(vec![5]), Value::Bytes(vec![6])],
        ),
        ("digits", "v VARBINARY(8) NOT NULL UNIQUE", [Value::Int(5), text("5"), Value::Int(6)]),
        (
            "long_decimals",
            "v DECIMAL(30, 2) NOT NULL UNIQUE",
            [
                text("12345678901234567890.12"),
                text("+12345678901234567890.12"),
                text("12345678901234567890.13"),
            ],
        ),
    ]);
    if database == Database::MariaDb {
        let (first, other) = (id(1).to_string(), id(2).to_string());
        indexes.extend([
            ("uuids", "v UUID NOT NULL UNIQUE", [&*first, &*first.to_uppercase(), &*other].map(text)),
            ("addresses", "v INET6 NOT NULL UNIQUE", ["::1", "0:0::1", "::2"].map(text)),
        ]);
    }
    if database == Database::MySql {
        indexes.extend([
            ("folds", "v VARCHAR(40) NOT NULL, UNIQUE u ((LOWER(v)))", ["É", "é", "x"].map(text)),
            (
                "two_expressions",
                "v INT NOT NULL, UNIQUE u ((ABS(v)), (CONCAT('\\'', ABS(v))))",
                [Value::Int(2), Value::Int(-2), Value::Int(5)],
            ),
            (
                "members",
                "v JSON NOT NULL, UNIQUE u ((CAST(v->>'$.n' AS CHAR(20)) COLLATE utf8mb4_bin))",
                documents,
            ),
            (
                "tags",
                "v JSON NOT NULL, UNIQUE u ((CAST(v->'$[*]' AS CHAR(20) ARRAY)))",
                [r#"["a", "b"]"#, r#"["b", "c"]"#, r#"["x"]"#].map(text),
            ),
        ]);
    }
    indexes
}

async fn the_row_that_has_a_unique_value_is_named(database: Database) {
    let indexes = indexes(database);
    let schema: Vec<String> = indexes
        .iter()
        .map(|(name, columns, _)| {
            let collation = of_two(database, "utf8mb4_0900_ai_ci", "utf8mb4_unicode_ci");
            format!("CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY, {columns}) COLLATE {collation}")
        })
        .collect();
    let names: Vec<&str> = indexes.iter().map(|(name, ..)| *name).collect();
    let mut synced = tables(database, &schema, &names).await;
    let mut wrong = Vec::new();
    for (at, (name, _, [first, equal, other])) in indexes.iter().enumerate() {
        let row = |place: u128, number: u64, value: &Value| {
            put(name, 10 * at as u128 + place, number, [("v", value.clone())])
        };
        let mut expect = |what: &str, outcome: &Outcome| {
            let by = id(10 * at as u128 + 1);
            if !matches!(outcome, Outcome::Blocked { row, number: 1, .. } if *row == by) {
                wrong.push(format!("{name}, {what}: {outcome:?}"));
            }
        };
        let answer = synced.apply(&[row(1, 1, first), row(2, 1, other)]).await;
        assert_eq!(answer.outcomes(), [APPLIED, APPLIED], "{database} {name}");
        expect("a new row", &synced.apply(&[row(3, 1, equal)]).await.outcomes()[0]);
        expect("a row that is there", &synced.apply(&[row(2, 2, equal)]).await.outcomes()[0]);
        // The device then sends both changes together.
        let both = [row(2, 2, equal), row(1, 2, other)];
        let answer = synced.apply(&both).await;
        if answer.outcomes() != [APPLIED, APPLIED] {
            wrong.push(format!("{name}, exchanged: {:?}", answer.outcomes()));
        }
    }
    assert!(wrong.is_empty(), "{database}:\n{}", wrong.join("\n"));
}

async fn unique_values_of_all_types_are_exchanged(database: Database) {
    let schema = "CREATE TABLE t (id BIGINT UNSIGNED PRIMARY KEY, n DECIMAL(6, 2) NULL UNIQUE, day DATE NOT NULL UNIQUE, \
                  at DATETIME(6) NOT NULL UNIQUE, span TIME NOT NULL UNIQUE, b BINARY(16) NOT NULL UNIQUE, \
                  vb VARBINARY(16) NOT NULL UNIQUE, short VARCHAR(2) NULL UNIQUE)";
    let mut synced = tables(database, &[schema], &["t"]).await;
    let row = |row: u128, number: u64, values: i64| -> Change {
        put(
            "t",
            row,
            number,
            [
                ("n", Value::Int(values)),
                ("day", text(&format!("2026-01-0{values}"))),
                ("at", text(&format!("2026-01-01 10:00:0{values}"))),
                ("span", text(&format!("10:00:0{values}"))),
                ("b", Value::Bytes(vec![values as u8; 16])),
                ("vb", Value::Bytes(vec![values as u8; 16])),
                ("short", text(&values.to_string())),
            ],
        )
    };
    synced.apply(&[row(1, 1, 1), row(2, 1, 2), row(3, 1, 3)]).await;
    let answer = synced.apply(&[row(1, 2, 2), row(2, 2, 1)]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED], "{database}");
    let answer = synced.apply(&[row(1, 3, 3), row(2, 3, 2), row(3, 2, 1)]).await;
    assert_eq!(answer.outcomes(), [APPLIED; 3], "{database}");
    assert_eq!(synced.count("t WHERE n = DAY(day) AND n = SECOND(at) AND n = short").await, 3);
}

async fn a_default_is_a_unique_value_too(database: Database) {
    let schema = "CREATE TABLE places (id BIGINT UNSIGNED PRIMARY KEY, name VARCHAR(20) NOT NULL, kind INT NOT NULL DEFAULT 5, \
                  UNIQUE (name, kind))";
    let mut synced = tables(database, &[schema], &["places"]).await;
    let place = |row: u128, number: u64, name: &str| put("places", row, number, [("name", text(name))]);
    synced.apply(&[place(1, 1, "a"), place(2, 1, "b")]).await;
    for change in [place(3, 1, "a"), place(2, 2, "a")] {
        let answer = synced.apply(&[change]).await;
        let outcome = &answer.outcomes()[0];
        assert!(
            matches!(outcome, Outcome::Blocked { row, number: 1, .. } if *row == id(1)),
            "{database}: {outcome:?}"
        );
    }
    let answer = synced.apply(&[place(3, 1, "a"), delete("places", 1, 2)]).await;
    assert_eq!(answer.outcomes(), [APPLIED, APPLIED], "{database}");
}

async fn rows_with_all_values_of_a_column_block_each_other(database: Database) {
    let schema = "CREATE TABLE sides (id BIGINT UNSIGNED PRIMARY KEY, v ENUM('a', 'b') NOT NULL UNIQUE)";
    let mut synced = tables(database, &[schema], &["sides"]).await;
    let side = |row: u128, number: u64, v: &str| put("sides", row, number, [("v", text(v))]);
    synced.apply(&[side(1, 1, "a"), side(2, 1, "b")]).await;
    let answer = synced.apply(&[side(1, 2, "b"), side(2, 2, "a")]).await;
    for (outcome, by) in answer.outcomes().iter().zip([id(2), id(1)]) {
        assert!(
            matches!(outcome, Outcome::Blocked { row, number: 1, .. } if *row == by),
            "{database}: {outcome:?}"
        );
    }
    assert_eq!(synced.count("sides").await, 2);
}
