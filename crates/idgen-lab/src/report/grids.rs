//! The tables of a report, for the page and the Markdown alike.

use super::load::load_facts;
use super::numbers::{bytes, count, grouped, percent, rate};
use super::published::comparisons;
use idgen_record::{Results, Role, RunRecord};

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
    let row = |run: &RunRecord| {
        let totals = &run.totals;
        let cells = vec![
            grouped(totals.rows_per_sec),
            grouped(totals.last_rows_per_sec),
            rate(totals.reads_per_1k),
            rate(totals.writes_per_1k),
            rate(totals.distinct_leaves_per_1k),
            percent(totals.fill_mean),
            percent(totals.fill_p10),
            format!("{:.1}", totals.bytes_per_row),
        ];
        (run.strategy.title.clone(), cells)
    };
    Grid {
        id: "table",
        head: vec![
            "strategy",
            "rows/s",
            "rows/s, last tenth",
            "read per 1k",
            "written per 1k",
            "leaves per 1k",
            "fill %, mean",
            "fill %, p10",
            "bytes per row",
        ],
        rows: results.runs.iter().map(row).collect(),
        texts: 0,
    }
}

/// How long statements took, where there are any to time.
pub fn latencies(results: &Results) -> Option<Grid> {
    let row = |run: &RunRecord| {
        let latency = run.latency?;
        let micros = |count: u64| grouped(count as f64);
        let cells = vec![
            micros(latency.p50_micros),
            micros(latency.p95_micros),
            micros(latency.p99_micros),
            micros(latency.max_micros),
        ];
        Some((run.strategy.title.clone(), cells))
    };
    let head = vec!["strategy", "half take at most", "95 %", "99 %", "longest"];
    some(Grid { id: "latency", head, rows: results.runs.iter().filter_map(row).collect(), texts: 0 })
}

/// What only servers count.
pub fn counts(results: &Results) -> Option<Grid> {
    let row = |run: &RunRecord| {
        let totals = &run.totals;
        let splits = |splits: f64| format!("{splits:.2}");
        let all = [
            totals.splits_per_1k.map(splits),
            totals.created_per_1k.map(rate),
            totals.disk_reads_per_1k.map(rate),
            totals.redo_bytes_per_row.map(grouped),
        ];
        let counted = all.iter().any(Option::is_some);
        let hits = totals.hit_rate.map(|hits| format!("{:.2}", hits * 100.0));
        let cells = all.into_iter().chain([hits]).map(|cell| cell.unwrap_or_else(|| "–".into())).collect();
        counted.then(|| (run.strategy.title.clone(), cells))
    };
    let head = vec![
        "strategy",
        "page splits per 1k",
        "pages created per 1k",
        "waits for the disk per 1k",
        "log bytes per row",
        "answered by the pool, %",
    ];
    some(Grid { id: "counts", head, rows: results.runs.iter().filter_map(row).collect(), texts: 0 })
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
    let rows = comparisons(results).into_iter().map(|line| {
        let cells =
            vec![line.setting, line.figure.to_owned(), line.published, line.measured, line.difference];
        (line.strategy, cells)
    });
    let head = vec!["strategy", "published run", "figure", "published", "here", "difference"];
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

/// The settings of the database, the same for all runs and cases.
pub fn settings(results: &Results) -> impl Iterator<Item = (&str, &str)> {
    let first = results.runs.first().into_iter().flat_map(|run| &run.settings);
    let first = first.filter(|(name, _)| *name != "table");
    first.chain(&results.settings).map(|(name, value)| (name.as_str(), value.as_str()))
}
