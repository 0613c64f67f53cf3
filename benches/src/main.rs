//! `idgen-bench`: measures, compares and counts.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::{Parser, Subcommand};
use idgen_bench::runner::Effort;
use idgen_bench::soak::{self, Size};
use idgen_bench::{instructions, report, runner, sections, startup};

#[derive(Parser)]
#[command(name = "idgen-bench", about = "Speed of idgen beside its peers")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Time ours and the peers in turns, and print a table of medians and ratios
    Speed {
        /// The sections to measure; all when none is named
        sections: Vec<String>,
        /// How often each case has its turn
        #[arg(long, default_value_t = 301)]
        rounds: usize,
        /// Microseconds of each turn: short, so that most turns fall between two interruptions
        #[arg(long, default_value_t = 150)]
        turn_us: u64,
        /// Use at most this instruction set in our codecs: 0 portable, 1 SSSE3, 2 AVX2,
        /// 3 AVX-512 VBMI
        #[arg(long)]
        limit: Option<usize>,
        /// Put the tables of these sections into this file, and leave its other sections as they are
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Count the instructions of our cases under callgrind and compare them with the recorded ones
    Instructions {
        /// The sections to count; all when none is named
        sections: Vec<String>,
        /// The recorded counts
        #[arg(long, value_name = "FILE")]
        recorded: PathBuf,
        /// Replace the recorded counts of these sections instead
        #[arg(long)]
        record: bool,
        /// Put the recorded counts into this report, too
        #[arg(long, value_name = "FILE", requires = "record")]
        write: Option<PathBuf>,
    },
    /// Time the first id of a process, in many processes
    Startup {
        /// How many processes for each kind
        #[arg(long, default_value_t = 101)]
        rounds: usize,
        /// Put the table into this file, and leave its other sections as they are
        #[arg(long, value_name = "FILE")]
        write: Option<PathBuf>,
    },
    /// Make one id, and print how many nanoseconds it took: what `startup` runs
    First {
        /// As the table of `startup` names it
        name: String,
    },
    /// Make very many ids of each kind in threads and forked children, and look for repeats
    Repeats {
        /// How many of each kind
        #[arg(long, default_value_t = 1_000_000_000)]
        ids: u64,
        /// How many processes, with the parent
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
        processes: u64,
        /// How many threads in each process
        #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u64).range(1..))]
        threads: u64,
        /// Where they are sorted: 16 bytes for each id
        #[arg(long, value_name = "FOLDER")]
        folder: PathBuf,
    },
    /// Write the random bytes of v4, of the tails of v7, or of the counters of short to standard output
    RandomBytes {
        /// v4, v7 or short
        what: String,
    },
    /// Run one case alone, for a profiler
    Pass {
        /// Its section
        section: String,
        /// Its group
        group: String,
        /// Its name
        case: String,
        /// How often 1,024 ids are handled
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
                    // After each group: a later failure loses nothing.
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
        Command::First { name } => startup::first(&name),
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
