//! The server that the map is connected to, and whether its settings are safe.

use std::fmt;

use crate::error::refusal::{Concern, MEMBER_STATE};

/// MySQL's status variable: OFF after `ALTER INSTANCE DISABLE INNODB REDO_LOG`.
pub(crate) const REDO_LOG: &str = "Innodb_redo_log_enabled";

/// The kind of server or cluster, as far as it matters here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Topology {
    /// One MySQL server, with or without ordinary replicas.
    MySql,
    /// A MySQL server that is a member of a replication group.
    GroupReplication,
    /// One MariaDB server, with or without ordinary replicas.
    MariaDb,
    /// A MariaDB server that is a node of a Galera cluster.
    Galera,
    /// A Vitess gateway in front of MySQL shards.
    Vitess,
}

impl fmt::Display for Topology {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Topology::MySql => "MySQL",
            Topology::GroupReplication => "MySQL Group Replication",
            Topology::MariaDb => "MariaDB",
            Topology::Galera => "MariaDB Galera",
            Topology::Vitess => "Vitess",
        })
    }
}

/// The report of a connection about its server.
#[derive(Clone, Debug)]
pub struct ServerReport {
    version: String,
    topology: Topology,
    concerns: Vec<Concern>,
    shows_early: bool,
}

impl ServerReport {
    /// Returns the server's answer to `SELECT VERSION()`.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// The kind of server or cluster.
    pub fn topology(&self) -> Topology {
        self.topology
    }

    /// The settings that endanger acknowledged pairs; empty on a safe server.
    pub fn concerns(&self) -> &[Concern] {
        &self.concerns
    }

    /// Returns true if a commit can be seen before it is on disk, as without a binary log.
    pub(crate) fn shows_commits_early(&self) -> bool {
        self.shows_early
    }

    /// Judges a server by the names and values of the variables that a connection has read.
    pub(crate) fn judge(variables: &[(String, String)]) -> ServerReport {
        let value = |name: &str| {
            variables.iter().find(|(found, _)| found == name).map_or("", |(_, value)| value.as_str())
        };
        let version = value("version").to_owned();
        // `SHOW` prints ON, `SELECT` prints 1.
        let on = |name: &str| matches!(value(name), "ON" | "1");
        let galera = on("wsrep_on");
        let topology = if version.contains("Vitess") {
            Topology::Vitess
        } else if galera {
            Topology::Galera
        } else if version.contains("MariaDB") {
            Topology::MariaDb
        } else if !value("group_replication_group_name").is_empty() {
            Topology::GroupReplication
        } else {
            Topology::MySql
        };
        let mut concerns = Vec::new();
        let mut check = |variable: &'static str, good: &[&str], advice: &'static str| {
            let found = value(variable);
            if !found.is_empty() && !good.contains(&found) {
                concerns.push(Concern { variable, value: found.to_owned(), advice });
            }
        };
        check(
            "innodb_flush_log_at_trx_commit",
            &["1"],
            "a crash loses acknowledged ids and gives them to other UUIDs; set it to 1",
        );
        check(
            "innodb_doublewrite",
            &["ON", "1", "DETECT_AND_RECOVER"],
            "a power cut can tear pages; set it to ON",
        );
        // The methods of other systems and forks flush.
        if matches!(value("innodb_flush_method"), "nosync" | "littlesync") {
            check(
                "innodb_flush_method",
                &[],
                "a power cut loses acknowledged ids, because the server does not flush its files; set it to O_DIRECT or fsync",
            );
        }
        check(
            "autocommit",
            &["ON", "1"],
            "the map relies on statements that commit themselves; set it to ON",
        );
        check("unique_checks", &["ON", "1"], "InnoDB would not look for duplicates; set it to ON");
        check(
            "completion_type",
            &["NO_CHAIN", "0"],
            "a commit would begin another transaction; set it to NO_CHAIN",
        );
        // Each server has one of these names.
        for variable in ["transaction_isolation", "tx_isolation"] {
            check(
                variable,
                &["READ-COMMITTED", "REPEATABLE-READ", "SERIALIZABLE"],
                "the map would acknowledge pairs that are not committed and may never be; set it to READ-COMMITTED",
            );
        }
        check(
            REDO_LOG,
            &["ON"],
            "a crash loses everything that is not on disk yet; run ALTER INSTANCE ENABLE INNODB REDO_LOG",
        );
        check(
            MEMBER_STATE,
            &["ONLINE", "RECOVERING"],
            "the server takes writes that its group never gets; start Group Replication on it, and let the map's \
             user SELECT performance_schema.replication_group_members",
        );
        if on("log_bin") {
            check(
                "binlog_format",
                // MariaDB's default: rows wherever a statement is not safe, which these are.
                &["ROW", "MIXED"],
                "a replica would compute other ids than its source; set it to ROW",
            );
            check(
                "sql_log_bin",
                &["ON", "1"],
                "replicas would not get the pairs; do not set it for the map's user, perhaps in init_connect",
            );
            check(
                "sync_binlog",
                &["1"],
                "a crash can lose binary log that replicas have not read; set it to 1",
            );
        }
        // Vitess consists of many servers. Each keeps a binary log, because Vitess replicates by it.
        let shows_early = matches!(value("log_bin"), "OFF" | "0") && topology != Topology::Vitess;
        ServerReport { version, topology, concerns, shows_early }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(changes: &[(&str, &str)]) -> ServerReport {
        let mut variables: Vec<(String, String)> = [
            ("version", "9.7.4"),
            ("innodb_flush_log_at_trx_commit", "1"),
            ("innodb_doublewrite", "ON"),
            ("autocommit", "ON"),
            ("transaction_isolation", "REPEATABLE-READ"),
            ("log_bin", "ON"),
            ("binlog_format", "ROW"),
            ("sync_binlog", "1"),
        ]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .to_vec();
        for (name, value) in changes {
            variables.retain(|(found, _)| found != name);
            variables.push(((*name).to_owned(), (*value).to_owned()));
        }
        ServerReport::judge(&variables)
    }

    #[test]
    fn a_sound_server_raises_no_concern() {
        assert_eq!(judge(&[]).concerns(), []);
        assert!(!judge(&[]).shows_commits_early());
        assert!(judge(&[("log_bin", "OFF")]).shows_commits_early());
        assert!(!judge(&[("log_bin", "OFF"), ("version", "8.4.0-Vitess")]).shows_commits_early());
        // Without a binary log, its format does not matter.
        assert_eq!(judge(&[("log_bin", "OFF"), ("binlog_format", "STATEMENT")]).concerns(), []);
    }

    #[test]
    fn each_risk_is_named() {
        for (name, value) in [
            ("innodb_flush_log_at_trx_commit", "2"),
            ("innodb_doublewrite", "OFF"),
            ("innodb_flush_method", "nosync"),
            ("autocommit", "OFF"),
            ("binlog_format", "STATEMENT"),
            ("sync_binlog", "0"),
            ("sql_log_bin", "OFF"),
            ("unique_checks", "0"),
            ("completion_type", "CHAIN"),
            ("transaction_isolation", "READ-UNCOMMITTED"),
            ("tx_isolation", "READ-UNCOMMITTED"),
            (REDO_LOG, "OFF"),
            (MEMBER_STATE, "OFFLINE"),
        ] {
            let report = judge(&[(name, value)]);
            let [concern] = report.concerns() else { panic!("{name}: {:?}", report.concerns()) };
            assert_eq!((concern.variable(), concern.value()), (name, value));
            assert!(concern.to_string().contains("; "), "{concern} gives no advice");
        }
    }

    #[test]
    fn the_topology_is_recognized() {
        assert_eq!(judge(&[]).topology(), Topology::MySql);
        assert_eq!(judge(&[("version", "10.11.19-MariaDB")]).topology(), Topology::MariaDb);
        let galera = [("version", "10.11.19-MariaDB"), ("wsrep_on", "ON")];
        assert_eq!(judge(&galera).topology(), Topology::Galera);
        let group = [("group_replication_group_name", "f1c2")];
        assert_eq!(judge(&group).topology(), Topology::GroupReplication);
        assert_eq!(judge(&[("version", "8.4.0-Vitess")]).topology(), Topology::Vitess);
    }
}
