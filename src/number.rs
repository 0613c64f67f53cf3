//! Numbers on the command line. Every option reads them in one syntax.

use std::ops::RangeInclusive;

/// A number of things: digits, with an underscore between them where it helps to read them; K, M and G stand for powers
/// of 1,000.
pub fn count(text: &str) -> Result<u64, String> {
    with_power(text, 1_000)
}

/// A number of bytes: K, M and G stand for powers of 1,024.
pub fn size(text: &str) -> Result<u64, String> {
    with_power(text, 1_024)
}

/// A number of things within this range, which must fit the option's type.
pub fn whole<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = count(text).ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            format!("'{text}' is not a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// An id that is a number: digits only, as it is printed.
pub fn id(text: &str) -> Result<u64, String> {
    text.parse::<idgen::ShortId>().map(u64::from).map_err(|_| {
        format!("'{text}' is not a whole number from 0 to {}, in digits without a leading zero", u64::MAX)
    })
}

/// A number with a fraction: digits with underscores, a point, and an exponent as in 1e9, or K, M or G.
pub fn decimal(text: &str) -> Result<f64, String> {
    let wrong = || format!("'{text}' is not a number such as 20.5, 1_000, 50M or 1e9");
    let (number, power) = split_power(text);
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let exponent = &number[mantissa.len()..];
    let is_plain = plain_digits(whole).is_some()
        && !fraction.is_empty()
        && fraction.bytes().all(|byte| byte.is_ascii_digit())
        // An exponent and a power would be read differently by different people.
        && (power == 0 || exponent.is_empty());
    if !is_plain {
        return Err(wrong());
    }
    let value: f64 = number.replace('_', "").parse().map_err(|_| wrong())?;
    let value = value * 1_000f64.powi(power as i32);
    if value.is_finite() { Ok(value) } else { Err(format!("'{text}' is too large")) }
}

/// Inserts per second, within what the caller takes.
pub fn rate(text: &str, (least, most): (f64, f64)) -> Result<f64, String> {
    decimal(text)
        .ok()
        .filter(|rate| (least..=most).contains(rate))
        .ok_or_else(|| format!("'{text}' is not a rate: give inserts per second, from {least} to {most}"))
}

/// The text before K, M or G, and the power of a thousand.
fn split_power(text: &str) -> (&str, u32) {
    match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1),
        Some((at, 'm' | 'M')) => (&text[..at], 2),
        Some((at, 'g' | 'G')) => (&text[..at], 3),
        _ => (text, 0),
    }
}

/// The digits of a whole number without its underscores: no sign, no leading zero, an underscore only between digits.
fn plain_digits(text: &str) -> Option<String> {
    let groups =
        text.split('_').all(|group| !group.is_empty() && group.bytes().all(|byte| byte.is_ascii_digit()));
    (groups && (text == "0" || !text.starts_with('0'))).then(|| text.replace('_', ""))
}

fn with_power(text: &str, thousand: u64) -> Result<u64, String> {
    let (digits, power) = split_power(text);
    let digits = plain_digits(digits)
        .ok_or_else(|| format!("'{text}' is not a whole number such as 500, 1_000_000, 20K, 3M or 1G"))?;
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(thousand.pow(power)))
        .ok_or_else(|| format!("'{text}' is too large: give at most {}", u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_take_a_power_and_are_refused_with_the_reason() {
        assert_eq!((count("500"), count("20K"), size("2k")), (Ok(500), Ok(20_000), Ok(2_048)));
        assert_eq!((count("0"), count("1_000_000"), count("1_0M")), (Ok(0), Ok(1_000_000), Ok(10_000_000)));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for text in [
            "", "K", "-1", "+1", "1e3", "1.5", "2KB", "three", "_1", "1_", "1__0", "01", "00", " 1", "1 ",
            "0x1",
        ] {
            let error = format!("'{text}' is not a whole number such as 500, 1_000_000, 20K, 3M or 1G");
            assert_eq!(count(text).unwrap_err(), error);
            assert!(whole::<u64>(0..=u64::MAX)(text).is_err(), "{text}");
        }
        for text in ["18446744073709551616", "18446744073710M"] {
            assert_eq!(
                count(text).unwrap_err(),
                format!("'{text}' is too large: give at most 18446744073709551615")
            );
        }
        assert_eq!(whole::<u8>(0..=255)("256").unwrap_err(), "'256' is not a whole number from 0 to 255");
    }

    #[test]
    fn ids_are_digits_only() {
        assert_eq!((id("0"), id("18446744073709551615")), (Ok(0), Ok(u64::MAX)));
        for text in ["", "+1", "-1", "1_0", "01", "1K", "1.0", " 1", "18446744073709551616"] {
            assert!(id(text).is_err(), "{text}");
        }
    }

    #[test]
    fn decimals_have_a_fraction_an_exponent_or_a_power() {
        for (text, value) in [
            ("0", 0.0),
            ("0.1", 0.1),
            ("20.5", 20.5),
            ("1e9", 1e9),
            ("1E-9", 1e-9),
            ("1_000", 1e3),
            ("50M", 5e7),
            ("1.5K", 1.5e3),
        ] {
            assert_eq!(decimal(text), Ok(value), "{text}");
        }
        for text in [
            "", ".5", "5.", "+5", "-5", "inf", "NaN", "1e", "1e3M", "1_", "0x1", "1e400", "01", "1.2.3",
            "1.1_1",
        ] {
            assert!(decimal(text).is_err(), "{text}");
        }
    }
}
