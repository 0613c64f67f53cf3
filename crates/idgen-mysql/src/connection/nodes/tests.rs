//! Calls of which no server is running.

use sqlx::mysql::MySqlConnectOptions;

use super::*;
use crate::call::retry::Retries;
use crate::table::tables::Tables;

/// Nodes of which none is running: nothing listens on this port, and each connection is refused.
pub(crate) fn nobody(count: usize) -> Nodes {
    let options: MySqlConnectOptions = "mysql://app:s3cret@127.0.0.1:1/shop".parse().unwrap();
    let address = Address { options, connections: 10 };
    let identity = MapIdentity::new(Tables::named("uuid_map").unwrap());
    let terms = Terms {
        identity,
        answer_limit: Duration::from_secs(10),
        accept_unsafe: false,
        is_in_galera: true.into(),
    };
    Nodes::new(vec![address; count], terms)
}

#[tokio::test(start_paused = true)]
async fn a_call_ends_at_its_deadline() {
    for count in [1, 3] {
        for secs in [0, 1, 7, 30] {
            let begin = tokio::time::Instant::now();
            let deadline = Deadline::after(Duration::from_secs(secs));
            let nodes = nobody(count).within(deadline);
            let error = Retries::run(deadline, "try", || nodes.acquire()).await.map(drop).unwrap_err();
            assert!(error.is_transient(), "{error}");
            let took = begin.elapsed();
            assert!(took <= Duration::from_secs(secs.max(1)) + Duration::from_millis(2), "{took:?}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn the_error_names_a_server_that_does_not_answer() {
    let deadline = Deadline::after(Duration::ZERO);
    let nodes = nobody(1).within(deadline);
    let error = Retries::run(deadline, "connect", || nodes.reach()).await.unwrap_err().to_string();
    assert!(error.contains("127.0.0.1:1: ") && error.contains("refused"), "{error}");
    assert!(!error.contains("s3cret"), "{error}");
}
