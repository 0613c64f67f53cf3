//! Column types on a real PostgreSQL: what is written comes back and is found by the index, and a wrong pair is an error.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use idgen::ShortId;
use idgen_postgres::{Base64Text22, Bytea16, ShortBigint, ShortNumeric, Text36};
use idgen_server::{Database, Scratch, Server, Settings};
use sqlx::postgres::{PgConnection, Postgres};
use sqlx::{AssertSqlSafe, Connection, Decode, Encode, Executor, Row, Type};
use uuid::{Uuid, uuid};

const ID: Uuid = uuid!("6ccd780c-baba-1026-9564-5b8c656024db");

async fn connect() -> (PgConnection, Scratch, Server) {
    let server = Server::start(Database::Postgres, &Settings::new().option("fsync", "off")).unwrap();
    let scratch = server.scratch().unwrap();
    (PgConnection::connect(scratch.url()).await.unwrap(), scratch, server)
}

async fn run(connection: &mut PgConnection, statement: &str) {
    connection
        .execute(sqlx::raw_sql(AssertSqlSafe(statement)))
        .await
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
}

/// Writes, finds by equality, and reads, in both protocols.
async fn round_trip<T, V>(connection: &mut PgConnection, definition: &str, values: &[V])
where
    V: Copy + PartialEq + std::fmt::Debug + From<T>,
    T: Type<Postgres> + From<V> + Copy + Unpin + Send + Sync + 'static,
    for<'a> T: Encode<'a, Postgres> + Decode<'a, Postgres>,
{
    // Statements are prepared once for each text, with the types of their first run.
    connection.clear_cached_statements().await.unwrap();
    run(connection, "DROP TABLE IF EXISTS t").await;
    run(connection, &format!("CREATE TABLE t (id {definition} PRIMARY KEY, again {definition})")).await;
    for value in values {
        let insert =
            sqlx::query("INSERT INTO t VALUES ($1, $2)").bind(T::from(*value)).bind(Some(T::from(*value)));
        connection.execute(insert).await.unwrap();
        let select = sqlx::query("SELECT again FROM t WHERE id = $1").bind(T::from(*value));
        let found: Vec<V> = connection
            .fetch_all(select)
            .await
            .unwrap()
            .iter()
            .map(|row| V::from(row.get::<T, _>(0)))
            .collect();
        assert_eq!(found, [*value]);
    }
    let text = connection.fetch_all(sqlx::raw_sql("SELECT id FROM t")).await.unwrap();
    assert_eq!(text.len(), values.len());
    assert!(text.iter().all(|row| values.contains(&V::from(row.get::<T, _>(0)))));
    // A parameter of another type would keep the index from being used.
    run(connection, "SET enable_seqscan = off").await;
    let plan = sqlx::query("EXPLAIN SELECT again FROM t WHERE id = $1").bind(T::from(values[0]));
    let plan: Vec<String> = connection.fetch_all(plan).await.unwrap().iter().map(|row| row.get(0)).collect();
    assert!(plan.concat().contains("Index Cond: ("), "{definition}: {plan:?}");
}

#[tokio::test]
async fn values_come_back() {
    let (mut connection, _scratch, _server) = connect().await;
    let mut uuids = vec![ID, Uuid::nil(), Uuid::max()];
    uuids.extend((0..50).map(|_| Uuid::new_v4()));
    round_trip::<Bytea16, _>(&mut connection, Bytea16::DEFINITION, &uuids).await;
    round_trip::<Text36, _>(&mut connection, Text36::DEFINITION, &uuids).await;
    round_trip::<Base64Text22, _>(&mut connection, Base64Text22::DEFINITION, &uuids).await;
    let mut shorts = [0, 1, 10_000, 102_176_818_768_904_192, i64::MAX as u64].map(ShortId::new).to_vec();
    round_trip::<ShortBigint, _>(&mut connection, ShortBigint::DEFINITION, &shorts).await;
    shorts.extend([1 << 63, u64::MAX].map(ShortId::new));
    round_trip::<ShortNumeric, _>(&mut connection, ShortNumeric::DEFINITION, &shorts).await;
    let sorted = connection.fetch_all("SELECT id FROM t ORDER BY id").await.unwrap();
    let sorted: Vec<ShortId> = sorted.iter().map(|row| row.get::<ShortNumeric, _>(0).into()).collect();
    assert_eq!(sorted, shorts, "they sort as the ids do");
}

#[tokio::test]
async fn the_server_sees_the_same_id() {
    let (mut connection, _scratch, _server) = connect().await;
    let same = "SELECT encode($1, 'hex')::uuid = $4::uuid AND $2::uuid = $4::uuid \
        AND decode($3 || '==', 'base64') = $1, $5::text";
    let query = sqlx::query(same)
        .bind(Bytea16::from(ID))
        .bind(Text36::from(ID))
        .bind(Base64Text22::from(ID))
        .bind(ID.to_string())
        .bind(ShortNumeric::from(ShortId::new(u64::MAX)));
    let row = connection.fetch_one(query).await.unwrap();
    assert!(row.get::<bool, _>(0));
    assert_eq!(row.get::<String, _>(1), "18446744073709551615");
}

#[tokio::test]
async fn wrong_pairs_are_errors() {
    let (mut connection, _scratch, _server) = connect().await;
    async fn error<T>(connection: &mut PgConnection, statement: &'static str) -> String
    where
        T: Type<Postgres> + std::fmt::Debug + for<'a> Decode<'a, Postgres>,
    {
        connection.fetch_one(statement).await.unwrap().try_get::<T, _>(0).unwrap_err().to_string()
    }
    let found =
        error::<Base64Text22>(&mut connection, "SELECT '6ccd780c-baba-1026-9564-5b8c656024db'::varchar")
            .await;
    assert!(found.contains("(36 bytes) is not a Base64Text22"), "{found}");
    let found = error::<Text36>(&mut connection, "SELECT 'bM14DLq6ECaVZFuMZWAk2w'::text").await;
    assert!(found.contains("(22 bytes) is not a Text36"), "{found}");
    let found = error::<Bytea16>(&mut connection, "SELECT '\\x0102'::bytea").await;
    assert!(found.contains("a value of 2 bytes is not a Bytea16"), "{found}");
    // A column of type uuid is for Uuid.
    let found =
        error::<Bytea16>(&mut connection, "SELECT '6ccd780c-baba-1026-9564-5b8c656024db'::uuid").await;
    assert!(found.contains("UUID"), "{found}");
    let found = error::<ShortBigint>(&mut connection, "SELECT (-1)::bigint").await;
    assert!(found.contains("-1 is negative"), "{found}");
    for number in [
        "SELECT (-1)::numeric",
        "SELECT 0.5::numeric",
        "SELECT 18446744073709551616",
        "SELECT 'NaN'::numeric",
    ] {
        let found = error::<ShortNumeric>(&mut connection, number).await;
        assert!(found.contains("not a whole number"), "{number}: {found}");
    }
    let big = sqlx::query("SELECT $1").bind(ShortBigint::from(ShortId::new(1 << 63)));
    let found = connection.execute(big).await.unwrap_err().to_string();
    assert!(found.contains("9223372036854775808") && found.contains("ShortNumeric"), "{found}");
}
