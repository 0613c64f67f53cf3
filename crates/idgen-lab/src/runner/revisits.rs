//! Runs an experiment of visits: each cell by each strategy.

use super::observer::Observer;
use super::single::run_one;
use crate::cancel::Cancel;
use crate::engine::Engine;
use crate::experiment::{Revisits, Scale};
use crate::strategy::Strategy;
use crate::{Error, Result};
use idgen_record::{CaseRecord, Failure, Role, VisitFigures, Workload};

struct Unobserved;

impl Observer for Unobserved {
    fn failed(&mut self, _: &Failure) {}
}

/// Runs every cell of this scale with these strategies, and passes each verified record to `done`.
///
/// # Errors
/// The errors of the engine, of the check after each run and of `done`; `is_interrupted` if the user cancelled.
pub fn revisit(
    engine: &mut dyn Engine,
    experiment: &Revisits,
    scale: Scale,
    strategies: &[&Strategy],
    cancel: &Cancel,
    done: &mut dyn FnMut(CaseRecord) -> Result<()>,
) -> Result<()> {
    engine.watch(cancel);
    each_cell(experiment, scale, strategies, &mut |strategy, workload| {
        engine.check(strategy, workload)?;
        let run = run_one(engine, strategy, workload, cancel, &mut Unobserved)?;
        let tree = run.tree(Role::Rows).ok_or_else(|| {
            Error::config("the server does not show its pages: choose sqlite, mysql or mariadb")
        })?;
        let figures = VisitFigures {
            leaf_pages: tree.leaf_pages,
            fill_mean: tree.fill_mean,
            fill_p10: tree.fill_p10,
            reads_per_1k: run.totals.reads_per_1k,
            writes_per_1k: run.totals.writes_per_1k,
            ..experiment.figures(strategy, workload)
        };
        done(CaseRecord::of_visits(figures, run.totals.secs))
    })
}

/// Calls `run` for each cell of this scale with each strategy.
pub(crate) fn each_cell(
    experiment: &Revisits,
    scale: Scale,
    strategies: &[&Strategy],
    run: &mut dyn FnMut(&Strategy, &Workload) -> Result<()>,
) -> Result<()> {
    for workload in experiment.workloads(scale)? {
        for strategy in strategies {
            run(strategy, &workload)?;
        }
    }
    Ok(())
}
