//! Draws one figure of a record: every run as a point, and the differences between the strategies.

use crate::charts::strips;
use crate::figures::asked::asked;
use crate::figures::grid::{Data, Grid};
use crate::figures::numbers::{probability, ratio, write};
use crate::figures::timed::first_of;
use crate::formats::blocks::{Block, Part};
use idgen_record::{Axis, Better, METRICS, Metric, Results, Run, Sample, Unit, rank_test};

/// The figures that a site shows of a record: those that its answer is about, then the others with a chart.
pub(super) fn figures(results: &Results) -> Vec<&'static Metric> {
    let mut figures: Vec<&'static Metric> = Vec::new();
    let timed = results.times_statements().then_some("secs");
    let asked = timed.into_iter().chain(asked(results)).filter_map(Metric::named);
    let charted = METRICS.iter().filter(|metric| metric.chart.is_some());
    for metric in asked.chain(charted.filter_map(|metric| metric.shown(&results.runs))) {
        let is_new = figures.iter().all(|other| other.name != metric.name);
        if is_new && results.runs.iter().any(|run| metric.sample(run).is_some()) {
            figures.push(metric);
        }
    }
    figures
}

/// Returns the values by which the filters show and hide the row of a run.
pub(super) fn data_of(results: &Results, run: &Run) -> Data {
    let clients = run.load.map_or(results.workload.writers, |load| load.clients);
    vec![("kind", kind_of(run)), ("clients", clients.to_string())]
}

/// The kind of the ids of a run, as records name it.
fn kind_of(run: &Run) -> String {
    let name = run.strategy.key.and_then(|key| serde_json::to_value(key.ids).ok());
    name.and_then(|name| Some(name.as_str()?.to_owned())).unwrap_or_else(|| "statement".to_owned())
}

/// The table of a figure, with a point for every run.
pub(super) fn block(results: &Results, metric: &'static Metric, id: &str) -> Block {
    let runs: Vec<(&Run, Sample)> =
        results.runs.iter().filter_map(|run| Some((run, metric.sample(run)?))).collect();
    let repeated = runs.iter().any(|(_, sample)| sample.runs() > 1);
    let (against, base) = base(results, metric, &runs);
    let text = |value: f64| write(metric.unit, value);
    let row = |(run, sample): &(&Run, Sample)| {
        let mut cells = vec![text(sample.median())];
        let other = base(run).filter(|(other, _)| !std::ptr::eq(*other, *run));
        if repeated {
            let (least, most) = (text(sample.min()), text(sample.max()));
            cells.push(if least == most { least } else { format!("{least}\u{2013}{most}") });
        }
        if against.is_some() {
            cells.push(other.map_or_else(String::new, |(_, other)| times(metric, sample, other)));
        }
        if against.is_some() && repeated {
            let tested = other.filter(|(_, other)| sample.runs().min(other.runs()) > 1);
            let p = tested.map(|(_, other)| probability(rank_test(sample.values(), other.values())));
            cells.push(p.unwrap_or_default().trim_start_matches("= ").to_owned());
        }
        if repeated {
            cells.push(sample.values().iter().map(|value| text(*value)).collect::<Vec<_>>().join("; "));
        }
        (run.title().to_owned(), cells)
    };
    let head = [
        Some(if results.times_statements() { "case" } else { "strategy" }),
        Some(if repeated { "median" } else { "value" }),
        repeated.then_some("smallest\u{2013}largest"),
        against,
        against.and_then(|_| repeated.then_some("p")),
        repeated.then_some("the runs, in their order"),
    ];
    let head: Vec<String> = head.into_iter().flatten().map(str::to_owned).collect();
    let axis = metric.axis.unwrap_or(Axis::Linear);
    // Values are scaled as the cells have them; an axis of percent writes shares so by itself.
    let scale = match metric.unit {
        Unit::Micros => 1e-3,
        Unit::Share(_) if axis != Axis::Percent => 100.0,
        _ => 1.0,
    };
    let scaled = |sample: &Sample| sample.values().iter().map(|value| value * scale).collect();
    let points: Vec<_> = runs.iter().map(|(run, sample)| (run.strategy.family(), scaled(sample))).collect();
    let grid = Grid {
        id: id.to_owned().into(),
        texts: if repeated { vec![head.len() - 2] } else { Vec::new() },
        head,
        rows: runs.iter().map(row).collect(),
        data: runs.iter().map(|(run, _)| data_of(results, run)).collect(),
        strips: Some(strips(&points, axis)),
    };
    Block::Part(Part {
        data: vec![("figure", metric.name.to_owned())],
        blocks: vec![Block::Heading(4, grid.id.clone(), metric.title.to_owned()), Block::Table(grid)],
        ..Part::default()
    })
}

/// Returns the run with which another one is compared.
type Base<'a> = Box<dyn Fn(&Run) -> Option<(&'a Run, &'a Sample)> + 'a>;

/// The heading of the comparison, and the run with which another one is compared: the best, or of timed statements the first of
/// its load; none for the steps of one table, which are no alternatives.
fn base<'a>(
    results: &'a Results,
    metric: &Metric,
    runs: &'a [(&'a Run, Sample)],
) -> (Option<&'static str>, Base<'a>) {
    let median = |of: &&(&Run, Sample)| of.1.median();
    let best = match metric.better {
        _ if results.times_statements() => None,
        Better::Lower => runs.iter().min_by(|a, b| median(a).total_cmp(&median(b))),
        // The first of several equal ones, as for the lowest.
        Better::Higher => runs.iter().rev().max_by(|a, b| median(a).total_cmp(&median(b))),
        Better::Neither => None,
    };
    let found = |run: &'a Run| runs.iter().find(|(other, _)| std::ptr::eq(*other, run));
    if let Some((best, sample)) = best.filter(|_| runs.len() > 1) {
        return (Some("times the best"), Box::new(move |_| Some((best, sample))));
    }
    let alternatives = results.runs.iter().all(|run| run.trees.is_empty());
    if results.times_statements() && metric.name == "secs" && alternatives && runs.len() > 1 {
        let first = move |run: &Run| {
            let (first, sample) = found(first_of(results, run)?)?;
            Some((*first, sample))
        };
        return (Some("times the first"), Box::new(first));
    }
    (None, Box::new(|_| None))
}

/// The ratio of two medians, or that there is no difference.
fn times(metric: &Metric, sample: &Sample, other: &Sample) -> String {
    match sample.differs(other, metric.noise) {
        None => "no difference".to_owned(),
        // A multiple of what an idle database does means nothing.
        Some(difference) if difference.from.abs() < metric.noise.floor.max(1e-9) => "differs".to_owned(),
        Some(difference) => ratio(Some(difference.to / difference.from)),
    }
}
