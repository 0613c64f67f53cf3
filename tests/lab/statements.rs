//! Experiments that run statements, on real servers. The tests count rows and pages; they check no times.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use idgen_lab::engine::{Engine, Mysql, Postgres};
use idgen_lab::experiment::{Experiment, Loads, Scale, Statements, find};
use idgen_lab::runner::Cancel;
use idgen_record::{Database, Metric, Run, TreeFigures, Workload};

#[cfg(target_os = "linux")]
use crate::common::{lab, until};

fn parsed_statements(text: &str, database: Database) -> Statements {
    match Experiment::parse(&format!("mode = 'statements'\n{text}")).unwrap() {
        Experiment::Statements(experiment) => experiment.at(Scale::Ci, database).unwrap(),
        other => panic!("{other:?}"),
    }
}

fn parsed_loads(text: &str) -> Loads {
    match Experiment::parse(&format!("mode = 'loads'\n{text}")).unwrap() {
        Experiment::Loads(experiment) => experiment,
        other => panic!("{other:?}"),
    }
}

fn workload() -> Workload {
    Workload { cache_bytes: Some(64 << 20), ..Workload::of_rows(1_000).unwrap() }
}

fn server(database: Database) -> Mysql {
    Mysql::start(database, &workload()).unwrap()
}

fn timed(engine: &mut dyn Engine, experiment: &Statements) -> Vec<Run> {
    let mut records = Vec::new();
    engine
        .time(experiment, &Cancel::new(), &mut |record| {
            records.push(record);
            Ok(())
        })
        .unwrap();
    records
}

fn files(engine: &mut dyn Engine, id: &str) -> Vec<Run> {
    let Experiment::Statements(experiment) = find(id).unwrap() else { panic!("{id} is of another form") };
    let experiment = experiment.at(Scale::Ci, engine.info().database().unwrap()).unwrap();
    timed(engine, &experiment)
}

fn number(run: &Run, name: &str) -> f64 {
    Metric::named(name).unwrap().number(&run.figures()).unwrap()
}

fn bytes_of(indexes: &[TreeFigures]) -> Vec<u64> {
    indexes.iter().map(|index| index.bytes).collect()
}

fn rebuilds(engine: &mut Mysql) {
    let [random, full, loose] = files(engine, "rebuild").try_into().unwrap();
    let names: Vec<_> = random.indexes().map(|(name, _)| name).collect();
    assert_eq!(names, ["PRIMARY", "tag"]);
    let fill = |run: &Run| run.trees[0].fill_mean;
    assert_eq!([&random, &full, &loose].map(|run| run.totals.rows), [50_000; 3]);
    // Random inserts leave pages two thirds full. A sorted build keeps 1/16 of each page free, or more if the setting
    // says so, and its pages are equally full.
    assert!((0.55..0.75).contains(&fill(&random)), "{random:?}");
    assert!((0.90..0.9375).contains(&fill(&full)), "{full:?}");
    assert!((0.75..0.81).contains(&fill(&loose)), "{loose:?}");
    assert!(random.trees[0].fill_p10 < 0.55 && full.trees[0].fill_p10 > 0.9);
    assert!(full.totals.bytes_per_row < loose.totals.bytes_per_row);
    assert!(loose.totals.bytes_per_row < random.totals.bytes_per_row);
    // The share that is kept free is a setting of the table; the secondary index is built with fuller pages.
    assert!(full.trees[1].fill_mean > fill(&full) + 0.02);
}

fn amplifies(engine: &mut Mysql) {
    let [text, binary, integer] = files(engine, "storage-amplification").try_into().unwrap();
    for run in [&text, &binary, &integer] {
        assert_eq!((run.totals.rows, run.trees.len()), (20_000, 6));
    }
    assert_eq!(text.totals.key_bytes_per_row, Some(216.0));
    assert!(number(&text, "key_share") > 0.4 && number(&integer, "key_share") < 0.3);
    let secondary = |run: &Run| bytes_of(&run.trees[1..]).iter().sum::<u64>() as f64;
    let ratio = secondary(&text) / secondary(&integer);
    assert!((2.0..3.0).contains(&ratio), "{ratio}");
    let ratio = secondary(&binary) / secondary(&integer);
    assert!((1.2..1.8).contains(&ratio), "{ratio}");
}

/// PostgreSQL stores the key in the heap and in its own index; the other indexes are as large with any key.
#[test]
fn postgres_heap_and_indexes() {
    let mut engine = Postgres::start(&workload()).unwrap();
    let [text, binary, integer] = files(&mut engine, "storage-amplification").try_into().unwrap();
    for run in [&text, &binary, &integer] {
        assert_eq!((run.totals.rows, run.trees.len()), (20_000, 6));
        let names: Vec<&str> = run.indexes().map(|(name, _)| name).collect();
        assert_eq!(names, ["target_pkey", "a", "b", "c", "d", "e"]);
        let indexes = bytes_of(&run.trees).iter().sum::<u64>() as f64 / 20_000.0;
        assert_eq!(number(run, "index_bytes_per_row").round(), indexes.round());
        assert_eq!(run.totals.allocated_bytes_per_row, Some(run.totals.bytes_per_row));
        // Random integers split pages in the middle; an entry takes 16 bytes and its line pointer 4.
        for index in &run.trees[1..] {
            assert!((0.55..0.85).contains(&index.fill_mean) && index.fill_p10 < index.fill_mean, "{index:?}");
            assert!((20.0..40.0).contains(&(index.bytes as f64 / 20_000.0)), "{index:?}");
        }
    }
    let keys = [&text, &binary, &integer].map(|run| run.totals.key_bytes_per_row);
    assert_eq!(keys, [72.0, 32.0, 16.0].map(Some));
    assert_eq!(bytes_of(&text.trees[1..]), bytes_of(&binary.trees[1..]));
    assert_eq!(bytes_of(&text.trees[1..]), bytes_of(&integer.trees[1..]));
    // A row's header takes 24 bytes, five integers take 20, and the key takes 8, 16, or 40 with its length. The sum is
    // rounded up to a multiple of 8, and the line pointer takes 4.
    for (run, row) in [(&integer, 60.0), (&binary, 68.0), (&text, 92.0)] {
        let heap = run.totals.heap_bytes_per_row.unwrap();
        assert!((row..row * 1.03).contains(&heap), "{heap} for {row}");
    }
    let key = |run: &Run| (run.trees[0].fill_mean, run.trees[0].bytes);
    assert!(key(&integer).0 > 0.87 && (0.6..0.8).contains(&key(&binary).0), "{integer:?} {binary:?}");
    assert!(key(&text).1 > key(&binary).1 && key(&binary).1 > key(&integer).1);
    in_rounds(&mut engine);
    // If a check fails, there is no result.
    let wrong = "id = 't'\nquestion = '?'\n[scale]\nci = 7\n[[case]]\nname = 'a'\nsql = 'x'\n[[postgres.case]]\nname = 'b'\n\
                 sql = 'SELECT 1'\ncheck = 'SELECT 8'\nexpects = '{n}'\n";
    let wrong = parsed_statements(wrong, Database::Postgres);
    let error = engine.time(&wrong, &Cancel::new(), &mut |_| Ok(())).unwrap_err();
    assert!(error.is_unverified() && error.to_string().contains("gave 8"), "{error}");
}

/// Cases run in rounds, and the runner returns a record after each run.
fn in_rounds(engine: &mut dyn Engine) {
    let case = |name: &str| {
        format!(
            "[[case]]\nname = '{name}'\nsql = \"INSERT INTO seen VALUES ('{name}')\"\n\
             check = \"SELECT CAST(COUNT(*) AS CHAR) FROM seen WHERE name = '{name}'\"\n"
        )
    };
    let text = format!(
        "id = 't'\nquestion = '?'\nruns = 4\nsetup = ['CREATE TABLE seen (name CHAR(1))']\n[scale]\nci = 1\n{}",
        ["a", "b", "c"].map(case).concat()
    );
    let records = timed(engine, &parsed_statements(&text, Database::MySql));
    assert_eq!(records.len(), 12);
    for (number, round) in (1..).zip(records.chunks(3)) {
        for name in ["a", "b", "c"] {
            let record = round.iter().find(|record| record.strategy.name == name).unwrap();
            let counted = record.each().last().unwrap().totals.counted;
            assert_eq!((record.run_count(), counted), (number, Some(number as u64)));
        }
    }
    let names: Vec<&str> = records.iter().map(|record| record.strategy.name.as_str()).collect();
    assert!(names.chunks(3).any(|round| round != &names[..3]), "{names:?}");
}

const LOADS: &str = r#"
    id = "test"
    question = "?"
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

fn loaded(engine: &mut Mysql, experiment: &Loads) -> idgen_lab::Result<Vec<Run>> {
    let mut records = Vec::new();
    engine.load(experiment, Scale::Ci, &Cancel::new(), &mut |record| {
        records.push(record);
        Ok(())
    })?;
    Ok(records)
}

fn loads(engine: &mut Mysql) {
    let records = loaded(engine, &parsed_loads(LOADS)).unwrap();
    // The rows of each client are counted, so a statement that skips some of its rows is an error.
    let lost = LOADS
        .replace("half INT, KEY (half)", "half INT, UNIQUE (client)")
        .replace("INSERT INTO", "INSERT IGNORE INTO");
    let error = loaded(engine, &parsed_loads(&lost)).unwrap_err();
    assert!(error.is_unverified() && error.to_string().contains("left 1 rows, not 50"), "{error}");

    assert_eq!(records.len(), 8);
    for record in &records {
        assert_eq!(record.totals.rows, u64::from(record.load.unwrap().clients) * 50);
        assert_eq!(record.run_count(), 2);
        // Each row is written once; the server also writes to its own tables.
        assert!(record.counts["Handler_write"] >= 1_000.0, "{record:?}");
        assert_eq!(record.counts["lock_table_lock_waits"], 0.0, "{record:?}");
        assert_eq!(
            record.counts["Key_write_requests"] > 0.0,
            record.strategy.title == "MyISAM",
            "{record:?}"
        );
        assert!(!record.counts.contains_key("nobody_counts_this"));
        if cfg!(target_os = "linux") {
            assert!(record.counts["context_switches"] > 0.0, "{record:?}");
        }
    }
}

fn experiment(engine: &mut Mysql, id: &str) -> Vec<Run> {
    let Experiment::Loads(experiment) = find(id).unwrap() else { panic!("{id} is of another form") };
    loaded(engine, &experiment).unwrap()
}

/// In lock mode 1, which is the default only on MariaDB, a bulk insert holds the lock on the table's counter.
fn counts_up(engine: &mut Mysql, database: Database) {
    for run in experiment(engine, "auto-increment") {
        let (waits, clients) = (run.counts["lock_table_lock_waits"], run.load.unwrap().clients);
        match (database, run.strategy.title.as_str()) {
            (Database::MariaDb, "with, INSERT ... SELECT") if clients == 100 => assert!(waits > 0.0),
            (Database::MariaDb, "with, INSERT ... SELECT") => {}
            _ => assert_eq!(waits, 0.0, "{run:?}"),
        }
    }
}

/// Each case assigns its tables to the key caches that it names, whatever the previous case assigned.
fn caches(engine: &mut Mysql) {
    let records = experiment(engine, "myisam-key-cache");
    let requests = |name: &str, clients| {
        let is_wanted = |run: &&Run| run.strategy.title == name && run.load.unwrap().clients == clients;
        records.iter().find(is_wanted).unwrap().counts["Key_read_requests"]
    };
    for name in ["one cache", "one cache, PACK_KEYS=0"] {
        // All tables have the same size, so each row needs the same number of index pages, however many clients load.
        let (one, four) = (requests(name, 1), requests(name, 4));
        assert!(one > 1_000.0 && (0.9..1.1).contains(&(four / one)), "{name}: {one}, {four}");
    }
    for clients in [1, 4] {
        assert_eq!(requests("a cache each", clients), 0.0);
    }
}

/// Cancels a statement of ten minutes in the setup, before a case and in a case; each ends at once.
fn interrupts(database: Database) {
    let statements = "id = 't'\nquestion = '?'\n[scale]\nci = 1\n[[case]]\nname = 'a'\nsql = 'DO 1'\n";
    let (slow, quick) = ("'DO SLEEP(600)'", "'DO 1'");
    let before = |key: &str| statements.replace("sql =", &format!("{key} = [{slow}]\nsql ="));
    let in_setup = format!("setup = [{slow}]\n{statements}");
    for text in [in_setup, before("prepare"), statements.replace(quick, slow)] {
        let experiment = parsed_statements(&text, database);
        cancelled(database, &text, |engine, cancel| engine.time(&experiment, cancel, &mut |_| Ok(())));
    }
    let text = LOADS.replace("RAND() < 0.5", "SLEEP(600)");
    let loads = parsed_loads(&text);
    cancelled(database, &text, |engine, cancel| engine.load(&loads, Scale::Ci, cancel, &mut |_| Ok(())));
}

/// Cancels while the server sleeps: the call returns at once, and the server ends.
fn cancelled(
    database: Database,
    text: &str,
    work: impl FnOnce(&mut Mysql, &Cancel) -> idgen_lab::Result<()>,
) {
    let (mut engine, cancel, begin) = (server(database), Cancel::new(), Instant::now());
    let soon = cancel.clone();
    let waiting = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_secs(1));
        soon.cancel();
    });
    let error = work(&mut engine, &cancel).unwrap_err();
    waiting.join().unwrap();
    assert!(error.is_interrupted(), "{text}: {error}");
    drop(engine);
    assert!(begin.elapsed() < Duration::from_secs(300), "{text}: the statement was waited for");
}

fn measures(database: Database) {
    let mut engine = server(database);
    rebuilds(&mut engine);
    in_rounds(&mut engine);
    amplifies(&mut engine);
    loads(&mut engine);
    counts_up(&mut engine, database);
    caches(&mut engine);
}

#[test]
fn mysql_runs_statements_and_loads() {
    measures(Database::MySql);
}

#[test]
fn mariadb_runs_statements_and_loads() {
    measures(Database::MariaDb);
}

#[test]
fn mysql_cancels_a_running_statement() {
    interrupts(Database::MySql);
}

#[test]
fn mariadb_cancels_a_running_statement() {
    interrupts(Database::MariaDb);
}

/// The containers that a program started: for each, it runs a shell that has the container's name as an argument and
/// removes it.
#[cfg(target_os = "linux")]
fn containers_of(program: u32) -> Vec<String> {
    let read = |path: String| std::fs::read_to_string(path).unwrap_or_default();
    let children = read(format!("/proc/{program}/task/{program}/children"));
    let lines = children.split_whitespace().map(|child| read(format!("/proc/{child}/cmdline")));
    let names = lines.filter_map(|line| line.split('\0').rfind(|word| !word.is_empty()).map(String::from));
    names.filter(|name| name.starts_with("idgen-mysql-")).collect()
}

#[cfg(target_os = "linux")]
fn docker(arguments: &[&str]) -> bool {
    let quiet = Command::new("docker").args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.unwrap().success()
}

/// Ctrl-C as a terminal sends it, to the program and all its children: the exit code is 130, and no container is left.
#[cfg(target_os = "linux")]
fn leaves_nothing(when: &str, come: impl Fn(&str) -> bool) {
    use std::os::unix::process::CommandExt;

    let directory = tempfile::tempdir().unwrap();
    let child = lab()
        .args(["run", "rebuild", "--engine", "mysql", "--scale", "full", "--out"])
        .arg(directory.path())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let names = until("no container was started", || {
        Some(containers_of(child.id())).filter(|names| !names.is_empty())
    });
    let [name] = names.as_slice() else { panic!("{names:?}") };
    until(when, || come(name).then_some(()));
    let group = format!("-{}", child.id());
    assert!(Command::new("kill").args(["-INT", "--", &group]).status().unwrap().success());
    let begin = Instant::now();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(130), "{when}: {said}");
    assert!(!said.contains("error:"), "{when}: {said}");
    assert!(begin.elapsed() < Duration::from_secs(120), "{when}: the statement was waited for");
    assert!(!docker(&["inspect", name]), "{when}: {name} is left");
    assert!(!directory.path().join("rebuild/results.json").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_experiment_leaves_no_container() {
    leaves_nothing("while the server starts", |_| true);
    leaves_nothing("in a statement of minutes", |name| {
        docker(&["exec", name, "sh", "-c", "ls /var/lib/mysql/idgen_*/target.ibd"])
    });
}
