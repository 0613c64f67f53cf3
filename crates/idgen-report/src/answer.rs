//! The answer in a sentence, from the figures.

use super::numbers::{grouped, rate};
use super::times::times_first;
use idgen_record::{CaseRecord, FileFigures, Results, RunRecord};

/// What failed and why, a sentence each. Of an experiment that is timed, the cases before it are shown.
pub fn problems(results: &Results) -> Vec<String> {
    let what = match results.cases.len() {
        0 => "failed and is not shown".to_owned(),
        1 => "broke off after one case".to_owned(),
        cases => format!("broke off after {cases} cases"),
    };
    results
        .failures
        .iter()
        .map(|failure| format!("{} {what}: {}.", failure.strategy, failure.error))
        .collect()
}

/// What the runs or cases say, in a sentence or two; `None` below two of them.
///
/// It compares the extremes of the one figure that does not depend on the machine, the distinct leaf
/// pages that 1,000 inserts go to, and tells what the same two runs took.
pub fn answer(results: &Results) -> Option<String> {
    if !results.cases.is_empty() {
        return super::visits::answer(results)
            .or_else(|| by_files(results))
            .or_else(|| by_loads(results))
            .or_else(|| by_seconds(results));
    }
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
        "1,000 inserts of {} change {} different leaf pages; of {}, {}.",
        quoted(worst),
        rate(leaves(&worst)),
        quoted(best),
        rate(leaves(&best)),
    );
    // Seconds follow pages, unless the machine had other work: then they say nothing.
    let (slow, fast) = (worst.totals.last_rows_per_sec, best.totals.last_rows_per_sec);
    if slow < fast {
        text += &format!(
            " At the end of the run, {} rows per second are inserted instead of {}.",
            grouped(slow),
            grouped(fast)
        );
    }
    if !as_local.is_empty() {
        text += &format!(" At most twice as many as the best: {}.", as_local.join(", "));
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
            "At the end of the run, 1,000 inserts of {} read {} pages; of {}, {}. The server counts for all of its clients.",
            quoted(worst),
            rate(reads(&worst)),
            quoted(best),
            rate(reads(&best))
        )
    })
}

/// Of tables that were filled in several ways: the fullest pages, and the least room.
fn by_files(results: &Results) -> Option<String> {
    let files: Vec<(&CaseRecord, &FileFigures)> =
        results.cases.iter().filter_map(|case| Some((case, case.file.as_ref()?))).collect();
    let room = |(_, file): &&(&CaseRecord, &FileFigures)| file.bytes_per_row();
    let least = files.iter().min_by(|a, b| room(a).total_cmp(&room(b)))?;
    let most = files.iter().max_by(|a, b| room(a).total_cmp(&room(b)))?;
    let fill = |file: &FileFigures| file.indexes.first().map_or(0.0, |index| index.fill_mean * 100.0);
    (least.0.name != most.0.name).then(|| {
        format!(
            "\u{201c}{}\u{201d} takes {:.0} bytes of pages per row, {:.1} times as many as \u{201c}{}\u{201d} ({:.0}); leaf \
             pages are {:.0} % full, compared with {:.0} %.",
            most.0.name,
            room(&most),
            room(&most) / room(&least),
            least.0.name,
            room(&least),
            fill(most.1),
            fill(least.1)
        )
    })
}

/// Of several clients: where they lose most against the first case with as many.
fn by_loads(results: &Results) -> Option<String> {
    let ratio = |case: &&CaseRecord| times_first(results, case, |case| Some(case.secs)).unwrap_or(1.0);
    let loads = || results.cases.iter().filter(|case| case.load.is_some());
    let slowest = loads().max_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let fastest = loads().min_by(|a, b| ratio(a).total_cmp(&ratio(b)))?;
    let first = &results.cases.first()?.name;
    let clients = |case: &CaseRecord| match case.load.as_ref().map_or(1, |load| load.clients) {
        1 => "one client".to_owned(),
        clients => format!("{clients} clients"),
    };
    // A few hundredths are chance.
    let longest = match ratio(&slowest) > 1.05 {
        true => format!(
            "the longest is \u{201c}{}\u{201d} with {}, {:.2} times as long",
            slowest.name,
            clients(slowest),
            ratio(&slowest)
        ),
        false => "no case takes longer".to_owned(),
    };
    (ratio(&slowest) > ratio(&fastest)).then(|| {
        format!(
            "Compared with \u{201c}{first}\u{201d} with the same number of clients, {longest}; the shortest is \u{201c}{}\u{201d} with \
             {}, {:.2} times.",
            fastest.name,
            clients(fastest),
            ratio(&fastest)
        )
    })
}

/// Of single statements: the slowest and the fastest.
fn by_seconds(results: &Results) -> Option<String> {
    let by_secs = |a: &&CaseRecord, b: &&CaseRecord| a.secs.total_cmp(&b.secs);
    let slow = results.cases.iter().max_by(by_secs)?;
    let fast = results.cases.iter().min_by(by_secs)?;
    (slow.secs > fast.secs && fast.secs > 0.0).then(|| {
        format!(
            "\u{201c}{}\u{201d} takes {}, {:.1} times as long as \u{201c}{}\u{201d} ({}).",
            slow.name,
            format_args!("{:.2} s", slow.secs),
            slow.secs / fast.secs,
            fast.name,
            format_args!("{:.2} s", fast.secs)
        )
    })
}
