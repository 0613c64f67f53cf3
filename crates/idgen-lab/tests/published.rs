//! Checks which published figures the recorded runs at full scale meet within their tolerance.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use idgen_lab::experiment::{Experiment, Scale, find};
use idgen_record::Results;
use idgen_report::{comparisons, open};

/// Each published figure with a tolerance for which there is a recorded run, and whether the run meets it.
fn judged(day: &str, server: &str, directory: &str, id: &str) -> Vec<(String, bool)> {
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results").join(day);
    let results = open(&recorded.join(server).join(directory)).unwrap();
    assert!(results.command.contains(&format!("{id} ")) && results.command.contains("--scale full"));
    let published = match find(id).unwrap() {
        Experiment::Keys(experiment) => experiment.judged(results.workload.writers),
        Experiment::Loads(experiment) => experiment.published(Scale::Full).unwrap(),
        Experiment::Statements(experiment) => {
            experiment.at(Scale::Full, results.engine.database().unwrap()).unwrap().published()
        }
    };
    let lines = comparisons(&Results { published, ..results }).into_iter();
    lines.filter_map(|line| Some((format!("{}: {}", line.strategy, line.figure), line.met?))).collect()
}

/// Lists for each experiment how many published figures are met, how many runs can decide on, and which are
/// missed.
#[test]
fn recorded_runs_meet_the_published_figures_listed_as_met() {
    let mut found = String::new();
    for (day, id, directory) in [
        // Has two columns of variable length, which the next record leaves out.
        ("2026-11-21", "uuid-representation", "uuid-representation"),
        ("2026-11-23", "uuid-representation", "uuid-representation-full"),
        ("2026-11-23", "uuid-order", "uuid-order-full"),
        ("2026-11-23", "uuid-order", "uuid-order-full-prefixes"),
        ("2026-11-21", "uuid-mapping", "uuid-mapping"),
        ("2026-11-21", "uuid-mapping", "uuid-mapping-two-clients"),
        ("2026-11-23", "device-ids", "device-ids-full"),
        ("2026-11-23", "no-primary-key", "no-primary-key"),
        ("2026-11-23", "auto-increment", "auto-increment"),
        ("2026-11-23", "myisam-key-cache", "myisam-key-cache"),
        ("2026-11-23", "rebuild", "rebuild"),
        ("2026-11-23", "storage-amplification", "storage-amplification"),
    ] {
        for server in ["mysql", "mariadb"] {
            if (server, directory) == ("mariadb", "uuid-mapping-two-clients") {
                continue;
            }
            let all = judged(day, server, directory, id);
            let missed: Vec<_> = all.iter().filter(|(_, met)| !met).map(|(name, _)| name.as_str()).collect();
            found += &format!("{directory} on {server}: {} of {}", all.len() - missed.len(), all.len());
            for name in missed {
                found += &format!("\n  {name}");
            }
            found += "\n";
        }
    }
    assert_eq!(found, EXPECTED, "{found}");
}

const EXPECTED: &str = "\
uuid-representation on mysql: 12 of 13
  v4, VARCHAR 36: pages read per 1k, at the end
uuid-representation on mariadb: 11 of 13
  v4, base64 22: pages read per 1k, at the end
  v4, base64 22: pages written per 1k, at the end
uuid-representation-full on mysql: 7 of 7
uuid-representation-full on mariadb: 7 of 7
uuid-order-full on mysql: 3 of 3
uuid-order-full on mariadb: 3 of 3
uuid-order-full-prefixes on mysql: 3 of 3
uuid-order-full-prefixes on mariadb: 3 of 3
uuid-mapping on mysql: 3 of 4
  reference map, lock: pages written per 1k, at the end
uuid-mapping on mariadb: 3 of 4
  reference map, lock: pages written per 1k, at the end
uuid-mapping-two-clients on mysql: 2 of 2
device-ids-full on mysql: 2 of 3
  device, 64 bits: leaf pages per 1k
device-ids-full on mariadb: 2 of 3
  device, 64 bits: leaf pages per 1k
no-primary-key on mysql: 0 of 0
no-primary-key on mariadb: 1 of 1
auto-increment on mysql: 1 of 1
auto-increment on mariadb: 1 of 1
myisam-key-cache on mysql: 0 of 2
  a cache each, 8 clients, 50 rows a statement: seconds, times those of the first
  a cache each, PACK_KEYS=0, 8 clients, 50 rows a statement: seconds, times those of the first
myisam-key-cache on mariadb: 0 of 2
  a cache each, 8 clients, 50 rows a statement: seconds, times those of the first
  a cache each, PACK_KEYS=0, 8 clients, 50 rows a statement: seconds, times those of the first
rebuild on mysql: 1 of 1
rebuild on mariadb: 1 of 1
storage-amplification on mysql: 0 of 1
  CHAR(36) key: copies of the key, % of the pages
storage-amplification on mariadb: 0 of 1
  CHAR(36) key: copies of the key, % of the pages
";
