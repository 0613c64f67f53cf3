use super::*;
use proptest::prelude::*;

const START: Place = Place { stream: 0, line: 1 };

/// The method of tails of 74 bits, `per_ms` in each millisecond, that `next` makes from the one before.
fn seen(per_ms: u64, count: u64, mut next: impl FnMut(u64, Option<u128>) -> u128) -> Counter {
    let mut counter = Counter::new(74, true);
    let (mut before, mut points) = (None, Vec::new());
    for index in 0..count {
        let previous = if index % per_ms == 0 { None } else { before };
        let tail = next(index, previous) & ((1 << 74) - 1);
        before = Some(tail);
        points.push(Point { time: index / per_ms, tail: tail << 54 });
    }
    counter.push(None, &points, START);
    counter
}

#[test]
fn each_method_is_recognized() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut any = move || random.u128(..);
    for width in [8, 12, 14, 26, 42, 60] {
        let rest = 74 - width;
        let low = move |bits: u128| bits & ((1 << rest) - 1);
        let counter = seen(100, 10_000, |_, before| match before {
            None => any() >> 1 & ((1 << 73) - 1) & !(1 << 73),
            Some(tail) => ((tail >> rest) + 1) << rest | low(any()),
        });
        // A counter of 8 bits that starts anywhere in the lower half does not wrap within 100 ids.
        assert_eq!(counter.method(), Method::Counter(width), "{width}");
    }
    let plus_one = seen(100, 10_000, |_, before| before.map_or_else(&mut any, |tail| tail + 1));
    assert_eq!(plus_one.method(), Method::PlusOne);
    let increments = seen(100, 10_000, |_, before| match before {
        None => any() >> 56,
        Some(tail) => tail + 1 + (any() >> 96),
    });
    assert_eq!(increments.method(), Method::Increments(32));
    assert_eq!(seen(100, 10_000, |_, _| any()).method(), Method::Unordered);
    assert_eq!(seen(1, 10_000, |_, _| any()).method(), Method::Unseen);
    let fraction = seen(50, 10_000, |index, _| u128::from(index % 50 * 4096 / 50) << 62 | any() >> 66);
    assert_eq!(fraction.method(), Method::Fraction { values: 50, counter: None });
}

/// The layout of this repository's version 7: a counter of 14 bits behind the fraction, with a random start in its lower half.
#[test]
fn a_counter_behind_a_fraction_is_recognized() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut made = |count: u64, per_ms: u64, fraction: &dyn Fn(u64) -> u64| {
        let mut counter = 0;
        let mut last = None;
        seen(per_ms, count, |index, _| {
            let fraction = u128::from(fraction(index));
            counter =
                if last == Some((index / per_ms, fraction)) { counter + 1 } else { random.u128(..1 << 13) };
            last = Some((index / per_ms, fraction));
            fraction << 62 | counter << 48 | random.u128(..1 << 48)
        })
    };
    // Batches of 100, each at a moment of its millisecond.
    let counter = made(40_000, 100, &|index| (index / 100).wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 52);
    assert!(matches!(counter.method(), Method::Fraction { values: 300.., counter: Some(14) }));
    // Single ids of a few milliseconds, each with a fraction of its own, or two with one.
    for same in [1, 2] {
        let found = made(4_000, 1_000, &|index| index % 1_000 / same * 3).method();
        assert!(matches!(found, Method::Fraction { .. }), "{same} {found:?}");
    }
    // Single ids in a steady stream: 2 or 50 have one fraction.
    for (per_ms, same) in [(800, 2), (1_000, 50)] {
        let counter = made(40_000, per_ms, &|index| index % per_ms / same * same * 4_096 / per_ms);
        let found = counter.method();
        assert!(matches!(found, Method::Fraction { counter: Some(14), .. }), "{per_ms} {same} {found:?}");
    }
    // 2,000 ids of one millisecond, so fast that the fraction never increases by more than one.
    for same in 8..20 {
        for _ in 0..50 {
            let found = made(2_000, 2_000, &|index| index / same).method();
            assert!(matches!(found, Method::Fraction { counter: Some(14), .. }), "{same} {found:?}");
        }
    }
}

#[test]
fn wraps_and_starts_are_counted() {
    let mut random = fastrand::Rng::with_seed(7);
    // A counter of 12 bits from zero, for 5,000 ids in each millisecond.
    let counter = seen(5_000, 20_000, |index, _| {
        u128::from(index % 5_000 % 4_096) << 62 | u128::from(random.u64(..) >> 2)
    });
    assert_eq!(counter.method(), Method::Counter(12));
    assert_eq!(counter.wraps(12), (4, &[4_096, 9_096, 14_096, 19_096].map(|n| START.after(n))[..]));
    assert_eq!((counter.zero_starts(12), counter.started), (3, 3));
    assert_eq!(counter.high_starts(), (0, 0));
    let high = seen(4, 400, |_, before| before.map_or(0xFFF << 62, |tail| tail + 1));
    assert_eq!(high.high_starts(), (99, 99));
}

proptest! {
    /// The interval of widths is that of the definition, tried one width at a time.
    #[test]
    fn widths_are_those_of_the_definition(a: u128, step in 1u128..1 << 70, shift in 0u32..60) {
        let (a, b) = (a >> 1, (a >> 1).wrapping_add(step << shift >> 1));
        prop_assume!(a < b);
        let mut counter = Counter::new(128, false);
        counter.rise(a, b);
        let differ: Vec<_> = (1..=128).filter(|width| (b >> (128 - width)) - (a >> (128 - width)) == 1).collect();
        let one = |counts: &Widths| counts.iter().position(|&count| count == 1).unwrap() as u32;
        prop_assert_eq!((one(&counter.steps.narrowest), one(&counter.steps.widest)), (differ[0], *differ.last().unwrap()));
        prop_assert_eq!(differ.len() as u32, differ.last().unwrap() - differ[0] + 1);
    }
}
