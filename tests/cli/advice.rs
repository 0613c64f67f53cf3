//! `idgen lab advise`.

use crate::forecast::json;
use crate::{failure, lines};

#[test]
fn advise_recommends_keys_for_sqlite() {
    let args = ["lab", "advise", "--engine", "sqlite", "--rows", "60K", "--writers", "5"];
    let text = lines(&args).join("\n");
    assert!(text.starts_with("Take v7-binary."), "{text}");
    assert!(text.contains("a model of SQLite's B-tree and page cache"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let advice = json(&[&args[..], &["--existing", "v4-text36:60K", "--json"]].concat());
    let candidates = advice["candidates"].as_array().unwrap();
    assert_eq!(
        candidates.iter().map(|one| one["strategy"].as_str().unwrap()).collect::<Vec<_>>(),
        ["v4-text36", "v7-text36", "fixed-text36", "minute-text36"]
    );
    assert!(advice["reasons"][0].as_str().unwrap().contains("if they stay with v4-text36"), "{advice}");
}

/// The most common legacy table has text, and gets an answer with reasons on every database.
#[test]
fn advice_has_a_reason_for_a_table_of_text() {
    for engine in ["mysql", "mariadb", "postgres", "sqlite"] {
        let args = ["lab", "advise", "--engine", engine, "--existing", "v4-text36:60K", "--rows", "60K"];
        let advice = json(&[&args[..], &["--json"]].concat());
        let taken = advice["recommended"].as_str().unwrap();
        assert!(taken.ends_with("text36") && taken != "v4-text36", "{engine}: {advice}");
        assert!(!advice["reasons"].as_array().unwrap().is_empty(), "{engine}: {advice}");
    }
}

#[test]
fn advise_asks_who_makes_ids() {
    for engine in ["mysql", "postgres", "sqlite"] {
        let args = ["lab", "advise", "--engine", engine, "--rows", "60K", "--json"];
        let of = |more: &[&str]| {
            let advice = json(&[&args[..], more].concat());
            (advice["recommended"].to_string(), advice["from_server"].to_string())
        };
        let (clients, server) = ("\"v7-binary\"".to_owned(), "\"auto-increment\"".to_owned());
        for writers in ["1", "20"] {
            assert_eq!(of(&["--writers", writers]), (clients.clone(), server.clone()), "{engine}");
        }
        assert_eq!(of(&["--ids-from", "server"]), (server.clone(), "null".into()), "{engine}");
        assert_eq!(of(&["--ids-from", "clients"]), (clients, "null".into()), "{engine}");
    }
    let args = ["lab", "advise", "--rows", "60K", "--existing", "v4-binary:60K", "--ids-from", "server"];
    let (code, error) = failure(&args, "");
    assert_eq!((code, error.contains("--ids-from clients")), (2, true), "{error}");
}

/// A phone inserts a row now and then for years.
#[test]
fn the_rate_of_a_device_is_taken() {
    let args = ["lab", "advise", "--rows", "20K", "--rate", "0.05", "--engine"];
    for engine in ["sqlite", "mysql", "postgres"] {
        let text = lines(&[&args[..], &[engine]].concat()).join(" ");
        assert!(text.starts_with("Take v7-binary.") && !text.contains(" 0 inserts per second"), "{text}");
    }
    let forecast = json(&["lab", "simulate", "v7-binary", "--rows", "20K", "--rate", "0.05", "--json"]);
    assert_eq!(forecast["load"]["rate"], 0.05);
}

#[test]
fn advise_recommends_keys_for_postgres() {
    let args = ["lab", "advise", "--engine", "postgres", "--rows", "60K", "--rate", "10", "--writers", "5"];
    let text = lines(&args).join("\n");
    assert!(text.starts_with("Take v7-binary."), "{text}");
    assert!(text.contains("when they were made, use minute-random."), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let advice = json(&[&args[..], &["--existing", "v4-binary:60K", "--json"]].concat());
    assert_eq!(advice["recommended"], "fixed-prefix");
    assert!(
        advice["reasons"][0].as_str().unwrap().contains("% larger than staying with v4-binary"),
        "{advice}"
    );
}

/// An index that is larger than the shared buffers, and a device that is too slow for random keys.
#[test]
fn advise_says_what_shared_buffers_of_postgres_read() {
    let args = ["lab", "advise", "--engine", "postgres", "--rows", "300K", "--pool", "4M", "--iops", "500"];
    let text = lines(&args).join("\n");
    let said = text.replace('\n', " ");
    for part in [
        "with shared buffers of 4 MiB",
        "A device with 500 reads and writes per second sustains about",
        "operating system",
    ] {
        assert!(said.contains(part), "{part}: {text}");
    }
    assert!(
        text.starts_with("Take v7-binary.") && text.lines().all(|line| line.chars().count() <= 100),
        "{text}"
    );
    let advice = json(&[&args[..], &["--json"]].concat());
    let reads = |name: &str| {
        let all = advice["candidates"].as_array().unwrap();
        all.iter().find(|one| one["strategy"] == name).unwrap()["reads_per_1k"].as_f64().unwrap()
    };
    assert!(reads("v4-binary") > 500.0 && reads("v7-binary") == 0.0, "{advice}");
    let few = failure(&["lab", "advise", "--engine", "postgres", "--pool", "64K"], "");
    assert!(few.0 == 2 && few.1.contains("give at least 64 pages"), "{few:?}");
}

#[test]
fn advise_recommends_a_key_and_an_interval_with_reasons() {
    let args = ["lab", "advise", "--rows", "100K", "--pool", "8M", "--writers", "5"];
    let text = lines(&args).join("\n");
    assert!(
        text.starts_with("Take v7-binary.")
            && text.contains("If the database makes the ids, use auto-increment"),
        "{text}"
    );
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    let advice = json(&[&args[..], &["--json"]].concat());
    assert_eq!(advice["recommended"], "v7-binary");
    let candidates = advice["candidates"].as_array().unwrap();
    assert_eq!(
        candidates.iter().map(|one| one["strategy"].as_str().unwrap()).collect::<Vec<_>>(),
        [
            "auto-increment",
            "v7-binary",
            "minute-writers",
            "minute-ascending",
            "minute-random",
            "v4-binary",
            "v4-text36"
        ]
    );
    // A minute of 1,000 inserts a second needs 520 pages, more than an eighth of the pool's 512.
    let text = text.replace('\n', " ");
    assert!(text.contains("with a keyed prefix, interval minute and the ascending tail"), "{text}");
    assert_eq!(advice["prefix"]["interval"], "minute");
    assert_eq!(advice["prefix"]["intervals"].as_array().unwrap().len(), 8);

    // Ten inserts a second need 26 pages in five minutes.
    let args = ["lab", "advise", "--rows", "1M", "--pool", "128M", "--rate", "10"];
    let prefix = &json(&[&args[..], &["--json"]].concat())["prefix"];
    assert_eq!((&prefix["interval"], &prefix["tail"]), (&"5m".into(), &"ascending".into()));
    assert_eq!(prefix["prefix_bits"], 16);
    let fill = prefix["fill"].as_f64().unwrap();
    assert!((0.89..0.92).contains(&fill), "{fill}");
    // The chosen interval is one that the generator takes.
    let interval = prefix["interval"].as_str().unwrap();
    lines(&["new", "prefixed", "--prefix", "sequential", "--interval", interval, "--tail", "ascending"]);
}

/// Each kind of column has an answer, small and huge tables too, and the id that the rest of the command line calls `short`.
#[test]
fn advice_knows_other_columns_and_sizes() {
    for (existing, engine, recommended) in [
        ("v4-base64:20K", "mysql", "v7-base64"),
        ("ulid-text26:20K", "postgres", "ulid-text26"),
        ("short:20K", "mysql", "device"),
        ("v4-varchar36:20K", "mariadb", "v7-varchar36"),
    ] {
        let args = ["lab", "advise", "--rows", "20K", "--existing", existing, "--engine", engine, "--json"];
        let advice = json(&args);
        assert_eq!(advice["recommended"], recommended, "{existing}: {advice}");
    }
    let said = lines(&["lab", "advise", "--rows", "20K", "--existing", "short:20K"]).join(" ");
    assert!(said.contains("No other kind of id that is compared fits the column of device"), "{said}");
    let advice = json(&["lab", "advise", "--rows", "2K", "--pool", "16M", "--json"]);
    assert_eq!(advice["recommended"], "v7-binary");
    assert!(advice["candidates"][0]["outgrows_pool_at_rows"].as_u64().unwrap() > 50_000, "{advice}");
}
