//! Group Replication and Galera.

use std::time::Duration;

use idgen_mysql::{Index, Topology, UuidMap};
use idgen_server::{Cluster, ClusterKind, Wait};
use sqlx::mysql::MySqlDatabaseError;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::checker::{assert_stored, check};
use crate::memory::assert_limited;
use crate::sync::newest_changes_win;
use crate::traffic::Traffic;

/// The time limit of a call. Nothing is timed; a call that needs longer fails, and the test with it.
pub const TIMEOUT: Duration = Duration::from_secs(300);
const ANSWER_LIMIT: Duration = Duration::from_secs(5);

/// Runs one cluster at a time: on a busy machine, nodes that answer late look like nodes that are lost.
pub static ONE_AT_A_TIME: Mutex<()> = Mutex::const_new(());

type Loss = (&'static str, fn(&Cluster, usize) -> Result<(), idgen_server::Error>);
const KILLED: Loss = ("killed", Cluster::kill);
const WITHOUT_PEERS: Loss = ("cut off from its peers", Cluster::cut_from_peers);
const CUT_OFF: Loss = ("cut off from everything", Cluster::cut_off);

/// The URLs of all nodes for a schema, beginning with this node.
pub fn urls(cluster: &Cluster, first: usize, schema: &str) -> Vec<String> {
    let mut urls = cluster.urls();
    urls.rotate_left(first);
    urls.iter().map(|url| url.replace("/mysql?", &format!("/{schema}?"))).collect()
}

/// Runs each index in a schema of its own while nodes are lost and come back.
async fn keep_their_promises(kind: ClusterKind, topology: Topology, lives: &[(Index, &[Loss])]) {
    let _alone = ONE_AT_A_TIME.lock().await;
    let cluster = Cluster::start(kind).unwrap();
    assert_limited(&cluster.url(0), 3);
    if kind == ClusterKind::Galera {
        published_designs_fail(&cluster).await;
        a_pair_is_found_while_a_node_lags(&cluster).await;
        one_id_for_each_race(&cluster).await;
        newest_changes_win(&cluster).await;
    }
    if kind != ClusterKind::GroupSinglePrimary {
        claims_without_pairs_do_not_lead_to_two_ids(&cluster).await;
    }
    for (index, losses) in lives {
        keeps_its_promises(&cluster, topology, *index, losses).await;
    }
}

async fn keeps_its_promises(cluster: &Cluster, topology: Topology, index: Index, losses: &[Loss]) {
    let kind = cluster.kind();
    let schema = format!("maps_{index}");
    let primary = cluster.writers().unwrap()[0];
    let mut connection = MySqlConnection::connect(&cluster.url(primary)).await.unwrap();
    connection.execute(AssertSqlSafe(format!("CREATE DATABASE {schema}"))).await.unwrap();
    connection.close().await.unwrap();

    let mut maps = Vec::new();
    for first in 0..cluster.urls().len() {
        let builder = UuidMap::builder().index(index).cache(0).timeout(TIMEOUT);
        let urls = urls(cluster, first, &schema);
        // The first client installs the map, on whichever node accepts writes; the others find it there.
        let map = builder.answer_limit(ANSWER_LIMIT).connect_any(urls).await.unwrap();
        map.install().await.unwrap();
        assert_eq!(map.server_report().await.unwrap().topology(), topology);
        maps.push(map);
    }
    let traffic = Traffic::start(maps, &urls(cluster, 0, &schema));
    traffic.goes_on(200).await;
    for (how, lose) in losses {
        let node = cluster.writers().unwrap()[0];
        lose(cluster, node).unwrap();
        // All clients continue, also those of the lost node.
        let outages = traffic.goes_on(200).await;
        println!("{kind}, {index}: node {node} {how}; first answers after {outages:?} ms");
        cluster.bring_back(node).unwrap();
        traffic.goes_on(200).await;
    }
    let within = traffic.within();
    assert!(within > 0, "no transaction of a client's own was committed");
    let history = traffic.stop().await;
    let uuids = check(&history) as i64;
    println!("{kind}, {index}: {} answers about {uuids} UUIDs, {within} within", history.len());

    all_have_all_pairs(cluster, &schema, uuids).await;
    for node in 0..cluster.urls().len() {
        let url = urls(cluster, node, &schema).swap_remove(0);
        let mut connection = MySqlConnection::connect(&url).await.unwrap();
        let mut count = async |statement| count(&mut connection, statement).await.unwrap();
        assert_eq!(count("SELECT COUNT(*) - COUNT(DISTINCT uuid) FROM uuid_map").await, 0);
        assert_eq!(count("SELECT COUNT(*) - COUNT(DISTINCT id) FROM uuid_map").await, 0);
        assert_stored(&url, &history).await;
    }
}

/// Nodes may still be applying the last changes.
async fn all_have_all_pairs(cluster: &Cluster, schema: &str, pairs: i64) {
    let (wait, mut progress) = (Wait::until("all nodes have all pairs"), cluster.progress());
    for url in urls(cluster, 0, schema) {
        while !has_pairs(&url, pairs).await {
            wait.check();
            for node in progress.restart_stalled().unwrap() {
                cluster.bring_back(node).unwrap();
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }
}

async fn has_pairs(url: &str, pairs: i64) -> bool {
    // A node that was just started may not answer yet.
    let Ok(mut connection) = MySqlConnection::connect(url).await else { return false };
    count(&mut connection, "SELECT COUNT(*) FROM uuid_map").await.is_ok_and(|found| found >= pairs)
}

async fn count(connection: &mut MySqlConnection, statement: &'static str) -> sqlx::Result<i64> {
    connection.fetch_one(statement).await?.try_get(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn group_replication_with_one_primary() {
    let (kind, topology) = (ClusterKind::GroupSinglePrimary, Topology::GroupReplication);
    keep_their_promises(kind, topology, &[(Index::Unique, &[KILLED, CUT_OFF])]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn group_replication_with_many_primaries() {
    let (kind, topology) = (ClusterKind::GroupMultiPrimary, Topology::GroupReplication);
    let lives = [(Index::Unique, &[WITHOUT_PEERS][..]), (Index::Dedup, &[WITHOUT_PEERS])];
    keep_their_promises(kind, topology, &lives).await;
}

/// The published designs on two nodes at once: a named lock of one node does not exist on the other, so one UUID gets
/// two ids. Claims do conflict, and the client gets a deadlock error. The map on the same cluster is tested above.
async fn published_designs_fail(cluster: &Cluster) {
    let mut one = MySqlConnection::connect(&cluster.url(0)).await.unwrap();
    one.execute("CREATE DATABASE published").await.unwrap();
    let mut one = MySqlConnection::connect(&urls(cluster, 0, "published")[0]).await.unwrap();
    for statement in idgen_server::reference::statements() {
        one.execute(sqlx::raw_sql(statement)).await.unwrap();
    }
    let mut two = MySqlConnection::connect(&urls(cluster, 1, "published")[0]).await.unwrap();
    // Waits until the first node's commits have arrived.
    two.execute("SET SESSION wsrep_sync_wait = 15").await.unwrap();
    let call = async |connection: &mut MySqlConnection, function: &str, uuid: Uuid| -> u64 {
        let call = format!("SELECT {function}('{uuid}')");
        let row = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(call))).await.unwrap();
        row.try_get_unchecked(0).unwrap()
    };
    let uuid = Uuid::new_v4();
    let (mut first, mut second) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    let ids =
        [call(&mut first, "reference_lock", uuid).await, call(&mut second, "reference_lock", uuid).await];
    first.commit().await.unwrap();
    second.commit().await.unwrap();
    assert_ne!(ids[0], ids[1]);
    let rows = two.fetch_all("SELECT id FROM uuid_to_id").await.unwrap();
    assert_eq!(rows.len(), 2, "both nodes committed an id of one UUID");

    let uuid = Uuid::new_v4();
    let (mut first, mut second) = (one.begin().await.unwrap(), two.begin().await.unwrap());
    call(&mut first, "reference_dedup", uuid).await;
    call(&mut second, "reference_dedup", uuid).await;
    first.commit().await.unwrap();
    let lost = second.commit().await.unwrap_err();
    let number = lost.as_database_error().map(|error| error.downcast_ref::<MySqlDatabaseError>().number());
    assert_eq!(number, Some(1213), "{lost}");
}

/// The node that the map uses applies nothing for a while. A pair is committed on the caller's node, whose snapshot is
/// older.
async fn a_pair_is_found_while_a_node_lags(cluster: &Cluster) {
    let mut caller = MySqlConnection::connect(&cluster.url(0)).await.unwrap();
    caller.execute("CREATE DATABASE lagging").await.unwrap();
    let urls = urls(cluster, 0, "lagging");
    let builder = || UuidMap::builder().index(Index::Dedup).cache(0).timeout(TIMEOUT);
    let near = builder().connect(&urls[0]).await.unwrap();
    near.install().await.unwrap();
    near.id_of(Uuid::new_v4()).await.unwrap();
    // At first, waits until the first node's commits have arrived.
    let mut lagging = MySqlConnection::connect(&cluster.url(1)).await.unwrap();
    lagging.execute("SET SESSION wsrep_sync_wait = 15").await.unwrap();
    lagging.fetch_one("SELECT COUNT(*) FROM lagging.uuid_map").await.unwrap();
    let far = builder().connect(&urls[1]).await.unwrap();
    // From here on, it holds a block.
    far.id_of(Uuid::new_v4()).await.unwrap();

    let mut caller = MySqlConnection::connect(&urls[0]).await.unwrap();
    let mut transaction = caller.begin().await.unwrap();
    transaction.fetch_one("SELECT COUNT(*) FROM uuid_map_state").await.unwrap();
    lagging.execute("FLUSH TABLES WITH READ LOCK").await.unwrap();
    let uuid = Uuid::new_v4();
    let id = near.id_of(uuid).await.unwrap();
    assert_eq!(far.find(uuid).await.unwrap(), None, "the other node should lag");
    assert_eq!(far.id_of_within(&mut transaction, uuid).await.unwrap(), id);
    lagging.execute("UNLOCK TABLES").await.unwrap();
    transaction.commit().await.unwrap();
}

/// The pairs were deleted by SQL, and their claims were not. Clients on two nodes ask for the same UUIDs at the same
/// time: both change the claim again, and the cluster lets only one of the two changes succeed.
async fn claims_without_pairs_do_not_lead_to_two_ids(cluster: &Cluster) {
    let mut root = MySqlConnection::connect(&cluster.url(0)).await.unwrap();
    root.execute("CREATE DATABASE unpaired").await.unwrap();
    let urls = urls(cluster, 0, "unpaired");
    let builder = || UuidMap::builder().index(Index::Dedup).cache(0).timeout(TIMEOUT);
    let maker = builder().connect(&urls[0]).await.unwrap();
    maker.install().await.unwrap();
    let uuids: Vec<Uuid> = (0..40).map(|_| Uuid::new_v4()).collect();
    maker.ids_of(&uuids).await.unwrap();
    // A client may remove claims during any call. A closed client does not.
    maker.close().await.unwrap();
    for uuid in &uuids {
        let claim =
            format!("INSERT IGNORE INTO unpaired.uuid_map_claim (uuid) VALUES (x'{}')", uuid.simple());
        root.execute(sqlx::raw_sql(AssertSqlSafe(claim))).await.unwrap();
    }
    let rows = async |url: &str, what: &str, wanted: i64| {
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        // The other node may still be applying what this node committed.
        let wait = Wait::until(format!("{wanted} rows are in {what}"));
        loop {
            wait.check();
            let statement = format!("SELECT COUNT(*) FROM {what}");
            let count = connection.fetch_one(sqlx::raw_sql(AssertSqlSafe(statement))).await;
            if count.is_ok_and(|row| row.get::<i64, _>(0) == wanted) {
                break;
            }
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    rows(&urls[1], "uuid_map_claim", 40).await;
    root.execute("DELETE FROM unpaired.uuid_map").await.unwrap();
    // The state row names a pair that is no longer there: clients would take the table for an older copy.
    root.execute("UPDATE unpaired.uuid_map_state SET stored_id = 0").await.unwrap();
    rows(&urls[1], "uuid_map", 0).await;
    rows(&urls[1], "uuid_map_state WHERE stored_id = 0", 1).await;
    let (one, two) = (builder().connect(&urls[0]).await.unwrap(), builder().connect(&urls[1]).await.unwrap());
    for (at, uuid) in uuids.iter().enumerate() {
        let (one, two) = if at % 2 == 0 {
            let (one, two) = tokio::join!(one.id_of(*uuid), two.id_of(*uuid));
            (vec![one.unwrap()], vec![two.unwrap()])
        } else {
            let batch = &uuids[at..(at + 3).min(uuids.len())];
            let (one, two) = tokio::join!(one.ids_of(batch), two.ids_of(batch));
            (one.unwrap(), two.unwrap())
        };
        if one != two {
            let stored = stored_on(&urls).await;
            panic!("round {at}, {uuid}: one UUID has two ids, {one:?} and {two:?}; the nodes have\n{stored}");
        }
    }
    for url in &urls {
        rows(url, "uuid_map", 40).await;
    }
}

/// Two clients on two nodes ask for one new UUID at the same time, so that the cluster rolls one transaction back, at any of its
/// statements. With several statements in one text, Galera stored a second pair in about one of 500 races.
async fn one_id_for_each_race(cluster: &Cluster) {
    const RACES: i64 = 200;
    let mut root = MySqlConnection::connect(&cluster.url(0)).await.unwrap();
    root.execute("CREATE DATABASE races").await.unwrap();
    let urls = urls(cluster, 0, "races");
    let builder = || UuidMap::builder().index(Index::Dedup).cache(0).timeout(TIMEOUT);
    let one = builder().connect(&urls[0]).await.unwrap();
    one.install().await.unwrap();
    let two = builder().connect_any([urls[1].clone()]).await.unwrap();
    for race in 0..RACES {
        let uuid = Uuid::new_v4();
        let (one, two) = tokio::join!(one.id_of(uuid), two.id_of(uuid));
        assert_eq!(one.unwrap(), two.unwrap(), "race {race}, {uuid}:\n{}", stored_on(&urls).await);
    }
    // The second node has all pairs of the first one that it answered for.
    let mut second = MySqlConnection::connect(&urls[1]).await.unwrap();
    let pairs = count(&mut second, "SELECT COUNT(*) FROM uuid_map").await.unwrap();
    assert_eq!(pairs, RACES, "pairs of {RACES} UUIDs:\n{}", stored_on(&urls).await);
}

/// The pairs and claims of each node, in the order of the pairs.
async fn stored_on(urls: &[String]) -> String {
    let statement = "SELECT CONCAT_WS(' ', m.id, HEX(m.uuid), 'claim', c.turn) FROM uuid_map AS m \
        LEFT JOIN uuid_map_claim AS c ON c.uuid = m.uuid ORDER BY m.id";
    let mut stored = String::new();
    for (node, url) in urls.iter().enumerate() {
        let mut connection = MySqlConnection::connect(url).await.unwrap();
        for row in connection.fetch_all(statement).await.unwrap() {
            stored += &format!("{node}: {}\n", row.get::<String, _>(0));
        }
    }
    stored
}

#[tokio::test(flavor = "multi_thread")]
async fn galera() {
    let lives = [(Index::Unique, &[KILLED, WITHOUT_PEERS, CUT_OFF][..]), (Index::Dedup, &[WITHOUT_PEERS])];
    keep_their_promises(ClusterKind::Galera, Topology::Galera, &lives).await;
}
