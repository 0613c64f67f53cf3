//! The rows of docs/drivers.md for Rust: how a driver binds and reads an id, and which values find no row.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use idgen_server::{Database, Scratch, Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, PgConnection, Row};
use uuid::fmt::Hyphenated;
use uuid::{Uuid, uuid};

const ID: Uuid = uuid!("6ccd780c-baba-1026-9564-5b8c656024db");
const TEXT: &str = "6ccd780c-baba-1026-9564-5b8c656024db";
/// Larger than every `i64`.
const SHORT: u64 = u64::MAX - 5;
const SHORT_TEXT: &str = "18446744073709551610";

fn start(database: Database) -> (Scratch, Server) {
    let server = Server::start(database, &Settings::new()).unwrap();
    (server.scratch().unwrap(), server)
}

/// Creates a table that has the id in a column, and a row with it.
macro_rules! insert {
    ($connection:expr, $table:ident, $column:literal, $place:literal, $value:expr) => {
        let table = concat!("CREATE TABLE ", stringify!($table), " (id ", $column, " PRIMARY KEY)");
        $connection.execute(sqlx::raw_sql(AssertSqlSafe(table))).await.unwrap();
        let insert = concat!("INSERT INTO ", stringify!($table), " VALUES (", $place, ")");
        $connection.execute(sqlx::query(insert).bind($value)).await.unwrap();
    };
}

/// Returns the rows with this id, or the error. The driver keeps a statement with the types of the values that it had
/// first, so it is prepared again.
macro_rules! find {
    ($connection:expr, $table:ident, $place:literal, $value:expr) => {{
        $connection.clear_cached_statements().await.unwrap();
        let select = concat!("SELECT id FROM ", stringify!($table), " WHERE id = ", $place);
        $connection.fetch_all(sqlx::query(select).bind($value)).await
    }};
}

/// Checks that the value finds the row, and returns the id in it.
macro_rules! read {
    ($connection:expr, $table:ident, $place:literal, $value:expr, $type:ty) => {{
        let rows = find!($connection, $table, $place, $value).unwrap();
        assert_eq!(rows.len(), 1);
        rows[0].try_get::<$type, _>(0)
    }};
}

async fn mysql_and_mariadb(connection: &mut MySqlConnection) {
    insert!(connection, b, "BINARY(16)", "?", ID);
    assert_eq!(read!(connection, b, "?", ID, Uuid).unwrap(), ID);
    assert_eq!(read!(connection, b, "?", ID.as_bytes().as_slice(), Vec<u8>).unwrap(), ID.as_bytes());
    assert!(find!(connection, b, "?", TEXT).unwrap().is_empty());
    assert!(find!(connection, b, "?", ID.hyphenated()).unwrap().is_empty());

    insert!(connection, c, "CHAR(36) CHARACTER SET ascii COLLATE ascii_bin", "?", ID.hyphenated());
    assert_eq!(read!(connection, c, "?", ID.hyphenated(), Hyphenated).unwrap(), ID.hyphenated());
    assert_eq!(read!(connection, c, "?", TEXT, String).unwrap(), TEXT);
    assert!(find!(connection, c, "?", ID).unwrap().is_empty());
    assert!(find!(connection, c, "?", TEXT.to_uppercase()).unwrap().is_empty());

    insert!(connection, s, "BIGINT UNSIGNED", "?", SHORT);
    assert_eq!(read!(connection, s, "?", SHORT, u64).unwrap(), SHORT);
    assert!(read!(connection, s, "?", SHORT, i64).is_err());
    assert!(find!(connection, s, "?", SHORT.cast_signed()).unwrap().is_empty());
}

#[tokio::test]
async fn sqlx_on_mysql() {
    let (scratch, _server) = start(Database::MySql);
    mysql_and_mariadb(&mut MySqlConnection::connect(scratch.url()).await.unwrap()).await;
}

#[tokio::test]
async fn sqlx_on_mariadb() {
    let (scratch, _server) = start(Database::MariaDb);
    let mut connection = MySqlConnection::connect(scratch.url()).await.unwrap();
    mysql_and_mariadb(&mut connection).await;

    insert!(connection, u, "UUID", "?", TEXT);
    assert_eq!(read!(connection, u, "?", ID.hyphenated(), Hyphenated).unwrap(), ID.hyphenated());
    assert_eq!(read!(connection, u, "?", TEXT.to_uppercase(), String).unwrap(), TEXT);
    assert_eq!(find!(connection, u, "?", ID).unwrap().len(), 1);
    assert!(read!(connection, u, "?", TEXT, Uuid).unwrap_err().to_string().contains("got 36"));
    let cast = "SELECT CAST(id AS CHAR) FROM u";
    assert_eq!(connection.fetch_one(cast).await.unwrap().get::<Hyphenated, _>(0), ID.hyphenated());
}

#[tokio::test]
async fn sqlx_on_postgres() {
    let (scratch, _server) = start(Database::Postgres);
    let mut connection = PgConnection::connect(scratch.url()).await.unwrap();
    insert!(connection, u, "uuid", "$1", ID);
    assert_eq!(read!(connection, u, "$1", ID, Uuid).unwrap(), ID);
    assert!(find!(connection, u, "$1", ID.as_bytes().as_slice()).is_err());
    assert!(find!(connection, u, "$1", TEXT).is_err());
    assert_eq!(read!(connection, u, "$1::uuid", TEXT, Uuid).unwrap(), ID);

    insert!(connection, b, "bytea", "$1", ID.as_bytes().as_slice());
    assert_eq!(read!(connection, b, "$1", ID.as_bytes().as_slice(), Vec<u8>).unwrap(), ID.as_bytes());
    assert!(find!(connection, b, "$1", ID).is_err());
    assert!(find!(connection, b, "$1", TEXT).is_err());

    insert!(connection, s, "numeric(20)", "$1::numeric", SHORT_TEXT);
    assert_eq!(find!(connection, s, "$1::numeric", SHORT_TEXT).unwrap().len(), 1);
    assert!(find!(connection, s, "$1", SHORT_TEXT).is_err());
    assert!(find!(connection, s, "$1", SHORT.cast_signed()).unwrap().is_empty());
    assert!(read!(connection, s, "$1::numeric", SHORT_TEXT, i64).is_err());
    let text = connection.fetch_one("SELECT id::text FROM s").await.unwrap();
    assert_eq!(text.get::<String, _>(0), SHORT_TEXT);

    insert!(connection, i, "bigint", "$1", i64::MAX);
    assert_eq!(read!(connection, i, "$1", i64::MAX, i64).unwrap(), i64::MAX);
}

#[test]
fn rusqlite_on_sqlite() {
    let connection = rusqlite::Connection::open_in_memory().unwrap();
    connection
        .execute_batch("CREATE TABLE b (id BLOB PRIMARY KEY); CREATE TABLE i (id INTEGER PRIMARY KEY)")
        .unwrap();
    connection.execute("INSERT INTO b VALUES (?)", [ID]).unwrap();
    let find = "SELECT id FROM b WHERE id = ?";
    assert_eq!(connection.query_row(find, [ID], |row| row.get::<_, Uuid>(0)), Ok(ID));
    assert_eq!(
        connection.query_row(find, [ID.as_bytes()], |row| row.get::<_, [u8; 16]>(0)),
        Ok(ID.into_bytes())
    );
    assert_eq!(connection.query_row(find, [TEXT], |_| Ok(())), Err(rusqlite::Error::QueryReturnedNoRows));

    connection.execute("INSERT INTO i VALUES (?)", [i64::MAX.cast_unsigned()]).unwrap();
    let find = "SELECT id FROM i WHERE id = ?";
    assert_eq!(
        connection.query_row(find, [i64::MAX], |row| row.get::<_, u64>(0)),
        Ok(i64::MAX.cast_unsigned())
    );
    let refused = connection.execute("INSERT INTO i VALUES (?)", [SHORT]).unwrap_err();
    assert!(matches!(refused, rusqlite::Error::ToSqlConversionFailure(_)));
}
