//! The connections to one server.

use std::sync::Arc;
use std::time::Duration;

use deadpool::managed::{Object, Pool, PoolError, QueueMode, Timeouts};
use sqlx::mysql::MySqlConnectOptions;

use crate::connection::connector::{Connector, Terms};
use crate::error::failure::Failure;

/// The most connections to each node that only statements use which wait for no pair, if calls that do wait hold all
/// others.
const RESERVE: usize = 2;

/// The options for connecting to a node, and the largest number of connections.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    pub(crate) options: MySqlConnectOptions,
    pub(crate) connections: u32,
}

/// The connections to one node.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) pool: Pool<Connector>,
    /// Connections for statements that never wait for a pair, used while the pool has none left.
    pub(super) reserve: Pool<Connector>,
}

impl Node {
    /// Connects when a connection is needed. `several` says whether there are other nodes.
    pub(super) fn new(address: &Address, terms: &Arc<Terms>, several: bool) -> Self {
        let pool = |size: usize| {
            let connector = Connector::new(address.options.clone(), terms.clone(), several);
            // The connection that was used last is the most likely to be alive.
            let builder = Pool::builder(connector).max_size(size).queue_mode(QueueMode::Lifo);
            builder.build().expect("a pool without time limits")
        };
        Node { pool: pool(address.connections as usize), reserve: pool(RESERVE) }
    }

    pub(super) fn pools(&self) -> [&Pool<Connector>; 2] {
        [&self.pool, &self.reserve]
    }

    /// A connection of the pool if one is idle or can be made, and otherwise one of the reserve.
    pub(super) async fn at_once(&self) -> Result<(Object<Connector>, bool), PoolError<Failure>> {
        let now = Timeouts { wait: Some(Duration::ZERO), ..Timeouts::default() };
        match self.pool.timeout_get(&now).await {
            Err(PoolError::Timeout(_)) => {}
            got => return Ok((got?, false)),
        }
        match self.reserve.get().await {
            // The server allows no more connections, so this waits for one of the pool.
            Err(PoolError::Backend(failure)) if failure.is_too_many_connections() => {
                Ok((self.pool.get().await?, false))
            }
            got => Ok((got?, true)),
        }
    }
}
