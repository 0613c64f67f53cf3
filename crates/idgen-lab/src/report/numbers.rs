//! Numbers for people.

use idgen_record::Unit;

/// What stands for a figure that the database does not tell.
pub const UNKNOWN: &str = "\u{2013}";

/// With commas between thousands: `1,234,567`.
pub fn grouped(number: f64) -> String {
    if number.is_nan() {
        return UNKNOWN.into();
    }
    let digits = format!("{:.0}", number.abs());
    let mut text = String::new();
    if number.round() < 0.0 {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A whole number, with commas between thousands.
pub fn count(number: u64) -> String {
    grouped(number as f64)
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

/// The same of a value that may be unknown.
pub fn write_known(unit: Unit, value: Option<f64>) -> String {
    write(unit, value.unwrap_or(f64::NAN))
}

/// With one decimal below 100: what a count per 1,000 inserts needs.
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

/// How many times as much: `0.97`, `12.3`.
pub fn ratio(number: Option<f64>) -> String {
    match number {
        Some(number) if number.abs() < 9.995 => format!("{number:.2}"),
        Some(number) => rate(number),
        None => UNKNOWN.into(),
    }
}

/// A figure of whatever size, with three decimals where it is small.
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

#[cfg(test)]
mod tests {
    use super::*;

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
        assert_eq!((bytes(12), bytes(31_000_000)), ("12 bytes".into(), "29.6 MiB".into()));
    }
}
