//! The databases that keep tables in ranges, and what their manuals say about keys.

use range_model::{Balancer, Spread};
use serde::{Serialize, Serializer};

use crate::{Error, Result};

/// A database that keeps a table in ranges, with its default settings.
#[derive(Debug, PartialEq)]
pub struct Engine {
    /// The name on the command line.
    pub id: &'static str,
    /// The name for people.
    pub name: &'static str,
    /// The versions, and the behavior of ranges, that the model follows.
    pub about: &'static str,
    /// A range of more bytes is split.
    pub range_bytes: u64,
    /// True if ranges are split by their size.
    pub splits_by_size: bool,
    /// Inserts per second from which on a range is split by its load.
    pub split_rate: Option<f64>,
    /// True if a new table has a range on each node.
    pub starts_on_all_nodes: bool,
    /// The quantity that the balancer equalizes.
    pub balancer: Balancer,
    /// The change of keys by a table unless it is created with another one.
    pub spread: Spread,
    /// Bytes that it stores with each row besides the key and the other columns.
    pub overhead_bytes: u32,
    /// The version, and the machines, whose recordings the model was compared with.
    pub measured: Option<&'static str>,
    /// The rules of its manual about keys.
    pub rules: &'static [Rule],
}

/// A rule of a manual, in our words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// The rule, in a sentence.
    pub says: &'static str,
    /// The page of the manual.
    pub source: &'static str,
}

impl Engine {
    /// The engine with this name.
    ///
    /// # Errors
    /// There is none.
    pub fn find(id: &str) -> Result<&'static Engine> {
        ENGINES.iter().find(|one| one.id == id).ok_or_else(|| {
            let known: Vec<&str> = ENGINES.iter().map(|one| one.id).collect();
            Error::config(format!("{id:?} is no engine with ranges: choose one of {}", known.join(", ")))
        })
    }
}

/// Reads what a table does to its keys: `none`, `bit-reversed`, or `hash:16` for a hash in 16 parts.
///
/// # Errors
/// The text is none of these.
pub fn read_spread(text: &str) -> Result<Spread> {
    let parts = text.strip_prefix("hash:").and_then(|parts| parts.parse().ok());
    match (text, parts) {
        ("none", _) => Ok(Spread::None),
        ("bit-reversed", _) => Ok(Spread::BitReversed),
        (_, Some(parts)) if (1..=Spread::MOST_PARTS).contains(&parts) => Ok(Spread::Hashed(parts)),
        _ => Err(Error::config(format!(
            "{text:?} is not what a table does to its keys: give none, bit-reversed, or hash:N with 1 to {} parts",
            Spread::MOST_PARTS
        ))),
    }
}

impl Serialize for Engine {
    fn serialize<S: Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        self.id.serialize(serializer)
    }
}

const GIB: u64 = 1 << 30;
const MIB: u64 = 1 << 20;

/// Splits by size, and balances the number of ranges.
const SORTED: Engine = Engine {
    id: "",
    name: "",
    about: "",
    range_bytes: 10 * GIB,
    splits_by_size: true,
    split_rate: None,
    starts_on_all_nodes: false,
    balancer: Balancer::Count,
    spread: Spread::None,
    overhead_bytes: 26,
    measured: None,
    rules: &[],
};

/// The engines that the model knows, those that were measured first.
pub static ENGINES: [Engine; 7] = [
    Engine {
        id: "hbase",
        name: "HBase",
        about: "HBase 2.6: regions of 10 GiB, balanced by their number",
        measured: Some("HBase 2.6.3 with three servers in one process"),
        rules: &[
            Rule {
                says: "Row keys that ascend, such as times, send all writes to one region: put a salt or a hash before them, or \
                       reverse them.",
                source: "https://hbase.apache.org/book.html#rowkey.design",
            },
            Rule {
                says: "A region is split when its files exceed hbase.hregion.max.filesize, 10 GB.",
                source: "https://hbase.apache.org/book.html#hbase_default_configurations",
            },
        ],
        ..SORTED
    },
    Engine {
        id: "tidb",
        name: "TiDB",
        about: "TiDB 8.4 and later, clustered primary key: regions of 256 MiB, balanced by their load",
        range_bytes: 256 * MIB,
        balancer: Balancer::Load,
        rules: &[
            Rule {
                says: "Store UUIDs in BINARY(16) with a clustered primary key, and do not swap their time to the front, which would make \
                       a hot spot.",
                source: "https://docs.pingcap.com/best-practices/uuid",
            },
            Rule {
                says: "Regions of 256 MiB since version 8.4, and of 96 MiB before.",
                source: "https://docs.pingcap.com/tidb/stable/tune-region-performance",
            },
            Rule {
                says: "A hot region is split by its load if many requests read it; a few hot regions can only be moved.",
                source: "https://docs.pingcap.com/tidb/stable/configure-load-base-split",
            },
        ],
        ..SORTED
    },
    Engine {
        id: "cockroachdb",
        name: "CockroachDB",
        about: "CockroachDB: ranges of 512 MiB, split by load too, balanced by their load",
        range_bytes: 512 * MIB,
        split_rate: Some(2_500.0),
        balancer: Balancer::Load,
        rules: &[
            Rule {
                says: "A range is also split by its load (2,500 queries per second), but no key divides the load where keys ascend: that \
                       range stays hot.",
                source: "https://www.cockroachlabs.com/docs/stable/load-based-splitting",
            },
            Rule {
                says: "Where a key must ascend, use a hash-sharded index.",
                source: "https://www.cockroachlabs.com/docs/stable/hash-sharded-indexes",
            },
        ],
        ..SORTED
    },
    Engine {
        id: "yugabytedb",
        name: "YugabyteDB",
        about: "YugabyteDB: tablets by a hash of the key, which is the default; --spread none for PRIMARY KEY (id ASC)",
        starts_on_all_nodes: true,
        spread: Spread::Hashed(Spread::MOST_PARTS),
        rules: &[
            Rule {
                says: "Rows are placed by a hash of the primary key unless its columns are declared ASC or DESC, which places them by their \
                       value: neighbors are then on one tablet.",
                source: "https://docs.yugabyte.com/stable/explore/going-beyond-sql/data-sharding/",
            },
            Rule {
                says: "A tablet is split at 512 MB where a node has few of them, and then at 10 GB.",
                source: "https://docs.yugabyte.com/stable/architecture/docdb-sharding/tablet-splitting/",
            },
        ],
        ..SORTED
    },
    Engine {
        id: "spanner",
        name: "Spanner",
        about: "Spanner: splits by size and load; it publishes neither limit, and the model assumes 4 GiB and 1,000 inserts per second",
        range_bytes: 4 * GIB,
        split_rate: Some(1_000.0),
        balancer: Balancer::Load,
        rules: &[
            Rule {
                says: "A key that always grows sends all inserts to the end of the key space, and so to one server.",
                source: "https://cloud.google.com/spanner/docs/schema-design",
            },
            Rule {
                says: "Keys that are close to each other tend to be in one split, which then is a hot spot.",
                source: "https://cloud.google.com/spanner/docs/primary-keys-overview",
            },
        ],
        ..SORTED
    },
    Engine {
        id: "dsql",
        name: "Aurora DSQL",
        about: "Aurora DSQL: partitions by primary key; it publishes no sizes, and the model assumes 4 GiB",
        range_bytes: 4 * GIB,
        balancer: Balancer::Load,
        rules: &[Rule {
            says: "Where many rows are written, avoid integers that ascend as the primary key: they send all inserts to one partition. Keys \
                   at random spread them.",
            source: "https://docs.aws.amazon.com/aurora-dsql/latest/userguide/working-with-primary-keys.html",
        }],
        ..SORTED
    },
    Engine {
        id: "vitess",
        name: "Vitess",
        about: "Vitess: a fixed number of shards (--nodes) by a hash of the key (hash or binary_md5 as primary vindex); --spread none for binary",
        splits_by_size: false,
        starts_on_all_nodes: true,
        balancer: Balancer::None,
        spread: Spread::Hashed(Spread::MOST_PARTS),
        measured: Some("Vitess 0.24 with four shards on one machine"),
        rules: &[Rule {
            says: "The primary vindex decides the shard of a row: hash for numbers, binary_md5 for bytes, unicode_loose_md5 for text.",
            source: "https://vitess.io/docs/user-guides/vschema-guide/sharded/",
        }],
        ..SORTED
    },
];
