//! Ids of real programs that were seeded with a time or a small number: one id is enough. `tests/sources` has the ids, and the programs that made them.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::ids;
use idgen::{Timestamp, Uuid};
use idgen_check::predict;
use std::path::Path;

/// When the ids with seeds from the clock were recorded, and those whose seeds follow from one id.
const RECORDED: i64 = 1795849835;
const FOLLOWING_RECORDED: i64 = 1795903584;
const RNG_RECORDED: i64 = 1795903888;

/// When the ids of a file were recorded: in the folder IDGEN_SOURCES, when the file was written.
fn clock(file: &str, recorded: i64) -> Timestamp {
    let Some(folder) = std::env::var_os("IDGEN_SOURCES") else {
        return Timestamp::from_unix_secs(recorded);
    };
    let path = Path::new(&folder).join(file).with_extension("txt");
    (std::fs::metadata(path).unwrap().modified().unwrap() + std::time::Duration::from_secs(1)).into()
}

/// Asserts that the source and the seed are found from one id, and that no digit of the next one is wrong.
#[track_caller]
fn assert_seed_found(file: &str, now: Option<Timestamp>, source: &str, seed: &str) {
    let all = ids(file);
    let found = predict(&all[..1], false, now, 1);
    assert!(found.len() == 1 && found[0].needed == 1, "{file}: {found:?}");
    assert!(found[0].source.contains(source) && found[0].source.contains(seed), "{file}: {found:?}");
    let next = Uuid::from_u128(all[1]).to_string();
    let digits = next.chars().zip(found[0].next[0].chars()).enumerate();
    // One id does not show whether the digits of version and variant are drawn.
    let differs = digits.filter(|(at, (is, found))| is != found && *found != '?' && ![14, 19].contains(at));
    assert_eq!(differs.count(), 0, "{file}: {next} was predicted as {found:?}");
}

/// Congruences: one id determines the state, from which the seed follows. That of srand48 has 32 bits, whatever it was.
#[test]
fn seeds_that_follow_from_one_id() {
    for (file, is_timed, source, seed) in [
        ("c-drand48-16", false, "drand48", "srand48"),
        ("c-seed-microseconds", false, "drand48", "srand48"),
        ("perl-rand", false, "Perl", "srand() of Perl"),
        ("java-seed-milliseconds", true, "java.util.Random", "a time in milliseconds"),
        ("java-seed-microseconds", true, "java.util.Random", "a time in microseconds"),
        ("java-seed-nanotime", false, "java.util.Random", "a small number"),
        // The state has so few bits that one id confirms it.
        ("c-lrand48-16", false, "lrand48", ""),
        ("musl-rand-16", false, "musl", ""),
        ("cpp-minstd-rand", false, "minstd_rand", ""),
        ("java-nextint-masked", false, "java.util.Random", ""),
    ] {
        let now = is_timed.then(|| clock(file, FOLLOWING_RECORDED));
        assert_seed_found(file, now, source, seed);
    }
    // The seed of `new Random()` has more bits than an id has to spare, and a time is only one if it is near.
    assert_eq!(
        predict(&ids("java-nextint-16")[..1], false, Some(clock("java-nextint-16", FOLLOWING_RECORDED)), 1),
        []
    );
    assert_eq!(predict(&ids("java-seed-microseconds")[..1], false, None, 1), []);
}

/// One id is enough if the source was seeded with a time or with a small number.
#[test]
fn seeds_from_the_clock() {
    for (file, source, seed) in [
        ("php-seed-seconds", "mt_rand() of PHP", "a time in seconds"),
        ("python-seed-seconds", "random of Python", "a time in seconds"),
        ("python-seed-milliseconds", "random of Python", "a time in milliseconds"),
        ("python-seed-42", "random of Python", "seed 42, a small number"),
        ("ruby-seed-seconds", "rand of Ruby", "a time in seconds"),
        ("numpy-seed-seconds", "NumPy", "a time in seconds"),
        ("cpp-seed-seconds", "std::mt19937", "a time in seconds"),
        ("c-rand-16", "glibc", "a time in seconds"),
    ] {
        assert_seed_found(file, Some(clock(file, RECORDED)), source, seed);
    }
    for (file, seed) in [
        ("numpy-rng-seed-42", "seed 42, a small number"),
        ("numpy-rng-seed-seconds", "a time in seconds"),
        ("numpy-rng-seed-milliseconds", "a time in milliseconds"),
    ] {
        assert_seed_found(file, Some(clock(file, RNG_RECORDED)), "default_rng of NumPy", seed);
    }
    let now = clock("php-seed-seconds", RECORDED);
    // Only the first id begins with the first number after the seed.
    assert_eq!(predict(&ids("php-seed-seconds")[1..2], false, Some(now), 1), []);
    let secure: Vec<_> = (0..3).map(|_| idgen::v4().as_u128()).collect();
    assert_eq!(predict(&secure, false, Some(now), 1), []);
}
