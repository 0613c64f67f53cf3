//! The charts of a report, each with its name and its caption, for the page, the Markdown and the files.

mod cases;

use super::charts::{Bar, Chart, Maps, Scale, bars, course, pages};
use super::maps::map;
use super::numbers::{count, write};
use crate::Result;
use idgen_record::{Axis, FileMaps, METRICS, Metric, Results, Role, RunRecord, TreeFigures};
use innodb_pages::{Cell, Measure, PageMap};

/// One chart.
pub struct Drawing {
    /// The name of its file, without the ending.
    pub name: String,
    /// What stands above it, and in smaller type beside that.
    pub heading: String,
    pub beside: String,
    /// What stands below.
    pub caption: &'static str,
    pub chart: Chart,
}

/// All charts, by the part of the report that they belong to.
#[derive(Default)]
pub struct Drawings {
    pub touched: Vec<Drawing>,
    pub maps: Vec<Drawing>,
    /// How many pages a square of the maps stands for.
    pub pages_per_square: usize,
    pub space: Vec<Drawing>,
    pub courses: Vec<Drawing>,
    /// Those of an experiment of statements.
    pub cases: Vec<Drawing>,
}

impl Drawings {
    /// Draws what there are figures for.
    ///
    /// # Errors
    /// Where a chart has no room, or where a map in the record is damaged.
    pub fn of(results: &Results) -> Result<Self> {
        if results.runs.is_empty() {
            return Ok(Drawings { cases: cases::cases(results)?, ..Drawings::default() });
        }
        let (pages_per_square, maps) = maps(results)?;
        let [touched, space] = of_metrics(results)?;
        Ok(Drawings {
            touched,
            maps,
            pages_per_square,
            space,
            courses: results.runs.iter().map(|run| one_course(results, run)).collect::<Result<_>>()?,
            cases: cases::cases(results)?,
        })
    }

    /// All of them, in the order of the report.
    pub fn all(&self) -> impl Iterator<Item = &Drawing> {
        [&self.cases, &self.touched, &self.maps, &self.space, &self.courses].into_iter().flatten()
    }
}

/// The charts of the metrics that any run has: those on a logarithmic axis, and the others.
fn of_metrics(results: &Results) -> Result<[Vec<Drawing>; 2]> {
    let (mut touched, mut space) = (Vec::new(), Vec::new());
    for metric in METRICS {
        let (Some(axis), Some(chart)) = (metric.axis, metric.chart) else { continue };
        let scale = Scale::from(axis);
        let mark = chart.mark.and_then(Metric::named);
        let of = |metric: &Metric, run: &RunRecord| metric.number(&run.figures()).unwrap_or(f64::NAN);
        if results.runs.iter().all(|run| of(metric, run).is_nan()) {
            continue;
        }
        let bar = |run: &RunRecord| Bar {
            label: run.strategy.title.clone(),
            family: run.strategy.family,
            value: scale.of(of(metric, run)),
            written: write(metric.unit, of(metric, run)),
            mark: mark.map(|mark| scale.of(of(mark, run))),
        };
        let rows: Vec<_> = results.runs.iter().map(bar).collect();
        let caption =
            chart.embedded_caption.filter(|_| results.engine.is_embedded()).unwrap_or(chart.caption);
        let drawing = drawing(chart.file, chart.title, caption, bars(chart.title, &rows, scale)?);
        if axis == Axis::Log { touched.push(drawing) } else { space.push(drawing) }
    }
    Ok([touched, space])
}

fn one_course(results: &Results, run: &RunRecord) -> Result<Drawing> {
    Ok(Drawing {
        name: format!("course-{}", file_name(&run.strategy.name)),
        heading: run.strategy.title.clone(),
        beside: format!("({})", run.strategy.family.title()),
        caption: "",
        chart: course(results, run)?,
    })
}

/// The maps of all files, with the same number of pages in a square and of squares in a row.
fn maps(results: &Results) -> Result<(usize, Vec<Drawing>)> {
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

/// A file, and the trees of a run that lie in it.
struct FileOf<'a> {
    run: &'a RunRecord,
    file: &'a FileMaps,
    trees: Vec<&'a TreeFigures>,
}

/// A map and its pairs are two indexes of one table, so of one file: its pages are drawn once.
fn files_of(run: &RunRecord) -> Vec<FileOf<'_>> {
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
        name: format!("pages-{}{suffix}", file_name(&run.strategy.name)),
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

/// Without the free pages at the end, which the server asked for ahead.
fn used(mut map: PageMap) -> PageMap {
    let end = map.cells.iter().rposition(|cell| *cell != Cell::Free).map_or(0, |last| last + 1);
    map.cells.truncate(end);
    map
}

/// What one sees of a tree on the maps of its file.
fn in_words(tree: &TreeFigures) -> String {
    let share = |from: usize, to: usize| {
        let part: u64 = tree.fill_histogram.iter().take(to).skip(from).sum();
        format!("{:.0} %", part as f64 / tree.leaf_pages.max(1) as f64 * 100.0)
    };
    let of = match tree.role {
        Role::Rows => "",
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

fn drawing(name: &str, heading: &str, caption: &'static str, chart: Chart) -> Drawing {
    Drawing { name: name.into(), heading: heading.into(), beside: String::new(), caption, chart }
}

/// A name from a record may have been written by hand: nothing of it leads out of the directory.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
