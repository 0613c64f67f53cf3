//! The loads of the comparison: always the same, and of every kind that the options of the command line allow.

use idgen_lab::strategy::{ALL, Strategy, find};
use idgen_record::Database;

/// A planned load of any database. What a database does not have is left out of its load.
#[derive(Clone, Debug)]
pub struct Planned {
    pub database: Database,
    pub strategy: &'static Strategy,
    pub rows: u64,
    pub row_bytes: u32,
    pub rate: f64,
    pub id_rate: Option<f64>,
    pub writers: u64,
    pub commit_rows: u64,
    pub pool_bytes: u64,
    pub page_bytes: u32,
    pub checkpoint_secs: u32,
    pub iops: Option<u32>,
    pub existing: Option<(&'static Strategy, u64)>,
}

/// SplitMix64: the same everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % end as u64) as usize
    }

    fn one_of<T: Copy, const N: usize>(&mut self, of: [T; N]) -> T {
        of[self.below(N)]
    }
}

const DATABASES: [Database; 4] = [Database::MySql, Database::MariaDb, Database::Postgres, Database::Sqlite];

fn small(random: &mut Random, number: usize) -> Planned {
    let database = DATABASES[number % DATABASES.len()];
    // The kept figures are older than the strategy that is left out: with it, the numbers would choose others.
    let runs = |one: &&Strategy| {
        one.check(database).is_ok() && !one.column.is_mapped() && one.name != "minute-writers"
    };
    let all: Vec<_> = ALL.iter().filter(runs).collect();
    let strategy = all[random.below(all.len())];
    let own = Some(strategy.name);
    let old = random.one_of([own, own, own, Some("v4-binary"), Some("v4-text36"), None, None, None]);
    let rows = 10_000 + 500 * random.below(11) as u64;
    Planned {
        database,
        strategy,
        rows,
        row_bytes: random.one_of([0, 20, 100, 400]),
        rate: random.one_of([0.5, 5.0, 40.0, 1_000.0, 25_000.0]),
        id_rate: random.one_of([None, None, Some(20.0)]),
        writers: random.one_of([1, 1, 2, 5]),
        commit_rows: random.one_of([1, 10, 100, 1_000]),
        pool_bytes: random.one_of([1 << 20, 2 << 20, 2 << 20, 4 << 20, 32 << 20]),
        page_bytes: random.one_of([4_096, 4_096, 1_024, 8_192]),
        checkpoint_secs: random.one_of([1, 30, 300, 1_800]),
        iops: random.one_of([None, None, Some(50)]),
        existing: old.map(|old| (find(old).unwrap(), rows / random.one_of([1, 4]))),
    }
}

/// 197 small loads, and three that advice follows on a smaller table.
pub fn loads() -> Vec<Planned> {
    let mut random = Random(32);
    let mut loads: Vec<_> = (0..197).map(|number| small(&mut random, number)).collect();
    let text = find("v4-text36").unwrap();
    loads.extend((1..DATABASES.len()).map(|number| Planned {
        strategy: text,
        rows: 1_200_000,
        row_bytes: 20,
        rate: 500.0,
        writers: 2,
        pool_bytes: 16 << 20,
        existing: Some((text, 1_000_000)),
        ..small(&mut random, number)
    }));
    loads
}
