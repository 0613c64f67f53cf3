//! Tests calls that are dropped at random points.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, connect, connection_list, everywhere, map, number, until};

everywhere!(a_canceled_call_leaves_no_lock_and_no_claim);

async fn a_canceled_call_leaves_no_lock_and_no_claim(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().cache(0).connections(4).connect(scratch.url()).await.unwrap();
    let uuids: Vec<Uuid> = (0..400).map(|_| Uuid::new_v4()).collect();
    let mut acknowledged = Vec::new();
    let mut cancelled = 0;
    for (at, uuid) in uuids.iter().enumerate() {
        let limit = Duration::from_micros(fastrand::u64(0..3000));
        let answer = if at % 4 == 0 {
            let batch = &uuids[at..(at + 20).min(uuids.len())];
            tokio::time::timeout(limit, map.ids_of(batch)).await.map(|ids| ids.unwrap()[0])
        } else {
            tokio::time::timeout(limit, map.id_of(*uuid)).await.map(Result::unwrap)
        };
        match answer {
            Ok(id) => acknowledged.push((*uuid, id)),
            Err(_) => cancelled += 1,
        }
    }
    assert!(cancelled > 0, "no call was cancelled: the test tests nothing");
    // Every pooled connection still works, and what was acknowledged is stored.
    for (uuid, id) in &acknowledged {
        assert_eq!(map.id_of(*uuid).await.unwrap(), *id);
    }
    let ids = map.ids_of(&uuids).await.unwrap();
    assert_eq!(map.ids_of(&uuids).await.unwrap(), ids);
    let mut connection = connect(scratch.url()).await;
    assert_eq!(number(&mut connection, "SELECT COUNT(*) FROM uuid_map").await, Ok(400));
    // No transaction of this schema is still open: dropping its table would wait for that.
    let open = format!(
        "SELECT COUNT(*) FROM information_schema.innodb_trx t JOIN {} p \
         ON p.id = t.trx_mysql_thread_id WHERE p.db = '{}'",
        connection_list(database),
        scratch.name()
    );
    // Abandoned work ends soon after its call.
    until(&mut connection, "no transaction is open", &open, |found| found == 0).await;
    assert_sound(scratch.url()).await;
}
