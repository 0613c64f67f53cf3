//! How the values of options are read.

use std::ffi::OsString;
use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use idgen::codec::Format;
use idgen::generator::Tail;
use idgen::source::WhenBehind;
use idgen::{Kind, Node, Timestamp};

/// Reads the name of a kind.
pub fn kind() -> impl TypedValueParser<Value = Kind> {
    PossibleValuesParser::new(Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.about())))
        .try_map(|name| name.to_lowercase().parse::<Kind>())
}

/// Reads the name of a format.
pub fn format() -> impl TypedValueParser<Value = Format> {
    let named = |format: &Format| PossibleValue::new(format.name()).help(format.about());
    PossibleValuesParser::new(Format::ALL.iter().map(named))
        .try_map(|name| name.to_lowercase().parse::<Format>())
}

/// Reads a whole number of this range, which must fit the option's type.
pub fn whole<T: TryFrom<u64> + Clone + Send + Sync + 'static>(
    range: RangeInclusive<u64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| range.contains(number));
        number.and_then(|number| T::try_from(number).ok()).ok_or_else(|| {
            format!("'{text}' is not a whole number from {} to {}", range.start(), range.end())
        })
    }
}

/// Reads the name of a picture, which is an SVG file.
pub fn svg() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.extension() {
        Some(ending) if ending == "svg" => Ok(path),
        _ => Err("the name must end in .svg"),
    })
}

/// Reads a whole number, with underscores where they help to read it.
pub fn count(text: &str) -> Result<u64, String> {
    let digits = text.replace('_', "");
    digits.parse().map_err(|_| {
        format!(
            "'{text}' is not a whole number from 0 to {}; write it in digits, such as 1000000 or 1_000_000",
            u64::MAX
        )
    })
}

/// Reads a moment, such as 2026-11-21T12:00:00Z, and rounds it down to 100 ns.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    let moment: jiff::Timestamp = text.parse().map_err(|error| match is_complete(text) {
        true => format!(
            "the moment is out of range: choose one from {} to {}",
            jiff::Timestamp::MIN,
            jiff::Timestamp::MAX
        ),
        false => format!("{error}; write a date, a time and an offset, such as 2026-11-21T12:00:00Z"),
    })?;
    // Fits: jiff's moments end 26 hours before the year 9999 does, so that they have a local time
    // everywhere; a Timestamp ends some 20,000 years later.
    Ok(Timestamp::from_unix_ticks(moment.as_nanosecond().div_euclid(100) as i64))
}

/// Whether nothing is missing or misspelt, so that the moment can only be out of range.
fn is_complete(text: &str) -> bool {
    jiff::fmt::temporal::Pieces::parse(text)
        .is_ok_and(|pieces| pieces.time().is_some() && pieces.offset().is_some())
}

/// Reads a day, such as 2026-11-21; it begins at midnight UTC.
pub fn date(text: &str) -> Result<Timestamp, String> {
    let date: jiff::civil::Date =
        text.parse().map_err(|error| format!("{error}; write year, month and day, such as 2026-11-21"))?;
    Ok(Timestamp::from_date(date.year().into(), date.month() as u8, date.day() as u8))
}

/// Reads an offset from UTC, such as +02:00, in seconds.
pub fn utc_offset(text: &str) -> Result<i32, String> {
    jiff::fmt::strtime::parse("%:z", text)
        .ok()
        .and_then(|parsed| parsed.offset())
        .map(|offset| offset.seconds())
        .ok_or_else(|| "write hours and minutes with a sign, such as +02:00 or -05:30".into())
}

/// The source of the node.
#[derive(Clone, Copy)]
pub enum NodeChoice {
    Random,
    Mac,
    Given(Node),
}

/// Reads `random`, `mac` or twelve hexadecimal digits.
pub fn node(text: &str) -> Result<NodeChoice, String> {
    match text {
        "random" => Ok(NodeChoice::Random),
        "mac" => Ok(NodeChoice::Mac),
        _ => text
            .parse()
            .map(NodeChoice::Given)
            .map_err(|error: idgen::Error| format!("{error}, or random, or mac")),
    }
}

/// The source of a prefix.
#[derive(Clone)]
pub enum PrefixChoice {
    Md5Week,
    Sequential,
    Keyed(PathBuf),
}

/// Reads `md5-week`, `sequential` or `keyed:KEYFILE`.
pub fn prefix(text: &str) -> Result<PrefixChoice, String> {
    match (text, text.strip_prefix("keyed:")) {
        ("md5-week", _) => Ok(PrefixChoice::Md5Week),
        ("sequential", _) => Ok(PrefixChoice::Sequential),
        (_, Some(file)) if !file.is_empty() => Ok(PrefixChoice::Keyed(OsString::from(file).into())),
        ("keyed" | "keyed:", _) => Err("name the file that holds the key, such as keyed:ids.key".into()),
        _ => Err("choose md5-week, sequential or keyed:KEYFILE".into()),
    }
}

/// What follows the prefix.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum TailChoice {
    /// Random bits, labeled version 4.
    Random,
    /// Random bits, labeled version 8.
    RandomV8,
    /// Milliseconds and a counter, version 8: fills pages as AUTO_INCREMENT does.
    Ascending,
}

impl From<TailChoice> for Tail {
    fn from(tail: TailChoice) -> Self {
        match tail {
            TailChoice::Random => Tail::RandomV4,
            TailChoice::RandomV8 => Tail::RandomV8,
            TailChoice::Ascending => Tail::Ascending,
        }
    }
}

/// What to do when the clock is behind.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum WhenBehindChoice {
    /// Stop with an error.
    Error,
    /// Wait until the clock has caught up, for at most a minute; then stop with an error.
    Wait,
    /// Continue at the clock's time with fresh randomness: ids stay unique, but are out of order.
    Restart,
}

impl From<WhenBehindChoice> for WhenBehind {
    fn from(choice: WhenBehindChoice) -> Self {
        match choice {
            WhenBehindChoice::Error => WhenBehind::Error,
            WhenBehindChoice::Wait => WhenBehind::Wait,
            WhenBehindChoice::Restart => WhenBehind::Restart,
        }
    }
}
