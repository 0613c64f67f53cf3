//! Tests column types: values come back unchanged, and a type that does not match its column is an error.

use idgen::ShortId;
use idgen_mysql::check_column;
use idgen_mysql::types::{
    Base64Char22, Binary16, Char36, ColumnType, MariaDbUuid, ShortBigint, SwappedBinary16,
};
use idgen_server::Database;
use sqlx::mysql::{MySql, MySqlPool};
use sqlx::{AssertSqlSafe, Decode, Encode, Executor, Row, Type};
use uuid::{Uuid, uuid};

use crate::common::{on_both, server};

on_both!(values_come_back, the_server_sees_the_same_bytes, wrong_pairs_are_errors, columns_are_checked);

async fn pool(database: Database) -> (idgen_server::Scratch, MySqlPool) {
    let scratch = server(database).scratch().unwrap();
    let pool = MySqlPool::connect(scratch.url()).await.unwrap();
    (scratch, pool)
}

async fn run(pool: &MySqlPool, statement: &str) {
    pool.execute(sqlx::raw_sql(AssertSqlSafe(statement)))
        .await
        .unwrap_or_else(|error| panic!("{statement}: {error}"));
}

/// Writes values, finds them by equality and reads them, in both protocols.
async fn round_trip<T, V>(pool: &MySqlPool, values: &[V])
where
    V: Copy + PartialEq + std::fmt::Debug + From<T>,
    T: ColumnType + Type<MySql> + From<V> + Copy + Unpin + Send + Sync + 'static,
    for<'a> T: Encode<'a, MySql> + Decode<'a, MySql>,
{
    run(pool, "DROP TABLE IF EXISTS t").await;
    run(pool, &format!("CREATE TABLE t (id {} NOT NULL PRIMARY KEY)", T::DEFINITION)).await;
    check_column::<T>(pool, "t", "id").await.unwrap();
    for value in values {
        pool.execute(sqlx::query("INSERT INTO t VALUES (?)").bind(T::from(*value))).await.unwrap();
        let found =
            pool.fetch_all(sqlx::query("SELECT id FROM t WHERE id = ?").bind(T::from(*value))).await.unwrap();
        let found: Vec<V> = found.iter().map(|row| V::from(row.get::<T, _>(0))).collect();
        assert_eq!(found, [*value]);
    }
    let text = pool.fetch_all(sqlx::raw_sql("SELECT id FROM t")).await.unwrap();
    for row in &text {
        assert!(values.contains(&V::from(row.get::<T, _>(0))));
    }
    assert_eq!(text.len(), values.len());
    check_column::<T>(pool, "t", "id").await.unwrap();
}

async fn values_come_back(database: Database) {
    let (_scratch, pool) = pool(database).await;
    let mut uuids = vec![uuid!("6ccd780c-baba-1026-9564-5b8c656024db"), Uuid::nil(), Uuid::max()];
    uuids.extend((0..50).map(|_| Uuid::new_v4()));
    round_trip::<Binary16, _>(&pool, &uuids).await;
    round_trip::<SwappedBinary16, _>(&pool, &uuids).await;
    round_trip::<Char36, _>(&pool, &uuids).await;
    round_trip::<Base64Char22, _>(&pool, &uuids).await;
    if database == Database::MariaDb {
        round_trip::<MariaDbUuid, _>(&pool, &uuids).await;
    }
    let shorts = [0, 1, 102_176_818_768_904_192, 1 << 63, u64::MAX].map(ShortId::new);
    round_trip::<ShortBigint, _>(&pool, &shorts).await;
}

async fn the_server_sees_the_same_bytes(database: Database) {
    let (_scratch, pool) = pool(database).await;
    let id = uuid!("6ccd780c-baba-1026-9564-5b8c656024db");
    let hex = "SELECT LOWER(HEX(?))";
    let seen: String = sqlx::query_scalar(hex).bind(Binary16::from(id)).fetch_one(&pool).await.unwrap();
    assert_eq!(seen, "6ccd780cbaba102695645b8c656024db");
    let seen: String =
        sqlx::query_scalar(hex).bind(SwappedBinary16::from(id)).fetch_one(&pool).await.unwrap();
    assert_eq!(seen, "1026baba6ccd780c95645b8c656024db");
    if database == Database::MySql {
        let swapped = "SELECT UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1)";
        let read: SwappedBinary16 = sqlx::query_scalar(swapped).fetch_one(&pool).await.unwrap();
        assert_eq!(read.to_uuid(), id);
    }
    let base64 = "SELECT LEFT(TO_BASE64(UNHEX('6ccd780cbaba102695645b8c656024db')), 22)";
    let read: Base64Char22 = sqlx::query_scalar(base64).fetch_one(&pool).await.unwrap();
    assert_eq!(read.to_uuid(), id);
}

async fn wrong_pairs_are_errors(database: Database) {
    let (_scratch, pool) = pool(database).await;
    let text = "SELECT CAST('6ccd780c-baba-1026-9564-5b8c656024db' AS CHAR(36))";
    let error = sqlx::query_scalar::<_, Binary16>(text).fetch_one(&pool).await.unwrap_err().to_string();
    assert!(error.contains("36 characters are for Char36"), "{error}");
    let bytes = "SELECT CAST(UNHEX('6ccd780cbaba102695645b8c656024db') AS BINARY(16))";
    let error = sqlx::query_scalar::<_, Base64Char22>(bytes).fetch_one(&pool).await.unwrap_err().to_string();
    assert!(error.contains("16 bytes are for Binary16"), "{error}");
    let error = sqlx::query_scalar::<_, ShortBigint>("SELECT CAST(-1 AS SIGNED)").fetch_one(&pool).await;
    assert!(error.is_err(), "a negative number is no id");
}

async fn columns_are_checked(database: Database) {
    let (_scratch, pool) = pool(database).await;
    run(
        &pool,
        "CREATE TABLE wrong (binary8 BINARY(8), text35 CHAR(35), folded CHAR(22) CHARACTER SET ascii COLLATE ascii_general_ci, \
         signed BIGINT, plain BINARY(16), swapped BINARY(16))",
    )
    .await;
    for (error, named) in [
        (check_column::<Binary16>(&pool, "wrong", "binary8").await, "is binary(8)"),
        (check_column::<Char36>(&pool, "wrong", "text35").await, "is char(35)"),
        (check_column::<Base64Char22>(&pool, "wrong", "folded").await, "COLLATE ascii_general_ci"),
        (check_column::<ShortBigint>(&pool, "wrong", "signed").await, "is bigint"),
        (check_column::<Char36>(&pool, "wrong", "plain").await, "is binary(16)"),
        (check_column::<MariaDbUuid>(&pool, "wrong", "plain").await, "is binary(16)"),
        (check_column::<Binary16>(&pool, "wrong", "absent").await, "no column wrong.absent"),
    ] {
        let error = error.unwrap_err();
        assert!(error.is_column() && error.to_string().contains(named), "{error}");
    }
    // Plain and swapped bytes have the same column type. Only the rows show which it is.
    check_column::<SwappedBinary16>(&pool, "wrong", "plain").await.unwrap();
    for _ in 0..100 {
        // UUIDs of version 1 with different times.
        let time_low = u128::from(fastrand::u32(..)) << 96;
        let id = Uuid::from_u128(0xbaba_1026_9564_5b8c_6560_24db | time_low);
        let insert = sqlx::query("INSERT INTO wrong (plain, swapped) VALUES (?, ?)");
        pool.execute(insert.bind(Binary16::from(id)).bind(SwappedBinary16::from(id))).await.unwrap();
    }
    check_column::<Binary16>(&pool, "wrong", "plain").await.unwrap();
    check_column::<SwappedBinary16>(&pool, "wrong", "swapped").await.unwrap();
    let error = check_column::<SwappedBinary16>(&pool, "wrong", "plain").await.unwrap_err();
    assert!(error.is_column() && error.to_string().contains("other byte order"), "{error}");
    let error = check_column::<Binary16>(&pool, "wrong", "swapped").await.unwrap_err();
    assert!(error.is_column(), "{error}");
}
