//! The recorded runs of docs/results: complete, unchanged, and light.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use idgen_report as report;
use sha2::{Digest as _, Sha256};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/results")
}

/// `records.sha256` has the checksum of each record as the lab wrote it, by its path below docs/results without
/// compression.
#[test]
fn every_record_is_the_one_that_the_lab_wrote() {
    let listed = fs::read_to_string(root().join("records.sha256")).unwrap();
    let listed: BTreeSet<_> = listed.lines().map(|line| line.split_once("  ").unwrap()).collect();
    let sets = ["hold-out-order", "hold-out-stalls"].into_iter();
    let sets = sets
        .flat_map(|set| ["mysql", "mariadb", "postgres"].map(|server| format!("{set}/{server}.jsonl.gz")))
        .chain(
            ["lsm/myrocks", "lsm/rocksdb", "postgres-cache/lab", "postgres-cache/default"]
                .map(|set| format!("{set}.jsonl.gz")),
        );
    let found: BTreeSet<_> = report::below(&root())
        .unwrap()
        .into_iter()
        .chain(sets.map(|set| root().join(set)))
        .map(|file| {
            let mut text = Vec::new();
            flate2::read::GzDecoder::new(fs::File::open(&file).unwrap()).read_to_end(&mut text).unwrap();
            let sum: String = Sha256::digest(&text).iter().map(|byte| format!("{byte:02x}")).collect();
            let path = file.strip_prefix(root()).unwrap().with_extension("");
            (sum, path.to_str().unwrap().to_owned())
        })
        .collect();
    let found: BTreeSet<_> = found.iter().map(|(sum, path)| (&**sum, &**path)).collect();
    assert!(found.len() > 100, "{}", found.len());
    assert_eq!(found.symmetric_difference(&listed).collect::<Vec<_>>(), Vec::<&(&str, &str)>::new());
}

/// Each record and each chart is the one that this version writes.
#[test]
fn a_record_of_the_repository_is_an_archive() {
    let directory = tempfile::tempdir().unwrap();
    for run in
        ["2026-11-23/mysql/uuid-order-default", "2026-11-24/sqlite/fourteen-keys", "2026-11-23/mysql/mixed"]
    {
        let run = root().join(run);
        let charts: Vec<_> = fs::read_dir(run.join(report::CHARTS))
            .into_iter()
            .flatten()
            .map(|entry| entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned())
            .collect();
        let charts: Vec<_> = charts.iter().map(String::as_str).collect();
        report::archive(&run, directory.path(), &charts).unwrap();
        let charts = charts.iter().map(|name| format!("{}/{name}.svg", report::CHARTS));
        for name in charts.chain(["results.json.gz".to_owned()]) {
            let [kept, drawn] = [&run, directory.path()].map(|place| fs::read(place.join(&name)).unwrap());
            assert!(kept == drawn, "{} of {}", name, run.display());
        }
    }
}

#[test]
fn a_run_is_archived_in_its_own_directory() {
    let directory = tempfile::tempdir().unwrap();
    let place = directory.path();
    report::save(&report::open(&root().join("2026-11-23/mysql/mixed")).unwrap(), place).unwrap();
    let record = fs::read_to_string(place.join("results.json")).unwrap();
    let names = || {
        let entries = fs::read_dir(place).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect::<BTreeSet<_>>()
    };
    let before = names();
    assert!(before.contains("results.json") && before.contains("charts"), "{before:?}");

    let error = report::archive(place, place, &["leafs"]).unwrap_err().to_string();
    assert!(error.contains("no chart \"leafs\"") && error.contains("leaves"), "{error}");
    assert_eq!(names(), before, "nothing is removed after an error");

    report::archive(place, place, &["leaves"]).unwrap();
    assert_eq!(names().into_iter().collect::<Vec<_>>(), ["charts", "results.json.gz"]);
    assert_eq!(fs::read_dir(place.join("charts")).unwrap().count(), 1);
    assert!(report::json(&report::open(place).unwrap()).unwrap() == record);

    // Archived again, without charts.
    report::archive(place, place, &[]).unwrap();
    assert_eq!(names().into_iter().collect::<Vec<_>>(), ["results.json.gz"]);
    assert!(report::json(&report::open(place).unwrap()).unwrap() == record);
}

/// The record that the documentation opens is in the package, and is the one of the repository.
#[test]
fn the_record_of_the_examples_is_that_of_the_repository() {
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/rebuild/results.json.gz");
    let recorded = root().join("2026-11-23/mysql/rebuild/results.json.gz");
    assert_eq!(fs::read(example).unwrap(), fs::read(recorded).unwrap());
}
