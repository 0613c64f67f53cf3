//! No node may use up the memory of the machine.

use std::process::Command;

fn docker(arguments: &[&str]) -> String {
    let output = Command::new("docker").args(arguments).output().unwrap();
    String::from_utf8(output.stdout).unwrap()
}

/// Checks that every container of the cluster has a memory limit and no swap; one of them has the address in this URL.
pub fn assert_limited(url: &str, containers: usize) {
    let (_, rest) = url.rsplit_once('@').unwrap();
    let host = rest.split([':', '/']).next().unwrap();
    let format = "{{.HostConfig.Memory}} {{.HostConfig.MemorySwap}} {{index .Config.Labels \"idgen-cluster\"}} \
        {{range .NetworkSettings.Networks}}{{.IPAddress}} {{end}}";
    let all = docker(&["ps", "--quiet", "--filter", "label=idgen-cluster"]);
    let nodes: Vec<Vec<String>> = all
        .lines()
        .map(|id| {
            docker(&["inspect", "--format", format, id]).split_whitespace().map(str::to_owned).collect()
        })
        // Containers of other programs may have ended since they were listed.
        .filter(|node: &Vec<String>| !node.is_empty())
        .collect();
    let own = nodes.iter().find(|node| node[3..].iter().any(|address| address == host));
    let own = own.unwrap_or_else(|| panic!("no container at {host}: {nodes:?}"));
    let cluster: Vec<&Vec<String>> = nodes.iter().filter(|node| node[2] == own[2]).collect();
    assert_eq!(cluster.len(), containers, "{nodes:?}");
    // 128 MiB of buffer pool, a quarter of that, and 1,536 MiB.
    let limit = (1696_u64 << 20).to_string();
    for node in cluster {
        assert_eq!(node[..2], [limit.clone(), limit.clone()], "{node:?}");
    }
}
