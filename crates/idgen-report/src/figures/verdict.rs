//! The first sentence of a report: which key to take, by the rule of `idgen lab advise`.

use idgen_record::{Column, Cost, Difference, IdKind, Metric, Results, Run};

use super::asked::{is_mixed, sample};

/// Kinds of ids that clients make and that one can choose, the simplest first.
const KINDS: [IdKind; 11] = [
    IdKind::Device,
    IdKind::V7,
    IdKind::Ulid,
    IdKind::V6,
    IdKind::FixedPrefix,
    IdKind::V1,
    IdKind::MinuteAscending,
    IdKind::MinuteRandom,
    IdKind::MinuteWriters,
    IdKind::Week,
    IdKind::V4,
];
/// Pages read and written per 1,000 inserts that are too few to influence the choice.
const FREE_PAGES: f64 = 20.0;

/// Says which of the measured keys to take, and why; `None` with fewer than two keys that clients make.
pub(super) fn verdict(results: &Results) -> Option<String> {
    if is_mixed(results) {
        return None;
    }
    let mut runs: Vec<(usize, Cost, &Run)> = results
        .runs
        .iter()
        .filter_map(|run| {
            let key = run.strategy.key?;
            let is_plain = !key.column.is_mapped() && key.column != Column::Unkeyed16;
            // A 64-bit id is another kind of column, which does not fit UUIDs.
            let fits = is_plain && key.ids != IdKind::Device;
            let place = KINDS.iter().position(|ids| *ids == key.ids).filter(|_| fits)?;
            Some((place, cost(results, run)?, run))
        })
        .collect();
    runs.sort_by_key(|(place, ..)| *place);
    let beats = |(_, cost, run): &(usize, Cost, &Run), (_, of_other, other): &(usize, Cost, &Run)| {
        is_cheaper(results, (cost, run), (of_other, other))
    };
    // Where each key has one that beats it, the one that the fewest beat.
    let beaten_by = |one: &(usize, Cost, &Run)| runs.iter().filter(|other| beats(other, one)).count();
    let (_, best_cost, best) = *runs.iter().min_by_key(|one| beaten_by(one))?;
    let dearer = |one: &&(usize, Cost, &Run)| is_cheaper(results, (&best_cost, best), (&one.1, one.2));
    // Version 4 is what most readers have, and otherwise the most costly one says why.
    let worst = runs.iter().filter(dearer).max_by(|(place, one, _), (other_place, other, _)| {
        place.cmp(other_place).then(one.work.total_cmp(&other.work))
    });
    let title = |run: &Run| format!("\u{201c}{}\u{201d}", run.strategy.title);
    Some(match worst {
        Some((_, cost, other)) => {
            let mut reasons = Vec::new();
            let works = works(results, best);
            if !alike(best_cost.work, cost.work) && differ(results, works, best, other) {
                reasons.push(format!(
                    "{}, and {} {}",
                    work_of(results, best_cost.work),
                    title(other),
                    figure(cost.work)
                ));
            }
            let mut but = String::new();
            let space_differs = !alike(best_cost.space, cost.space) && differ(results, &SPACES, best, other);
            if space_differs || reasons.is_empty() {
                let space = format!(
                    "takes {} bytes per row, and {} {}",
                    figure(best_cost.space),
                    title(other),
                    figure(cost.space)
                );
                match best_cost.space > cost.space && !reasons.is_empty() {
                    true => but = format!(", although it {space}"),
                    false => reasons.push(space),
                }
            }
            format!("Take {}, because it {}{but}.", title(best), reasons.join("; it "))
        }
        None if runs.len() > 1 => format!(
            "Take {}: no key that clients make is clearly cheaper here, and it is the simplest of them.",
            title(best)
        ),
        None => return None,
    })
}

/// The cost of the key in this run; `None` for a timed statement, or where the space is not known.
fn cost(results: &Results, run: &Run) -> Option<Cost> {
    let works: Option<Vec<f64>> = works(results, run).iter().map(|name| median(results, run, name)).collect();
    let work = works.map(|works| works.iter().sum::<f64>());
    let work =
        if in_lsm(results) || in_heap(results) { work } else { work.map(|pages| pages.max(FREE_PAGES)) };
    let space = SPACES.iter().find_map(|name| median(results, run, name))?;
    Some(Cost { work: work.unwrap_or(0.0), space, is_prefixed: run.strategy.key?.ids.is_prefixed() })
}

fn median(results: &Results, run: &Run, name: &str) -> Option<f64> {
    let metric = Metric::named(name)?.shown(&results.runs)?;
    Some(sample(metric.name, run)?.median()).filter(|median| median.is_finite())
}

/// The bytes of a row, of which a database shows one or the other.
const SPACES: [&str; 2] = ["bytes_per_row", "allocated_bytes_per_row"];

/// The metrics whose sum is the work of an insert.
fn works(results: &Results, run: &Run) -> &'static [&'static str] {
    const OF_TABLE: &[&str] = &["last_table_reads_per_1k", "last_table_writes_per_1k"];
    match (in_lsm(results), in_heap(results)) {
        (true, _) => &[WRITTEN],
        (_, true) => &["redo_bytes_per_row"],
        _ if OF_TABLE.iter().all(|name| median(results, run, name).is_some()) => OF_TABLE,
        _ => &["last_reads_per_1k", "last_writes_per_1k"],
    }
}

/// Returns whether a key is clearly cheaper than another one, by a figure that differs beyond noise. With few runs,
/// figures that are far apart may be chance, and the findings below the verdict say that no difference shows: work
/// whose difference may be chance counts as equal, so that the space decides, and the other way around.
fn is_cheaper(results: &Results, (cost, run): (&Cost, &Run), (of_other, other): (&Cost, &Run)) -> bool {
    let is_less = |names: &[&str], run: &Run, other: &Run| {
        differences(results, names, run, other).any(|difference| difference.to < difference.from)
    };
    let works = works(results, run);
    let has_less_work = cost.has_less_work_than(of_other) && is_less(works, run, other);
    let has_more_work = of_other.has_less_work_than(cost) && is_less(works, other, run);
    has_less_work || (!has_more_work && cost.has_less_space_than(of_other) && is_less(&SPACES, run, other))
}

/// Returns whether two runs differ, beyond noise, in any of these metrics.
fn differ(results: &Results, names: &[&str], one: &Run, other: &Run) -> bool {
    differences(results, names, one, other).next().is_some()
}

/// The differences beyond noise of a run from another one in these metrics.
fn differences(results: &Results, names: &[&str], run: &Run, from: &Run) -> impl Iterator<Item = Difference> {
    names.iter().filter_map(|name| {
        let metric = Metric::named(name)?.shown(&results.runs)?;
        metric.sample(run)?.differs(&metric.sample(from)?, metric.noise)
    })
}

/// The metric of the work of an insert in an LSM tree.
const WRITTEN: &str = "written_bytes_per_row";

/// Returns whether the rows are in an LSM tree, where no insert reads a page.
pub(crate) fn in_lsm(results: &Results) -> bool {
    results.runs.iter().all(|run| sample(WRITTEN, run).is_some())
}

fn in_heap(results: &Results) -> bool {
    results.engine.database().is_some_and(|database| !database.clusters_rows())
}

/// Writes the work of the device for the inserts of a key. Numbers of pages below [`FREE_PAGES`] count as
/// equal, so they are written as "or fewer".
fn work_of(results: &Results, work: f64) -> String {
    let (amount, or_fewer) = (figure(work), if work > FREE_PAGES { "" } else { " or fewer" });
    match (in_lsm(results), in_heap(results)) {
        (true, _) => format!("writes {amount} bytes per row to the files"),
        (_, true) => format!("adds {amount} bytes to the log per row"),
        (_, false) => format!("reads and writes {amount} pages{or_fewer} per 1,000 inserts at the end"),
    }
}

fn alike(one: f64, other: f64) -> bool {
    (one / other - 1.0).abs() < 0.04
}

fn figure(value: f64) -> String {
    if value < 9.95 { format!("{value:.1}") } else { idgen_record::thousands(value.round() as u64) }
}
