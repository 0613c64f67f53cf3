//! Runs an experiment of visits: each cell by each strategy.

use super::{Cancel, Failure, Observer, run_one};
use crate::engine::{Engine, Role};
use crate::experiment::{CaseRecord, Revisits, Scale, VisitFigures};
use crate::strategy::Strategy;
use crate::{Error, Result, Workload};

struct Unobserved;

impl Observer for Unobserved {
    fn failed(&mut self, _: &Failure) {}
}

/// Runs every cell of this scale by these strategies and gives each record, verified, to `done`.
///
/// # Errors
/// Those of the engine, of the check after each run and of `done`; `is_interrupted` where the user cancelled.
pub fn revisit(
    engine: &mut dyn Engine,
    experiment: &Revisits,
    scale: Scale,
    strategies: &[&Strategy],
    cancel: &Cancel,
    done: &mut dyn FnMut(CaseRecord) -> Result<()>,
) -> Result<()> {
    engine.heed(cancel);
    for workload in experiment.workloads(scale)? {
        for strategy in strategies {
            engine.check(strategy, &workload)?;
            let run = run_one(engine, strategy, &workload, cancel, &mut Unobserved)?;
            let tree = run.tree(Role::Rows).ok_or_else(|| {
                Error::config("the server does not show its pages: choose sqlite, mysql or mariadb")
            })?;
            let figures = VisitFigures {
                leaf_pages: tree.leaf_pages,
                fill_mean: tree.fill_mean,
                fill_p10: tree.fill_p10,
                reads_per_1k: run.totals.reads_per_1k,
                writes_per_1k: run.totals.writes_per_1k,
                ..VisitFigures::of(experiment, strategy, &workload)
            };
            done(CaseRecord::of_visits(figures, run.totals.secs))?;
        }
    }
    Ok(())
}

impl VisitFigures {
    /// Of a table that nothing is known of yet.
    pub(crate) fn of(experiment: &Revisits, strategy: &Strategy, workload: &Workload) -> Self {
        let visits = workload.visits;
        VisitFigures {
            strategy: strategy.name.into(),
            visits: visits.map_or(1, |visits| visits.rounds),
            rows_per_visit: workload.rows_per_visit(),
            buckets: visits.map_or(1, |visits| visits.buckets),
            rows: workload.rows,
            leaf_pages: 0,
            fill_mean: 0.0,
            fill_p10: 0.0,
            reads_per_1k: 0.0,
            writes_per_1k: 0.0,
            earlier_fill: experiment.earlier_fill(strategy.name, workload),
        }
    }
}

impl CaseRecord {
    /// The record of a table of visits, filled in so many seconds.
    pub(crate) fn of_visits(figures: VisitFigures, secs: f64) -> Self {
        CaseRecord {
            name: format!("{} x {} rows, {}", figures.visits, figures.rows_per_visit, figures.strategy),
            secs,
            runs: vec![secs],
            visits: Some(figures),
            ..CaseRecord::default()
        }
    }
}
