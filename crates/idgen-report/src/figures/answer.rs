//! The answer, from the figures.

use crate::figures::asked::{asked, sample};
use crate::figures::finding::{Answer, Part};
use crate::figures::grids::{foreign_writes, missed_pace};
use crate::figures::load::fits_cache;
use crate::figures::numbers::{probability, rounded, sentence_case, write_median, write_sample};
use crate::figures::timed::{first_of, seconds, slower, times_first};
use crate::figures::verdict::verdict;
use idgen_record::{Difference, Metric, Results, Run, smallest_p};

/// Sentences about each failure and its cause, about a pace that was not kept, and about writes by other
/// clients. If an experiment that times statements failed, the cases before the failure are shown.
pub fn problems(results: &Results) -> Vec<String> {
    let what = match results.runs.len() {
        1 if results.times_statements() => "broke off after one case".to_owned(),
        cases @ 2.. if results.times_statements() => format!("broke off after {cases} cases"),
        _ => "failed and is not shown".to_owned(),
    };
    results
        .failures
        .iter()
        .map(|failure| format!("{} {what}: {}.", failure.strategy, failure.error))
        .chain(missed_pace(results))
        .chain(foreign_writes(results))
        .collect()
}

/// The result of the runs; `None` where there are fewer than two.
///
/// It compares the two strategies with the highest and the lowest value of the first metric of `asked` that
/// is not the page fill: usually leaf pages per 1,000 inserts, a figure that does not depend on the machine;
/// for timed statements with files, the bytes per row. It also gives the other figures of these two, by one
/// rule for all differences, also where there is no difference or an opposite one.
pub fn answer(results: &Results) -> Option<Answer> {
    let names = asked(results);
    if names.is_empty() && results.times_statements() {
        return by_times(results).map(Answer::sentences);
    }
    // The figure by which the extremes are found: less of it is better.
    let first = *names.iter().find(|name| **name != "fill_mean")?;
    let median = |run: &Run| sample(first, run).map_or(f64::NAN, |sample| sample.median());
    let by_first = |a: &&Run, b: &&Run| median(a).total_cmp(&median(b));
    let best = results.runs.iter().min_by(by_first)?;
    let worst = results.runs.iter().rev().max_by(by_first)?;
    if best.strategy == worst.strategy {
        return None;
    }
    let findings = names.iter().filter_map(|name| compared(name, worst, best)).collect();
    let quoted = |run: &Run| format!("\u{201c}{}\u{201d}", run.strategy.title);
    let lead = format!("{} compared with {}:", quoted(worst), quoted(best));
    let as_good: Vec<_> = results
        .runs
        .iter()
        .filter(|run| run.strategy != best.strategy && differs(first, run, best).is_none())
        .map(quoted)
        .collect();
    let mut rest = String::new();
    if !as_good.is_empty() && differs(first, worst, best).is_some() {
        rest = format!(
            "{}: no difference shows between {} and {}. ",
            sentence_case(Metric::named(first).map_or("", |metric| metric.title)),
            quoted(best),
            as_good.join(", ")
        );
    }
    let reads = Metric::named("last_reads_per_1k");
    let read = |run: &Run| Some(reads?.sample(run)?.max() > reads?.noise.floor);
    if let Some(fits) = fits_cache(&results.workload, results.engine.database())
        && results.runs.iter().all(|run| read(run) == Some(false))
    {
        rest += &fits;
        rest += " ";
    }
    rest += &how_sure(worst, best, results.runs.len());
    let extremes = Part { lead, findings };
    let asked = usual_pair(results, [worst, best], &names);
    let verdict = verdict(results).map(|lead| Part { lead, findings: Vec::new() });
    let staying = crate::figures::staying::part(results);
    let parts = verdict.into_iter().chain(staying).chain(asked).chain([extremes]).collect();
    Some(Answer { parts, rest })
}

/// Random and ordered UUIDs in the usual columns: the question of most readers, if it is not that of the extremes.
fn usual_pair(results: &Results, extremes: [&Run; 2], names: &[&str]) -> Option<Part> {
    const PAIRS: [[&str; 2]; 2] = [["v4-binary", "v7-binary"], ["v4-text36", "v7-text36"]];
    let [random, ordered] =
        PAIRS.iter().find_map(|[random, ordered]| Some([results.run(random)?, results.run(ordered)?]))?;
    let shown = |run: &Run| extremes.iter().any(|extreme| extreme.strategy == run.strategy);
    if shown(random) && shown(ordered) {
        return None;
    }
    let findings = names.iter().filter_map(|name| compared(name, random, ordered)).collect();
    let lead = format!(
        "\u{201c}{}\u{201d} compared with \u{201c}{}\u{201d}:",
        random.strategy.title, ordered.strategy.title
    );
    Some(Part { lead, findings })
}

fn differs(name: &str, run: &Run, from: &Run) -> Option<Difference> {
    sample(name, run)?.differs(&sample(name, from)?, Metric::named(name)?.noise)
}

/// Compares one metric of two runs: gives the medians, and the larger divided by the smaller, or says that no
/// difference shows. `None` where one of the runs does not have it.
fn compared(name: &str, run: &Run, from: &Run) -> Option<String> {
    let metric = Metric::named(name)?;
    let (one, other) = (metric.sample(run)?, metric.sample(from)?);
    let Some(difference) = differs(name, run, from) else {
        // The ranges are included: without them, medians that are far apart would seem to differ.
        let [here, there] = [&one, &other].map(|sample| write_sample(metric, Some(sample)));
        return Some(format!("{}: {here} against {there}, no difference shows", metric.title));
    };
    let [here, there] = [&one, &other].map(|sample| write_median(metric, Some(sample)));
    // A multiple of what an idle database does means nothing.
    let factor = difference.factor().filter(|_| least(&difference) >= metric.noise.floor);
    let factor = factor.map(|factor| format!(", a factor of {}", rounded(factor))).unwrap_or_default();
    Some(format!("{}: {here} against {there}{factor}{}", metric.title, likely(run, from, difference.p)))
}

/// The smaller of the two medians.
fn least(difference: &Difference) -> f64 {
    difference.from.abs().min(difference.to.abs())
}

/// The probability of the rank test; empty for single runs.
fn likely(one: &Run, other: &Run, p: f64) -> String {
    let repeated = one.run_count().min(other.run_count()) > 1;
    if repeated { format!(" (p {})", probability(p)) } else { String::new() }
}

/// The number of runs behind this, and how the two strategies were chosen, as sentences.
fn how_sure(one: &Run, other: &Run, strategies: usize) -> String {
    let runs = one.run_count().min(other.run_count());
    match runs {
        1 => "One run of each: the spread is not known, so a difference is only one that is larger than in about 95 of 100 \
              recorded pairs of runs of one load."
            .to_owned(),
        _ => {
            let chosen = match strategies {
                2 => String::new(),
                many => format!(" The two are the extremes of {many} strategies, and p is not corrected for this choice."),
            };
            format!(
                "Medians of {runs} runs of each. It is a difference where the ranges do not overlap and the ratio of \
                 the medians is larger than that of the largest to the smallest value of either. p is that of an exact rank test; with so many runs it cannot be \
                 below {}.{chosen}",
                probability(smallest_p(one.run_count(), other.run_count())).trim_start_matches("= ")
            )
        }
    }
}

/// Answers for statements that were timed: gives the longest and the shortest time as a multiple of that of
/// the first case, of the same number of clients where there are several, by the rule for differences.
fn by_times(results: &Results) -> Option<String> {
    let ratio = |run: &&Run| times_first(results, run).unwrap_or(1.0);
    let by_ratio = |a: &&Run, b: &&Run| ratio(a).total_cmp(&ratio(b));
    let first = results.runs.first()?;
    let slowest = results.runs.iter().max_by(by_ratio)?;
    let fastest = results.runs.iter().min_by(by_ratio)?;
    if std::ptr::eq(slowest, fastest) {
        return None;
    }
    let [longest, shortest] =
        [slowest, fastest].map(|run| first_of(results, run).and_then(|of| Some((run, of, slower(run, of)?))));
    let secs = |run: &Run| seconds(run).map_or(f64::NAN, |secs| secs.median());
    let said = |found: Option<(&Run, &Run, Difference)>, most: &str, way: &str| match found {
        Some((run, of, difference)) => format!(
            "the {most} is \u{201c}{}\u{201d}{}: {:.2} s against {:.2} s, {:.2} times as long{}",
            run.strategy.title,
            run.load.map_or_else(String::new, |load| format!(" with {}", clients(load.clients))),
            secs(run),
            secs(of),
            ratio(&run),
            timed_likely(run, of, difference)
        ),
        None => format!("no case is {way} by more than the noise"),
    };
    let alike = if first.load.is_some() { " with the same number of clients" } else { "" };
    let mut text = format!(
        "Compared with \u{201c}{}\u{201d}{alike}, {}; {}.",
        first.strategy.title,
        said(longest, "longest", "longer"),
        said(shortest, "shortest", "shorter")
    );
    let tested = [longest, shortest].into_iter().flatten().any(|(run, ..)| run.run_count() > 1);
    if tested && results.runs.len() > 2 {
        let cases = results.runs.len();
        text +=
            &format!(" They were chosen from {cases} cases after the runs, and p is not corrected for this.");
    }
    Some(text)
}

fn clients(number: u32) -> String {
    if number == 1 { "one client".to_owned() } else { format!("{number} clients") }
}

/// The probability of such a difference of two times, where they were repeated.
fn timed_likely(run: &Run, from: &Run, difference: Difference) -> String {
    let mut text = likely(run, from, difference.p);
    if difference.p <= 1.01 * smallest_p(run.run_count(), from.run_count()) {
        text = text.replace(')', ", the least that so many runs can give)");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::results;
    use crate::tests::timed::{statement, timed};
    use idgen_record::Totals;

    /// Two strategies, of which the second touches more leaf pages, and these reads and throughputs in three runs each.
    fn two(reads: [[f64; 3]; 2], rates: [[f64; 3]; 2]) -> Results {
        let mut made = results(2);
        for (run, (reads, rates)) in made.runs.iter_mut().zip(reads.into_iter().zip(rates)) {
            let each = reads.into_iter().zip(rates).enumerate().map(|(number, (reads, rate))| {
                let totals = Totals { last_reads_per_1k: reads, last_rows_per_sec: rate, ..run.totals };
                (number as u64, Run { totals, ..run.clone() })
            });
            *run = Run::of_repeats(each.collect()).unwrap();
        }
        made
    }

    #[test]
    fn the_conclusion_follows_the_figures() {
        let rates = [[1_000.0, 1_010.0, 990.0], [500.0, 510.0, 490.0]];
        let said = answer(&two([[0.0, 0.0, 0.1], [150.0, 170.0, 160.0]], rates)).unwrap().to_string();
        assert!(said.contains("pages read per 1k, at the end: 160 against 0.0 (p = 0.10)"), "{said}");
        assert!(
            said.contains("rows per second, at the end: 500 against 1,000, a factor of 2.0 (p = 0.10)"),
            "{said}"
        );
        assert!(said.contains("with so many runs it cannot be below 0.10"), "{said}");

        // Less than an idle server reads.
        let said = answer(&two([[0.0, 0.0, 0.0], [0.6, 0.6, 0.6]], rates)).unwrap().to_string();
        assert!(
            said.contains("pages read per 1k, at the end: 0.6 against 0.0, no difference shows"),
            "{said}"
        );

        // An opposite difference is also given.
        let said = answer(&two([[0.0; 3], [0.6; 3]], [rates[1], rates[0]])).unwrap().to_string();
        assert!(said.contains("rows per second, at the end: 1,000 against 500, a factor of 2.0"), "{said}");

        // One value is above what an idle server reads and one below: both are given, but not their ratio.
        let said = answer(&two([[0.5; 3], [1_120.0; 3]], rates)).unwrap().to_string();
        assert!(said.contains("pages read per 1k, at the end: 1,120 against 0.5 (p"), "{said}");

        // These runs have the same medians, with ranges that overlap.
        let wide = [[1_000.0, 1_500.0, 400.0], [500.0, 510.0, 490.0]];
        let said = answer(&two([[0.0; 3], [0.6; 3]], wide)).unwrap().to_string();
        assert!(
            said.contains(
                "at the end: 500 (490\u{2013}510) against 1,000 (400\u{2013}1,500), no difference shows"
            ),
            "{said}"
        );
        assert!(said.contains("Medians of 3 runs"), "{said}");
    }

    #[test]
    fn statements_within_their_spread_do_not_differ() {
        let with = |runs: [[f64; 3]; 2]| {
            let runs = ["plain", "parted"].into_iter().zip(runs);
            answer(&timed(runs.map(|(name, secs)| statement(name, &secs)).collect())).unwrap().to_string()
        };
        let said = with([[1.0, 1.1, 1.2], [1.15, 1.3, 1.4]]);
        assert!(
            said.starts_with("Compared with \u{201c}plain\u{201d}, no case is longer by more than the noise"),
            "{said}"
        );
        let said = with([[1.0, 1.1, 1.2], [2.0, 2.2, 2.4]]);
        assert!(
            said.contains(
                "the longest is \u{201c}parted\u{201d}: 2.20 s against 1.10 s, 2.00 times as long (p = 0.10"
            ),
            "{said}"
        );
    }
}
