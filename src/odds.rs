//! `idgen odds`: how likely it is that two ids are ever equal.

use std::io::Write;
use std::process::ExitCode;

use idgen::{Fleet, Interval, Kind, PrefixKind};
use serde::Serialize;

use crate::failure::usage;
use crate::number;
use crate::output::Output;
use crate::values::{self, TailChoice};

const EXAMPLES: &str = "\
Examples:
  idgen odds v4 --devices 1 --rate 1e9 --years 1
  idgen odds short --devices 5000 --rate 0.1 --years 5
  idgen odds v7 --devices 100 --rate 10000 --years 10 --json
  idgen odds prefixed --tail random --devices 100 --rate 1000 --years 1

The calculation assumes that each device has one generator, a random node, an exact clock and the same mean \
rate, which is the worst case. A generator that counts never repeats an id; random ids and tails can repeat. \
The formula is that of the expected pairs of equal ids. Two devices with the same node repeat each other's ids again \
and again, so with short, v1, v6 and mysql-short many pairs can be expected although they are unlikely to exist at \
all. The library's documentation of `odds` derives the formulas.";

/// Compute the probability that two ids are ever equal.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The kind of id.
    #[arg(value_parser = values::kind(), ignore_case = true)]
    kind: Kind,

    /// How many devices (servers for mysql-short) generate ids.
    #[arg(long, value_name = "N", value_parser = number::count, allow_negative_numbers = true)]
    devices: u64,

    /// Ids per second on each device; fractions are allowed.
    #[arg(long, value_name = "PER_SECOND", value_parser = number::decimal, allow_negative_numbers = true)]
    rate: f64,

    /// How long they generate ids, in years of 365.25 days.
    #[arg(long, value_name = "Y", value_parser = number::decimal, allow_negative_numbers = true)]
    years: f64,

    /// How long the prefix of prefixed ids stays the same [default: day].
    #[arg(long, value_name = "INTERVAL")]
    interval: Option<Interval>,

    /// The kind of prefix of prefixed ids: md5-week, sequential or keyed [default: sequential].
    #[arg(long, value_name = "PREFIX")]
    prefix: Option<PrefixKind>,

    /// The tail of prefixed ids [default: ascending].
    #[arg(long, value_enum)]
    tail: Option<TailChoice>,

    /// Print a JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Answer {
    kind: &'static str,
    devices: u64,
    rate: f64,
    years: f64,
    ids: f64,
    expected_collisions: f64,
    probability: f64,
    formula: &'static str,
}

pub fn run(args: Args) -> anyhow::Result<ExitCode> {
    let Args { kind, devices, rate, years, interval, prefix, tail, json } = args;
    for (option, given) in
        [("--interval", interval.is_some()), ("--prefix", prefix.is_some()), ("--tail", tail.is_some())]
    {
        if given && kind != Kind::Prefixed {
            return Err(usage(format_args!("{option} does not apply to {kind}, only to prefixed")));
        }
    }
    let fleet = Fleet { devices, rate_per_sec: rate, years };
    let odds = match kind {
        Kind::Prefixed => idgen::odds_prefixed(
            fleet,
            prefix.unwrap_or(PrefixKind::Sequential),
            interval.unwrap_or(if prefix == Some(PrefixKind::Md5Week) {
                Interval::Week
            } else {
                Interval::Day
            }),
            tail.unwrap_or(TailChoice::Ascending).into(),
        ),
        _ => idgen::odds(kind, fleet),
    }
    .map_err(usage)?;
    let mut out = Output::open();
    if json {
        let idgen::Odds { ids, expected_collisions, probability, formula, .. } = odds;
        let answer = Answer {
            kind: kind.name(),
            devices,
            rate,
            years,
            ids,
            expected_collisions,
            probability,
            formula,
        };
        writeln!(out, "{}", serde_json::to_string(&answer)?)?;
    } else {
        let chance = match odds.probability {
            0.0 => "0: it cannot happen".into(),
            p if p > 0.9999 => "above 99.99 %: it will happen".into(),
            p if p > 0.001 => format!("{:.2} %", 100.0 * p),
            p => format!("{p:.2e}, one chance in {:.2e}", 1.0 / p),
        };
        writeln!(out, "probability  {chance}")?;
        writeln!(
            out,
            "expected     {:.2e} pairs of equal ids among {:.2e} ids",
            odds.expected_collisions, odds.ids
        )?;
        writeln!(out, "formula      {}", odds.formula)?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}
