//! `idgen lab skew`: how far this machine's clock is from that of a server.

use std::io::Write;
use std::process::ExitCode;

use idgen_server::{Skew, redacted};

use crate::failure;
use crate::number;
use crate::output::Output;
use crate::values;

const EXAMPLES: &str = "\
Examples:
  idgen lab skew mysql://app@db/shop
  IDGEN_LAB_ENGINE=postgres://app:password@db/shop idgen lab skew

Run it on each host that generates ids, against one server: the differences of the results are those of the hosts' clocks. It \
needs a login and no privileges, and changes nothing. Version 7 and other ids that begin with the time are inserted in their \
order only if clocks differ by less than the time between two inserts; otherwise see \"Clocks of several hosts\" in \
docs/choosing.md.";

/// Measure how far the clock of a server is from this machine's, as NTP does.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The servers: mysql://user:password@host:port or postgres://user:password@host:port. The environment variable keeps the
    /// password out of process lists.
    #[arg(value_name = "URL", env = "IDGEN_LAB_ENGINE", hide_env_values = true, value_parser = values::url, required = true)]
    urls: Vec<String>,
    /// How often each server is asked. More answers bound the difference more narrowly.
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = number::whole::<u32>(1..=100_000), allow_negative_numbers = true)]
    probes: u32,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut out = Output::open();
    let mut failed = false;
    for url in &args.urls {
        match Skew::measure(url, args.probes as usize) {
            Ok(skew) => writeln!(out, "{}: {}", redacted(url), in_words(&skew))?,
            Err(error) => {
                failure::report(error);
                failed = true;
            }
        }
    }
    out.finish()?;
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn in_words(skew: &Skew) -> String {
    let ms = |secs: f64| format!("{:.3} ms", secs * 1e3);
    let (distance, within) = (ms(skew.ahead.abs()), ms(skew.within));
    let trip = ms(skew.round_trip.as_secs_f64());
    let way = match skew.ahead {
        _ if skew.ahead.abs() <= skew.within => {
            return format!(
                "the clocks agree as far as can be measured: the server's is {} ahead, ±{within}, shortest round trip {trip}",
                ms(skew.ahead)
            );
        }
        ahead if ahead > 0.0 => "ahead of",
        _ => "behind",
    };
    format!("the server's clock is {distance} {way} this machine's, ±{within}, shortest round trip {trip}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn differences_are_told_only_where_they_were_measured() {
        let said = |ahead| in_words(&Skew { ahead, within: 0.000_1, round_trip: Duration::from_micros(300) });
        assert_eq!(
            said(0.012_3),
            "the server's clock is 12.300 ms ahead of this machine's, ±0.100 ms, shortest round trip 0.300 ms"
        );
        assert!(said(-0.012_3).contains("12.300 ms behind this machine's"));
        assert!(
            said(-0.000_05)
                .starts_with("the clocks agree as far as can be measured: the server's is -0.050 ms ahead")
        );
    }
}
