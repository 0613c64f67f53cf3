//! Tests the installation: once, by many clients at once, over other tables; and what the server has to be.

use std::time::Duration;

use futures_util::TryStreamExt;
use idgen_mysql::{IdWidth, Index, Topology, UuidMap};
use idgen_server::{Database, Scratch, Server, Settings};
use sqlx::{Connection, MySqlPool};
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, number, of_two, on_both, patiently, run, server};
use crate::proxy::{Mood, Proxy};

everywhere!(many_clients_may_install_at_once);
on_both!(
    other_choices_are_refused,
    foreign_tables_are_refused,
    names_are_checked,
    unsafe_servers_are_refused
);

async fn many_clients_may_install_at_once(database: Database, index: Index) {
    let scratch = server(database).scratch().unwrap();
    let url = scratch.url().to_owned();
    let clients: Vec<_> = (0..12)
        .map(|_| {
            let url = url.clone();
            tokio::spawn(async move {
                let map = UuidMap::builder().index(index).connect(&url).await?;
                map.install().await?;
                map.id_of(Uuid::max()).await
            })
        })
        .collect();
    for client in clients {
        let id = client.await.unwrap().unwrap();
        let map = UuidMap::connect(&url).await.unwrap();
        assert_eq!(map.find(Uuid::max()).await.unwrap(), Some(id));
    }
    assert_sound(&url).await;
}

async fn other_choices_are_refused(database: Database) {
    let scratch = server(database).scratch().unwrap();
    let url = scratch.url();
    let error = UuidMap::connect(url).await.unwrap().id_of(Uuid::nil()).await.unwrap_err();
    assert!(error.is_not_installed(), "{error}");
    UuidMap::connect(url).await.unwrap().install().await.unwrap();
    let dedup = UuidMap::builder().index(Index::Dedup).connect(url).await.unwrap();
    let error = dedup.install().await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("unique, not dedup"), "{error}");
    let narrow = UuidMap::builder().id_width(IdWidth::Bits32).connect(url).await.unwrap();
    let error = narrow.id_of(Uuid::nil()).await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("64-bit ids, not 32-bit"), "{error}");
    // Two maps of different kinds can exist side by side.
    let other = UuidMap::builder().table("other").index(Index::Dedup).id_width(IdWidth::Bits32);
    let other = other.connect(url).await.unwrap();
    other.install().await.unwrap();
    other.id_of(Uuid::nil()).await.unwrap();
    assert_eq!(UuidMap::connect(url).await.unwrap().find(Uuid::nil()).await.unwrap(), None);
}

async fn foreign_tables_are_refused(database: Database) {
    let scratch = server(database).scratch().unwrap();
    let mut connection = connect(scratch.url()).await;
    // A table of the published design that happens to have the same name.
    run(
        &mut connection,
        "CREATE TABLE uuid_map (id INT AUTO_INCREMENT PRIMARY KEY, uuid CHAR(36)) ENGINE=InnoDB",
    )
    .await;
    let map = UuidMap::connect(scratch.url()).await.unwrap();
    let error = map.install().await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("column id is int"), "{error}");
    run(&mut connection, "DROP TABLE uuid_map").await;
    // Without a unique key, the published design fails.
    run(
        &mut connection,
        "CREATE TABLE uuid_map (id BIGINT UNSIGNED PRIMARY KEY, uuid BINARY(16) NOT NULL, KEY (uuid))",
    )
    .await;
    let error = map.install().await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("binary(16) MUL, not binary(16) UNI"), "{error}");
    run(&mut connection, "DROP TABLE uuid_map").await;
    map.install().await.unwrap();
    run(&mut connection, "UPDATE uuid_map_state SET version = 99").await;
    let error = UuidMap::connect(scratch.url()).await.unwrap().install().await.unwrap_err();
    assert!(error.is_schema() && error.to_string().contains("version 99"), "{error}");
}

async fn names_are_checked(database: Database) {
    let url = server(database).url();
    for name in ["", "1map", "a b", "a`b", "a;DROP", "\u{e9}t\u{e9}", &"x".repeat(49)] {
        let error = UuidMap::builder().table(name).connect(url).await.unwrap_err();
        assert!(error.to_string().contains("cannot be the name of the map's table"), "{error}");
    }
    // A password with unencoded characters: no part of it is printed as a host or a port.
    for url in ["mysql://app:se/cret@db/x", "mysql://app:123?se@cret@db/x", "mysql://app:s#ecret@db/x"] {
        let error = UuidMap::connect(url).await.unwrap_err().to_string();
        assert!(error.contains("%40") && !error.contains("cret") && !error.contains("123"), "{error}");
    }
    let error = UuidMap::connect("postgres://x").await.unwrap_err();
    assert!(!error.is_transient(), "{error}");
}

/// With these settings, a killed server lost 11,585 acknowledged ids and assigned them to other UUIDs.
async fn unsafe_servers_are_refused(database: Database) {
    let settings = Settings::new().option("innodb_flush_log_at_trx_commit", "0");
    let settings = settings.tls(database == Database::MariaDb);
    let server = Server::start(database, &settings).unwrap();
    let scratch = server.scratch().unwrap();
    let map = UuidMap::connect(scratch.url()).await.unwrap();
    for error in [map.install().await.unwrap_err(), map.id_of(Uuid::nil()).await.unwrap_err()] {
        assert!(error.is_unsafe_server(), "{error}");
        assert!(error.to_string().contains("innodb_flush_log_at_trx_commit is 0"), "{error}");
    }
    let mut connection = connect(scratch.url()).await;
    assert_eq!(
        number(
            &mut connection,
            "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = DATABASE()"
        )
        .await,
        Ok(0)
    );

    let map = UuidMap::builder().accept_unsafe_server(true).connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let report = map.server_report().await.unwrap();
    assert_eq!(report.concerns()[0].variable(), "innodb_flush_log_at_trx_commit");
    assert_eq!(report.version(), server.version());
    assert_eq!(report.topology(), of_two(database, Topology::MySql, Topology::MariaDb));

    no_unsafe_node_takes_over(database, &scratch).await;
    uncommitted_pairs_are_not_acknowledged(&scratch, &map).await;
}

/// Each node is checked by its own settings when it is first used.
async fn no_unsafe_node_takes_over(database: Database, unsafe_one: &Scratch) {
    let sound = server(database).scratch().unwrap();
    UuidMap::connect(sound.url()).await.unwrap().install().await.unwrap();
    let proxy = Proxy::start(sound.url()).await;
    let timeout = UuidMap::builder().cache(0).timeout(Duration::from_secs(3));
    let connect_to =
        async |urls: [&str; 2]| patiently(async || timeout.clone().connect_any(urls).await).await;
    let map = connect_to([proxy.url(), unsafe_one.url()]).await;
    let uuid = Uuid::new_v4();
    let id = patiently(async || map.id_of(uuid).await).await;
    proxy.set(Mood::Gone);
    let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_unsafe_server() || error.is_transient(), "{error}");
    let mut connection = connect(unsafe_one.url()).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(0));
    proxy.set(Mood::Fair);
    assert_eq!(patiently(async || map.id_of(uuid).await).await, id);
    // It does not have to be the second node. If no node is suitable, the error comes at once.
    let map = connect_to([unsafe_one.url(), sound.url()]).await;
    assert_eq!(patiently(async || map.id_of(uuid).await).await, id);
    assert!(patiently(async || map.server_report().await).await.concerns().is_empty());
    let timeout = UuidMap::builder().timeout(Duration::from_secs(86_400));
    let map = timeout.connect_any([unsafe_one.url(), unsafe_one.url()]).await.unwrap();
    let error = map.id_of(uuid).await.unwrap_err();
    assert!(error.is_unsafe_server() && error.to_string().contains("the server at "), "{error}");
}

/// At READ UNCOMMITTED, a look-up would see, and the cache would keep, a pair that is rolled back later.
async fn uncommitted_pairs_are_not_acknowledged(scratch: &Scratch, map: &UuidMap) {
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "SET GLOBAL TRANSACTION ISOLATION LEVEL READ UNCOMMITTED").await;
    let other = UuidMap::builder().accept_unsafe_server(true).connect(scratch.url()).await.unwrap();
    let uuid = Uuid::new_v4();
    let mut transaction = connection.begin().await.unwrap();
    let id = map.id_of_within(&mut transaction, uuid).await.unwrap();
    assert_eq!(other.find(uuid).await.unwrap(), None);
    assert_eq!(other.uuid_of(id).await.unwrap(), None);
    assert_eq!(other.export(0).try_collect::<Vec<_>>().await.unwrap(), []);
    transaction.rollback().await.unwrap();
    assert_ne!(other.id_of(uuid).await.unwrap(), id);
    // A map that was given a pool also has connections of its own.
    let pool = MySqlPool::connect(scratch.url()).await.unwrap();
    let beside = UuidMap::builder().accept_unsafe_server(true).with_pool(&pool).unwrap();
    let mut transaction = connection.begin().await.unwrap();
    let uuid = Uuid::new_v4();
    map.id_of_within(&mut transaction, uuid).await.unwrap();
    assert_eq!(beside.find(uuid).await.unwrap(), None);
    transaction.rollback().await.unwrap();
}
