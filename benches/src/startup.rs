//! The time of the first id of a process, and of the first ids in a loop. Each measurement starts a new process.

use std::fmt::Write;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use crate::machine;

/// A function that generates an id.
struct First {
    name: &'static str,
    make: fn(),
}

const FIRSTS: [First; 11] = [
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
    First {
        name: "uuid v1",
        make: || {
            black_box(uuid::Uuid::now_v1(&[1, 2, 3, 4, 5, 6]));
        },
    },
    First {
        name: "SystemTime::now()",
        make: || {
            black_box(std::time::SystemTime::now());
        },
    },
];

/// How many ids a process generates: one, and loops of less than a millisecond and of a few.
const COUNTS: [u32; 3] = [1, 1_000, 30_000];

/// The target, in microseconds.
const TARGET_MICROS: f64 = 100.0;

/// The times of one kind, over many processes.
pub struct Started {
    name: &'static str,
    /// Nanoseconds per id, in ascending order, for each of the counts.
    nanos: [Vec<f64>; COUNTS.len()],
}

impl Started {
    fn quantile(&self, count: usize, part: f64) -> f64 {
        let nanos = &self.nanos[count];
        nanos[((nanos.len() - 1) as f64 * part) as usize]
    }
}

/// Generates the first ids of this process, and prints how many nanoseconds each took on average.
///
/// # Errors
///
/// A name that is not measured.
pub fn first(name: &str, ids: u32) -> Result<()> {
    let first = FIRSTS.iter().find(|first| first.name == name);
    let make = first
        .with_context(|| format!("no kind is called \"{name}\"; the table of `startup` lists the names"))?
        .make;
    let clock = Instant::now();
    for _ in 0..ids {
        make();
    }
    println!("{}", clock.elapsed().as_nanos() as f64 / f64::from(ids));
    Ok(())
}

/// Starts this program once per round, kind and count, in turns.
///
/// # Errors
///
/// A process that cannot be started, or that fails.
pub fn measure(rounds: usize) -> Result<Vec<Started>> {
    let program = std::env::current_exe().context("cannot find this program")?;
    let mut all: Vec<Started> =
        FIRSTS.iter().map(|first| Started { name: first.name, nanos: COUNTS.map(|_| Vec::new()) }).collect();
    for _ in 0..rounds {
        for started in &mut all {
            for (count, nanos) in COUNTS.iter().zip(&mut started.nanos) {
                let output = Command::new(&program)
                    .args(["first", started.name, "--ids", &count.to_string()])
                    .output()
                    .context("cannot start this program again")?;
                ensure!(output.status.success(), "{} failed in its own process", started.name);
                let text = String::from_utf8_lossy(&output.stdout);
                nanos.push(text.trim().parse().context("the process printed no time")?);
            }
        }
    }
    for nanos in all.iter_mut().flat_map(|started| &mut started.nanos) {
        nanos.sort_by(f64::total_cmp);
    }
    Ok(all)
}

/// The section of the report.
pub fn section(rounds: usize, started: &[Started]) -> String {
    let mut text = format!(
        "## Startup and memory\n\nThe first call in a process includes everything that it sets up: a key from the \
         system, the fork handler, the instruction set. The other columns are the time of each id in a loop at the start \
         of a process, the first id included. Each cell was measured \
         in {rounds} processes, in turns, with \
         `cargo run --release -p idgen-bench -- startup --write docs/speed.md`. Measured on: {}.\n\n\
         | | first id, µs, median | 95th percentile | each of 1,000, ns, lowest | median | each of 30,000, ns, lowest | median |\n\
         |---|---:|---:|---:|---:|---:|---:|\n",
        machine::line()
    );
    for row in started {
        let _ = write!(
            text,
            "| {} | {:.1} | {:.1} |",
            row.name,
            row.quantile(0, 0.5) / 1e3,
            row.quantile(0, 0.95) / 1e3
        );
        for count in 1..COUNTS.len() {
            let _ = write!(text, " {:.1} | {:.1} |", row.quantile(count, 0.0), row.quantile(count, 0.5));
        }
        text.push('\n');
    }
    let of_idgen = started.iter().filter(|row| row.name.starts_with("idgen"));
    let slowest = of_idgen.map(|row| row.quantile(0, 0.5) / 1e3).fold(0.0, f64::max);
    let verdict = if slowest <= TARGET_MICROS { "reached" } else { "missed" };
    let _ = write!(
        text,
        "\nEach kind of idgen should take at most {TARGET_MICROS} µs: {verdict}, {slowest:.0}. No file and no socket \
         is opened (`crates/idgen/tests/first_id.rs`). A thread that generates 128-bit ids holds 4.1 KiB of random \
         bits and at most 256 bytes for each kind that it uses; `short` holds one memory page for the whole process, \
         and `mysql_short` four, so that the counters of two server ids are in different cache lines."
    );
    text
}
