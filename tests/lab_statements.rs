//! Experiments that run statements, on real servers: what they leave is counted, never how long it took.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use idgen_lab::Workload;
use idgen_lab::engine::Mysql;
use idgen_lab::experiment::{CaseRecord, FileFigures, LoadFigures, Loads, Named, Scale, Statements, find};
use idgen_lab::runner::Cancel;
use idgen_server::Flavor;

fn server(flavor: Flavor) -> Mysql {
    let workload = Workload { cache_bytes: Some(64 << 20), ..Workload::of_rows(1_000).unwrap() };
    Mysql::start(flavor, &workload).unwrap()
}

fn timed(engine: &mut Mysql, experiment: &Statements) -> Vec<CaseRecord> {
    let mut records = Vec::new();
    engine
        .time(experiment, &Cancel::new(), &mut |record| {
            records.push(record);
            Ok(())
        })
        .unwrap();
    records
}

fn statements(id: &str) -> Statements {
    match find(id).unwrap() {
        Named::Statements(experiment) => experiment.at(Scale::Ci).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn files(engine: &mut Mysql, id: &str) -> Vec<FileFigures> {
    timed(engine, &statements(id)).into_iter().map(|record| record.file.unwrap()).collect()
}

fn rebuilds(engine: &mut Mysql) {
    let [random, full, loose] = files(engine, "rebuild").try_into().unwrap();
    let fill = |file: &FileFigures| file.indexes[0].fill_mean;
    assert_eq!((random.indexes[0].name.as_str(), random.indexes[1].name.as_str()), ("PRIMARY", "tag"));
    assert_eq!([&random, &full, &loose].map(|file| file.rows), [50_000; 3]);
    // Random inserts leave pages two thirds full; a sorted build keeps 1/16 of each page free, or more where
    // it is told so, and its pages are alike.
    assert!((0.55..0.75).contains(&fill(&random)), "{random:?}");
    assert!((0.90..0.9375).contains(&fill(&full)), "{full:?}");
    assert!((0.75..0.81).contains(&fill(&loose)), "{loose:?}");
    assert!(random.indexes[0].fill_p10 < 0.55 && full.indexes[0].fill_p10 > 0.9);
    assert!(full.bytes_per_row() < loose.bytes_per_row() && loose.bytes_per_row() < random.bytes_per_row());
    // The share that is kept free is the table's own: its secondary index is built fuller.
    assert!(full.indexes[1].fill_mean > fill(&full) + 0.02);
}

fn amplifies(engine: &mut Mysql) {
    let [text, binary, integer] = files(engine, "storage-amplification").try_into().unwrap();
    for file in [&text, &binary, &integer] {
        assert_eq!((file.rows, file.indexes.len()), (20_000, 6));
    }
    assert_eq!(text.key_bytes_per_row(), Some(216.0));
    assert!(text.key_share().unwrap() > 0.4 && integer.key_share().unwrap() < 0.3);
    let secondary =
        |file: &FileFigures| file.indexes[1..].iter().map(|index| index.bytes).sum::<u64>() as f64;
    let ratio = secondary(&text) / secondary(&integer);
    assert!((2.0..3.0).contains(&ratio), "{ratio}");
    let ratio = secondary(&binary) / secondary(&integer);
    assert!((1.2..1.8).contains(&ratio), "{ratio}");
}

const LOADS: &str = r#"
    id = "test"
    question = "?"
    analysis = ""
    setup = ["SET GLOBAL innodb_monitor_enable = 'module_lock'"]
    counters = ["Handler_write", "lock_table_lock_waits", "context_switches", "Key_write_requests", "nobody_counts_this"]
    table_each = true
    insert = "INSERT INTO {table} (client, half) VALUES {rows}"
    row = "({client}, RAND() < 0.5)"
    statement_rows = [1, 10]
    [scale.ci]
    rows = 50
    clients = [1, 3]
    runs = 2
    [[case]]
    name = "InnoDB"
    create = ["CREATE TABLE {table} (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, client INT, half INT, KEY (half)) ENGINE=InnoDB"]
    [[case]]
    name = "MyISAM"
    create = ["CREATE TABLE {table} (id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, client INT, half INT, KEY (half)) ENGINE=MyISAM"]
"#;

fn loads(engine: &mut Mysql) {
    let mut records = Vec::new();
    let mut load = |text: &str| {
        engine.load(&Loads::parse(text).unwrap(), Scale::Ci, &Cancel::new(), &mut |record| {
            records.push(record);
            Ok(())
        })
    };
    load(LOADS).unwrap();
    // What a client's statement leaves behind is counted: one that ignores its rows is found out.
    let lost = LOADS
        .replace("half INT, KEY (half)", "half INT, UNIQUE (client)")
        .replace("INSERT INTO", "INSERT IGNORE INTO");
    let error = load(&lost).unwrap_err();
    assert!(error.is_unverified() && error.to_string().contains("left 1 rows, not 50"), "{error}");

    assert_eq!(records.len(), 8);
    for record in &records {
        let load = record.load.as_ref().unwrap();
        assert_eq!(load.rows, u64::from(load.clients) * 50);
        assert_eq!(record.runs.len(), 2);
        // Each row once; the server's own tables are written besides.
        assert!(load.per_1k["Handler_write"] >= 1_000.0, "{record:?}");
        assert_eq!(load.per_1k["lock_table_lock_waits"], 0.0, "{record:?}");
        assert_eq!(load.per_1k["Key_write_requests"] > 0.0, record.name == "MyISAM", "{record:?}");
        assert!(!load.per_1k.contains_key("nobody_counts_this"));
        if cfg!(target_os = "linux") {
            assert!(load.per_1k["context_switches"] > 0.0, "{record:?}");
        }
    }
}

fn experiment(engine: &mut Mysql, id: &str) -> Vec<(String, LoadFigures)> {
    let Named::Loads(experiment) = find(id).unwrap() else { panic!("{id} is of another form") };
    let mut records = Vec::new();
    engine
        .load(&experiment, Scale::Ci, &Cancel::new(), &mut |record| {
            records.push((record.name, record.load.unwrap()));
            Ok(())
        })
        .unwrap();
    records
}

/// A bulk insert holds the lock on the table's counter in lock mode 1, the default of MariaDB alone.
fn counts_up(engine: &mut Mysql, flavor: Flavor) {
    for (name, load) in experiment(engine, "auto-increment") {
        let waits = load.per_1k["lock_table_lock_waits"];
        match (flavor, name.as_str()) {
            (Flavor::MariaDb, "with, INSERT ... SELECT") if load.clients == 100 => assert!(waits > 0.0),
            (Flavor::MariaDb, "with, INSERT ... SELECT") => {}
            _ => assert_eq!(waits, 0.0, "{name}: {load:?}"),
        }
    }
}

/// Tables go to the caches that their case says, whatever the case before said.
fn caches(engine: &mut Mysql) {
    let records = experiment(engine, "myisam-key-cache");
    let requests = |name: &str, clients| {
        let found = records.iter().find(|(found, load)| (found.as_str(), load.clients) == (name, clients));
        found.unwrap().1.per_1k["Key_read_requests"]
    };
    for name in ["one cache", "one cache, PACK_KEYS=0"] {
        // Each table is as large, so each row needs as many pages of its indexes, however many clients load.
        let (one, four) = (requests(name, 1), requests(name, 4));
        assert!(one > 1_000.0 && (0.9..1.1).contains(&(four / one)), "{name}: {one}, {four}");
    }
    for clients in [1, 4] {
        assert_eq!(requests("a cache each", clients), 0.0);
    }
}

fn measures(flavor: Flavor) {
    let mut engine = server(flavor);
    rebuilds(&mut engine);
    amplifies(&mut engine);
    loads(&mut engine);
    counts_up(&mut engine, flavor);
    caches(&mut engine);
}

#[test]
fn mysql_files_and_loads() {
    measures(Flavor::MySql);
}

#[test]
fn mariadb_files_and_loads() {
    measures(Flavor::MariaDb);
}
