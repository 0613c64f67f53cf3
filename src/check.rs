//! `idgen check`: reads ids, and says whether their generator is right.

use std::ffi::OsString;
use std::fs::File;
use std::io::{IsTerminal, Read, Write};
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::time::Duration;

use anyhow::{Context, anyhow};
use idgen::Timestamp;
use idgen_check::{Checker, Form, Limits, Options, Report, Requirement, Status};
use serde::Serialize;

use crate::failure::{note, usage};
use crate::lines;
use crate::number;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen new v7 -n 100000 | idgen check
  idgen check --require v7,monotonic,no-duplicates < a.txt
  idgen check --live -n 10000 -- idgen new v7 -n 10000
  idgen check --stream parent=a.txt --stream child=b.txt
  idgen new v4 -n 1000 -f binary | idgen check --binary 16 --json
  idgen new v4 -n 1000 | idgen check --predict 10  # can others guess the next?

Each line of the input is an id in any text format, or a literal of a server such as 0x…: 26 characters are a ULID, and a \
decimal number below 2^64 is a 64-bit id. With -- COMMAND, the output of a program is read instead of standard input; with --stream, files \
are read. Order is checked in each stream, and duplicates in all streams together. Duplicates are found exactly: ids \
that do not fit --memory are sorted in temporary files, 24 bytes for each.

A source of random ids that was not made for security is recognized from two ids or more, and the ids that come next are \
printed, with ? for a digit that does not follow from the others.

The verdicts: holds; fails (the ids are wrong); warns (the RFC allows it, or only advises against it); \
unseen (the input does not show it). The rules that --require takes, besides the kinds v1 to v8, ulid and short: readable, \
one-case, variant, one-kind, layout, no-duplicates, time-ordered, monotonic, counter-no-wrap, counter-start, not-ahead, \
not-future, not-before, clock-sequence, random, unguessable, no-host.

Exit codes: 0 if no rule fails, which includes an empty input, or with --require, if all required rules hold; 1 if not, if a line is no id, or if the \
input cannot be read; 2 if the command line was wrong.";

/// Check a generator by its ids: layout, duplicates, order, time, randomness.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// What must hold, separated by commas: rules, or the kind of all ids. A rule that the input does not show does not
    /// hold.
    #[arg(long, value_name = "RULES", value_delimiter = ',')]
    require: Vec<Requirement>,

    /// A file of ids, and a name for it. Can be repeated; order is checked in each stream, duplicates in all together.
    #[arg(long = "stream", value_name = "NAME=FILE", value_parser = stream, conflicts_with = "command")]
    streams: Vec<(String, PathBuf)>,

    /// Read records of this many bytes instead of lines: 16 for UUIDs, 8 for 64-bit ids in network byte
    /// order.
    #[arg(long, value_name = "BYTES", value_parser = ["16", "8"])]
    binary: Option<String>,

    /// What the ids are [default: detected for each text, UUIDs in records of 16 bytes].
    #[arg(long = "as", value_name = "KIND", value_enum)]
    kind: Option<Meant>,

    /// Compare the times in the ids with the clock. The generator must run meanwhile, on this computer.
    #[arg(long)]
    live: bool,

    /// Stop after this many ids of each stream, and end the command.
    #[arg(short = 'n', long, value_name = "COUNT", value_parser = number::count)]
    count: Option<u64>,

    /// How much memory the search for duplicates uses, in MiB.
    #[arg(long, value_name = "MIB", default_value = "1024", value_parser = number::whole::<u64>(1..=1 << 20))]
    memory: u64,

    /// The folder of temporary files [default: that of the system].
    #[arg(long, value_name = "FOLDER")]
    temporary: Option<PathBuf>,

    /// How far times may be ahead of the clock, in milliseconds.
    #[arg(long, value_name = "MS", default_value = "10", value_parser = number::whole::<u64>(0..=u64::from(u32::MAX)))]
    tolerance: u64,

    /// The first credible day.
    #[arg(long, value_name = "DATE", value_parser = values::date, default_value = "2000-01-01")]
    not_before: Timestamp,

    /// How many of the next ids to print if the source of random ids is recognized, such as Math.random().
    #[arg(long, value_name = "COUNT", value_parser = number::whole::<u64>(0..=10_000), default_value = "1")]
    predict: u64,

    /// Print the report as JSON.
    #[arg(long)]
    json: bool,

    /// A command that prints ids, and its arguments.
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The meaning of input that could be ids of several kinds.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
enum Meant {
    /// UUIDs, also as texts of 26 characters and as small numbers.
    Uuid,
    /// ULIDs, in records of 16 bytes.
    Ulid,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Json<'r> {
    #[serde(flatten)]
    report: &'r Report,
    unmet: Vec<Unmet>,
}

/// A requirement that is not met.
#[derive(Serialize)]
struct Unmet {
    requirement: String,
    why: String,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    for (place, (name, _)) in args.streams.iter().enumerate() {
        if args.streams[..place].iter().any(|(earlier, _)| earlier == name) {
            return Err(usage(format!("two streams have the name {name}: give each --stream another name")));
        }
    }
    let form = form(args.binary.as_deref(), args.kind)?;
    let limits = Limits { most: args.count, live: args.live };
    let defaults = Options::default();
    let mut checker = Checker::new(Options {
        duplicates: Some(args.memory << 20),
        folder: args.temporary.unwrap_or(defaults.folder),
        tolerance: Duration::from_millis(args.tolerance),
        not_before: args.not_before,
        predict: args.predict as usize,
        now: None,
    });
    if !args.command.is_empty() {
        of_command(&mut checker, &args.command, form, limits)?;
    } else if args.streams.is_empty() {
        if std::io::stdin().is_terminal() {
            note("reading ids from the terminal, one per line; end with Ctrl-D");
        }
        let stream = checker.stream("standard input");
        read(&mut checker, stream, std::io::stdin().lock(), form, limits)
            .context("cannot check standard input")?;
    } else {
        for (name, path) in &args.streams {
            let about = || format!("cannot check {}", path.display());
            let stream = checker.stream(name);
            let file = File::open(path).with_context(about)?;
            read(&mut checker, stream, file, form, limits).with_context(about)?;
        }
    }
    let report = checker.finish().context("cannot search for duplicates")?;
    let unmet: Vec<_> = args
        .require
        .iter()
        .filter_map(|&required| {
            Some(Unmet { requirement: required.to_string(), why: report.unmet(required)? })
        })
        .collect();
    let is_met = match args.require.is_empty() {
        true => report.worst() != Status::Fails,
        false => unmet.is_empty() && report.bad == 0,
    };
    write(&report, unmet, args.json)?;
    Ok(if is_met { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn form(binary: Option<&str>, meant: Option<Meant>) -> anyhow::Result<Form> {
    Ok(match (binary, meant) {
        (None, None) => Form::Lines,
        (None, Some(Meant::Uuid)) => Form::UuidLines,
        (Some("16"), None | Some(Meant::Uuid)) => Form::Uuids,
        (Some("16"), Some(Meant::Ulid)) => Form::Ulids,
        (None, Some(Meant::Ulid)) => {
            return Err(usage("--as ulid is for --binary 16: a text of 26 characters is a ULID already"));
        }
        (Some(_), None) => Form::Shorts,
        (Some(_), Some(_)) => return Err(usage("records of 8 bytes are 64-bit ids: leave --as out")),
    })
}

/// Reads the ids of one stream. Text of ids is not read as raw bytes.
fn read(
    checker: &mut Checker,
    stream: u16,
    input: impl Read,
    form: Form,
    limits: Limits,
) -> anyhow::Result<()> {
    let record = match form {
        Form::Lines | Form::UuidLines => None,
        Form::Uuids | Form::Ulids => Some(16),
        Form::Shorts => Some(8),
    };
    Ok(checker.read(stream, lines::checked(input, record, RAW)?, form, limits)?)
}

/// How raw bytes are read.
const RAW: &str = ": read UUIDs with --binary 16, and 64-bit ids with --binary 8";

/// Reads `NAME=FILE`.
fn stream(text: &str) -> Result<(String, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !name.is_empty() && !file.is_empty() => Ok((name.into(), file.into())),
        _ => Err("write a name and a file, such as first=ids.txt".into()),
    }
}

/// A process that does not outlive the check.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // The command may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn of_command(checker: &mut Checker, command: &[OsString], form: Form, limits: Limits) -> anyhow::Result<()> {
    let (program, arguments) = command.split_first().expect("the caller checked that there is a command");
    let name = program.to_string_lossy();
    let child = Command::new(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let mut child = Running(child.with_context(|| format!("cannot run {name}"))?);
    let mut output = child.0.stdout.take().expect("its output is a pipe");
    let stream = checker.stream(&name);
    read(checker, stream, &mut output, form, limits)
        .with_context(|| format!("cannot check the output of {name}"))?;
    // Nothing more to read: it ends by itself, and its exit code counts. Otherwise the limit was reached.
    if limits.most.is_none() || output.read(&mut [0])? == 0 {
        let status = child.0.wait()?;
        if !status.success() {
            return Err(anyhow!("{name} failed ({status}): its ids were not checked"));
        }
    }
    Ok(())
}

fn write(report: &Report, unmet: Vec<Unmet>, json: bool) -> anyhow::Result<()> {
    let mut out = Output::open();
    if json {
        serde_json::to_writer(&mut out, &Json { report, unmet })?;
        writeln!(out)?;
    } else {
        writeln!(out, "{report}")?;
        if !unmet.is_empty() {
            writeln!(out, "\nNot met:")?;
        }
        for Unmet { requirement, why } in unmet {
            writeln!(out, "  {requirement}: {why}")?;
        }
    }
    Ok(out.finish()?)
}
