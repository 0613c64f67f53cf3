//! MariaDB Galera. Manual: "Galera Cluster", mariadb.com/kb/en/galera-cluster.

use crate::cluster::{Cluster, NODES};
use crate::error::Error;

const SCRIPT: &str = include_str!("galera.sh");

/// Starts and joins all nodes.
pub(super) fn start(cluster: &mut Cluster, image: &str) -> Result<(), Error> {
    let all: Vec<String> = (0..NODES).map(|node| cluster.environment.peer_address(node)).collect();
    for node in 0..NODES {
        let own = &all[node];
        let mut arguments = vec![
            if node == 0 { "first" } else { "joiner" }.to_owned(),
            format!("--wsrep-node-address={own}"),
            format!("--wsrep-node-name=node{node}"),
            format!("--wsrep-cluster-address=gcomm://{}", all.join(",")),
        ];
        arguments.extend(
            [
                "--skip-name-resolve",
                "--bind-address=*",
                "--wsrep-on=ON",
                "--wsrep-cluster-name=idgen",
                "--wsrep-sst-method=rsync",
                "--wsrep-provider-options=gcache.size=32M",
                "--binlog-format=ROW",
                "--default-storage-engine=InnoDB",
                "--innodb-autoinc-lock-mode=2",
                "--innodb-flush-log-at-trx-commit=1",
                "--innodb-buffer-pool-size=64M",
                "--innodb-log-file-size=16M",
            ]
            .map(str::to_owned),
        );
        let machine = cluster.environment.machine(node, image, &cluster.password, SCRIPT, &arguments)?;
        cluster.machines.push(machine);
        // One node joins at a time: a node that is sending its data cannot serve another one.
        cluster.wait_answer(node)?;
    }
    Ok(())
}

fn status(cluster: &Cluster, node: usize, name: &str) -> Result<String, String> {
    let rows = cluster.ask(node, &format!("SHOW GLOBAL STATUS LIKE '{name}'"))?;
    Ok(rows.into_iter().next().and_then(|row| row.into_iter().nth(1)).unwrap_or_default())
}

pub(super) fn sees_all(cluster: &Cluster, node: usize) -> Result<(), String> {
    let (state, size) =
        (status(cluster, node, "wsrep_local_state_comment")?, status(cluster, node, "wsrep_cluster_size")?);
    if state == "Synced" && size == NODES.to_string() {
        Ok(())
    } else {
        Err(format!("is {state} and sees {size} of {NODES} nodes"))
    }
}

/// The nodes that belong to the cluster's majority.
pub(super) fn members(cluster: &Cluster) -> Result<Vec<usize>, Error> {
    let ready = |node: &usize| status(cluster, *node, "wsrep_ready").is_ok_and(|ready| ready == "ON");
    let members: Vec<usize> = (0..NODES).filter(ready).collect();
    if members.is_empty() { Err(Error::new("no node is ready for writes")) } else { Ok(members) }
}
