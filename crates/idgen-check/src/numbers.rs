//! Numbers as text.

/// A number with its noun.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    match count {
        1 => format!("1 {noun}"),
        _ => format!("{} {noun}s", grouped(count)),
    }
}

/// A whole number with commas.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of milliseconds in a unit that is easy to read.
pub(crate) fn duration(ms: f64) -> String {
    match ms.abs() {
        below if below < 1_000.0 => format!("{} ms", (ms * 1e4).round() / 1e4),
        below if below < 120_000.0 => format!("{:.1} s", ms / 1e3),
        below if below < 172_800_000.0 => format!("{:.1} hours", ms / 3.6e6),
        below if below < 730.0 * 8.64e7 => format!("{:.0} days", ms / 8.64e7),
        _ => format!("{:.0} years", ms / (365.25 * 8.64e7)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!((plural(1, "id").as_str(), plural(1_234_567, "id").as_str()), ("1 id", "1,234,567 ids"));
        assert_eq!(
            [0.0001, 12.0, 1_500.0, 7.2e6, 8.64e8, 1e13].map(duration),
            ["0.0001 ms", "12 ms", "1.5 s", "2.0 hours", "10 days", "317 years"]
        );
    }
}
