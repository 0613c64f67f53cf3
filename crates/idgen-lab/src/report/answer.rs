//! The answer in a sentence, from the figures.

use super::numbers::{grouped, rate};
use crate::measure::{Results, RunRecord};

/// What the runs say, in a sentence or two; `None` below two runs.
///
/// It compares the extremes of the one figure that does not depend on the machine, the distinct leaf
/// pages that 1,000 inserts go to, and tells what the same two runs took.
pub fn answer(results: &Results) -> Option<String> {
    let leaves = |run: &&RunRecord| run.totals.distinct_leaves_per_1k;
    let by_leaves = |a: &&RunRecord, b: &&RunRecord| leaves(a).total_cmp(&leaves(b));
    let quoted = |run: &RunRecord| format!("\u{201c}{}\u{201d}", run.strategy.title);
    if results.runs.iter().any(|run| leaves(&run).is_nan()) {
        return by_reads(results, quoted);
    }
    let best = results.runs.iter().min_by(by_leaves)?;
    let worst = results.runs.iter().max_by(by_leaves)?;
    if best.strategy == worst.strategy {
        return None;
    }
    // Within twice the best: a page or two more where rows are wider or intervals change.
    let as_local: Vec<_> = results
        .runs
        .iter()
        .filter(|run| run.strategy != best.strategy && leaves(run) <= 2.0 * leaves(&best).max(1.0))
        .map(quoted)
        .collect();
    let mut text = format!(
        "1,000 inserts of {} go to {} different leaf pages, of {} to {}.",
        quoted(worst),
        rate(leaves(&worst)),
        quoted(best),
        rate(leaves(&best)),
    );
    // Seconds follow pages, unless the machine had other work: then they say nothing.
    let (slow, fast) = (worst.totals.last_rows_per_sec, best.totals.last_rows_per_sec);
    if slow < fast {
        text += &format!(
            " At the end of the run that is {} rows a second against {}.",
            grouped(slow),
            grouped(fast)
        );
    }
    if !as_local.is_empty() {
        text += &format!(" Within twice the best: {}.", as_local.join(", "));
    }
    Some(text)
}

/// The same from the pages read, where the database does not show its pages, as a server given by URL.
fn by_reads(results: &Results, quoted: impl Fn(&RunRecord) -> String) -> Option<String> {
    let reads = |run: &&RunRecord| run.totals.last_reads_per_1k;
    let by_reads = |a: &&RunRecord, b: &&RunRecord| reads(a).total_cmp(&reads(b));
    let best = results.runs.iter().min_by(by_reads)?;
    let worst = results.runs.iter().max_by(by_reads)?;
    (best.strategy != worst.strategy).then(|| {
        format!(
            "At the end of the run 1,000 inserts of {} read {} pages, of {} {}, as counted for the whole server.",
            quoted(worst),
            rate(reads(&worst)),
            quoted(best),
            rate(reads(&best))
        )
    })
}
