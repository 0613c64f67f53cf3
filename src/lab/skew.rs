//! Clocks that differ: the option `--skew`, and `idgen lab skew`, which measures it.

use std::io::Write;
use std::process::ExitCode;

use idgen_lab::engine;
use idgen_record::Skew;

use super::screen::wrapped;
use crate::failure;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  idgen lab skew mysql://lab@db1                       # this machine's clock and that of db1
  idgen lab skew mysql://lab@db1 postgres://lab@db2
  for host in app1 app2 app3; do ssh $host idgen lab skew mysql://lab@db1; done

Run it on each host that makes ids, with the same server: the difference between two hosts is the difference of their \
figures. Give the largest to --skew of lab, simulate and advise.";

/// Measure how far the clocks of servers are from this machine's, as NTP does.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Args {
    /// The servers: mysql://user:password@host:port or postgres://user:password@host:port.
    #[arg(value_name = "URL", required = true, env = "IDGEN_LAB_ENGINE", hide_env_values = true)]
    urls: Vec<String>,
}

pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    for (place, url) in args.urls.iter().enumerate() {
        if !url.contains("://") {
            return Err(failure::usage(format_args!(
                "argument {} is no URL of a server, such as mysql://user:password@host:port",
                place + 1
            )));
        }
    }
    let mut out = Output::open();
    for (place, url) in args.urls.iter().enumerate() {
        let skew = engine::skew(url)?;
        let millis = skew.ahead_micros as f64 / 1_000.0;
        let within = skew.within_micros as f64 / 1_000.0;
        let which = if args.urls.len() > 1 { format!("Server {}", place + 1) } else { "The server".to_owned() };
        let text = if millis.abs() <= within {
            format!("{which}: its clock is that of this machine, within {within:.3} ms.")
        } else if millis > 0.0 {
            format!("{which}: its clock is {millis:.3} ms ahead of this machine's, within {within:.3} ms.")
        } else {
            format!("{which}: its clock is {:.3} ms behind this machine's, within {within:.3} ms.", -millis)
        };
        writeln!(out, "{}", wrapped(&text))?;
    }
    out.finish()?;
    Ok(ExitCode::SUCCESS)
}

/// One number, or one for each client.
pub fn read(text: &str) -> Result<Skew, String> {
    let millis: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse().map_err(|_| format!("{part:?} is not a number of milliseconds")))
        .collect::<Result<_, _>>()?;
    let skew = match millis.as_slice() {
        [most] if *most < 0.0 => return Err(format!("{most} ms: give the largest offset, from 0")),
        [most] => Skew::Within(*most),
        _ => Skew::Each(millis),
    };
    match skew.wrong() {
        Some(wrong) => Err(format!("{wrong} ms: give a number from -{0} to {0}", Skew::MOST_MS)),
        None => Ok(skew),
    }
}

/// The value in the form in which it was given.
pub fn given(skew: &Skew) -> String {
    match skew {
        Skew::Within(most) => most.to_string(),
        Skew::Each(all) => all.iter().map(f64::to_string).collect::<Vec<_>>().join(","),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skew_is_a_range_or_a_list() {
        assert_eq!(read("2.5"), Ok(Skew::Within(2.5)));
        assert_eq!(read("0, -1.5,3"), Ok(Skew::Each(vec![0.0, -1.5, 3.0])));
        for text in ["2.5", "0,-1.5,3"] {
            assert_eq!(given(&read(text).unwrap()), text);
        }
        for bad in ["", "x", "-1", "NaN", "inf", "1,", "1,1e12"] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }
}
