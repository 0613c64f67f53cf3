//! The advice for all databases.

use super::*;
use crate::forecast::{Clients, Delay, PostgresSettings, SqliteSettings};
use crate::strategy::find;
use btree_model::Server;

fn load(rows: u64, writers: u64) -> Load {
    Load { rate: 2_000.0, writers, ..Load::new(rows, Server::mysql(64 << 20)) }
}

#[test]
fn who_makes_ids_decides_and_not_the_number_of_writers() {
    for writers in [1, 8] {
        let said = |from| advise(&load(100_000, writers), from).unwrap();
        let either = said(IdsFrom::Either);
        assert_eq!((either.recommended, either.from_server), ("v7-binary", Some("auto-increment")));
        assert!(either.to_string().contains("If the database makes the ids, use auto-increment"), "{either}");
        assert!(either.reasons.iter().any(|reason| reason.contains("a smaller key")), "{either:?}");
        let server = said(IdsFrom::Server);
        assert_eq!((server.recommended, server.from_server), ("auto-increment", None));
        assert!(!server.reasons.is_empty() && !server.to_string().contains("If the database"), "{server}");
        let clients = said(IdsFrom::Clients);
        assert_eq!((clients.recommended, clients.from_server), ("v7-binary", None));
    }
}

#[test]
fn random_keys_cost_reads_only_if_the_table_outgrows_the_pool() {
    let within = advise(&load(100_000, 2), IdsFrom::Either).unwrap();
    assert!(within.reasons[0].contains("no key causes reads"), "{within:?}");
    let beyond = advise(&load(4_000_000, 2), IdsFrom::Either).unwrap();
    assert!(beyond.reasons[0].contains("pages from the disk"), "{beyond:?}");
    assert!(beyond.scale > 1);
    let random = beyond.candidates.iter().find(|one| one.strategy == "v4-binary").unwrap();
    // 4 million rows of 134 bytes on pages that are two thirds full take 800 MB; the pool is a twelfth of that.
    assert!((700.0..1_000.0).contains(&random.pages.reads_per_1k), "{random:?}");
}

#[test]
#[ignore = "replays the largest table for each key: make soak"]
fn twenty_billion_rows_are_scaled() {
    let advice = advise(&Load::new(20_000_000_000, Server::mysql(16 << 20)), IdsFrom::Either).unwrap();
    assert_eq!(advice.recommended, "v7-binary");
    assert!(advice.candidates[0].outgrows_pool_at_rows > 50_000, "{advice:?}");
}

/// The example of docs/lab.md at a tenth of its size. Another test, beside the scaling, shows that a smaller table
/// predicts the large one.
#[test]
fn twenty_writers_get_figures_for_their_own_prefixes() {
    let server = Server::mysql(800 << 20);
    let load = Load { rate: 100.0, writers: 20, ..Load::new(50_000_000, server) };
    let advice = advise(&load, IdsFrom::Either).unwrap();
    assert_eq!(advice.recommended, "v7-binary");
    let candidate =
        |name: &str| advice.candidates.iter().find(|candidate| candidate.strategy == name).unwrap().clone();
    let reads = |of: &Candidate| of.pages.reads_per_1k;
    // Each prefix is used two or three times. From the second time on it finds existing pages and splits them.
    let (v7, ascending) = (candidate("v7-binary"), candidate("minute-ascending"));
    assert!(ascending.fill < 0.8 && reads(&ascending) > 5.0, "{ascending:?}");
    assert!(v7.fill > 0.9 && reads(&v7) < 1.0, "{v7:?}");
    assert!(reads(&candidate("v4-binary")) > 10.0 * reads(&ascending));
    let said = advice.reasons.join(" ");
    assert!(
        said.contains("The second choice is ") && said.contains("If the database makes the ids"),
        "{said}"
    );
    assert!(!advice.caveats.iter().any(|caveat| caveat.contains("stops")), "{:?}", advice.caveats);
}

/// Rows of clients that wait ten milliseconds arrive between each other: a name for each client would keep pages full.
#[test]
fn many_clients_are_told_of_names() {
    let of = |writers, delay_ms| {
        let clients = Some(Clients { statement_rows: 1, delay: Delay::MeanMillis(delay_ms), span: None });
        let load = Load { rate: 2_000.0, writers, clients, ..Load::new(200_000, Server::mysql(16 << 20)) };
        let advice = advise(&load, IdsFrom::Clients).unwrap();
        assert_eq!(advice.recommended, "v7-binary");
        let said = advice.caveats.into_iter().find(|one| one.contains("a name for each client"));
        (advice.candidates.into_iter().find(|one| one.strategy == "v7-binary").unwrap().fill, said)
    };
    let (fill, said) = of(20, 10.0);
    let said = said.expect("pages are not full");
    assert!(fill < 0.85 && said.contains("they would be 9"), "{fill}: {said}");
    assert_eq!(of(2, 0.01).1, None);
}

#[test]
fn a_device_that_is_too_slow_is_named() {
    let server = Server { device_iops: Some(20), ..Server::mysql(5 << 20) };
    let load = Load { rate: 20_000.0, server: server.into(), ..load(300_000, 1) };
    let advice = advise(&load, IdsFrom::Server).unwrap();
    let said = advice.reasons.join(" ") + &advice.caveats.join(" ");
    assert!(said.contains("A device with 20 reads and writes per second sustains about"), "{said}");
    let best = advice.candidates[0].pages;
    assert!((best.rate_at(20) * (best.reads_per_1k + best.writes_per_1k) / 1_000.0 - 20.0).abs() < 1e-9);
}

#[test]
fn new_keys_for_an_existing_table_fit_its_column() {
    let advice = |name, writers| {
        let existing = Some((find(name).unwrap(), 50_000));
        advise(&Load { existing, ..load(50_000, writers) }, IdsFrom::Either)
    };
    let binary = advice("v4-binary", 1).unwrap();
    assert_eq!((binary.recommended, binary.hiding), ("v7-binary", Some("minute-ascending")));
    let first = &binary.reasons[0];
    assert!(first.contains("if they stay with v4-binary, at"), "{first}");
    assert!(binary.prefix.is_none() && !binary.to_string().contains("interval"), "{binary}");
    assert!(binary.candidates.iter().all(|one| !one.strategy.contains("text")), "{binary:?}");
    let mut text = advice("v4-text36", 3).unwrap();
    assert!(text.recommended == "v7-text36" && text.hiding == Some("minute-text36"), "{text:?}");
    assert!(text.to_string().contains("\nIf ids must not reveal when they were made, use minute-text36.\n"));
    // A key is not recommended twice.
    text.recommended = "minute-text36";
    assert!(
        text.to_string().starts_with("Take minute-text36.\nIts ids do not reveal when they were made.\n")
    );
    let counted = advice("auto-increment", 1).unwrap();
    assert_eq!((counted.recommended, counted.from_server), ("device", Some("auto-increment")));
    assert!(advice("v4-base64", 1).unwrap().candidates.len() > 1);
    let existing = Some((find("v4-binary").unwrap(), u64::MAX));
    let load = Load { existing, ..load(50_000, 1) };
    assert!(advise(&load, IdsFrom::Either).unwrap_err().is_config());
}

/// The whole recorded tables are small enough to be predicted without scaling.
#[test]
#[ignore = "replays millions of rows: make soak"]
fn the_recorded_switches_have_the_predicted_sizes() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-23");
    let mut compared = 0;
    for (name, server) in [("mysql", Server::mysql(8 << 20)), ("mariadb", Server::mariadb(8 << 20))] {
        for growth in [1_u64, 3] {
            let path = format!("{root}/{name}/switch-{growth}x");
            let results = idgen_report::open(path.as_ref()).unwrap();
            let (old, rows) = (find("v4-binary").unwrap(), results.workload.rows);
            let load = Load {
                row_bytes: 0,
                rate: rows as f64 / 2_400.0,
                existing: Some((old, results.workload.existing_rows())),
                ..Load::new(rows, server.clone())
            };
            let advice = advise(&load, IdsFrom::Either).unwrap();
            assert_eq!((rows, advice.scale), (200_000 * growth, 1));
            assert_eq!(advice.recommended, "v7-binary", "{name} {growth}");
            let recorded = |name: &str| {
                let run = results.runs.iter().find(|run| run.strategy.name == name)?;
                Some(run.trees[0].leaf_pages as f64)
            };
            let predicted =
                |name: &str| advice.candidates.iter().find(|one| one.strategy == name).unwrap().tree_bytes;
            for kind in ["v7-binary", "fixed-prefix", "minute-ascending", "minute-random"] {
                let Some(pages) = recorded(kind) else { continue };
                let measured = pages / recorded("v4-binary").unwrap();
                let ratio = predicted(kind) / predicted("v4-binary");
                assert!((ratio - measured).abs() < 0.03, "{name} {growth} {kind}: {ratio} {measured}");
                compared += 1;
            }
        }
    }
    assert!(compared >= 15, "{compared}");
}

/// A table that fits the pool with one form of random keys and not with another.
#[test]
fn a_reason_names_only_the_keys_that_read() {
    let candidate = |strategy, reads_per_1k| Candidate {
        strategy,
        tree_bytes: 60e6,
        heap_bytes: None,
        fill: 0.7,
        outgrows_pool_at_rows: 1_000_000,
        pages: PageCost { reads_per_1k, writes_per_1k: 10.0, device_pages_per_sec: 10.0 },
        log: None,
    };
    let of = |v4, text36| {
        let all = [candidate("v7-binary", 0.0), candidate("v4-binary", v4), candidate("v4-text36", text36)];
        let load = load(400_000, 2);
        let found = Found { load: &load, best: &all[0], from_server: None, all: &all, stopped: &[] };
        advised(&load.server).reasons(&found)[0].clone()
    };
    let said = of(0.0, 250.0);
    assert!(
        said.contains("random UUIDs of 16 bytes read 0.0 pages") && said.contains("v4-text36 reads 250"),
        "{said}"
    );
    assert!(of(1_250.0, 1_300.0).contains("1,000 inserts read 1,250 pages from the disk"));
    assert!(of(0.0, 0.0).contains("fits in the pool of 64 MiB: no key causes reads"));
}

fn postgres(rows: u64, writers: u64) -> Load {
    let usual = Load::new(rows, PostgresSettings::default());
    Load { rate: rows as f64 / 6_000.0, writers, ..usual }
}

#[test]
fn the_key_that_is_best_on_innodb_is_not_best_here() {
    let server = advise(&postgres(100_000, 2), IdsFrom::Server).unwrap();
    assert_eq!((server.recommended, server.hiding), ("auto-increment", None));
    let advice = advise(&postgres(100_000, 2), IdsFrom::Either).unwrap();
    assert_eq!((advice.recommended, advice.hiding), ("v7-binary", Some("minute-random")));
    assert_eq!(advice.from_server, Some("auto-increment"));
    let said = advice.reasons.join(" ");
    assert!(
        said.contains("best on InnoDB, leaves pages 5") && said.contains("If the database makes the ids"),
        "{said}"
    );
}

#[test]
fn a_table_that_holds_random_keys_grows_with_v7_and_advice_says_so() {
    let existing = Some((find("v4-binary").unwrap(), 100_000));
    let load = Load { existing, ..postgres(100_000, 2) };
    let advice = advise(&load, IdsFrom::Either).unwrap();
    assert_eq!(advice.recommended, "fixed-prefix");
    let first = &advice.reasons[0];
    assert!(first.contains("% larger than staying with v4-binary"), "{first}");
    // The column has the type uuid, and no other type fits.
    assert!(advice.candidates.iter().all(|one| one.strategy != "v4-text36"));

    let advice = |name, writers| {
        let existing = Some((find(name).unwrap(), 50_000));
        advise(&Load { existing, ..postgres(50_000, writers) }, IdsFrom::Either)
    };
    assert_eq!(advice("auto-increment", 2).unwrap().recommended, "device");
    // The most common legacy table gets an answer with reasons, as on the other databases.
    let text = advice("v4-text36", 1).unwrap();
    assert!(["v7-text36", "fixed-text36"].contains(&text.recommended), "{text:?}");
    assert_eq!(text.hiding, Some("minute-text36"));
    assert!(text.reasons.iter().any(|reason| reason.contains("v4-text36")), "{text:?}");
    assert!(advice("v4-base64", 1).unwrap().candidates.len() > 1);
}

fn sqlite(rows: u64, writers: u64) -> Load {
    Load { writers, ..Load::new(rows, SqliteSettings::default()) }
}

#[test]
fn ordered_keys_are_recommended_for_their_reads_and_writes() {
    let server = advise(&sqlite(60_000, 1), IdsFrom::Server).unwrap();
    assert_eq!(server.recommended, "auto-increment");
    let advice = advise(&sqlite(60_000, 5), IdsFrom::Either).unwrap();
    assert_eq!((advice.recommended, advice.hiding), ("v7-binary", Some("minute-ascending")));
    let said = advice.reasons.join(" ");
    assert!(
        said.contains("its pages are 8") && said.contains("If the database makes the ids, auto-increment"),
        "{said}"
    );
}

#[test]
fn keys_for_an_existing_table_of_sqlite_fit_its_column() {
    let advice = |name, writers| {
        let existing = Some((find(name).unwrap(), 50_000));
        advise(&Load { existing, ..sqlite(50_000, writers) }, IdsFrom::Either)
    };
    let binary = advice("v4-binary", 1).unwrap();
    assert_eq!(binary.recommended, "v7-binary");
    assert!(binary.reasons[0].contains("if they stay with v4-binary, at"), "{binary:?}");
    assert!(binary.candidates.iter().all(|one| !one.strategy.contains("text")));
    let text = advice("v4-text36", 1).unwrap();
    assert!(text.recommended.ends_with("text36") && text.recommended != "v4-text36", "{text:?}");
    assert_eq!(advice("auto-increment", 2).unwrap().recommended, "device");
    assert!(advice("v4-base64", 1).unwrap().candidates.len() > 1);
}

/// A candidate of which nothing but its bytes matters.
pub(super) fn priced(strategy: &'static str, tree_bytes: f64) -> Candidate {
    Candidate {
        strategy,
        tree_bytes,
        heap_bytes: None,
        fill: 0.9,
        outgrows_pool_at_rows: 1_000,
        pages: PageCost::default(),
        log: None,
    }
}

#[test]
fn an_integer_is_a_smaller_key_where_its_table_is_smaller() {
    let load = Load::new(10_000, Server::mysql(8 << 20));
    let reasons = |counted: f64, is_best: bool| {
        let all = [priced("auto-increment", counted), priced("v7-binary", 165e6)];
        let (best, from_server) = if is_best { (&all[0], None) } else { (&all[1], Some(&all[0])) };
        let found = Found { load: &load, best, from_server, all: &all, stopped: &[] };
        let mut reasons = Vec::new();
        candidates::conclude(&mut reasons, &found).unwrap();
        reasons.join(" ")
    };
    assert!(reasons(155e6, false).contains("v7-binary at 165 MB: an integer is a smaller key."));
    assert!(reasons(155e6, true).contains("the smallest key"));
    for is_best in [false, true] {
        let text = reasons(175e6, is_best);
        assert!(!text.contains("small"), "{text}");
    }
}
