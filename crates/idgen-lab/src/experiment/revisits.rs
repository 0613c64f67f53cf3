//! Experiments in which buckets are visited repeatedly.

use std::collections::BTreeMap;

use idgen_record::{VisitFigures, Visits, Workload};
use serde::Deserialize;

use super::{Scale, at};
use crate::Result;
use crate::strategy::{self, Strategy};

/// An experiment of visits. For each strategy, each cell is inserted into a table of its own.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revisits {
    /// Its name on the command line.
    pub id: String,
    /// The question that it answers.
    pub question: String,
    strategies: Vec<String>,
    payload_bytes: u32,
    scale: BTreeMap<Scale, Cells>,
    #[serde(default)]
    earlier: Vec<Earlier>,
}

/// The cells of one scale.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cells {
    cache_mib: u64,
    statement_rows: u32,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cell {
    /// How often each bucket is visited.
    visits: u32,
    /// Rows of a visit.
    rows: u32,
    buckets: u32,
    /// The number of writers with names.
    #[serde(default = "one")]
    writers: u32,
}

fn one() -> u32 {
    1
}

/// Page fills that were measured earlier, by the name of the strategy.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Earlier {
    visits: u32,
    rows: u64,
    fills: BTreeMap<String, f64>,
}

impl Revisits {
    /// The strategies to compare.
    ///
    /// # Errors
    /// The definition names a strategy that does not exist.
    pub fn strategies(&self) -> Result<Vec<&'static Strategy>> {
        self.strategies.iter().map(|name| strategy::find(name)).collect()
    }

    /// The loads of a scale, one for each cell; all have a page cache of the same size.
    ///
    /// # Errors
    /// The definition lacks the scale, or has a load that cannot be run.
    ///
    /// ```
    /// use idgen_lab::experiment::{Experiment, Scale, find};
    ///
    /// let Experiment::Revisits(experiment) = find("prefix-revisits")? else { unreachable!() };
    /// let loads = experiment.workloads(Scale::Full)?;
    /// assert!(loads.iter().all(|load| load.cache_bytes == loads[0].cache_bytes));
    /// assert_eq!(loads[15].rows_per_visit(), 11_400);
    /// # Ok::<(), idgen_lab::Error>(())
    /// ```
    pub fn workloads(&self, scale: Scale) -> Result<Vec<Workload>> {
        let of_scale = at(&self.scale, scale, &self.id)?;
        let load = |cell: &Cell| {
            let visits = Visits { buckets: cell.buckets, rounds: cell.visits, writers: cell.writers };
            Ok(Workload {
                payload_bytes: self.payload_bytes,
                statement_rows: of_scale.statement_rows,
                cache_bytes: Some(of_scale.cache_mib << 20),
                ..Workload::of_visits(visits, cell.rows)?
            })
        };
        of_scale.cells.iter().map(load).collect()
    }

    /// The page fill that was measured earlier for this strategy with the same visits and rows.
    pub fn earlier_fill(&self, strategy: &str, workload: &Workload) -> Option<f64> {
        let visits = workload.visits?.rounds;
        let found = self
            .earlier
            .iter()
            .find(|earlier| (earlier.visits, earlier.rows) == (visits, workload.rows_per_visit()))?;
        found.fills.get(strategy).copied()
    }

    /// The figures of a table before anything is measured.
    pub(crate) fn figures(&self, strategy: &Strategy, workload: &Workload) -> VisitFigures {
        let visits = workload.visits;
        VisitFigures {
            strategy: strategy.name.into(),
            title: strategy.title.into(),
            visits: visits.map_or(1, |visits| visits.rounds),
            writers: visits.map_or(1, |visits| visits.writers),
            rows_per_visit: workload.rows_per_visit(),
            buckets: visits.map_or(1, |visits| visits.buckets),
            rows: workload.rows,
            leaf_pages: 0,
            fill_mean: 0.0,
            fill_p10: 0.0,
            reads_per_1k: 0.0,
            writes_per_1k: 0.0,
            earlier_fill: self.earlier_fill(strategy.name, workload),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Experiment, all};

    fn known() -> Vec<Revisits> {
        let known = all().unwrap().into_iter().filter_map(|experiment| match experiment {
            Experiment::Revisits(known) => Some(known),
            _ => None,
        });
        known.collect()
    }

    #[test]
    fn every_definition_can_be_run() {
        for experiment in known() {
            let strategies = experiment.strategies().unwrap();
            let loads =
                [Scale::Ci, Scale::Default, Scale::Full].map(|scale| experiment.workloads(scale).unwrap());
            assert!(loads.iter().flatten().all(|load| load.visits.is_some()));
            // Each earlier measurement belongs to a cell and a strategy of the experiment.
            let full = &loads[2];
            for earlier in &experiment.earlier {
                for name in earlier.fills.keys() {
                    assert!(strategies.iter().any(|strategy| strategy.name == name), "{name}");
                    assert!(
                        full.iter().any(|load| experiment.earlier_fill(name, load).is_some()),
                        "{earlier:?}"
                    );
                }
            }
        }
    }
}
