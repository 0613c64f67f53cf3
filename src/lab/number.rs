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
    if name == "own" {
        return Ok(Existing { strategy: None, rows: count(rows)? });
    }
    // `v4` is short for its plainest form.
    let strategy = strategy::find(name)
        .or_else(|error| strategy::find(&format!("{name}-binary")).map_err(|_| error.to_string()))?;
    Ok(Existing { strategy: Some(strategy), rows: count(rows)? })
}

/// A whole number, with K, M or G for the first powers of `thousand`.
fn parse(text: &str, thousand: u64) -> Result<u64, String> {
    let (digits, power) = match text.char_indices().last() {
        Some((at, 'k' | 'K')) => (&text[..at], 1),
        Some((at, 'm' | 'M')) => (&text[..at], 2),
        Some((at, 'g' | 'G')) => (&text[..at], 3),
        _ => (text, 0),
    };
    digits
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(thousand.pow(power)))
        .ok_or_else(|| format!("'{text}' is not a whole number such as 500, 20K, 3M or 1G"))
}
