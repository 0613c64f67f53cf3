//! `idgen lab simulate` and `advise` for LSM trees.

use crate::forecast::json;
use crate::{failure, lines};

#[test]
fn simulate_and_advise_predict_an_lsm_tree() {
    let tree = ["--memtable", "512K", "--level-base", "2M", "--rows", "100K", "--json"];
    for engine in ["rocksdb", "myrocks"] {
        let simulate = |name| json(&[&["lab", "simulate", name, "--engine", engine][..], &tree].concat());
        let (v4, v7) = (simulate("v4-binary"), simulate("v7-binary"));
        let times = |forecast: &serde_json::Value| forecast["whole"]["write_amplification"].as_f64().unwrap();
        assert!(times(&v7) == 1.0 && times(&v4) > 2.5, "{engine}: {v4} {v7}");
        assert_eq!((&v4["load"]["engine"], &v4["windows"][9]["rows"]), (&engine.into(), &100_000.into()));
        let compressed = json(
            &[&["lab", "simulate", "v4-binary", "--engine", engine, "--compressed", "50"][..], &tree]
                .concat(),
        );
        assert!(compressed["file_bytes"].as_f64() < v4["file_bytes"].as_f64().map(|bytes| bytes * 0.6));
        let advice = json(&[&["lab", "advise", "--engine", engine][..], &tree].concat());
        assert_eq!((&advice["recommended"], &advice["format"]), (&"v7-binary".into(), &1.into()));
        let stay = json(
            &[&["lab", "advise", "--engine", engine, "--existing", "v4-text36:50K"][..], &tree].concat(),
        );
        let names: Vec<_> =
            stay["candidates"].as_array().unwrap().iter().map(|one| &one["strategy"]).collect();
        assert_eq!(names, ["v4-text36", "v7-text36", "fixed-text36", "minute-text36"]);
        assert_eq!(stay["recommended"], "v7-text36");
    }
    let small = lines(&["lab", "advise", "--engine", "rocksdb", "--rows", "100K"]).join(" ");
    assert!(small.contains("All rows fit a few memtables of 64 MiB, so no key"), "{small}");
    // With several clients, the files of two memtables overlap by the rows that arrive late, and are merged.
    let several = ["lab", "simulate", "v7-binary", "--engine", "myrocks", "--writers", "8"];
    let several = json(&[&several[..], &tree].concat());
    let times = several["whole"]["write_amplification"].as_f64().unwrap();
    assert!((1.5..2.5).contains(&times), "{several}");
    let text = lines(&["lab", "simulate", "v4-binary", "--engine", "rocksdb", "--rows", "10K"]).join("\n");
    assert!(text.contains("a memtable of 64 MiB") && text.contains("written 1.00 times"), "{text}");
    for (bad, says) in [
        (
            &["v4-binary", "--engine", "rocksdb", "--pool", "1G"][..],
            "--pool does not apply to the model of RocksDB",
        ),
        (&["v4-binary", "--engine", "myrocks", "--delay", "5"], "--delay changes nothing with one writer"),
        (&["v4-binary", "--engine", "myrocks", "--rates", "1,2"], "--rates does not apply"),
        (&["v4-binary", "--memtable", "8M"], "--memtable does not apply to the model of MySQL"),
        (&["auto-increment", "--engine", "rocksdb"], "a library makes no ids; choose v7-binary"),
        (&["mapped", "--engine", "myrocks"], "keeps two tables"),
        (&["v4-binary", "--engine", "rocksdb", "--memtable", "1K"], "the size of the memtable is 1024: give"),
        (&["v4-binary", "--engine", "rocksdb", "--compressed", "0"], "1"),
        (&["v4-binary", "--engine", "rocksdb", "--rows", "20G"], "give a number from 1000 to 10000000000"),
        (&["v4-binary", "--engine", "rocksdb", "--rows", "9G", "--memtable", "64K"], "a larger --memtable"),
        (&["v7-binary", "--engine", "rocksdb", "--existing", "v4-text36:1M"], "do not fit one column"),
    ] {
        let (code, error) = failure(&[&["lab", "simulate"], bad].concat(), "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}

/// RocksDB compiles for minutes, so a program has it only if it was asked for.
#[test]
fn a_run_on_rocksdb_says_what_it_takes() {
    let run = |args: &[&str]| failure(&[&["lab", "run", "--engine", "rocksdb"], args].concat(), "");
    if !cfg!(feature = "rocksdb") {
        let (code, error) = run(&["--quick"]);
        let says = "built without the engine rocksdb, which the feature 'rocksdb' brings";
        assert!(code == 2 && error.contains(says) && error.contains("--features rocksdb"), "{error}");
        return;
    }
    for (bad, says) in [
        (
            &["--secondary-indexes", "2"][..],
            "--secondary-indexes does not apply to rocksdb, into which the lab inserts one value",
        ),
        (&["--mix", "40/25/15/15/5", "--existing", "v4:10K"], "--mix does not apply to rocksdb"),
        (&["--strategies", "mapped"], "RocksDB cannot run mapped: it keeps one table, and a map takes two"),
        (&["--strategies", "auto-increment"], "it numbers no rows; choose device"),
        (&["--commit-rows", "10"], "--commit-rows 10 does not apply to rocksdb"),
        (&["--serializable"], "--serializable does not apply to rocksdb"),
        (&["--checkpoint", "60"], "--checkpoint 60 does not apply to rocksdb"),
        (&["--memtable", "1K"], "--memtable 1024 is too small for an LSM tree: give at least 65536 bytes"),
        (&["function-calls"], "It cannot run on rocksdb: choose --engine mysql or mariadb"),
    ] {
        let (code, error) = run(bad);
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}

#[test]
fn options_of_lsm_trees_are_refused_by_other_engines() {
    for (args, says) in [
        (
            &["--engine", "sqlite", "--memtable", "1M"][..],
            "--memtable does not apply to sqlite, which is no LSM tree",
        ),
        (&["--engine", "mariadb", "--level-base", "1M"], "--level-base does not apply to mariadb"),
        (
            &["--engine", "myrocks", "--lz4"],
            "--lz4 does not apply to myrocks, whose files the lab does not compress",
        ),
        (&["--engine", "postgres", "--fixed-levels"], "--fixed-levels does not apply to postgres"),
    ] {
        let (code, error) = failure(&[&["lab", "run", "--quick"], args].concat(), "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}
