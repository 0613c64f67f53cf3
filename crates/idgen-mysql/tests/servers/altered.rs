//! Tests tables that are altered while clients work: a client must notice that a key is gone on which its guarantees
//! depend.

use std::time::{Duration, Instant};

use idgen_mysql::{Error, Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, run};

everywhere!(a_lost_key_is_noticed, other_alterations_are_harmless);

/// Statements that take a key away or change a column, each with the statement that undoes it, and words of the error.
const UNIQUE: &[(&str, &str, &str)] = &[
    (
        "ALTER TABLE uuid_map DROP INDEX uuid",
        "ALTER TABLE uuid_map ADD UNIQUE KEY uuid (uuid)",
        "its column uuid is",
    ),
    (
        "ALTER TABLE uuid_map DROP INDEX uuid, ADD UNIQUE KEY uuid (uuid, id)",
        "ALTER TABLE uuid_map DROP INDEX uuid, ADD UNIQUE KEY uuid (uuid)",
        "its column uuid is",
    ),
    (
        "ALTER TABLE uuid_map MODIFY uuid VARBINARY(16) NOT NULL",
        "ALTER TABLE uuid_map MODIFY uuid BINARY(16) NOT NULL",
        "its column uuid is varbinary(16)",
    ),
];

const DEDUP: &[(&str, &str, &str)] = &[
    (
        "ALTER TABLE uuid_map_claim DROP PRIMARY KEY",
        "TRUNCATE TABLE uuid_map_claim; ALTER TABLE uuid_map_claim ADD PRIMARY KEY (uuid)",
        "its column uuid is",
    ),
    ("RENAME TABLE uuid_map_claim TO away", "RENAME TABLE away TO uuid_map_claim", "uuid_map_claim"),
    ("ALTER TABLE uuid_map DROP INDEX hash", "ALTER TABLE uuid_map ADD INDEX hash (hash)", "hash"),
];

const BOTH: &[(&str, &str, &str)] = &[(
    "ALTER TABLE uuid_map_state MODIFY next_id INT UNSIGNED NOT NULL",
    "ALTER TABLE uuid_map_state MODIFY next_id BIGINT UNSIGNED NOT NULL",
    "its column next_id is int unsigned",
)];

/// A new UUID, until the client refuses.
async fn refused(map: &UuidMap, what: &str) -> Error {
    let begin = Instant::now();
    loop {
        match map.id_of(Uuid::new_v4()).await {
            Err(error) => return error,
            Ok(_) => assert!(begin.elapsed() < Duration::from_secs(300), "nobody notices {what}"),
        }
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn a_lost_key_is_noticed(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let other = UuidMap::connect(scratch.url()).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let of_index = if index == Index::Dedup { DEDUP } else { UNIQUE };
    for (worse, better, words) in of_index.iter().chain(BOTH) {
        for client in [&map, &other] {
            client.id_of(Uuid::new_v4()).await.unwrap();
        }
        run(&mut root, *worse).await;
        for client in [&map, &other] {
            let error = refused(client, worse).await;
            let said = error.to_string();
            assert!(said.contains(words) && !said.contains(" attempts"), "{worse}: {said}");
            assert!(!error.is_transient(), "{worse}: {said}");
        }
        // No client has the key to rely on from here on.
        let uuid = Uuid::new_v4();
        for client in [&map, &other] {
            client.id_of(uuid).await.unwrap_err();
        }
        run(&mut root, *better).await;
        for client in [&map, &other] {
            client.id_of(Uuid::new_v4()).await.unwrap();
        }
        assert_eq!(map.id_of(uuid).await.unwrap(), other.id_of(uuid).await.unwrap());
    }
    assert_sound(scratch.url()).await;
}

async fn other_alterations_are_harmless(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let mut root = connect(scratch.url()).await;
    for alteration in [
        "ALTER TABLE uuid_map COMMENT 'altered'",
        "ALTER TABLE uuid_map ADD COLUMN created TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP",
        "ALTER TABLE uuid_map ADD INDEX created (created)",
        "ALTER TABLE uuid_map_state ADD COLUMN note VARCHAR(9)",
        "ALTER TABLE uuid_map DROP INDEX created, DROP COLUMN created",
    ] {
        map.id_of(Uuid::new_v4()).await.unwrap();
        run(&mut root, alteration).await;
        // Longer than the second after which the definitions are read again.
        tokio::time::sleep(Duration::from_millis(1200)).await;
        map.id_of(Uuid::new_v4()).await.unwrap_or_else(|error| panic!("{alteration}: {error}"));
    }
    assert_sound(scratch.url()).await;
}
