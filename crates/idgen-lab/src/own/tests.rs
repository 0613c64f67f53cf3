use super::*;
use crate::strategy::find;
use idgen_record::Database;

const SCHEMA: &str = "-- two tables\nCREATE TABLE orders (id {key_type} PRIMARY KEY, n INT, note TEXT);\n\
    CREATE TABLE lines (id INTEGER PRIMARY KEY, order_id {reference_type} REFERENCES orders (id), data BLOB);\n\
    CREATE INDEX by_n ON orders (n);";
const INSERT: &str = "INSERT INTO orders (id, n, note) VALUES ({key}, {row} % 7, concat('a;b', {text:5}));\n\
    insert into Lines (order_id, data, id) values ({key}, {bytes:3}, {number});";

fn read(schema: &str, insert: &str, database: Database) -> Result<Own> {
    Own::read(&OwnTable { schema: schema.into(), insert: insert.into() }, database)
}

#[test]
fn statements_are_split_at_their_placeholders() {
    let own = read(SCHEMA, INSERT, Database::Sqlite).unwrap();
    assert_eq!((own.table(), own.key_column(), own.payload_bytes()), ("orders", "id", 16));
    assert_eq!(own.tables(), ["orders", "lines"]);
    let schema = own.schema("uuid", "uuid");
    assert_eq!((schema.len(), schema[0].0, schema[2].0), (3, 2, 4));
    assert!(schema[1].1.contains("order_id uuid REFERENCES"), "{schema:?}");
    let [first, second] = own.inserts() else { panic!() };
    assert_eq!(
        first.sql(2, |_| "?".into()),
        "INSERT INTO orders (id, n, note) VALUES (?, ? % 7, concat('a;b', ?)), (?, ? % 7, concat('a;b', ?))"
    );
    let payload: Vec<u8> = (0..16).collect();
    let key = Key::Uint(9);
    let values =
        |insert: &Insert| insert.values(41, key, &payload).map(|(_, value)| value).collect::<Vec<_>>();
    assert_eq!(values(first), [Value::Key(key), Value::Integer(42), Value::Text("ABCDE".into())]);
    let number = i64::from_be_bytes([8, 9, 10, 11, 12, 13, 14, 15]) >> 1;
    assert_eq!(values(second), [Value::Key(key), Value::Bytes(&[5, 6, 7]), Value::Integer(number)]);
    assert_eq!(own.bound(100), 300);
    assert_eq!(own.rows_of(&[2, 0], &[7, 5]).unwrap(), 5);
    assert!(
        own.rows_of(&[2, 0], &[7, 4])
            .unwrap_err()
            .to_string()
            .contains("lines should have gained 5 rows, but has gained 4")
    );
}

#[test]
fn statements_that_cannot_be_undone_or_checked_are_refused() {
    let table = "CREATE TABLE t (id {key_type} PRIMARY KEY)";
    let insert = "INSERT INTO t (id) VALUES ({key})";
    assert!(read(table, insert, Database::MySql).is_ok());
    for (schema, insert, says) in [
        (
            "CREATE TABLE t (id {key_typ} PRIMARY KEY)",
            insert,
            "schema, line 1: {key_typ} is not a placeholder",
        ),
        ("CREATE TABLE t (id INT PRIMARY KEY)", insert, "0 columns of the type {key_type}"),
        ("CREATE TABLE t (id {key_type}, b {key_type})", insert, "2 columns of the type {key_type}"),
        ("", insert, "0 columns"),
        (
            "CREATE TABLE t (id {key_type} PRIMARY KEY",
            "INSERT INTO t (id) VALUES ({kye})",
            "{kye} is not a placeholder",
        ),
        (table, "\nINSERT INTO t (id, a) VALUES ({key}, {text})", "line 2: {text} is not a placeholder"),
        (table, "INSERT INTO t (id, a) VALUES ({key}, {text:0})", "N from 1 to 7000"),
        (table, "INSERT INTO t (id, a) VALUES ({key}, {bytes:9e9})", "{bytes:9e9} is not a placeholder"),
        (table, "INSERT INTO t (id, a, b) VALUES ({key}, {text:4000}, {text:4000})", "8000 random bytes"),
        (table, "INSERT INTO t (id) VALUES ('{key}')", "key is in quotes"),
        (table, "INSERT INTO t (id) VALUES (?)", "\"?\" is not a placeholder"),
        (table, "INSERT INTO t (,id) VALUES ({key}, 5)", "a column or a value is missing"),
        (table, "INSERT INTO t (id) VALUES ({key}, 5)", "1 columns have 2 values"),
        (table, "INSERT INTO t (id) VALUES (5)", "no value that is {key} alone"),
        (table, "INSERT INTO t VALUES ({key})", "must have the form INSERT INTO table (column"),
        (table, "INSERT INTO t (id) SELECT {key}", "must have the form"),
        (table, "UPDATE t SET id = {key}", "must have the form"),
        (table, "INSERT INTO t (id) VALUES ({key}) ON CONFLICT DO NOTHING", "\"ON\" follows the values"),
        (table, "INSERT INTO u (id) VALUES ({key})", "the schema makes no table u"),
        (table, "INSERT INTO t (id) VALUES ({key}); INSERT INTO t (id) VALUES (1)", "other tables"),
        (table, "", "there is no insert statement"),
        (table, "INSERT INTO t (id) VALUES ('a", "a string begins here and does not end"),
        ("DROP TABLE orders", insert, "DROP TABLE is not a statement that the lab can undo"),
        ("create database elsewhere", insert, "CREATE database is not a statement"),
        ("SET GLOBAL x = 1", insert, "SET GLOBAL is not a statement"),
        ("CREATE TEMPORARY TABLE t (id {key_type})", insert, "CREATE TEMPORARY is not a statement"),
        ("CREATE TABLE shop.t (id {key_type})", insert, "shop.t names a table of another schema"),
        ("CREATE TABLE `shop`.`t` (id {key_type})", insert, "names a table of another schema"),
        (
            "CREATE TABLE t (id {key_type} REFERENCES users (id))",
            insert,
            "REFERENCES users names a table that the schema",
        ),
        ("CREATE TABLE t (id {key_type}) AS SELECT 1", insert, "SELECT reads other tables"),
        ("CREATE TABLE t (id {key_type}) DATA DIRECTORY '/tmp'", insert, "DATA puts files"),
        ("CREATE TABLE t (id {key_type}) TABLESPACE x", insert, "TABLESPACE puts files"),
        ("CREATE TABLE t (id {key_type}) ENGINE = MyISAM", insert, "ENGINE is not InnoDB"),
        ("CREATE TABLE t (id {key_type}) PARTITION BY HASH (id)", insert, "PARTITION splits"),
        ("CREATE TABLE t (id {key_type}) CONNECTION = 'mysql://elsewhere'", insert, "another server"),
        ("/*!50100 DROP TABLE a */", insert, "a comment that the server runs"),
        ("CREATE TABLE t (id {key_type}); INSERT INTO t (id) VALUES (1)", insert, "leave this INSERT out"),
        ("CREATE TABLE `t-1` (id {key_type})", insert, "ASCII letters"),
    ] {
        let error = read(schema, insert, Database::MySql).unwrap_err();
        assert!(error.is_config() && error.to_string().contains(says), "{schema} | {insert}: {error}");
    }
    assert!(read(&format!("{table} ENGINE=InnoDB"), insert, Database::MySql).is_ok());
    assert!(read("CREATE TABLE t (id {key_type} DEFAULT 1.5) # a 'comment", insert, Database::MySql).is_ok());
    assert!(
        read("CREATE TABLE t (a TEXT DEFAULT 'it''s \\'', id {key_type})", insert, Database::MySql).is_ok()
    );
}

#[test]
fn strategies_whose_key_cannot_be_bound_are_refused() {
    for name in ["mapped", "no-primary-key", "uuid-short", "minute-bigints"] {
        assert!(Own::check(find(name).unwrap()).unwrap_err().is_config(), "{name}");
    }
    for name in ["auto-increment", "v4-binary", "v7-binary", "device", "v4-text36"] {
        assert!(Own::check(find(name).unwrap()).is_ok(), "{name}");
    }
}

proptest::proptest! {
    /// Any text is either accepted or refused.
    #[test]
    fn no_text_panics(schema in "[a-z{}(),;.'\"`/*!# \\-é]{0,60}", insert in "(INSERT INTO t \\()?[a-z{}(),;:0-9.'\" é]{0,60}") {
        let _ = read(&schema, &insert, Database::MySql);
        let _ = read("CREATE TABLE t (id {key_type})", &insert, Database::Postgres);
    }
}
