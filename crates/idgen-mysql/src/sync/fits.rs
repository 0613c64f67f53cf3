//! Decides whether a column stores a value as it is. Even a strict server rounds numbers, and cuts off blanks and fractions of
//! seconds, without an error.

mod charset;
#[cfg(test)]
mod tests;
mod time;

use std::collections::HashSet;

pub(super) use charset::Charset;
pub(super) use time::Time;

use crate::sync::catalog::CatalogColumn;
use crate::sync::change::Value;

/// The most characters of a number with a fraction, such as `-2.2250738585072014e-308`.
const FLOAT: u64 = 24;

/// Servers change some numbers with a fraction's type that are close to 2^63: MySQL those below it, and MariaDB 2^63 itself.
const NEAR_63_BITS: f64 = 9.2e18;

/// The values that a column can hold, as far as the server does not check them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Holds {
    /// Integers of this many bits.
    Integers(u32),
    /// Decimal numbers with at most this many digits after the point.
    Decimals(u64),
    /// Digits after the point of a `FLOAT(7,2)`, which stores the nearest number of 32 bits.
    FloatDecimals(u64),
    /// Digits after the point of a `DOUBLE(7,2)`, which stores the nearest number of 64 bits.
    DoubleDecimals(u64),
    Doubles,
    Floats,
    /// Texts of at most this many characters; without blanks at their end, if `stripped`.
    Characters {
        most: u64,
        stripped: bool,
        set: Charset,
    },
    /// Texts of at most this many bytes.
    Text {
        most: u64,
        set: Charset,
    },
    /// Exactly this many bytes.
    Binary(u64),
    /// Bytes, or text, of any length that the server checks.
    Bytes,
    /// A time with at most this many digits of the second's fraction.
    Time {
        digits: u64,
        of: Time,
    },
    Year,
    Bits,
    /// One of these texts.
    Member(Vec<String>),
    /// Some of these texts, separated by commas.
    Members(Vec<String>),
    /// The types `UUID`, `INET6` and `INET4` of MariaDB.
    Uuid,
    Inet6,
    Inet4,
    Other,
}

impl Holds {
    pub(super) fn of(column: &CatalogColumn) -> Holds {
        let (digits, set) = (column.fraction.unwrap_or(0), Charset::of(&column.charset));
        match column.data_type.as_str() {
            "tinyint" => Holds::Integers(8),
            "smallint" => Holds::Integers(16),
            "mediumint" => Holds::Integers(24),
            "int" | "integer" => Holds::Integers(32),
            "bigint" => Holds::Integers(64),
            "decimal" | "numeric" => Holds::Decimals(column.scale.unwrap_or(0)),
            // FLOAT(7,2) has a scale.
            "double" if column.full_type.contains(',') => Holds::DoubleDecimals(column.scale.unwrap_or(0)),
            "float" if column.full_type.contains(',') => Holds::FloatDecimals(column.scale.unwrap_or(0)),
            "double" => Holds::Doubles,
            "float" => Holds::Floats,
            "char" => Holds::Characters { most: column.length.unwrap_or(0), stripped: true, set },
            "varchar" => Holds::Characters { most: column.length.unwrap_or(0), stripped: false, set },
            "tinytext" | "text" | "mediumtext" | "longtext" => {
                Holds::Text { most: column.octets.unwrap_or(u64::MAX), set }
            }
            "binary" => Holds::Binary(column.length.unwrap_or(0)),
            "varbinary" | "tinyblob" | "blob" | "mediumblob" | "longblob" => Holds::Bytes,
            "datetime" => Holds::Time { digits, of: Time::Local },
            "timestamp" => Holds::Time { digits, of: Time::Instant },
            "time" => Holds::Time { digits, of: Time::OfDay },
            "date" => Holds::Time { digits: 0, of: Time::Day },
            "year" => Holds::Year,
            "bit" => Holds::Bits,
            "enum" => Holds::Member(members(&column.full_type)),
            "set" => Holds::Members(members(&column.full_type)),
            "uuid" => Holds::Uuid,
            "inet6" => Holds::Inet6,
            "inet4" => Holds::Inet4,
            _ => Holds::Other,
        }
    }

    /// Returns true for a `TIMESTAMP`. Without `explicit_defaults_for_timestamp`, one that may not be NULL takes NULL as the present time.
    pub(super) fn is_instant(&self) -> bool {
        matches!(self, Holds::Time { of: Time::Instant, .. })
    }

    /// Describes why the column would store another value than this one, or a value that was not meant; `None` if it
    /// would not.
    pub(super) fn refuses(&self, value: &Value) -> Option<String> {
        let told = |problem: &str| Some(problem.to_owned());
        match (self, value) {
            (_, Value::Null) | (Holds::Other | Holds::Uuid | Holds::Inet6 | Holds::Inet4, _) => None,
            (
                Holds::Integers(_)
                | Holds::Decimals(_)
                | Holds::FloatDecimals(_)
                | Holds::DoubleDecimals(_)
                | Holds::Doubles
                | Holds::Floats
                | Holds::Year,
                Value::Bytes(_),
            ) => told("holds numbers, not bytes"),
            // 2^63 - 1024 and 2^63 are stored as 2^63 - 1.
            (Holds::Integers(_), Value::Float(number)) if *number >= NEAR_63_BITS => {
                told("holds integers, and could change one of this size: send it as an integer or a text")
            }
            (Holds::Integers(_), value) => match fraction(value) {
                Some(0) | None => None,
                Some(_) => told("holds integers, and would round the number"),
            },
            (Holds::Decimals(most) | Holds::FloatDecimals(most) | Holds::DoubleDecimals(most), value) => {
                let cut = fraction(value).filter(|digits| digits > most).map(|digits| {
                    format!("holds {most} digits after the point, and would round a number with {digits}")
                });
                cut.or_else(|| match self {
                    Holds::FloatDecimals(_) => Holds::Floats.refuses(value),
                    Holds::DoubleDecimals(_) => Holds::Doubles.refuses(value),
                    _ => None,
                })
            }
            (Holds::Doubles | Holds::Floats, Value::Int(number)) => {
                self.rounds(i128::from(*number)).then(|| "would round the integer".to_owned())
            }
            (Holds::Doubles | Holds::Floats, Value::UInt(number)) => {
                self.rounds(i128::from(*number)).then(|| "would round the integer".to_owned())
            }
            (Holds::Doubles | Holds::Floats, Value::Float(number)) if self.nearest(*number) == *number => {
                None
            }
            (Holds::Doubles | Holds::Floats, Value::Float(number)) => {
                self.rounds_text(&format!("{number:e}")).map(str::to_owned)
            }
            (Holds::Doubles | Holds::Floats, Value::Text(text)) => self.rounds_text(text).map(str::to_owned),
            (Holds::Characters { most, stripped, .. }, Value::Text(text)) => {
                let count = text.chars().count() as u64;
                if count > *most {
                    return Some(format!("holds {most} characters, and the text has {count}"));
                }
                (*stripped && text.ends_with(' '))
                    .then(|| "does not keep blanks at the end of a text (CHAR): use VARCHAR".to_owned())
            }
            // The column's character set reads the bytes.
            (Holds::Characters { most, set: Charset::Single, .. }, Value::Bytes(bytes))
                if bytes.len() as u64 > *most =>
            {
                Some(format!("holds {most} characters, and the text has {}", bytes.len()))
            }
            // Each of the bytes may be a character.
            (Holds::Characters { most, set, .. }, Value::Bytes(bytes))
                if *set != Charset::Utf8 && bytes.len() as u64 > *most && ends_with_space(bytes) =>
            {
                Some(format!(
                    "holds {most} characters, and could cut off white space at the end: send a text"
                ))
            }
            (Holds::Characters { stripped, set, .. }, Value::Bytes(bytes)) => {
                match std::str::from_utf8(bytes) {
                    Ok(text) if *set == Charset::Utf8 => self.refuses(&Value::Text(text.to_owned())),
                    _ => (*stripped && bytes.ends_with(b" "))
                        .then(|| "does not keep blanks at the end of a text (CHAR): use VARCHAR".to_owned()),
                }
            }
            // The server rounds the number until its digits fit.
            (Holds::Characters { most, .. }, Value::Float(_)) if *most < FLOAT => {
                told("holds texts, and could round the number: send it as text")
            }
            (Holds::Bytes | Holds::Binary(_), Value::Float(_)) => told("holds bytes, not numbers"),
            // Of white space that does not fit, the server only says in a note that it was cut off.
            (Holds::Text { most, .. }, Value::Bytes(bytes)) => {
                let count = bytes.len() as u64;
                (count > *most).then(|| format!("holds {most} bytes, and the text has {count}"))
            }
            (Holds::Text { most, set }, Value::Text(text)) => match set.bytes(text) {
                (least, _) if least > *most => {
                    Some(format!("holds {most} bytes, and the text has {least} or more"))
                }
                (_, longest) if longest > *most && text.ends_with(char::is_whitespace) => {
                    Some(format!("holds {most} bytes, and could cut off white space at the end"))
                }
                _ => None,
            },
            (Holds::Binary(most), value) => {
                let length = match value {
                    Value::Text(text) => text.len(),
                    Value::Bytes(bytes) => bytes.len(),
                    // The server stores the digits.
                    Value::Int(number) => number.to_string().len(),
                    Value::UInt(number) => number.to_string().len(),
                    Value::Null | Value::Float(_) => return None,
                };
                (length as u64 != *most)
                    .then(|| format!("holds exactly {most} bytes (BINARY), and the value has {length}"))
            }
            (Holds::Time { .. }, Value::Bytes(bytes)) => match std::str::from_utf8(bytes) {
                Ok(text) => self.refuses(&Value::Text(text.to_owned())),
                Err(_) => told("holds times, which are sent as text"),
            },
            (Holds::Time { digits, of }, Value::Text(text)) => match of.fraction(text) {
                Err(problem) => told(problem),
                Ok(fraction) => {
                    let used = fraction.trim_end_matches('0').len() as u64;
                    (used > *digits).then(|| {
                        format!("holds {digits} digits of the second's fraction, and the time has {used}")
                    })
                }
            },
            (Holds::Time { .. }, Value::Float(_)) => told("holds times, which are sent as text"),
            (Holds::Year, value) => {
                let is_other = match value {
                    Value::Int(number) => (1..100).contains(number),
                    Value::UInt(number) => (1..100).contains(number),
                    Value::Text(text) => text.len() != 4 || !text.bytes().all(|digit| digit.is_ascii_digit()),
                    _ => return told("holds years: send an integer of four digits"),
                };
                if is_other { told("holds years of four digits") } else { None }
            }
            (Holds::Time { of, .. }, Value::Int(number)) => {
                of.cuts_off_number(number.unsigned_abs()).and_then(told)
            }
            (Holds::Time { of, .. }, Value::UInt(number)) => of.cuts_off_number(*number).and_then(told),
            (Holds::Bits, Value::Int(number)) if *number < 0 => told("holds bits, and no numbers below zero"),
            (Holds::Bits, Value::Text(_) | Value::Float(_)) => told("holds bits: send an integer or bytes"),
            (Holds::Member(members), Value::Text(text)) => {
                (!members.iter().any(|member| may_be(member, text)))
                    .then(|| format!("holds one of {members:?}"))
            }
            (Holds::Members(members), Value::Text(text)) => {
                let mut named = HashSet::new();
                let all = text.is_empty()
                    || text
                        .split(',')
                        .all(|part| members.iter().any(|member| may_be(member, part)) && named.insert(part));
                (!all).then(|| format!("holds some of {members:?}, each once, separated by commas"))
            }
            (Holds::Member(_) | Holds::Members(_), _) => told("holds texts of a list, not numbers"),
            (Holds::Characters { .. } | Holds::Text { .. } | Holds::Bytes, _) => None,
            (Holds::Bits, _) => None,
        }
    }

    /// The number of the column that is nearest to this one.
    pub(super) fn nearest(&self, number: f64) -> f64 {
        match self {
            Holds::Floats | Holds::FloatDecimals(_) => f64::from(number as f32),
            _ => number,
        }
    }

    /// Describes why a column of doubles or floats would store another integer than a text has, or 0 for a number that is not 0.
    fn rounds_text(&self, text: &str) -> Option<&'static str> {
        let text = text.trim();
        let nearest = self.nearest(text.parse().ok()?);
        let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, ""));
        let (whole, after) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = format!("{}{after}", whole.trim_start_matches(['+', '-']));
        let digits = all.trim_start_matches('0').trim_end_matches('0');
        if digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit()) || !nearest.is_finite() {
            return None;
        }
        if nearest == 0.0 {
            return Some("would round the number to 0");
        }
        // A number in exponent form with few digits is the nearest one with so many digits, such as 1e30.
        if !exponent.is_empty() && digits.len() <= self.kept_digits() {
            return None;
        }
        // The zeros after the digits. No finite number has more digits than an exponent of 16 bits can say.
        let exponent = if exponent.is_empty() { 0 } else { i64::from(exponent.parse::<i16>().ok()?) };
        let zeros = (all.len() - all.trim_end_matches('0').len()) as i64 - after.len() as i64 + exponent;
        let zeros = "0".repeat(usize::try_from(zeros).ok()?);
        // All digits of the number, none of which is rounded.
        (format!("{:.0}", nearest.abs()) != format!("{digits}{zeros}")).then_some("would round the integer")
    }

    /// The digits of a decimal number that the column always keeps (`FLT_DIG` and `DBL_DIG` of C).
    fn kept_digits(&self) -> usize {
        if matches!(self, Holds::Floats | Holds::FloatDecimals(_)) { 6 } else { 15 }
    }

    /// Returns true if an integer is between two numbers of the column.
    fn rounds(&self, number: i128) -> bool {
        // Casts to the nearest number are the question here.
        if *self == Holds::Floats {
            (number as f32) as i128 != number
        } else {
            (number as f64) as i128 != number
        }
    }
}

/// Returns true for white space of one byte, which the server cuts off.
fn ends_with_space(bytes: &[u8]) -> bool {
    bytes.last().is_some_and(|last| last.is_ascii_whitespace() || *last == 0x0b)
}

/// The digits after the point that a number needs; `None` if the value is no number, which the server finds out.
fn fraction(value: &Value) -> Option<u64> {
    let text = match value {
        Value::Int(_) | Value::UInt(_) => return Some(0),
        Value::Float(number) => format!("{number:e}"),
        Value::Text(text) => text.trim().to_ascii_lowercase(),
        Value::Null | Value::Bytes(_) => return None,
    };
    text.parse::<f64>().ok().filter(|number| number.is_finite())?;
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    // An exponent of more than 64 bits is far from all digits.
    let far = if exponent.starts_with('-') { i64::MIN / 2 } else { i64::MAX / 2 };
    let exponent: i64 = exponent.parse().unwrap_or(far);
    let digits = mantissa.split_once('.').map_or("", |(_, digits)| digits);
    // Zeros at the end need no place; with an exponent below zero, those before the point do not either.
    let all: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    let zeros = (all.len() - all.trim_end_matches('0').len()) as i64;
    if zeros == all.len() as i64 {
        return Some(0);
    }
    Some(u64::try_from(digits.len() as i64 - zeros - exponent).unwrap_or(0))
}

/// Returns true if a member is this text, or may be it: the catalog has no characters of 4 bytes, and shows `?` for them. Then the server decides.
fn may_be(member: &str, text: &str) -> bool {
    let same = |(shown, letter): (char, char)| shown == letter || shown == '?' && letter > '\u{ffff}';
    member.chars().count() == text.chars().count() && member.chars().zip(text.chars()).all(same)
}

/// The members of `enum('a','b')`. The catalog writes `\\` for a backslash, and letters after one for ends of lines.
fn members(full_type: &str) -> Vec<String> {
    let list = full_type.split_once('(').map_or("", |(_, list)| list);
    let list = list.strip_suffix(')').unwrap_or(list);
    let (mut members, mut member, mut inside) = (Vec::new(), String::new(), false);
    let mut letters = list.chars().peekable();
    while let Some(letter) = letters.next() {
        match (inside, letter) {
            (false, '\'') => inside = true,
            (true, '\'') if letters.peek() == Some(&'\'') => {
                letters.next();
                member.push('\'');
            }
            (true, '\'') => {
                inside = false;
                members.push(std::mem::take(&mut member));
            }
            (true, '\\') => member.extend(letters.next().map(|letter| match letter {
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                '0' => '\0',
                'Z' => '\u{1a}',
                letter => letter,
            })),
            (true, letter) => member.push(letter),
            (false, _) => {}
        }
    }
    members
}
