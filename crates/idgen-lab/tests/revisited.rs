//! The recorded page fill of prefixes that come again is the one that docs/choosing.md and the library's pages promise. The experiments
//! have left the lab; docs/results/2026-11-22 says what they were.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

/// A line of a recorded table: a strategy's page fill after the last visit.
struct Filled {
    strategy: String,
    writers: u32,
    visits: u32,
    rows: u32,
    fill: f64,
    earlier: Option<f64>,
}

fn recorded(server: &str, experiment: &str) -> Vec<Filled> {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-22");
    let table = std::fs::read_to_string(format!("{root}/{server}/{experiment}/visits.tsv")).unwrap();
    let columns: Vec<&str> = table.lines().next().unwrap().split('\t').collect();
    let filled = |line: &str| {
        let values: Vec<&str> = line.split('\t').collect();
        let of = |name: &str| values[columns.iter().position(|column| *column == name).unwrap()];
        Filled {
            strategy: of("strategy").to_owned(),
            writers: of("writers").parse().unwrap(),
            visits: of("visits").parse().unwrap(),
            rows: of("rows_per_visit").parse().unwrap(),
            fill: of("fill_mean").parse().unwrap(),
            earlier: of("earlier_fill").parse().ok(),
        }
    };
    table.lines().skip(1).map(filled).collect()
}

/// The page fill of the same cell by another strategy.
fn by(all: &[Filled], strategy: &str, cell: &Filled) -> f64 {
    let key = |of: &Filled| (of.writers, of.visits, of.rows);
    all.iter().find(|of| of.strategy == strategy && key(of) == key(cell)).unwrap().fill
}

/// A page holds 114 rows on InnoDB. The record agrees with the earlier measurement within two percentage
/// points.
#[test]
fn the_recorded_runs_reach_the_documented_page_fill() {
    for server in ["mysql", "mariadb"] {
        let all = recorded(server, "prefix-revisits");
        for of in all.iter().filter(|of| of.strategy == "minute-ascending") {
            let least = match (of.visits, of.rows) {
                (4.., 1_140..) | (16.., 342..) => 0.89,
                (16.., 57..) => 0.80,
                _ => 0.0,
            };
            let (visits, rows, fill) = (of.visits, of.rows, of.fill);
            assert!(fill >= least, "{server}: {visits} visits of {rows} rows: {fill}");
            let random = by(&all, "minute-random", of);
            assert!(
                visits < 2 || rows < 114 || fill >= random,
                "{server}: {visits} x {rows}: {fill}, {random}"
            );
        }
        let compared: Vec<f64> = all.iter().filter_map(|of| Some(of.fill - of.earlier?)).collect();
        assert!(
            compared.len() == 9 && compared.iter().all(|off| off.abs() <= 0.02),
            "{server}: {compared:?}"
        );
    }
}

/// Each of several named writers fills pages as well as a single writer whose buckets get the same number of rows. The
/// superseded layout without a tag does not.
#[test]
fn recorded_named_writers_fill_pages_as_well_as_a_single_one() {
    for server in ["mysql", "mariadb", "model"] {
        let all = recorded(server, "named-writers");
        assert_eq!(all.len(), 64, "{server}");
        for of in all.iter().filter(|of| of.strategy == "minute-ascending") {
            let alone = match (of.visits, of.rows) {
                (4, 57) => 0.62,
                (16, 57) => 0.83,
                (4, 342) => 0.825,
                (4, 1_140) | (16, 342) => 0.885,
                _ => 0.0,
            };
            let cell = format!("{server}: {} writers, {} visits of {} rows", of.writers, of.visits, of.rows);
            assert!(of.fill >= alone, "{cell}: {}", of.fill);
            let untagged = by(&all, "minute-untagged", of);
            assert!(of.visits < 4 || of.rows < 342 || of.fill >= untagged + 0.15, "{cell}: {untagged}");
        }
    }
}
