//! The servers that a map may use: one, or the nodes of a cluster, of which one at a time is in use.
//!
//! A node that fails, or that takes no writes, is left for the next one. Nothing is lost by going to a wrong
//! node: the keys of the tables decide, on whichever node a claim is made.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use sqlx::mysql::{MySqlConnectOptions, MySqlConnection, MySqlQueryResult, MySqlRow};
use sqlx::pool::PoolConnection;
use sqlx::{ConnectOptions, Connection, Execute, Executor, MySql, MySqlPool};
use tokio::sync::OnceCell;

use crate::patience::Patience;
use crate::retry::{is_of_this_node, silence};
use crate::server::{Refusal, ServerReport};

/// With another node to go to, no longer than this is waited for a connection: sqlx goes on trying an address
/// that refuses connections.
const REACH_LIMIT: Duration = Duration::from_secs(3);

/// Connections to each node, as one call uses them: no wait is longer than what is left of its patience.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    nodes: Arc<[Node]>,
    current: Arc<AtomicUsize>,
    answer_limit: Duration,
    accept_unsafe: bool,
    patience: Patience,
    /// Made here, not given by the caller.
    own: bool,
}

#[derive(Debug)]
struct Node {
    pool: MySqlPool,
    /// What it is, asked on its first use: each node of a cluster has settings of its own.
    report: OnceCell<ServerReport>,
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
    pub(crate) fn new(pools: Vec<MySqlPool>, answer_limit: Duration, accept_unsafe: bool) -> Nodes {
        let nodes = pools.into_iter().map(|pool| Node { pool, report: OnceCell::new() }).collect();
        let patience = Patience::endless();
        Nodes { nodes, current: Arc::default(), answer_limit, accept_unsafe, patience, own: true }
    }

    /// Pools that somebody else made, and will close.
    pub(crate) fn given(self) -> Nodes {
        Nodes { own: false, ..self }
    }

    /// Closes the pools that were made here, and waits for calls under way that hold connections.
    pub(crate) async fn close(&self) {
        if self.own {
            let closes = self.nodes.iter().map(|node| node.pool.close());
            self.patience.bound(futures_util::future::join_all(closes)).await;
        }
    }

    /// The same nodes for one call.
    pub(crate) fn within(&self, patience: Patience) -> Nodes {
        Nodes { patience, ..self.clone() }
    }

    /// Sees whether the node in use can be reached, without its pool: that goes on trying where a connection
    /// is refused, and says in the end only that it took too long.
    pub(crate) async fn reach(&self) -> Result<(), sqlx::Error> {
        let node = self.current.load(Ordering::Relaxed);
        let options = self.nodes[node].pool.connect_options();
        let reached = self.patience.bound_by(self.reach_limit(), options.connect()).await;
        match reached.unwrap_or_else(|| Err(silence())) {
            Ok(connection) => {
                // It has shown what it was for.
                let _ = self.timed(connection.close()).await;
                Ok(())
            }
            Err(error) => {
                self.leave(node);
                Err(located(error, &options))
            }
        }
    }

    /// A connection to the node in use. A failure moves on to the next node, for the next try.
    pub(crate) async fn acquire(&self) -> Result<Lease, sqlx::Error> {
        let node = self.current.load(Ordering::Relaxed);
        let connection = self.patience.bound_by(self.reach_limit(), self.nodes[node].pool.acquire()).await;
        match connection.unwrap_or(Err(sqlx::Error::PoolTimedOut)) {
            Ok(connection) => {
                let mut lease =
                    Lease { connection: Some(connection), node, nodes: self.clone(), silent: false };
                self.inspect(&mut lease).await?;
                Ok(lease)
            }
            Err(error) => {
                self.leave(node);
                Err(error)
            }
        }
    }

    /// Leaves a node whose settings endanger the promise, as one that fails.
    async fn inspect(&self, lease: &mut Lease) -> Result<(), sqlx::Error> {
        let node = &self.nodes[lease.node];
        if node.report.get().is_none() {
            let read = self.timed(node.report.get_or_try_init(|| ServerReport::read(lease))).await.map(drop);
            lease.heed(read)?;
        }
        let concerns = self.report(lease).concerns();
        if self.accept_unsafe || concerns.is_empty() {
            return Ok(());
        }
        self.leave(lease.node);
        let sound = |node: &Node| node.report.get().is_none_or(|report| report.concerns().is_empty());
        let elsewhere = self.nodes.iter().any(sound);
        let server = address(&node.pool.connect_options());
        let refusal = Refusal { server, concerns: concerns.to_vec(), elsewhere };
        Err(sqlx::Error::Configuration(Box::new(refusal)))
    }

    /// What the node of a lease is.
    pub(crate) fn report(&self, lease: &Lease) -> &ServerReport {
        self.nodes[lease.node].report.get().expect("a node is asked before a connection to it is let")
    }

    fn reach_limit(&self) -> Duration {
        if self.nodes.len() > 1 { self.answer_limit.min(REACH_LIMIT) } else { self.answer_limit }
    }

    /// A machine that lost its power or its network says nothing, not even that a connection is gone: the
    /// wait for an answer ends here.
    pub(crate) async fn timed<T>(
        &self,
        work: impl Future<Output = Result<T, sqlx::Error>>,
    ) -> Result<T, sqlx::Error> {
        self.patience.bound_by(self.answer_limit, work).await.unwrap_or_else(|| Err(silence()))
    }

    pub(crate) async fn execute<'q, E>(&self, query: E) -> Result<MySqlQueryResult, sqlx::Error>
    where
        E: Execute<'q, MySql> + 'q,
    {
        let mut lease = self.acquire().await?;
        let result = self.timed(lease.execute(query)).await;
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
        let next = (node + 1) % self.nodes.len();
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

/// With the server's address, which the failure of a connection lacks.
fn located(error: sqlx::Error, options: &MySqlConnectOptions) -> sqlx::Error {
    match error {
        sqlx::Error::Io(error) => {
            let said = format!("{}: {error}", address(options));
            sqlx::Error::Io(std::io::Error::new(error.kind(), said))
        }
        other => other,
    }
}

/// Where the server is; never who asks, nor with which password.
fn address(options: &MySqlConnectOptions) -> String {
    match options.get_socket() {
        Some(socket) => socket.display().to_string(),
        None => format!("{}:{}", options.get_host(), options.get_port()),
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

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::retry::Tries;

    /// Nodes of which none is there: nothing listens on this port, and each connection to it is refused.
    pub(crate) fn nobody(count: usize) -> Nodes {
        let pool = || MySqlPool::connect_lazy("mysql://app:s3cret@127.0.0.1:1/shop").unwrap();
        Nodes::new((0..count).map(|_| pool()).collect(), Duration::from_secs(10), false)
    }

    #[tokio::test(start_paused = true)]
    async fn a_call_ends_with_its_patience() {
        for count in [1, 3] {
            for secs in [0, 1, 7, 30] {
                let begin = tokio::time::Instant::now();
                let patience = Patience::begin(Duration::from_secs(secs));
                let nodes = nobody(count).within(patience);
                let error = Tries::run(patience, "try", || nodes.acquire()).await.map(drop).unwrap_err();
                assert!(error.is_transient(), "{error}");
                let took = begin.elapsed();
                assert!(took <= Duration::from_secs(secs.max(1)) + Duration::from_millis(2), "{took:?}");
            }
        }
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_that_is_not_there_is_named() {
        let patience = Patience::begin(Duration::ZERO);
        let nodes = nobody(1).within(patience);
        let error = Tries::run(patience, "connect", || nodes.reach()).await.unwrap_err().to_string();
        assert!(error.contains("127.0.0.1:1: ") && error.contains("refused"), "{error}");
        assert!(!error.contains("s3cret"), "{error}");
    }
}
