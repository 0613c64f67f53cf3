//! Parsers of the values of options.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use clap::builder::{PathBufValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Arg, Command};
use idgen::codec::Format;
use idgen::generator::Tail;
use idgen::source::WhenBehind;
use idgen::{Kind, Node, Timestamp};

use crate::form::Target;
use crate::named::Version;
use crate::number;

/// Reads the URL of a database. An empty one, as of a variable that is not set, would be an empty database of SQLite.
pub fn url(text: &str) -> Result<String, String> {
    let lower = text.trim().to_ascii_lowercase();
    let path =
        ["sqlite://", "file://", "sqlite:", "file:"].iter().find_map(|scheme| lower.strip_prefix(scheme));
    match path {
        _ if lower.is_empty() => Err("the URL is empty".into()),
        Some("") => Err("the URL names no file".into()),
        Some(path) if path.starts_with(":memory:") => {
            Err("the URL is that of a new database in memory, which has no tables".into())
        }
        _ => Ok(text.to_owned()),
    }
}

/// Reads the name of a kind.
pub fn kind() -> impl TypedValueParser<Value = Kind> {
    KindParser
}

/// Works as the parser of clap for a list of values, except that it knows the other names of versions.
#[derive(Clone)]
struct KindParser;

impl TypedValueParser for KindParser {
    type Value = Kind;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Kind, clap::Error> {
        let name = value.to_str().unwrap_or_default().to_lowercase();
        if let Ok(kind) = name.parse() {
            return Ok(kind);
        }
        let listed = PossibleValuesParser::new(Kind::ALL.iter().map(|kind| kind.name()));
        listed.parse_ref(command, argument, value).map_err(|mut error| {
            if let Some(kind) = meant(&name) {
                let suggestion = ContextValue::Strings(vec![kind.name().into()]);
                error.insert(ContextKind::SuggestedValue, suggestion);
            }
            error
        })?;
        Err(Command::new("idgen").error(ErrorKind::InvalidValue, "no kind has this name"))
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Kind::ALL.iter().map(|kind| PossibleValue::new(kind.name()).help(kind.about()))))
    }
}

/// The kind that other programs call `uuid7`, `uuid-v7`, `uuidv7` or `7`.
fn meant(name: &str) -> Option<Kind> {
    let plain = name.replace(['-', '_', ' '], "");
    let number = plain.trim_start_matches("uuid").trim_start_matches("version").trim_start_matches('v');
    let by_version = Kind::ALL.iter().copied().find(|kind| kind.name().strip_prefix('v') == Some(number));
    by_version.or(match &*plain {
        "uuid" | "guid" => Some(Kind::V4),
        "uuidshort" => Some(Kind::MysqlShort),
        _ => None,
    })
}

/// Reads the name of a format.
pub fn format() -> impl TypedValueParser<Value = Format> {
    let named =
        |format: &Format| PossibleValue::new(format.name()).aliases(format.alias()).help(format.about());
    PossibleValuesParser::new(Format::ALL.iter().map(named))
        .try_map(|name| name.to_lowercase().parse::<Format>())
}

/// Reads the name of a format, or `typed`.
pub fn target() -> impl TypedValueParser<Value = Target> {
    let named =
        |format: &Format| PossibleValue::new(format.name()).aliases(format.alias()).help(format.about());
    let typed = PossibleValue::new("typed").help("a TypeID: the prefix of --type, _ and 26 characters");
    PossibleValuesParser::new(Format::ALL.iter().map(named).chain([typed])).try_map(|name| {
        match &*name.to_lowercase() {
            "typed" => Ok(Target::Typed),
            name => name.parse().map(Target::Format),
        }
    })
}

/// The kind of ids that `idgen new` makes.
#[derive(Clone, Copy)]
pub enum Made {
    Kind(Kind),
    /// Version 7 as a TypeID.
    Typed,
    /// A version that follows from what is given.
    Version(Version),
}

/// Reads the name of a kind, of a version, or `typed`.
pub fn made() -> impl TypedValueParser<Value = Made> {
    KindOrTyped(KindParser)
}

#[derive(Clone)]
struct KindOrTyped(KindParser);

impl TypedValueParser for KindOrTyped {
    type Value = Made;

    fn parse_ref(
        &self,
        command: &Command,
        argument: Option<&Arg>,
        value: &OsStr,
    ) -> Result<Made, clap::Error> {
        if value.eq_ignore_ascii_case("typed") {
            return Ok(Made::Typed);
        }
        match Version::ALL.into_iter().find(|version| value.eq_ignore_ascii_case(version.name())) {
            Some(version) => Ok(Made::Version(version)),
            None => self.0.parse_ref(command, argument, value).map(Made::Kind),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let typed = PossibleValue::new("typed").help("TypeID: version 7 with the prefix of --type");
        let versions =
            Version::ALL.into_iter().map(|version| PossibleValue::new(version.name()).help(version.about()));
        Some(Box::new(self.0.possible_values()?.chain([typed]).chain(versions)))
    }
}

/// Reads the name of a picture, which is an SVG file.
pub fn svg() -> impl TypedValueParser<Value = PathBuf> {
    PathBufValueParser::new().try_map(|path| match path.extension() {
        Some(ending) if ending == "svg" => Ok(path),
        _ => Err("the name must end in .svg"),
    })
}

/// Reads a moment as RFC 3339 writes it, such as 2026-11-21T12:00:00Z, and rounds it down to 100 ns. PostgreSQL writes offsets of
/// whole hours without minutes. A leap second is read as the second before it, since it has no number of its own in an id.
pub fn moment(text: &str) -> Result<Timestamp, String> {
    text.parse().or_else(|unread: idgen::Error| {
        let leap = text.get(16..19) == Some(":60");
        let of_unix = if leap { [&text[..16], ":59", &text[19..]].concat() } else { text.to_owned() };
        of_unix
            .parse()
            .or_else(|_| format!("{of_unix}:00").parse())
            .map_err(|_: idgen::Error| unread.to_string())
    })
}

/// Reads the id of a server, of which `UUID_SHORT()` uses the low byte.
pub fn server_id(text: &str) -> Result<u8, String> {
    let id = number::whole::<u32>(0..=u64::from(u32::MAX))(text)?;
    u8::try_from(id).map_err(|_| {
        format!(
            "UUID_SHORT() uses only the low byte of a server's id, so the servers {id} and {} would make the same ids: \
             give that byte, {}, if no other server has it",
            id & 255,
            id & 255
        )
    })
}

/// Reads a day, such as 2026-11-21; it begins at midnight UTC.
pub fn date(text: &str) -> Result<Timestamp, String> {
    format!("{text}T00:00:00Z")
        .parse()
        .map_err(|_: idgen::Error| "no such day: write year, month and day, such as 2026-11-21".to_owned())
}

/// Reads an offset from UTC, such as +02:00, in seconds.
pub fn utc_offset(text: &str) -> Result<i32, String> {
    let signed = text.starts_with(['+', '-']).then(|| format!("1970-01-01T00:00:00{text}"));
    let midnight = signed.and_then(|time| time.parse::<Timestamp>().ok());
    midnight
        .map(|midnight| -(midnight.unix_secs() as i32))
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

/// The bits that follow the prefix.
#[derive(Clone, Copy, PartialEq, clap::ValueEnum)]
pub enum TailChoice {
    /// Random bits, labeled version 4. Not for MariaDB's type UUID, which moves the prefix to the end.
    Random,
    /// Random bits, labeled version 8, which MariaDB's type UUID stores as they are.
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

/// The reaction when the clock is behind.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_those_of_rfc_3339_and_postgresql() {
        let noon = moment("2026-11-21T12:00:00Z");
        for text in [
            "2026-11-21 12:00:00+00",
            "2026-11-21 14:00:00+02",
            "2026-11-21T06:30:00-05:30",
            "2026-11-21t12:00:00z",
        ] {
            assert_eq!(moment(text), noon, "{text}");
        }
        let leap = moment("2016-12-31T23:59:59.5Z");
        assert_eq!(moment("2016-12-31T23:59:60.5Z"), leap);
        assert_eq!(moment("2017-01-01 00:59:60.5+01"), leap);
        for text in [
            "",
            "now",
            "2026-11-21",
            "2026-11-21T12:60:00Z",
            "2026-11-21T12:00:00+25",
            "2026-11-21T12:00:00+2",
            "2026-11-21T12:00",
        ] {
            let error = moment(text).unwrap_err();
            assert!(error.contains(&format!("{text:?}")), "{error}");
        }
    }

    #[test]
    fn offsets_have_a_sign() {
        for (text, seconds) in [("+02:00", 7_200), ("-05:30", -19_800), ("+00:00", 0), ("-23:59", -86_340)] {
            assert_eq!(utc_offset(text), Ok(seconds), "{text}");
        }
        for text in ["", "Z", "2", "02:00", "+2:00", "+24:00", "+02:60", "+02:00Z", ".5+02:00"] {
            assert!(utc_offset(text).unwrap_err().contains("such as +02:00"), "{text}");
        }
    }

    #[test]
    fn days_exist() {
        assert_eq!(date("2026-11-21"), moment("2026-11-21T00:00:00Z"));
        for text in ["", "2026-02-30", "2026-11", "2026-11-21T00:00:00Z", "21.11.2026"] {
            assert!(date(text).unwrap_err().contains("such as 2026-11-21"), "{text}");
        }
    }
}
