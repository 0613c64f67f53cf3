//! `idgen lab pages` and `simulate`.

use std::io::Read;

use crate::{failure, lines, output};

pub fn json(args: &[&str]) -> serde_json::Value {
    serde_json::from_slice(&output(args, "")).unwrap()
}

/// A small real file of MySQL 9.7. The tests of innodb-pages compare it with the figures of the server.
fn tablespace() -> tempfile::NamedTempFile {
    let path = "crates/innodb-pages/tests/ibd/mysql-9.7-16k-random_keys.ibd.gz";
    let packed = std::fs::File::open(std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap();
    let mut bytes = Vec::new();
    flate2::read::GzDecoder::new(packed).read_to_end(&mut bytes).unwrap();
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    file
}

#[test]
fn pages_are_counted_and_drawn() {
    let file = tablespace();
    let path = file.path().to_str().unwrap();
    let survey = json(&["lab", "pages", path, "--json"]);
    assert_eq!(survey["indexes"][0]["records"], 3_000);
    assert_eq!(survey["indexes"][0]["name"], "PRIMARY");
    let text = lines(&["lab", "pages", path]).join("\n");
    assert!(text.contains("clustered index PRIMARY") && text.contains("0, leaves"), "{text}");

    let dir = tempfile::tempdir().unwrap();
    for (name, start) in [("map.svg", &b"<svg"[..]), ("map.png", b"\x89PNG")] {
        let picture = dir.path().join(name);
        lines(&["lab", "pages", path, "--picture", picture.to_str().unwrap(), "--shade", "recency"]);
        assert!(std::fs::read(&picture).unwrap().starts_with(start), "{name}");
    }
    let (code, error) = failure(&["lab", "pages", path, "--picture", "map.jpg"], "");
    assert_eq!((code, error.contains(".svg or .png")), (2, true), "{error}");
}

#[test]
fn a_file_that_is_not_a_tablespace_is_refused() {
    let (code, error) = failure(&["lab", "pages", concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml")], "");
    assert_eq!(code, 1);
    assert!(error.contains("Cargo.toml") && error.contains("not an InnoDB tablespace"), "{error}");
}

#[test]
fn simulate_predicts_a_table_and_refuses_bad_numbers() {
    let random = json(&["lab", "simulate", "v4-binary", "--rows", "60K", "--pool", "8M", "--json"]);
    assert_eq!(random["tree"]["rows"], 60_000);
    let text = lines(&["lab", "simulate", "v7-binary", "--rows", "60K", "--pool", "8M"]).join("\n");
    assert!(text.contains("60,000 rows") && text.contains("% full"), "{text}");
    for (bad, says) in [
        ("--rows=3X", "not a whole number"),
        ("--rows=5", "from 1000 to"),
        ("--pool=1K", "buffer pool"),
        ("--pool=900000G", "fewer than 2^32 pages"),
        ("--rows=-5", "'-5' is not a whole number"),
        ("--rate=0", "'0' is not a rate"),
        ("--rate=-5", "'-5' is not a rate"),
        ("--rate=nan", "'nan' is not a rate"),
        ("--rate=1e12", "'1e12' is not a rate: give inserts per second, from 0.001 to 10000000"),
        ("--writers=10001", "from 1 to 10000"),
    ] {
        let (code, error) = failure(&["lab", "simulate", "v4-binary", bad], "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}

#[test]
fn simulate_predicts_a_table_that_holds_rows() {
    let args = ["lab", "simulate", "fixed-prefix", "--rows", "30K", "--existing", "v4-binary:20K"];
    let text = lines(&args).join("\n");
    assert!(
        text.contains("fixed-prefix: 50,000 rows") && text.contains("holds 20,000 rows of v4-binary"),
        "{text}"
    );
    let advice = json(&["lab", "advise", "--rows", "30K", "--existing", "v4-binary:30K", "--json"]);
    assert_eq!(
        (&advice["recommended"], &advice["hiding"]),
        (&"v7-binary".into(), &"minute-ascending".into())
    );
    assert!(advice["reasons"][0].as_str().unwrap().contains("if they stay with v4-binary"), "{advice}");
    assert!(advice["prefix"].is_null(), "{advice}");
    for (refused, because) in [
        (&["lab", "simulate", "v4-binary", "--existing", "v4-binary:10M"][..], "11000000 rows are too many"),
        (&["lab", "simulate", "v4-text36", "--existing", "v4-binary:1M"], "do not fit one column"),
    ] {
        let (code, error) = failure(refused, "");
        assert_eq!((code, error.contains(because)), (2, true), "{error}");
    }
}

#[test]
fn simulate_predicts_an_index_of_postgres() {
    let args = ["lab", "simulate", "v7-binary", "--engine", "postgres", "--rows", "60K", "--existing"];
    let after = |existing| json(&[&args[..], &[existing, "--json"]].concat());
    let (v4, v7) = (after("v4-binary:20K"), after("v7-binary:20K"));
    assert_eq!((&v4["tree"]["rows"], &v4["format"]), (&80_000.into(), &1.into()));
    let server = &v4["load"]["server"];
    assert_eq!((&server["engine"], &server["checkpoint_secs"]), (&"postgres".into(), &300.into()));
    assert_eq!(server["pool_bytes"], 128 << 20);
    assert!(v4["windows"][9]["log_bytes_per_row"].is_f64(), "{v4}");
    assert_eq!(v4["load"]["existing"], serde_json::json!(["v4-binary", 20_000]));
    let leaves = |forecast: &serde_json::Value| forecast["tree"]["leaf_pages"].as_u64().unwrap();
    assert!(leaves(&v4) > leaves(&v7) + 50, "{v4} {v7}");
    let text = lines(&[&args[..], &["v4-binary:20K", "--checkpoint", "60"]].concat()).join("\n");
    assert!(text.contains("a checkpoint every 60 s") && text.contains("% full"), "{text}");
    for (bad, says) in [
        (&["--pool", "100K"][..], "a buffer pool of 102400 bytes, which hold 12 pages"),
        (&["--existing", "v4-binary"], "v4-binary:1M"),
        (&["--existing", "v5:1M"], "no strategy"),
        (&["--existing", "v4-text36:1M"], "do not fit one column"),
        (&["--checkpoint", "60", "--engine", "mysql"], "does not apply to the model of MySQL"),
        (&["--rows", "2G"], "too many for the model of PostgreSQL"),
    ] {
        let args = [&["lab", "simulate", "v4-binary", "--engine", "postgres"], bad].concat();
        let args =
            if bad.contains(&"mysql") { [&["lab", "simulate", "v4-binary"], bad].concat() } else { args };
        let (code, error) = failure(&args, "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}

/// The index of random keys outgrows small shared buffers, and the heap takes its part of them.
#[test]
fn simulate_predicts_what_shared_buffers_read_and_write() {
    let run = |key, more: &[&str]| {
        let args = ["lab", "simulate", key, "--engine", "postgres", "--rows", "100K", "--rate", "5000"];
        let found = json(&[&args[..], more, &["--json"]].concat());
        let sum = |name: &str| -> f64 {
            found["windows"].as_array().unwrap().iter().map(|window| window[name].as_f64().unwrap()).sum()
        };
        (sum("reads_per_1k") / 10.0, sum("writes_per_1k") / 10.0)
    };
    let (reads, writes) = run("v4-binary", &["--pool", "1M"]);
    assert!(reads > 300.0 && writes > reads, "{reads} {writes}");
    let (fit, rarely) = run("v4-binary", &["--pool", "64M"]);
    assert_eq!((fit, rarely), (0.0, 0.0), "nothing leaves, and the first checkpoint is later");
    let (fit, often) = run("v4-binary", &["--pool", "64M", "--checkpoint", "2"]);
    assert!(fit == 0.0 && often > 20.0, "{often}");
    let (ordered, written) = run("v7-binary", &["--pool", "1M"]);
    assert!(ordered == 0.0 && written > 15.0 && written < 30.0, "{written}");
    let args = ["lab", "simulate", "v4-binary", "--engine", "postgres", "--rows", "20K", "--pool", "8M"];
    let text = lines(&[&args[..], &["--iops", "500"]].concat()).join(" ");
    for said in ["shared buffers of 8 MiB, 500 page reads and writes per second", "pages read", "log bytes"] {
        assert!(text.contains(said), "{said}: {text}");
    }
}

#[test]
fn tenants_may_come_before_the_id() {
    for engine in ["mysql", "postgres"] {
        let load = ["--engine", engine, "--rows", "60K", "--json"];
        let fill = |more: &[&str]| {
            let forecast = json(&[&["lab", "simulate", "v7-binary"][..], more, &load].concat());
            forecast["tree"]["fill"]["mean"].as_f64().unwrap()
        };
        assert!(fill(&["--tenants", "500"]) < fill(&[]) - 0.1, "{engine}");
        let advice = json(&[&["lab", "advise", "--tenants", "500"][..], &load].concat());
        assert!(advice["caveats"].to_string().contains("one of 500 tenants at random"), "{advice}");
    }
    for (bad, says) in [
        (&["simulate", "v7-binary", "--engine", "sqlite"][..], "leave out the tenants"),
        (
            &["simulate", "v7-binary", "--engine", "rocksdb"],
            "--tenants does not apply to the model of RocksDB",
        ),
        (&["simulate", "no-primary-key"], "leave out the tenants"),
        (&["advise", "--rows", "5M"], "give at most 4000000"),
    ] {
        let (code, error) = failure(&[&["lab"], bad, &["--tenants", "9"]].concat(), "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
}

#[test]
fn simulate_predicts_a_table_of_sqlite() {
    let args = ["lab", "simulate", "v4-binary", "--engine", "sqlite", "--rows", "60K"];
    let at = |more: &[&str]| json(&[&args[..], more, &["--json"]].concat());
    let (plain, wide) =
        (at(&[]), at(&["--pool", "64M", "--page-bytes", "16384", "--existing", "v4-binary:20K"]));
    assert_eq!(plain["load"]["server"]["page_bytes"], 4_096);
    assert_eq!((&plain["tree"]["rows"], &wide["tree"]["rows"]), (&60_000.into(), &80_000.into()));
    let reads = |forecast: &serde_json::Value| forecast["windows"][9]["reads_per_1k"].as_f64().unwrap();
    assert!(reads(&plain) > 500.0 && reads(&wide) == 0.0, "{plain} {wide}");
    let text =
        lines(&[&args[..], &["--commit-rows", "10", "--existing", "v4-binary:20K"]].concat()).join("\n");
    assert!(text.contains("10 in a transaction, pages of 4096 bytes"), "{text}");
    assert!(text.contains("holds 20,000 rows of v4-binary") && text.contains("% full"), "{text}");
    for (bad, says) in [
        (&["--iops", "100"][..], "--iops does not apply to the model of SQLite"),
        (&["--checkpoint", "60"], "--checkpoint does not apply to the model of SQLite"),
        (&["--page-bytes", "5000"], "SQLite has powers of two"),
        (&["--row-bytes", "3000"], "overflow pages"),
        (&["--pool", "100K"], "the cache in pages is 25"),
        (&["--commit-rows", "0"], "at least one"),
        (&["--existing", "v4-text36:20K"], "do not fit one column"),
        (&["--rows", "2G"], "too many for the model of SQLite"),
    ] {
        let (code, error) = failure(&[&args[..5], bad].concat(), "");
        assert_eq!((code, error.contains(says)), (2, true), "{error}");
    }
    for (engine, option) in
        [("mysql", "--page-bytes"), ("postgres", "--page-bytes"), ("postgres", "--commit-rows")]
    {
        let (code, error) = failure(&["lab", "advise", "--engine", engine, option, "4096"], "");
        assert_eq!((code, error.contains(&format!("{option} does not apply"))), (2, true), "{error}");
    }
}

/// Transactions of one row change undo pages a hundred times as often, and these take a part of a small pool.
#[test]
fn simulate_takes_the_rows_of_a_transaction() {
    let args = ["lab", "simulate", "v4-binary", "--rows", "300K", "--pool", "32M"];
    let reads = |rows: &str| {
        let forecast = json(&[&args[..], &["--commit-rows", rows, "--json"]].concat());
        assert_eq!(forecast["load"]["commit_rows"].to_string(), rows);
        forecast["windows"][9]["reads_per_1k"].as_f64().unwrap()
    };
    let (single, hundred) = (reads("1"), reads("100"));
    assert!(single > 1.2 * hundred, "{single} {hundred}");
    let text = lines(&args).join("\n");
    assert!(text.contains("1000 inserts per second by one writer, 1 in a transaction"), "{text}");
    let (code, error) = failure(&[&args[..], &["--commit-rows", "0"]].concat(), "");
    assert_eq!(code, 2);
    assert!(error.contains("the number of rows in a transaction is 0: give at least one"), "{error}");
}

/// The page fill depends on how long ids wait, and one client has no order but that of its ids.
#[test]
fn several_clients_fill_pages_as_their_delay_says() {
    for engine in ["mysql", "postgres"] {
        let load = ["lab", "simulate", "v7-binary", "--rows", "30K", "--rate", "5000", "--engine", engine];
        let clients = ["--writers", "60", "--statement-rows", "10", "--delay"];
        let fill = |delay: &str| {
            let found = json(&[&load[..], &clients, &[delay, "--json"]].concat());
            found["tree"]["fill"]["mean"].as_f64().unwrap()
        };
        let (soon, late) = (fill("0.01"), fill("100,200,300,400"));
        assert!(late + 0.1 < soon, "{engine}: {soon} {late}");
        let text = lines(&[&load[..], &clients, &["2"]].concat()).join(" ");
        assert!(text.contains("10 rows in a statement, inserted 2 ms after its ids are made"), "{text}");
        let args = ["lab", "advise", "--rows", "60K", "--writers", "8", "--engine", engine];
        let advice = json(&[&args[..], &["--json"]].concat());
        let says = |caveat: &serde_json::Value| {
            caveat.as_str().unwrap().contains("hold-out runs of version 7 that are most like this load")
        };
        assert!(advice["caveats"].as_array().unwrap().iter().any(says), "{engine}: {advice}");
    }
    for (args, says) in [
        (&["--delay", "5"][..], "--delay changes nothing with one writer"),
        (&["--writers", "8", "--delay", "1,2"], "four ascending numbers"),
        (&["--writers", "8", "--statement-rows", "0"], "from 1 to 100000"),
        (&["--writers", "8", "--delay", "5", "--engine", "sqlite"], "--delay does not apply to the model"),
        (&["--writers", "2", "--skew", "0,1,2"], "--skew has 3 clocks, and --writers is 2"),
    ] {
        let (code, error) = failure(&[&["lab", "simulate", "v7-binary"], args].concat(), "");
        assert_eq!((code, error.replace('\n', " ").contains(says)), (2, true), "{error}");
    }
}

/// A benchmark inserts faster than the clock of its ids goes: the ids are those of the slow clock.
#[test]
fn ids_may_have_their_own_clock() {
    let load = ["lab", "simulate", "minute-random", "--rows", "20000", "--rate", "5000"];
    let leaves = [None, Some("50")].map(|id_rate| {
        let args = [&load[..], &id_rate.map_or(vec![], |rate| vec!["--id-rate", rate])].concat();
        let text = lines(&args).join("\n");
        assert_eq!(text.contains("\n50 ids per second by their own clock\n"), id_rate.is_some(), "{text}");
        let found = json(&[&args[..], &["--json"]].concat());
        assert_eq!(found["load"]["id_rate"].as_f64(), id_rate.map(|_| 50.0));
        found["windows"].as_array().unwrap().last().unwrap()["distinct_leaves_per_1k"].as_f64().unwrap()
    });
    // With their own clock, the last 1,000 rows share one or two prefixes with few others.
    assert!(2.0 * leaves[1] < leaves[0], "{leaves:?}");
}

/// One form for every database: what a model has not is left out.
#[test]
fn forecasts_and_advice_have_one_form() {
    for engine in ["mysql", "sqlite", "postgres"] {
        let has = |part: &serde_json::Value| {
            part["reads_per_1k"].is_f64() && part["log_bytes_per_row"].is_f64() == (engine == "postgres")
        };
        let args = ["--engine", engine, "--rows", "10K", "--json"];
        let rates = ["lab", "simulate", "v7-binary", "--rates", "10,1000", "--id-rate", "50"];
        let forecasts = json(&[&rates[..], &args].concat());
        let server = if engine == "mysql" { "innodb" } else { engine };
        for forecast in forecasts.as_array().unwrap() {
            assert_eq!((&forecast["format"], &forecast["strategy"]), (&1.into(), &"v7-binary".into()));
            assert_eq!(forecast["load"]["server"]["engine"], server);
            assert_eq!(
                (&forecast["load"]["id_rate"], &forecast["load"]["commit_rows"].is_u64()),
                (&50.0.into(), &true)
            );
            assert!(
                forecast["tree"]["fill"]["mean"].is_f64() && forecast["record_bytes"].is_u64(),
                "{forecast}"
            );
            assert!(forecast["windows"].as_array().unwrap().iter().all(has), "{forecast}");
        }
        let advice = json(&[&["lab", "advise"], &args[..]].concat());
        assert_eq!(advice["format"], 1, "{advice}");
        for candidate in advice["candidates"].as_array().unwrap() {
            assert!(candidate["tree_bytes"].is_f64() && has(candidate), "{candidate}");
            assert_eq!(candidate["heap_bytes"].is_f64(), engine == "postgres", "{candidate}");
        }
    }
}

/// Pages read over the rows, with a line for each rate.
#[test]
fn several_rates_are_drawn() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("reads.svg");
    let path = file.to_str().unwrap();
    let load = ["lab", "simulate", "minute-random", "--rows", "20000", "--pool", "5M"];
    let found = json(&[&load[..], &["--rates", "1,2000.5,30000", "--picture", path, "--json"]].concat());
    let rates: Vec<_> =
        found.as_array().unwrap().iter().map(|one| one["load"]["rate"].as_f64().unwrap()).collect();
    assert_eq!(rates, [1.0, 2000.5, 30_000.0]);
    let drawn = std::fs::read_to_string(&file).unwrap();
    for said in ["1 row per second", "2000.5 rows per second", "30,000 rows per second", "pool of 5 MiB"] {
        assert!(drawn.contains(said), "{said}: {drawn}");
    }
    let last = found[2]["windows"].as_array().unwrap().last().unwrap();
    let written = format!("{:.0} at 20000", last["reads_per_1k"].as_f64().unwrap());
    assert!(drawn.contains(&written), "{written}: {drawn}");
    // One rate is a forecast as without a picture.
    let one = json(&[&load[..], &["--rate", "60", "--picture", path, "--json"]].concat());
    assert_eq!(one["load"]["rate"], 60.0);
    for (args, says) in [
        (&["--picture", "reads.png"][..], "must end in .svg"),
        (&["--rates", "1,-5"], "-5"),
        (&["--rates", "1", "--rate", "2"], "--rate"),
        (&["--id-rate", "0"], "'0' is not a rate"),
    ] {
        let (code, error) = failure(&[&load[..5], args].concat(), "");
        assert!(code == 2 && error.contains(says), "{args:?}: {code} {error}");
    }
}

/// Clocks that differ by more than the time between two inserts leave pages emptier, and the advice says what to do.
#[test]
fn clocks_that_differ_leave_emptier_pages() {
    let fill = |skew: &[&str]| {
        let load = [
            "lab",
            "simulate",
            "v7-binary",
            "--rows",
            "30K",
            "--rate",
            "1000",
            "--writers",
            "4",
            "--delay",
            "0.2",
        ];
        json(&[&load[..], skew, &["--json"]].concat())["tree"]["fill"]["mean"].as_f64().unwrap()
    };
    let [none, some, much] = [&[][..], &["--skew", "0,1,2,3"], &["--skew", "0,10,20,30"]].map(fill);
    assert!(none > some + 0.03 && some > much + 0.03, "{none} {some} {much}");
    let args = ["lab", "advise", "--rows", "30K", "--rate", "1000", "--writers", "4"];
    let said = lines(&[&args[..], &["--skew", "10"]].concat()).join(" ");
    assert!(said.contains("clocks that are off by up to 10 ms") || said.contains("minute-writers"), "{said}");
    let said = lines(&args).join(" ");
    let words: Vec<&str> = said.split_whitespace().collect();
    assert!(words.join(" ").contains("measure the difference with idgen lab skew"), "{said}");
    let (code, error) = failure(&["lab", "simulate", "v7-binary", "--skew", "5"], "");
    assert_eq!(
        (code, error.replace('\n', " ").contains("--skew changes nothing with one writer")),
        (2, true),
        "{error}"
    );
}

/// Version 1 begins again with its low bits every 429.5 seconds, so the time of the first id decides where rows go.
#[test]
fn the_time_of_the_first_id_matters_for_version_1() {
    let pages = |start: &str| {
        let load = ["lab", "simulate", "v1-binary", "--engine", "postgres", "--rows", "30K", "--rate", "100"];
        json(&[&load[..], &["--start", start, "--json"]].concat())["tree"]["leaf_pages"].as_u64().unwrap()
    };
    assert!(pages("2026-10-05T08:00:00Z") > 5 * pages("2026-10-05T08:02:30Z") / 4);
    let (code, error) = failure(&["lab", "simulate", "v7-binary", "--start", "yesterday"], "");
    assert_eq!((code, error.contains("not a time \"yesterday\"")), (2, true), "{error}");
}
