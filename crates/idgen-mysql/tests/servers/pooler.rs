//! Tests poolers that give one session of the server to several clients: they are recognized, and what another client leaves in
//! a session loses no pair that was acknowledged.

use std::time::Duration;

use idgen_mysql::{Index, UuidMap};
use idgen_server::{Database, Scratch, SharedConnection};
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use uuid::Uuid;

use crate::common::{connect, map, number, on_both, run};

on_both!(a_pooler_is_recognized, what_another_client_leaves_loses_no_pair);

/// The proxies could not read encrypted statements.
fn unencrypted(url: &str) -> String {
    let (url, _) = url.split_once('?').unwrap();
    format!("{url}?ssl-mode=DISABLED")
}

/// The other client has its session first.
async fn a_pooler_is_recognized(database: Database) {
    let (scratch, _map) = map(database, Index::Unique).await;
    let shared = SharedConnection::start(scratch.url()).unwrap();
    let url = unencrypted(&shared.url(scratch.url()));
    let mut other = connect(&url).await;
    run(&mut other, "SET @mine = 1").await;
    let map = UuidMap::connect(&url).await.unwrap();
    shared.until_one_client_is_left();
    let error = map.id_of(Uuid::new_v4()).await.unwrap_err();
    shared.until_one_client_is_left();
    let said = error.to_string();
    assert!(
        error.is_unsafe_server() && said.contains("goes through a pooler") && !said.contains("attempts"),
        "{said}"
    );
    assert_eq!(number(&mut other, "SELECT COUNT(*) FROM uuid_map").await, Ok(0));
}

/// A pooler with two sessions, which clients get in turn: the second client, which looks for poolers, has the other one.
async fn two_sessions(scratch: &Scratch) -> (String, [SharedConnection; 2]) {
    let sessions = [(); 2].map(|()| SharedConnection::start(scratch.url()).unwrap());
    let addresses = sessions.each_ref().map(|session| {
        let url = session.url(scratch.url());
        let (_, address) = url.rsplit_once('@').unwrap();
        address.split_once('/').unwrap().0.to_owned()
    });
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let own = listener.local_addr().unwrap().to_string();
    let url = unencrypted(&sessions[0].url(scratch.url())).replace(&addresses[0], &own);
    tokio::spawn(async move {
        for address in addresses.iter().cycle() {
            let (mut client, _) = listener.accept().await.unwrap();
            let mut session = TcpStream::connect(address).await.unwrap();
            tokio::spawn(async move { copy_bidirectional(&mut client, &mut session).await });
        }
    });
    (url, sessions)
}

async fn what_another_client_leaves_loses_no_pair(database: Database) {
    let temporary =
        "CREATE TEMPORARY TABLE uuid_map (id BIGINT UNSIGNED PRIMARY KEY, uuid BINARY(16) NOT NULL UNIQUE)";
    for (left, size) in
        [("SET autocommit = 0", 1), ("SET autocommit = 0", 9), (temporary, 9), ("SET @idgen_session = 7", 1)]
    {
        let (scratch, _map) = map(database, Index::Unique).await;
        let (url, sessions) = two_sessions(&scratch).await;
        let limits =
            UuidMap::builder().answer_limit(Duration::from_secs(60)).timeout(Duration::from_secs(180));
        let map = limits.cache(0).connections(1).connect(&url).await.unwrap();
        let mut acknowledged = Vec::new();
        let batch = || (0..size).map(|_| Uuid::new_v4()).collect::<Vec<Uuid>>();
        let first = batch();
        acknowledged.extend(map.ids_of(&first).await.unwrap());
        // The map may have either of the two sessions.
        let mut others = Vec::new();
        for session in &sessions {
            session.until_one_client_is_left();
            let mut other = connect(&unencrypted(&session.url(scratch.url()))).await;
            run(&mut other, left).await;
            others.push(other);
        }
        let mut refused = None;
        while refused.is_none() && acknowledged.len() < 20 * size {
            let call = async |uuids: Vec<Uuid>| match uuids[..] {
                [uuid] => map.id_of(uuid).await.map(|id| vec![id]),
                _ => map.ids_of(&uuids).await,
            };
            match call(batch()).await {
                Ok(ids) => acknowledged.extend(ids),
                Err(error) => refused = Some(error),
            }
        }
        drop((map, others));
        let mut root = connect(scratch.url()).await;
        let stored = number(&mut root, "SELECT COUNT(*) FROM uuid_map").await.unwrap();
        assert_eq!(stored as usize, acknowledged.len(), "{left} {size}");
        let error = refused.expect("the map goes on in a session of others");
        assert!(
            error.is_unsafe_server() && error.to_string().contains("goes through a pooler"),
            "{left}: {error}"
        );
    }
}
