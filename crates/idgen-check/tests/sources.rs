//! Ids of real programs: the source of each is recognized, and the ids that came next are predicted. `tests/sources` has the ids, and
//! the programs that made them. With `IDGEN_SOURCES=FOLDER`, the ids are those that `record.sh FOLDER` made.
#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

mod common;

use common::*;
use idgen::Uuid;
use idgen_check::{Prediction, Status, predict};

/// Predicts the ids of a file after the first `given`, and asserts that no digit is wrong and that at least `digits` of the
/// next id are known.
#[track_caller]
fn assert_predicted(file: &str, given: usize, source: &str, digits: usize) -> Prediction {
    assert_predicted_from(&ids(file), file, given, source, digits)
}

#[track_caller]
fn assert_predicted_from(all: &[u128], file: &str, given: usize, source: &str, digits: usize) -> Prediction {
    let (given, rest) = all.split_at(given);
    let found = predict(given, false, None, rest.len());
    assert_eq!(found.len(), 1, "{file}: {found:?}");
    let found = found[0].clone();
    assert!(found.source.contains(source), "{file}: {found:?}");
    assert_eq!((found.found, found.of), (given.len(), given.len()), "{file}: {found:?}");
    // If the ids do not show where V8's cache ends, another state may be the right one.
    for (number, (next, id)) in found.next.iter().zip(rest).enumerate().filter(|_| found.others == 0) {
        let id = Uuid::from_u128(*id).to_string();
        let wrong = next.chars().zip(id.chars()).filter(|(next, is)| *next != '?' && next != is).count();
        assert_eq!(wrong, 0, "{file}: {id} was predicted as {next}");
        // The ids may agree with two ways to make the digit of the variant.
        let known = next.char_indices().filter(|(at, digit)| digit.is_ascii_hexdigit() || *at == 19).count();
        assert!(number > 0 || known >= digits, "{file}: {known} digits of {next} are known");
    }
    found
}

/// Asserts that the next id of each file is predicted whole, and prints how many ids that took.
#[track_caller]
fn assert_each_predicted(cases: &[(&str, usize, &str)]) {
    for (file, given, source) in cases {
        println!("{file}: {} ids", assert_predicted(file, *given, source, 32).needed);
    }
}

#[test]
fn math_random_of_v8() {
    for (file, given, digits) in [
        ("node-snippet", 4, 32),
        ("node-y-of-two-bits", 4, 32),
        ("node-32-digits", 4, 32),
        ("node-36-digits", 4, 31),
        ("node-bytes", 9, 32),
        ("node-uuid-fallback", 12, 30),
        ("node-s4", 12, 32),
        ("node-s4-version-4", 10, 32),
        ("node-hex-of-fractions", 12, 30),
        ("node-uuid-fast", 10, 32),
        ("node-1e7", 4, 32),
        ("node-gap-of-one", 8, 32),
        ("node-performance-now", 12, 9),
    ] {
        let found = assert_predicted(file, given, "V8", digits);
        assert!(found.needed <= 6 && found.instead.contains("crypto.randomUUID"), "{file}: {found:?}");
    }
}

/// Two ids of the usual snippet are enough, at any place of the cache of 64 numbers.
#[test]
fn two_ids_of_the_snippet_are_enough() {
    let all = ids("node-snippet");
    let mut exact = 0;
    for start in 0..all.len() - 4 {
        let found = predict(&all[start..start + 2], false, None, 2);
        assert!(found.len() == 1 && found[0].needed == 2, "{start}: {found:?}");
        let next = Uuid::from_u128(all[start + 2]).to_string();
        // 62 numbers may come from one filling of the cache; then the ids do not show where the next one begins.
        // And both ways to make the digit of the variant may agree with two ids.
        let is_next = next.chars().zip(found[0].next[0].chars()).enumerate();
        let mut is_next = is_next.map(|(at, (next, found))| next == found || at == 19 && found == '?');
        assert!(found[0].others > 0 || is_next.all(|is| is), "{start}: {found:?}");
        exact += usize::from(found[0].others == 0);
    }
    assert!(exact >= 5, "{exact}");
}

#[test]
fn congruences() {
    assert_each_predicted(&[
        ("java-nextlong", 4, "java.util.Random"),
        ("java-nextlong-version-4", 4, "java.util.Random"),
        ("java-nextbytes", 3, "java.util.Random"),
        ("java-nextint-16", 3, "java.util.Random"),
        ("java-math-random", 3, "Math.random() of Java"),
        ("java-nextint-masked", 3, "java.util.Random"),
        ("java-nextint-65536", 3, "java.util.Random"),
        ("perl-rand", 3, "Perl"),
        ("c-drand48-16", 3, "drand48"),
        ("c-lrand48-16", 3, "lrand48"),
        ("c-lrand48-ffff", 3, "lrand48"),
        ("musl-rand-16", 3, "musl"),
        ("musl-rand-256", 3, "musl"),
        ("musl-rand-ffff", 3, "musl"),
        ("cpp-minstd-rand0", 3, "minstd_rand0"),
        ("cpp-minstd-rand", 3, "std::minstd_rand of C++"),
        ("cpp-lcg-1664525", 3, "1664525"),
        ("cpp-lcg-mmix", 3, "Knuth's MMIX"),
        ("c-initstate-256", 3, "1103515245"),
        ("c-initstate-ffff", 3, "1103515245"),
        ("newlib-rand-16", 3, "newlib"),
        ("newlib-rand-256", 3, "newlib"),
        ("newlib-rand-ffff", 3, "newlib"),
        ("windows-rand-16", 3, "Microsoft's C"),
        ("windows-rand-256", 3, "Microsoft's C"),
        ("tcl-rand", 3, "Tcl"),
        ("dotnet-rnd-16", 3, "Visual Basic"),
        ("windows-rnd-16", 3, "VBScript"),
    ]);
}

/// The engines of React Native and of MuPDF. A digit of the variant may be made in two ways.
#[test]
fn math_random_of_hermes_and_mujs() {
    for (file, source) in [("hermes-snippet", "Hermes"), ("mujs-snippet", "MuJS")] {
        println!("{file}: {} ids", assert_predicted(file, 3, source, 31).needed);
    }
}

#[test]
fn linear_sources_of_libraries() {
    assert_each_predicted(&[
        ("gsl-taus-digits", 9, "taus88"),
        ("gsl-taus-words", 9, "taus88"),
        ("ssj-lfsr113-16", 9, "LFSR113"),
        ("commons-well512-bytes", 20, "WELL512a"),
        ("commons-well512-16", 20, "WELL512a"),
        ("fastrand-uint32", 3, "xorshift32"),
        ("fastrand-uint32n-16", 3, "xorshift32"),
        ("phobos-xorshift64-13-7-17", 4, "xorshift64 (13, 7, 17)"),
        ("phobos-xorshift64-12-25-27", 4, "xorshift64 (12, 25, 27)"),
        ("phobos-xorshift128", 4, "xorshift128 (Marsaglia's, Unity)"),
        ("rust-unity-16", 4, "xorshift128 (Marsaglia's, Unity)"),
        ("rust-unity-256", 4, "xorshift128 (Marsaglia's, Unity)"),
        ("seedrandom-xor128", 5, "xorshift128 (Marsaglia's, Unity)"),
    ]);
}

#[test]
fn sums_of_earlier_numbers() {
    for (file, given, source, digits) in [
        ("c-rand-256", 11, "glibc", 8),
        ("c-rand-16", 6, "glibc", 8),
        ("c-rand-ffff", 11, "glibc", 8),
        ("go-read", 300, "Read of math/rand of Go", 8),
        ("go-intn-256", 50, "math/rand of Go", 8),
        ("go-uint32", 170, "math/rand of Go (Uint32)", 16),
        ("go-uint64", 330, "math/rand of Go (Uint64)", 24),
        ("go-intn-16", 30, "math/rand of Go", 0),
        ("go-float64-16", 40, "math/rand of Go", 0),
        ("mono-nextbytes-guid", 12, ".NET", 4),
        ("mono-next-16", 12, ".NET", 0),
    ] {
        assert_predicted(file, given, source, digits);
    }
}

#[test]
fn mersenne_twister() {
    for (file, given, digits) in [
        ("python-getrandbits-128-all-bits", 160, 32),
        ("python-getrandbits-128", 390, 16),
        ("python-randbytes", 390, 12),
        ("ruby-random-bytes", 390, 12),
        ("numpy-bytes", 390, 12),
    ] {
        assert_predicted(file, given, "MT19937", digits);
    }
}

/// Version or variant hides some bits of each number of 64 bits. They are known after as many numbers as the state has,
/// twice.
#[test]
fn mersenne_twister_of_64_bits() {
    for (given, digits) in [(157, 5), (312, 32), (390, 32)] {
        let found = assert_predicted("cpp-mt19937-64", given, "MT19937-64", digits);
        assert_eq!(found.needed, given.min(312), "{found:?}");
    }
    assert_eq!(predict(&ids("cpp-mt19937-64")[..156], false, None, 1), []);
}

/// Ids that show only some bits of each number.
#[test]
fn parts_of_the_numbers_of_a_mersenne_twister() {
    for (file, given, digits) in [
        ("php-mt-rand-ffff", 240, 12),
        ("php-mt-rand-15", 235, 32),
        ("php-mt-rand-255", 260, 30),
        ("php-mt-rand-remainder", 250, 32),
        ("php-rand-ffff", 240, 12),
        ("php-5-ffff", 240, 12),
        ("python-getrandbits-4", 230, 20),
        ("python-getrandbits-8", 200, 8),
        ("python-choices", 180, 32),
        ("python-fraction-16", 180, 32),
        ("ruby-rand-16", 235, 32),
        ("ruby-rand-256", 260, 30),
        ("ruby-sample", 235, 32),
        ("numpy-randint-16", 235, 32),
        ("numpy-randint-256", 260, 30),
        ("cpp-mt19937", 230, 20),
        ("pascal-random", 230, 20),
    ] {
        let source = if file == "php-5-ffff" { "PHP 5" } else { "MT19937" };
        let found = assert_predicted(file, given, source, digits);
        println!("{file}: {} ids, {}", found.needed, found.next[0]);
    }
}

/// The sources give whole numbers, from which the state follows although the last step is not linear.
#[test]
fn steps_that_are_undone() {
    assert_each_predicted(&[
        ("java-splittable", 3, "SplittableRandom"),
        ("java-threadlocal", 3, "ThreadLocalRandom"),
        ("lua-whole", 4, "Lua 5.4"),
        ("luajit-snippet", 5, "LuaJIT"),
        ("rust-xorshift128", 4, "xorshift128"),
        ("rust-xoroshiro128-star-star", 4, "xoroshiro128**"),
        ("rust-xoshiro128-star-star", 4, "xoshiro128**"),
        ("rust-xoshiro256-star-star", 4, "xoshiro256**"),
        ("rust-splitmix64", 3, "splitmix64"),
        ("dsi-xorshift64-star", 3, "xorshift64*"),
        ("dotnet-nextbytes", 4, "System.Random of .NET 6"),
        ("dotnet-nextbytes-guid", 4, "System.Random of .NET 6"),
    ]);
}

/// Numbers that are the sum of two words: all but the carry is linear. Not every list of so many ids is enough, but one of a few is.
#[track_caller]
fn assert_sums_predicted(engine: &str, source: &str) {
    for (form, given, digits) in [
        ("snippet", 64, 32),
        ("y-of-two-bits", 64, 32),
        ("32-digits", 64, 32),
        ("36-digits", 64, 31),
        ("1e7", 64, 32),
        ("bytes", 12, 32),
        ("uuid-fallback", 12, 32),
        ("s4", 12, 32),
        ("s4-version-4", 12, 32),
        ("uuid-fast", 12, 32),
    ] {
        let file = format!("{engine}-{form}");
        let all = ids(&file);
        let starts = (0..5).map(|n| n * given / 6);
        let is_enough = |start: &usize| !predict(&all[*start..start + given], false, None, 0).is_empty();
        let start = starts.into_iter().find(is_enough).unwrap_or(0);
        let found = assert_predicted_from(&all[start..], &file, given, source, digits);
        println!("{file}: {} ids from {start} on", found.needed);
    }
}

#[test]
fn math_random_of_firefox() {
    assert_sums_predicted("gjs", "Firefox or Safari");
}

#[test]
fn math_random_of_safari() {
    assert_sums_predicted("jsc", "Firefox or Safari");
}

#[test]
fn math_random_of_chrome() {
    assert_sums_predicted("chromium", "Chrome 156");
}

#[test]
fn whole_sums_of_two_words() {
    for (file, given, source) in
        [("rust-xoroshiro128-plus", 8, "xoroshiro128+"), ("rust-xoshiro256-plus", 36, "xoshiro256+")]
    {
        assert_predicted(file, given, source, 32);
    }
}

/// Two ids are enough, although the increment is not known. The lowest bits of the state show only in carries.
#[test]
fn pcg32() {
    assert_predicted("rust-pcg32", 2, "PCG32", 24);
    assert_predicted("rust-pcg32", 8, "PCG32", 24);
}

/// Ids in another order, with a missing one, and of two processes in turn.
#[test]
fn ids_that_are_not_in_order() {
    let all = ids("node-snippet");
    let missing: Vec<_> =
        all.iter().copied().enumerate().filter(|(n, _)| *n != 4).map(|(_, id)| id).collect();
    let found = predict(&missing, false, None, 1);
    assert_eq!((found.len(), found[0].found, found[0].skipped), (1, missing.len(), 31), "{found:?}");

    let backward: Vec<_> = all.iter().rev().copied().collect();
    let found = predict(&backward, false, None, 1);
    assert!(found[0].is_reordered && found[0].found > 1, "{found:?}");

    let other = ids("node-y-of-two-bits");
    let mixed: Vec<_> = all.iter().zip(&other).flat_map(|(a, b)| [*a, *b]).collect();
    let found = predict(&mixed, false, None, 1);
    assert_eq!(
        found.iter().map(|found| found.found).collect::<Vec<_>>(),
        [all.len(), other.len()],
        "{found:?}"
    );
}

/// The rule fails, and the report shows the ids that come next.
#[test]
fn the_report_says_what_comes_next() {
    let all: Vec<Uuid> = ids("node-snippet").into_iter().map(Uuid::from_u128).collect();
    let report = check(&[&all[..4]]);
    let next = all[4].to_string();
    assert_found(
        &report,
        "unguessable",
        Status::Fails,
        &format!("these ids come from Math.random() of V8 (Node, Chrome, Edge); the next id is {next}"),
    );
    assert!(report.unmet("unguessable".parse().unwrap()).is_some());
    let text = report.to_string();
    assert!(
        text.contains(&format!("next     {next}")) && text.contains("instead  crypto.randomUUID()"),
        "{text}"
    );

    // Without version and variant, the ids are of many kinds.
    let all: Vec<Uuid> = ids("node-s4").into_iter().map(Uuid::from_u128).collect();
    let report = check(&[&all]);
    let failing: Vec<_> =
        report.verdicts_of("unguessable").filter(|verdict| verdict.kind.is_none()).collect();
    assert!(failing.len() == 1 && failing[0].status == Status::Fails, "{report}");
}

/// Each id twice: it is counted once.
#[test]
fn ids_that_are_repeated() {
    let all = ids("node-snippet");
    let twice: Vec<_> = all.iter().flat_map(|id| [*id, *id]).collect();
    let found = predict(&twice, false, None, 1);
    assert_eq!((found.len(), found[0].found, found[0].of), (1, all.len(), all.len()), "{found:?}");
}

/// Secure sources of six languages, and of this repository.
#[test]
fn secure_ids_have_no_source() {
    for file in ["go-secure", "java-secure", "node-secure", "php-secure", "python-secure", "ruby-secure"] {
        assert_eq!(predict(&ids(file), false, None, 1), [], "{file}");
        assert_eq!(predict(&ids(file)[..2], false, None, 1), [], "{file}");
    }
    for size in [2, 12, 150, 2_000] {
        let ids: Vec<_> = (0..size).map(|_| idgen::ulid().as_u128()).collect();
        assert_eq!(predict(&ids, true, None, 1), []);
    }
    assert_eq!(predict(&[], false, None, 1), []);
    assert_eq!(predict(&[0; 400], false, None, 1), []);
    assert_eq!(predict(&[u128::MAX; 400], false, None, 1), []);
    // Ids that people write.
    for id in [
        "00000000-0000-4000-8000-000000000000",
        "11111111-1111-4111-8111-111111111111",
        "ffffffff-ffff-4fff-bfff-ffffffffffff",
        "12345678-1234-4234-8234-123456789abc",
        "01234567-89ab-4cde-8f01-23456789abcd",
        "aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee",
    ] {
        assert_eq!(predict(&[Uuid::parse_str(id).unwrap().as_u128()], false, None, 1), [], "{id}");
    }
}
