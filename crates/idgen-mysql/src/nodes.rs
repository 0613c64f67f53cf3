//! The servers that a map may use: one, or the nodes of a cluster, of which one at a time is in use.
//!
//! A node that fails, or that takes no writes, is left for the next one. Nothing is lost by going to a wrong
//! node: the keys of the tables decide, on whichever node a claim is made.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::mysql::{MySqlConnection, MySqlQueryResult, MySqlRow};
use sqlx::pool::PoolConnection;
use sqlx::{Execute, Executor, MySql, MySqlPool};

use crate::retry::{is_of_this_node, silence};

/// With another node to go to, no longer than this is waited for a connection: sqlx goes on trying an address
/// that refuses connections.
const REACH_LIMIT: Duration = Duration::from_secs(3);

/// Connections to each node.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    pools: Arc<[MySqlPool]>,
    current: Arc<AtomicUsize>,
    answer_limit: Duration,
}

/// A connection in use.
pub(crate) struct Lease {
    // Taken out only on drop.
    connection: Option<PoolConnection<MySql>>,
    node: usize,
    nodes: Nodes,
    silent: bool,
}

impl Nodes {
    /// At least one pool.
    pub(crate) fn new(pools: Vec<MySqlPool>, answer_limit: Duration) -> Nodes {
        Nodes { pools: pools.into(), current: Arc::default(), answer_limit }
    }

    /// A connection to the node in use. A failure moves on to the next node, for the next try.
    pub(crate) async fn acquire(&self) -> Result<Lease, sqlx::Error> {
        let node = self.current.load(Ordering::Relaxed);
        let mut limit = self.answer_limit;
        if self.pools.len() > 1 {
            limit = limit.min(REACH_LIMIT);
        }
        let reached = tokio::time::timeout(limit, self.pools[node].acquire()).await;
        match reached.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Ok(connection) => {
                Ok(Lease { connection: Some(connection), node, nodes: self.clone(), silent: false })
            }
            Err(error) => {
                self.leave(node);
                Err(error)
            }
        }
    }

    /// A machine that lost its power or its network says nothing, not even that a connection is gone: the
    /// wait for an answer ends here.
    pub(crate) async fn timed<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        tokio::time::timeout(self.answer_limit, work).await.unwrap_or_else(|_| Err(silence()))
    }

    pub(crate) async fn execute<'q, E>(&self, query: E) -> Result<MySqlQueryResult, sqlx::Error>
    where
        E: Execute<'q, MySql> + 'q,
    {
        let mut lease = self.acquire().await?;
        let result = self.timed(lease.execute(query)).await;
        lease.heed(result)
    }

    pub(crate) async fn fetch_all<'q, E>(&self, query: E) -> Result<Vec<MySqlRow>, sqlx::Error>
    where
        E: Execute<'q, MySql> + 'q,
    {
        let mut lease = self.acquire().await?;
        let result = self.timed(lease.fetch_all(query)).await;
        lease.heed(result)
    }

    pub(crate) async fn fetch_one<'q, E>(&self, query: E) -> Result<MySqlRow, sqlx::Error>
    where
        E: Execute<'q, MySql> + 'q,
    {
        let mut lease = self.acquire().await?;
        let result = self.timed(lease.fetch_one(query)).await;
        lease.heed(result)
    }

    /// Of many calls that fail on one node, one moves on.
    fn leave(&self, node: usize) {
        let next = (node + 1) % self.pools.len();
        let _ = self.current.compare_exchange(node, next, Ordering::Relaxed, Ordering::Relaxed);
    }
}

impl Lease {
    /// Passes a result on, and draws the consequences of a failure: the node is left when another one may do
    /// better, and a connection that owes an answer is closed instead of being used again.
    pub(crate) fn heed<T>(&mut self, result: Result<T, sqlx::Error>) -> Result<T, sqlx::Error> {
        if let Err(error) = &result
            && is_of_this_node(error)
        {
            self.silent = true;
            self.nodes.leave(self.node);
        }
        result
    }
}

impl Deref for Lease {
    type Target = MySqlConnection;

    fn deref(&self) -> &MySqlConnection {
        self.connection.as_ref().expect("a lease holds its connection until it is dropped")
    }
}

impl DerefMut for Lease {
    fn deref_mut(&mut self) -> &mut MySqlConnection {
        self.connection.as_mut().expect("a lease holds its connection until it is dropped")
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if let Some(connection) = self.connection.take()
            && self.silent
        {
            // The pool would wait for the rest of the answer.
            drop(connection.detach());
        }
    }
}
