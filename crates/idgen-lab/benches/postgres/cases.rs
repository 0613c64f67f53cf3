//! The keys to compare, and the columns that hold them.

use btree_model::{Nbtree, Shape};
use idgen::generator::{FixedPrefix, Generate, PrefixBits};
use idgen::source::{FixedClock, FixedEntropy};
use idgen_lab::Key;
use idgen_lab::strategy::{Ids, find};
use idgen_record::Workload;

use crate::{CHECKPOINTS, Failure, MINUTES};

/// How the table holds a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Columns {
    Bigint,
    Uuid,
    /// The first 64 bits and the last 64 bits.
    TwoBigints,
    Text,
}

/// A key, and how it is stored.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    pub name: &'static str,
    /// A strategy of the lab; `None` for kinds for which the lab has no strategy.
    ids: Source,
    pub columns: Columns,
    /// The number of writers, which take turns; each has a generator of its own.
    writers: u32,
}

#[derive(Clone, Copy, Debug)]
enum Source {
    Counted,
    FixedPrefix,
    Strategy(&'static str),
}

const fn case(name: &'static str, strategy: &'static str, columns: Columns) -> Case {
    Case { name, ids: Source::Strategy(strategy), columns, writers: 1 }
}

impl Case {
    pub fn all() -> impl Iterator<Item = Case> {
        use Columns::{Bigint, Text, TwoBigints, Uuid};
        [
            Case { name: "counted bigint", ids: Source::Counted, columns: Bigint, writers: 1 },
            case("64-bit device ids, 5,000 devices", "device", Bigint),
            case("v7", "v7-binary", Uuid),
            case("v4", "v4-binary", Uuid),
            case("v4, text of 36", "v4-text36", Text),
            case("v4, base64 of 22", "v4-base64", Text),
            case("v1", "v1-binary", Uuid),
            case("week prefix, random tail", "week-binary", Uuid),
            case("keyed minute prefix, random tail", "minute-random", Uuid),
            case("keyed minute prefix, ascending tail", "minute-ascending", Uuid),
            Case { writers: 8, ..case("the same, 8 writers with names", "minute-ascending", Uuid) },
            case("keyed minute prefix, ascending tail, two bigints", "minute-ascending", TwoBigints),
            Case { writers: 8, ..case("the same, 8 writers with names", "minute-ascending", TwoBigints) },
        ]
        .into_iter()
    }

    /// What may follow in a table that holds version 4. The first case stays with version 4.
    pub fn after_random() -> impl Iterator<Item = Case> {
        use Columns::Uuid;
        [
            case("v4", "v4-binary", Uuid),
            case("v7", "v7-binary", Uuid),
            case("week prefix, random tail", "week-binary", Uuid),
            case("keyed minute prefix, random tail", "minute-random", Uuid),
            case("keyed minute prefix, ascending tail", "minute-ascending", Uuid),
            Case { name: "fixed prefix ffff", ids: Source::FixedPrefix, columns: Uuid, writers: 1 },
        ]
        .into_iter()
    }

    /// The rows of a table, and the rows that are inserted while the log is measured.
    pub fn keys(self, rows: u64, seed: u64) -> Result<Vec<Key>, Failure> {
        let minutes = MINUTES + CHECKPOINTS.iter().sum::<u64>();
        let all = rows / MINUTES * minutes;
        let load = Workload {
            seed,
            intervals: u32::try_from(minutes)?,
            writers: self.writers,
            ..Workload::of_rows(all)?
        };
        match self.ids {
            Source::Counted => Ok((1..=all).map(Key::Uint).collect()),
            Source::FixedPrefix => {
                let start = idgen::Timestamp::from_unix_secs(load.start_unix_secs);
                let clock = std::sync::Arc::new(FixedClock::new(start));
                let prefix = PrefixBits::new(0xffff, 16)?;
                let mut ids = FixedPrefix::new(clock.clone(), FixedEntropy::new(seed), prefix);
                (0..all)
                    .map(|row| {
                        let seconds = (60 * minutes * row / all) as i64;
                        clock.set(idgen::Timestamp::from_unix_secs(load.start_unix_secs + seconds));
                        Ok(Key::Binary(*ids.next_id()?.as_bytes()))
                    })
                    .collect()
            }
            Source::Strategy(name) => {
                let strategy = find(name)?;
                let mut writers = (0..self.writers)
                    .map(|writer| Ids::of_writer(strategy, &load, writer))
                    .collect::<Result<Vec<_>, _>>()?;
                let count = writers.len() as u64;
                (0..all).map(|row| Ok(writers[(row % count) as usize].next_key()?)).collect()
            }
        }
    }

    /// The split rule and the shape for the model.
    pub fn model(self, key: &Key) -> Result<(Nbtree, Shape), Failure> {
        let bytes = match (self.columns, key) {
            (Columns::Bigint, _) => 8,
            // One more byte for the length.
            (_, Key::Text(text)) => 1 + text.len() as u32,
            _ => 16,
        };
        let first_column = (self.columns == Columns::TwoBigints).then_some(8);
        Ok((Nbtree { first_column, ..Nbtree::default() }, Shape::nbtree(bytes)?))
    }
}

/// A key in the form in which the index compares it.
pub fn bytes(key: &Key) -> Vec<u8> {
    match key {
        Key::Binary(bytes) => bytes.to_vec(),
        Key::Text(text) => text.as_bytes().to_vec(),
        Key::Uint(number) => number.to_be_bytes().to_vec(),
        Key::Assigned => Vec::new(),
    }
}
