//! Tests look-ups that return nothing although the pair is there, because the server chose a plan that hides rows: no UUID gets
//! a second id.

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Server};
use sqlx::{Connection, MySqlConnection};
use uuid::Uuid;

use crate::common::{assert_sound, connect, everywhere, map, number, on_both, run, settings};
use crate::proxy::{Mood, Proxy};

everywhere!(
    a_plan_that_hides_rows_gives_no_second_id,
    a_plan_that_hides_rows_gives_no_second_id_within,
    new_uuids_among_known_ones_are_stored
);
on_both!(optimizer_switches_change_nothing);

fn some(count: usize) -> Vec<Uuid> {
    (0..count).map(|_| Uuid::new_v4()).collect()
}

async fn a_plan_that_hides_rows_gives_no_second_id(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let proxy = Proxy::start(scratch.url()).await;
    let known = some(20);
    let ids = owner.ids_of(&known).await.unwrap();
    for used in [false, true] {
        let map = UuidMap::builder().cache(0).connect(proxy.url()).await.unwrap();
        proxy.set(Mood::Fair);
        if used {
            map.id_of(known[0]).await.unwrap();
            assert_eq!(map.ids_of(&known).await.unwrap(), ids);
        } else {
            map.map_id().await.unwrap();
        }
        proxy.set(Mood::Hides);
        for call in [&known[..1], &known[..2], &known[..]] {
            let error = map.ids_of(call).await.unwrap_err();
            assert!(error.is_damaged() && !error.is_transient(), "{error}");
        }
        assert!(map.id_of(known[3]).await.unwrap_err().is_damaged());
        assert!(map.register(known[4]).await.unwrap_err().is_damaged());
        if index == Index::Dedup {
            let error = map.find_many(&known).await.unwrap_err();
            assert!(error.is_damaged() && error.to_string().contains("optimizer_switch"), "{error}");
            assert!(map.forget(known[5]).await.unwrap_err().is_damaged());
        }
        map.import(&[(700, known[6])]).await.unwrap_err();
        // Known and new ones together.
        let mixed = [&known[..2], &some(2)].concat();
        map.ids_of(&mixed).await.unwrap_err();
        proxy.set(Mood::Fair);
        assert_eq!(map.ids_of(&known).await.unwrap(), ids);
        map.ids_of(&mixed).await.unwrap();
    }
    assert_eq!(owner.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

/// The plan is the caller's, or that of the map's own connection, or both.
async fn a_plan_that_hides_rows_gives_no_second_id_within(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let known = some(6);
    let ids = owner.ids_of(&known).await.unwrap();
    for (callers, maps) in [(true, false), (false, true), (true, true)] {
        for level in ["REPEATABLE READ", "READ COMMITTED"] {
            let (caller, own) = (Proxy::start(scratch.url()).await, Proxy::start(scratch.url()).await);
            let map = UuidMap::builder().cache(0).connect(own.url()).await.unwrap();
            map.map_id().await.unwrap();
            let mut connection = connect(caller.url()).await;
            run(&mut connection, format!("SET SESSION TRANSACTION ISOLATION LEVEL {level}")).await;
            let mut transaction = connection.begin().await.unwrap();
            // A snapshot without the newest pair.
            number(&mut transaction, "SELECT COUNT(*) FROM uuid_map_state").await.unwrap();
            let newest = Uuid::new_v4();
            let id = owner.id_of(newest).await.unwrap();
            caller.set(if callers { Mood::Hides } else { Mood::Fair });
            own.set(if maps { Mood::Hides } else { Mood::Fair });
            for (uuid, id) in [(known[0], ids[0]), (newest, id)] {
                if let Ok(found) = map.id_of_within(&mut transaction, uuid).await {
                    assert_eq!(found, id, "{callers} {maps} {level}");
                }
            }
            if let Ok(found) = map.ids_of_within(&mut transaction, &known).await {
                assert_eq!(found, ids, "{callers} {maps} {level}");
            }
            transaction.commit().await.unwrap();
        }
    }
    assert_eq!(owner.check().await.unwrap(), []);
    assert_sound(scratch.url()).await;
}

/// A batch of both takes the old ids, stores the new pairs, and wastes no id.
async fn new_uuids_among_known_ones_are_stored(database: Database, index: Index) {
    let (scratch, owner) = map(database, index).await;
    let map = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
    // From here on, it expects new UUIDs.
    map.ids_of(&some(50)).await.unwrap();
    let known = some(10);
    let ids = owner.ids_of(&known).await.unwrap();
    let mut mixed: Vec<Uuid> = known.iter().copied().chain(some(20)).collect();
    mixed.rotate_left(5);
    let found = map.ids_of(&mixed).await.unwrap();
    assert_eq!(owner.ids_of(&mixed).await.unwrap(), found);
    assert_eq!(owner.ids_of(&known).await.unwrap(), ids);
    assert_eq!(map.id_of(known[0]).await.unwrap(), ids[0]);
    // Ids that were proposed for known UUIDs are used next: the client's first block of 128 has no gap.
    map.ids_of(&some(128 - 50 - 20)).await.unwrap();
    let mut connection = connect(scratch.url()).await;
    let used = "SELECT COUNT(*) FROM uuid_map WHERE id <= 128";
    assert_eq!(number(&mut connection, used).await, Ok(128), "ids were wasted");
    assert_sound(scratch.url()).await;
}

/// Case 4: MariaDB 10.11 and 11.8 find no rows by an index on a virtual column then.
async fn optimizer_switches_change_nothing(database: Database) {
    let server = Server::start(database, &settings()).unwrap();
    let mut root = connect(server.url()).await;
    let texts: &[&str] = match database {
        Database::MySql => &["mrr=on,mrr_cost_based=off", "mrr=on,mrr_cost_based=off,batched_key_access=on"],
        _ => &["mrr=on", "mrr=on,mrr_sort_keys=on", "mrr=on,join_cache_bka=on,optimize_join_buffer_size=on"],
    };
    for switches in texts {
        run(&mut root, format!("SET GLOBAL optimizer_switch = '{switches}'")).await;
        if database != Database::MySql {
            run(&mut root, "SET GLOBAL join_cache_level = 8").await;
        }
        for index in [Index::Unique, Index::Dedup] {
            let scratch = server.scratch().unwrap();
            let map = UuidMap::builder().index(index).cache(0).connect(scratch.url()).await.unwrap();
            map.install().await.unwrap();
            let known = some(50);
            let ids = map.ids_of(&known).await.unwrap();
            assert_eq!(map.ids_of(&known).await.unwrap(), ids);
            let found: Option<Vec<u64>> = map.find_many(&known).await.unwrap().into_iter().collect();
            assert_eq!(found, Some(ids.clone()), "{switches}");
            let other = UuidMap::builder().cache(0).connect(scratch.url()).await.unwrap();
            assert_eq!(other.ids_of(&known).await.unwrap(), ids, "{switches}");
            within_finds(&map, &mut connect(scratch.url()).await, &known, &ids).await;
            assert_eq!(map.forget(known[0]).await.unwrap(), Some(ids[0]));
            assert_sound(scratch.url()).await;
        }
    }
}

/// On a session of the caller, whose switches are the server's.
async fn within_finds(map: &UuidMap, connection: &mut MySqlConnection, known: &[Uuid], ids: &[u64]) {
    let mut transaction = connection.begin().await.unwrap();
    assert_eq!(map.ids_of_within(&mut transaction, known).await.unwrap(), ids);
    let (new, again) = (Uuid::new_v4(), some(3));
    let id = map.id_of_within(&mut transaction, new).await.unwrap();
    assert_eq!(map.id_of_within(&mut transaction, new).await.unwrap(), id);
    let later = map.ids_of_within(&mut transaction, &again).await.unwrap();
    assert_eq!(map.ids_of_within(&mut transaction, &again).await.unwrap(), later);
    transaction.commit().await.unwrap();
}
