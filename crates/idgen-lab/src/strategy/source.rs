//! The generators of a run, and how a column stores their ids.

use std::sync::Arc;
use std::time::Duration;

use idgen::codec::{base32, base64, hyphenated, swapped};
use idgen::generator::{
    DeviceShort, FixedPrefix, Generate, PrefixBits, Prefixed, Tail, Ulid, V1, V4, V6, V7,
};
use idgen::source::{Entropy, FixedClock, FixedEntropy};
use idgen::{Interval, Node, Prefix, PrefixKey, ShortId, Uuid, Writer};

use super::{Column, IdKind, native};
use crate::key::Key;
use crate::{Error, Result};
use idgen_record::Workload;

/// The generator of one writer.
pub(super) enum Source {
    Database,
    Uuids(Box<dyn Generate<Id = Uuid> + Send>),
    Devices { devices: Vec<DeviceShort<Arc<FixedClock>>>, turn: Box<FixedEntropy> },
}

impl Source {
    /// The generator of this kind for one of the writers of this load.
    pub(super) fn of(
        kind: IdKind,
        clock: &Arc<FixedClock>,
        workload: &Workload,
        writer: u32,
    ) -> Result<Self> {
        let clock = || Arc::clone(clock);
        let seed = workload.seed ^ u64::from(writer) << 17;
        let entropy = || FixedEntropy::new(seed);
        let interval = match workload.interval_secs {
            Some(secs) => Interval::every(Duration::from_secs(secs.into()))?,
            None => Interval::Minute,
        };
        let minute = |tail| -> Result<_> {
            let prefix = Prefix::Keyed(prefix_key(workload, writer)?);
            Ok(Prefixed::new(clock(), entropy(), prefix, interval, tail)?)
        };
        Ok(match kind {
            IdKind::AutoIncrement
            | IdKind::UuidShort
            | IdKind::ServerV1
            | IdKind::ServerV4
            | IdKind::ServerV7 => Source::Database,
            IdKind::V1 => Source::uuids(V1::new(clock(), entropy())),
            IdKind::V4 => Source::uuids(V4::new(entropy())),
            IdKind::V6 => Source::uuids(V6::new(clock(), entropy())),
            IdKind::V7 => Source::uuids(V7::new(clock(), entropy())),
            IdKind::Ulid => Source::uuids(Ulid::new(clock(), entropy())),
            IdKind::FixedPrefix => Source::uuids(FixedPrefix::new(clock(), entropy(), PrefixBits::ONES)),
            IdKind::Week => Source::uuids(Prefixed::new(
                clock(),
                entropy(),
                Prefix::MD5_WEEK_UTC,
                Interval::Week,
                Tail::RandomV4,
            )?),
            IdKind::MinuteRandom => Source::uuids(minute(Tail::RandomV4)?),
            IdKind::MinuteAscending => Source::uuids(minute(Tail::Ascending)?),
            IdKind::MinuteSequence => Source::uuids(Prefixed::new(
                clock(),
                entropy(),
                Prefix::Sequential { bits: 16 },
                interval,
                Tail::Ascending,
            )?),
            IdKind::MinuteWriters => {
                let prefix = Prefix::SequentialOf(Writer::new(&format!("writer {writer}")));
                Source::uuids(Prefixed::new(clock(), entropy(), prefix, interval, Tail::Ascending)?)
            }
            IdKind::Device => {
                let devices = (writer..workload.devices.max(workload.writers))
                    .step_by(workload.writers as usize)
                    .map(|number| {
                        // Odd, so that the first 65,536 devices have different nodes in scattered order.
                        const SCATTER: u32 = 0x9E37;
                        let low = (number.wrapping_mul(SCATTER) as u16).to_be_bytes();
                        let node = Node::new([0x02, 0, 0, 0, low[0], low[1]]);
                        let first_counter = FixedEntropy::new(workload.seed ^ u64::from(number) << 32);
                        Ok(DeviceShort::new(clock(), first_counter)?.with_node(node))
                    })
                    .collect::<Result<Vec<_>>>()?;
                Source::Devices { devices, turn: Box::new(entropy()) }
            }
        })
    }

    /// The next key, in the form in which the column stores it.
    pub(super) fn next_key(&mut self, column: Column) -> Result<Key> {
        match self {
            Source::Database => Ok(Key::Assigned),
            Source::Uuids(generator) => store(&generator.next_id()?, column),
            Source::Devices { devices, turn } => {
                let turn = turn.next_u64()? % devices.len() as u64;
                let id: ShortId = devices[turn as usize].next_id()?;
                Ok(Key::Uint(id.get()))
            }
        }
    }

    fn uuids(generator: impl Generate<Id = Uuid> + Send + 'static) -> Self {
        Source::Uuids(Box::new(generator))
    }
}

/// The prefix key of a writer. Any key will do, because it only determines which prefixes come.
pub(crate) fn prefix_key(workload: &Workload, writer: u32) -> Result<PrefixKey> {
    let key = PrefixKey::new(b"the lab keeps no secrets")?;
    Ok(match workload.writers {
        1 => key,
        _ => key.for_writer(&format!("writer {writer}")),
    })
}

/// The UUID in the form in which the column stores it.
fn store(uuid: &Uuid, column: Column) -> Result<Key> {
    let key = match column {
        _ if column.is_mapped() => Some(Key::Binary(*uuid.as_bytes())),
        Column::Binary16 | Column::Bytea | Column::TwoIntegers | Column::Unkeyed16 => {
            Some(Key::Binary(*uuid.as_bytes()))
        }
        Column::Swapped16 => Some(Key::Binary(swapped::to_bytes(uuid))),
        Column::Uuid => Some(Key::Binary(native::to_stored(*uuid.as_bytes()))),
        Column::Text36 | Column::VarText36 | Column::VarBinary36 => {
            Key::text(hyphenated::encode(uuid, &mut [0; hyphenated::LEN]))
        }
        Column::Base64 => Key::text(base64::encode(uuid, &mut [0; base64::LEN])),
        Column::Base32 => Key::text(base32::encode(uuid, &mut [0; base32::LEN])),
        _ => None,
    };
    key.ok_or_else(|| Error::config(format!("a UUID does not fit a column {column:?}")))
}
