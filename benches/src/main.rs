//! `idgen-bench`: measures, compares and counts.

#![forbid(unsafe_code)]

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use idgen_bench::runner::Effort;
use idgen_bench::soak::{self, Size};
use idgen_bench::{instructions, report, runner, sections, startup, untouched};

#[derive(Parser)]
#[command(name = "idgen-bench", about = "Measures the speed of idgen and of similar libraries")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time our implementations and the peers in turns, and print a table of medians and ratios
    Speed {
        /// The sections to measure [default: all]
        sections: Vec<String>,
        /// How many turns each case has
        #[arg(long, default_value_t = 301)]
        rounds: usize,
        /// Microseconds per turn: short, so that most turns are not interrupted
        #[arg(long, default_value_t = 150)]
        turn_us: u64,
        /// The highest instruction set that our codecs may use: 0 portable, 1 SSSE3, 2 AVX2,
        /// 3 AVX-512 VBMI
        #[arg(long)]
        limit: Option<usize>,
        /// Write the tables of these sections into this file, and keep its other sections
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Time our implementations and the peers in a package of its own, with the release profile that `cargo new` leaves
    Untouched {
        /// The file with the results of each processor
        #[arg(long, value_name = "FILE", default_value = "benches/untouched.tsv")]
        recorded: PathBuf,
        /// Write the table into this file, and keep its other sections
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Count the instructions of our cases under callgrind and compare them with the recorded ones
    Instructions {
        /// The sections to count [default: all]
        sections: Vec<String>,
        /// The file with the recorded counts
        #[arg(long, value_name = "FILE")]
        recorded: PathBuf,
        /// Replace the recorded counts of these sections instead of comparing
        #[arg(long)]
        record: bool,
        /// Write the recorded counts into this report, too
        #[arg(long, value_name = "FILE", requires = "record")]
        write: Option<PathBuf>,
    },
    /// Time the first ids of a process, in many processes
    Startup {
        /// How many processes for each kind
        #[arg(long, default_value_t = 101)]
        rounds: usize,
        /// Write the table into this file, and keep its other sections
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Generate ids, and print how many nanoseconds each took; `startup` runs this command
    First {
        /// The kind, as the table of `startup` names it
        name: String,
        /// How many ids
        #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
        ids: u32,
    },
    /// Generate very many ids of each kind in threads and forked children, and look for repeated ids
    Repeats {
        /// How many ids of each kind
        #[arg(long, default_value_t = 1_000_000_000)]
        ids: u64,
        /// How many processes, including the parent
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
        processes: u64,
        /// How many threads in each process
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
        threads: u64,
        /// The folder in which they are sorted; it takes 16 bytes per id
        #[arg(long, value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Write the random bytes of v4 ids, of the tails of v7 ids, or of the counters of short ids to standard output
    RandomBytes {
        /// v4, v7 or short
        what: String,
    },
    /// Run one case, for a profiler
    Pass {
        /// Its section
        section: String,
        /// Its group
        group: String,
        /// Its name
        case: String,
        /// How often to process 1,024 ids
        passes: u32,
    },
}

fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Speed { sections: names, rounds, turn_us, limit, write } => {
            ensure!(
                rounds > 0 && turn_us > 0,
                "there must be at least one round of at least one microsecond"
            );
            if let Some(limit) = limit {
                idgen::codec::limit_instruction_set(limit);
            }
            let effort = Effort { rounds, turn: Duration::from_micros(turn_us) };
            for section in sections(&names)? {
                let mut results = Vec::new();
                for mut group in (section.groups)() {
                    let measured = runner::run(&mut group, &effort)?;
                    println!("{}", report::group_table(&group, &measured));
                    results.push((group, measured));
                    // Written after each group, so that a later failure loses no results.
                    if let Some(path) = &write {
                        report::write_section(
                            path,
                            section.name,
                            &report::speed_section(section, &effort, &results),
                        )?;
                    }
                }
            }
            Ok(())
        }
        Command::Untouched { recorded, write } => {
            let section = untouched::section(&recorded)?;
            println!("{section}");
            match write {
                Some(path) => report::write_section(&path, "untouched", &section),
                None => Ok(()),
            }
        }
        Command::Instructions { sections: names, recorded, record, write } => {
            let counts = instructions::count(&sections(&names)?)?;
            if !record {
                return instructions::compare(&recorded, &counts);
            }
            let all = instructions::record(&recorded, &counts)?;
            match write {
                Some(path) => report::write_section(&path, "instructions", &instructions::section(&all)),
                None => Ok(()),
            }
        }
        Command::Startup { rounds, write } => {
            ensure!(rounds > 0, "there must be at least one process");
            let section = startup::section(rounds, &startup::measure(rounds)?);
            println!("{section}");
            match write {
                Some(path) => report::write_section(&path, "startup", &section),
                None => Ok(()),
            }
        }
        Command::First { name, ids } => startup::first(&name, ids),
        Command::Repeats { ids, processes, threads, folder } => {
            let size = Size { ids, processes, threads };
            for kind in &soak::KINDS {
                let made = soak::find_repeats(kind, &size, &folder)
                    .with_context(|| format!("kind {}", kind.name))?;
                println!(
                    "{}: {made} ids from {processes} processes of {threads} threads, no repeat",
                    kind.name
                );
            }
            Ok(())
        }
        Command::RandomBytes { what } => soak::write_random_bytes(&what, &mut std::io::stdout().lock()),
        Command::Pass { section, group, case, passes } => instructions::pass(&section, &group, &case, passes),
    }
}
