//! Tests names of maps, and addresses at which nothing listens.

use std::time::Duration;

use futures_util::TryStreamExt;
use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use sqlx::Connection;
use uuid::Uuid;

use crate::common::{connect, everywhere, server};

everywhere!(reserved_words_can_be_names);

async fn reserved_words_can_be_names(database: Database, index: Index) {
    let scratch = server(database).scratch().unwrap();
    for name in ["order", "SELECT", "rank"] {
        let builder = || UuidMap::builder().table(name).index(index).cache(0);
        let map = builder().connect(scratch.url()).await.unwrap();
        map.install().await.unwrap();
        let uuids: Vec<Uuid> = (0..20).map(|_| Uuid::new_v4()).collect();
        let ids = map.ids_of(&uuids).await.unwrap();
        assert_eq!(map.id_of(uuids[0]).await.unwrap(), ids[0]);
        assert_eq!(map.uuid_of(ids[1]).await.unwrap(), Some(uuids[1]));
        let mut connection = connect(scratch.url()).await;
        let mut transaction = connection.begin().await.unwrap();
        let new = map.id_of_within(&mut transaction, Uuid::new_v4()).await.unwrap();
        assert_eq!(map.ids_of_within(&mut transaction, &uuids).await.unwrap(), ids);
        transaction.commit().await.unwrap();
        assert_eq!(map.import(&[(5000, Uuid::new_v4())]).await.unwrap().stored, 1);
        assert_eq!(map.forget(uuids[2]).await.unwrap(), Some(ids[2]));
        assert_eq!(map.export(0).try_collect::<Vec<_>>().await.unwrap().len(), 21);
        assert_eq!(map.changes(&idgen_mysql::Position::default(), 100).await.unwrap().0.len(), 21);
        assert!(map.stats().await.unwrap().data_bytes > 0 && new < 5000);
        assert_eq!(map.check().await.unwrap(), []);
        map.repair().await.unwrap();
        map.close().await.unwrap();
        // The tables are found and accepted.
        builder().connect(scratch.url()).await.unwrap().install().await.unwrap();
    }
}

/// The map `m` keeps its state in the table `m_state`, which a map of that name would use for its pairs.
#[tokio::test]
async fn a_maps_name_is_not_that_of_another_ones_table() {
    for name in ["m_state", "m_claim", "M_SYNC"] {
        let error = UuidMap::builder().table(name).connect("mysql://app@127.0.0.1:1/shop").await.unwrap_err();
        assert!(
            error.is_config() && error.to_string().contains("the map \"m\"") || name == "M_SYNC",
            "{error}"
        );
    }
}

/// A client that waits for a server to come back waits for an hour here.
#[tokio::test]
async fn a_wrong_port_is_named_soon() {
    let builder = || UuidMap::builder().timeout(Duration::from_secs(3600));
    let urls = ["mysql://app:s3cret@127.0.0.1:1/shop", "mysql://app:s3cret@127.0.0.1:2/shop"];
    for count in [1, 2] {
        let connecting = builder().connect_any(&urls[..count]);
        let answer = tokio::time::timeout(Duration::from_secs(60), connecting).await;
        let error = answer.expect("no error within a minute").unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("127.0.0.1:") && text.contains("refused") && !text.contains("s3cret"),
            "{text}"
        );
        assert!(error.is_transient(), "{text}");
    }
}
