//! Reads counts by the server's own names, for experiments that name the counts they want.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use sqlx::mysql::MySqlConnection;
use sqlx::{AssertSqlSafe, Executor, Row};

use super::{Host, doing};
use crate::{Error, Result};

/// The name of a counter that the server does not have: the kernel counts context switches for each thread of
/// its process.
const SWITCHES: &str = "context_switches";

/// Statements that return a name and a count; the list of names takes the place of `{}`.
///
/// Sources: MySQL Reference Manual, Server Status Variables, InnoDB INFORMATION_SCHEMA Metrics Table, and
/// Performance Schema Wait Event Summary Tables, whose names of mutexes end in the name used here.
const SOURCES: [&str; 3] = [
    "SHOW GLOBAL STATUS WHERE Variable_name IN ({})",
    "SELECT NAME, CAST(`COUNT` AS CHAR) FROM information_schema.INNODB_METRICS WHERE NAME IN ({})",
    "SELECT SUBSTRING_INDEX(EVENT_NAME, '/', -1), CAST(COUNT_STAR AS CHAR) \
     FROM performance_schema.events_waits_summary_global_by_event_name \
     WHERE EVENT_NAME LIKE 'wait/synch/%' AND SUBSTRING_INDEX(EVENT_NAME, '/', -1) IN ({})",
];

/// Reads the counters with these names. A counter that this server does not have is absent.
pub async fn read(
    host: &Host,
    connection: &mut MySqlConnection,
    wanted: &[String],
) -> Result<BTreeMap<String, u64>> {
    let failed = doing("read the server's counters");
    let mut found = BTreeMap::new();
    if wanted.is_empty() {
        return Ok(found);
    }
    let names: Vec<_> = wanted.iter().map(|name| format!("'{}'", name.replace('\'', "''"))).collect();
    for source in SOURCES {
        let sql = AssertSqlSafe(source.replace("{}", &names.join(", ")));
        for row in connection.fetch_all(sql).await.map_err(&failed)? {
            let name: String = row.try_get_unchecked(0).map_err(&failed)?;
            let value: String = row.try_get_unchecked(1).map_err(&failed)?;
            let value = value.parse().map_err(|error| {
                Error::engine(format!("the server counts {name} = \"{value}\", not a number"), error)
            })?;
            found.insert(name, value);
        }
    }
    if wanted.iter().any(|name| name == SWITCHES) {
        let counted = host.server.process_id().and_then(switches);
        found.extend(counted.map(|count| (SWITCHES.to_owned(), count)));
    }
    Ok(found)
}

/// Context switches so far of all threads of a process, voluntary or not: proc_pid_status(5).
fn switches(process: u32) -> Option<u64> {
    let mut sum = 0;
    for thread in fs::read_dir(format!("/proc/{process}/task")).ok()? {
        // The thread may have ended since the directory was listed.
        sum += switches_of(&thread.ok()?.path()).unwrap_or(0);
    }
    Some(sum)
}

/// Counts the context switches of one thread, given its directory.
fn switches_of(thread: &Path) -> Option<u64> {
    let status = fs::read_to_string(thread.join("status")).ok()?;
    let counts = status.lines().filter_map(|line| {
        let (name, count) = line.split_once(':')?;
        name.ends_with("voluntary_ctxt_switches").then(|| count.trim().parse::<u64>().ok())?
    });
    Some(counts.sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn context_switches_grow_and_a_process_has_at_least_those_of_its_thread() {
        let this = Path::new("/proc/thread-self");
        let before = switches_of(this).unwrap();
        // Each sleep yields the processor.
        for _ in 0..20 {
            std::thread::sleep(std::time::Duration::from_micros(100));
        }
        let after = switches_of(this).unwrap();
        assert!(after >= before + 20, "{before}, then {after}");
        assert!(switches(std::process::id()).unwrap() >= after);
        assert_eq!(switches(u32::MAX), None);
    }
}
