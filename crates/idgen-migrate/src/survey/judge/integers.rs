//! Decides which kind integers are: times, Snowflakes, or numbers that somebody counted.
//!
//! Any large integer is some Snowflake. So these kinds need values that random integers do not give: for each range
//! from which a program could draw them (up to a power of 2 or of 10, or of a number of digits), the values must fill a
//! smaller part of it than random ones would, at the level of [`chance`].

use crate::survey::judge::chance;
use crate::survey::judge::kinds::Kind;
use crate::survey::judge::reading::{EARLIEST, Reading, YEAR};

/// Fewer integers show no pattern.
const LEAST: usize = 5;
/// The share of integers that follow a pattern in a column of its kind.
const MOST: f64 = 0.95;

/// Snowflakes of one maker: the epoch in milliseconds, the bits behind the time, and the milliseconds of its unit.
struct Epoch {
    millis: i64,
    shift: u32,
    unit: i64,
}

/// Twitter, Instagram, Sonyflake, Discord, TSID, and Mastodon.
const EPOCHS: [Epoch; 6] = [
    Epoch { millis: 1_288_834_974_657, shift: 22, unit: 1 },
    Epoch { millis: 1_314_220_021_721, shift: 23, unit: 1 },
    Epoch { millis: 1_409_529_600_000, shift: 24, unit: 10 },
    Epoch { millis: 1_420_070_400_000, shift: 22, unit: 1 },
    Epoch { millis: 1_577_836_800_000, shift: 22, unit: 1 },
    Epoch { millis: 0, shift: 16, unit: 1 },
];

impl Epoch {
    fn time(&self, number: i128) -> i64 {
        (number >> self.shift) as i64 * self.unit + self.millis
    }

    /// The smallest and the largest id that such a program has made.
    fn range(&self, now: i64) -> (i128, i128) {
        // The first days after an epoch have no users, and their numbers look like others.
        let first = (self.millis + YEAR / 12).max(EARLIEST);
        let number = |time: i64| i128::from((time - self.millis) / self.unit) << self.shift;
        (number(first), number(now.saturating_add(YEAR)))
    }
}

/// The kind of each of the integers of a column.
pub(super) fn classify(numbers: &[i128], now: i64, is_counted: bool) -> Vec<Reading> {
    let plain = |number: i128| match number {
        _ if is_counted => Reading::certain(Kind::Counted, None),
        0..0x100_0000_0000 => Reading::guess(Kind::Counted),
        _ => Reading::guess(Kind::OtherInteger),
    };
    let pattern = if is_counted { None } else { pattern(numbers, now) };
    let of = |&number: &i128| match &pattern {
        Some(pattern) if pattern.has(number) => Reading::certain(pattern.kind, Some((pattern.time)(number))),
        _ => plain(number),
    };
    numbers.iter().map(of).collect()
}

/// A kind that nearly all integers of a column follow.
struct Pattern {
    kind: Kind,
    range: (i128, i128),
    time: Box<dyn Fn(i128) -> i64>,
}

impl Pattern {
    fn has(&self, number: i128) -> bool {
        (self.range.0..self.range.1).contains(&number)
    }
}

/// Times since 1970: the kind, and units in a millisecond; less than one for seconds.
fn times(now: i64) -> Vec<Pattern> {
    let scaled = |kind, up: i128, down: i128| Pattern {
        kind,
        range: (i128::from(EARLIEST) * up / down, i128::from(now.saturating_add(YEAR)) * up / down),
        time: Box::new(move |number| (number * down / up) as i64),
    };
    vec![
        scaled(Kind::Seconds, 1, 1_000),
        scaled(Kind::Millis, 1, 1),
        scaled(Kind::Micros, 1_000, 1),
        scaled(Kind::Nanos, 1_000_000, 1),
        Pattern {
            kind: Kind::Seconds64,
            range: (i128::from(EARLIEST / 1_000) << 32, i128::from(now.saturating_add(YEAR) / 1_000) << 32),
            time: Box::new(|number| (number >> 32) as i64 * 1_000),
        },
    ]
}

fn pattern(numbers: &[i128], now: i64) -> Option<Pattern> {
    if numbers.len() < LEAST || is_dense(numbers) {
        return None;
    }
    let fits = |range: (i128, i128)| {
        let inside: Vec<i128> =
            numbers.iter().copied().filter(|number| (range.0..range.1).contains(number)).collect();
        inside.len() as f64 >= MOST * numbers.len() as f64 && is_no_chance(&inside, numbers.len(), range)
    };
    let snowflake = || {
        // Chooses, among the epochs that fit, the one whose newest id is the newest.
        let fitting = EPOCHS.into_iter().filter(|epoch| fits(epoch.range(now)));
        let newest = |epoch: &Epoch| numbers.iter().map(|&number| epoch.time(number)).max();
        let epoch = fitting.filter(|epoch| newest(epoch) <= Some(now)).max_by_key(newest)?;
        // Without a sequence in the lower bits, an old id can be one of another epoch.
        (has_sequence(numbers) || newest(&epoch) >= Some(now - YEAR)).then_some(())?;
        Some(Pattern {
            kind: Kind::Snowflake,
            range: epoch.range(now),
            time: Box::new(move |number| epoch.time(number)),
        })
    };
    let time = times(now).into_iter().find(|time| fits(time.range));
    match time {
        // Snowflakes of some years are nanoseconds of others.
        Some(time) if time.kind == Kind::Nanos && has_sequence(numbers) => snowflake().or(Some(time)),
        Some(time) => Some(time),
        None => snowflake(),
    }
}

/// Returns true if at least half of the numbers follow their predecessors: a program counts them.
fn is_dense(numbers: &[i128]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    let next = sorted.windows(2).filter(|pair| pair[1] - pair[0] <= 1).count();
    next * 2 >= sorted.len()
}

/// Returns true if the lower bits are a worker and a sequence that begins again at 0: half of the sequences are below
/// 16, where a random one is in one of 256 cases. Numbers of whole microseconds have no sequence.
fn has_sequence(numbers: &[i128]) -> bool {
    let count = |is: fn(i128) -> bool| numbers.iter().filter(|&&number| is(number)).count();
    count(|number| number & 0xfff < 16) * 2 >= numbers.len()
        && count(|number| number % 100 == 0) * 2 < numbers.len()
}

/// Returns true if no range of random integers explains that these values are inside of `range`.
fn is_no_chance(inside: &[i128], all: usize, range: (i128, i128)) -> bool {
    let (Some(&least), Some(&most)) = (inside.iter().min(), inside.iter().max()) else { return false };
    let width = (most - least) as f64;
    ranges(least, most).into_iter().all(|(low, high)| {
        let size = (high - low) as f64;
        let part = (range.1.min(high) - range.0.max(low)) as f64 / size;
        // The smallest and the largest of n values in the common part, and n - 2 between them.
        let n = inside.len() as f64;
        let spread = 2.0 * n.ln() + (n - 2.0) * (width / (part * size).max(1.0)).min(1.0).ln();
        chance::is_certain(inside.len(), all, part.min(1.0)) || spread < chance::LEVEL.ln()
    })
}

/// The ranges from which a program could have drawn random integers, such that these are the smallest and the largest one.
pub(super) fn ranges(least: i128, most: i128) -> Vec<(i128, i128)> {
    let power = |digits: u32| 10_i128.pow(digits);
    let tens = |times: i128| (0..=20).map(move |digits| times * power(digits)).collect::<Vec<_>>();
    let twos = (0..=64).map(|bits| 1_i128 << bits).collect();
    let mut found = Vec::new();
    for limits in [twos, tens(1), tens(2), tens(5)] {
        let enough = limits.into_iter().find(|&limit| most < limit && least >= -limit);
        found.extend(enough.map(|limit| (if least < 0 { -limit } else { 0 }, limit)));
    }
    if least > 0 {
        let digits = least.ilog10();
        found.extend((digits == most.ilog10()).then(|| (power(digits), power(digits + 1))));
    }
    found
}

/// The distance between neighbors from which integers are not counted.
const FAR: i128 = 256;

/// Returns true if most neighbors are far from each other, and no sequence is in the lower bits: nobody counted these numbers.
pub(super) fn is_far(numbers: &[i128]) -> bool {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    let mut gaps: Vec<i128> = sorted.windows(2).map(|pair| pair[1] - pair[0]).collect();
    gaps.sort_unstable();
    gaps.get(gaps.len() / 2).is_some_and(|&gap| gap >= FAR) && !has_sequence(numbers)
}

/// Returns true if the numbers are spread over a range from which a program draws random integers.
pub(super) fn is_spread(numbers: &[i128]) -> bool {
    let (Some(&least), Some(&most)) = (numbers.iter().min(), numbers.iter().max()) else { return false };
    let fills = |&(low, high): &(i128, i128)| (most - least) * 2 >= high - low;
    is_far(numbers) && ranges(least, most).iter().any(fills)
}
