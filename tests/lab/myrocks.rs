//! MyRocks: the lab measures its compactions as the model predicts them, the map works beside its tables, and what needs InnoDB
//! gives the true reason.

use std::process::Command;

use idgen_lab::engine::start_myrocks;
use idgen_lab::lsm::{Engine, Load, predict};
use idgen_lab::strategy;
use idgen_record::{Database, Workload};
use idgen_server::{Server, Settings};
use sqlx::{AssertSqlSafe, Connection, Executor, MySqlConnection};

use crate::common::{find, lab, results, said};

const ROWS: u64 = 60_000;
const PAYLOAD: u32 = 100;
const CACHE: u64 = 2 << 20;

#[test]
fn compactions_are_counted_as_the_model_predicts_them() {
    let load = Workload {
        payload_bytes: PAYLOAD,
        cache_bytes: Some(CACHE),
        rate: Some(1_000.0),
        statement_rows: 50,
        ..Workload::of_rows(ROWS).unwrap()
    };
    let mut engine = start_myrocks(&load).unwrap();
    assert!(
        engine.info().name == "MyRocks" && engine.info().setup.starts_with("MyRocks"),
        "{:?}",
        engine.info()
    );
    let names = ["v7-binary", "v4-binary", "mapped-unique"];
    let recorded = results(&mut *engine, &find(&names), load);
    let totals = |name: &str| recorded.run(name).unwrap().totals;
    let usual = Load::new(ROWS, Engine::MyRocks);
    let settings = usual.settings.clone().sized(CACHE / 4, CACHE);
    let planned = Load { row_bytes: PAYLOAD + 1, settings, ..usual };
    for name in ["v7-binary", "v4-binary"] {
        let whole = predict(strategy::find(name).unwrap(), &planned).unwrap().whole;
        let counted = totals(name);
        let times = counted.write_amplification.unwrap();
        // On a busy machine, files wait for a compaction, and fewer of them merge more files.
        assert!((times / whole.write_amplification - 1.0).abs() < 0.25, "{name}: {times} {whole:?}");
        let bytes = counted.written_bytes_per_row.unwrap();
        assert!((bytes / whole.written_bytes_per_row - 1.0).abs() < 0.25, "{name}: {bytes} {whole:?}");
        assert!(counted.fill_mean.is_nan() && counted.splits_per_1k.is_none(), "{name} has no pages");
    }
    assert!(totals("v4-binary").filters_per_1k > Some(1_500.0), "{:?}", totals("v4-binary"));
    assert!(totals("v4-binary").false_positives_per_1k > Some(1.0), "{:?}", totals("v4-binary"));
    // Files of ascending keys only move.
    assert!(totals("v7-binary").moved_bytes_per_row > Some(50.0), "{:?}", totals("v7-binary"));
    let answer = idgen_report::answer(&recorded).unwrap();
    let lead = &answer.parts[0].lead;
    assert!(lead.contains("bytes per row to the files, and \u{201c}v4, binary 16\u{201d}"), "{lead}");
    // The table of integers grows at its end; the map beside it is a table of InnoDB.
    assert_eq!(totals("mapped-unique").write_amplification, Some(1.0));
}

#[test]
fn what_needs_innodb_says_so() {
    let settings = Settings::new().buffer_pool_mib(16).plugin("ha_rocksdb");
    let server = Server::start(Database::MariaDb, &settings).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let run = |sql: &str| {
        runtime.block_on(async {
            let mut connection = MySqlConnection::connect(server.url()).await.unwrap();
            connection.execute(AssertSqlSafe(sql.to_owned())).await.unwrap();
        });
    };
    run("CREATE DATABASE shop");
    run(
        "CREATE TABLE shop.orders (id CHAR(36) CHARACTER SET ascii COLLATE ascii_bin PRIMARY KEY, note VARCHAR(20)) \
         ENGINE=ROCKSDB",
    );
    run("INSERT INTO shop.orders SELECT UUID(), 'x' FROM seq_1_to_2000");
    let url = server.url().replace("/mysql?", "/shop?");
    let idgen = |arguments: &[&str]| {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("idgen"));
        said(
            &command
                .args(arguments)
                .env("IDGEN_SURVEY_URL", &url)
                .env("IDGEN_MAP_URL", &url)
                .output()
                .unwrap(),
        )
    };
    let survey = idgen(&["survey"]).replace('\n', " ");
    assert!(
        survey.contains("orders is in ROCKSDB, an LSM tree") && survey.contains("advise --engine myrocks"),
        "{survey}"
    );
    let plan = idgen(&["plan", "--table", "orders", "--to", "binary16", &url]);
    assert!(plan.contains("is in ROCKSDB, not in InnoDB"), "{plan}");
    let installed = idgen(&["map", "install"]);
    run("ALTER TABLE shop.uuid_map ENGINE=ROCKSDB");
    let checked = idgen(&["map", "check"]);
    assert!(checked.contains("its engine is ROCKSDB, not InnoDB, on whose locks"), "{installed} {checked}");
    // The lab makes tables of the engine that the server has by default.
    run("SET GLOBAL default_storage_engine = ROCKSDB");
    let folder = tempfile::tempdir().unwrap();
    let output = lab()
        .args(["--quick", "--strategies", "v7-binary", "--writers", "1", "--repeat", "1", "--json", "--out"])
        .arg(folder.path())
        .env("IDGEN_LAB_ENGINE", &url)
        .output()
        .unwrap();
    let json = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && json.contains("\"MyRocks\"") && json.contains("ENGINE=ROCKSDB"),
        "{json}"
    );
}
