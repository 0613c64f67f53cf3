//! JSON documents, functional indexes and vectors of MySQL: what they refuse belongs to one row.

use idgen_mysql::sync::Value;
use idgen_server::Database;

use crate::sync::APPLIED;
use crate::sync_rows::{LISTS, is_refused, put, tables, text};

/// A table, its second column, a value that the table takes, and those that it refuses with these numbers.
type Case = (&'static str, &'static str, Value, Vec<(Value, &'static str)>);

fn cases() -> Vec<Case> {
    let deep = |open: &str, close: &str| text(&format!("{}1{}", open.repeat(101), close.repeat(101)));
    vec![
        ("deep", "v JSON", text("[[1]]"), vec![(deep("[", "]"), "3157"), (deep("{\"a\":", "}"), "3157")]),
        (
            "cut",
            "v JSON, INDEX f ((CAST(v->>'$.n' AS CHAR(3))))",
            text("{\"n\": \"abc\"}"),
            vec![(text("{\"n\": \"abcd\"}"), "3751")],
        ),
        (
            "dated",
            "v VARCHAR(20), INDEX f ((CAST(v AS DATE)))",
            text("2026-01-01"),
            vec![(text("x"), "3751")],
        ),
        (
            "numbers",
            "v JSON, INDEX f ((CAST(v->'$.n' AS UNSIGNED ARRAY)))",
            text("{\"n\": [1, 2]}"),
            vec![
                (text("{\"n\": [\"x\"]}"), "3903"),
                (text("{\"n\": [null]}"), "3903"),
                (text("{\"n\": [-1]}"), "3752"),
                (text("{\"n\": [[1]]}"), "3908"),
            ],
        ),
        (
            "words",
            "v JSON, INDEX f ((CAST(v->'$.n' AS CHAR(3) ARRAY)))",
            text("{\"n\": [\"abc\"]}"),
            vec![(text("{\"n\": [\"abcd\"]}"), "3907")],
        ),
        (
            "vectors",
            "v VECTOR(2)",
            Value::Bytes(vec![0, 0, 128, 63, 0, 0, 128, 63]),
            vec![
                (Value::Bytes(vec![0, 0, 128, 63, 0]), "6136"),
                (Value::Bytes(vec![0, 0, 128, 127, 0, 0, 128, 63]), "6136"),
                (text("abc"), "6136"),
                (Value::Int(7), "6136"),
                (Value::Bytes(vec![0; 12]), "1406"),
            ],
        ),
    ]
}

#[tokio::test(flavor = "multi_thread")]
async fn mysql_refuses_documents_and_vectors_row_by_row() {
    let database = Database::MySql;
    let cases = cases();
    let mut schema = vec![LISTS.to_owned()];
    schema.extend(cases.iter().map(|(name, columns, ..)| {
        format!("CREATE TABLE {name} (id BIGINT UNSIGNED PRIMARY KEY, {columns})")
    }));
    let names: Vec<&str> = cases.iter().map(|(name, ..)| *name).chain(["lists"]).collect();
    let mut synced = tables(database, &schema, &names).await;
    let mut row = 0;
    for (name, _, good, refused) in &cases {
        for (bad, words) in refused {
            row += 10;
            let list = |place: u128| put("lists", row + place, 1, [("title", text("l"))]);
            let value = |place: u128, number: u64, value: &Value| {
                put(name, row + place, number, [("v", value.clone())])
            };
            let answer = synced.apply(&[list(1), value(2, 1, bad), list(3), value(4, 1, good)]).await;
            let outcomes = answer.outcomes();
            assert!(is_refused(&outcomes[1], words), "{name} {bad:?}: {outcomes:?}");
            assert_eq!([&outcomes[0], &outcomes[2], &outcomes[3]], [&APPLIED; 3], "{name} {bad:?}");
            // An update, and the corrected row.
            let answer = synced.apply(&[value(4, 2, bad), list(5), value(2, 2, good)]).await;
            let outcomes = answer.outcomes();
            assert!(is_refused(&outcomes[0], words), "{name} {bad:?}: {outcomes:?}");
            assert_eq!(outcomes[1..], [APPLIED, APPLIED], "{name} {bad:?}");
        }
        assert_eq!(synced.count(name).await, 2 * refused.len() as i64, "{name}");
    }
    assert_eq!(synced.map.check().await.unwrap(), []);
}
