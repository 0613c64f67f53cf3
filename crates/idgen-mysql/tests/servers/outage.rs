//! Nodes that are there and do not do their work, and calls that are made meanwhile.

use std::time::Duration;

use idgen_mysql::{Strategy, UuidMap};
use idgen_server::Flavor;
use sqlx::mysql::MySqlPoolOptions;
use uuid::Uuid;

use crate::common::{map, on_both};
use crate::proxy::{Mood, Proxy};

on_both!(the_first_call_leaves_a_bad_node);

/// Not even the first look at a map may depend on the first node.
async fn the_first_call_leaves_a_bad_node(flavor: Flavor) {
    let (scratch, map) = map(flavor, Strategy::Unique).await;
    let uuid = Uuid::new_v4();
    let id = map.id_of(uuid).await.unwrap();
    for mood in [Mood::NoMember, Mood::Silent, Mood::Gone] {
        let bad = Proxy::start(scratch.url()).await;
        let builder = UuidMap::builder().answer_limit(Duration::from_millis(500));
        let map = builder.connect_any([bad.url(), scratch.url()]).await.unwrap();
        bad.set(mood);
        // Without end, where nobody bounds the first read.
        let call = tokio::time::timeout(Duration::from_secs(60), map.id_of(uuid));
        assert_eq!(call.await.unwrap_or_else(|_| panic!("{mood:?}: no answer")).unwrap(), id, "{mood:?}");
    }
}

/// Of a hundred callers during an outage, the last one is told within its own patience.
#[tokio::test(start_paused = true)]
async fn callers_do_not_wait_for_each_others_patience() {
    for same in [true, false] {
        // Nothing listens on this port.
        let pool = MySqlPoolOptions::new().connect_lazy("mysql://app@127.0.0.1:1/shop").unwrap();
        let map = UuidMap::builder().patience(Duration::from_secs(30)).with_pool(&pool).unwrap();
        let begin = tokio::time::Instant::now();
        let callers: Vec<_> = (0..100)
            .map(|_| {
                let (map, uuid) = (map.clone(), if same { Uuid::nil() } else { Uuid::new_v4() });
                tokio::spawn(async move { map.id_of(uuid).await })
            })
            .collect();
        for caller in callers {
            let error = caller.await.unwrap().unwrap_err();
            assert!(error.is_transient(), "{error}");
        }
        assert!(begin.elapsed() < Duration::from_secs(31), "{:?}", begin.elapsed());
    }
}
