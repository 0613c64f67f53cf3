//! The options for the clients of a planned load: `--statement-rows`, `--delay`, `--span` and `--skew`.

use idgen_lab::forecast::{Clients, Delay};
use idgen_record::{Latency, Skew};

use super::clocks;
use crate::{failure, number};

/// Options for the statements and delays of clients, and for their clocks.
#[derive(clap::Args)]
pub(super) struct ClientArgs {
    /// Rows of a statement, whose ids a client makes at once [default: 1].
    #[arg(long, value_name = "N", value_parser = number::whole::<u64>(1..=Clients::MAX_STATEMENT_ROWS), allow_negative_numbers = true)]
    statement_rows: Option<u64>,
    /// Milliseconds from making an id until the server inserts its row, before the commit: on average, or the percentiles 50,
    /// 95, 99 and 100, separated by commas, as a report of `idgen lab` has them under "insert" [default with several
    /// writers: as recorded].
    #[arg(long, value_name = "MS", value_parser = delay, allow_negative_numbers = true)]
    delay: Option<Delay>,
    /// Milliseconds from the insert of the first row of a statement until that of its last one, in the form of --delay
    /// [default: 12 µs for each row, as on a server with nothing else to do].
    #[arg(long, value_name = "MS", value_parser = delay, allow_negative_numbers = true)]
    span: Option<Delay>,
    /// Milliseconds by which the clocks of --writers differ: a random constant for each, up to this many before or after the
    /// true time, or a list of constants, separated by commas, which begins again for further writers; `idgen lab skew` measures
    /// yours.
    #[arg(long, value_name = "MS", value_parser = clocks::read, allow_negative_numbers = true)]
    skew: Option<Skew>,
}

fn delay(text: &str) -> Result<Delay, String> {
    let millis: Vec<f64> = text
        .split(',')
        .map(|part| part.trim().parse().map_err(|_| format!("{part:?} is not a number of milliseconds")))
        .collect::<Result<_, _>>()?;
    if let Some(bad) = millis.iter().find(|millis| !(0.0..=3.6e6).contains(*millis)) {
        return Err(format!("{bad} ms: give a number from 0 to 3600000"));
    }
    let micros = |place: usize| (1_000.0 * millis[place]).round() as u64;
    match millis.as_slice() {
        [mean] => Ok(Delay::MeanMillis(*mean)),
        [_, _, _, _] if millis.is_sorted() => Ok(Delay::Recorded(Latency {
            p50_micros: micros(0),
            p95_micros: micros(1),
            p99_micros: micros(2),
            max_micros: micros(3),
        })),
        _ => Err("give the mean, or four ascending numbers: the percentiles 50, 95, 99 and 100".to_owned()),
    }
}

impl ClientArgs {
    /// The statements and delays of this many writers; `None` for one writer, whose rows arrive in the order
    /// in which it makes their ids.
    pub(super) fn of(&self, writers: u64) -> anyhow::Result<Option<Clients>> {
        if writers > 1 {
            clocks::check(self.skew.as_ref(), writers)?;
            let (statement_rows, delay) =
                (self.statement_rows.unwrap_or(1), self.delay.unwrap_or(Delay::RECORDED));
            return Ok(Some(Clients { statement_rows, delay, span: self.span }));
        }
        match self.given().iter().find(|(_, given)| *given) {
            Some((option, _)) => Err(failure::usage(format_args!(
                "{option} changes nothing with one writer, whose rows arrive in the order of their ids: add --writers 8, or \
                 leave it out"
            ))),
            None => Ok(None),
        }
    }

    /// Rows of a statement, if they were given.
    pub(super) fn statement_rows(&self) -> Option<u64> {
        self.statement_rows
    }

    /// The options that were given, for engines whose model has no clients.
    pub(super) fn given(&self) -> [(&'static str, bool); 4] {
        [
            ("--statement-rows", self.statement_rows.is_some()),
            ("--delay", self.delay.is_some()),
            ("--span", self.span.is_some()),
            ("--skew", self.skew.is_some()),
        ]
    }

    /// The clocks of the clients, where they differ.
    pub(super) fn skew(&self) -> Option<Skew> {
        self.skew.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_delay_is_a_mean_or_four_percentiles() {
        assert_eq!(delay("1.5"), Ok(Delay::MeanMillis(1.5)));
        let Ok(Delay::Recorded(latency)) = delay("0.5, 3,10,31.25") else { panic!("four percentiles") };
        assert_eq!((latency.p50_micros, latency.max_micros), (500, 31_250));
        for bad in ["", "x", "-1", "NaN", "inf", "1,2", "4,3,2,1", "1,2,3,4,5"] {
            assert!(delay(bad).is_err(), "{bad}");
        }
    }
}
