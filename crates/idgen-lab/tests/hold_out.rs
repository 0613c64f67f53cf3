//! Compares the model with loads that none of its constants was derived from: docs/results/hold-out.

#![allow(clippy::unwrap_used, reason = "helpers of tests, too, fail by panicking")]

mod recorded;
mod sample;

use idgen_lab::forecast::{Forecast, Load, predict};
use idgen_lab::strategy;
use idgen_record::{IdKind, Run, Workload};
use recorded::{results, server_of};
use sample::sample;

const LOADS: [&str; 13] = [
    "p32-b200-fast",
    "p32-b0-fast",
    "p32-b100-4000",
    "p64-b1000-1000",
    "p128-b200-fast",
    "p256-b500-4000",
    "p256-b1000-fast",
    "p256-b0-fast",
    "p1024-b1000-fast",
    "p1024-b0-fast",
    "p32-b100-single",
    "p64-b200-2000",
    "p48-b50-fast",
];

/// The file that `idgen lab advise` reads.
const KEPT: &str = include_str!("../src/advise/hold_out.tsv");

/// The largest acceptable error for reads and writes of random keys.
const WITHIN: f64 = 0.15;

/// The length of a value of variable length takes one byte, or two if the column may be longer than 255 bytes.
fn row_bytes(payload: u32) -> u32 {
    match payload {
        0 => 0,
        1..=255 => payload + 1,
        _ => payload + 2,
    }
}

fn predicted(workload: &Workload, run: &Run) -> Forecast {
    // Without a rate, the server went as fast as it could, while the minutes of the ids were simulated.
    let (rate, id_rate) = match workload.rate {
        Some(rate) => (rate, None),
        None => {
            (run.totals.last_rows_per_sec, Some(workload.rows as f64 / f64::from(workload.intervals) / 60.0))
        }
    };
    let load = Load {
        rows: workload.rows,
        row_bytes: row_bytes(workload.payload_bytes),
        rate,
        id_rate,
        writers: workload.writers.into(),
        commit_rows: workload.statement_rows.into(),
        server: server_of(run).into(),
        existing: None,
        clients: None,
        skew: None,
        start_unix_secs: None,
        tenants: None,
    };
    predict(strategy::find(&run.strategy.name).unwrap(), &load).unwrap()
}

/// Predicts each run again, and compares it with the line from which `advise` computes its sentences: of one of four loads,
/// beginning with this one.
fn judge(server: &str, first: usize) {
    let mut off = Vec::new();
    for load in sample(4, first, LOADS) {
        let of_load = format!("{server}\t{load}\t");
        let mut kept = KEPT.lines().filter(|line| line.starts_with(&of_load));
        let recorded = results(&format!("hold-out/{}/{load}", server.to_lowercase()));
        assert!(recorded.failures.is_empty() && !recorded.interrupted, "{server} {load}");
        let workload = &recorded.workload;
        for run in &recorded.runs {
            let (forecast, totals) = (predicted(workload, run), &run.totals);
            let (last, name) = (forecast.last().pool, run.strategy.name.as_str());
            let (reads, writes) =
                (totals.last_table_reads_per_1k.unwrap(), totals.last_table_writes_per_1k.unwrap());
            let numbers = [
                (workload.cache_bytes.unwrap() >> 20) as f64,
                f64::from(workload.payload_bytes),
                reads,
                last.reads_per_1k,
                writes,
                last.writes_per_1k,
                totals.last_reads_per_1k - reads,
                totals.last_writes_per_1k - writes,
                100.0 * (forecast.tree.fill.mean - totals.fill_mean),
            ];
            let mut line = format!("{server}\t{load}\t{name}\t{:.0}\t{:.0}", numbers[0], numbers[1]);
            for number in &numbers[2..] {
                // The counters of the server and those of its files are not read at the same moment.
                line.push_str(&format!("\t{:.1}", if number.abs() < 0.05 { 0.0 } else { *number }));
            }
            println!("{line}");
            let fields: Vec<&str> = kept.next().unwrap_or_default().split('\t').collect();
            let is_same = fields.len() == 12
                && fields[..3] == [server, load, name]
                && numbers.iter().zip(&fields[3..]).all(|(number, field)| {
                    field.parse::<f64>().is_ok_and(|kept| (kept - number).abs() <= 0.06 + 0.01 * number.abs())
                });
            if !is_same {
                off.push(line.clone());
            }
            if name == "v4-binary" {
                assert!((last.reads_per_1k / reads - 1.0).abs() <= WITHIN, "{line}");
                assert!((last.writes_per_1k / writes - 1.0).abs() <= WITHIN, "{line}");
            }
            // The fill of pages with random prefixes depends on the prefixes that the seed draws.
            let most = if run.strategy.key.unwrap().ids == IdKind::MinuteRandom { 0.8 } else { 0.25 };
            assert!(numbers[8].abs() <= most, "{line}");
        }
        assert!(
            kept.next().is_none(),
            "{server} {load}: src/advise/hold_out.tsv has more lines than runs were recorded"
        );
    }
    assert!(off.is_empty(), "src/advise/hold_out.tsv should hold these lines:\n{}", off.join("\n"));
}

#[test]
fn each_line_is_of_a_load() {
    for line in KEPT.lines().skip(1) {
        assert!(LOADS.contains(&line.split('\t').nth(1).unwrap()), "{line}");
    }
}

#[test]
fn the_hold_out_set_of_mysql_is_predicted_within_its_bounds() {
    judge("MySQL", 0);
}

#[test]
fn the_hold_out_set_of_mariadb_is_predicted_within_its_bounds() {
    judge("MariaDB", 2);
}
