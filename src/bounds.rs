//! `idgen bounds`: the smallest and the largest id of a time.

use std::io::Write;
use std::ops::Range;
use std::process::ExitCode;

use idgen::bounds::{self, Bounds};
use idgen::codec::Format;
use idgen::generator::LayoutSettings as _;
use idgen::{Kind, Span, Timestamp, Uuid};
use serde::Serialize;

use crate::failure::usage;
use crate::form::Form;
use crate::layout::{Layout, check_kind};
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen bounds v7 --from 2026-11-21T00:00:00Z --until 2026-11-22T00:00:00Z
  idgen bounds ulid --at 2026-11-21T12:00:00Z
  idgen bounds v6 --at 2026-11-21T12:00:00Z -f binary --hex
  idgen bounds v1 -f swapped --hex --at 2026-11-21T12:00:00Z
  idgen bounds prefixed --interval hour --at 2026-11-21T09:30:00Z
  idgen bounds short --at 2026-11-21T12:00:00Z --json

Each line has two ids and a tab between them, for WHERE id BETWEEN the first AND the second. Prefixed \
ids have a line for each interval; with a random tail, it is that of the whole interval. The ids of \
version 1 sort by time only in the bytes of UUID_TO_BIN(id, 1), so only the format swapped has bounds. \
For mysql-short, the time is that of the server's start.";

/// Print the smallest and the largest id of a time, for range queries.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The kind of id.
    #[arg(value_parser = values::kind(), ignore_case = true)]
    kind: Kind,

    /// The first moment, such as 2026-11-21T12:00:00Z.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment, requires = "until")]
    from: Option<Timestamp>,

    /// The moment before which the time ends.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment, requires = "from")]
    until: Option<Timestamp>,

    /// A single moment. The ids have its millisecond, 100 ns for v1 and v6, or second for 64-bit ids.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment, conflicts_with_all = ["from", "until"])]
    at: Option<Timestamp>,

    /// The format of the output [default: base32 for ulid, int for 64-bit ids, otherwise hyphenated].
    #[arg(short, long, value_parser = values::format(), ignore_case = true)]
    format: Option<Format>,

    /// Write the formats binary and swapped as 32 hexadecimal digits. They are always written so.
    #[arg(long)]
    hex: bool,

    /// Write hexadecimal digits in capitals.
    #[arg(long)]
    upper: bool,

    /// Write one JSON object per line, with the fields first and last.
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    layout: Layout,
}

#[derive(Serialize)]
struct Record<'a> {
    first: &'a str,
    last: &'a str,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { kind, from, until, at, format, hex, upper, json, layout } = args;
    check_kind(kind, layout.given())?;
    layout.check(kind, [("", false); 2])?;
    let times = match (from, until, at) {
        (Some(from), Some(until), _) => from..until,
        (_, _, Some(at)) => bounds::moment(at),
        _ => return Err(usage("give --from and --until, or --at")),
    };
    let form = form(kind, format, hex, upper)?;
    let mut out = Output::open();
    let mut write = |first: &str, last: &str| -> anyhow::Result<()> {
        match json {
            true => writeln!(out, "{}", serde_json::to_string(&Record { first, last })?)?,
            false => writeln!(out, "{first}\t{last}")?,
        }
        Ok(())
    };
    let mut buffer = [0; Form::MAX_LEN];
    let mut text = |id: &Uuid| -> anyhow::Result<_> {
        Ok(std::str::from_utf8(form.encode(id, &mut buffer)?)?.to_owned())
    };
    for range in ids(kind, times, &layout)? {
        match range {
            Bounds::Uuids(range) => write(&text(range.start())?, &text(range.end())?)?,
            Bounds::Shorts(range) => write(&range.start().to_string(), &range.end().to_string())?,
        }
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// The form of the output, in which the ids of the kind sort as their bounds do.
fn form(kind: Kind, format: Option<Format>, hex: bool, upper: bool) -> anyhow::Result<Form> {
    let is_short = kind.bits() == 64;
    let is_swapped = kind.facts().span == Some(Span::Swapped);
    let format = format.unwrap_or(if is_swapped { Format::Swapped } else { kind.facts().text });
    let reason = match format {
        Format::Base64 | Format::Base64Url => "does not sort like the ids: choose ordered64",
        Format::Swapped if is_swapped => return Form::new(format, true, upper),
        _ if is_swapped => "does not sort by time: choose swapped, the bytes of UUID_TO_BIN(id, 1)",
        Format::Swapped => "does not sort by time: choose binary",
        Format::Int => return Form::new(format, hex, upper),
        _ if is_short => "is not one of 64-bit ids: choose int",
        _ => return Form::new(format, hex || !format.is_text(), upper),
    };
    Err(usage(format_args!("the format {format} of {kind} {reason}")))
}

/// Ranges that are printed at most: more would not fit a statement either.
const MOST_RANGES: usize = 65_536;

fn ids(kind: Kind, times: Range<Timestamp>, layout: &Layout) -> anyhow::Result<Vec<Bounds>> {
    if kind.facts().span != Some(Span::Intervals) {
        let found = bounds::of(kind, times, layout)?;
        return found.map(|found| vec![found]).ok_or_else(|| {
            usage(format_args!("{kind} ids contain no time, so they have no bounds for a time"))
        });
    }
    let (prefix, interval, tail) = layout.prefixed(kind)?;
    let ranges = bounds::prefixed(&prefix, interval, tail, times).map_err(usage)?;
    let ranges: Vec<_> = ranges.take(MOST_RANGES + 1).map(Bounds::Uuids).collect();
    if ranges.len() > MOST_RANGES {
        return Err(usage(format_args!(
            "these times have more than {MOST_RANGES} intervals, a range for each: choose a shorter time or a longer interval"
        )));
    }
    Ok(ranges)
}
