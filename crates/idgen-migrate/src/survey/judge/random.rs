//! Random values of every alphabet: no kind with a time, no order and no danger, whatever the seed.

use std::collections::HashMap;

use crate::survey::judge::arrival::Arrival;
use crate::survey::judge::columns::{self, IdColumn};
use crate::survey::judge::dangers::{self, Code, Level, Read};
use crate::survey::read::facts::Facts;
use crate::survey::read::sample::{Sample, Value};
use crate::survey::schema::{Catalog, Class, Column, Key, Table};
use crate::survey::session::Engine;

pub(super) const NOW: i64 = 1_795_262_400_000;
const BASE64: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const CROCKFORD: &[u8] = b"0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const BASE36: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";

/// Makes one random value.
type Make = Box<dyn Fn(&mut fastrand::Rng) -> Value>;

fn text(alphabet: &'static [u8], length: usize) -> Make {
    Box::new(move |rng| {
        let letters = (0..length).map(|_| alphabet[rng.usize(..alphabet.len())] as char);
        Value::Text(letters.collect())
    })
}

/// 16 random bytes; with a version, also its variant.
pub(super) fn bytes(rng: &mut fastrand::Rng, version: Option<u8>) -> [u8; 16] {
    let mut bytes = rng.u128(..).to_be_bytes();
    if let Some(version) = version {
        bytes[6] = bytes[6] & 0xf | version << 4;
        bytes[8] = bytes[8] & 0x3f | 0x80;
    }
    bytes
}

fn integer(make: impl Fn(&mut fastrand::Rng) -> i128 + 'static) -> Make {
    Box::new(move |rng| Value::Int(make(rng)))
}

/// Each alphabet, and whether its integers are beyond what JSON holds.
fn alphabets() -> Vec<(String, Class, Make)> {
    let of_text = Class::Text { fixed: false };
    let of_bytes = Class::Bytes { fixed: false };
    let of_int = Class::Int { bits: 64, unsigned: false };
    let mut all: Vec<(String, Class, Make)> = Vec::new();
    for version in (0..16).map(Some).chain([None]) {
        let simple = move |rng: &mut fastrand::Rng| {
            Value::Text(bytes(rng, version).iter().map(|byte| format!("{byte:02x}")).collect())
        };
        let hyphenated = move |rng: &mut fastrand::Rng| {
            Value::Text(uuid::Uuid::from_bytes(bytes(rng, version)).to_string())
        };
        let raw = move |rng: &mut fastrand::Rng| Value::Bytes(bytes(rng, version).to_vec());
        all.push((format!("hex, version {version:?}"), of_text, Box::new(simple)));
        all.push((format!("hyphenated, version {version:?}"), of_text, Box::new(hyphenated)));
        all.push((format!("16 bytes, version {version:?}"), of_bytes, Box::new(raw)));
    }
    for length in [11, 13, 20, 21, 22, 24, 25, 26, 27, 32] {
        all.push((format!("{length} of base64url"), of_text, text(BASE64, length)));
        all.push((format!("{length} of base62"), of_text, text(&BASE64[..62], length)));
        all.push((format!("{length} of base32"), of_text, text(CROCKFORD, length)));
        all.push((
            format!("{length} of base32, RFC 4648"),
            of_text,
            text(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", length),
        ));
        all.push((format!("{length} of base32hex"), of_text, text(&BASE36[..32], length)));
        all.push((format!("{length} of base36"), of_text, text(BASE36, length)));
        all.push((format!("{length} of hex"), of_text, text(&BASE36[..16], length)));
        all.push((format!("{length} digits"), of_text, text(&BASE36[..10], length)));
    }
    for length in [8, 12, 20, 32] {
        let raw = move |rng: &mut fastrand::Rng| Value::Bytes((0..length).map(|_| rng.u8(..)).collect());
        all.push((format!("{length} bytes"), of_bytes, Box::new(raw)));
    }
    for bits in [31, 32, 40, 48, 52, 53, 60, 62, 63, 64] {
        let below = 1_u128 << bits;
        all.push((
            format!("u{bits}"),
            Class::Int { bits: 64, unsigned: true },
            integer(move |rng| rng.u128(..below) as i128),
        ));
        if bits < 64 {
            all.push((
                format!("signed {bits}"),
                of_int,
                integer(move |rng| rng.u128(..2 * below) as i128 - below as i128),
            ));
        }
    }
    for digits in 9..19 {
        let power = 10_u128.pow(digits);
        all.push((format!("below 10^{digits}"), of_int, integer(move |rng| rng.u128(..power) as i128)));
        all.push((
            format!("{} digits", digits + 1),
            Class::Int { bits: 64, unsigned: true },
            integer(move |rng| rng.u128(power..10 * power) as i128),
        ));
    }
    all
}

pub(super) fn catalog(class: Class) -> Catalog {
    let column = Column {
        name: "id".to_owned(),
        type_text: "any".to_owned(),
        class,
        is_builtin: true,
        nullable: false,
        length: None,
        charset: None,
        collation: Some("exact".to_owned()),
        ignores_case: false,
    };
    let mut key = Key::new("primary", true, true, true);
    key.columns.push(0);
    let table = Table {
        schema: String::new(),
        name: "t".to_owned(),
        rows: None,
        columns: vec![column],
        keys: vec![key],
        counters: Vec::new(),
        clustered: true,
        storage: None,
        bytes_per_row: None,
        unreadable: None,
    };
    let mut catalog = Catalog::new(16_384);
    catalog.tables.push(table);
    catalog
}

/// The dangers of a table of which this was read.
pub(super) fn dangers_of(
    catalog: &Catalog,
    engine: Engine,
    of: (Option<Sample>, Vec<IdColumn>),
) -> Vec<dangers::Finding> {
    let (facts, probed) = (Facts::default(), HashMap::new());
    let read =
        Read { engine, catalog, facts: &facts, now: NOW, show_values: false, to: None, probed: &probed };
    dangers::find(&read, &[of])
}

/// Returns true if integers of these ranges of a key are said to be beyond 2^63.
fn is_overflow(ranges: &[&[i128]]) -> bool {
    let catalog = catalog(Class::Int { bits: 64, unsigned: false });
    let rows = ranges.concat().into_iter().map(|number| vec![Value::Int(number)]).collect();
    let sample = Sample { columns: vec![0], rows, ranges: ranges.len() as u32, ..Sample::default() };
    let columns = columns::find(&catalog, 0, &sample, Engine::MySql, NOW);
    let found = dangers_of(&catalog, Engine::MySql, (None, columns));
    found.iter().any(|finding| finding.code == Code::SignedOverflow)
}

/// The rows of a range have one sign, so that signs of ranges are no random ones.
#[test]
fn ranges_of_random_signed_keys_are_no_overflow() {
    let mut rng = fastrand::Rng::with_seed(31);
    let mut keys: Vec<i128> = (0..20_000).map(|_| i128::from(rng.i64(..))).collect();
    keys.sort_unstable();
    for starts in 3..8 {
        let from = |at: usize| at * (keys.len() - 200) / (starts - 1);
        let ranges: Vec<&[i128]> = (0..starts).map(|at| &keys[from(at)..][..200]).collect();
        assert!(!is_overflow(&ranges), "{starts}");
    }
    // Seconds in the upper half, before and after 2^63.
    let grown: Vec<i128> =
        (0..1_000).map(|n| i128::from((((1_i64 << 31) - 900 + n) << 32) + rng.i64(0..1 << 32))).collect();
    assert!(is_overflow(&[&grown]));
}

/// Random row ids of SQLite from a part of a range, beside a time of creation, and row ids that SQLite counted.
#[test]
fn row_ids_that_a_program_chose_are_no_counter() {
    let mut rng = fastrand::Rng::with_seed(37);
    let mut of = |low: i64, high: i64| {
        let mut catalog = catalog(Class::Int { bits: 64, unsigned: false });
        let table = &mut catalog.tables[0];
        (table.clustered, table.columns[0].type_text) = (false, "INTEGER".into());
        let mut time = table.columns[0].clone();
        (time.name, time.type_text, time.class) = ("created_at".into(), "TEXT".into(), Class::Any);
        table.columns.push(time);
        let row = |at: i64| {
            let id = if low == high { at } else { rng.i64(low..high) };
            vec![Value::Int(id.into()), Value::Text(format!("2026-01-01 {at:09}"))]
        };
        let mut rows: Vec<Vec<Value>> = (0..1_000).map(row).collect();
        rows.sort_by_key(|row| match row[0] {
            Value::Int(id) => id,
            _ => 0,
        });
        let sample = Sample { columns: vec![0, 1], rows, whole: true, ranges: 1, ..Sample::default() };
        columns::find(&catalog, 0, &sample, Engine::Sqlite, NOW)[0].arrival
    };
    assert_eq!(of(0, 0), Arrival::RightEdge);
    for (low, high) in
        [(3 * 10_i64.pow(17), 5 * 10_i64.pow(17)), (1 << 40, 1 << 41), (10_i64.pow(12), 2 * 10_i64.pow(12))]
    {
        assert_eq!(of(low, high), Arrival::Scattered, "{low}");
    }
}

/// Judges so many random values of one alphabet as the key of a table.
fn check(name: &str, class: Class, make: &Make, (seed, count): (u64, usize)) {
    let mut rng = fastrand::Rng::with_seed(seed);
    let rows = (0..count).map(|_| vec![make(&mut rng)]).collect();
    let sample = Sample { columns: vec![0], rows, whole: true, ranges: 1, ..Sample::default() };
    let catalog = catalog(class);
    let engine = [Engine::MySql, Engine::MariaDb, Engine::Postgres, Engine::Sqlite][seed as usize % 4];
    let columns = columns::find(&catalog, 0, &sample, engine, NOW);
    let case = || format!("{count} of {name} with the seed {seed}: {:?}", columns[0].shares());
    assert!(
        matches!(columns[0].arrival, Arrival::Scattered | Arrival::Unknown),
        "{}: {:?}",
        case(),
        columns[0].arrival
    );
    assert!(columns[0].readings.iter().all(|reading| reading.time.is_none()), "{}", case());
    let empty = columns::find(&catalog, 0, &Sample::default(), engine, NOW);
    let found = dangers_of(&catalog, engine, (Some(sample), empty));
    assert!(found.is_empty(), "{}: {found:?}", case());
    let found = dangers_of(&catalog, engine, (None, columns));
    // That many integers are beyond 2^53 is no chance.
    let is_chance = |finding: &&dangers::Finding| {
        finding.code != Code::BeyondJson && (count >= 20 || finding.level == Level::Danger)
    };
    let chance: Vec<_> = found.iter().filter(is_chance).collect();
    assert!(chance.is_empty(), "{name}, {count} with the seed {seed}: {chance:?}");
}

/// The numbers of seeds and values: few, or all with `IDGEN_RANDOM=all`.
#[test]
fn random_values_have_no_order_and_no_danger() {
    let is_all = std::env::var("IDGEN_RANDOM").is_ok_and(|all| all == "all");
    let (seeds, counts): (u64, &[usize]) =
        if is_all { (100, &[10_000, 100, 10, 3]) } else { (2, &[300, 20, 3]) };
    for (name, class, make) in alphabets() {
        for &count in counts {
            for seed in 0..seeds {
                check(&name, class, &make, (seed, count));
            }
        }
    }
}
