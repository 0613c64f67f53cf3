//! Checks that the privileges that docs/mapping.md lists for a user of the map are sufficient, and that no others are
//! needed.

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{connect, everywhere, map, user};

everywhere!(the_documented_privileges_are_enough);

async fn the_documented_privileges_are_enough(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let known = Uuid::new_v4();
    let id = owner.id_of(known).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let mut grants = vec![
        ("SELECT, INSERT, UPDATE", "uuid_map"),
        ("SELECT, UPDATE", "uuid_map_state"),
        ("SELECT, INSERT, UPDATE", "uuid_map_sync"),
    ];
    if index == Index::Dedup {
        grants.push(("SELECT, INSERT, UPDATE, DELETE", "uuid_map_claim"));
    }
    let url = user(&mut root, &scratch, &grants).await;
    let writer = UuidMap::builder().cache(0).connect(&url).await.unwrap();
    // All tables exist, so nothing is created.
    writer.install().await.unwrap();
    assert_eq!(writer.id_of(known).await.unwrap(), id);
    let uuids: Vec<Uuid> = (0..20).map(|_| Uuid::new_v4()).collect();
    let ids = writer.ids_of(&uuids).await.unwrap();
    writer.import(&[(5000, Uuid::new_v4())]).await.unwrap();
    assert_eq!(writer.forget(uuids[3]).await.unwrap(), Some(ids[3]));
    assert_eq!(writer.find(uuids[4]).await.unwrap(), Some(ids[4]));
    assert_eq!(writer.check().await.unwrap(), []);
    writer.repair().await.unwrap();
    writer.fence(6000).await.unwrap();
    assert_eq!(writer.stats().await.unwrap().next_id, 6000);
    assert_eq!(writer.changes(&idgen_mysql::Position::default(), 100).await.unwrap().0.len(), 21);
    writer.close().await.unwrap();
}
