//! Each kind on the command line: its options, the generator that they create, and the JSON of its ids.

use std::path::PathBuf;

use idgen::codec::Format;
use idgen::generator::{
    DeviceShort, FixedPrefix, Generate, MysqlShort, PrefixBits, Prefixed, Tail, Ulid, V1, V4, V6, V7,
};
use idgen::source::{
    Clock, ClockPolicy, Csprng, FileState, FixedClock, NoState, State, SystemClock, WhenBehind,
};
use idgen::{Inspection, Interval, Kind, Node, Prefix, PrefixKey, Setting, ShortId, Timestamp, Uuid};

use crate::failure::usage;
use crate::key_file;
use crate::record::Record;
use crate::values::{self, NodeChoice, PrefixChoice, TailChoice, WhenBehindChoice};

/// How long a sequential or keyed prefix stays the same, where no interval is given.
const DEFAULT_INTERVAL: Interval = Interval::Day;

#[derive(clap::Args)]
#[command(next_help_heading = "Options of the generator")]
pub struct Options {
    /// How long a prefix stays the same: minute, ten-minutes, hour, day, week, month, or a number with
    /// s, m, h or d, such as 90s [default: day, or week for md5-week].
    #[arg(long, value_name = "INTERVAL")]
    pub interval: Option<Interval>,

    /// The source of the prefix: md5-week, sequential, or keyed:KEYFILE. A key is the bytes of
    /// the file, at least 16, without the line end after them [default: sequential].
    #[arg(long, value_name = "PREFIX", value_parser = values::prefix)]
    pub prefix: Option<PrefixChoice>,

    /// What follows the prefix [default: ascending].
    #[arg(long, value_enum)]
    pub tail: Option<TailChoice>,

    /// This writer's name: with a keyed prefix, each writer has a permutation of its own, and an ascending tail keeps
    /// the rows of a writer together.
    #[arg(long, value_name = "NAME")]
    pub writer: Option<String>,

    /// The width of a sequential prefix in bits, 1 to 16: the count starts over after 2^BITS intervals [default: 16].
    #[arg(long, value_name = "BITS", value_parser = values::whole::<u8>(0..=255), allow_negative_numbers = true)]
    pub bits: Option<u8>,

    /// The prefix of fixed-prefix: 1 to 4 hexadecimal digits, or 0b and 1 to 16 binary digits [default: ffff, the
    /// right edge of an index].
    #[arg(long, value_name = "PREFIX")]
    pub fixed: Option<PrefixBits>,

    /// The time zone that determines the week of md5-week: that of the MySQL session [default: +00:00].
    #[arg(long, value_name = "+HH:MM", value_parser = values::utc_offset, allow_hyphen_values = true)]
    pub utc_offset: Option<i32>,

    /// Generate ids as if it were this moment, such as 2026-11-21T12:00:00Z. The clock stands still; kinds that
    /// ascend continue from there.
    #[arg(long, value_name = "RFC3339", value_parser = values::moment)]
    pub at: Option<Timestamp>,

    /// The node in the ids: random, mac (the address of the network card, which identifies the machine), or twelve
    /// hexadecimal digits; short takes the last four [default: random].
    #[arg(long, value_name = "random|mac|HEX", value_parser = values::node)]
    pub node: Option<NodeChoice>,

    /// Keep the state of the generator in this file, so that no later run repeats an id or generates a smaller one. Only
    /// one generator can use the file at a time.
    #[arg(long, value_name = "FILE")]
    pub state: Option<PathBuf>,

    /// The server's id, of which the low byte counts, as in MySQL [default: 1].
    #[arg(long, value_name = "ID", value_parser = values::whole::<u32>(0..=u64::from(u32::MAX)), allow_negative_numbers = true)]
    pub server_id: Option<u32>,

    /// What to do if the clock is more than ten seconds behind the last id [default: restart; error with --state or
    /// a fixed --node of short; with --at and without --state, later ids get later times].
    #[arg(long, value_enum, value_name = "WHAT")]
    pub when_behind: Option<WhenBehindChoice>,
}

impl Options {
    /// Refuses options that would have no effect, because their user expects one.
    pub fn check(&self, kind: Kind) -> anyhow::Result<()> {
        let with = |setting| Kind::ALL.iter().copied().filter(move |kind| kind.has(setting)).collect();
        let suits: [(&str, bool, Vec<Kind>); 12] = [
            ("--interval", self.interval.is_some(), vec![Kind::Prefixed]),
            ("--prefix", self.prefix.is_some(), vec![Kind::Prefixed]),
            ("--tail", self.tail.is_some(), vec![Kind::Prefixed]),
            ("--writer", self.writer.is_some(), vec![Kind::Prefixed]),
            ("--bits", self.bits.is_some(), vec![Kind::Prefixed]),
            ("--utc-offset", self.utc_offset.is_some(), vec![Kind::Week, Kind::Prefixed]),
            ("--fixed", self.fixed.is_some(), vec![Kind::FixedPrefix]),
            ("--server-id", self.server_id.is_some(), vec![Kind::MysqlShort]),
            ("--at", self.at.is_some(), with(Setting::Clock)),
            ("--node", self.node.is_some(), with(Setting::Node)),
            ("--state", self.state.is_some(), with(Setting::State)),
            ("--when-behind", self.when_behind.is_some(), with(Setting::Policy)),
        ];
        for (option, given, kinds) in suits {
            if given && !kinds.contains(&kind) {
                let names: Vec<_> = kinds.iter().map(|kind| kind.name()).collect();
                return Err(usage(format_args!(
                    "{option} does not apply to {kind}, only to {}",
                    names.join(", ")
                )));
            }
        }
        if self.when_behind == Some(WhenBehindChoice::Restart) {
            let is_fixed = !matches!(self.node, None | Some(NodeChoice::Random));
            let reason = if self.state.is_some() {
                "with --state, earlier times may belong to another run"
            } else if kind == Kind::Short && is_fixed {
                "short needs a random node for it"
            } else {
                return self.check_prefix(kind);
            };
            return Err(usage(format_args!("--when-behind restart: {reason}; choose error or wait")));
        }
        self.check_prefix(kind)
    }

    /// The tail of a prefixed id.
    pub fn tail(&self) -> Tail {
        self.tail.unwrap_or(TailChoice::Ascending).into()
    }

    /// The interval of a keyed prefix with an ascending tail.
    pub fn keyed_interval(&self) -> Option<Interval> {
        let is_keyed = matches!(self.prefix, Some(PrefixChoice::Keyed(_)));
        (is_keyed && self.tail() == Tail::Ascending).then(|| self.interval.unwrap_or(DEFAULT_INTERVAL))
    }

    fn check_prefix(&self, kind: Kind) -> anyhow::Result<()> {
        if kind != Kind::Prefixed {
            return Ok(());
        }
        let prefix = self.prefix.as_ref().unwrap_or(&PrefixChoice::Sequential);
        let is_random = matches!(self.tail, Some(TailChoice::Random | TailChoice::RandomV8));
        let wrong = [
            (
                "--writer",
                self.writer.is_some() && !matches!(prefix, PrefixChoice::Keyed(_)),
                "a keyed prefix",
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
            ("--state", self.state.is_some() && is_random, "an ascending tail"),
            ("--when-behind", self.when_behind.is_some() && is_random, "an ascending tail"),
        ];
        match wrong.into_iter().find(|(_, is_wrong, _)| *is_wrong) {
            Some((option, _, needed)) => Err(usage(format_args!("{option} needs {needed}"))),
            None => Ok(()),
        }
    }
}

/// A generator of one of the two widths.
pub enum Generator {
    Uuids(Box<dyn Generate<Id = Uuid>>),
    Shorts(Box<dyn Generate<Id = ShortId>>),
}

impl Generator {
    /// The generator of a kind, with options that were checked.
    pub fn new(kind: Kind, options: &Options) -> anyhow::Result<Self> {
        let (clock, entropy, policy) = (clock(options), Csprng::new()?, policy(options));
        let node = node(options)?;
        Ok(match kind {
            Kind::V1 => {
                let mut ids = V1::new(clock, entropy).with_policy(policy).with_state(state(options)?)?;
                if let Some(node) = node {
                    ids = ids.with_node(node);
                }
                Generator::Uuids(Box::new(ids))
            }
            Kind::V4 => Generator::Uuids(Box::new(V4::new(entropy))),
            Kind::V6 => {
                let mut ids = V6::new(clock, entropy).with_policy(policy).with_state(state(options)?)?;
                if let Some(node) = node {
                    ids = ids.with_node(node);
                }
                Generator::Uuids(Box::new(ids))
            }
            Kind::V7 => {
                let ids = V7::new(clock, entropy).with_policy(policy);
                Generator::Uuids(Box::new(ids.with_state(state(options)?)?))
            }
            Kind::Ulid => {
                let ids = Ulid::new(clock, entropy).with_policy(policy);
                Generator::Uuids(Box::new(ids.with_state(state(options)?)?))
            }
            Kind::Week | Kind::Prefixed => {
                let (prefix, interval, tail) = parts(kind, options)?;
                let ids = Prefixed::new(clock, entropy, prefix, interval, tail).map_err(usage)?;
                Generator::Uuids(Box::new(ids.with_policy(policy).with_state(state(options)?)?))
            }
            Kind::FixedPrefix => {
                let prefix = options.fixed.unwrap_or(PrefixBits::ONES);
                let ids = FixedPrefix::new(clock, entropy, prefix).with_policy(policy);
                Generator::Uuids(Box::new(ids.with_state(state(options)?)?))
            }
            Kind::Short => {
                let mut ids = DeviceShort::new(clock, entropy)?.with_policy(policy);
                if let Some(node) = node {
                    ids = ids.with_node(node);
                }
                Generator::Shorts(Box::new(ids.with_state(state(options)?)?))
            }
            Kind::MysqlShort => {
                // As the server does: `server_id & 255`.
                let ids = MysqlShort::new(clock, options.server_id.unwrap_or(1) as u8)?;
                Generator::Shorts(Box::new(ids.with_state(state(options)?)?))
            }
        })
    }
}

/// What an id that was just made as this kind says: without what its bits would say of another.
///
/// Always with the format, also where the kind implies it: 32 digits may be simple, or the bytes
/// of one of the two binary formats.
pub fn record<'a>(id: &'a str, format: Format, seen: &Inspection, kind: Kind, tail: Tail) -> Record<'a> {
    let format = Some(format.name());
    let record = Record { kind: kind.name(), format, uuid: None, variant: None, ..Record::seen(id, seen) };
    match kind {
        Kind::V4 => Record { prefix: None, ..record },
        Kind::Prefixed if tail != Tail::Ascending => {
            Record { tail_time: None, counter: None, round: None, offset_ms: None, ..record }
        }
        // Here it is known that the prefix is not keyed, where there is such a time.
        Kind::Prefixed | Kind::FixedPrefix => {
            Record { time: record.tail_time.clone(), tail_time: None, ..record }
        }
        Kind::Short => Record { mysql: None, ..record },
        Kind::MysqlShort => Record { device: None, ..record },
        Kind::V1 | Kind::V6 | Kind::V7 | Kind::Ulid | Kind::Week => record,
    }
}

fn clock(options: &Options) -> Box<dyn Clock> {
    match options.at {
        Some(moment) => Box::new(FixedClock::new(moment)),
        None => Box::new(SystemClock),
    }
}

fn policy(options: &Options) -> ClockPolicy {
    let policy = ClockPolicy::DEFAULT;
    match (options.when_behind, options.at, &options.state) {
        (Some(choice), _, _) => policy.with_when_behind(choice.into()),
        // The clock of --at moves when a generator waits for it, so a long run continues without a wait.
        (None, Some(_), None) => policy.with_when_behind(WhenBehind::Wait),
        // A full second of short ids is an error, too: --at asked for this moment, not for a later one.
        (None, Some(_), Some(_)) => policy.with_when_behind(WhenBehind::Error),
        (None, None, _) => policy,
    }
}

fn node(options: &Options) -> anyhow::Result<Option<Node>> {
    Ok(match options.node {
        None | Some(NodeChoice::Random) => None,
        Some(NodeChoice::Mac) => Some(Node::mac()?),
        Some(NodeChoice::Given(node)) => Some(node),
    })
}

fn state(options: &Options) -> anyhow::Result<Box<dyn State>> {
    Ok(match &options.state {
        Some(path) => Box::new(FileState::open(path)?),
        None => Box::new(NoState),
    })
}

fn parts(kind: Kind, options: &Options) -> anyhow::Result<(Prefix, Interval, Tail)> {
    let choice = match kind {
        Kind::Week => &PrefixChoice::Md5Week,
        _ => options.prefix.as_ref().unwrap_or(&PrefixChoice::Sequential),
    };
    let (prefix, interval) = match choice {
        PrefixChoice::Md5Week => {
            (Prefix::Md5Week { utc_offset_secs: options.utc_offset.unwrap_or(0) }, Interval::Week)
        }
        PrefixChoice::Sequential => {
            (Prefix::Sequential { bits: options.bits.unwrap_or(16) }, DEFAULT_INTERVAL)
        }
        PrefixChoice::Keyed(path) => {
            let mut key = key_file::read(path, PrefixKey::new)?;
            if let Some(name) = &options.writer {
                key = key.for_writer(name);
            }
            (Prefix::Keyed(key), DEFAULT_INTERVAL)
        }
    };
    let tail = match kind {
        Kind::Week => Tail::RandomV4,
        _ => options.tail(),
    };
    Ok((prefix, options.interval.unwrap_or(interval), tail))
}
