//! The courses of several recorded runs in one chart.

use crate::charts::{MOST_OVERLAID, Overlaid, overlay};
use crate::error::{Error, Result};
use idgen_record::{Results, Run, Window};

/// A chart of several runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overlay {
    /// As an SVG file.
    pub svg: String,
    /// The names of its lines, in the order of the legend.
    pub lines: Vec<String>,
}

/// Draws pages read and written per 1,000 inserts over the rows in the table, a line for each run: of these results, each with
/// its name, those of these strategies, or all where none is named. Of repeated runs it is the one in the middle.
///
/// # Errors
/// No run has a course, one of the results has none of the strategies, or there are more lines than can be told apart. The
/// message says what to choose.
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
    if lines.len() > MOST_OVERLAID {
        return Err(Error::refused(format!(
            "{} lines are more than can be told apart in one chart: choose at most {MOST_OVERLAID}, with --strategies or fewer runs",
            lines.len()
        )));
    }
    let title = "Pages read and written per 1,000 inserts, over the rows in the table";
    let chart = overlay(title, ["pages read per 1,000 inserts", "pages written per 1,000 inserts"], &lines)?;
    Ok(Overlay { svg: chart.file(), lines: lines.into_iter().map(|line| line.label).collect() })
}

fn line(name: &str, run: &Run) -> Overlaid {
    let course = |of: fn(&Window) -> f64| {
        let points = run.windows.iter().map(|window| (window.rows_end as f64, of(window)));
        points.filter(|point| point.1.is_finite()).collect()
    };
    let title = &run.strategy.title;
    Overlaid {
        label: if name.is_empty() { title.clone() } else { format!("{name}: {title}") },
        points: [course(|window| window.reads_per_1k), course(|window| window.writes_per_1k)],
    }
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
}
