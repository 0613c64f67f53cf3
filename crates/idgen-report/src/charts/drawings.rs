//! The charts of a report with their names and captions, for the page, for Markdown and for files.

mod operations;
mod timed;

pub use operations::latencies;
pub use timed::timed;

use crate::charts::{Bar, Chart, Course, Maps, bars, course, pages};
use crate::error::Result;
use crate::figures::asked::main_metrics;
use crate::figures::maps::map;
use crate::figures::numbers::{count, write_median};
use idgen_record::{Axis, FileMaps, Group, METRICS, Metric, Results, Role, Run, Sample, TreeFigures};
use innodb_pages::{Cell, Measure, PageMap};

/// A chart with its file name, its heading and its caption.
#[derive(Debug)]
pub struct Drawing {
    /// The name of its file, without the ending.
    pub name: String,
    /// The title, and the text beside it in smaller type.
    pub heading: String,
    pub beside: String,
    /// The caption.
    pub caption: &'static str,
    pub chart: Chart,
}

impl Drawing {
    /// A chart with a heading and a caption, and nothing beside the heading.
    pub fn of(name: &str, heading: &str, caption: &'static str, chart: Chart) -> Self {
        Drawing { name: name.into(), heading: heading.into(), beside: String::new(), caption, chart }
    }

    /// Returns true for a map of the pages of a file, which takes less space on a page.
    pub fn is_map(&self) -> bool {
        self.name.starts_with(MAP)
    }
}

/// The beginning of the names of the maps of pages.
const MAP: &str = "pages-";

/// The charts of the metrics that any run has: those on a logarithmic axis, and the others.
pub fn of_metrics(results: &Results) -> Result<[Vec<Drawing>; 2]> {
    let (mut touched, mut space) = (Vec::new(), Vec::new());
    // The order is that of the main table: the metrics of the answer come first.
    let main = main_metrics(results);
    let place = |metric: &&'static Metric| {
        let shown = metric.shown(&results.runs).map_or("", |shown| shown.name);
        main.iter().position(|other| other.name == shown).unwrap_or(main.len())
    };
    let mut metrics: Vec<&'static Metric> = METRICS.iter().collect();
    metrics.sort_by_key(place);
    for metric in metrics {
        let (Some(axis), Some(chart)) = (metric.axis, metric.chart) else { continue };
        let mark = chart.mark.and_then(Metric::named);
        // The heading says what is shown: the end of the run, or the mean of the run in its place.
        let Some(shown) = metric.shown(&results.runs) else { continue };
        let beside = match (shown.name == metric.name, metric.instead, shown.group) {
            (true, Some(_), Group::Figures) if axis == Axis::Log => {
                "at the end: the last tenth of the inserts"
            }
            (false, _, Group::Whole) => "mean of the whole run, because the record does not tell of its end",
            (false, _, _) => shown.title,
            _ => "",
        };
        let bar = |run: &Run| one_bar(run, shown, mark);
        let rows: Vec<_> = results.runs.iter().map(bar).collect();
        let caption =
            chart.embedded_caption.filter(|_| results.engine.is_embedded()).unwrap_or(chart.caption);
        let title =
            if beside.is_empty() { chart.title.to_owned() } else { format!("{}, {beside}", chart.title) };
        let drawing = Drawing {
            beside: if beside.is_empty() { String::new() } else { format!("({beside})") },
            ..Drawing::of(chart.file, chart.title, caption, bars(&title, &rows, axis)?)
        };
        if axis == Axis::Log { touched.push(drawing) } else { space.push(drawing) }
    }
    Ok([touched, space])
}

/// The bar of a run: the median, and each run where there are several.
fn one_bar(run: &Run, metric: &Metric, mark: Option<&Metric>) -> Bar {
    let sample = metric.sample(run);
    let median = |metric: &Metric| metric.sample(run).map_or(f64::NAN, |sample| sample.median());
    let values = sample.iter().filter(|sample| sample.runs() > 1).flat_map(Sample::values);
    Bar {
        label: run.strategy.title.clone(),
        family: run.strategy.family(),
        value: median(metric),
        written: write_median(metric, sample.as_ref()),
        mark: mark.map(median),
        points: values.copied().collect(),
    }
}

/// A chart for each run that has windows.
pub fn courses(results: &Results, kind: Course) -> Result<Vec<Drawing>> {
    let name = match kind {
        Course::Pages => "io",
        Course::Throughput => "course",
    };
    let runs = results.runs.iter().filter(|run| !run.windows.is_empty());
    let one = |run: &Run| {
        Ok(Drawing {
            name: format!("{name}-{}", file_name(&run.strategy.name)),
            heading: run.strategy.title.clone(),
            beside: format!("({})", run.strategy.family().title()),
            caption: "",
            chart: course(results, run, kind)?,
        })
    };
    runs.map(one).collect()
}

/// The maps of all files, with the same number of pages in a square and of squares in a row.
pub fn maps(results: &Results) -> Result<(usize, Vec<Drawing>)> {
    let files: Vec<_> = results.runs.iter().flat_map(files_of).collect();
    let per_square = files.iter().map(|found| found.file.pages_per_cell).max().unwrap_or(1).max(1);
    let most = files.iter().map(|found| {
        let file = found.file;
        file.fill.trim_end_matches('.').len() as u64 * file.pages_per_cell
    });
    let columns = if most.max().unwrap_or(0).div_ceil(per_square) > 1_024 { 64 } else { 32 };
    let drawings = files.iter().map(|found| draw(found, per_square, columns));
    Ok((usize::try_from(per_square).unwrap_or(1), drawings.collect::<Result<_>>()?))
}

/// A file, and the trees of a run that it holds.
struct FileOf<'a> {
    run: &'a Run,
    file: &'a FileMaps,
    trees: Vec<&'a TreeFigures>,
}

/// A map and its pairs are two indexes of one table and one file, so its pages are drawn once.
fn files_of(run: &Run) -> Vec<FileOf<'_>> {
    let mut files: Vec<FileOf<'_>> = Vec::new();
    for tree in &run.trees {
        let Some(file) = tree.file.as_ref() else { continue };
        let of_rows = |trees: &[&TreeFigures]| trees.iter().any(|tree| tree.role == Role::Rows);
        match files.iter_mut().find(|found| tree.role != Role::Rows && !of_rows(&found.trees)) {
            Some(found) => found.trees.push(tree),
            None => files.push(FileOf { run, file, trees: vec![tree] }),
        }
    }
    files
}

fn draw(found: &FileOf<'_>, per_square: u64, columns: usize) -> Result<Drawing> {
    let FileOf { run, file, trees } = found;
    let together = usize::try_from(per_square / file.pages_per_cell.max(1)).unwrap_or(1);
    let maps = Maps {
        fill: used(map(file, Measure::Fill)?.condensed(together)),
        recency: used(map(file, Measure::Recency)?.condensed(together)),
    };
    let title = &run.strategy.title;
    let (heading, suffix) = match trees[..] {
        [tree] if tree.role == Role::Rows => (title.clone(), ""),
        [_] => (format!("{title}: the map"), "-map"),
        _ => (format!("{title}: the map and its pairs"), "-map"),
    };
    let trees: Vec<String> = trees.iter().map(|tree| in_words(tree)).collect();
    let words = format!("{} pages{}", count(file.pages), trees.concat());
    Ok(Drawing {
        name: format!("{MAP}{}{suffix}", file_name(&run.strategy.name)),
        chart: pages(
            &maps,
            columns,
            &format!("The pages of {heading}: fill, and time of the last change"),
            words,
        ),
        heading,
        beside: format!("{} pages", count(file.pages)),
        caption: "",
    })
}

/// The map without the free pages at the end, which the server allocated in advance.
fn used(mut map: PageMap) -> PageMap {
    let end = map.cells.iter().rposition(|cell| *cell != Cell::Free).map_or(0, |last| last + 1);
    map.cells.truncate(end);
    map
}

/// The caption of a tree's maps.
fn in_words(tree: &TreeFigures) -> String {
    let share = |from: usize, to: usize| {
        let part: u64 = tree.fill_histogram.iter().take(to).skip(from).sum();
        format!("{:.0} %", part as f64 / tree.leaf_pages.max(1) as f64 * 100.0)
    };
    let of = match tree.role {
        Role::Rows | Role::Secondary => "",
        Role::Map => " of the map",
        Role::Pairs => " of its pairs",
    };
    let recent = tree.file.as_ref().map_or(0.0, |file| file.recent_leaves);
    format!(
        "; {} leaves{of}: {} less than half full, {} up to three quarters, {} fuller, {:.0} % changed in the last \
         tenth of the run",
        count(tree.leaf_pages),
        share(0, 10),
        share(10, 15),
        share(15, usize::MAX),
        recent * 100.0
    )
}

/// A file name made of a name in a record. A record may be edited by hand, so the file name never leads out of the
/// directory.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
