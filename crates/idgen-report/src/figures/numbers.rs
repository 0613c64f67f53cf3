//! Numbers as people read them.

use idgen_record::{Metric, Sample, Unit, thousands};

/// The sign for a figure that the database does not provide.
pub const UNKNOWN: &str = "\u{2013}";

/// Writes a number with commas between thousands: `1,234,567`.
pub fn grouped(number: f64) -> String {
    if number.is_nan() {
        return UNKNOWN.into();
    }
    let sign = if number.round() < 0.0 { "-" } else { "" };
    format!("{sign}{}", thousands(number.abs().round_ties_even() as u64))
}

/// A whole number, with commas between thousands.
pub fn count(number: u64) -> String {
    thousands(number)
}

/// A value of a metric, as people read it.
pub fn write(unit: Unit, value: f64) -> String {
    if value.is_nan() {
        return UNKNOWN.into();
    }
    match unit {
        Unit::Pieces => grouped(value),
        Unit::PerThousand => rate(value),
        Unit::Decimals(decimals) => format!("{value:.decimals$}"),
        Unit::Share(decimals) => format!("{:.decimals$}", value * 100.0),
        // A client in the same machine waits for some hundredths of a millisecond.
        Unit::Micros if value < 10_000.0 => format!("{:.3}", value / 1_000.0),
        Unit::Micros => format!("{:.2}", value / 1_000.0),
    }
}

/// The median of a sample of this metric with no more digits than its spread supports. The spread of a single run is that of
/// recorded runs.
pub fn write_median(metric: &Metric, sample: Option<&Sample>) -> String {
    sample
        .map_or(UNKNOWN.into(), |sample| supported(metric.unit, sample.median(), sample.spread(metric.noise)))
}

/// A single value of this metric, such as one of a window, as [`write_median`] writes it.
pub fn write_single(metric: &Metric, value: f64) -> String {
    write_median(metric, Sample::of(vec![value]).as_ref())
}

/// The median of a sample, and its smallest and largest value where they differ: `164 (160-171)`.
pub fn write_sample(metric: &Metric, sample: Option<&Sample>) -> String {
    let Some(sample) = sample else { return UNKNOWN.into() };
    let median = write_median(metric, Some(sample));
    let spread = sample.spread(metric.noise);
    let [least, most] = [sample.min(), sample.max()].map(|value| supported(metric.unit, value, spread));
    if least == most { median } else { format!("{median} ({least}\u{2013}{most})") }
}

/// A value down to the second digit of a range, but with its first digit, and with no more decimals than its unit has.
fn supported(unit: Unit, value: f64, range: f64) -> String {
    let times = match unit {
        Unit::Share(_) => 100.0,
        Unit::Micros => 0.001,
        Unit::Pieces | Unit::PerThousand | Unit::Decimals(_) => 1.0,
    };
    if range <= 0.0 {
        return write(unit, value);
    }
    let place = |value: f64| (value.abs() * times).log10().floor() as i32;
    // A small value beside a wide range is not shown as 0.
    let last_digit = if value == 0.0 { place(range) - 1 } else { place(value).min(place(range) - 1) };
    if last_digit < 0 {
        let decimals = write(unit, value).split_once('.').map_or(0, |(_, decimals)| decimals.len());
        let decimals = decimals.min(last_digit.unsigned_abs() as usize);
        return if decimals == 0 { grouped(value * times) } else { format!("{:.decimals$}", value * times) };
    }
    let step = 10_f64.powi(last_digit);
    grouped((value * times / step).round() * step)
}

/// Writes a number with one decimal below 100, for counts per 1,000 inserts.
pub fn rate(number: f64) -> String {
    if number < 99.95 { format!("{number:.1}") } else { grouped(number) }
}

/// A ratio from 0 to 1 in percent with one decimal, without the sign.
pub fn percent(ratio: f64) -> String {
    if ratio.is_nan() {
        return UNKNOWN.into();
    }
    format!("{:.1}", ratio * 100.0)
}

/// A ratio: `0.97`, `12.3`.
pub fn ratio(number: Option<f64>) -> String {
    match number {
        Some(number) if number.abs() < 9.995 => format!("{number:.2}"),
        Some(number) => rate(number),
        None => UNKNOWN.into(),
    }
}

/// A factor of two medians, with two significant digits, or two decimals below two: `1.04`, `3.6`, `310`.
pub fn rounded(factor: f64) -> String {
    let step = 10_f64.powi(factor.abs().log10().floor() as i32 - 1);
    let digits = (factor / step).round() * step;
    match digits {
        _ if factor < 1.995 => format!("{factor:.2}"),
        digits if digits < 9.95 => format!("{digits:.1}"),
        digits => grouped(digits),
    }
}

/// A probability after a p: `= 0.10`, `= 0.0079`, `< 0.001`.
pub fn probability(p: f64) -> String {
    match p {
        p if p < 0.001 => "< 0.001".into(),
        p if p < 0.01 => format!("= {p:.4}"),
        p if p < 0.1 => format!("= {p:.3}"),
        p => format!("= {p:.2}"),
    }
}

/// A whole number on an axis, as short as can be: `100`, `10k`, `2.5M`.
pub fn short(number: f64) -> String {
    let (number, letter) = match number.abs() {
        amount if amount >= 1e9 => (number / 1e9, "G"),
        amount if amount >= 1e6 => (number / 1e6, "M"),
        amount if amount >= 1e3 => (number / 1e3, "k"),
        _ => (number, ""),
    };
    format!("{}{letter}", (number * 1_000.0).round() / 1_000.0)
}

/// A figure of any size, with three decimals where it is small.
pub fn figure_text(number: f64) -> String {
    if number.abs() < 100.0 && number.fract() != 0.0 { format!("{number:.3}") } else { grouped(number) }
}

/// A number of bytes in the unit that leaves one to four digits: `29.6 MiB`.
pub fn bytes(count: u64) -> String {
    const UNITS: [&str; 4] = ["KiB", "MiB", "GiB", "TiB"];
    if count < 1_024 {
        return format!("{count} bytes");
    }
    let mut amount = count as f64 / 1_024.0;
    let mut unit = 0;
    while amount >= 1_024.0 && unit + 1 < UNITS.len() {
        amount /= 1_024.0;
        unit += 1;
    }
    format!("{amount:.1} {}", UNITS[unit])
}

/// The text with a capital letter, for the beginning of a sentence.
pub fn sentence_case(text: &str) -> String {
    let mut text = text.to_owned();
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_smaller_than_the_spread_are_not_shown() {
        let shown = |unit, values: &[f64]| {
            let mut metric = *Metric::named("rows_per_sec").unwrap();
            metric.unit = unit;
            write_sample(&metric, Sample::of(values.to_vec()).as_ref())
        };
        assert_eq!(shown(Unit::PerThousand, &[164.2, 160.1, 171.4]), "164 (160\u{2013}171)");
        assert_eq!(
            shown(Unit::Pieces, &[163_245.0, 131_222.0, 170_119.0]),
            "163,000 (131,000\u{2013}170,000)"
        );
        assert_eq!(shown(Unit::PerThousand, &[21.34, 17.2, 25.4]), "21.3 (17.2\u{2013}25.4)");
        assert_eq!(shown(Unit::PerThousand, &[41.0, 30.0, 50.0]), "41 (30\u{2013}50)");
        assert_eq!(shown(Unit::Micros, &[1_234.0, 1_900.0]), "1.57 (1.23\u{2013}1.90)");
        assert_eq!(shown(Unit::Share(1), &[0.643, 0.6432, 0.6431]), "64.3");
        assert_eq!(write_sample(Metric::named("secs").unwrap(), None), UNKNOWN);
        // Nor is a value without a digit.
        assert_eq!(shown(Unit::Micros, &[4.0, 3.0, 147.0]), "0.004 (0.003\u{2013}0.15)");
        assert_eq!(shown(Unit::Pieces, &[32.0, 0.0, 5_400.0]), "30 (0\u{2013}5,400)");
    }

    /// A single run has the spread of recorded runs in place of its own: half of a time, and 4 % of a size.
    #[test]
    fn a_single_run_has_the_digits_that_recorded_runs_support() {
        let shown = |name, value| write_single(Metric::named(name).unwrap(), value);
        assert_eq!(shown("last_rows_per_sec", 72_943.0), "73,000");
        assert_eq!(shown("last_reads_per_1k", 1_234.5), "1,230");
        assert_eq!(shown("insert_p99_micros", 24_590.0), "25");
        assert_eq!(shown("bytes_per_row", 57.04), "57.0");
        assert_eq!(shown("reads_per_1k", 0.0), "0.0");
    }

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567.4), "1,234,567");
        assert_eq!(grouped(999.6), "1,000");
        assert_eq!(grouped(12.0), "12");
        assert_eq!(grouped(-1_000.0), "-1,000");
        assert_eq!((rate(0.04), rate(99.94), rate(854.3)), ("0.0".into(), "99.9".into(), "854".into()));
        assert_eq!(
            (grouped(f64::NAN), rate(f64::NAN), percent(f64::NAN)),
            (UNKNOWN.into(), UNKNOWN.into(), UNKNOWN.into())
        );
        assert_eq!([0.1234, 7.0, 100_000.5].map(figure_text), ["0.123", "7", "100,000"]);
        assert_eq!([Some(0.966), Some(12.3), None].map(ratio), ["0.97", "12.3", UNKNOWN]);
        assert_eq!(percent(0.9066), "90.7");
        assert_eq!(
            [0.1, 0.0286, 0.0079, 1e-5].map(probability),
            ["= 0.10", "= 0.029", "= 0.0079", "< 0.001"]
        );
        assert_eq!([0.01, 1_000.0, 25_000.0, 1e6, 2.5e9].map(short), ["0.01", "1k", "25k", "1M", "2.5G"]);
        assert_eq!((bytes(12), bytes(31_000_000)), ("12 bytes".into(), "29.6 MiB".into()));
    }
}
