//! `idgen new`: generates ids.

mod kinds;
mod times;

use std::io::Write;
use std::process::ExitCode;
use std::sync::Arc;

use idgen::codec::Format;
use idgen::generator::{AnyGenerator, Generate};
use idgen::source::{Clock, Csprng, FixedClock};
use idgen::{Kind, Timestamp};

use crate::failure::{note, usage};
use crate::form::{BATCH, Form, Target};
use crate::named::{self, Version};
use crate::number;
use crate::output::Output;
use crate::record::Record;
use crate::values::{self, Made};
use kinds::{Options, clock, record};
use times::Timed;

const EXAMPLES: &str = "\
Examples:
  idgen new v7
  idgen new ulid -n 5
  idgen new week -n 1000 -f base64
  idgen new v1 -f swapped --hex                # as UUID_TO_BIN(id, 1) stores it
  idgen new prefixed --interval hour --tail ascending
  idgen new fixed-prefix --fixed ff
  idgen new prefixed --prefix keyed:ids.key --writer shop-3
  idgen new v6 --node 9f6bdeced846 --state ids.state
  idgen new short --node 9f6bdeced846 --at 2026-11-21T12:00:00Z
  idgen new mysql-short --server-id 3 --state short.state
  idgen new typed --type user                  # user_01h455vb4pex5vsknk084sn02q
  idgen new v5 --namespace dns --name example.org
  idgen new v7 --upper -f simple               # as MySQL's HEX() prints it
  idgen new v7 --times created_at.txt          # an id for each row that exists

Without a state file, a run is independent of earlier runs: v1, v6 and short use another random node, and \
mysql-short generates the same ids as any other run with this server id within the second. \
short generates at most 65,536 ids per second, and then waits for the next second.";

/// Generate new ids, one per line.
///
/// Ids are written as they are generated, so the memory in use does not depend on their number.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The kind of id.
    #[arg(value_name = "KIND", value_parser = values::made(), ignore_case = true)]
    kind: Made,

    /// How many ids to generate.
    #[arg(short = 'n', long, value_name = "N", value_parser = number::count, default_value = "1", allow_negative_numbers = true)]
    count: u64,

    /// The format of the output [default: base32 for ulid, int for 64-bit ids, typed with --type, otherwise hyphenated].
    #[arg(short, long, value_parser = values::target(), ignore_case = true)]
    format: Option<Target>,

    /// The prefix of the format typed, such as user: letters from a to z, with _ between them; or "" for none.
    #[arg(id = "type", long = "type", value_name = "PREFIX")]
    prefix: Option<String>,

    /// Write the formats binary and swapped as 32 hexadecimal digits per line.
    #[arg(long)]
    hex: bool,

    /// Write hexadecimal digits, and the prefix of a URN, in capitals.
    #[arg(long)]
    upper: bool,

    /// Write one JSON object per line: the kind, the id as text, its format, and its fields. The
    /// formats binary and swapped are 32 hexadecimal digits, as with --hex.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    options: Options,

    #[command(flatten)]
    named: named::Options,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { kind, count, format, prefix, hex, upper, json, options, named } = args;
    let (is_typed, kind) = match kind {
        Made::Typed => (true, Kind::V7),
        Made::Kind(kind) => (prefix.is_some(), kind),
        Made::Version(version) => {
            let target = format.unwrap_or(match prefix.is_some() {
                true => Target::Typed,
                false => Target::Format(Format::Hyphenated),
            });
            let form = Form::of(target, prefix.as_deref(), hex || json && !target.is_text(), upper)?;
            return one(version, &named, count, &options, &form, json);
        }
    };
    named.check_none(kind)?;
    options.check(kind)?;
    let is_short = kind.bits() == 64;
    let usual = if is_typed { Target::Typed } else { Target::Format(kind.facts().text) };
    let target = format.unwrap_or(usual);
    if is_typed && target != Target::Typed {
        return Err(usage("only the format typed shows a type: leave out --format, or the type"));
    }
    // JSON cannot contain raw bytes.
    let form = Form::of(target, prefix.as_deref(), hex || json && !target.is_text(), upper)?;
    if is_short && target != Target::Format(Format::Int) {
        return Err(usage(format_args!(
            "{kind} makes 64-bit ids, which have no form {}, only int",
            form.name()
        )));
    }
    form.check_terminal()?;
    if kind != Kind::V1 {
        form.note_if_swapped(format_args!("{kind}"));
    }
    if kind == Kind::MysqlShort && options.state.is_none() {
        let which = match options.at {
            None => "another run with this server id within this second",
            Some(_) => "every other run with this server id and this --at",
        };
        note(format_args!("{which} repeats these ids: --state FILE keeps them apart"));
    }
    let is_moment_given = options.at.is_some();
    make(kind, count, &form, json, &options).map_err(|error| match error.downcast_ref() {
        Some(error) if is_moment_given && idgen::Error::is_time_out_of_range(error) => usage(error),
        _ => error,
    })?;
    Ok(ExitCode::SUCCESS)
}

fn make(kind: Kind, count: u64, form: &Form, json: bool, options: &Options) -> anyhow::Result<()> {
    let tail = options.layout.tail();
    let has_state = options.state.is_some();
    let mut out = Output::open();
    let (generator, count) = generator(kind, count, options)?;
    match generator {
        AnyGenerator::Uuids(ids) if json => stream(ids, count, has_state, |ids| {
            let inspect = if kind == Kind::Ulid { idgen::inspect_ulid } else { idgen::inspect_uuid };
            let mut buf = [0; Form::MAX_LEN];
            ids.iter().try_for_each(|id| {
                let text = std::str::from_utf8(form.encode(id, &mut buf)?)?;
                let seen = options.layout.seen(inspect(*id))?;
                record(text, form.name(), &seen, kind, tail).write(&mut out)
            })
        })?,
        AnyGenerator::Uuids(ids) => {
            let (mut buffer, mut misread) = (Vec::new(), 0);
            stream(ids, count, has_state, |ids| {
                misread += form.count_misread(ids);
                form.write(ids, &mut buffer, &mut out)
            })?;
            form.note_if_misread(misread);
        }
        AnyGenerator::Shorts(ids) if json => stream(ids, count, has_state, |ids| {
            ids.iter().try_for_each(|id| {
                let seen = idgen::inspect_short(*id);
                record(&id.to_string(), form.name(), &seen, kind, tail).write(&mut out)
            })
        })?,
        AnyGenerator::Shorts(ids) => stream(ids, count, has_state, |ids| {
            ids.iter().try_for_each(|id| writeln!(out, "{id}")).map_err(Into::into)
        })?,
    }
    Ok(out.finish()?)
}

/// The generator, and how many ids are asked for.
fn generator(kind: Kind, count: u64, options: &Options) -> anyhow::Result<(AnyGenerator, u64)> {
    let new = |clock: Box<dyn Clock + Send>| {
        AnyGenerator::new(kind, clock, Csprng::new()?, &options.layout, options)
    };
    let Some(file) = &options.times else { return Ok((new(clock(options))?, count)) };
    let moments = times::read(file)?;
    let (count, clock) = (moments.len() as u64, Arc::new(FixedClock::new(Timestamp::UNIX_EPOCH)));
    let generator = match new(Box::new(Arc::clone(&clock)))? {
        AnyGenerator::Uuids(ids) => {
            AnyGenerator::Uuids(Box::new(Timed { clock, moments: moments.into_iter(), ids }))
        }
        shorts @ AnyGenerator::Shorts(_) => shorts,
    };
    Ok((generator, count))
}

/// Writes the one id of a version that follows from what is given.
fn one(
    version: Version,
    named: &named::Options,
    count: u64,
    options: &Options,
    form: &Form,
    json: bool,
) -> anyhow::Result<ExitCode> {
    // Version 4 has none of the options of generators either.
    if options.check(Kind::V4).is_err() || count != 1 {
        return Err(usage(format_args!("{} is one id, and has no options of a generator", version.name())));
    }
    let id = named.id(version)?;
    form.check_terminal()?;
    let mut out = Output::open();
    if json {
        let mut buffer = [0; Form::MAX_LEN];
        let text = std::str::from_utf8(form.encode(&id, &mut buffer)?)?;
        let seen = idgen::inspect_uuid(id);
        let record = Record::seen(text, &seen);
        let format = Some(form.name());
        Record {
            kind: version.name(),
            format,
            prefix: None,
            tail_time: None,
            counter: None,
            fraction_ns: None,
            ..record
        }
        .write(&mut out)?;
    } else {
        form.write(&[id], &mut Vec::new(), &mut out)?;
        form.note_if_misread(form.count_misread(&[id]));
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The message of the library names a clock policy and a state, which are options here.
fn name_the_option(error: idgen::Error, has_state: bool) -> anyhow::Error {
    match error.is_clock_behind() || error.is_exhausted() {
        true if has_state && error.is_clock_behind() => {
            anyhow::anyhow!("{error} (options --when-behind wait, or --forget-state-beyond MOMENT)")
        }
        true => anyhow::anyhow!("{error} (option --when-behind)"),
        false => error.into(),
    }
}

/// Generates `count` ids, a batch at a time.
fn stream<T: Clone + Default>(
    mut generator: Box<dyn Generate<Id = T>>,
    count: u64,
    has_state: bool,
    mut write: impl FnMut(&[T]) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut batch = vec![T::default(); BATCH];
    let mut left = count;
    while left > 0 {
        let now = left.min(BATCH as u64);
        let ids = &mut batch[..now as usize];
        generator.fill(ids).map_err(|error| name_the_option(error, has_state))?;
        write(ids)?;
        left -= now;
    }
    Ok(())
}
