//! Members of a replication group that execute nothing any more.
//!
//! The appliers of MySQL 9.7 can wait for each other's tickets of the binary log's group commit for ever
//! (bugs.mysql.com/bug.php?id=120281), more often on a busy machine. The member stays online then, and another one that
//! recovers from it never ends. Nothing that a client does helps it, and after a restart it continues.

use std::time::{Duration, Instant};

use crate::cluster::{Cluster, ClusterKind, NODES};
use crate::error::Error;

/// A member that has executed nothing for this long, while its threads wait for their turn, executes nothing any more.
const STALLED: Duration = Duration::from_secs(60);

/// The time between two looks.
const LOOK: Duration = Duration::from_secs(1);

/// The transactions that a member has executed, and the number of its threads that wait for their turn to commit.
const PROGRESS: &str = "SELECT @@GLOBAL.gtid_executed, CONVERT(COUNT(*), CHAR) FROM performance_schema.threads \
    WHERE PROCESSLIST_STATE = 'Waiting for Binlog Group Commit ticket'";

/// Watches what the nodes of a cluster execute.
#[derive(Debug)]
pub struct Progress<'a> {
    cluster: &'a Cluster,
    nodes: [Executed; NODES],
    looked: Instant,
}

/// The transactions that a node had executed, and the time since which none was added while a thread waited.
#[derive(Clone, Debug)]
struct Executed {
    transactions: String,
    since: Instant,
}

impl Executed {
    /// Returns true if the node executes nothing any more.
    fn is_stalled(&mut self, transactions: &str, waiting: bool, now: Instant) -> bool {
        if !waiting || self.transactions != transactions {
            *self = Executed { transactions: transactions.to_owned(), since: now };
        }
        now.saturating_duration_since(self.since) >= STALLED
    }
}

impl<'a> Progress<'a> {
    pub(super) fn new(cluster: &'a Cluster) -> Progress<'a> {
        let now = Instant::now();
        let nodes = [const { String::new() }; NODES];
        Progress {
            cluster,
            nodes: nodes.map(|transactions| Executed { transactions, since: now }),
            looked: now,
        }
    }

    /// To be called in each turn of a loop that waits for the cluster. Kills members that execute nothing any more, starts
    /// them, and returns their numbers; they have not joined again yet.
    ///
    /// # Errors
    /// The engine refuses.
    pub fn restart_stalled(&mut self) -> Result<Vec<usize>, Error> {
        let now = Instant::now();
        if self.cluster.kind == ClusterKind::Galera || now.saturating_duration_since(self.looked) < LOOK {
            return Ok(Vec::new());
        }
        self.looked = now;
        let mut stalled = Vec::new();
        for (node, executed) in self.nodes.iter_mut().enumerate() {
            // A node that does not answer is another problem.
            let (transactions, waiting) = match self.cluster.ask(node, PROGRESS).as_deref() {
                Ok([row]) => (row[0].clone(), row[1] != "0"),
                _ => (String::new(), false),
            };
            if executed.is_stalled(&transactions, waiting, now) {
                eprintln!(
                    "node {node} has executed nothing for {} s (MySQL bug 120281): it is started again",
                    STALLED.as_secs()
                );
                executed.since = now;
                stalled.push(node);
            }
        }
        for node in &stalled {
            self.cluster.kill(*node)?;
        }
        for node in &stalled {
            self.cluster.machines[*node].start()?;
        }
        Ok(stalled)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_member_is_stalled_that_waits_and_executes_nothing() {
        let begin = Instant::now();
        let at = |seconds| begin + Duration::from_secs(seconds);
        let mut executed = Executed { transactions: String::new(), since: begin };
        assert!(!executed.is_stalled("u:1-7", true, at(59)));
        // It executes.
        assert!(!executed.is_stalled("u:1-8", true, at(118)));
        assert!(!executed.is_stalled("u:1-8", true, at(177)));
        // It has nothing to do.
        assert!(!executed.is_stalled("u:1-8", false, at(178)));
        assert!(!executed.is_stalled("u:1-8", true, at(237)));
        assert!(executed.is_stalled("u:1-8", true, at(238)));
    }
}
