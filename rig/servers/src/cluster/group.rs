//! MySQL Group Replication. Manual: "Group Replication", dev.mysql.com/doc/refman/en/group-replication.html.

use std::time::Duration;

use crate::cluster::{Cluster, ClusterKind, NODES};
use crate::error::Error;

const SCRIPT: &str = include_str!("group.sh");

/// START GROUP_REPLICATION answers when the member has joined, or when all of its attempts have failed. A canceled
/// statement continues in the server, and blocks the next one.
const START_LIMIT: Duration = Duration::from_secs(100);

/// Starts and joins all members.
pub(super) fn start(cluster: &mut Cluster, image: &str) -> Result<(), Error> {
    let group = uuid::Uuid::new_v4();
    let seeds: Vec<String> =
        (0..NODES).map(|node| format!("{}:33061", cluster.environment.peer_address(node))).collect();
    for node in 0..NODES {
        let own = cluster.environment.peer_address(node);
        let mut options = vec![
            format!("--server-id={}", node + 1),
            format!("--report-host={own}"),
            format!("--loose-group-replication-group-name={group}"),
            format!("--loose-group-replication-local-address={own}:33061"),
            format!("--loose-group-replication-group-seeds={}", seeds.join(",")),
            format!("--loose-group-replication-ip-allowlist={}", cluster.environment.peer_subnet()),
        ];
        options.extend(
            [
                "--mysqlx=OFF",
                "--skip-name-resolve",
                "--gtid-mode=ON",
                "--enforce-gtid-consistency=ON",
                "--innodb-buffer-pool-size=64M",
                "--plugin-load-add=group_replication.so",
                "--loose-group-replication-recovery-get-public-key=ON",
                // A joining member whose donor does not accept connections yet asks again after a second, not after a minute,
                // and does so for as long as the cluster may take.
                "--loose-group-replication-recovery-reconnect-interval=1",
                "--loose-group-replication-recovery-retry-count=900",
                // After this many seconds, a member without a majority rolls back its open commits, instead of
                // holding them forever, and refuses writes.
                "--loose-group-replication-unreachable-majority-timeout=5",
                // A member that does not answer is expelled as soon as the group suspects it, after 5 s.
                "--loose-group-replication-member-expel-timeout=0",
                // An expelled member waits for a command to rejoin: its own attempts are minutes apart.
                "--loose-group-replication-autorejoin-tries=0",
            ]
            .map(str::to_owned),
        );
        let switches: [&str; 2] = match cluster.kind {
            ClusterKind::GroupMultiPrimary => [
                "--loose-group-replication-single-primary-mode=OFF",
                "--loose-group-replication-enforce-update-everywhere-checks=ON",
            ],
            _ => [
                "--loose-group-replication-single-primary-mode=ON",
                "--loose-group-replication-enforce-update-everywhere-checks=OFF",
            ],
        };
        options.extend(switches.map(str::to_owned));
        let machine = cluster.environment.machine(node, image, &cluster.password, SCRIPT, &options)?;
        cluster.machines.push(machine);
    }
    for node in 0..NODES {
        cluster.wait_answer(node)?;
        let credentials = format!(
            "CHANGE REPLICATION SOURCE TO SOURCE_USER = 'root', SOURCE_PASSWORD = '{}' \
             FOR CHANNEL 'group_replication_recovery'",
            cluster.password
        );
        let founding: &[&str] = &[
            "SET GLOBAL group_replication_bootstrap_group = ON",
            "START GROUP_REPLICATION",
            "SET GLOBAL group_replication_bootstrap_group = OFF",
        ];
        let joining: &[&str] = &["START GROUP_REPLICATION"];
        let steps = if node == 0 { founding } else { joining };
        for statement in [credentials.as_str()].iter().chain(steps) {
            cluster.ask(node, statement).map_err(|problem| cluster.failure(node, &problem))?;
        }
    }
    Ok(())
}

/// A member's number, its state and its role.
type Member = (usize, String, String);

/// Reads the members of the group, as a node sees them.
fn members(cluster: &Cluster, node: usize) -> Result<Vec<Member>, String> {
    let statement = "SELECT CONVERT(MEMBER_HOST USING utf8mb4), CONVERT(MEMBER_STATE USING utf8mb4), \
        CONVERT(MEMBER_ROLE USING utf8mb4) FROM performance_schema.replication_group_members";
    let mut members = Vec::new();
    for row in cluster.ask(node, statement)? {
        let [host, state, role] = <[String; 3]>::try_from(row).map_err(|row| format!("{row:?}"))?;
        // A member that never joined lists itself without an address.
        if let Some(number) = (0..NODES).find(|node| cluster.environment.peer_address(*node) == host) {
            members.push((number, state, role));
        }
    }
    Ok(members)
}

pub(super) fn sees_all(cluster: &Cluster, node: usize) -> Result<(), String> {
    let members = members(cluster, node)?;
    if is_out(&members, node) {
        rejoin(cluster, node)?;
        return Err("was told to join".to_owned());
    }
    let online = members.iter().filter(|(_, state, _)| state == "ONLINE").count();
    if online == NODES {
        Ok(())
    } else {
        Err(format!("sees {online} of {NODES} members online: {members:?}"))
    }
}

/// Returns true if the member left the group, or was expelled.
fn is_out(members: &[Member], node: usize) -> bool {
    let own = members.iter().find(|(number, ..)| *number == node).map(|(_, state, _)| state.as_str());
    matches!(own, None | Some("OFFLINE" | "ERROR"))
}

/// One attempt to join, which is repeated until the cluster is complete. A killed member makes one attempt by itself
/// when it starts; the group refuses it until it has noticed that the former member is gone.
fn rejoin(cluster: &Cluster, node: usize) -> Result<(), String> {
    let others: Vec<usize> = (0..NODES).filter(|other| *other != node).collect();
    let mut all_out = true;
    for other in others {
        let view = members(cluster, other)?;
        if is_out(&view, other) {
            continue;
        }
        all_out = false;
        if view.iter().any(|(number, ..)| *number == node) {
            return Err(format!("is out of the group, but node {other} has not seen that yet: {view:?}"));
        }
    }
    // Refused while the member stops or starts: the next check finds out.
    let _ = cluster.ask(node, "STOP GROUP_REPLICATION");
    if !all_out {
        return cluster.ask_within(node, "START GROUP_REPLICATION", START_LIMIT);
    }
    // No member is left to join: the machine was so busy that all members considered each other dead. As the manual
    // says, the member that has every transaction founds the group again.
    if !has_everything(cluster, node)? {
        return Err("waits for the member that has every transaction to start the group again".to_owned());
    }
    cluster.ask(node, "SET GLOBAL group_replication_bootstrap_group = ON")?;
    let founded = cluster.ask_within(node, "START GROUP_REPLICATION", START_LIMIT);
    cluster.ask(node, "SET GLOBAL group_replication_bootstrap_group = OFF")?;
    founded
}

/// True where no other member has executed or received a transaction that this one has not.
fn has_everything(cluster: &Cluster, node: usize) -> Result<bool, String> {
    let known = |node| -> Result<String, String> {
        let statement = "SELECT CONCAT(@@GLOBAL.gtid_executed, ',', COALESCE((SELECT received_transaction_set \
            FROM performance_schema.replication_connection_status \
            WHERE channel_name = 'group_replication_applier'), ''))";
        Ok(cluster.ask(node, statement)?.concat().concat().replace('\n', ""))
    };
    let own = known(node)?;
    for other in (0..NODES).filter(|other| *other != node) {
        let theirs = known(other)?;
        let subset = format!("SELECT CAST(GTID_SUBSET('{theirs}', '{own}') AS CHAR)");
        if cluster.ask(node, &subset)?.concat().concat() != "1" {
            return Ok(false);
        }
    }
    Ok(true)
}

pub(super) fn writers(cluster: &Cluster) -> Result<Vec<usize>, Error> {
    for node in 0..NODES {
        let Ok(members) = members(cluster, node) else { continue };
        let online: Vec<_> = members.into_iter().filter(|(_, state, _)| state == "ONLINE").collect();
        if online.len() > NODES / 2 {
            return Ok(online
                .into_iter()
                .filter(|(_, _, role)| role == "PRIMARY")
                .map(|(number, ..)| number)
                .collect());
        }
    }
    Err(Error::new("no node sees a majority of the group online"))
}
