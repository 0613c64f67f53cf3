//! Tests that no statement of the map, the sync and the leases makes MySQL warn of what a later version will not have.

use futures_util::TryStreamExt;
use idgen_mysql::sync::{Change, Table};
use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::{Executor, Row};
use uuid::Uuid;

use crate::common::{connect, run, server};
use crate::sync::{apply, id};
use crate::sync_rows::{refers, text};

/// Tables that are there or missing, UUIDs that have an id, and the error that MySQL itself counts for each query of
/// information_schema (3554).
const EXPECTED: [u16; 5] = [1050, 1051, 1062, 1146, 3554];
/// Errors that MySQL counts for a connection that its client closed, not for a statement: packets that could not be
/// read or written.
const OF_CONNECTIONS: std::ops::RangeInclusive<u16> = 1158..=1161;

/// The server counts the errors and warnings of each user by their numbers.
#[tokio::test(flavor = "multi_thread")]
async fn mysql_warns_of_no_statement() {
    let database = Database::MySql;
    for index in [Index::Unique, Index::Dedup] {
        let scratch = server(database).scratch().unwrap();
        let mut root = connect(scratch.url()).await;
        let user = format!("warned_{index}");
        run(&mut root, format!("CREATE USER {user}@'%' IDENTIFIED BY 'Secret-7'")).await;
        run(&mut root, format!("GRANT ALL ON {}.* TO {user}@'%'", scratch.name())).await;
        run(&mut root, crate::sync_rows::LISTS).await;
        run(
            &mut root,
            "CREATE TABLE notes (id BIGINT UNSIGNED PRIMARY KEY, list_id BIGINT UNSIGNED NULL, \
             FOREIGN KEY (list_id) REFERENCES lists (id))",
        )
        .await;
        let (_, address) = scratch.url().rsplit_once('@').unwrap();
        let url = format!("mysql://{user}:Secret-7@{address}");
        let map = UuidMap::builder().index(index).cache(0).connect(&url).await.unwrap();
        map.install().await.unwrap();
        calls(&map).await;
        let leases = map.device_leases();
        leases.install().await.unwrap();
        leases.lease(id(1)).await.unwrap();
        leases.list().await.unwrap();
        map.install_sync().await.unwrap();
        let sync = map.sync(&[Table::new("lists"), Table::new("notes")]).await.unwrap();
        let mut connection = connect(&url).await;
        let note = |number: u64, list: u128| Change::put("notes", id(9), number, [("list_id", refers(list))]);
        for batch in [
            vec![note(1, 7)],
            vec![note(2, 8)],
            vec![title(7, 1, "a"), title(8, 1, "b")],
            vec![title(7, 2, "c"), note(3, 7)],
            vec![Change::delete("notes", id(9), 4), Change::delete("lists", id(7), 3)],
        ] {
            apply(&sync, &mut connection, &batch).await;
        }
        sync.forget(id(8)).await.unwrap();
        let counted = format!(
            "SELECT CAST(error_number AS CHAR), CAST(error_name AS CHAR) FROM \
             performance_schema.events_errors_summary_by_user_by_error WHERE user = '{user}' AND sum_error_raised > 0"
        );
        let rows = root.fetch_all(sqlx::raw_sql(sqlx::AssertSqlSafe(counted))).await.unwrap();
        let found: Vec<(String, String)> = rows
            .iter()
            .map(|row| (row.try_get_unchecked(0).unwrap(), row.try_get_unchecked(1).unwrap()))
            .collect();
        let is_expected = |number: &u16| EXPECTED.contains(number) || OF_CONNECTIONS.contains(number);
        let unexpected: Vec<_> =
            found.iter().filter(|(number, _)| !is_expected(&number.parse().unwrap())).collect();
        assert!(unexpected.is_empty(), "{index}: {unexpected:?}");
    }
}

fn title(row: u128, number: u64, title: &str) -> Change {
    Change::put("lists", id(row), number, [("title", text(title))])
}

/// Each kind of call.
async fn calls(map: &UuidMap) {
    let uuids: Vec<Uuid> = (0..9).map(|_| Uuid::new_v4()).collect();
    let ids = map.ids_of(&uuids).await.unwrap();
    assert_eq!(map.id_of(uuids[0]).await.unwrap(), ids[0]);
    map.id_of(Uuid::new_v4()).await.unwrap();
    map.ids_of(&[uuids[0], Uuid::new_v4()]).await.unwrap();
    map.find(Uuid::new_v4()).await.unwrap();
    map.find_many(&uuids).await.unwrap();
    map.uuid_of(ids[0]).await.unwrap();
    map.import(&[(5000, Uuid::new_v4())]).await.unwrap();
    map.forget(uuids[1]).await.unwrap();
    map.export(0).try_collect::<Vec<_>>().await.unwrap();
    map.check().await.unwrap();
    map.repair().await.unwrap();
    map.stats().await.unwrap();
    map.fence(9000).await.unwrap();
}
