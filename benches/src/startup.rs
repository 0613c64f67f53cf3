//! The time until the first id of a process. Each measurement starts a new process.

use std::fmt::Write;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::machine;

/// A function that generates the first id.
struct First {
    name: &'static str,
    make: fn(),
}

const FIRSTS: [First; 9] = [
    First {
        name: "idgen v4",
        make: || {
            black_box(idgen::v4());
        },
    },
    First {
        name: "idgen v7",
        make: || {
            black_box(idgen::v7());
        },
    },
    First {
        name: "idgen v1",
        make: || {
            black_box(idgen::v1());
        },
    },
    First {
        name: "idgen week",
        make: || {
            black_box(idgen::week());
        },
    },
    First {
        name: "idgen prefixed",
        make: || {
            black_box(idgen::prefixed());
        },
    },
    First {
        name: "idgen short",
        make: || {
            black_box(idgen::short());
        },
    },
    First {
        name: "idgen mysql_short",
        make: || {
            black_box(idgen::mysql_short(1));
        },
    },
    First {
        name: "uuid v4, fast-rng",
        make: || {
            black_box(uuid::Uuid::new_v4());
        },
    },
    First {
        name: "uuid v7, fast-rng",
        make: || {
            black_box(uuid::Uuid::now_v7());
        },
    },
];

/// The target, in microseconds.
const TARGET_MICROS: f64 = 100.0;

/// Microseconds until the first id, over many processes.
pub struct Started {
    name: &'static str,
    median: f64,
    p95: f64,
}

/// Generates the first id of this process, and prints how many nanoseconds it took.
///
/// # Errors
///
/// A name that is not measured.
pub fn first(name: &str) -> Result<()> {
    let first = FIRSTS.iter().find(|first| first.name == name);
    let make = first
        .with_context(|| format!("no kind is called \"{name}\"; the table of `startup` lists the names"))?
        .make;
    let clock = Instant::now();
    make();
    println!("{}", clock.elapsed().as_nanos());
    Ok(())
}

/// Starts this program once per kind and round, in turns.
///
/// # Errors
///
/// A process that cannot be started, or that fails.
pub fn measure(rounds: usize) -> Result<Vec<Started>> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut micros = vec![Vec::with_capacity(rounds); FIRSTS.len()];
    for _ in 0..rounds {
        for (first, micros) in FIRSTS.iter().zip(&mut micros) {
            let output = Command::new(&program)
                .args(["first", first.name])
                .output()
                .context("cannot start this program again")?;
            ensure!(output.status.success(), "{} failed in its own process", first.name);
            let nanos: f64 = String::from_utf8_lossy(&output.stdout)
                .trim()
                .parse()
                .context("the process printed no time")?;
            micros.push(nanos / 1e3);
        }
    }
    Ok(FIRSTS
        .iter()
        .zip(micros)
        .map(|(first, mut micros)| {
            micros.sort_by(f64::total_cmp);
            let at = |part: f64| micros[((micros.len() - 1) as f64 * part) as usize];
            Started { name: first.name, median: at(0.5), p95: at(0.95) }
        })
        .collect())
}

/// The section of the report.
pub fn section(rounds: usize, started: &[Started]) -> String {
    let mut text = format!(
        "## Startup and memory\n\nThe first call in a process includes everything that it sets up: a key from the \
         system, the fork handler, the clock. Each kind was measured in {rounds} processes with \
         `cargo run --release -p idgen-bench -- startup --write docs/speed.md`. Measured on: {}.\n\n| | µs, median | µs, 95th percentile |\n|---|---:|---:|\n",
        machine::line()
    );
    for Started { name, median, p95 } in started {
        let _ = writeln!(text, "| {name} | {median:.1} | {p95:.1} |");
    }
    let slowest = started.iter().filter(|row| row.name.starts_with("idgen")).map(|row| row.median);
    let slowest = slowest.fold(0.0, f64::max);
    let verdict = if slowest <= TARGET_MICROS { "reached" } else { "missed" };
    let _ = write!(
        text,
        "\nEach kind of idgen should take at most {TARGET_MICROS} µs: {verdict}, {slowest:.1}. No file and no socket \
         is opened (`crates/idgen/tests/first_id.rs`). A thread that generates 128-bit ids holds 4.1 KiB of random \
         bits and at most 256 bytes for each kind that it uses; the 64-bit kinds hold one memory page for the whole \
         process."
    );
    text
}
