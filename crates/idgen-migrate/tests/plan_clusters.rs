//! Clusters on which several nodes take writes: a plan is refused there.
#![allow(clippy::unwrap_used, reason = "a test may panic")]

use idgen_migrate::plan::{Options, Target, plan};
use idgen_server::{Cluster, ClusterKind};
use sqlx::mysql::MySqlConnection;
use sqlx::{Connection, Executor};

const SCHEMA: &str = "CREATE DATABASE shop; \
    CREATE TABLE shop.orders (id CHAR(36) CHARACTER SET ascii PRIMARY KEY, total INT); \
    INSERT INTO shop.orders VALUES ('018f0000-0000-7000-8000-000000000001', 1)";

async fn is_refused(kind: ClusterKind, words: &str) {
    let cluster = Cluster::start(kind).unwrap();
    let mut connection = MySqlConnection::connect(&cluster.url(0)).await.unwrap();
    for statement in SCHEMA.split("; ") {
        connection.execute(statement).await.unwrap();
    }
    let url = cluster.url(0).replace("/mysql?", "/shop?");
    let error = plan(&url, &Options::new("orders", Target::Binary16)).await.unwrap_err().to_string();
    assert!(error.contains(words) && error.contains("would lose changes"), "{error}");
}

#[tokio::test]
async fn galera() {
    is_refused(ClusterKind::Galera, "WSREP_CLUSTER_SIZE is 3").await;
}

#[tokio::test]
#[ignore = "another cluster: make soak executes it"]
async fn group_replication_with_many_primaries() {
    is_refused(ClusterKind::GroupMultiPrimary, "group_replication_single_primary_mode is OFF").await;
}
