//! Tests that pairs which were read are on disk, although servers show commits before they are.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch, Server};
use sqlx::{Connection, Executor, MySqlConnection, Row};
use uuid::Uuid;

use crate::common::{assert_sound, connect, run, settings, user};

/// The calls by which a client learns of a pair that another client made.
const READS: [&str; 6] = ["find", "id_of", "ids_of", "register", "uuid_of", "export"];

/// Without a binary log, a commit can be seen a moment before it is on disk. The test makes this moment longer: one
/// client makes a pair while the server keeps its log in memory, and the server is killed immediately after another
/// client has read the pair.
///
/// MariaDB writes no binary log by default; MySQL does.
#[tokio::test(flavor = "multi_thread")]
async fn a_pair_that_was_read_outlives_a_crash() {
    // Keeps the server itself from writing the log meanwhile.
    let unwritten = settings().option("innodb_flush_log_at_timeout", "2700");
    let server = Server::start(Database::MariaDb, &unwritten).unwrap();
    assert_eq!(server.variable("log_bin").unwrap().as_deref(), Some("OFF"));
    for index in [Index::Unique, Index::Dedup] {
        let scratch = server.scratch().unwrap();
        let builder = || UuidMap::builder().index(index).cache(0);
        // It may read the settings while the server does not flush.
        let maker = builder().accept_unsafe_server(true).connect(scratch.url()).await.unwrap();
        maker.install().await.unwrap();
        let reader = builder().connect(scratch.url()).await.unwrap();
        // Both have ids left, and open connections.
        maker.id_of(Uuid::new_v4()).await.unwrap();
        reader.id_of(Uuid::new_v4()).await.unwrap();
        let mut read = Vec::new();
        for how in READS {
            let uuid = Uuid::new_v4();
            let mut admin = connect(server.url()).await;
            run(&mut admin, "SET GLOBAL innodb_flush_log_at_trx_commit = 0").await;
            let id = maker.id_of(uuid).await.unwrap();
            run(&mut admin, "SET GLOBAL innodb_flush_log_at_trx_commit = 1").await;
            let (made, _) = positions(&mut admin).await;
            assert_eq!(learn(&reader, how, uuid, id).await, (uuid, id), "{how}");
            let (_, flushed) = positions(&mut admin).await;
            assert!(flushed >= made, "{how}, {index:?}: on disk up to {flushed}, the pair is at {made}");
            read.push((uuid, id));
        }
        nobody_waits_for_the_state_row(&scratch, &reader).await;
        a_reader_needs_no_more_than_select(&server, &scratch, &read).await;
        let (last, _) = *read.last().unwrap();
        server.kill().unwrap();
        server.start_again().unwrap();
        assert_eq!(reader.find(last).await.unwrap(), Some(read.last().unwrap().1));
        for (uuid, id) in read {
            assert_eq!(reader.id_of(uuid).await.unwrap(), id);
        }
        assert_sound(scratch.url()).await;
    }
}

/// Another client has a long transaction open, whose changes nobody writes to disk.
async fn nobody_waits_for_the_state_row(scratch: &Scratch, reader: &UuidMap) {
    let known = Uuid::new_v4();
    let id = reader.id_of(known).await.unwrap();
    let mut other = connect(scratch.url()).await;
    run(&mut other, "CREATE TABLE other (n INT PRIMARY KEY) ENGINE=InnoDB").await;
    let mut transaction = other.begin().await.unwrap();
    run(&mut transaction, "INSERT INTO other VALUES (1)").await;
    // Another reader that writes the log to disk does this, and so does a client that reserves ids.
    run(&mut transaction, "SELECT next_id FROM uuid_map_state FOR UPDATE").await;
    for n in 2..20 {
        run(&mut transaction, format!("INSERT INTO other VALUES ({n})")).await;
        let found = tokio::time::timeout(Duration::from_secs(20), reader.find(known)).await;
        assert_eq!(found.expect("waited for the state row").unwrap(), Some(id));
    }
    transaction.rollback().await.unwrap();
}

/// The documentation of `read_only` says what cannot be promised to such a reader.
async fn a_reader_needs_no_more_than_select(server: &Server, scratch: &Scratch, known: &[(Uuid, u64)]) {
    let mut root = connect(server.url()).await;
    let url = user(&mut root, scratch, &[("SELECT", "*")]).await;
    let map = UuidMap::builder().read_only(true).connect(&url).await.unwrap();
    let mut other = connect(scratch.url()).await;
    let mut transaction = other.begin().await.unwrap();
    for (n, (uuid, id)) in known.iter().enumerate() {
        run(&mut transaction, format!("INSERT INTO other VALUES ({})", 100 + n)).await;
        assert_eq!(map.find(*uuid).await.unwrap(), Some(*id));
        assert_eq!(map.id_of(*uuid).await.unwrap(), *id);
        assert_eq!(map.uuid_of(*id).await.unwrap(), Some(*uuid));
    }
    transaction.rollback().await.unwrap();
    let unknown = Uuid::new_v4();
    assert_eq!(map.find(unknown).await.unwrap(), None);
    for error in [
        map.id_of(unknown).await.unwrap_err(),
        map.ids_of(&[unknown, known[0].0]).await.unwrap_err(),
        map.register(unknown).await.unwrap_err(),
        map.import(&[(1, unknown)]).await.unwrap_err(),
        map.forget(known[0].0).await.unwrap_err(),
        map.install().await.unwrap_err(),
    ] {
        assert!(error.is_config() && error.to_string().contains("read_only"), "{error}");
    }
}

async fn learn(map: &UuidMap, how: &str, uuid: Uuid, id: u64) -> (Uuid, u64) {
    match how {
        "find" => (uuid, map.find(uuid).await.unwrap().unwrap()),
        "id_of" => (uuid, map.id_of(uuid).await.unwrap()),
        "ids_of" => (uuid, map.ids_of(&[uuid]).await.unwrap()[0]),
        "register" => (uuid, map.register(uuid).await.unwrap_err().existing_id().unwrap()),
        "uuid_of" => (map.uuid_of(id).await.unwrap().unwrap(), id),
        "export" => {
            use futures_util::TryStreamExt;
            let pairs: Vec<(u64, Uuid)> = map.export(id - 1).try_collect().await.unwrap();
            let (id, uuid) = *pairs.iter().find(|(found, _)| *found == id).unwrap();
            (uuid, id)
        }
        other => panic!("{other}?"),
    }
}

/// Up to where the log is written, and up to where it is on disk.
async fn positions(admin: &mut MySqlConnection) -> (u64, u64) {
    let (mut current, mut flushed) = (0, 0);
    let names = "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_lsn_current', 'Innodb_lsn_flushed', \
        'Innodb_redo_log_current_lsn', 'Innodb_redo_log_flushed_to_disk_lsn')";
    for row in admin.fetch_all(sqlx::raw_sql(names)).await.unwrap() {
        let (name, value): (String, String) = (row.get(0), row.get(1));
        let place = if name.contains("flushed") { &mut flushed } else { &mut current };
        *place = value.parse().unwrap();
    }
    (current, flushed)
}
