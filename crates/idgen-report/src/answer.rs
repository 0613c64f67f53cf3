//! The answer in a sentence, from the figures.

use super::asked::{asked, sample};
use super::numbers::{probability, ratio, write, write_median};
use super::times::{first_of, seconds, times_first};
use idgen_record::{CaseRecord, Difference, FileFigures, Metric, Results, RunRecord, Sample, smallest_p};

/// What failed and why, in a sentence each. Of an experiment that times statements, the cases before the failure are shown.
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

/// The result of the runs or cases in one or two sentences; `None` where there are fewer than two.
///
/// It compares the two strategies with the most and the fewest leaf pages per 1,000 inserts, the figure that does not
/// depend on the machine. It also gives the other counts and the speed of these two, by one rule for all differences, also
/// where there is no difference or an opposite one.
pub fn answer(results: &Results) -> Option<String> {
    if !results.cases.is_empty() {
        return super::visits::answer(results)
            .or_else(|| by_files(results))
            .or_else(|| by_loads(results))
            .or_else(|| by_seconds(results));
    }
    let names = asked(results);
    let first = *names.first()?;
    let median = |run: &RunRecord| sample(first, run).map_or(f64::NAN, |sample| sample.median());
    let by_first = |a: &&RunRecord, b: &&RunRecord| median(a).total_cmp(&median(b));
    let best = results.runs.iter().min_by(by_first)?;
    let worst = results.runs.iter().rev().max_by(by_first)?;
    if best.strategy == worst.strategy {
        return None;
    }
    let said: Vec<_> = names.iter().filter_map(|name| compared(name, worst, best)).collect();
    let quoted = |run: &RunRecord| format!("\u{201c}{}\u{201d}", run.strategy.title);
    let mut text = super::staying::sentence(results).map(|said| said + " ").unwrap_or_default();
    text += &format!("{} compared with {}: {}.", quoted(worst), quoted(best), said.join("; "));
    let as_good: Vec<_> = results
        .runs
        .iter()
        .filter(|run| run.strategy != best.strategy && differs(first, run, best).is_none())
        .map(quoted)
        .collect();
    if !as_good.is_empty() && differs(first, worst, best).is_some() {
        text +=
            &format!(" {}: no difference between {} and {}.", title(first), quoted(best), as_good.join(", "));
    }
    Some(text + &how_sure(worst, best))
}

/// The text with a capital letter, for the beginning of a sentence.
fn title(name: &str) -> String {
    let mut title = Metric::named(name).map_or("", |metric| metric.title).to_owned();
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    title
}

fn differs(name: &str, run: &RunRecord, from: &RunRecord) -> Option<Difference> {
    sample(name, run)?.differs(&sample(name, from)?, Metric::named(name)?.noise)
}

/// One metric of two runs: the medians, and how many times as large the larger is, or that there is no difference.
fn compared(name: &str, run: &RunRecord, from: &RunRecord) -> Option<String> {
    let metric = Metric::named(name)?;
    let [here, there] =
        [run, from].map(|run| metric.sample(run).map(|sample| write_median(metric.unit, Some(&sample))));
    let (here, there) = (here?, there?);
    Some(match differs(name, run, from) {
        None => format!("{}: no difference ({here} against {there})", metric.title),
        // A multiple of what an idle database does means nothing.
        Some(difference) => match difference.factor().filter(|_| least(&difference) >= metric.noise.floor) {
            Some(factor) => {
                let more = if difference.to > difference.from { "higher" } else { "lower" };
                let factor = ratio(Some(factor));
                format!(
                    "{} {here} against {there}, {factor} times {more}{}",
                    metric.title,
                    likely(run, from, difference.p)
                )
            }
            None => format!("{} {here} against {there}{}", metric.title, likely(run, from, difference.p)),
        },
    })
}

/// The smaller of the two medians.
fn least(difference: &Difference) -> f64 {
    difference.from.abs().min(difference.to.abs())
}

/// The probability of the rank test; empty for single runs.
fn likely(one: &RunRecord, other: &RunRecord, p: f64) -> String {
    let repeated = one.run_count().min(other.run_count()) > 1;
    if repeated { format!(" (p {})", probability(p)) } else { String::new() }
}

/// The number of runs behind this, as a sentence.
fn how_sure(one: &RunRecord, other: &RunRecord) -> String {
    let runs = one.run_count().min(other.run_count());
    match runs {
        1 => " One run of each: the spread is not known, so a difference is only one that is larger than runs of one load \
              were recorded to differ by."
            .to_owned(),
        _ => format!(
            " Medians of {runs} runs of each; it is a difference where the ranges do not overlap and the medians are further \
             apart than the ranges are wide. p is that of an exact rank test; with so many runs it cannot be below {}.",
            probability(smallest_p(one.run_count(), other.run_count())).trim_start_matches("= ")
        ),
    }
}

/// For tables that were filled in several ways: which has the fullest pages and which is smallest, by the rule for
/// differences.
fn by_files(results: &Results) -> Option<String> {
    let files: Vec<(&CaseRecord, &FileFigures)> =
        results.cases.iter().filter_map(|case| Some((case, case.file.as_ref()?))).collect();
    let room = |(_, file): &&(&CaseRecord, &FileFigures)| file.bytes_per_row();
    let (least_case, least) = files.iter().min_by(|a, b| room(a).total_cmp(&room(b)))?;
    let (most_case, most) = files.iter().max_by(|a, b| room(a).total_cmp(&room(b)))?;
    let fill = |file: &FileFigures| file.indexes.first().map_or(f64::NAN, |index| index.fill_mean);
    let said = |name: &str, what: &str, of: &dyn Fn(&FileFigures) -> f64| {
        let metric = Metric::named(name)?;
        let [more, less] = [most, least].map(|file| write(metric.unit, of(file)));
        Some(match single(of(most))?.differs(&single(of(least))?, metric.noise) {
            None => format!("{what}: no difference ({more} against {less})"),
            Some(difference) => match difference.factor() {
                Some(factor) => format!("{what} {more} against {less}, {} times", ratio(Some(factor))),
                None => format!("{what} {more} against {less}"),
            },
        })
    };
    (least_case.name != most_case.name).then(|| {
        let said = [
            said("bytes_per_row", "bytes of pages per row", &FileFigures::bytes_per_row),
            said("fill_mean", "page fill of the leaves in %", &fill),
        ];
        let said: Vec<_> = said.into_iter().flatten().collect();
        format!(
            "\u{201c}{}\u{201d} compared with \u{201c}{}\u{201d}: {}. One table of each: a difference is only one that is \
             larger than tables of one load were recorded to differ by.",
            most_case.name,
            least_case.name,
            said.join("; ")
        )
    })
}

fn single(value: f64) -> Option<Sample> {
    Sample::of(vec![value])
}

/// For several clients: the longest and the shortest time as a multiple of that of the first case with the same number of
/// clients, by the rule for differences.
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
    let said = |case: &CaseRecord, what: &str| match first_of(results, case)
        .and_then(|of| Some((of, slower(case, of)?)))
    {
        Some((of, difference)) => format!(
            "the {what} is \u{201c}{}\u{201d} with {}, {:.2} times as long{}",
            case.name,
            clients(case),
            ratio(&case),
            case_likely(case, of, difference)
        ),
        None => {
            let way = if what == "longest" { "longer" } else { "less long" };
            format!("no case takes {way} by more than the noise")
        }
    };
    (!std::ptr::eq(slowest, fastest)).then(|| {
        format!(
            "Compared with \u{201c}{first}\u{201d} with the same number of clients, {}; {}.",
            said(slowest, "longest"),
            said(fastest, "shortest")
        )
    })
}

/// How the seconds of two cases differ.
fn slower(case: &CaseRecord, from: &CaseRecord) -> Option<Difference> {
    seconds(case)?.differs(&seconds(from)?, Metric::named("secs")?.noise)
}

/// The probability of such a difference of two cases, where they were repeated.
fn case_likely(case: &CaseRecord, from: &CaseRecord, difference: Difference) -> String {
    let runs = [case, from].map(|case| case.runs.len());
    match runs.into_iter().min() {
        Some(least) if least > 1 => format!(
            " (p {}, where {} runs against {} cannot give less than {})",
            probability(difference.p),
            runs[0],
            runs[1],
            probability(smallest_p(runs[0], runs[1])).trim_start_matches("= ")
        ),
        _ => String::new(),
    }
}

/// For single statements: the slowest and the fastest.
fn by_seconds(results: &Results) -> Option<String> {
    let by_secs = |a: &&CaseRecord, b: &&CaseRecord| a.secs.total_cmp(&b.secs);
    let slow = results.cases.iter().max_by(by_secs)?;
    let fast = results.cases.iter().min_by(by_secs)?;
    (slow.name != fast.name && fast.secs > 0.0).then(|| match slower(slow, fast) {
        Some(difference) => format!(
            "\u{201c}{}\u{201d} takes {:.2} s, {:.1} times as long as \u{201c}{}\u{201d} ({:.2} s){}.",
            slow.name,
            slow.secs,
            slow.secs / fast.secs,
            fast.name,
            fast.secs,
            case_likely(slow, fast, difference)
        ),
        None => format!(
            "No difference: the cases take {:.2} to {:.2} s, which is within the spread of their runs.",
            fast.secs, slow.secs
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::results;
    use idgen_record::Totals;

    /// Two strategies, of which the second touches more leaf pages, and these reads and throughputs in three runs each.
    fn two(reads: [[f64; 3]; 2], rates: [[f64; 3]; 2]) -> Results {
        let mut made = results(2);
        for (run, (reads, rates)) in made.runs.iter_mut().zip(reads.into_iter().zip(rates)) {
            let each = reads.into_iter().zip(rates).enumerate().map(|(number, (reads, rate))| {
                let totals = Totals { last_reads_per_1k: reads, last_rows_per_sec: rate, ..run.totals };
                (number as u64, RunRecord { totals, ..run.clone() })
            });
            *run = RunRecord::of_repeats(each.collect()).unwrap();
        }
        made
    }

    #[test]
    fn the_conclusion_follows_the_figures() {
        let rates = [[1_000.0, 1_010.0, 990.0], [500.0, 510.0, 490.0]];
        let said = answer(&two([[0.0, 0.0, 0.1], [150.0, 170.0, 160.0]], rates)).unwrap();
        assert!(said.contains("pages read per 1k, at the end 160 against 0.0 (p = 0.10)"), "{said}");
        assert!(
            said.contains("rows per second, at the end 500 against 1,000, 2.00 times lower (p = 0.10)"),
            "{said}"
        );
        assert!(said.contains("with so many runs it cannot be below 0.10"), "{said}");

        // Less than an idle server reads.
        let said = answer(&two([[0.0, 0.0, 0.0], [0.6, 0.6, 0.6]], rates)).unwrap();
        assert!(said.contains("pages read per 1k, at the end: no difference (0.6 against 0.0)"), "{said}");

        // An opposite difference is also given.
        let said = answer(&two([[0.0; 3], [0.6; 3]], [rates[1], rates[0]])).unwrap();
        assert!(said.contains("rows per second, at the end 1,000 against 500, 2.00 times higher"), "{said}");

        // One value is above what an idle server reads and one below: both are given, but not their ratio.
        let said = answer(&two([[0.5; 3], [1_120.0; 3]], rates)).unwrap();
        assert!(said.contains("pages read per 1k, at the end 1,120 against 0.5 (p"), "{said}");

        // The same medians with ranges that overlap.
        let wide = [[1_000.0, 1_500.0, 400.0], [500.0, 510.0, 490.0]];
        let said = answer(&two([[0.0; 3], [0.6; 3]], wide)).unwrap();
        assert!(said.contains("rows per second, at the end: no difference"), "{said}");
        assert!(said.contains("Medians of 3 runs"), "{said}");
    }

    #[test]
    fn statements_within_their_spread_do_not_differ() {
        let with = |runs: [[f64; 3]; 2]| {
            let case = |(name, runs): (&str, [f64; 3])| CaseRecord {
                name: name.into(),
                secs: runs[1],
                runs: runs.into(),
                ..CaseRecord::default()
            };
            let cases = ["plain", "parted"].into_iter().zip(runs).map(case).collect();
            answer(&Results { runs: vec![], cases, ..results(0) }).unwrap()
        };
        let said = with([[1.0, 1.1, 1.2], [1.15, 1.3, 1.4]]);
        assert!(said.starts_with("No difference: the cases take 1.10 to 1.30 s"), "{said}");
        let said = with([[1.0, 1.1, 1.2], [2.0, 2.2, 2.4]]);
        assert!(said.contains("\u{201c}parted\u{201d} takes 2.20 s, 2.0 times as long"), "{said}");
    }
}
