//! The courses of several recorded runs in one chart: a line for each, distinguished by color and by the
//! pattern of its dashes, so that print and color-blind readers lose nothing.

use super::axis::{Axis, round_step};
use super::plot::{COLORS, Legend, Panel, Plot, Series};
use crate::error::{Error, Result};
use crate::figures::numbers::{grouped, rate, short};
use idgen_record::{Results, Run, Window};

/// A chart of several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// The chart as an SVG file.
    pub svg: String,
    /// The names of its lines, in the order of the legend.
    pub lines: Vec<String>,
}

/// A line: its name, and its values over the rows in the table, for each of the panels.
struct Line {
    label: String,
    points: [Vec<(f64, f64)>; 2],
}

/// Lengths of dashes and gaps in turn; none of an unbroken line. One more or less than the colors, so that the two agree again
/// only after all combinations.
const PATTERNS: [&[f64]; 5] =
    [&[], &[9.0, 5.0], &[2.0, 4.0], &[12.0, 4.0, 2.0, 4.0], &[5.0, 3.0, 2.0, 3.0, 2.0, 3.0]];

/// The largest number of lines that a reader can distinguish.
const MOST: usize = 12;

/// Draws pages read and written per 1,000 inserts over the rows in the table, a line for each run: of these results, each with
/// its name, those of these strategies, or all where none is named. Of repeated runs it is the one in the middle.
///
/// # Errors
/// No run has a course, one of the results has none of the strategies, or there are more lines than can be
/// distinguished. The message says what to choose.
pub fn overlaid(results: &[(&str, &Results)], strategies: &[&str]) -> Result<Overlay> {
    let mut lines = Vec::new();
    let names = short_names(&results.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    for ((path, results), name) in results.iter().zip(names) {
        let chosen = |run: &&Run| strategies.is_empty() || strategies.contains(&run.strategy.name.as_str());
        let before = lines.len();
        for run in results.runs.iter().filter(chosen).filter(|run| !run.windows.is_empty()) {
            lines.push(line(&name, run));
        }
        if lines.len() == before {
            let wanted =
                if strategies.is_empty() { "a strategy".to_owned() } else { strategies.join(" or ") };
            let has: Vec<_> = results.runs.iter().map(|run| run.strategy.name.as_str()).collect();
            return Err(Error::refused(format!(
                "{path} has no course of {wanted} to draw; it has {}",
                if has.is_empty() { "no runs of strategies".to_owned() } else { has.join(", ") }
            )));
        }
    }
    if lines.len() > MOST {
        return Err(Error::refused(format!(
            "{} lines are more than can be told apart in one chart: choose at most {MOST}, with --strategies or fewer runs",
            lines.len()
        )));
    }
    let headings = ["pages read per 1,000 inserts", "pages written per 1,000 inserts"];
    let series = |(number, line): (usize, &Line), panel: usize| Series {
        dashes: PATTERNS[number % PATTERNS.len()],
        ..Series::line(line.points[panel].clone(), COLORS[number % COLORS.len()].into(), 2)
    };
    let panel = |(panel, heading): (usize, &str)| {
        let all = lines.iter().enumerate().map(|line| series(line, panel)).collect();
        Panel { heading: heading.into(), ..Panel::of(rows(&lines), values(&lines, panel), all) }
    };
    let entry = |line: (usize, &Line)| (series(line, 0), line.1.label.clone());
    let chart = Plot {
        title: "Pages read and written per 1,000 inserts, over the rows in the table".into(),
        words: in_words(headings, &lines),
        panels: headings.into_iter().enumerate().map(panel).collect(),
        // Long enough that every pattern is seen twice.
        legend: Legend { entries: lines.iter().enumerate().map(entry).collect(), sample: 54 },
    }
    .draw()?;
    Ok(Overlay { svg: chart.file(), lines: lines.into_iter().map(|line| line.label).collect() })
}

/// The axis of the rows, from a round number on.
fn rows(lines: &[Line]) -> Axis {
    let all = || lines.iter().flat_map(|line| line.points.iter().flatten()).map(|point| point.0);
    let last = all().fold(1.0, f64::max);
    let first = all().fold(last, f64::min);
    let step = round_step((last - first).max(1.0) / 3.0);
    Axis::between((first / step).floor() * step, last, step, short)
}

fn values(lines: &[Line], panel: usize) -> Axis {
    let all = lines.iter().flat_map(|line| &line.points[panel]).map(|point| point.1);
    Axis::from_zero(all.fold(1.0, f64::max), grouped)
}

fn line(name: &str, run: &Run) -> Line {
    let course = |of: fn(&Window) -> f64| {
        let points = run.windows.iter().map(|window| (window.rows_end as f64, of(window)));
        points.filter(|point| point.1.is_finite()).collect()
    };
    let title = &run.strategy.title;
    Line {
        label: if name.is_empty() { title.clone() } else { format!("{name}: {title}") },
        points: [course(|window| window.reads_per_1k), course(|window| window.writes_per_1k)],
    }
}

fn in_words(headings: [&str; 2], lines: &[Line]) -> String {
    let course = |heading: &str, points: &[(f64, f64)]| match (points.first(), points.last()) {
        (Some(first), Some(last)) => {
            format!(
                "{heading} from {} at {} rows to {} at {}",
                rate(first.1),
                grouped(first.0),
                rate(last.1),
                grouped(last.0)
            )
        }
        _ => format!("{heading} unknown"),
    };
    let said = lines.iter().map(|line| {
        let courses: Vec<_> =
            headings.iter().zip(&line.points).map(|(heading, points)| course(heading, points)).collect();
        format!("{}: {}", line.label, courses.join("; "))
    });
    format!("{}.", said.collect::<Vec<_>>().join(". "))
}

/// Paths without the directories that all begin with, and without the name of the file.
fn short_names(paths: &[&str]) -> Vec<String> {
    let parts: Vec<Vec<&str>> = paths
        .iter()
        .map(|path| path.split('/').filter(|part| !part.is_empty() && *part != "results.json").collect())
        .collect();
    let first = parts.first().map_or(&[][..], Vec::as_slice);
    let common = |place: &usize| parts.iter().all(|parts| parts.get(*place) == first.get(*place));
    let shared = (0..first.len()).take_while(common).count();
    parts.iter().map(|parts| parts.get(shared..).unwrap_or_default().join("/")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_what_differs() {
        assert_eq!(
            short_names(&["a/b/mysql/order", "a/b/mariadb/order/results.json"]),
            ["mysql/order", "mariadb/order"]
        );
        assert_eq!(short_names(&["/x/a", "/x/a/b"]), ["", "b"]);
        assert_eq!(short_names(&["same"]), [""]);
    }

    #[test]
    fn every_line_has_a_color_and_a_pattern_of_its_own() {
        let looks: std::collections::BTreeSet<_> =
            (0..MOST).map(|line| (line % COLORS.len(), line % PATTERNS.len())).collect();
        assert_eq!(looks.len(), MOST);
    }
}
