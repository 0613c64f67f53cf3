//! Which interval, prefix bits and tail prefixed ids should have.

use serde::Serialize;

use super::fill;
use crate::Result;
use crate::forecast::{Load, PAGE_SIZE, record_bytes};

/// The intervals to choose from, the shortest first, as `idgen new prefixed --interval` takes them. A shorter one than a
/// minute would show in each id which 18 hours it belongs to, or less.
const INTERVALS: [(&str, f64); 8] = [
    ("minute", 60.0),
    ("5m", 300.0),
    ("ten-minutes", 600.0),
    ("30m", 1_800.0),
    ("hour", 3_600.0),
    ("3h", 10_800.0),
    ("6h", 21_600.0),
    ("day", 86_400.0),
];
/// Leaf pages that one visit should bring to its bucket.
const LEAST_PAGES: f64 = 20.0;
/// The pool should hold the pages of so many visits.
const VISITS_IN_POOL: f64 = 8.0;
/// Prefixes of 16 bits.
const PREFIXES: f64 = 65_536.0;
const MOST_BITS: u8 = 16;

/// How to make prefixed ids for a load, where all writers have the same key and no names.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PrefixAdvice {
    /// The interval, as `idgen new prefixed --interval` takes it.
    pub interval: &'static str,
    /// Bits of a sequential prefix. A keyed prefix always has 16.
    pub prefix_bits: u8,
    /// `ascending` or `random`.
    pub tail: &'static str,
    /// Mean page fill that is predicted for this choice with a keyed prefix, 0 to 1.
    pub fill: f64,
    /// Why, in sentences; the strongest reason first.
    pub reasons: Vec<String>,
    /// All intervals that were weighed, the shortest first.
    pub intervals: Vec<IntervalForecast>,
}

/// What an interval brings to the buckets of a keyed prefix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct IntervalForecast {
    /// The interval, as `idgen new prefixed --interval` takes it.
    pub interval: &'static str,
    /// Full leaf pages that the rows of one visit need.
    pub pages_per_visit: f64,
    /// How often a bucket is visited until the table has all rows, on average.
    pub visits: f64,
    /// Mean page fill with an ascending tail, 0 to 1.
    pub ascending_fill: f64,
    /// Mean page fill with a random tail, 0 to 1.
    pub random_fill: f64,
}

impl IntervalForecast {
    /// `end_fill` is the page fill of keys that ascend over the whole table, as the writers of this load make them.
    fn of(interval: &'static str, seconds: f64, load: &Load, rows_a_page: f64, end_fill: f64) -> Self {
        let rows = load.rows as f64;
        let rows_per_visit = (load.rate * seconds).min(rows);
        let all_visits = rows / rows_per_visit;
        let visits = all_visits / all_visits.min(PREFIXES);
        let pages_per_visit = rows_per_visit / rows_a_page;
        IntervalForecast {
            interval,
            pages_per_visit,
            visits,
            ascending_fill: fill::ascending(pages_per_visit, visits, end_fill),
            random_fill: fill::random(pages_per_visit, visits),
        }
    }

    fn fits(&self, pool_pages: f64) -> bool {
        self.pages_per_visit * VISITS_IN_POOL <= pool_pages
    }
}

/// The choice for this load.
///
/// # Errors
/// Where a row does not fit a page.
pub fn choose(load: &Load, end_fill: f64) -> Result<PrefixAdvice> {
    let rows_a_page = fill::rows_a_page(record_bytes(16, load.row_bytes)?);
    let pool_pages = load.server.pool_bytes as f64 / f64::from(PAGE_SIZE);
    let intervals: Vec<IntervalForecast> = INTERVALS
        .iter()
        .map(|&(name, seconds)| IntervalForecast::of(name, seconds, load, rows_a_page, end_fill))
        .collect();
    let large_enough = |one: &&IntervalForecast| one.pages_per_visit >= LEAST_PAGES;
    let fitting: Vec<&IntervalForecast> = intervals.iter().filter(|one| one.fits(pool_pages)).collect();
    let shortest = &intervals[0];
    let chosen = fitting.iter().copied().find(large_enough).or(fitting.last().copied()).unwrap_or(shortest);
    let ascending = chosen.ascending_fill >= chosen.random_fill;
    let table_pages = load.rows as f64 / rows_a_page;
    Ok(PrefixAdvice {
        interval: chosen.interval,
        prefix_bits: prefix_bits(chosen, table_pages),
        tail: if ascending { "ascending" } else { "random" },
        fill: if ascending { chosen.ascending_fill } else { chosen.random_fill },
        reasons: reasons(chosen, load, pool_pages),
        intervals: intervals.clone(),
    })
}

/// The most bits with which each bucket of a sequential prefix holds enough pages in the end.
fn prefix_bits(chosen: &IntervalForecast, table_pages: f64) -> u8 {
    if chosen.pages_per_visit >= LEAST_PAGES {
        return MOST_BITS;
    }
    let buckets = (table_pages / LEAST_PAGES).max(2.0);
    (buckets.log2().floor() as u8).min(MOST_BITS)
}

fn reasons(chosen: &IntervalForecast, load: &Load, pool_pages: f64) -> Vec<String> {
    let IntervalForecast { interval, pages_per_visit, visits, ascending_fill, random_fill } = *chosen;
    let pages = pages(pages_per_visit);
    let mut reasons = vec![format!(
        "At {:.0} inserts per second, the rows of one interval ({interval}) need {pages} leaf pages in the region of \
         their prefix.",
        load.rate
    )];
    reasons.push(if !chosen.fits(pool_pages) {
        format!(
            "That is more than an eighth of the pool of {pool_pages:.0} pages, but no interval is shorter. An ascending \
             tail needs only the last of these pages; a random tail may have to read them again."
        )
    } else if pages_per_visit >= LEAST_PAGES {
        format!("It is the shortest interval that brings at least {LEAST_PAGES} pages, and the pool holds many of them.")
    } else {
        format!(
            "{LEAST_PAGES} pages would be better, but the pages of a longer interval do not fit the pool of \
             {pool_pages:.0} pages {VISITS_IN_POOL} times."
        )
    });
    reasons.push(if visits > 1.0 {
        format!("Until the table has all rows, each of the 65,536 prefixes comes {visits:.1} times.")
    } else {
        "The table has all rows before a prefix comes again.".into()
    });
    let (ascending, random) = (100.0 * ascending_fill, 100.0 * random_fill);
    reasons.push(if ascending_fill >= random_fill {
        format!("The ascending tail leaves pages {ascending:.0} % full, a random tail {random:.0} %.")
    } else {
        format!(
            "A visit brings too few rows for an ascending tail, which would leave pages {ascending:.0} % full: a random \
             tail leaves them {random:.0} % full."
        )
    });
    reasons
}

/// Pages for people: two digits at least.
pub fn pages(count: f64) -> String {
    if count < 9.95 { format!("{count:.1}") } else { format!("{count:.0}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use btree_model::Server;

    fn load(rows: u64, rate: f64, pool_bytes: u64) -> Load {
        Load { rows, row_bytes: 100, rate, writers: 1, server: Server::mysql(pool_bytes) }
    }

    fn choice(rows: u64, rate: f64, pool_bytes: u64) -> PrefixAdvice {
        choose(&load(rows, rate, pool_bytes), 0.922).unwrap()
    }

    #[test]
    fn the_interval_follows_the_rate() {
        // 20 pages are 2,297 rows.
        for (rate, interval) in [
            (20_000.0, "minute"),
            (40.0, "minute"),
            (38.0, "5m"),
            (10.0, "5m"),
            (5.0, "ten-minutes"),
            (2.0, "30m"),
            (1.0, "hour"),
        ] {
            let choice = choice(100_000_000, rate, 8 << 30);
            assert_eq!(
                (choice.interval, choice.tail, choice.prefix_bits),
                (interval, "ascending", 16),
                "{rate}"
            );
            assert!((0.87..0.922).contains(&choice.fill), "{rate}: {}", choice.fill);
        }
    }

    /// Wide rows fill pages sooner, narrow ones later.
    #[test]
    fn the_interval_follows_the_row() {
        for (row_bytes, interval) in [(0, "ten-minutes"), (100, "5m"), (4_000, "minute")] {
            let load = Load { row_bytes, ..load(10_000_000, 20.0, 1 << 30) };
            assert_eq!(choose(&load, 0.9).unwrap().interval, interval, "{row_bytes}");
        }
    }

    #[test]
    fn a_small_pool_shortens_the_interval() {
        // 5 minutes of 10 rows a second need 26 pages, a minute needs 5.2.
        for (frames, interval) in [(4_096, "5m"), (210, "5m"), (208, "minute"), (8, "minute")] {
            assert_eq!(choice(100_000_000, 10.0, frames * 16_384).interval, interval, "{frames}");
        }
        let short = choice(1_000_000, 10.0, 200 * 16_384);
        assert!(short.reasons[1].starts_with("20 pages would be better"), "{short:?}");
        // 8,700 pages in buckets of 20 are 435: eight bits, and 34 pages in each bucket.
        assert_eq!(short.prefix_bits, 8);
        let none = choice(1_000_000, 10.0, 16 * 16_384);
        assert!(none.reasons[1].contains("no interval is shorter"), "{none:?}");
    }

    /// A prefix that comes again appends, so a bucket of small visits fills as the table grows.
    #[test]
    fn the_tail_follows_the_table() {
        let minutes = |rounds: f64| (rounds * 65_536.0 * 60.0) as u64;
        let fills: Vec<(f64, &str)> = [0.5, 1.0, 4.0, 16.0]
            .map(|rounds| choice(minutes(rounds), 1.0, 16 * 16_384))
            .map(|choice| (choice.fill, choice.tail))
            .into();
        assert_eq!(fills[0].1, "random");
        assert_eq!(fills[1].1, "random");
        assert_eq!(fills[3].1, "ascending");
        assert!((fills[1].0 - 0.56).abs() < 0.02 && (fills[3].0 - 0.83).abs() < 0.02, "{fills:?}");
        let visits: Vec<f64> =
            choice(minutes(4.0), 1.0, 1 << 30).intervals.iter().map(|one| one.visits).collect();
        assert!((visits[0] - 4.0).abs() < 1e-4 && visits[1..] == [1.0; 7], "{visits:?}");
    }
}
