//! Prefixes that are used again, on real servers at a small size: the ascending tail reaches its documented page fill.

use idgen_lab::engine::Mysql;
use idgen_lab::experiment::{Experiment, Scale};
use idgen_lab::runner::{Cancel, revisit};
use idgen_record::{CaseRecord, Database, VisitFigures};

const DEFINITION: &str = r#"
id = "targets"
mode = "revisits"
question = "?"
strategies = ["minute-ascending", "minute-random"]
payload_bytes = 100
[scale.ci]
cache_mib = 16
statement_rows = 500
cells = [
    { visits = 2, rows = 114, buckets = 32 },
    { visits = 16, rows = 57, buckets = 8 },
    { visits = 16, rows = 342, buckets = 2 },
    { visits = 4, rows = 1140, buckets = 4 },
    { writers = 4, visits = 4, rows = 342, buckets = 4 },
]
"#;

fn judge(database: Database) {
    let Experiment::Revisits(experiment) = Experiment::parse(DEFINITION).unwrap() else {
        panic!("{DEFINITION}")
    };
    let workload = experiment.workloads(Scale::Ci).unwrap().remove(0);
    let mut engine = Mysql::start(database, &workload).unwrap();
    let mut all: Vec<VisitFigures> = Vec::new();
    let mut keep = |record: CaseRecord| {
        all.extend(record.visits);
        Ok(())
    };
    let strategies = experiment.strategies().unwrap();
    revisit(&mut engine, &experiment, Scale::Ci, &strategies, &Cancel::new(), &mut keep).unwrap();
    // The minimum for each cell; its results are a pair: the ascending tail, then the random one.
    let least = [0.0, 0.80, 0.89, 0.89, 0.83];
    assert_eq!(all.len(), 2 * least.len());
    for (pair, least) in all.chunks(2).zip(least) {
        let [ascending, random] = [&pair[0], &pair[1]];
        let (visits, rows) = (ascending.visits, ascending.rows_per_visit);
        println!("{visits} x {rows}: {} and {}", ascending.fill_mean, random.fill_mean);
        assert!(ascending.fill_mean >= least, "{visits} visits of {rows} rows: {}", ascending.fill_mean);
        assert!(ascending.fill_mean > random.fill_mean, "{visits} visits of {rows} rows: {random:?}");
    }
}

#[test]
fn mysql_appends_the_rows_of_later_visits() {
    judge(Database::MySql);
}

#[test]
fn mariadb_appends_the_rows_of_later_visits() {
    judge(Database::MariaDb);
}
