//! Two recorded runs side by side: what differs in how they were made, then the figures of both with their ratio.

mod page;
mod record;
mod settings;
mod show;

use serde::Serialize;

use super::cases::case_figures;
use crate::{Error, Result};
use idgen_record::{CaseRecord, EngineInfo, Family, Metric, Results, RunRecord};

pub use page::comparison_html;
pub use record::open;
pub use settings::Difference;
pub use show::comparison;

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
    /// The family of the strategy's ids; of a statement none. It colours the bar.
    #[serde(skip)]
    pub family: Option<Family>,
    /// Each figure that both have.
    pub figures: Vec<Ratio>,
}

impl Pair {
    /// What both have of this metric.
    pub fn figure(&self, metric: &Metric) -> Option<&Ratio> {
        self.figures.iter().find(|found| found.name == metric.name)
    }
}

/// One figure in both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Ratio {
    /// Its name in `results.json`; before it the index that it is of.
    pub name: String,
    /// In A.
    pub a: f64,
    /// In B.
    pub b: f64,
    /// B divided by A; nothing where A is zero.
    pub ratio: Option<f64>,
}

impl Ratio {
    fn of(name: &str, a: f64, b: f64) -> Self {
        Ratio { name: name.into(), a, b, ratio: (a != 0.0).then(|| b / a).filter(|ratio| ratio.is_finite()) }
    }
}

/// Sets two results side by side, each with its name.
///
/// # Errors
/// Where they have no strategy and no timed statement in common: the message lists what each has.
pub fn compare((a_name, a): (&str, &Results), (b_name, b): (&str, &Results)) -> Result<Compared> {
    let strategies: Vec<_> =
        a.runs.iter().filter_map(|run| Some(pair(run, b.run(&run.strategy.name)?))).collect();
    let cases = cases(a, b);
    if strategies.is_empty() && cases.is_empty() {
        return Err(Error::refused(format!(
            "nothing to compare: {a_name} has {}, {b_name} has {}; choose two runs of one experiment, or run the \
             same strategies (idgen lab run --strategies)",
            contents(a),
            contents(b)
        )));
    }
    let only = |one: &Results, other: &Results| {
        let runs = one.runs.iter().filter(|run| other.run(&run.strategy.name).is_none());
        let cases =
            one.cases.iter().filter(|case| other.cases.iter().all(|found| known(found) != known(case)));
        runs.map(|run| run.strategy.title.clone()).chain(cases.map(case_title)).collect()
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
    let figures = Metric::compared().filter_map(|metric| {
        let value = |run: &RunRecord| metric.number(&run.figures());
        Some(Ratio::of(metric.name, value(a)?, value(b)?))
    });
    Pair {
        name: a.strategy.name.clone(),
        title: a.strategy.title.clone(),
        family: Some(a.strategy.family),
        figures: figures.collect(),
    }
}

/// By what a case is known: its name, its clients, the rows of a statement.
fn known(case: &CaseRecord) -> (&str, Option<(u32, u32)>) {
    (&case.name, case.load.as_ref().map(|load| (load.clients, load.statement_rows)))
}

fn case_title(case: &CaseRecord) -> String {
    match &case.load {
        Some(load) => {
            format!("{}, {} clients, {} rows a statement", case.name, load.clients, load.statement_rows)
        }
        None => case.name.clone(),
    }
}

/// Every figure of every case that both have; what was published is no measurement.
fn cases(a: &Results, b: &Results) -> Vec<Pair> {
    let (a_figures, b_figures) = (case_figures(a), case_figures(b));
    let pair = |case: &CaseRecord| {
        let of_case =
            a_figures.iter().filter(|found| found.case == case && !found.name.starts_with("published"));
        let figures = of_case.filter_map(|mine| {
            let other = b_figures.iter().find(|theirs| {
                known(theirs.case) == known(case) && (theirs.index, theirs.name) == (mine.index, mine.name)
            })?;
            Some(Ratio::of([mine.index, mine.name].join(" ").trim(), mine.value, other.value))
        });
        let title = case_title(case);
        Pair { name: case.name.clone(), title, family: None, figures: figures.collect() }
    };
    let both = a.cases.iter().filter(|case| b.cases.iter().any(|other| known(other) == known(case)));
    both.map(pair).collect()
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
