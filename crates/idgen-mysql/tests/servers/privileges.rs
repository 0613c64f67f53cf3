//! Checks that the privileges that docs/mapping.md lists for a user of the map are sufficient, and that no others are
//! needed.

use idgen_mysql::{Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{connect, everywhere, map, run};

everywhere!(the_documented_privileges_are_enough);

async fn the_documented_privileges_are_enough(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let known = Uuid::new_v4();
    let id = owner.id_of(known).await.unwrap();
    let mut root = connect(scratch.url()).await;
    let schema = scratch.name();
    let (_, address) = scratch.url().rsplit_once('@').unwrap();
    let mut user = async |name: &str, grants: &[(&str, &str)]| {
        let name = format!("{name}{}", &schema[schema.len() - 16..]);
        run(&mut root, format!("CREATE USER '{name}'@'%' IDENTIFIED BY 'Secret-7'")).await;
        for (privileges, table) in grants {
            if *table != "uuid_map_claim" || index == Index::Dedup {
                run(&mut root, format!("GRANT {privileges} ON {schema}.{table} TO '{name}'@'%'")).await;
            }
        }
        UuidMap::builder().cache(0).connect(&format!("mysql://{name}:Secret-7@{address}")).await.unwrap()
    };
    let writer = user(
        "w",
        &[
            ("SELECT, INSERT, UPDATE", "uuid_map"),
            ("SELECT, UPDATE", "uuid_map_state"),
            ("SELECT, INSERT, UPDATE", "uuid_map_sync"),
            ("SELECT, INSERT, UPDATE, DELETE", "uuid_map_claim"),
        ],
    )
    .await;
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
