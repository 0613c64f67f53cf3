//! Tests export and import.

use futures_util::TryStreamExt;
use idgen_mysql::{IdWidth, Imported, Index, UuidMap};
use idgen_server::Database;
use uuid::Uuid;

use crate::common::{assert_sound, everywhere, map};

everywhere!(
    pairs_move_to_another_map,
    contradictions_are_refused,
    new_ids_are_above_imported_ones,
    an_import_uses_up_the_ids_only_if_that_is_allowed,
    stats_tell_the_state
);

fn other(index: Index) -> Index {
    match index {
        Index::Unique => Index::Dedup,
        _ => Index::Unique,
    }
}

async fn pairs_move_to_another_map(database: Database, index: Index) {
    let (scratch, from) = map(database, index).await;
    let uuids: Vec<Uuid> = (0..2500).map(|_| Uuid::new_v4()).collect();
    let ids = from.ids_of(&uuids).await.unwrap();
    let all: Vec<(u64, Uuid)> = from.export(0).try_collect().await.unwrap();
    assert!(all.is_sorted());
    let mut expected: Vec<(u64, Uuid)> = ids.iter().copied().zip(uuids.iter().copied()).collect();
    expected.sort_unstable();
    assert_eq!(all, expected);
    // Resumed at any position, the export returns the rest.
    for at in [0, 999, 1000, 2499] {
        let rest: Vec<(u64, Uuid)> = from.export(all[at].0).try_collect().await.unwrap();
        assert_eq!(rest, all[at + 1..]);
    }

    let to =
        UuidMap::builder().table("copy").index(other(index)).cache(0).connect(scratch.url()).await.unwrap();
    to.install().await.unwrap();
    // Interrupted, then repeated from the beginning.
    assert_eq!(to.import(&all[..1700]).await.unwrap(), Imported { stored: 1700, present: 0 });
    assert_eq!(to.import(&all).await.unwrap(), Imported { stored: 800, present: 1700 });
    assert_eq!(to.ids_of(&uuids).await.unwrap(), ids);
    assert_sound(scratch.url()).await;
}

async fn contradictions_are_refused(database: Database, index: Index) {
    let (scratch, _) = map(database, index).await;
    let map = UuidMap::builder().allow_exhausting_import(true).connect(scratch.url()).await.unwrap();
    let known = Uuid::new_v4();
    let id = map.id_of(known).await.unwrap();
    let [a, b] = [Uuid::new_v4(), Uuid::new_v4()];
    let before = map.stats().await.unwrap().next_id;
    for (pairs, words) in [
        // The last possible id, for a UUID that already has another one.
        (vec![(i64::MAX as u64, known)], "the map has the id"),
        (vec![(500, a), (id, b)], "the map has this id for"),
        (vec![(500, a), (501, known)], "the map has the id"),
        (vec![(500, a), (500, b)], "the import gives this id to"),
        (vec![(500, a), (501, a)], "the import gives this UUID the id"),
        (vec![(500, a), (0, b)], "ids of this map are 1 to"),
        (vec![(500, a), (u64::MAX, b)], "ids of this map are 1 to"),
    ] {
        let error = map.import(&pairs).await.unwrap_err();
        assert!(error.is_conflict() && error.to_string().contains(words), "{error}");
        // No pair of the group was stored.
        assert_eq!(map.find_many(&[a, b]).await.unwrap(), [None, None], "{error}");
        assert_eq!(map.stats().await.unwrap().next_id, before, "{error}");
    }
    assert_sound(scratch.url()).await;
}

async fn new_ids_are_above_imported_ones(database: Database, index: Index) {
    let (scratch, holder) = map(database, index).await;
    // This client holds a block, and the import has ids in it.
    let first = holder.id_of(Uuid::new_v4()).await.unwrap();
    let fresh = UuidMap::connect(scratch.url()).await.unwrap();
    let imported = [(first + 1, Uuid::new_v4()), (first + 3, Uuid::new_v4()), (1_000_000, Uuid::new_v4())];
    fresh.import(&imported).await.unwrap();
    assert_eq!(fresh.id_of(Uuid::new_v4()).await.unwrap(), 1_000_001);
    let mut ids = Vec::new();
    for _ in 0..3 {
        ids.push(holder.id_of(Uuid::new_v4()).await.unwrap());
    }
    assert_eq!(ids, [first + 2, first + 4, first + 5]);
    assert_sound(scratch.url()).await;
}

async fn stats_tell_the_state(database: Database, index: Index) {
    let (scratch, _map) = map(database, index).await;
    let map = UuidMap::builder().table("narrow").index(index).id_width(IdWidth::Bits32).largest_block(10);
    let map = map.connect(scratch.url()).await.unwrap();
    map.install().await.unwrap();
    let before = map.stats().await.unwrap();
    assert_eq!((before.next_id, before.used_percent), (1, 0));
    // An import does not begin to clear claims away, as another call may.
    map.import(&[(1, Uuid::new_v4()), (u64::from(u32::MAX) / 2, Uuid::new_v4())]).await.unwrap();
    let after = map.stats().await.unwrap();
    assert_eq!((after.next_id, after.used_percent), (u64::from(u32::MAX) / 2 + 1, 49));
    assert_eq!(after.claims, (index == Index::Dedup).then_some(2));
    assert!(after.data_bytes > 0 && after.index_bytes > 0, "{after:?}");
}

async fn an_import_uses_up_the_ids_only_if_that_is_allowed(database: Database, index: Index) {
    let (scratch, map) = map(database, index).await;
    let known = map.id_of(Uuid::new_v4()).await.unwrap();
    let last = i64::MAX as u64;
    let pairs = [(known + 500, Uuid::new_v4()), (last, Uuid::new_v4())];
    let error = map.import(&pairs).await.unwrap_err();
    assert!(error.is_exhausting() && error.to_string().contains(&last.to_string()), "{error}");
    assert_eq!(map.find_many(&[pairs[0].1, pairs[1].1]).await.unwrap(), [None, None]);
    // The largest id that leaves enough ids.
    let most = last / 100 * 94;
    map.import(&[(most, Uuid::new_v4())]).await.unwrap();
    assert!(map.id_of(Uuid::new_v4()).await.is_ok());

    let allowed = UuidMap::builder().allow_exhausting_import(true).connect(scratch.url()).await.unwrap();
    allowed.import(&pairs).await.unwrap();
    assert_eq!(map.find(pairs[1].1).await.unwrap(), Some(last));
    // The map has already reached this id, so there is nothing left to protect.
    map.import(&[(last - 1, Uuid::new_v4())]).await.unwrap();
    let error = UuidMap::connect(scratch.url()).await.unwrap().id_of(Uuid::new_v4()).await.unwrap_err();
    assert!(error.is_exhausted(), "{error}");
    assert_sound(scratch.url()).await;
}
