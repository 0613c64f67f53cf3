//! Predicts how the inserts of a key strategy spread over the ranges and nodes of a sharded database, and recommends a key
//! for one.
//!
//! The cost of a row matters less than the node that writes it: if all inserts of a moment go to one range,
//! one node does all the work, and more nodes help nothing.

mod advise;
mod engine;
mod load;
mod text;

use serde::Serialize;

use crate::forecast::{FORMAT, Keys};
use crate::strategy::Strategy;
use crate::{Error, Result};
pub use advise::{Advice, Candidate, advise};
pub use engine::{ENGINES, Engine, Rule, read_spread};
pub use load::Load;
use range_model::{Key, Shares, Table};

/// The parts of a run. After each, ranges are split by their load, and the balancer runs.
const STEPS: u64 = 50;
/// Steps of a window, which has figures of its own.
const WINDOW: usize = 5;

/// The prediction for one strategy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Forecast {
    /// The version of this form: a change that breaks readers raises it.
    pub format: u32,
    /// The strategy's name.
    pub strategy: &'static str,
    /// The load of the prediction.
    pub load: Load,
    /// The ranges of the model are this many times smaller than the real ones, and there are as many.
    pub scale: u64,
    /// The ten parts of the run, from the first to the last.
    pub windows: Vec<Window>,
    /// The second half of the run.
    pub late: Window,
    /// Splits in the whole run.
    pub splits: u64,
    /// Moves in the whole run.
    pub moves: u64,
}

/// The figures of a part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Window {
    /// Rows in the table at the end.
    pub rows: u64,
    /// Ranges at the end.
    pub ranges: u64,
    /// The share of the inserts of a moment that the hottest range gets, 0 to 1.
    pub hottest_range: f64,
    /// The share of the inserts of a moment that the hottest node gets, 0 to 1.
    pub hottest_node: f64,
    /// The share of the inserts of a moment that the coldest node gets, 0 to 1.
    pub coldest_node: f64,
    /// Ranges that a statement of one writer touches.
    pub ranges_per_statement: f64,
}

/// The counts of a step.
#[derive(Clone, Copy)]
struct Step {
    rows: u64,
    ranges: u64,
    moment: Shares,
    touched: f64,
}

impl Window {
    fn of(steps: &[Step]) -> Window {
        let moments: Vec<Shares> = steps.iter().map(|step| step.moment).collect();
        let mean = Shares::mean(&moments);
        let last = steps.last();
        Window {
            rows: last.map_or(0, |step| step.rows),
            ranges: last.map_or(0, |step| step.ranges),
            hottest_range: mean.hottest_range,
            hottest_node: mean.hottest_node,
            coldest_node: mean.coldest_node,
            ranges_per_statement: steps.iter().map(|step| step.touched).sum::<f64>() / steps.len() as f64,
        }
    }
}

/// Runs the model for one strategy.
///
/// ```
/// use idgen_lab::ranges::{Engine, Load, predict};
/// use idgen_lab::strategy::find;
///
/// let engine = Engine::find("cockroachdb")?;
/// let load = Load { range_bytes: 1 << 20, ..Load::new(100_000, engine) };
/// let (ordered, random) = (predict(find("v7-binary")?, &load)?, predict(find("v4-binary")?, &load)?);
/// assert_eq!(ordered.late.hottest_node, 1.0);
/// assert!(random.late.hottest_node < 0.5);
/// # Ok::<(), idgen_lab::Error>(())
/// ```
///
/// # Errors
/// The load is not one that such a table could have, or a generator refuses it.
pub fn predict(strategy: &'static Strategy, load: &Load) -> Result<Forecast> {
    predict_on(strategy, load, load.scale(load::MOST_FOLLOWED))
}

/// Predicts with ranges that are smaller by `scale`. Each has fewer rows, and there are as many ranges; the
/// rows of an interval of a prefix are fewer by the same factor. The inserts of a moment are those of the
/// real rate.
fn predict_on(strategy: &'static Strategy, load: &Load, scale: u64) -> Result<Forecast> {
    load.check(strategy)?;
    let mut table = Table::new(&load.settings(scale)).map_err(refused)?;
    let bytes = load.bytes_of(strategy);
    let mut source = Source { load, sorted_by: Vec::new() };
    let before = load.existing.map_or(0, |(_, rows)| rows / scale);
    if let Some((old, _)) = load.existing {
        let mut keys = Keys::existing(old, &load.makers(scale), before)?;
        for row in 1..=before {
            table.insert(source.key(keys.next_key()?), bytes);
            if row % before.div_ceil(STEPS) == 0 {
                table.balance();
            }
        }
        table.balance();
    }
    let rows = load.rows / scale;
    let mut keys = Keys::new(strategy, &load.makers(scale), 1)?.after(before);
    let mut steps: Vec<Step> = Vec::new();
    for step in 0..STEPS {
        let (first, end) = (rows * step / STEPS, rows * (step + 1) / STEPS);
        let next = source.take(&mut keys, end - first)?;
        let moment = if scale == 1 {
            next[..next.len().min(load.moment_rows as usize)].to_vec()
        } else {
            let mut keys = Keys::new(strategy, &load.makers_at(first * scale), 1)?
                .after(load.existing_rows() + first * scale);
            source.take(&mut keys, load.moment_rows)?
        };
        let (shares, touched) = (table.shares(&moment), load.touched(&table, &moment));
        next.into_iter().for_each(|key| table.insert(key, bytes));
        table.balance();
        let rows = table.rows() * scale;
        steps.push(Step { rows, ranges: table.ranges(), moment: shares, touched });
    }
    Ok(Forecast {
        format: FORMAT,
        strategy: strategy.name,
        load: load.clone(),
        scale,
        windows: steps.chunks(WINDOW).map(Window::of).collect(),
        late: Window::of(&steps[steps.len() / 2..]),
        splits: table.splits(),
        moves: table.moves(),
    })
}

/// Makes what the table is sorted by from what generators make.
struct Source<'a> {
    load: &'a Load,
    sorted_by: Vec<u8>,
}

impl Source<'_> {
    fn key(&mut self, id: &[u8]) -> Key {
        self.load.spread.apply(id, &mut self.sorted_by);
        Key::of(&self.sorted_by)
    }

    fn take(&mut self, keys: &mut Keys, count: u64) -> Result<Vec<Key>> {
        (0..count).map(|_| Ok(self.key(keys.next_key()?))).collect()
    }
}

/// Passes each key of the rows of a load to `visit`, as the table is sorted, in the order of the inserts.
///
/// # Errors
/// The load is not one that such a table could have, or a generator refuses it.
#[doc(hidden)]
pub fn each_key(strategy: &'static Strategy, load: &Load, visit: &mut dyn FnMut(&[u8])) -> Result<()> {
    load.check(strategy)?;
    let mut keys = Keys::new(strategy, &load.makers(1), 1)?;
    let mut sorted_by = Vec::new();
    for _ in 0..load.rows {
        load.spread.apply(keys.next_key()?, &mut sorted_by);
        visit(&sorted_by);
    }
    Ok(())
}

fn refused(error: range_model::Error) -> Error {
    Error::config(error.to_string())
}
