//! Two recorded runs side by side: what differs in how they were made, then each figure with its ratio.

mod page;
mod record;
mod settings;
mod show;

use serde::Serialize;

use super::published::figure;
use crate::engine::EngineInfo;
use crate::measure::{Results, RunRecord};
use crate::{Error, Result};

pub use page::comparison_html;
pub use record::open;
pub use settings::Difference;
pub use show::comparison;

/// The figures that are compared, by the name of their field in [`Totals`](crate::measure::Totals).
const MEASURES: [&str; 10] = [
    "rows_per_sec",
    "last_rows_per_sec",
    "reads_per_1k",
    "writes_per_1k",
    "splits_per_1k",
    "distinct_leaves_per_1k",
    "fill_mean",
    "fill_p10",
    "bytes_per_row",
    "map_bytes_per_row",
];

/// Two recorded runs, A and B, with what they have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// In what they were made differently; what is not here was the same.
    pub differences: Vec<Difference>,
    /// What these differences, and interruptions, mean for the figures: a sentence each.
    pub cautions: Vec<String>,
    /// The strategies that both have, in the order of A.
    pub strategies: Vec<Pair>,
    /// The timed statements that both have.
    pub cases: Vec<Pair>,
    /// What A has and B has not, by its title.
    pub only_in_a: Vec<String>,
    /// What B has and A has not.
    pub only_in_b: Vec<String>,
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// What it is called: usually the path of its file.
    pub name: String,
    /// What it asked.
    pub question: String,
    /// The database.
    pub engine: EngineInfo,
    /// When it began: RFC 3339, UTC.
    pub started: String,
    /// The command that made it.
    pub command: String,
}

/// A strategy or a statement in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pair {
    /// The name of the strategy; of a statement its title.
    pub name: String,
    /// For people.
    pub title: String,
    /// Each figure that both have.
    pub figures: Vec<Ratio>,
}

/// One figure in both.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Its name in `results.json`.
    pub name: &'static str,
    /// In A.
    pub a: f64,
    /// In B.
    pub b: f64,
    /// B divided by A; nothing where A is zero.
    pub ratio: Option<f64>,
}

impl Ratio {
    fn of(name: &'static str, a: f64, b: f64) -> Self {
        Ratio { name, a, b, ratio: (a != 0.0).then(|| b / a).filter(|ratio| ratio.is_finite()) }
    }
}

/// Sets two results side by side, each with its name.
///
/// # Errors
/// Where they have no strategy and no timed statement in common: the message lists what each has.
pub fn compare((a_name, a): (&str, &Results), (b_name, b): (&str, &Results)) -> Result<Compared> {
    let strategies: Vec<_> =
        a.runs.iter().filter_map(|run| Some(pair(run, b.run(&run.strategy.name)?))).collect();
    let cases: Vec<_> = a
        .cases
        .iter()
        .filter_map(|case| {
            let other = b.cases.iter().find(|other| other.name == case.name)?;
            let figures = vec![Ratio::of("secs", case.secs, other.secs)];
            Some(Pair { name: case.name.clone(), title: case.name.clone(), figures })
        })
        .collect();
    if strategies.is_empty() && cases.is_empty() {
        return Err(Error::config(format!(
            "nothing to compare: {a_name} has {}, {b_name} has {}; choose two runs of one experiment, or run the \
             same strategies (idgen lab run --strategies)",
            contents(a),
            contents(b)
        )));
    }
    let only = |one: &Results, other: &Results| {
        let runs = one.runs.iter().filter(|run| other.run(&run.strategy.name).is_none());
        let cases = one.cases.iter().filter(|case| other.cases.iter().all(|found| found.name != case.name));
        runs.map(|run| run.strategy.title.clone()).chain(cases.map(|case| case.name.clone())).collect()
    };
    let differences = settings::differences(a, b);
    Ok(Compared {
        cautions: settings::cautions(a, b, &differences),
        a: side(a_name, a),
        b: side(b_name, b),
        differences,
        strategies,
        cases,
        only_in_a: only(a, b),
        only_in_b: only(b, a),
    })
}

fn pair(a: &RunRecord, b: &RunRecord) -> Pair {
    let figures = MEASURES.into_iter().filter_map(|name| {
        let figure = figure(name)?;
        Some(Ratio::of(name, figure.value(&a.totals)?, figure.value(&b.totals)?))
    });
    Pair { name: a.strategy.name.clone(), title: a.strategy.title.clone(), figures: figures.collect() }
}

fn side(name: &str, results: &Results) -> Side {
    Side {
        name: name.into(),
        question: results.question.clone(),
        engine: results.engine.clone(),
        started: results.started.clone(),
        command: results.command.clone(),
    }
}

/// What a file has, for the message.
fn contents(results: &Results) -> String {
    let runs = results.runs.iter().map(|run| run.strategy.name.as_str());
    let cases = results.cases.iter().map(|case| case.name.as_str());
    let mut names: Vec<_> = runs.chain(cases).collect();
    let more = names.len().saturating_sub(8);
    names.truncate(8);
    match (names.is_empty(), more) {
        (true, _) => "no finished run".into(),
        (false, 0) => names.join(", "),
        (false, more) => format!("{} and {more} more", names.join(", ")),
    }
}

#[cfg(test)]
mod tests;
