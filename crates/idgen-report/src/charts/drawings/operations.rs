//! Charts of the durations of the operations of each kind.

use super::Drawing;
use crate::charts::{Bar, bars};
use crate::error::Result;
use crate::figures::numbers::{sentence_case, write_median};
use idgen_record::{Axis, Group, Metric, Operation, Results, Run, Sample};

/// A chart for each kind of operation that occurred: the 99th percentile as a bar, and the median as a mark.
pub fn latencies(results: &Results) -> Result<Vec<Drawing>> {
    let kinds = Operation::ALL.into_iter().filter_map(|kind| of_kind(results, kind).transpose());
    kinds.collect()
}

fn of_kind(results: &Results, kind: Operation) -> Result<Option<Drawing>> {
    let mut metrics = Metric::of_group(Group::LatencyOf(kind));
    let (Some(median), Some(slow)) = (metrics.next(), metrics.next()) else { return Ok(None) };
    let millis = |metric: &Metric, run: &Run| -> Option<Vec<f64>> {
        let sample = metric.sample(run)?;
        Some(sample.values().iter().map(|micros| micros / 1_000.0).collect())
    };
    let middle = |values: Vec<f64>| Sample::of(values).map(|sample| sample.median());
    let bar = |run: &Run| {
        let points = millis(slow, run)?;
        Some(Bar {
            label: run.strategy.title.clone(),
            family: run.strategy.family(),
            value: middle(points.clone())?,
            written: write_median(slow, slow.sample(run).as_ref()),
            mark: millis(median, run).and_then(middle),
            points: if points.len() > 1 { points } else { Vec::new() },
        })
    };
    let rows: Vec<_> = results.runs.iter().filter_map(bar).collect();
    if rows.is_empty() {
        return Ok(None);
    }
    let heading = sentence_case(kind.plural());
    let title = format!("{heading}: 99th percentile in milliseconds");
    let drawing = Drawing::of(
        &format!("latency-{}", kind.id()),
        &heading,
        "Milliseconds. The bar is the 99th percentile, and the vertical mark is the median.",
        bars(&title, &rows, Axis::Linear)?,
    );
    Ok(Some(Drawing { beside: "(99th percentile of the latency)".into(), ..drawing }))
}
