//! Database clusters for tests: several containers on private Docker networks, whose nodes can be killed,
//! cut off and brought back.
//!
//! Clients on this machine reach the nodes over one network; the nodes reach each other over another, so a
//! node can lose its peers and keep its clients, which is the nastier half of a network partition. Fixed
//! addresses, and a host that reaches containers directly, need Linux.

mod environment;
mod galera;
mod group;
mod network;
mod stall;
mod vitess;

use std::fmt;
use std::time::{Duration, Instant};

use crate::cluster::environment::{Environment, Machine};
use crate::error::Error;
use crate::{sql, url};

pub use stall::Progress;
pub use vitess::Vitess;

/// The time that a cluster may take to become complete: a node may have to fetch all data first, and on a busy machine
/// each step takes many times as long as usual. Only a cluster that does not come together at all reaches this limit.
const WHOLE_LIMIT: Duration = Duration::from_secs(900);

/// Nodes of a cluster that replicates.
pub(crate) const NODES: usize = 3;

/// The kind of cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClusterKind {
    /// MySQL Group Replication that takes writes on one node, which the group chooses.
    GroupSinglePrimary,
    /// MySQL Group Replication that takes writes on every node.
    GroupMultiPrimary,
    /// MariaDB Galera, which takes writes on every node.
    Galera,
}

impl fmt::Display for ClusterKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ClusterKind::GroupSinglePrimary => "MySQL Group Replication, single-primary",
            ClusterKind::GroupMultiPrimary => "MySQL Group Replication, multi-primary",
            ClusterKind::Galera => "MariaDB Galera",
        })
    }
}

/// A running cluster of three nodes. Dropping it removes its containers and networks; so does the end of the
/// program, whatever ends it.
///
/// ```no_run
/// use idgen_server::{Cluster, ClusterKind};
///
/// let cluster = Cluster::start(ClusterKind::Galera)?;
/// cluster.kill(0)?;
/// // ... two nodes go on ...
/// cluster.bring_back(0)?;
/// # Ok::<(), idgen_server::Error>(())
/// ```
pub struct Cluster {
    kind: ClusterKind,
    password: String,
    machines: Vec<Machine>,
    environment: Environment,
}

impl Cluster {
    /// Starts three nodes and waits until each sees all.
    ///
    /// # Errors
    /// No container engine answers, an image is missing (the message says what to run), or the nodes do not
    /// come together (their last words are in the message).
    pub fn start(kind: ClusterKind) -> Result<Cluster, Error> {
        let (image, variable, short) = match kind {
            ClusterKind::Galera => ("idgen-galera:10.11", "IDGEN_GALERA_IMAGE", "galera"),
            _ => ("idgen-mysql:9.7", "IDGEN_MYSQL_IMAGE", "group"),
        };
        let image = image_here(variable, image)?;
        let environment = Environment::new(short)?;
        let password = uuid::Uuid::new_v4().simple().to_string();
        let mut cluster = Cluster { kind, password, machines: Vec::new(), environment };
        match kind {
            ClusterKind::Galera => galera::start(&mut cluster, &image)?,
            _ => group::start(&mut cluster, &image)?,
        }
        cluster.wait_whole()?;
        Ok(cluster)
    }

    /// The kind of cluster.
    pub fn kind(&self) -> ClusterKind {
        self.kind
    }

    /// The connection URL of each node, with its password: not for logs.
    pub fn urls(&self) -> Vec<String> {
        (0..NODES).map(|node| self.url(node)).collect()
    }

    /// The connection URL of a node, from 0, as the administrator.
    ///
    /// # Panics
    /// There is no such node.
    pub fn url(&self, node: usize) -> String {
        url::remote(&self.password, &self.machines[node].front)
    }

    /// The nodes that take writes now, as the cluster's first answering node sees it.
    ///
    /// # Errors
    /// No node answers as a member of the cluster.
    pub fn writers(&self) -> Result<Vec<usize>, Error> {
        match self.kind {
            ClusterKind::Galera => galera::members(self),
            _ => group::writers(self),
        }
    }

    /// Kills a node with SIGKILL, as when its power fails.
    ///
    /// # Errors
    /// The engine refuses, for example since the node does not run.
    pub fn kill(&self, node: usize) -> Result<(), Error> {
        self.machines[node].kill()
    }

    /// Cuts a node off from the other nodes. Its clients still reach it.
    ///
    /// # Errors
    /// The engine refuses, for example because the node is disconnected already.
    pub fn cut_from_peers(&self, node: usize) -> Result<(), Error> {
        self.environment.cut_from_peers(&self.machines[node])
    }

    /// Disconnects a node from everything. Open connections to it get no more answers, and clients are not notified.
    ///
    /// # Errors
    /// The engine refuses, for example because the node is disconnected already.
    pub fn cut_off(&self, node: usize) -> Result<(), Error> {
        self.environment.cut_off(&self.machines[node])
    }

    /// Reconnects, restarts and rejoins a node, as needed, and waits until the cluster is complete.
    ///
    /// # Errors
    /// The node does not come back (the end of its log is in the message).
    pub fn bring_back(&self, node: usize) -> Result<(), Error> {
        let machine = &self.machines[node];
        self.environment.reconnect(machine)?;
        if !machine.runs() {
            machine.start()?;
        }
        self.wait_whole()
    }

    /// Watches from now on whether nodes still execute what they receive.
    pub fn progress(&self) -> Progress<'_> {
        Progress::new(self)
    }

    /// Waits until each node sees all nodes, and makes nodes rejoin that need a command for it.
    fn wait_whole(&self) -> Result<(), Error> {
        let (begin, mut progress) = (Instant::now(), self.progress());
        loop {
            progress.restart_stalled()?;
            let mut problems = Vec::new();
            for node in 0..NODES {
                let sees = match self.kind {
                    ClusterKind::Galera => galera::sees_all(self, node),
                    _ => group::sees_all(self, node),
                };
                if let Err(problem) = sees {
                    problems.push((node, problem));
                }
            }
            let Some((first, _)) = problems.first() else { return Ok(()) };
            let dead = problems.iter().find(|(node, _)| !self.machines[*node].runs());
            if dead.is_some() || begin.elapsed() > WHOLE_LIMIT {
                // Reports what each node says, because the fault of one is visible in the view of another.
                let all: Vec<String> =
                    problems.iter().map(|(node, problem)| format!("node {node} {problem}")).collect();
                let node = dead.map_or(*first, |(node, _)| *node);
                return Err(self.failure(node, &all.join("; ")));
            }
            std::thread::sleep(Duration::from_millis(250));
        }
    }

    /// Waits until a node answers at all.
    fn wait_answer(&self, node: usize) -> Result<(), Error> {
        let begin = Instant::now();
        while let Err(problem) = self.ask(node, "SELECT 1") {
            if !self.machines[node].runs() || begin.elapsed() > WHOLE_LIMIT {
                return Err(self.failure(node, &problem));
            }
            std::thread::sleep(Duration::from_millis(250));
        }
        Ok(())
    }

    fn failure(&self, node: usize, problem: &str) -> Error {
        let log = self.machines[node].log();
        Error::new(format!("node {node} of {}: {problem}\n{log}", self.kind))
    }

    fn ask(&self, node: usize, statement: &str) -> Result<Vec<Vec<String>>, String> {
        sql::rows(&self.url(node), statement).map_err(|error| error.to_string())
    }

    fn ask_within(&self, node: usize, statement: &str, limit: Duration) -> Result<(), String> {
        sql::rows_within(&self.url(node), statement, limit).map(drop).map_err(|error| error.to_string())
    }
}

impl fmt::Debug for Cluster {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let urls: Vec<String> = self.urls().iter().map(|url| url::redacted(url)).collect();
        f.debug_struct("Cluster").field("kind", &self.kind).field("urls", &urls).finish()
    }
}

/// The name of the image, from the user or ours, after checking that it is on this machine.
fn image_here(variable: &str, own: &str) -> Result<String, Error> {
    let image = std::env::var(variable).ok().filter(|name| !name.is_empty()).unwrap_or(own.to_owned());
    crate::docker::docker(&["image", "inspect", &image]).map_err(|error| {
        Error::new(format!(
            "no image {image}: run scripts/setup.sh, or name one that is here in {variable} ({error})"
        ))
    })?;
    Ok(image)
}
