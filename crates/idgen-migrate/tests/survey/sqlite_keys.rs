//! Keys of SQLite databases that read alike, are mixed, or count down, and URLs without a database.

use idgen_migrate::survey::{Arrival, Options, survey};

use crate::sqlite::{NOW, surveyed};

/// Rows whose keys read alike are different rows: decimals, and the nulls that SQLite allows in a primary key.
#[test]
fn rows_with_keys_that_read_alike_are_counted() {
    for (declared, value) in
        [("REAL", "n * 1.5"), ("TEXT", "NULL"), ("TEXT", "iif(n % 2, NULL, 'key-' || n)")]
    {
        for rows in [5, 150, 300, 3_000] {
            let sql = format!(
                "CREATE TABLE t (id {declared} PRIMARY KEY, of TEXT); \
                 WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < {rows}) \
                 INSERT INTO t SELECT {value}, 'a text' FROM c;"
            );
            let survey = surveyed(&sql);
            let Some(table) = survey.tables.first() else { continue };
            assert_eq!(table.rows, Some(rows), "{declared} {value}: {survey}");
        }
    }
}

/// A few random ids are spread over all keys, and many ids of version 7 are at one place: the ranges of a sample are not
/// equally large parts of the table, so their shares are not printed as those of the table.
#[test]
fn shares_of_a_sample_are_not_those_of_the_table() {
    let mut random = fastrand::Rng::with_seed(3);
    let mut ids = |count: u128, of: &dyn Fn(u128) -> u128, version: u128| -> Vec<String> {
        (0..count)
            .map(|n| {
                let bits = of(n) | random.u128(..) & ((1 << 80) - 1);
                let id = bits & !(0xF << 76) & !(0b11 << 62) | version << 76 | 0b10 << 62;
                format!("('{}')", idgen::Uuid::from_u128(id))
            })
            .collect()
    };
    let mut scattered = fastrand::Rng::with_seed(5);
    let places: Vec<u128> = (0..400).map(|_| scattered.u128(..)).collect();
    let mixed = |many: Vec<String>, few: Vec<String>| {
        format!(
            "CREATE TABLE t (id TEXT PRIMARY KEY); INSERT INTO t VALUES {};",
            [many, few].concat().join(", ")
        )
    };
    let few = ids(400, &|n| places[n as usize] >> 80 << 80, 4);
    let many = ids(20_000, &|n| (NOW as u128 - 100_000 + n) << 80, 7);
    let text = surveyed(&mixed(many.clone(), few.clone())).to_string();
    let line = text.lines().find(|line| line.contains("v4") && line.contains("v7")).unwrap();
    assert!(line.contains("in the sample") && !line.contains('%'), "{text}");
    // All rows are read of a small table.
    let text = surveyed(&mixed(many[..75].to_vec(), few[..25].to_vec())).to_string();
    assert!(text.contains("v7 75.0 %, v4 25.0 %"), "{text}");
}

#[test]
fn integers_that_count_down_do_not_arrive_at_the_right_edge() {
    for counter in ["", " AUTOINCREMENT"] {
        let of = |value: &str| {
            let sql = format!(
                "CREATE TABLE t (id INTEGER PRIMARY KEY{counter}, of TEXT); \
                 WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 2000) \
                 INSERT INTO t SELECT {value}, 'a text' FROM c;"
            );
            surveyed(&sql).tables[0].columns[0].arrival
        };
        assert_eq!(of("n + 1099511627776"), Arrival::RightEdge, "{counter}");
        assert_ne!(of("-n"), Arrival::RightEdge, "{counter}");
    }
}

/// A variable that is not set must not pass as an empty database.
#[test]
fn urls_without_a_database_are_refused() {
    for url in ["", " ", "sqlite:", "sqlite://", "file:", "sqlite::memory:", "SQLite://:memory:"] {
        let error =
            crate::common::runtime().block_on(survey(url, &Options::default())).unwrap_err().to_string();
        assert!(
            ["is empty", "names no file", "in memory"].iter().any(|part| error.contains(part)),
            "{error}"
        );
    }
}
