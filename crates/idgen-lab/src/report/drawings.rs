//! The charts of a report, each with its name and its caption, for the page, the Markdown and the files.

mod cases;

use super::charts::{Bar, Chart, Maps, Scale, bars, course, pages};
use super::maps::map;
use super::numbers::{count, percent, rate};
use crate::Result;
use idgen_record::{FileMaps, Results, Role, RunRecord, TreeFigures};
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
        Ok(Drawings {
            touched: touched(results)?,
            maps,
            pages_per_square,
            space: space(results)?,
            courses: results.runs.iter().map(|run| one_course(results, run)).collect::<Result<_>>()?,
            cases: cases::cases(results)?,
        })
    }

    /// All of them, in the order of the report.
    pub fn all(&self) -> impl Iterator<Item = &Drawing> {
        [&self.cases, &self.touched, &self.maps, &self.space, &self.courses].into_iter().flatten()
    }
}

fn touched(results: &Results) -> Result<Vec<Drawing>> {
    let chart = |name: &str, title: &str, caption, value: fn(&RunRecord) -> f64| {
        if results.runs.iter().all(|run| value(run).is_nan()) {
            return Ok(None);
        }
        let rows: Vec<_> =
            results.runs.iter().map(|run| bar(run, value(run), rate(value(run)), None)).collect();
        bars(title, &rows, Scale::Log).map(|chart| Some(drawing(name, title, caption, chart)))
    };
    let charts = [
        chart(
            "leaves",
            "Different leaf pages per 1,000 inserts",
            "Logarithmic scale. The mean number of leaf pages that hold 1,000 consecutive rows after the run.",
            |run| run.totals.distinct_leaves_per_1k,
        )?,
        chart(
            "reads",
            "Pages read per 1,000 inserts",
            "Logarithmic scale. Pages read from the file because they were no longer in the cache.",
            |run| run.totals.reads_per_1k,
        )?,
        chart(
            "writes",
            "Pages written per 1,000 inserts",
            if results.engine.is_embedded() {
                "Logarithmic scale. Pages written to the file, at the commit, or earlier if the cache was full."
            } else {
                "Logarithmic scale. Pages are written when the pool needs space, when too much of it has been changed, or \
                 when the log fills up, so a slower load writes more."
            },
            |run| run.totals.writes_per_1k,
        )?,
    ];
    Ok(charts.into_iter().flatten().collect())
}

fn space(results: &Results) -> Result<Vec<Drawing>> {
    let of = |make: fn(&RunRecord) -> Bar| results.runs.iter().map(make).collect::<Vec<_>>();
    let fill = of(|run| {
        let totals = &run.totals;
        bar(run, totals.fill_mean * 100.0, percent(totals.fill_mean), Some(totals.fill_p10 * 100.0))
    });
    let size = of(|run| bar(run, run.totals.bytes_per_row, format!("{:.0}", run.totals.bytes_per_row), None));
    let mut drawings = vec![drawing(
        "size",
        "Bytes per row",
        "All pages of all trees, per row.",
        bars("Bytes per row", &size, Scale::Linear)?,
    )];
    if results.runs.iter().any(|run| !run.totals.fill_mean.is_nan()) {
        let fill = drawing(
            "fill",
            "Fill of the leaf pages, %",
            "Bytes in use. The bar is the mean, and the vertical mark is the tenth percentile.",
            bars("Fill of the leaf pages in percent", &fill, Scale::UpTo(100.0))?,
        );
        drawings.insert(0, fill);
    }
    Ok(drawings)
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

fn bar(run: &RunRecord, value: f64, written: String, mark: Option<f64>) -> Bar {
    Bar { label: run.strategy.title.clone(), family: run.strategy.family, value, written, mark }
}

/// A name from a record may have been written by hand: nothing of it leads out of the directory.
fn file_name(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '-' }).collect()
}
