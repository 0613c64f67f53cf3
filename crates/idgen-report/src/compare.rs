//! Compares two recorded runs: the differences in their settings, and the figures of both with their ratio.

mod page;
mod settings;
mod show;

use serde::Serialize;

use crate::error::{Error, Result};
use crate::figures::numbers;
use crate::figures::timed::words;
use idgen_record::{EngineInfo, Family, Group, METRICS, Metric, Results, Run, Sample, rank_test, smallest_p};

pub use page::comparison_page;
pub use settings::Difference;
pub use show::comparison;
#[cfg(test)]
pub(crate) use show::comparison_of;

/// Two recorded runs, A and B, with what they have in common.
#[derive(Clone, Debug, Serialize)]
pub struct Compared {
    /// The first.
    pub a: Side,
    /// The second.
    pub b: Side,
    /// The settings in which the runs of A and B differ. Everything else was the same.
    pub differences: Vec<Difference>,
    /// Sentences about the effect of these differences, and of interruptions, on the figures.
    pub cautions: Vec<String>,
    /// The strategies or timed statements that both have, in the order of A.
    pub strategies: Vec<Pair>,
    /// The rule by which figures differ, and how many do, in one or two sentences.
    pub conclusion: String,
    /// The titles of what only A has.
    pub only_in_a: Vec<String>,
    /// The titles of what only B has.
    pub only_in_b: Vec<String>,
}

/// A figure of a comparison.
pub(crate) struct Shown {
    /// The name in [`Ratio`].
    pub name: String,
    pub title: String,
    /// The heading of a narrow column, in lines.
    pub head: String,
    /// The metric, or one that is written alike.
    pub metric: &'static Metric,
}

impl Compared {
    /// The figures that any strategy has in both: the metrics in the order of a report, then those of indexes and counters.
    pub(crate) fn shown(&self) -> Vec<Shown> {
        let (mut shown, mut others): (Vec<Shown>, Vec<Shown>) = (Vec::new(), Vec::new());
        for found in self.strategies.iter().flat_map(|pair| &pair.figures) {
            let (name, metric) = (found.name.clone(), found.like);
            if shown.iter().chain(&others).any(|known| known.name == name) {
                continue;
            }
            if metric.name == name {
                shown.push(Shown { name, title: metric.title.into(), head: metric.head.into(), metric });
            } else {
                let title = words(&name);
                others.push(Shown { name, head: title.replace(' ', "\n"), title, metric });
            }
        }
        let place = |name: &str| METRICS.iter().position(|metric| metric.name == name);
        shown.sort_by_key(|shown| {
            let group = match shown.metric.group {
                Group::Figures | Group::Timed => 0,
                Group::Whole => 1,
                _ => 2,
            };
            (group, place(&shown.name))
        });
        shown.extend(others);
        shown
    }
}

/// One of the two records, A or B.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Side {
    /// The name, usually the path of its file.
    pub name: String,
    /// The question of its experiment.
    pub question: String,
    /// The database.
    pub engine: EngineInfo,
    /// The time at which the first run began: RFC 3339, UTC.
    pub started: String,
    /// The command that made it.
    pub command: String,
}

/// A strategy or a statement in both.
#[derive(Clone, Debug, Serialize)]
pub struct Pair {
    /// The name of the strategy or statement.
    pub name: String,
    /// The title, for people.
    pub title: String,
    /// The family of the strategy's ids, which decides the color of the bar.
    #[serde(skip)]
    pub family: Family,
    /// Each figure that both have.
    pub figures: Vec<Ratio>,
}

impl Pair {
    /// Returns the figure with this name in A and B; `None` where one of them does not have it.
    pub fn figure(&self, name: &str) -> Option<&Ratio> {
        self.figures.iter().find(|found| found.name == name)
    }
}

/// A figure in A and in B.
#[derive(Clone, Debug, Serialize)]
pub struct Ratio {
    /// The name in `results.json`, preceded by the name of the index if it is a figure of one.
    pub name: String,
    #[serde(skip)]
    pub(crate) like: &'static Metric,
    /// The median of the runs of A.
    pub a: f64,
    /// The median of the runs of B.
    pub b: f64,
    /// B divided by A; `None` where A is 0.
    pub ratio: Option<f64>,
    /// True if A and B differ by more than the noise, by the rule of [`Sample::differs`].
    pub differs: bool,
    /// The probability of ranks this far apart, or further, if nothing differed; `None` where one of them has a single run.
    pub p: Option<f64>,
    /// The value of each run of A.
    pub a_runs: Vec<f64>,
    /// The value of each run of B.
    pub b_runs: Vec<f64>,
}

impl Ratio {
    /// Compares two samples with the noise of a metric: that of the figure, or one that is written alike.
    fn of(name: &str, like: &'static Metric, a: &Sample, b: &Sample) -> Self {
        let (a_median, b_median) = (a.median(), b.median());
        let ratio = (a_median != 0.0).then(|| b_median / a_median).filter(|ratio| ratio.is_finite());
        let several = a.runs() > 1 && b.runs() > 1;
        Ratio {
            name: name.into(),
            like,
            a: a_median,
            b: b_median,
            ratio,
            differs: b.differs(a, like.noise).is_some(),
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
    if strategies.is_empty() {
        return Err(Error::refused(format!(
            "nothing to compare: {a_name} has {}, {b_name} has {}; choose two runs of one experiment, or run the \
             same strategies (idgen lab run --strategies)",
            contents(a),
            contents(b)
        )));
    }
    let only = |one: &Results, other: &Results| {
        let runs = one.runs.iter().filter(|run| other.run(&run.strategy.name).is_none());
        runs.map(|run| run.title().to_owned()).collect()
    };
    let differences = settings::differences(a, b);
    Ok(Compared {
        conclusion: conclusion(&strategies),
        cautions: settings::cautions(a, b, &differences),
        a: side(a_name, a),
        b: side(b_name, b),
        differences,
        strategies,
        only_in_a: only(a, b),
        only_in_b: only(b, a),
    })
}

fn pair(a: &Run, b: &Run) -> Pair {
    let metrics = Metric::compared(a)
        .filter_map(|metric| Some(Ratio::of(metric.name, metric, &metric.sample(a)?, &metric.sample(b)?)));
    let theirs = b.details();
    let details = a.details().into_iter().filter_map(|mine| {
        let other = theirs.iter().find(|other| other.name == mine.name)?;
        let [a, b] = [mine.value, other.value].map(|value| Sample::of(vec![value]));
        Some(Ratio::of(&mine.name, mine.metric()?, &a?, &b?))
    });
    Pair {
        name: a.strategy.name.clone(),
        title: a.title().to_owned(),
        family: a.strategy.family(),
        figures: metrics.chain(details).collect(),
    }
}

/// Writes the number of figures that differ, the number of runs behind that, and the smallest p that a rank
/// test could give.
fn conclusion(strategies: &[Pair]) -> String {
    let figures = || strategies.iter().flat_map(|pair| &pair.figures);
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

fn side(name: &str, results: &Results) -> Side {
    Side {
        name: name.into(),
        question: results.question.clone(),
        engine: results.engine.clone(),
        started: results.started.clone(),
        command: results.command.clone(),
    }
}

/// Lists the runs of a record, at most eight, for the error message.
fn contents(results: &Results) -> String {
    let mut names: Vec<_> = results.runs.iter().map(|run| run.strategy.name.as_str()).collect();
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
