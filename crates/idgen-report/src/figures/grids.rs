//! The tables of a report, for the page and for Markdown.

use crate::figures::asked::{is_mixed, main_metrics};
use crate::figures::grid::Grid;
use crate::figures::load::{load_facts, of_commits};
use crate::figures::numbers::{bytes, count, percent, probability, write_median, write_sample};
use crate::figures::published::comparisons;
use idgen_record::{
    Group, Metric, Operation, OrderEffect, Protocol, Results, Role, Run, Sample, Value, Window, order_effect,
};

/// The figures of the end of a run, beginning with those that the answer is about.
pub fn figures(results: &Results) -> Option<Grid> {
    grid_of("table", &main_metrics(results), &results.runs)
}

/// Means over the whole run; `None` where the main table has nothing else.
pub fn whole(results: &Results) -> Option<Grid> {
    let main = main_metrics(results);
    let metrics: Vec<_> = Metric::of_group(Group::Whole).collect();
    let shown = |metric: &&Metric| main.iter().any(|other| other.name == metric.name);
    if is_mixed(results) || metrics.iter().all(shown) {
        return None;
    }
    grid_of("whole", &metrics, &results.runs)
}

/// Returns whether the records have figures of the end of the runs.
pub fn has_end_figures(results: &Results) -> bool {
    has_figure(results, "last_reads_per_1k")
}

fn has_figure(results: &Results, name: &str) -> bool {
    let metric = Metric::named(name);
    results.runs.iter().any(|run| metric.is_some_and(|metric| metric.value(&run.figures()).is_some()))
}

/// Returns whether reads or writes were still rising: more in the last fifth of the inserts than in the fifth
/// before, by the rule for differences. A server writes its pages in bursts, so shorter parts differ by
/// chance. Only pages of the tables' files are considered, where the database counts them.
fn is_rising(run: &Run) -> bool {
    let rising = |name: &str| {
        let metric = Metric::named(name)?;
        // The mean over a fifth, counted from the end, in each run.
        let fifth = |number: usize| {
            let mean = |windows: &[Window]| {
                let part = windows.len() / 5;
                let end = windows.len() - number * part;
                let values = windows[end - part..end].iter();
                let sum =
                    values.map(|window| metric.in_window(window).map(Value::number)).sum::<Option<f64>>()?;
                (part > 0).then(|| sum / part as f64)
            };
            Sample::of(run.each().iter().map(|one| mean(one.windows)).collect::<Option<_>>()?)
        };
        let (last, before) = (fifth(0)?, fifth(1)?);
        Some(last.differs(&before, metric.noise).is_some_and(|difference| difference.to > difference.from))
    };
    let any = |own, all| rising(own).or_else(|| rising(all)) == Some(true);
    any("table_reads_per_1k", "reads_per_1k") || any("table_writes_per_1k", "writes_per_1k")
}

/// Explains the rate of rows in a run that waits for the time of each statement.
const PACED: &str = "Rows per second are the pace that --paced asks for, as far as the database kept it.";
/// Explains the rate of rows if the run did not record the pace that it kept.
const PACED_ALONE: &str =
    "Rows per second are those of the statements alone: the lab waited between them, as --paced asks.";

/// Explains rows per second if statements were inserted at a pace; `None` otherwise.
pub fn of_pace(results: &Results) -> Option<&'static str> {
    let known = has_figure(results, "pace_kept");
    results.workload.paced.then_some(if known { PACED } else { PACED_ALONE })
}

/// The reservation about page fill if the ids of several clients were made in rounds; `None` for other records.
pub fn of_rounds(results: &Results) -> Option<&'static str> {
    const ROUNDS: &str = "In this record, the ids of a round were made before its clients began to insert, \
                          which no service does: keys that ascend in time reach the table far from their order, and their pages \
                          are emptier than those of clients that make an id and insert it.";
    let known = results
        .runs
        .iter()
        .any(|run| run.clients.is_some_and(|clients| clients.delay.or(clients.insert).is_some()));
    (results.workload.writers > 1 && !known && !is_mixed(results)).then_some(ROUNDS)
}

/// Says in one or two sentences which part of the runs the main table is about.
pub fn of_the_end(results: &Results) -> String {
    if is_mixed(results) {
        return "The figures are those of all operations after the first tenth, which warmed up the cache. Page fill, leaf pages and \
                bytes are those of the rows that were left."
            .into();
    }
    if !has_end_figures(results) {
        return "These records have no figures of the end of the runs: rows per second and pages read and written are means of \
                the whole run."
            .into();
    }
    let mut text = "Rows per second and pages read and written are those at the end: of the last tenth of the inserts. Means \
                    over the whole run have a table of their own."
        .to_owned();
    let rising: Vec<_> = results
        .runs
        .iter()
        .filter(|run| is_rising(run))
        .map(|run| format!("\u{201c}{}\u{201d}", run.strategy.title))
        .collect();
    if !rising.is_empty() {
        text += &format!(
            " They are not yet steady for {}: in the last fifth of the inserts more pages were read or written than in the fifth \
             before.",
            rising.join(", ")
        );
    }
    let more = of_pace(results).into_iter().chain(of_rounds(results)).map(str::to_owned);
    for more in more.chain(of_commits(results)) {
        text += " ";
        text += &more;
    }
    if has_figure(results, "flushed_per_1k") {
        text += " Pages written after the last insert are those that the inserts had changed and that were still to be \
                 written, per 1,000 inserts of the whole run.";
    }
    text
}

/// The durations of statements; `None` where no run timed them.
pub fn latencies(results: &Results) -> Option<Grid> {
    let metrics: Vec<_> = Metric::of_group(Group::Latency).collect();
    grid_of("latency", &metrics, results.runs.iter().filter(|run| run.latency.is_some()))
}

/// The time from making ids to their insert, and the distance of the inserts from the right edge of the
/// table: only figures that any run has.
pub fn clients(results: &Results) -> Option<Grid> {
    let has = |metric: &&Metric| results.runs.iter().any(|run| metric.value(&run.figures()).is_some());
    let metrics: Vec<_> = Metric::of_group(Group::Clients).filter(has).collect();
    grid_of("clients", &metrics, results.runs.iter().filter(|run| run.clients.is_some()))
}

/// A warning if the clients did not keep the pace that was asked for; `None` if they did, or if there was none.
pub fn missed_pace(results: &Results) -> Option<String> {
    /// A run of a few seconds is not exact to a hundredth.
    const KEPT: f64 = 0.97;
    let metric = Metric::named("pace_kept")?;
    let rate = results.workload.rate.filter(|_| results.workload.paced)?;
    let kept = |run: &Run| Some((metric.sample(run)?.min(), run.strategy.title.clone()));
    let missed: Vec<_> = results.runs.iter().filter_map(kept).filter(|(kept, _)| *kept < KEPT).collect();
    let (least, _) = missed.iter().min_by(|a, b| a.0.total_cmp(&b.0))?;
    let names: Vec<_> = missed.iter().map(|(_, title)| format!("\u{201c}{title}\u{201d}")).collect();
    Some(format!(
        "The pace of {rate} rows per second was missed for {}: down to {:.0} % of it. Statements waited for a free client, so \
         the figures are those of clients that insert as fast as the database allows. Choose a lower --rate or more --writers.",
        names.join(", "),
        100.0 * least
    ))
}

/// A warning if clients that are not the lab's wrote to the server meanwhile; `None` if they did not, or if it is not known.
pub fn foreign_writes(results: &Results) -> Option<String> {
    /// A server's own jobs and its monitoring write a little: fewer than one write in a thousand rows. PostgreSQL counts rows,
    /// and its autovacuum writes hundreds of them at once.
    const FEW: f64 = 0.001;
    const FEW_ROWS: f64 = 1_000.0;
    let counts_rows = results.engine.database().is_some_and(|database| !database.speaks_mysql());
    let least = if counts_rows { FEW_ROWS } else { 0.0 };
    let metric = Metric::named("others_writes")?;
    let foreign = |run: &Run| {
        let most = metric.sample(run)?.max();
        (most > least.max(FEW * run.totals.rows as f64)).then(|| (most, run.strategy.title.clone()))
    };
    let found: Vec<_> = results.runs.iter().filter_map(foreign).collect();
    let most = found.iter().map(|(writes, _)| *writes).max_by(f64::total_cmp)?;
    let names: Vec<_> = found.iter().map(|(_, title)| format!("\u{201c}{title}\u{201d}")).collect();
    Some(format!(
        "Other clients wrote to the server during the runs of {}: up to {} writes in a run of {} rows. Figures of the whole server \
         (pages read and written, log, speed) include their work and do not show what the keys cost. Repeat the runs without \
         them; --strict makes such a run fail.",
        names.join(", "),
        count(most as u64),
        count(results.workload.rows)
    ))
}

/// The durations of the operations of each kind: a table for each, with its heading.
pub fn operations(results: &Results) -> Vec<(&'static str, Grid)> {
    let of = |kind: Operation| {
        let group = Group::LatencyOf(kind);
        let has = |run: &&Run| Metric::of_group(group).any(|metric| metric.value(&run.figures()).is_some());
        let rows = results.runs.iter().filter(has).map(|run| row_of(run, Metric::of_group(group)));
        let head = ["strategy", "median", "99th percentile", "99.9th percentile"];
        Grid::of(kind.id(), head, rows).map(|grid| (kind.title(), grid))
    };
    Operation::ALL.into_iter().filter_map(of).collect()
}

/// Figures that only servers count.
pub fn counts(results: &Results) -> Option<Grid> {
    let has = |run: &Run, metric: &Metric| metric.value(&run.figures()).is_some();
    // An embedded engine has only the hit rate of these figures.
    let counts = |run: &&Run| {
        Metric::of_group(Group::Server).any(|metric| metric.name != "hit_rate" && has(run, metric))
    };
    let runs: Vec<&Run> = results.runs.iter().filter(counts).collect();
    // Different servers count different things.
    let metrics: Vec<_> =
        Metric::of_group(Group::Server).filter(|metric| runs.iter().any(|run| has(run, metric))).collect();
    grid_of("counts", &metrics, runs)
}

/// The main table without the spread, for a terminal: the metrics, and a row for each run.
pub fn medians(results: &Results) -> (Vec<&'static Metric>, Vec<(String, Vec<String>)>) {
    let metrics = main_metrics(results);
    let cell = |run, metric: &Metric| write_median(metric, metric.sample(run).as_ref());
    let rows = results
        .runs
        .iter()
        .map(|run| (run.strategy.title.clone(), metrics.iter().map(|metric| cell(run, metric)).collect()));
    let rows = rows.collect();
    (metrics, rows)
}

/// A table of these metrics, with a line for each of these runs.
fn grid_of<'a>(
    id: &'static str,
    metrics: &[&'static Metric],
    runs: impl IntoIterator<Item = &'a Run>,
) -> Option<Grid> {
    let head = std::iter::once("strategy").chain(metrics.iter().map(|metric| metric.title));
    Grid::of(id, head, runs.into_iter().map(|run| row_of(run, metrics.iter().copied())))
}

fn row_of(run: &Run, metrics: impl Iterator<Item = &'static Metric>) -> (String, Vec<String>) {
    let cell = |metric: &'static Metric| write_sample(metric, metric.sample(run).as_ref());
    (run.strategy.title.clone(), metrics.map(cell).collect())
}

/// The figures of the tables' files.
pub fn files(results: &Results) -> Option<Grid> {
    let trees = results.runs.iter().flat_map(|run| run.trees.iter().map(move |tree| (run, tree)));
    let rows = trees.filter_map(|(run, tree)| {
        let file = tree.file.as_ref()?;
        let title = match tree.role {
            Role::Rows | Role::Secondary => run.strategy.title.clone(),
            Role::Map => format!("{}: the map", run.strategy.title),
            Role::Pairs => format!("{}: its pairs", run.strategy.title),
        };
        let half_empty: u64 = tree.fill_histogram.iter().take(10).sum();
        let cells = vec![
            count(file.pages),
            count(tree.leaf_pages),
            count(tree.inner_pages),
            percent(half_empty as f64 / tree.leaf_pages.max(1) as f64),
            percent(file.recent_leaves),
            percent(file.median_age),
        ];
        Some((title, cells))
    });
    let head = [
        "strategy",
        "pages in the file",
        "leaves",
        "above them",
        "leaves less than half full, %",
        "leaves changed in the last tenth of the log, %",
        "age of half of the leaves, % of the log",
    ];
    Grid::of("files", head, rows)
}

/// The published figures beside the measured ones.
pub fn published(results: &Results) -> Option<Grid> {
    let lines = comparisons(results);
    let judged = lines.iter().any(|line| line.met.is_some());
    let has_settings = lines.iter().any(|line| !line.setting.is_empty());
    let rows = lines.into_iter().map(|line| {
        let verdict = judged.then(|| line.verdict().to_owned());
        let mut cells = vec![line.figure.to_owned(), line.published, line.measured, line.difference];
        cells.extend(verdict);
        // The longest cell is the last, so that a narrow screen shows the figures.
        cells.extend(has_settings.then_some(line.setting));
        (line.strategy, cells)
    });
    let mut head = vec!["strategy", "figure", "published", "here", "difference"];
    head.extend(judged.then_some("verdict"));
    head.extend(has_settings.then_some("published run"));
    let texts = std::iter::once(0).chain(has_settings.then(|| head.len() - 2)).collect();
    Grid::of("published", head, rows).map(|grid| Grid { texts, ..grid })
}

/// Names with sentences about the database, the load, the order of the runs, the machine, the time and the
/// version.
pub fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let machine = &results.machine;
    let mut facts = vec![(
        "Database",
        format!("{} {}: {}", results.engine.name, results.engine.version, results.engine.setup),
    )];
    if !results.times_statements() {
        facts.extend(load_facts(&results.workload, results.engine.is_embedded()));
    }
    facts.extend(
        results.protocol.as_ref().map(|protocol| ("Runs", runs(protocol, results.times_statements()))),
    );
    facts.extend(order(results).map(|order| ("Order of the runs", order)));
    facts.extend([
        (
            "Machine",
            format!(
                "{}, {} x {}, {} of memory",
                machine.system,
                machine.processors,
                machine.processor,
                bytes(machine.memory_bytes)
            ),
        ),
        ("Began", results.started.clone()),
        ("idgen", results.idgen_version.clone()),
    ]);
    facts
}

/// Says how often and in which order everything ran.
fn runs(protocol: &Protocol, statements: bool) -> String {
    let order = format!("in a random order (seed {}), {}", protocol.order_seed, protocol.isolation);
    match protocol.repeats {
        1 => format!("one of each, {order}. The spread of the figures is not known; --repeat shows it"),
        repeats if statements => {
            format!(
                "{repeats} of each, in rounds, each round {order}. The time of a case is the median of its runs"
            )
        }
        repeats => format!(
            "{repeats} of each, in rounds, each round {order}, and each run with keys of its own. Tables show the median \
             of each figure and, in brackets, its smallest and largest value; curves and page maps show the run in the middle"
        ),
    }
}

/// Says whether the place of a run in its round had an effect; `None` where the record does not have the
/// order.
fn order(results: &Results) -> Option<String> {
    const LEVEL: f64 = 0.05;
    let metrics = ["last_reads_per_1k", "last_writes_per_1k", "last_rows_per_sec"];
    let tested: Vec<(&Metric, OrderEffect)> = metrics
        .into_iter()
        .filter_map(|name| {
            Metric::named(name).and_then(|metric| Some((metric, order_effect(results, metric)?)))
        })
        .collect();
    let (_, OrderEffect { early, late, least, .. }) = tested.first()?;
    let said: Vec<_> = tested
        .iter()
        .map(|(metric, effect)| {
            let verdict = if effect.p < LEVEL { "an effect" } else { "no effect shows" };
            format!("{}: {verdict} (p {})", metric.title, probability(effect.p))
        })
        .collect();
    let runs = if *early == 1 { "run" } else { "runs" };
    let compared = format!("{early} {runs} in the first half of their round and {late} in the second half");
    Some(match *least < LEVEL {
        true => format!(
            "{compared}, compared within each strategy by an exact rank test at the level of 5 %: {}",
            said.join("; ")
        ),
        false => format!(
            "not tested: {compared} are too few, because an exact rank test of them cannot give a p below {}",
            probability(*least).trim_start_matches("= ")
        ),
    })
}

/// The settings of the database, the same for all runs.
pub fn settings(results: &Results) -> impl Iterator<Item = (&str, &str)> {
    let first = results.runs.first().into_iter().flat_map(|run| &run.settings);
    let first = first.filter(|(name, _)| *name != "table");
    first.chain(&results.settings).map(|(name, value)| (name.as_str(), value.as_str()))
}
