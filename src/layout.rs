//! The options that describe the bits of a kind of id.

use idgen::generator::{LayoutSettings, PrefixBits, Tail};
use idgen::{Inspection, Interval, Kind, Prefix, PrefixKey, Writer};

use crate::failure::usage;
use crate::key_file;
use crate::number;
use crate::values::{self, PrefixChoice, TailChoice};

/// The interval of a sequential or keyed prefix, where none is given.
const DEFAULT_INTERVAL: Interval = Interval::Day;

/// The server's id of mysql-short, where none is given.
const DEFAULT_SERVER_ID: u8 = 1;

#[derive(clap::Args)]
#[command(next_help_heading = "Options of the kind")]
pub struct Layout {
    /// How long a prefix stays the same: minute, ten-minutes, hour, day, week, month, or a number with
    /// s, m, h or d, such as 90s [default: day, or week for md5-week].
    #[arg(long, value_name = "INTERVAL")]
    interval: Option<Interval>,

    /// The source of the prefix: md5-week, sequential, or keyed:KEYFILE. A key is the bytes of the file, at least 16,
    /// without the line end after them; hexadecimal digits and base64 are not decoded [default: sequential].
    #[arg(long, value_name = "PREFIX", value_parser = values::prefix)]
    prefix: Option<PrefixChoice>,

    /// What follows the prefix [default: ascending].
    #[arg(long, value_enum)]
    tail: Option<TailChoice>,

    /// This writer's name. An ascending tail then keeps the rows of each writer together: with a sequential prefix those of
    /// one interval. With a keyed prefix, each writer also has a permutation of its own.
    #[arg(long, value_name = "NAME")]
    writer: Option<String>,

    /// The width of a sequential prefix in bits, 1 to 16: the count starts over after 2^BITS intervals [default: 16].
    #[arg(long, value_name = "BITS", value_parser = number::whole::<u8>(0..=255), allow_negative_numbers = true)]
    bits: Option<u8>,

    /// The prefix of fixed-prefix: 1 to 8 hexadecimal digits, or 0b and 1 to 32 binary digits [default: ffffffff, the
    /// right edge of an index. With ffff, as in earlier versions, one random key of 65,536 has the prefix, too].
    #[arg(long, value_name = "PREFIX")]
    fixed: Option<PrefixBits>,

    /// The time zone whose week md5-week takes. Give that of the sessions that compute the prefix from NOW(); the function
    /// idgen_week_uuid() of `idgen sql` takes UTC in every session [default: +00:00].
    #[arg(long, value_name = "+HH:MM", value_parser = values::utc_offset, allow_hyphen_values = true)]
    utc_offset: Option<i32>,

    /// The server's id, 0 to 255. The ids of servers from 128 on exceed a signed 64-bit integer: their column must be
    /// BIGINT UNSIGNED [default: 1].
    #[arg(long, value_name = "ID", value_parser = values::server_id, allow_negative_numbers = true)]
    server_id: Option<u8>,
}

impl Layout {
    /// Each option, whether it was given, and the kinds that have it.
    pub fn given(&self) -> [(&'static str, bool, Vec<Kind>); 8] {
        let with = |setting| -> Vec<Kind> {
            Kind::ALL.iter().copied().filter(|kind| kind.facts().layout.contains(&setting)).collect()
        };
        [
            ("--interval", self.interval.is_some(), with("interval")),
            ("--prefix", self.prefix.is_some(), vec![Kind::Prefixed]),
            ("--tail", self.tail.is_some(), with("tail")),
            ("--writer", self.writer.is_some(), with("writer")),
            ("--bits", self.bits.is_some(), with("bits")),
            ("--utc-offset", self.utc_offset.is_some(), with("utc_offset_secs")),
            ("--fixed", self.fixed.is_some(), vec![Kind::FixedPrefix]),
            ("--server-id", self.server_id.is_some(), with("server_id")),
        ]
    }

    /// Refuses options that the chosen prefix does not have. `ascending` are further options, which only an ascending tail
    /// has.
    pub fn check(&self, kind: Kind, ascending: [(&'static str, bool); 2]) -> anyhow::Result<()> {
        if kind != Kind::Prefixed {
            return Ok(());
        }
        let prefix = self.prefix.as_ref().unwrap_or(&PrefixChoice::Sequential);
        let is_random = self.tail() != Tail::Ascending;
        let [state, when_behind] =
            ascending.map(|(option, given)| (option, given && is_random, "an ascending tail"));
        let wrong = [
            (
                "--writer",
                self.writer.is_some() && matches!(prefix, PrefixChoice::Md5Week),
                "a sequential or keyed prefix",
            ),
            (
                "--writer",
                self.writer.is_some() && matches!(prefix, PrefixChoice::Sequential) && is_random,
                "an ascending tail, or a keyed prefix",
            ),
            (
                "--bits",
                self.bits.is_some_and(|bits| bits != 16) && self.writer.is_some(),
                "a prefix without --writer, whose rounds have 16 bits",
            ),
            (
                "--bits",
                self.bits.is_some() && !matches!(prefix, PrefixChoice::Sequential),
                "a sequential prefix",
            ),
            (
                "--utc-offset",
                self.utc_offset.is_some() && !matches!(prefix, PrefixChoice::Md5Week),
                "an md5-week prefix",
            ),
            state,
            when_behind,
        ];
        match wrong.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
            Some((option, _, needed)) => Err(usage(format_args!("{option} needs {needed}"))),
            None => Ok(()),
        }
    }

    /// The tail of a prefixed id.
    pub fn tail(&self) -> Tail {
        self.tail.unwrap_or(TailChoice::Ascending).into()
    }

    /// The inspection of an id that these options made.
    pub fn seen(&self, seen: Inspection) -> idgen::Result<Inspection> {
        if self.tail() != Tail::Ascending {
            return Ok(seen);
        }
        let (interval, has_writer) = (self.interval.unwrap_or(DEFAULT_INTERVAL), self.writer.is_some());
        match self.prefix {
            Some(PrefixChoice::Keyed(_)) if has_writer => seen.keyed_named(interval),
            Some(PrefixChoice::Keyed(_)) => seen.keyed(interval),
            _ if has_writer => seen.sequential_named(interval),
            _ => Ok(seen),
        }
    }
}

impl LayoutSettings for Layout {
    type Error = anyhow::Error;

    fn prefixed(&self, kind: Kind) -> anyhow::Result<(Prefix, Interval, Tail)> {
        let choice = match kind {
            Kind::Week => &PrefixChoice::Md5Week,
            _ => self.prefix.as_ref().unwrap_or(&PrefixChoice::Sequential),
        };
        let (prefix, interval) = match choice {
            PrefixChoice::Md5Week => {
                (Prefix::Md5Week { utc_offset_secs: self.utc_offset.unwrap_or(0) }, Interval::Week)
            }
            PrefixChoice::Sequential => {
                let prefix = match &self.writer {
                    Some(name) => Prefix::SequentialOf(Writer::new(name)),
                    None => Prefix::Sequential { bits: self.bits.unwrap_or(16) },
                };
                (prefix, DEFAULT_INTERVAL)
            }
            PrefixChoice::Keyed(path) => {
                let mut key = key_file::read(path, PrefixKey::from_file)?;
                if let Some(name) = &self.writer {
                    key = key.for_writer(name);
                }
                (Prefix::Keyed(key), DEFAULT_INTERVAL)
            }
        };
        let tail = match kind {
            Kind::Week => Tail::RandomV4,
            _ => self.tail(),
        };
        Ok((prefix, self.interval.unwrap_or(interval), tail))
    }

    fn fixed_prefix(&self) -> anyhow::Result<PrefixBits> {
        Ok(self.fixed.unwrap_or(PrefixBits::ONES))
    }

    fn server_id(&self) -> anyhow::Result<u8> {
        Ok(self.server_id.unwrap_or(DEFAULT_SERVER_ID))
    }

    fn refused(&self, error: idgen::Error) -> anyhow::Error {
        usage(error)
    }
}

/// Refuses options that would have no effect, because their user expects one.
pub fn check_kind(
    kind: Kind,
    options: impl IntoIterator<Item = (&'static str, bool, Vec<Kind>)>,
) -> anyhow::Result<()> {
    for (option, given, kinds) in options {
        if given && !kinds.contains(&kind) {
            let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
            return Err(usage(format_args!(
                "{option} does not apply to {kind}, only to {}",
                names.join(", ")
            )));
        }
    }
    Ok(())
}
