//! The parts of a time that a column stores.

/// The parts of a time that a column holds. The server drops the others without an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::sync) enum Time {
    /// A date.
    Day,
    /// Hours, minutes and seconds.
    OfDay,
    /// Both, without a time zone.
    Local,
    /// A point in time, which the session's time zone shows.
    Instant,
}

impl Time {
    /// Describes why the column would drop a part of a text; `None` if it would not.
    pub(super) fn cuts_off(self, text: &str) -> Option<&'static str> {
        let text = text.trim();
        let of_day = |letter: char| letter.is_ascii_digit() || matches!(letter, ':' | '.' | ' ');
        match self {
            Time::Day | Time::Local | Time::Instant if !has_whole_year(text) => {
                Some("holds dates with a year of four digits, such as 2026-01-31")
            }
            Time::Day
                if text.len() > 10 || after_date(text).contains(|letter: char| letter.is_ascii_digit()) =>
            {
                Some("holds a date, and would cut off the time")
            }
            // `-12:00:00` and `1 12:00:00` are times; so are seven digits, and more are a date with a time.
            Time::OfDay
                if !text.trim_start_matches('-').chars().all(of_day)
                    || !text.contains(':') && text.split('.').next().is_some_and(|whole| whole.len() > 8) =>
            {
                Some("holds a time without a date, and would cut off the date")
            }
            // MySQL reads an offset, and stores the time of the session's zone.
            Time::Local if after_date(text).contains(['+', '-']) => Some(
                "holds no offset of a time zone, and would change the time: use TIMESTAMP, or leave the offset out",
            ),
            _ => None,
        }
    }

    /// Describes why the column would drop a part of a number such as 20260101100000; `None` if it would not.
    pub(super) fn cuts_off_number(self, number: u64) -> Option<&'static str> {
        match self {
            // The server reads 260131 and 101 as dates, too.
            Time::Day | Time::Local | Time::Instant
                if (1..10_000_101).contains(&number)
                    || (99_991_232..10_000_101_000_000).contains(&number) && self != Time::Day =>
            {
                Some("holds dates with a year of four digits, such as 20260131")
            }
            Time::Day if number > 99_991_231 => Some("holds a date, and would cut off the time"),
            Time::OfDay if number > 8_385_959 => {
                Some("holds a time without a date, and would cut off the date")
            }
            _ => None,
        }
    }
}

/// Returns true if a date begins with a year of four digits. The server reads `26-01-31` and `10:11:12` as dates, too, and chooses a century.
fn has_whole_year(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_digit());
    match text.len() - rest.len() {
        4 => !rest.is_empty() && !rest.starts_with(':'),
        // 20260131 and 20260131101112.
        8 | 14 => true,
        _ => false,
    }
}

/// The rest of a text after its date: `2026-1-31`, with any separators, or `20260131`, which a time may follow at once.
fn after_date(text: &str) -> &str {
    let digit = |letter: char| letter.is_ascii_digit();
    let mut rest = text.trim_start_matches(digit);
    if text.len() - rest.len() > 4 {
        return text.get(8..).unwrap_or_default();
    }
    for _ in 0..2 {
        rest = rest.trim_start_matches(|letter| !digit(letter)).trim_start_matches(digit);
    }
    rest
}
