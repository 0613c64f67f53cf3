//! The forms of times that a column stores as they were sent.

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

const YEAR: &str = "holds dates with a year of four digits, such as 2026-01-31";
const DAY: &str = "holds a date, and would cut off the time";
const OF_DAY: &str = "holds a time without a date, such as 10:11:12.5";
const BOTH: &str = "holds a date and a time, such as 2026-01-31 10:11:12.5";
const OFFSET: &str =
    "holds no offset of a time zone, and would change the time: use TIMESTAMP, or leave the offset out";

impl Time {
    /// The digits of the second's fraction in a text; or why the column could store another time. Servers read many forms, and each reads some of
    /// them in its own way: `10:11:12 5` is 5 hours on MariaDB.
    pub(super) fn fraction(self, text: &str) -> Result<&str, &'static str> {
        if self == Time::OfDay {
            return of_day(text).ok_or(OF_DAY);
        }
        let (rest, is_separated) = after_date(text).ok_or(YEAR)?;
        if rest.is_empty() {
            return Ok("");
        }
        if self == Time::Day {
            return Err(DAY);
        }
        let Some(time) = rest.strip_prefix([' ', 'T']) else {
            // 20260131101112
            return if is_separated { Err(BOTH) } else { packed(rest).ok_or(BOTH) };
        };
        if !is_separated {
            // 20260131T101112
            return packed(time).filter(|_| rest.starts_with('T')).ok_or(BOTH);
        }
        let (time, offset) = time.find(['+', '-']).map_or((time, ""), |at| time.split_at(at));
        let fraction = clock(time, 2).ok_or(BOTH)?;
        match (offset, self) {
            ("", _) => Ok(fraction),
            // MySQL reads an offset, and stores the time of the session's zone.
            (_, Time::Instant) => Ok(fraction),
            _ => Err(OFFSET),
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
            Time::Day if number > 99_991_231 => Some(DAY),
            Time::OfDay if number > 8_385_959 => {
                Some("holds a time without a date, and would cut off the date")
            }
            _ => None,
        }
    }
}

/// Splits a text after its first digits, of which there are at least one and at most this many.
fn digits(text: &str, most: usize) -> Option<(&str, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    (1..=most).contains(&count).then(|| text.split_at(count))
}

/// The rest of a text after its date, and whether the date has separators: `2026-1-31`, `2026/01/31` or `20260131`. Servers read `26-01-31` and
/// `10:11:12` as dates, too, and choose a century.
fn after_date(text: &str) -> Option<(&str, bool)> {
    let (year, rest) = text.split_at_checked(4)?;
    if !year.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let Some(separator) = rest.chars().next().filter(|letter| ['-', '/'].contains(letter)) else {
        let (day, rest) = rest.split_at_checked(4)?;
        return day.bytes().all(|digit| digit.is_ascii_digit()).then_some((rest, false));
    };
    let (_, rest) = digits(&rest[1..], 2)?;
    let (_, rest) = digits(rest.strip_prefix(separator)?, 2)?;
    Some((rest, true))
}

/// The digits after `101112` or `101112.`.
fn packed(text: &str) -> Option<&str> {
    let (time, rest) = digits(text, 6)?;
    if time.len() == 6 { fraction(rest) } else { None }
}

/// The digits after the seconds of `10`, `10:11` or `10:11:12.5`, with at most this many digits of hours.
fn clock(text: &str, hours: usize) -> Option<&str> {
    let (_, rest) = digits(text, hours)?;
    if rest.is_empty() {
        return Some("");
    }
    let (_, rest) = digits(rest.strip_prefix(':')?, 2)?;
    if rest.is_empty() {
        return Some("");
    }
    let (_, rest) = digits(rest.strip_prefix(':')?, 2)?;
    fraction(rest)
}

/// The digits of a fraction, if nothing else follows.
fn fraction(text: &str) -> Option<&str> {
    if text.is_empty() {
        return Some("");
    }
    let digits = text.strip_prefix('.')?;
    digits.bytes().all(|digit| digit.is_ascii_digit()).then_some(digits)
}

/// The digits after the seconds of `-10:11:12.5`, `1 10:11:12` with days, or `101112.5`.
fn of_day(text: &str) -> Option<&str> {
    let text = text.strip_prefix('-').unwrap_or(text);
    if let Some((days, time)) = text.split_once(' ') {
        return if digits(days, 2)?.1.is_empty() { clock(time, 2) } else { None };
    }
    if text.contains(':') {
        return clock(text, 3);
    }
    // As many as in 8385959.
    fraction(digits(text, 7)?.1)
}
