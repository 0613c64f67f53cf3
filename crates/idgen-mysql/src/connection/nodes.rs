//! The servers that a map may use: one, or the nodes of a cluster, of which one at a time is in use.
//!
//! When a node fails or takes no writes, calls move on to the next one. The choice of a node never endangers a pair,
//! because the keys of the tables decide on every node.

use std::ops::{Deref, DerefMut};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use deadpool::managed::{Object, Pool, PoolError};
use sqlx::mysql::{MySqlConnection, MySqlRow};
use sqlx::{Connection as _, Execute, Executor, MySql, Transaction};
use tokio::time::Instant;

use crate::call::deadline::Deadline;
use crate::call::observe::InUse;
use crate::connection::connector::{Connector, Terms};
use crate::connection::node::{Address, Node};
use crate::connection::rotation;
use crate::connection::server::ServerReport;
use crate::connection::session::Seen;
use crate::error::Error;
use crate::error::failure::{Attempt, Failure, Kind};
use crate::statement::caller::Connection;
use crate::statement::one_by_one::OneByOne;
use crate::statement::sql::BEGIN;
use crate::table::identity::MapIdentity;

/// The longest wait for a connection if there are other nodes.
const REACH_LIMIT: Duration = Duration::from_secs(3);

/// Connections to each node, as one call uses them: no wait is longer than the rest of the call's deadline.
#[derive(Clone, Debug)]
pub(crate) struct Nodes {
    nodes: Arc<[Node]>,
    current: Arc<AtomicUsize>,
    terms: Arc<Terms>,
    deadline: Deadline,
}

/// A connection in use.
pub(crate) struct PooledConnection {
    // It is `None` only after drop.
    session: Option<Object<Connector>>,
    node: usize,
    /// True if it is one of the reserve.
    reserved: bool,
    nodes: Nodes,
    /// A statement was sent, and its result is not known yet.
    busy: bool,
    /// It cannot be used again.
    lost: bool,
    /// A transaction may be open on it.
    open: bool,
    _in_use: InUse,
}

/// The connection that an attempt takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Take {
    /// See [`Nodes::acquire_at_once`].
    AtOnce,
    /// See [`Nodes::acquire`].
    Queued,
    /// See [`Nodes::acquire_in`].
    In(u64),
}

impl Nodes {
    /// Closes the connections: idle ones at once, and those of running calls when the calls end. Waits for these.
    pub(crate) async fn close(&self) {
        let pools = || self.nodes.iter().flat_map(Node::pools);
        pools().for_each(Pool::close);
        self.deadline
            .bound(async {
                while pools().any(|pool| pool.status().size > 0) {
                    tokio::time::sleep(Duration::from_millis(2)).await;
                }
            })
            .await;
    }

    /// Makes a pool for each address. At least one address is required.
    pub(crate) fn new(addresses: Vec<Address>, terms: Terms) -> Nodes {
        let terms = Arc::new(terms);
        let several = addresses.len() > 1;
        let nodes = addresses.iter().map(|address| Node::new(address, &terms, several)).collect();
        Nodes { nodes, current: Arc::default(), terms, deadline: Deadline::never() }
    }

    /// These nodes for one call.
    pub(crate) fn within(&self, deadline: Deadline) -> Nodes {
        Nodes { deadline, ..self.clone() }
    }

    /// The number of servers.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    /// The map that is expected on each.
    pub(crate) fn identity(&self) -> &MapIdentity {
        &self.terms.identity
    }

    /// Returns true if a server is used although it may lose acknowledged pairs.
    pub(crate) fn accept_unsafe(&self) -> bool {
        self.terms.accept_unsafe
    }

    /// The connection of a transaction on one of these servers.
    pub(crate) fn one_by_one<'c, C: Connection>(&self, connection: &'c mut C) -> OneByOne<'c, C> {
        OneByOne::new(connection, self.terms.is_in_galera.load(Ordering::Relaxed))
    }

    /// Checks whether the node in use can be reached. Its settings are read later.
    pub(crate) async fn reach(&self) -> Attempt<()> {
        match self.acquire().await {
            Ok(_) | Err(Failure::Refused(_)) => Ok(()),
            Err(failure) => Err(failure),
        }
    }

    /// A connection to the node in use, which has been set up and checked. A failure moves on to the next
    /// node, for the next attempt.
    pub(crate) async fn acquire(&self) -> Attempt<PooledConnection> {
        let get = async |node: &Node| Ok((node.pool.get().await?, false));
        self.acquire_by(get).await
    }

    /// A connection for statements that wait for no pair: they never queue behind calls that do. A caller's transaction needs
    /// such statements while calls wait for the pairs that it has claimed.
    pub(crate) async fn acquire_at_once(&self) -> Attempt<PooledConnection> {
        self.acquire_by(Node::at_once).await
    }

    async fn acquire_by(
        &self,
        get: impl AsyncFnOnce(&Node) -> Result<(Object<Connector>, bool), PoolError<Failure>>,
    ) -> Attempt<PooledConnection> {
        let node = self.current.load(Ordering::Relaxed);
        let got = self.deadline.bound_by(self.reach_limit(), get(&self.nodes[node])).await;
        let failure = match got {
            Some(Ok((session, reserved))) => {
                let nodes = self.clone();
                return Ok(PooledConnection {
                    session: Some(session),
                    node,
                    reserved,
                    nodes,
                    busy: false,
                    lost: false,
                    open: false,
                    _in_use: InUse::begin(),
                });
            }
            Some(Err(PoolError::Backend(failure))) => self.unreached(failure),
            Some(Err(PoolError::Closed)) => {
                let problem = "the map is closed: connect again".to_owned();
                return Err(Error::new(Kind::Config { problem }).into());
            }
            // The pool has no time limits and no hooks, so these errors do not occur.
            Some(Err(_)) | None => Failure::NoConnection,
        };
        self.leave(node);
        Err(failure)
    }

    /// A connection for ids that were reserved in this epoch. If possible, it is not one on which a transaction has just been
    /// committed.
    async fn acquire_in(&self, epoch: u64) -> Attempt<PooledConnection> {
        let mut connection = self.acquire().await?;
        let node = &self.nodes[connection.node].pool;
        if let Some(session) = connection.session.take() {
            connection.session = Some(rotation::rested(node, session, &self.deadline).await);
        }
        // The epoch may have been read only now.
        if self.identity().epoch() == epoch { Ok(connection) } else { Err(Failure::OtherEpoch) }
    }

    /// No statement of the call was sent yet.
    fn unreached(&self, failure: Failure) -> Failure {
        match failure {
            Failure::Refused(mut refusal) => {
                let sound = |node: &Node| !node.pool.manager().is_refused();
                refusal.elsewhere |= refusal.reason.passes() || self.nodes.iter().any(sound);
                Failure::Refused(refusal)
            }
            failure => Failure::Unreached(Box::new(failure)),
        }
    }

    fn reach_limit(&self) -> Duration {
        let limit = self.terms.answer_limit;
        if self.nodes.len() > 1 { limit.min(REACH_LIMIT) } else { limit }
    }

    /// One attempt: takes a connection, limits the wait for the answers to `work`, and reacts to a failure as
    /// [`conclude`](PooledConnection::conclude) says. The wait is limited because a machine that lost its power or network does
    /// not even report that a connection is closed.
    pub(crate) async fn attempt<T>(
        &self,
        take: Take,
        work: impl AsyncFnOnce(&mut PooledConnection) -> Attempt<T>,
    ) -> Attempt<T> {
        self.attempt_by(self.terms.answer_limit, take, work).await
    }

    /// One attempt whose statements may take as long as the call, such as those that make tables.
    pub(crate) async fn long_attempt<T>(
        &self,
        take: Take,
        work: impl AsyncFnOnce(&mut PooledConnection) -> Attempt<T>,
    ) -> Attempt<T> {
        self.attempt_by(Duration::MAX, take, work).await
    }

    async fn attempt_by<T>(
        &self,
        limit: Duration,
        take: Take,
        work: impl AsyncFnOnce(&mut PooledConnection) -> Attempt<T>,
    ) -> Attempt<T> {
        let mut connection = match take {
            Take::AtOnce => self.acquire_at_once().await?,
            Take::Queued => self.acquire().await?,
            Take::In(epoch) => self.acquire_in(epoch).await?,
        };
        // Boxed, because each function that it passes through would hold it once more.
        let done = self.deadline.bound_by(limit, Box::pin(work(&mut connection))).await;
        let value = connection.conclude(done.unwrap_or(Err(Failure::NoAnswer)))?;
        // Boxed because it is rare.
        if connection.object().is_outdated() {
            Box::pin(connection.confirm(limit)).await?;
        }
        Ok(value)
    }

    /// The row of a statement that waits for no pair.
    pub(crate) async fn fetch_one<'q, E>(&self, query: E) -> Attempt<MySqlRow>
    where
        E: Execute<'q, MySql> + 'q,
    {
        let fetch = async |connection: &mut PooledConnection| Ok(connection.fetch_one(query).await?);
        self.attempt(Take::AtOnce, fetch).await
    }

    /// Moves on to the next node. If many calls fail on one node, only one of them does this.
    fn leave(&self, node: usize) {
        let next = (node + 1) % self.nodes.len();
        let left = self.current.compare_exchange(node, next, Ordering::Relaxed, Ordering::Relaxed);
        if left.is_ok() && next != node {
            let [from, to] = [node, next].map(|at| self.nodes[at].pool.manager().address());
            tracing::info!(from, to, "the map moves to another node");
        }
    }
}

impl PooledConnection {
    /// Returns the result, and reacts to a failure: calls move on to the next node if that may succeed, and a connection
    /// whose answer is outstanding is closed instead of being used again.
    fn conclude<T>(&mut self, result: Attempt<T>) -> Attempt<T> {
        self.busy = matches!(result, Err(Failure::NoAnswer));
        if let Err(failure) = &result
            && failure.is_of_this_node()
        {
            self.lost = true;
            self.nodes.leave(self.node);
        }
        if self.nodes.count() > 1 { result.map_err(Failure::or_of_this_node) } else { result }
    }

    /// Reads the settings again, on the connection of a call that took long: what it has just stored or read could be lost if
    /// they have become unsafe meanwhile. That the connection still answers shows that the server has not crashed.
    async fn confirm(&mut self, limit: Duration) -> Attempt<()> {
        let deadline = self.nodes.deadline;
        let looked = deadline.bound_by(limit, self.look_again()).await;
        let confirmed = self.conclude(looked.unwrap_or(Err(Failure::NoAnswer)));
        confirmed.map_err(|failure| Failure::Unconfirmed(Box::new(failure)))
    }

    /// Begins a transaction. Until its end is recorded, the connection is not used for another call: a server that reports
    /// an error may have begun the transaction, or not have ended it, and then nothing that follows is committed.
    pub(crate) async fn begin(&mut self) -> Attempt<Transaction<'_, MySql>> {
        self.open = true;
        Ok((**self).begin_with(BEGIN).await?)
    }

    /// Records that the server has ended the transaction.
    pub(crate) fn note_end(&mut self) {
        self.open = false;
    }

    /// Records that a transaction was committed.
    pub(crate) fn note_commit(&mut self) {
        self.note_end();
        self.session.as_mut().expect(HELD).committed = Some(Instant::now());
    }

    /// The last reading of the server and the map, at most a second old.
    pub(crate) fn seen(&self) -> &Seen {
        &self.object().seen
    }

    /// The kind of the server.
    pub(crate) fn report(&self) -> &ServerReport {
        &self.seen().report
    }

    /// The failure of a session that other clients use, too.
    pub(crate) fn shared(&self) -> Failure {
        pool_of(&self.nodes, self.node, self.reserved).manager().shared()
    }

    /// Reads it now.
    pub(crate) async fn look_again(&mut self) -> Attempt<()> {
        let connector = pool_of(&self.nodes, self.node, self.reserved).manager();
        let session = self.session.as_mut().expect(HELD);
        connector.look_again(session).await
    }

    fn object(&self) -> &Object<Connector> {
        self.session.as_ref().expect(HELD)
    }
}

fn pool_of(nodes: &Nodes, node: usize, reserved: bool) -> &Pool<Connector> {
    let node = &nodes.nodes[node];
    if reserved { &node.reserve } else { &node.pool }
}

const HELD: &str = "a connection is held until it is dropped";

impl Deref for PooledConnection {
    type Target = MySqlConnection;

    fn deref(&self) -> &MySqlConnection {
        &self.object().connection
    }
}

impl DerefMut for PooledConnection {
    fn deref_mut(&mut self) -> &mut MySqlConnection {
        self.busy = true;
        &mut self.session.as_mut().expect(HELD).connection
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(mut session) = self.session.take() else { return };
        if !self.busy && !self.lost && !self.open {
            session.used = Instant::now();
            return;
        }
        let connector = pool_of(&self.nodes, self.node, self.reserved).clone();
        if self.lost {
            connector.manager().mistrust();
        }
        match tokio::runtime::Handle::try_current() {
            // The server may continue the statement, or wait for a lock, long after its client has disconnected. So
            // another connection ends the session, which counts among those of the pool until then.
            Ok(runtime) if self.busy => {
                runtime.spawn(async move {
                    connector.manager().kill(&session).await;
                    drop(Object::take(session));
                });
            }
            _ => drop(Object::take(session)),
        }
    }
}

#[cfg(test)]
pub(crate) mod tests;
