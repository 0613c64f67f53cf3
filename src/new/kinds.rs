//! What the command line knows of each kind: how options make its generator, and what the JSON of its ids says.

use idgen::codec::Format;
use idgen::generator::{
    DeviceShort, FixedPrefix, Generate, MysqlShort, PrefixBits, Prefixed, Tail, Ulid, V1, V4, V6, V7,
};
use idgen::source::{
    Clock, ClockPolicy, Csprng, FileState, FixedClock, NoState, State, SystemClock, WhenBehind,
};
use idgen::{Inspection, Interval, Kind, Node, Prefix, PrefixKey, ShortId, Uuid};

use super::options::{DEFAULT_INTERVAL, Options};
use crate::failure::usage;
use crate::key_file;
use crate::record::Record;
use crate::values::{NodeChoice, PrefixChoice};

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
