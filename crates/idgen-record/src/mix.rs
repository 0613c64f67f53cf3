//! A load of several kinds of operations, and the figures of its operations.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::known;

/// The kinds of operations: each concerns one row, by its primary key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// Inserts a new row.
    Insert,
    /// Reads one of the last rows inserted.
    ReadRecent,
    /// Reads any row of the table.
    ReadRandom,
    /// Changes the payload of any row.
    Update,
    /// Deletes any row.
    Delete,
}

impl Operation {
    /// All, in the order of their shares.
    pub const ALL: [Operation; 5] = [
        Operation::Insert,
        Operation::ReadRecent,
        Operation::ReadRandom,
        Operation::Update,
        Operation::Delete,
    ];

    /// The name in the record.
    pub fn id(self) -> &'static str {
        self.words().0
    }

    /// Several of them, in a few words.
    pub fn plural(self) -> &'static str {
        self.words().1
    }

    /// The title in reports, of a few words.
    pub fn title(self) -> &'static str {
        self.words().2
    }

    /// The name in the record, several of them, and the title.
    fn words(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Operation::Insert => ("insert", "inserts", "insert"),
            Operation::ReadRecent => ("read-recent", "reads of recent rows", "read of a recent row"),
            Operation::ReadRandom => ("read-random", "reads of random rows", "read of a random row"),
            Operation::Update => ("update", "updates", "update"),
            Operation::Delete => ("delete", "deletes", "delete"),
        }
    }
}

/// The shares of the kinds of operations, in percent. Rows to read, change and delete are chosen uniformly:
/// recent ones among the last [`Mix::RECENT_ROWS`] inserted, the others among all rows of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Mix {
    /// Inserts.
    pub insert: u32,
    /// Reads of recent rows.
    pub read_recent: u32,
    /// Reads of random rows.
    pub read_random: u32,
    /// Updates.
    pub update: u32,
    /// Deletes.
    pub delete: u32,
}

impl Mix {
    /// The rows that count as recent.
    pub const RECENT_ROWS: u64 = 1_000;
    /// Operations in which each kind has exactly its share.
    pub const ROUND: u32 = 100;

    /// The shares in the order of [`Operation::ALL`].
    pub fn shares(self) -> [(Operation, u32); 5] {
        let shares = [self.insert, self.read_recent, self.read_random, self.update, self.delete];
        std::array::from_fn(|place| (Operation::ALL[place], shares[place]))
    }

    /// Makes a mix from shares in the order of [`Operation::ALL`].
    ///
    /// # Errors
    /// The shares do not add up to 100, or that of inserts is 0.
    ///
    /// ```
    /// use idgen_record::Mix;
    ///
    /// assert_eq!(Mix::of([40, 25, 15, 15, 5])?.update, 15);
    /// assert!(Mix::of([40, 25, 15, 15, 6]).unwrap_err().to_string().contains("101"));
    /// # Ok::<(), idgen_record::Error>(())
    /// ```
    pub fn of(shares: [u32; 5]) -> Result<Self> {
        let [insert, read_recent, read_random, update, delete] = shares;
        let mix = Mix { insert, read_recent, read_random, update, delete };
        mix.check()?;
        Ok(mix)
    }

    /// Refuses shares that make no load.
    ///
    /// # Errors
    /// The errors of [`Mix::of`].
    pub fn check(self) -> Result<()> {
        let sum: u64 = self.shares().iter().map(|(_, share)| u64::from(*share)).sum();
        if self.insert == 0 {
            return Err(Error::refused(format!(
                "the shares {self} have no inserts: the first share, that of inserts, is at least 1, as in 40/25/15/15/5"
            )));
        }
        if sum != u64::from(Self::ROUND) {
            return Err(Error::refused(format!(
                "the shares {self} add up to {sum}: give five that add up to 100, of inserts, reads of recent rows, reads \
                 of random rows, updates and deletes, such as 40/25/15/15/5"
            )));
        }
        Ok(())
    }

    /// Rounds of 100 operations of each of these clients, in which all clients together insert at least this many rows.
    pub fn rounds(self, rows: u64, clients: u32) -> u64 {
        let in_round = u64::from(self.insert.max(1)) * u64::from(clients.max(1));
        rows.div_ceil(in_round)
    }

    /// The rounds at the beginning of this many that are not measured, so that the cache holds what such
    /// operations leave in it: a tenth, rounded down.
    pub fn warm_up(rounds: u64) -> u64 {
        rounds / 10
    }
}

impl std::fmt::Display for Mix {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Mix { insert, read_recent, read_random, update, delete } = self;
        write!(f, "{insert}/{read_recent}/{read_random}/{update}/{delete}")
    }
}

/// The figures of the operations of a run, without those that warmed up the cache.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operations {
    /// Operations of all kinds.
    pub count: u64,
    /// Seconds that the database took for them.
    pub secs: f64,
    /// Pages read into the cache per 1,000 operations.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 operations, until none was left that had been changed, where that was waited for.
    /// Not a number where unknown.
    #[serde(with = "known")]
    pub writes_per_1k: f64,
    /// Pages read from the tables' own files per 1,000 operations: a part of `reads_per_1k`. `None` where the
    /// database does not provide it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table_reads_per_1k: Option<f64>,
    /// Page requests answered by the cache, from 0 to 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hit_rate: Option<f64>,
    /// Statements that were sent again because the database had refused them with a deadlock or a lock timeout. `None` in
    /// records of one client that has none of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeated: Option<u64>,
    /// Each kind of which there were any.
    pub kinds: BTreeMap<Operation, OperationLatency>,
}

/// The duration of the operations of one kind, in microseconds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct OperationLatency {
    /// The number of operations.
    pub count: u64,
    /// Half took no longer.
    pub p50_micros: f64,
    /// 99 of 100 took no longer.
    pub p99_micros: f64,
    /// 999 of 1,000 took no longer.
    pub p999_micros: f64,
    /// The longest.
    pub max_micros: f64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_of_a_hundred_and_insert_something() {
        for shares in [[0, 50, 25, 25, 0], [40, 25, 15, 15, 4], [u32::MAX, 1, 0, 0, 0]] {
            assert!(Mix::of(shares).unwrap_err().to_string().contains("40/25/15/15/5"), "{shares:?}");
        }
        let none = Mix::of([0, 100, 0, 0, 0]).unwrap_err().to_string();
        assert!(none.contains("no inserts") && !none.contains("add up"), "{none}");
        let mix = Mix::of([40, 25, 15, 15, 5]).unwrap();
        assert_eq!(
            (mix.to_string().as_str(), mix.rounds(1_000, 1), mix.rounds(1_001, 1)),
            ("40/25/15/15/5", 25, 26)
        );
        assert_eq!((mix.rounds(40_000, 8), mix.rounds(40_001, 8)), (125, 126));
        assert_eq!((Mix::warm_up(1_000), Mix::warm_up(125)), (100, 12));
        assert_eq!(mix.shares()[4], (Operation::Delete, 5));
    }
}
