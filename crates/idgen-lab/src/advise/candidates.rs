//! The strategies that advice compares, the same for every database, and the choice among them.

use serde::Serialize;

use super::Found;
use super::amounts::bytes;
use crate::forecast::{Forecast, Load};
use crate::strategy::{self, Strategy};
use crate::{Error, Result};
use idgen_record::{Column, Cost, Database, IdKind};

/// The side that makes the ids of a table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum IdsFrom {
    /// It is not known: a key for each case is recommended.
    #[default]
    Either,
    /// The database, and clients learn the id after the insert.
    Server,
    /// Clients, which know the id before the insert.
    Clients,
}

/// The strategies that are compared for a new table, the simplest first. If two are equal, the first one wins.
const NEW: [&str; 7] =
    ["auto-increment", "v7-binary", NAMED, "minute-ascending", "minute-random", "v4-binary", "v4-text36"];
/// A name for each client: only where several clients insert into a table of InnoDB, an LSM tree or ranges.
const NAMED: &str = "minute-writers";
/// The kinds of ids that are compared for a table that holds rows, in the type of its column, the simplest first.
const KINDS: [IdKind; 8] = [
    IdKind::AutoIncrement,
    IdKind::Device,
    IdKind::V7,
    IdKind::Ulid,
    IdKind::FixedPrefix,
    IdKind::MinuteAscending,
    IdKind::MinuteRandom,
    IdKind::V4,
];

/// Page reads and writes per second that are too few to influence the choice.
const FREE_PAGES_PER_SEC: f64 = 20.0;

/// The predicted costs of one strategy in the planned table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Candidate {
    /// The name of the strategy.
    pub strategy: &'static str,
    /// Bytes of the tree that the key orders when the table holds all rows, those that were there before included: the table
    /// itself, or its index if the rows lie in a heap.
    pub tree_bytes: f64,
    /// Bytes of the heap, if the rows lie in one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub heap_bytes: Option<f64>,
    /// Mean page fill of the tree, 0 to 1.
    pub fill: f64,
    /// The rows from which on the tree is larger than the buffer pool or page cache.
    pub outgrows_pool_at_rows: u64,
    /// Pages read and written.
    #[serde(flatten)]
    pub pages: PageCost,
    /// The additions to the write-ahead log; `None` if the model has no log.
    #[serde(flatten)]
    pub log: Option<LogCost>,
}

/// Pages read and written, in the last tenth of the run on InnoDB, and in its second half elsewhere; on PostgreSQL, those of the heap,
/// too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct PageCost {
    /// Pages read per 1,000 inserts.
    pub reads_per_1k: f64,
    /// Pages written per 1,000 inserts.
    pub writes_per_1k: f64,
    /// Pages read and written per second at the given rate.
    pub device_pages_per_sec: f64,
}

impl PageCost {
    fn at(rate: f64, (reads_per_1k, writes_per_1k): (f64, f64)) -> PageCost {
        let device_pages_per_sec = (reads_per_1k + writes_per_1k) * rate / 1_000.0;
        PageCost { reads_per_1k, writes_per_1k, device_pages_per_sec }
    }

    /// Inserts per second that a device with this many page reads and writes per second allows.
    pub(super) fn rate_at(&self, iops: u32) -> f64 {
        f64::from(iops) * 1_000.0 / (self.reads_per_1k + self.writes_per_1k)
    }
}

/// The additions of inserts to the write-ahead log, in the second half of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct LogCost {
    /// Bytes of the write-ahead log per row.
    pub log_bytes_per_row: f64,
    /// Pages of the log (8 KiB) per second at the given rate.
    pub log_pages_per_sec: f64,
    /// Full-page images per 1,000 inserts.
    pub images_per_1k: f64,
}

impl LogCost {
    fn at(rate: f64, (log_bytes_per_row, images_per_1k): (f64, f64)) -> LogCost {
        /// `XLOG_BLCKSZ`.
        const PAGE_BYTES: f64 = 8_192.0;
        LogCost { log_bytes_per_row, log_pages_per_sec: log_bytes_per_row * rate / PAGE_BYTES, images_per_1k }
    }
}

impl Candidate {
    pub(super) fn of(forecast: &Forecast, load: &Load, pages: (f64, f64)) -> Candidate {
        let rows = load.all_rows() as f64;
        Candidate {
            strategy: forecast.strategy,
            tree_bytes: forecast.tree.page_bytes_per_row * rows,
            heap_bytes: forecast.heap_bytes_per_row.map(|bytes| bytes * rows),
            fill: forecast.tree.fill.mean,
            outgrows_pool_at_rows: (load.server.pool_bytes() as f64 / forecast.tree.page_bytes_per_row).ceil()
                as u64,
            pages: PageCost::at(load.rate, pages),
            log: forecast.late_log().map(|log| LogCost::at(load.rate, log)),
        }
    }

    /// The work of the device, and then the space. The first is the pages that it reads and writes per second, and those of the log;
    /// the second takes up memory.
    fn cost(&self) -> Cost {
        let pages = self.pages.device_pages_per_sec.max(FREE_PAGES_PER_SEC);
        let work = match self.log {
            None => pages,
            // Where pages are too few to matter, the log is all the work.
            Some(log) => pages - FREE_PAGES_PER_SEC + log.log_pages_per_sec,
        };
        let is_prefixed = kind_of(self.strategy).is_some_and(IdKind::is_prefixed);
        Cost { work, space: self.tree_bytes, is_prefixed }
    }

    /// Returns whether it clearly costs less than another one.
    pub(super) fn is_cheaper_than(&self, other: &Candidate) -> bool {
        self.cost().is_less_than(&other.cost())
    }
}

/// The cheapest of these, and the first of equals.
pub(super) fn cheapest<'a>(of: impl Iterator<Item = &'a Candidate>) -> Option<&'a Candidate> {
    let all: Vec<&Candidate> = of.collect();
    let costs: Vec<Cost> = all.iter().map(|one| one.cost()).collect();
    Cost::cheapest(&costs).map(|place| all[place])
}

fn kind_of(name: &str) -> Option<IdKind> {
    strategy::find(name).ok().map(|strategy| strategy.ids)
}

/// Returns whether ids of this strategy hide when they were made.
pub(crate) fn hides(name: &str) -> bool {
    kind_of(name)
        .is_some_and(|ids| matches!(ids, IdKind::MinuteAscending | IdKind::MinuteRandom | IdKind::V4))
}

/// Returns true if this strategy puts a prefix before its ids, which is less simple than none.
pub(crate) fn is_prefixed(name: &str) -> bool {
    kind_of(name).is_some_and(IdKind::is_prefixed)
}

/// Returns the strategies to compare for a new table, or for one that holds rows of a strategy; that with a name for each client only
/// where `are_named`, and in a new table.
pub(crate) fn of_table(
    existing: Option<&'static Strategy>,
    are_named: bool,
) -> Result<Vec<&'static Strategy>> {
    existing.map_or_else(|| new_tables(are_named), |old| Ok(fits_existing(old)))
}

/// The strategies to compare for a new table, the simplest first; that with a name for each client only where `are_named`.
fn new_tables(are_named: bool) -> Result<Vec<&'static Strategy>> {
    let names = NEW.iter().filter(|name| are_named || **name != NAMED);
    names.map(|name| strategy::find(name)).collect()
}

/// The strategies to compare for a table that holds rows: its own, with which it is simplest to stay, and those that fit its
/// column.
fn fits_existing(old: &'static Strategy) -> Vec<&'static Strategy> {
    let others =
        KINDS.iter().filter_map(|ids| fitting(*ids, old)).filter(|strategy| strategy.name != old.name);
    let stay = (!old.column.is_mapped() && old.column != Column::Unkeyed16).then_some(old);
    stay.into_iter().chain(others).collect()
}

/// The strategies to compare in the B-tree of a database.
pub(super) fn compared(database: Database, load: &Load) -> Result<Vec<&'static Strategy>> {
    let are_named = load.writers > 1 && database.speaks_mysql();
    let mut compared = of_table(load.existing.map(|(old, _)| old), are_named)?;
    compared.retain(|strategy| strategy.check(database).is_ok());
    let place = |ids: IdKind| compared.iter().position(|strategy| strategy.ids == ids);
    if let (false, Some(ascending), Some(random)) =
        (database.clusters_rows(), place(IdKind::MinuteAscending), place(IdKind::MinuteRandom))
    {
        // In an index beside a heap, an ascending tail fills no pages, and the random tail is the simpler one.
        compared.swap(ascending, random);
    }
    Ok(compared)
}

/// The strategy with ids of this kind in the column of old rows.
fn fitting(ids: IdKind, old: &Strategy) -> Option<&'static Strategy> {
    let columns = [old.column, Column::CountedInteger, Column::Integer];
    let columns = columns.iter().filter(|column| shares_a_column(old.column, **column));
    let mut all = columns.flat_map(|column| strategy::of_column(*column));
    all.find(|strategy| strategy.ids == ids && !strategy.column.is_mapped())
}

/// Returns whether ids of one column fit another, as they must if new rows go into an existing table. Counted
/// numbers would follow the largest of those that devices made.
fn shares_a_column(old: Column, new: Column) -> bool {
    match (old, new) {
        (Column::Integer, Column::CountedInteger) => false,
        (Column::CountedInteger, Column::Integer) => true,
        (old, new) => old == new,
    }
}

/// Returns whether the database makes the ids of this strategy.
pub(crate) fn is_made_by_server(name: &str) -> bool {
    name == "auto-increment"
}

/// The recommended candidates.
pub(super) struct Choice<'a> {
    /// The cheapest of those that were asked for.
    pub best: &'a Candidate,
    /// The cheapest of those that the database makes, if `best` is made by clients and it was not asked who makes ids.
    pub from_server: Option<&'a Candidate>,
    /// The cheapest whose ids hide when they were made.
    pub hiding: Option<&'a Candidate>,
}

/// Chooses among these candidates.
///
/// # Errors
/// None of them is made by whom ids should be from.
pub(super) fn choose(candidates: &[Candidate], from: IdsFrom) -> Result<Choice<'_>> {
    let cheapest =
        |wanted: &dyn Fn(&str) -> bool| cheapest(candidates.iter().filter(|one| wanted(one.strategy)));
    let server = cheapest(&is_made_by_server);
    let clients = cheapest(&|name| !is_made_by_server(name));
    let (best, from_server, who, other) = match from {
        IdsFrom::Either => (clients.or(server), server.filter(|_| clients.is_some()), "", ""),
        IdsFrom::Server => (server, None, " and is made by the database", ": choose --ids-from clients"),
        IdsFrom::Clients => (clients, None, " and is made by clients", ": choose --ids-from server"),
    };
    let best = best.ok_or_else(|| {
        Error::config(format!("nothing that is compared fits the column of the table{who}{other}"))
    })?;
    Ok(Choice { best, from_server, hiding: cheapest(&hides).filter(|_| from != IdsFrom::Server) })
}

/// Adds what every answer ends with: that a counted integer is the smallest key, if it is the best, or else what the one from
/// the server would cost; and first of all, if the best key is that of the existing rows, that new rows can stay with it.
///
/// # Errors
/// There is no reason: a mistake of the program, not of the load.
pub(super) fn conclude(reasons: &mut Vec<String>, found: &Found<'_>) -> Result<()> {
    let best = found.best;
    let ends = |one: &Candidate| match one.heap_bytes {
        None => format!("ends at {}", bytes(one.tree_bytes)),
        Some(_) => format!("has an index that ends at {}", bytes(one.tree_bytes)),
    };
    if best.strategy == "auto-increment" {
        let is_smallest = found.all.iter().all(|other| best.tree_bytes <= other.tree_bytes);
        let why = if is_smallest { "is the smallest key" } else { "needs no generator" };
        reasons.push(format!("An integer that the database counts {why}."));
    }
    if let Some(one) = found.from_server {
        let (name, end, clients, size) = (one.strategy, ends(one), best.strategy, bytes(best.tree_bytes));
        let why = if one.tree_bytes < best.tree_bytes { ": an integer is a smaller key" } else { "" };
        reasons.push(format!(
            "If the database makes the ids, {name} {end}, and {clients} at {size}{why}. Clients then learn the id only after the \
             insert, and its numbers tell how many rows there are."
        ));
    }
    let alone = found.all.len() == 1;
    match found.load.existing {
        Some((old, _)) if alone => reasons.insert(
            0,
            format!(
                "No other kind of id that is compared fits the column of {}, so new rows stay with it: the table {}. Another kind \
                 needs another column: idgen plan writes that change.",
                old.name,
                ends(best)
            ),
        ),
        Some((old, _)) if old.name == best.strategy => reasons.insert(
            0,
            format!(
                "No other key that fits the column is clearly cheaper than {}, so new rows can stay with it.",
                old.name
            ),
        ),
        // The old kind is not compared, and random keys do not fit its column.
        Some((old, _)) if reasons.is_empty() => reasons.push(format!(
            "Of the keys that are compared and fit the column of {}, {} costs least: the table {}.",
            old.name,
            best.strategy,
            ends(best)
        )),
        _ => {}
    }
    let alike = |other: &&Candidate| is_made_by_server(other.strategy) == is_made_by_server(best.strategy);
    let better =
        found.all.iter().filter(alike).filter(|other| other.cost().is_nowhere_worse_than(&best.cost()));
    let names: Vec<&str> = better.map(|other| other.strategy).collect();
    if !names.is_empty() && !reasons.iter().any(|reason| reason.contains("the difference is too small")) {
        reasons.push(format!(
            "{} would cost slightly less; the difference is too small for the model to be sure, and {} is simpler.",
            names.join(" and "),
            best.strategy
        ));
    }
    if reasons.is_empty() {
        return Err(Error::mistake(format!(
            "{} would be recommended without a reason, which is a mistake of this program: please report it with the command",
            best.strategy
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::tests::priced;
    use btree_model::Server;

    #[test]
    fn the_column_decides_what_is_compared_on_every_database() {
        for database in [Database::MySql, Database::MariaDb, Database::Postgres, Database::Sqlite] {
            let names = |existing: Option<&str>| -> Vec<&str> {
                let existing = existing.map(|name| (strategy::find(name).unwrap(), 1_000));
                let load = Load { existing, ..Load::new(10_000, Server::mysql(8 << 20)) };
                compared(database, &load).unwrap().iter().map(|strategy| strategy.name).collect()
            };
            let text = ["v4-text36", "v7-text36", "fixed-text36", "minute-text36"];
            assert_eq!(names(Some("v4-text36")), text, "{database:?}");
            assert_eq!(names(Some("auto-increment")), ["auto-increment", "device"], "{database:?}");
            assert!(names(Some("v4-binary")).contains(&"fixed-prefix"), "{database:?}");
            assert!(names(None).contains(&"v4-text36") && !names(None).contains(&"device"), "{database:?}");
            // Each column has an answer, if only that nothing else fits.
            assert_eq!(names(Some("v4-base64")), ["v4-base64", "v7-base64", "minute-base64"], "{database:?}");
            let ulid = ["ulid-text26", "v7-text26", "fixed-text26", "minute-text26", "v4-text26"];
            assert_eq!(names(Some("ulid-text26")), ulid, "{database:?}");
            assert_eq!(names(Some("device"))[0], "device", "{database:?}");
            assert!(names(Some("week-binary")).contains(&"week-binary"), "{database:?}");
            for strategy in strategy::ALL.iter().filter(|one| one.check(database).is_ok()) {
                let alone = strategy.column.is_mapped() || strategy.column == Column::Unkeyed16;
                assert!(alone || !names(Some(strategy.name)).is_empty(), "{database:?} {}", strategy.name);
            }
        }
    }

    #[test]
    fn who_makes_ids_decides_and_both_are_shown_if_it_is_not_known() {
        let all = [priced("auto-increment", 1.0), priced("v7-binary", 2.0), priced("minute-random", 3.0)];
        let chosen = |candidates: &[Candidate], from| {
            let found = choose(candidates, from)?;
            let name = |one: Option<&Candidate>| one.map(|one| one.strategy);
            Ok((found.best.strategy, name(found.from_server), name(found.hiding)))
        };
        let hiding = Some("minute-random");
        assert_eq!(chosen(&all, IdsFrom::Either).unwrap(), ("v7-binary", Some("auto-increment"), hiding));
        assert_eq!(chosen(&all, IdsFrom::Clients).unwrap(), ("v7-binary", None, hiding));
        assert_eq!(chosen(&all, IdsFrom::Server).unwrap(), ("auto-increment", None, None));
        let error: Error = chosen(&all[1..], IdsFrom::Server).unwrap_err();
        assert!(error.is_config() && error.to_string().contains("--ids-from clients"), "{error}");
    }

    #[test]
    fn an_answer_without_a_reason_is_a_mistake() {
        let (best, load) = (priced("v4-text36", 1.0), Load::new(10_000, Server::mysql(8 << 20)));
        let found = Found { load: &load, best: &best, from_server: None, all: &[], stopped: &[] };
        let error = conclude(&mut Vec::new(), &found).unwrap_err();
        assert!(!error.is_config() && error.to_string().contains("v4-text36"), "{error}");
        let mut reasons = vec!["why".to_owned()];
        conclude(&mut reasons, &found).unwrap();
        assert_eq!(reasons, ["why"]);
    }
}
