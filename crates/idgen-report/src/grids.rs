//! The tables of a report, for the page and the Markdown alike.

use super::load::load_facts;
use super::numbers::{bytes, count, percent, write_median, write_sample};
use super::published::comparisons;
use idgen_record::{Group, Metric, Protocol, Results, Role, RunRecord};

/// One table: a name for each row, and its cells.
pub struct Grid {
    /// Of its heading in a page.
    pub id: &'static str,
    /// Above the columns, the one with the names first.
    pub head: Vec<&'static str>,
    pub rows: Vec<(String, Vec<String>)>,
    /// How many of the cells of a row, from the first, are text.
    pub texts: usize,
}

/// The figures that every database gives.
pub fn figures(results: &Results) -> Grid {
    Grid {
        id: "table",
        head: head(Group::Figures),
        rows: results.runs.iter().map(|run| row(run, Group::Figures)).collect(),
        texts: 0,
    }
}

/// How long statements took, where there are any to time.
pub fn latencies(results: &Results) -> Option<Grid> {
    let timed = results.runs.iter().filter(|run| run.latency.is_some());
    let rows = timed.map(|run| row(run, Group::Latency)).collect();
    some(Grid { id: "latency", head: head(Group::Latency), rows, texts: 0 })
}

/// What only servers count.
pub fn counts(results: &Results) -> Option<Grid> {
    let has = |run: &RunRecord, metric: &Metric| metric.value(&run.figures()).is_some();
    // An embedded engine tells its hit rate, but counts nothing else of these.
    let counts = |run: &&RunRecord| {
        Metric::of_group(Group::Server).any(|metric| metric.name != "hit_rate" && has(run, metric))
    };
    let runs: Vec<&RunRecord> = results.runs.iter().filter(counts).collect();
    // Servers of different makes count different things.
    let metrics: Vec<&Metric> =
        Metric::of_group(Group::Server).filter(|metric| runs.iter().any(|run| has(run, metric))).collect();
    let head = std::iter::once("strategy").chain(metrics.iter().map(|metric| metric.title)).collect();
    let rows = runs.iter().map(|run| row_of(run, metrics.iter().copied())).collect();
    some(Grid { id: "counts", head, rows, texts: 0 })
}

/// The same without the spread, for a narrow screen.
pub fn medians(results: &Results) -> impl Iterator<Item = (String, Vec<String>)> {
    let cells = |run| {
        let cell = |metric: &'static Metric| write_median(metric.unit, metric.sample(run).as_ref());
        Metric::of_group(Group::Figures).map(cell).collect()
    };
    results.runs.iter().map(move |run| (run.strategy.title.clone(), cells(run)))
}

fn head(group: Group) -> Vec<&'static str> {
    std::iter::once("strategy").chain(Metric::of_group(group).map(|metric| metric.title)).collect()
}

fn row(run: &RunRecord, group: Group) -> (String, Vec<String>) {
    row_of(run, Metric::of_group(group))
}

fn row_of(run: &RunRecord, metrics: impl Iterator<Item = &'static Metric>) -> (String, Vec<String>) {
    let cell = |metric: &'static Metric| write_sample(metric.unit, metric.sample(run).as_ref());
    (run.strategy.title.clone(), metrics.map(cell).collect())
}

/// What the files of the tables say.
pub fn files(results: &Results) -> Option<Grid> {
    let trees = results.runs.iter().flat_map(|run| run.trees.iter().map(move |tree| (run, tree)));
    let rows = trees.filter_map(|(run, tree)| {
        let file = tree.file.as_ref()?;
        let title = match tree.role {
            Role::Rows => run.strategy.title.clone(),
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
    let head = vec![
        "strategy",
        "pages in the file",
        "leaves",
        "above them",
        "leaves less than half full, %",
        "leaves changed in the last tenth of the log, %",
        "age of half of the leaves, % of the log",
    ];
    some(Grid { id: "files", head, rows: rows.collect(), texts: 0 })
}

/// The published figures beside the measured ones.
pub fn published(results: &Results) -> Option<Grid> {
    let lines = comparisons(results);
    let judged = lines.iter().any(|line| line.met.is_some());
    let rows = lines.into_iter().map(|line| {
        let verdict = judged.then(|| line.verdict().to_owned());
        let mut cells =
            vec![line.setting, line.figure.to_owned(), line.published, line.measured, line.difference];
        cells.extend(verdict);
        (line.strategy, cells)
    });
    let mut head = vec!["strategy", "published run", "figure", "published", "here", "difference"];
    head.extend(judged.then_some("verdict"));
    some(Grid { id: "published", head, rows: rows.collect(), texts: 2 })
}

fn some(grid: Grid) -> Option<Grid> {
    (!grid.rows.is_empty()).then_some(grid)
}

/// Where and how it ran, in names and sentences.
pub fn facts(results: &Results) -> Vec<(&'static str, String)> {
    let machine = &results.machine;
    let mut facts = vec![(
        "Database",
        format!("{} {}: {}", results.engine.name, results.engine.version, results.engine.setup),
    )];
    if !results.times_statements() {
        facts.extend(load_facts(&results.workload, results.engine.is_embedded()));
    }
    facts.extend(results.protocol.as_ref().map(|protocol| ("Runs", runs(protocol))));
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

/// How often and in which order everything ran.
fn runs(protocol: &Protocol) -> String {
    let order = format!("in a random order (seed {}), {}", protocol.order_seed, protocol.isolation);
    match protocol.repeats {
        1 => format!("one of each, {order}. The spread of the figures is not known; --repeat shows it"),
        repeats => format!(
            "{repeats} of each, in rounds, each round {order}, and each run with keys of its own. Tables show the median \
             of each figure and, in brackets, its smallest and largest value; curves and page maps show the run in the middle"
        ),
    }
}

/// The settings of the database, the same for all runs and cases.
pub fn settings(results: &Results) -> impl Iterator<Item = (&str, &str)> {
    let first = results.runs.first().into_iter().flat_map(|run| &run.settings);
    let first = first.filter(|(name, _)| *name != "table");
    first.chain(&results.settings).map(|(name, value)| (name.as_str(), value.as_str()))
}
