//! Two recorded runs side by side: how they were made differently, and the figures of both with their ratio.

mod page;
mod settings;
mod show;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::figures::case_figures::case_figures;
use crate::figures::numbers;
use idgen_record::{
    CaseRecord, EngineInfo, Family, Group, Metric, Noise, Results, RunRecord, Sample, rank_test, smallest_p,
};

pub use page::comparison_html;
pub use settings::Difference;
pub use show::comparison;
#[cfg(test)]
pub(crate) use show::comparison_of;

/// Two recorded runs, A and B, with what they have in common.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Compared {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// How they were made differently. Everything else was the same.
    pub differences: Vec<Difference>,
    /// What these differences, and interruptions, mean for the figures, in a sentence each.
    pub cautions: Vec<String>,
    /// The strategies that both have, in the order of A.
    pub strategies: Vec<Pair>,
    /// The timed statements that both have.
    pub cases: Vec<Pair>,
    /// The rule by which figures differ, and how many do, in one or two sentences.
    pub conclusion: String,
    /// The titles of what only A has.
    pub only_in_a: Vec<String>,
    /// The titles of what only B has.
    pub only_in_b: Vec<String>,
}

impl Compared {
    /// The metrics that any strategy has in both, in the order of a report.
    pub(crate) fn metrics(&self) -> Vec<&'static Metric> {
        let has = |metric: &&Metric| self.strategies.iter().any(|pair| pair.figure(metric).is_some());
        let mut metrics: Vec<_> = Metric::compared().filter(has).collect();
        metrics.sort_by_key(|metric| match metric.group {
            Group::Figures => 0,
            Group::Whole => 1,
            _ => 2,
        });
        metrics
    }
}

/// One of the two.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// Its name, usually the path of its file.
    pub name: String,
    /// Its question.
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
    /// The family of the strategy's ids, which decides the color of the bar; `None` for a statement.
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
    /// Its name in `results.json`, preceded by the name of its index if it has one.
    pub name: String,
    /// In A: the median of the runs.
    pub a: f64,
    /// In B.
    pub b: f64,
    /// B divided by A; `None` where A is 0.
    pub ratio: Option<f64>,
    /// Whether they differ by more than the noise, by the rule of [`Sample::differs`].
    pub differs: bool,
    /// The probability of ranks this far apart, or further, if nothing differed; `None` where one of them has a single run.
    pub p: Option<f64>,
    /// The value of each run of A.
    pub a_runs: Vec<f64>,
    /// The value of each run of B.
    pub b_runs: Vec<f64>,
}

impl Ratio {
    fn of(name: &str, a: &Sample, b: &Sample, noise: Noise) -> Self {
        let (a_median, b_median) = (a.median(), b.median());
        let ratio = (a_median != 0.0).then(|| b_median / a_median).filter(|ratio| ratio.is_finite());
        let several = a.runs() > 1 && b.runs() > 1;
        Ratio {
            name: name.into(),
            a: a_median,
            b: b_median,
            ratio,
            differs: b.differs(a, noise).is_some(),
            p: several.then(|| rank_test(a.values(), b.values())),
            a_runs: a.values().to_vec(),
            b_runs: b.values().to_vec(),
        }
    }

    /// The ratio, or the words "no difference".
    pub(crate) fn verdict(&self, none: &str) -> String {
        if self.differs { numbers::ratio(self.ratio) } else { none.into() }
    }

    /// The values of A, or those of B.
    pub(crate) fn samples(&self) -> [Option<Sample>; 2] {
        [&self.a_runs, &self.b_runs].map(|values| Sample::of(values.clone()))
    }
}

/// Compares two results, each with its name.
///
/// # Errors
/// They have no strategy and no timed statement in common. The message lists what each has.
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
        conclusion: conclusion(&strategies, &cases),
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
        Some(Ratio::of(metric.name, &metric.sample(a)?, &metric.sample(b)?, metric.noise))
    });
    Pair {
        name: a.strategy.name.clone(),
        title: a.strategy.title.clone(),
        family: Some(a.strategy.family),
        figures: figures.collect(),
    }
}

/// How many figures differ, the number of runs behind that, and what a rank test could show.
fn conclusion(strategies: &[Pair], cases: &[Pair]) -> String {
    let figures = || strategies.iter().chain(cases).flat_map(|pair| &pair.figures);
    let differ = figures().filter(|figure| figure.differs).count();
    let runs = |of: fn(&Ratio) -> usize| figures().map(of).min().unwrap_or(0);
    let (a, b) = (runs(|figure| figure.a_runs.len()), runs(|figure| figure.b_runs.len()));
    let rule = if a > 1 && b > 1 {
        format!(
            "Figures are medians of at least {a} runs in A and {b} in B. They differ where the ranges of the runs do not \
             overlap, the ratio of the medians is larger than that of the largest to the smallest value of either, and the medians are further apart than what the metric calls noise; an \
             exact rank test of {a} runs against {b} cannot give a p below {}.",
            numbers::probability(smallest_p(a, b)).trim_start_matches("= ")
        )
    } else {
        "A or B has a single run of a load, whose spread is not known: figures differ where they are further apart than runs \
         of one load were recorded to be."
            .to_owned()
    };
    format!("{differ} of {} figures differ. {rule}", figures().count())
}

/// What identifies a case: its name, its clients and the rows of a statement.
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

/// Every figure of every case that both have, except for published figures.
fn cases(a: &Results, b: &Results) -> Vec<Pair> {
    let (a_figures, b_figures) = (case_figures(a), case_figures(b));
    let pair = |case: &CaseRecord| {
        let of_case =
            a_figures.iter().filter(|found| found.case == case && !found.name.starts_with("published"));
        let figures = of_case.filter_map(|mine| {
            let other = b_figures.iter().find(|theirs| {
                known(theirs.case) == known(case) && (theirs.index, theirs.name) == (mine.index, mine.name)
            })?;
            let name = [mine.index, mine.name].join(" ");
            Some(Ratio::of(name.trim(), &mine.sample()?, &other.sample()?, mine.noise()))
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

/// What a file has, for the error message.
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
