//! Limits the memory that a container may take.
//!
//! The kernel then ends a faulty server, such as a node of a cluster whose recovery does not end, before it uses all memory
//! of the machine.

use crate::docker::docker;

/// The user's choice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Memory {
    #[default]
    OfPool,
    Mib(u64),
    Unlimited,
}

/// The memory that a server may use in addition to its buffer pool. In the tests of this workspace a node of Group Replication with a
/// pool of 64 MiB took 700 MiB, a MySQL server 681, a shard of Vitess 567, a MariaDB server 187 and a node of Galera 175,
/// with the pages of files that the kernel keeps in memory for them. It gives these up before it ends a process.
const BESIDES_POOL_MIB: u64 = 1536;

/// The default size of the buffer pool, on all servers.
pub(crate) const DEFAULT_POOL_MIB: u64 = 128;

/// The limit, in MiB, for a server with a buffer pool of this size. The quarter more is for the descriptors of the
/// pages and the adaptive hash index, which grow with the pool.
pub(crate) fn for_pool(pool_mib: u64) -> u64 {
    pool_mib.saturating_add(pool_mib / 4).saturating_add(BESIDES_POOL_MIB)
}

/// The limit as options of `docker create`. As much memory and swap as memory means no swap.
pub(crate) fn options(mib: u64) -> [String; 2] {
    [format!("--memory={mib}m"), format!("--memory-swap={mib}m")]
}

/// A sentence for errors if the kernel has ended a container's process at its memory limit; otherwise empty.
pub(crate) fn exceeded(container: &str) -> String {
    let format = "{{.State.OOMKilled}} {{.HostConfig.Memory}}";
    let state = docker(&["inspect", "--format", format, container]).unwrap_or_default();
    match state.split_once(' ').map(|(killed, bytes)| (killed, bytes.parse::<u64>())) {
        Some(("true", Ok(bytes))) if bytes > 0 => {
            format!(
                "the kernel ended a process of the container at its memory limit of {} MiB\n",
                bytes >> 20
            )
        }
        _ => String::new(),
    }
}
