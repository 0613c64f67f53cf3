//! Inserts the loads of docs/results/ranges/vitess.tsv into a Vitess of four shards, and counts the rows at the shards themselves.
//! It needs the image that scripts/vitess.sh builds. tests/ranges.rs compares what was recorded with the model.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod counters;

use std::fmt::Write;

use counters::Recorded;
use idgen_lab::ranges::{Engine, Load, each_key};
use idgen_lab::strategy;
use idgen_server::Vitess;
use sqlx::mysql::MySqlConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection, Row};

const SET: &str = include_str!("../../../docs/results/ranges/vitess.tsv");
const RECORDED: &str = include_str!("../../../docs/results/ranges/vitess.jsonl");
const SHARDS: [&str; 4] = ["-40", "40-80", "80-c0", "c0-"];
/// The parts of a run, after each of which rows are counted.
const PARTS: usize = 50;

/// A Vitess, and a connection to its gateway.
struct Bench {
    _vitess: Vitess,
    connection: MySqlConnection,
}

impl Bench {
    async fn start() -> Bench {
        let vitess = Vitess::of_shards(&SHARDS).unwrap();
        // Vitess would not parse the statement with which sqlx sets up a new connection.
        let options: MySqlConnectOptions = vitess.url().parse().unwrap();
        let options = options.pipes_as_concat(false).no_engine_substitution(false).timezone(None);
        let connection = MySqlConnection::connect_with(&options).await.unwrap();
        Bench { _vitess: vitess, connection }
    }

    async fn run(&mut self, statement: String) {
        self.connection.execute(AssertSqlSafe(statement)).await.unwrap();
    }

    /// For each shard, the rows of a table and the INSERT statements that its server has executed.
    async fn counts(&mut self, table: &str) -> Vec<[u64; 2]> {
        let mut all = Vec::new();
        for shard in SHARDS {
            self.run(format!("USE `main:{shard}`")).await;
            let count = AssertSqlSafe(format!("SELECT COUNT(*) FROM {table}"));
            let rows: i64 = self.connection.fetch_one(count).await.unwrap().get(0);
            let status = "SHOW GLOBAL STATUS LIKE 'Com_insert'";
            let inserts: String = self.connection.fetch_one(status).await.unwrap().get(1);
            all.push([rows as u64, inserts.parse().unwrap()]);
        }
        self.run("USE main".into()).await;
        all
    }

    /// Inserts the keys of one line of the set. The writers make keys in turn, and each inserts its own.
    async fn record(&mut self, number: usize, line: &str) -> Recorded {
        let [name, _, vindex, column, writers, rate, rows, statement] =
            line.split('\t').collect::<Vec<_>>()[..]
        else {
            panic!("{line}")
        };
        let (writers, statement): (usize, usize) = (writers.parse().unwrap(), statement.parse().unwrap());
        let load = Load {
            writers: writers as u64,
            rate: rate.parse().unwrap(),
            spread: range_model::Spread::None,
            ..Load::new(rows.parse().unwrap(), Engine::find("vitess").unwrap())
        };
        let mut keys = Vec::new();
        each_key(strategy::find(name).unwrap(), &load, &mut |key| keys.push(literal(column, key))).unwrap();
        let table = format!("load_{number}");
        self.run(format!("ALTER VSCHEMA ON main.{table} ADD VINDEX `{vindex}`(id) USING `{vindex}`")).await;
        self.run(format!("CREATE TABLE {table} (id {column} PRIMARY KEY, value INT NOT NULL)")).await;
        let mut counted = Recorded { load: format!("load-{number}"), ..Recorded::default() };
        let mut before = self.counts(&table).await;
        for part in 0..PARTS {
            let part = &keys[keys.len() * part / PARTS..keys.len() * (part + 1) / PARTS];
            let mut statements = 0;
            for writer in 0..writers {
                let own: Vec<&String> = part.iter().skip(writer).step_by(writers).collect();
                for keys in own.chunks(statement) {
                    let mut values = String::new();
                    for key in keys {
                        write!(values, "{}({key}, 7)", if values.is_empty() { "" } else { ", " }).unwrap();
                    }
                    self.run(format!("INSERT INTO {table} (id, value) VALUES {values}")).await;
                    statements += 1;
                }
            }
            let after = self.counts(&table).await;
            let changes: Vec<[u64; 2]> = after
                .iter()
                .zip(&before)
                .map(|(after, before)| [0, 1].map(|at| after[at] - before[at]))
                .collect();
            let mut shards: Vec<u64> =
                changes.iter().map(|[rows, _]| *rows).filter(|rows| *rows > 0).collect();
            shards.sort_unstable_by(|one, other| other.cmp(one));
            counted.rows.push(shards.iter().sum());
            counted.hottest_region.push(shards[0]);
            counted.servers.push(shards);
            counted.regions.push(SHARDS.len() as u64);
            let touched =
                changes.iter().map(|[_, inserts]| *inserts).sum::<u64>() as f64 / f64::from(statements);
            counted.regions_per_statement.push((touched * 100.0).round() / 100.0);
            before = after;
        }
        counted
    }
}

/// A key as SQL.
fn literal(column: &str, key: &[u8]) -> String {
    match column {
        "BIGINT UNSIGNED" => u64::from_be_bytes(key.try_into().unwrap()).to_string(),
        "VARCHAR(36)" | "VARBINARY(36)" => format!("'{}'", str::from_utf8(key).unwrap()),
        _ => key.iter().fold("x'".to_owned(), |hex, byte| format!("{hex}{byte:02x}")) + "'",
    }
}

/// The shard of a row follows from its key, so the counts are the same each time. `IDGEN_WRITE=1` writes them.
#[tokio::test]
async fn shards_get_the_rows_that_were_recorded() {
    let mut bench = Bench::start().await;
    let mut lines = String::new();
    for (at, line) in SET.lines().skip(1).enumerate() {
        let counted = bench.record(at + 1, line).await;
        lines += &(serde_json::to_string(&counted).unwrap() + "\n");
    }
    if std::env::var_os("IDGEN_WRITE").is_some() {
        let place = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/ranges/vitess.jsonl");
        return std::fs::write(place, lines).unwrap();
    }
    for (is, was) in lines.lines().zip(RECORDED.lines()) {
        assert_eq!(is, was);
    }
    assert_eq!(lines.lines().count(), RECORDED.lines().count());
}
