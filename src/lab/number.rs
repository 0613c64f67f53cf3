//! Numbers on the command line: whole ones with K, M and G, and rates.

use idgen_lab::strategy::{self, Strategy};

/// A number of things: K, M and G stand for powers of 1,000.
pub fn count(text: &str) -> Result<u64, String> {
    parse(text, 1_000)
}

/// A number of bytes: K, M and G stand for powers of 1,024.
pub fn size(text: &str) -> Result<u64, String> {
    parse(text, 1_024)
}

/// Inserts per second, within what the caller takes.
pub fn rate(text: &str, (least, most): (f64, f64)) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate| (least..=most).contains(rate))
        .ok_or_else(|| format!("'{text}' is not a rate: give inserts per second, from {least} to {most}"))
}

/// Rows of a strategy.
#[derive(Clone, Copy, Debug)]
pub struct Existing {
    /// `None` of the strategy itself that is compared.
    pub strategy: Option<&'static Strategy>,
    pub rows: u64,
}

/// A strategy and a number of rows, as in `v4-binary:1M` or `v4:1M`; `own` stands for each strategy itself.
pub fn existing(text: &str) -> Result<Existing, String> {
    let (name, rows) = text.split_once(':').ok_or_else(|| {
        format!("'{text}' is not a strategy with a number of rows: write it like v4-binary:1M")
    })?;
    let rows = count(rows)?;
    if rows == 0 {
        return Err(format!(
            "'{text}' has no rows: give at least one, or leave out --existing for an empty table"
        ));
    }
    if name == "own" {
        return Ok(Existing { strategy: None, rows });
    }
    // `v4` is short for its plainest form.
    let strategy = strategy::find(name)
        .or_else(|error| strategy::find(&format!("{name}-binary")).map_err(|_| error.to_string()))?;
    Ok(Existing { strategy: Some(strategy), rows })
}

/// A whole number, with K, M or G for the first powers of `thousand`.
fn parse(text: &str, thousand: u64) -> Result<u64, String> {
    let (digits, power) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1),
        Some((at, 'm' | 'M')) => (&text[..at], 2),
        Some((at, 'g' | 'G')) => (&text[..at], 3),
        _ => (text, 0),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("'{text}' is not a whole number such as 500, 20K, 3M or 1G"));
    }
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
    fn existing_rows_are_at_least_one() {
        assert_eq!(existing("v4:1K").unwrap().rows, 1_000);
        for text in ["v4:0", "own:0", "v4-binary:0K"] {
            assert!(existing(text).unwrap_err().contains("has no rows: give at least one"), "{text}");
        }
        assert!(existing("v4-binry:1K").unwrap_err().contains("did you mean v4-binary"));
    }

    #[test]
    fn numbers_take_a_power_and_are_refused_with_the_reason() {
        assert_eq!((count("500"), count("20K"), size("2k")), (Ok(500), Ok(20_000), Ok(2_048)));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        for text in ["", "K", "-1", "+1", "1e3", "1.5", "2KB", "three"] {
            assert_eq!(
                count(text).unwrap_err(),
                format!("'{text}' is not a whole number such as 500, 20K, 3M or 1G")
            );
        }
        for text in ["18446744073709551616", "18446744073710M"] {
            assert_eq!(
                count(text).unwrap_err(),
                format!("'{text}' is too large: give at most 18446744073709551615")
            );
        }
    }
}
