//! Which key a table should have, with the reasons.

mod text;

use serde::Serialize;

use crate::Result;
use crate::foretell::{Forecast, Load, foretell};
use crate::model::Server;
use crate::strategy::{self, IdKind, Strategy};

/// The strategies that are weighed, the plainest first. Among equals the first wins.
const CANDIDATES: [&str; 6] =
    ["auto-increment", "v7-binary", "minute-ascending", "minute-random", "v4-binary", "v4-text36"];
/// Rows that the model inserts for each: seconds, not minutes.
const MODEL_ROWS: u64 = 1_000_000;
/// The most that it inserts for one: a table that outgrows its pool many times over reads a page for nearly each row
/// long before.
const MOST_MODEL_ROWS: u64 = 10_000_000;
/// Pages that the pool must keep in the small model.
const LEAST_FRAMES: u64 = 512;
/// The same for each writer, who may insert at a place of their own.
const WRITERS_FRAMES: u64 = 4;
/// Costs that differ by less than this count as equal: the model is no better.
const EQUAL: f64 = 0.15;
/// Page reads and writes a second that cost nothing worth a choice.
const FREE_PAGES_PER_SEC: f64 = 20.0;

/// A recommendation.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Advice {
    /// The strategy to take.
    pub recommended: &'static str,
    /// Why, in sentences; the strongest reason first.
    pub reasons: Vec<String>,
    /// What to keep in mind.
    pub caveats: Vec<String>,
    /// The model's table is so many times smaller than the real one.
    pub scale: u64,
    /// What each candidate costs, in the order of the list.
    pub candidates: Vec<Candidate>,
}

/// One strategy in the table to come.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// Its name.
    pub strategy: &'static str,
    /// Bytes of the table in the end.
    pub table_bytes: f64,
    /// Mean page fill, 0 to 1.
    pub fill: f64,
    /// Pages read per 1,000 inserts, in the last tenth.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts, in the last tenth.
    pub writes_per_1k: f64,
    /// Pages read and written in a second at the given rate, in the last tenth.
    pub device_pages_per_sec: f64,
}

impl Candidate {
    fn of(forecast: &Forecast, load: &Load) -> Candidate {
        let last = forecast.last();
        Candidate {
            strategy: forecast.strategy,
            table_bytes: forecast.tree.page_bytes_per_row * load.rows as f64,
            fill: forecast.tree.fill.mean,
            reads_per_1k: last.reads_per_1k,
            writes_per_1k: last.writes_per_1k,
            device_pages_per_sec: forecast.device_pages_per_sec(load.rate),
        }
    }

    /// The device's work, then the space: what both cost over a table's life.
    fn cost(&self) -> (f64, f64) {
        (self.device_pages_per_sec.max(FREE_PAGES_PER_SEC), self.table_bytes)
    }

    fn is_cheaper_than(&self, other: &Candidate) -> bool {
        let (work, space) = self.cost();
        let (other_work, other_space) = other.cost();
        let clearly = |a: f64, b: f64| a < b * (1.0 - EQUAL);
        clearly(work, other_work) || (!clearly(other_work, work) && clearly(space, other_space))
    }
}

/// Weighs the strategies for a table to come.
///
/// The model runs on a table of about a million rows, of ten million where the pool is small beside the table. For random keys the pool, the rate and the device are smaller by
/// the same factor: reads and writes per insert stay as they are. Keys that ascend, or stay in a region for a minute,
/// come at the real rate: a page holds as many rows as ever, so a prefix, a millisecond and the log must too.
///
/// ```
/// use idgen_lab::advise::advise;
/// use idgen_lab::foretell::Load;
/// use idgen_lab::model::Server;
///
/// let server = Server::mysql(16 << 20);
/// let load = Load { rows: 200_000, row_bytes: 100, rate: 2_000.0, writers: 4, server };
/// let advice = advise(&load)?;
/// assert_eq!(advice.recommended, "v7-binary");
/// assert!(!advice.reasons.is_empty());
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// Where the load is none that a server could have.
pub fn advise(load: &Load) -> Result<Advice> {
    let scale = scale(load);
    let candidates = CANDIDATES
        .iter()
        .map(|name| {
            let strategy = strategy::find(name)?;
            Ok(Candidate::of(&foretell(strategy, &scaled(load, scale, strategy))?, load))
        })
        .collect::<Result<Vec<_>>>()?;
    // With several writers ids are made apart; with one, the database may count.
    let eligible = if load.writers > 1 { &candidates[1..] } else { &candidates[..] };
    let best = eligible
        .iter()
        .reduce(|best, other| if other.is_cheaper_than(best) { other } else { best })
        .expect("there are candidates");
    let reasons = reasons(best, &candidates, load);
    let caveats = caveats(best, load, scale);
    Ok(Advice { recommended: best.strategy, reasons, caveats, scale, candidates })
}

/// How many times smaller the table of the model is: as a million rows ask for, but so that the pool keeps enough
/// pages to be one.
fn scale(load: &Load) -> u64 {
    let frames = load.server.pool_bytes / 16_384;
    let least = LEAST_FRAMES.max(WRITERS_FRAMES.saturating_mul(load.writers));
    (load.rows / MODEL_ROWS).min(frames / least).min(load.rate as u64).max(1)
}

/// The same load on a table so many times smaller, with as much of the server as tells what the large one does.
fn scaled(load: &Load, scale: u64, strategy: &Strategy) -> Load {
    let rows = (load.rows / scale).min(MOST_MODEL_ROWS);
    // What a minute touches is compared with the real pool, however small the table.
    if strategy.ids == IdKind::MinuteRandom {
        return Load { rows, ..load.clone() };
    }
    let server = Server {
        pool_bytes: load.server.pool_bytes / scale,
        free_pages: (u64::from(load.server.free_pages) / scale) as u32,
        other_pages: (u64::from(load.server.other_pages) / scale) as u32,
        ..load.server.clone()
    };
    // A page in use is written as often as the log asks for, and left behind once it is full.
    if strategy.ids != IdKind::V4 {
        return Load { rows, server, ..load.clone() };
    }
    let part = |whole: u32| (u64::from(whole) / scale).max(1) as u32;
    let server = Server {
        io_capacity: part(load.server.io_capacity),
        io_capacity_max: part(load.server.io_capacity_max),
        redo_bytes: load.server.redo_bytes / scale,
        device_iops: load.server.device_iops.map(part),
        ..server
    };
    Load { rows, rate: load.rate / scale as f64, server, ..load.clone() }
}

fn reasons(best: &Candidate, all: &[Candidate], load: &Load) -> Vec<String> {
    let mut reasons = Vec::new();
    let random = all.iter().find(|candidate| candidate.strategy == "v4-binary");
    if let Some(random) = random.filter(|random| random.strategy != best.strategy) {
        let pool = load.server.pool_bytes as f64;
        if all.iter().any(|candidate| candidate.reads_per_1k >= 1.0) {
            reasons.push(format!(
                "Random UUIDs spread inserts over the whole table, {} with a pool of {}: of 1,000 inserts, \
                 {:.0} wait for a page from the disk. With {} it is {:.1}.",
                bytes(random.table_bytes),
                bytes(pool),
                random.reads_per_1k,
                best.strategy,
                best.reads_per_1k
            ));
        } else {
            reasons.push(format!(
                "The table ends at {} even with random UUIDs, and the pool of {} holds it: no key costs \
                 reads. Beyond {} that changes.",
                bytes(random.table_bytes),
                bytes(pool),
                bytes(pool)
            ));
        }
        reasons.push(format!(
            "At {:.0} inserts a second the device does {:.0} page reads and writes a second for {}, {:.0} \
             for random UUIDs.",
            load.rate, best.device_pages_per_sec, best.strategy, random.device_pages_per_sec
        ));
        reasons.push(format!(
            "Its pages are {:.0} % full, theirs {:.0} %: {} against {} in the end.",
            100.0 * best.fill,
            100.0 * random.fill,
            bytes(best.table_bytes),
            bytes(random.table_bytes)
        ));
    }
    match (best.strategy, load.writers) {
        ("auto-increment", _) => {
            reasons
                .push("One writer needs no ids made elsewhere, and an integer is the smallest key.".into());
        }
        (_, 2..) => {
            reasons.push(format!("{} writers make their ids without asking the database.", load.writers));
        }
        _ => {}
    }
    reasons
}

fn caveats(best: &Candidate, load: &Load, scale: u64) -> Vec<String> {
    let mut caveats = vec![
        "Each secondary index stores the key once more for every row; its own inserts follow its own order."
            .into(),
    ];
    match best.strategy {
        "auto-increment" => caveats.push(
            "Its numbers tell how many rows there are, and only the database can give them: take v7-binary \
             where clients must know the id before the insert."
                .into(),
        ),
        "v7-binary" => caveats.push(
            "The id shows to the millisecond when it was made. Where that must not be seen, \
             minute-ascending hides it behind a keyed prefix at nearly the same cost."
                .into(),
        ),
        _ => {}
    }
    let most = MOST_MODEL_ROWS.saturating_mul(scale);
    if load.rows > most {
        caveats.push(format!(
            "The model stops at {most} rows, long after the table has outgrown the pool: with more, random keys read \
             rather more than foretold."
        ));
    }
    if load.rate > 20_000.0 {
        caveats.push(
            "At such a rate the last page of an ascending index may become a point of contention between \
             threads, which the model does not know. Measure it: idgen lab run."
                .into(),
        );
    }
    caveats
}

/// Bytes for people: three digits and a unit.
pub fn bytes(count: f64) -> String {
    let units = ["B", "KB", "MB", "GB", "TB", "PB"];
    let mut value = count;
    let mut unit = 0;
    while value >= 1_000.0 && unit + 1 < units.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let digits = if value < 10.0 && unit > 0 { 1 } else { 0 };
    format!("{value:.digits$} {}", units[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(rows: u64, writers: u64) -> Load {
        Load { rows, row_bytes: 100, rate: 2_000.0, writers, server: Server::mysql(64 << 20) }
    }

    #[test]
    fn one_writer_may_count_and_several_may_not() {
        assert_eq!(advise(&load(300_000, 1)).unwrap().recommended, "auto-increment");
        let several = advise(&load(300_000, 8)).unwrap();
        assert_eq!(several.recommended, "v7-binary");
        assert!(several.reasons.iter().any(|reason| reason.contains("8 writers")), "{several:?}");
    }

    #[test]
    fn a_table_beyond_the_pool_is_told_from_one_within() {
        let within = advise(&load(100_000, 2)).unwrap();
        assert!(within.reasons[0].contains("no key costs reads"), "{within:?}");
        let beyond = advise(&load(4_000_000, 2)).unwrap();
        assert!(beyond.reasons[0].contains("wait for a page"), "{beyond:?}");
        assert!(beyond.scale > 1);
        let random = beyond.candidates.iter().find(|one| one.strategy == "v4-binary").unwrap();
        // 4 million rows of 134 bytes at two thirds full are 800 MB, the pool a twelfth of it.
        assert!((700.0..1_000.0).contains(&random.reads_per_1k), "{random:?}");
    }

    /// The load of README's example: 500 times smaller, its pages must be those of the large table.
    #[test]
    fn prefixes_of_many_writers_hold_as_many_rows_as_in_truth() {
        let server = Server::mysql(8 << 30);
        let load = Load { rows: 500_000_000, row_bytes: 100, rate: 1_000.0, writers: 20, server };
        let advice = advise(&load).unwrap();
        assert_eq!(advice.scale, 500);
        let candidate = |name: &str| {
            advice.candidates.iter().find(|candidate| candidate.strategy == name).unwrap().clone()
        };
        // 3,000 rows of a writer in a minute: it goes to another place with one in 3,000.
        let (ascending, random) = (candidate("minute-ascending"), candidate("minute-random"));
        assert!(ascending.fill > 0.85 && ascending.reads_per_1k < 2.0, "{ascending:?}");
        assert!(random.fill < 0.7 && random.reads_per_1k < 2.0, "{random:?}");
        // Some 120 rows fill a page, which is written a few times at most.
        assert!(ascending.writes_per_1k < 40.0, "{ascending:?}");
        assert!(random.writes_per_1k < 400.0, "{random:?}");
    }

    /// A thousand million rows in the pool that is the default: seconds, and no more memory than this test has.
    #[test]
    fn a_table_far_beyond_its_pool_is_foretold_to_ten_million_rows() {
        let load = Load { rows: 1_000_000_000, row_bytes: 0, ..load(0, 1) };
        let v4 = strategy::find("v4-binary").unwrap();
        let small = scaled(&load, scale(&load), v4);
        assert_eq!((scale(&load), small.rows), (8, MOST_MODEL_ROWS));
        let best = Candidate::of(&foretell(v4, &Load { rows: 100_000, ..load.clone() }).unwrap(), &load);
        let said = caveats(&best, &load, scale(&load));
        assert!(said.iter().any(|caveat| caveat.contains("stops at 80000000 rows")), "{said:?}");
        assert!(!caveats(&best, &Load { rows: 80_000_000, ..load }, 8).iter().any(|c| c.contains("stops")));
    }

    #[test]
    fn bytes_are_readable() {
        for (count, text) in [(999.0, "999 B"), (1_500.0, "1.5 KB"), (163e9, "163 GB"), (2e15, "2.0 PB")] {
            assert_eq!(bytes(count), text);
        }
    }
}
