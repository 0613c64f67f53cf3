//! `idgen lab simulate` and `advise` for tables in ranges.

use crate::forecast::json;
use crate::{failure, lines};

const TABLE: [&str; 5] = ["--range-bytes", "512K", "--rows", "50K", "--json"];

#[test]
fn simulate_and_advise_predict_a_table_in_ranges() {
    for engine in ["hbase", "tidb", "cockroachdb", "spanner", "dsql"] {
        let simulate = |name| json(&[&["lab", "simulate", name, "--engine", engine][..], &TABLE].concat());
        let (v4, v7) = (simulate("v4-binary"), simulate("v7-binary"));
        let node = |forecast: &serde_json::Value| forecast["late"]["hottest_node"].as_f64().unwrap();
        assert!(node(&v7) == 1.0 && node(&v4) < 0.6, "{engine}: {v4} {v7}");
        assert_eq!((&v4["load"]["engine"], &v4["windows"][9]["rows"]), (&engine.into(), &50_000.into()));
        let advice = json(&[&["lab", "advise", "--engine", engine][..], &TABLE].concat());
        assert_eq!((&advice["recommended"], &advice["spread"]), (&"v4-binary".into(), &"none".into()));
        assert!(advice["rules"][0]["source"].as_str().unwrap().starts_with("https://"));
    }
    let hashed = ["lab", "simulate", "v7-binary", "--engine", "hbase", "--spread", "hash:16", "--nodes", "4"];
    let hashed = json(&[&hashed[..], &TABLE].concat());
    assert!(hashed["late"]["hottest_node"].as_f64().unwrap() < 0.5, "{hashed}");
    assert_eq!(hashed["load"]["spread"], serde_json::json!({ "hashed": 16 }));
    for engine in ["yugabytedb", "vitess"] {
        let advice = json(&["lab", "advise", "--engine", engine, "--rows", "100K", "--json"]);
        assert_eq!(advice["recommended"], "v7-binary", "{engine}");
    }
    let stay =
        json(&[&["lab", "advise", "--engine", "hbase", "--existing", "v7-binary:20K"][..], &TABLE].concat());
    assert_eq!(
        (&stay["candidates"][0]["strategy"], &stay["recommended"]),
        (&"v7-binary".into(), &"v4-binary".into())
    );
    let text = lines(&["lab", "advise", "--engine", "tidb", "--rows", "100M", "--writers", "8"]).join(" ");
    assert!(text.contains("Take v4-binary.") && text.contains("docs.pingcap.com"), "{text}");
    assert!(text.contains("TiDB was not run"), "{text}");
}

#[test]
fn options_that_no_table_in_ranges_has_are_refused() {
    for (bad, says) in [
        (
            &["v4-binary", "--engine", "hbase", "--pool", "1G"][..],
            "--pool does not apply to the model of HBase",
        ),
        (
            &["v4-binary", "--engine", "tidb", "--memtable", "8M"],
            "--memtable does not apply to the model of TiDB",
        ),
        (&["v4-binary", "--engine", "tidb", "--skew", "5"], "--skew does not apply"),
        (&["v4-binary", "--engine", "tidb", "--rates", "1,2"], "--rates does not apply"),
        (&["v4-binary", "--engine", "tidb", "--id-rate", "2"], "--id-rate does not apply"),
        (&["v4-binary", "--nodes", "3"], "--nodes does not apply to the model of MySQL"),
        (
            &["v4-binary", "--engine", "rocksdb", "--spread", "none"],
            "--spread does not apply to the model of RocksDB",
        ),
        (
            &["v4-binary", "--engine", "vitess", "--range-bytes", "1M"],
            "--range-bytes does not apply to the model of Vitess",
        ),
        (&["v4-binary", "--engine", "hbase", "--range-bytes", "1K"], "the size of a range is 1024: give"),
        (&["v4-binary", "--engine", "hbase", "--nodes", "0"], "1"),
        (&["v4-binary", "--engine", "hbase", "--spread", "hash:0"], "give none, bit-reversed, or hash:N"),
        (&["mapped", "--engine", "hbase"], "keeps two tables"),
        (
            &["v4-binary", "--engine", "hbase", "--rows", "9G", "--range-bytes", "8K"],
            "a larger --range-bytes",
        ),
        (&["v7-binary", "--engine", "hbase", "--existing", "v4-text36:1M"], "do not fit one column"),
    ] {
        let (code, error) = failure(&[&["lab", "simulate"], bad].concat(), "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}

#[test]
fn shares_of_nodes_are_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("nodes.svg");
    let load =
        ["lab", "simulate", "v4-binary", "--engine", "hbase", "--rows", "40000", "--range-bytes", "1M"];
    let found = json(&[&load[..], &["--picture", file.to_str().unwrap(), "--json"]].concat());
    let last = found["windows"].as_array().unwrap().last().unwrap();
    let share = |of: &str| last[of].as_f64().unwrap();
    assert!(share("coldest_node") < 1.0 / 3.0 && share("hottest_node") > 1.0 / 3.0, "{last}");
    let drawn = std::fs::read_to_string(&file).unwrap();
    for node in ["hottest", "coldest"] {
        let point = format!("{:.0} % at 40000", 100.0 * share(&format!("{node}_node")));
        let named = format!("the {node} node: ");
        let said = drawn.split(&named).nth(1).unwrap_or_else(|| panic!("{named}: {drawn}"));
        assert!(said.split(". the").next().unwrap().contains(&point), "{point}: {said}");
    }
    assert!(drawn.contains("predicted for 3 nodes"), "{drawn}");
}

#[test]
fn engines_that_are_only_predicted_are_named() {
    let (code, error) = failure(&["lab", "--engine", "tidb"], "");
    assert!(code == 2 && error.contains("idgen lab advise --engine tidb"), "{code} {error}");
}
