//! Parent and forked children generate ids at the same time, with generators that were created before the fork.
//!
//! The children write raw ids into files and end with `_exit`, because the test harness has threads.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/one_line.rs"]
mod one_line;

use std::collections::{HashMap, HashSet};
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

use idgen::Uuid;
use idgen::generator::{DeviceShort, Generate, MysqlShort, V1, V6};
use idgen::source::FileState;
use one_line::KINDS;

const CHILDREN: usize = 6;
const IDS: usize = 2_000;

/// Forks; each child and the parent run `make` with their number and write its ids. Returns all ids with the number of
/// the process that generated them.
fn in_family(folder: &Path, mut make: impl FnMut(usize) -> Vec<u128>) -> Vec<(usize, u128)> {
    let write = |process: usize, ids: &[u128]| {
        let bytes: Vec<u8> = ids.iter().flat_map(|id| id.to_be_bytes()).collect();
        File::create(folder.join(process.to_string())).and_then(|mut file| file.write_all(&bytes))
    };
    let mut children = Vec::new();
    for child in 1..=CHILDREN {
        // SAFETY: the child only generates ids, writes a file and exits; it takes no lock that another
        // thread of the parent may have held, but the allocator's, which the C library resets.
        match unsafe { libc::fork() } {
            0 => {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                    write(child, &make(child)).is_ok()
                }));
                // SAFETY: ends the child at once, without the harness's clean-up.
                unsafe { libc::_exit(i32::from(!matches!(done, Ok(true)))) };
            }
            pid => {
                assert!(pid > 0, "fork: {}", std::io::Error::last_os_error());
                children.push(pid);
            }
        }
    }
    write(0, &make(0)).unwrap();
    let statuses: Vec<i32> = children.into_iter().map(status_of).collect();
    assert!(statuses.iter().all(|&status| status == 0), "children failed, or hung: {statuses:?}");
    (0..=CHILDREN)
        .flat_map(|process| {
            let bytes = fs::read(folder.join(process.to_string())).unwrap();
            let ids: Vec<u128> =
                bytes.chunks_exact(16).map(|id| u128::from_be_bytes(id.try_into().unwrap())).collect();
            assert!(!ids.is_empty());
            ids.into_iter().map(move |id| (process, id))
        })
        .collect()
}

/// The status of a child that has ended. One that hangs is killed after a minute.
fn status_of(child: libc::pid_t) -> i32 {
    let mut status = 0;
    for _ in 0..6_000 {
        // SAFETY: asks after a child of this process; `status` outlives the call.
        match unsafe { libc::waitpid(child, &mut status, libc::WNOHANG) } {
            0 => std::thread::sleep(Duration::from_millis(10)),
            pid => {
                assert_eq!(pid, child, "waitpid: {}", std::io::Error::last_os_error());
                return status;
            }
        }
    }
    // SAFETY: the child has not been waited for, so the number is still its own.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, &mut status, 0);
    }
    status
}

fn assert_no_repeats(name: &str, ids: Vec<(usize, u128)>) {
    let mut makers = HashMap::new();
    for (process, id) in ids {
        if let Some(other) = makers.insert(id, process) {
            panic!("{name}: processes {other} and {process} both made {id:032x}");
        }
    }
}

#[test]
fn one_line_functions_repeat_nothing_across_a_fork() {
    for (name, _, one, fill) in KINDS {
        let folder = tempfile::tempdir().unwrap();
        // Fills the buffers and starts the counters that the children will inherit.
        one();
        let ids = in_family(folder.path(), |_| {
            let mut ids: Vec<Uuid> = (0..IDS).map(|_| one()).collect();
            let mut batch = vec![Uuid::nil(); IDS];
            fill(&mut batch);
            ids.extend(batch);
            ids.iter().map(Uuid::as_u128).collect()
        });
        if name == "v1" || name == "v6" {
            // A node of its own for each process, or their clock sequences would meet some day.
            let nodes: HashSet<u128> = ids.iter().map(|(_, id)| id & 0xFFFF_FFFF_FFFF).collect();
            assert_eq!(nodes.len(), 1 + CHILDREN, "{name}: a child goes on with its parent's node");
        }
        assert_no_repeats(name, ids);
    }
}

/// Without shared memory, children get the fork error: see the test of values below.
#[cfg(feature = "fast")]
#[test]
fn short_one_line_functions_repeat_nothing_across_a_fork() {
    type Kind = (&'static str, fn() -> idgen::ShortId);
    let kinds: [Kind; 2] = [("short", idgen::short), ("mysql_short", || idgen::mysql_short(4))];
    for (name, one) in kinds {
        let folder = tempfile::tempdir().unwrap();
        one();
        let ids = in_family(folder.path(), |_| (0..IDS).map(|_| u128::from(one().get())).collect());
        assert_no_repeats(name, ids);
    }
}

/// The parent generates no id itself, like a server that only loads the program before it forks. A call with an empty
/// slice is enough to share the counters of all server ids. No other test uses this server id.
#[cfg(feature = "fast")]
#[test]
fn children_share_a_server_whose_first_id_is_theirs() {
    idgen::fill_mysql_short(0, &mut []);
    let folder = tempfile::tempdir().unwrap();
    let ids = in_family(folder.path(), |_| (0..IDS).map(|_| idgen::mysql_short(77).get().into()).collect());
    assert_no_repeats("mysql_short", ids);
}

/// With a fixed node there is no randomness that distinguishes the copies: they take other clock sequences. The 64-bit
/// kinds continue to count in shared memory, whatever their node; without such memory they return an error.
#[test]
fn generators_with_a_fixed_node_repeat_nothing_across_a_fork() {
    let node = "9f6bdeced846".parse().unwrap();
    let mut v1 = V1::system().unwrap().with_node(node);
    let mut v6 = V6::system().unwrap().with_node(node);
    let mut device = DeviceShort::system().unwrap().with_node(node);
    let mut random = DeviceShort::system().unwrap();
    let mut mysql = MysqlShort::new(idgen::source::SystemClock, 4).unwrap();
    type Kind<'a> = (&'a str, Box<dyn FnMut() -> idgen::Result<u128> + 'a>);
    let kinds: [Kind<'_>; 5] = [
        ("v1", Box::new(move || v1.next_id().map(|id| id.as_u128()))),
        ("v6", Box::new(move || v6.next_id().map(|id| id.as_u128()))),
        ("device", Box::new(move || device.next_id().map(|id| id.get().into()))),
        ("device with a random node", Box::new(move || random.next_id().map(|id| id.get().into()))),
        ("mysql", Box::new(move || mysql.next_id().map(|id| id.get().into()))),
    ];
    for (name, mut one) in kinds {
        let folder = tempfile::tempdir().unwrap();
        one().unwrap();
        if cfg!(feature = "fast") {
            assert_no_repeats(name, in_family(folder.path(), |_| (0..IDS).map(|_| one().unwrap()).collect()));
        } else {
            let results = in_family(folder.path(), |process| {
                let refused = one().is_err_and(|error| error.is_forked());
                vec![u128::from(refused == (process > 0))]
            });
            assert!(results.iter().all(|&(_, as_promised)| as_promised == 1), "{name}: {results:?}");
        }
    }
}

/// The parent restarts at an earlier time, for which its children have generated ids. With a fixed node, only a clock
/// sequence that no process had before keeps the ids distinct.
#[cfg(feature = "fast")]
#[test]
fn a_restart_after_a_fork_takes_a_clock_sequence_of_its_own() {
    use idgen::source::{ClockPolicy, FixedClock, FixedEntropy};
    let noon = idgen::Timestamp::from_unix_secs(1_795_262_400);
    let clock = FixedClock::new(noon);
    let policy = ClockPolicy::DEFAULT.with_tolerance(Duration::ZERO);
    let node = "9f6bdeced846".parse().unwrap();
    let mut v1 = V1::new(&clock, FixedEntropy::new(1)).with_node(node).with_policy(policy);
    v1.next_id().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let ids = in_family(folder.path(), |_| {
        let mut ids = Vec::new();
        for _ in 0..20 {
            clock.set(noon);
            ids.extend((0..100).map(|_| v1.next_id().unwrap().as_u128()));
            clock.set(noon.saturating_sub(Duration::from_secs(1)));
            ids.extend((0..100).map(|_| v1.next_id().unwrap().as_u128()));
        }
        ids
    });
    assert_no_repeats("v1", ids);
}

/// A random node is that of the process that drew it, which continues to count with it.
#[test]
fn a_child_keeps_no_state_for_the_random_node_of_its_parent() {
    let folder = tempfile::tempdir().unwrap();
    let mut made = Some(DeviceShort::system().unwrap());
    let results = in_family(folder.path(), |process| {
        let state = FileState::open(folder.path().join(format!("{process}.state"))).unwrap();
        let kept = made.take().unwrap().with_state(state);
        let as_promised = match process {
            0 => kept.is_ok(),
            _ => kept.is_err_and(|error| error.is_forked()),
        };
        vec![u128::from(as_promised)]
    });
    assert!(results.iter().all(|&(_, as_promised)| as_promised == 1), "{results:?}");
}

/// A state belongs to one process: a child that would share it gets an error instead of ids.
#[test]
fn generators_with_a_state_return_an_error_in_a_child() {
    let folder = tempfile::tempdir().unwrap();
    let state = |name: &str| FileState::open(folder.path().join(name)).unwrap();
    let mut v6 = V6::system().unwrap().with_state(state("v6.state")).unwrap();
    let mut device = DeviceShort::system().unwrap().with_state(state("device.state")).unwrap();
    let saved = |name: &str| fs::read(folder.path().join(name)).unwrap();
    v6.next_id().unwrap();
    device.next_id().unwrap();
    let before = (saved("v6.state"), saved("device.state"));
    let results = in_family(folder.path(), |process| {
        let errors = [v6.next_id().err(), device.next_id().err()];
        let all_forked = errors.iter().all(|error| error.as_ref().is_some_and(idgen::Error::is_forked));
        let none = errors.iter().all(Option::is_none);
        vec![u128::from(if process == 0 { none } else { all_forked })]
    });
    assert!(results.iter().all(|&(_, as_promised)| as_promised == 1), "{results:?}");
    drop((v6, device));
    assert_ne!((saved("v6.state"), saved("device.state")), before, "the parent saved its clean end");
}
