//! Tests readers that follow a map while it is in use.

use idgen_mysql::{Index, Position, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{connect, everywhere, map, run};

everywhere!(a_low_id_that_commits_late_is_not_missed, a_reader_sees_each_pair_of_concurrent_writers_once);

/// All changes since the last call.
async fn read(map: &UuidMap, position: &mut Position) -> Vec<(u64, Uuid)> {
    let mut all = Vec::new();
    loop {
        let (pairs, next) = map.changes(position, 1500).await.unwrap();
        if pairs.is_empty() {
            return all;
        }
        all.extend(pairs);
        *position = next.to_string().parse().unwrap();
        assert_eq!(*position, next);
    }
}

async fn a_low_id_that_commits_late_is_not_missed(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let other = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    let uuids: Vec<Uuid> = (0..6).map(|_| Uuid::new_v4()).collect();
    let mut position = Position::default();
    assert_eq!(map.id_of(uuids[0]).await.unwrap(), 1);
    // The transaction is open, so other clients may not see the pair yet.
    let mut connection = connect(scratch.url()).await;
    run(&mut connection, "BEGIN").await;
    assert_eq!(map.id_of_within(&mut connection, uuids[1]).await.unwrap(), 2);
    assert_eq!(other.id_of(uuids[2]).await.unwrap(), 129);
    assert_eq!(read(&map, &mut position).await, [(1, uuids[0]), (129, uuids[2])]);
    run(&mut connection, "COMMIT").await;
    // An id from a block that was reserved earlier.
    assert_eq!(map.id_of(uuids[3]).await.unwrap(), 3);
    assert_eq!(read(&map, &mut position).await, [(2, uuids[1]), (3, uuids[3])]);
    other.import(&[(100, uuids[4]), (5000, uuids[5])]).await.unwrap();
    assert_eq!(read(&map, &mut position).await, [(100, uuids[4]), (5000, uuids[5])]);
    assert_eq!(read(&map, &mut position).await, []);
    assert_eq!(position.to_string(), "4-99,101-128,130-4999,5001-");
}

async fn a_reader_sees_each_pair_of_concurrent_writers_once(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let writers: Vec<_> = (0..6)
        .map(|writer| {
            let url = scratch.url().to_owned();
            tokio::spawn(async move {
                let map = UuidMap::builder().cache(0).connect(&url).await.unwrap();
                let mut made = Vec::new();
                for round in 0..30 {
                    let uuids: Vec<Uuid> = (0..=writer * round).map(|_| Uuid::new_v4()).collect();
                    made.extend(map.ids_of(&uuids).await.unwrap().into_iter().zip(uuids));
                }
                made
            })
        })
        .collect();
    let (mut position, mut seen) = (Position::default(), Vec::new());
    while !writers.iter().all(|writer| writer.is_finished()) {
        seen.extend(read(&map, &mut position).await);
    }
    seen.extend(read(&map, &mut position).await);
    let mut made = Vec::new();
    for writer in writers {
        made.extend(writer.await.unwrap());
    }
    seen.sort_unstable();
    made.sort_unstable();
    assert_eq!(seen, made);
}
