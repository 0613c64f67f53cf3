//! The run of one strategy or statement: its course, its totals, its trees.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::arrival::Arrival;
use crate::clients::Clients;
use crate::mix::Operations;
use crate::repeat::Repeat;
use crate::strategy::{Column, Family, IdKind};
use crate::totals::{Latency, Totals};
use crate::tree::{Role, TreeFigures};
use crate::window::Window;

/// One finished and verified run. Of repeated runs, it is the middle one, with the figures of all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// The strategy or statement that was measured.
    pub strategy: StrategyRecord,
    /// The number of clients and the rows of a statement, where the experiment compares loads of several
    /// sizes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The settings that matter, as the database reported them.
    pub settings: BTreeMap<String, String>,
    /// The course of the run; empty where it was not recorded.
    pub windows: Vec<Window>,
    /// The whole run.
    pub totals: Totals,
    /// The duration of its statements; only on a server.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The figures of its clients; `None` where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// The order in which the server inserted the rows of several clients, if it reported the time of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
    /// The figures of its operations; `None` where the run only inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
    /// Each tree, the one with the rows first.
    pub trees: Vec<TreeFigures>,
    /// The counters that the experiment names, by the server's names for them: their increase per 1,000 rows
    /// over all runs. Counters that the server does not have are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counts: BTreeMap<String, f64>,
    /// All runs in the order in which they were made, where there was more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
}

/// A strategy or a timed statement, as a record describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyRecord {
    /// The name, unique in the record: that of a strategy on the command line, or that of a case of an
    /// experiment.
    pub name: String,
    /// A title of a few words.
    pub title: String,
    /// A description of one line, or the statement.
    pub explains: String,
    /// The key of a strategy; `None` for a timed statement.
    #[serde(flatten)]
    pub key: Option<Key>,
}

/// The key of a strategy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Key {
    /// The source of the ids.
    pub ids: IdKind,
    /// The type and content of the key column.
    pub column: Column,
    /// The family of its ids.
    pub family: Family,
}

/// The size of a load by several clients at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Load {
    /// Clients that inserted at the same time.
    pub clients: u32,
    /// Rows of each statement.
    pub statement_rows: u32,
}

impl Load {
    /// The name of a case with this size.
    #[must_use]
    pub fn name_of(self, case: &str) -> String {
        format!("{case}, {} clients, {} rows a statement", self.clients, self.statement_rows)
    }
}

/// A figure that has no metric of its own: of one index, or a counter that an experiment names.
#[derive(Clone, Debug, PartialEq)]
pub struct Detail {
    /// The name, preceded by that of the index if it is a figure of one.
    pub name: String,
    /// The name of a metric that is written alike and has the same noise.
    pub like: &'static str,
    /// The value, in the unit of the metric `like`.
    pub value: f64,
}

impl StrategyRecord {
    /// The family that gives the color of a chart: statements have that of integers.
    pub fn family(&self) -> Family {
        self.key.map_or(Family::Integer, |key| key.family)
    }
}

impl Run {
    /// A run of which only the totals are known.
    pub fn of(strategy: StrategyRecord, totals: Totals) -> Run {
        Run {
            strategy,
            load: None,
            settings: BTreeMap::new(),
            windows: Vec::new(),
            totals,
            latency: None,
            clients: None,
            arrival: None,
            operations: None,
            trees: Vec::new(),
            counts: BTreeMap::new(),
            repeats: Vec::new(),
        }
    }

    /// The record of runs of one strategy, each with its seed: it is that of the middle one by the pages read and
    /// written at the end, and holds the figures of all. `None` where there are none.
    pub fn of_repeats(mut runs: Vec<(u64, Run)>) -> Option<Run> {
        let repeats: Vec<_> = runs.iter().map(|(seed, run)| Repeat::of(run, *seed)).collect();
        let pages = |run: &Run| match &run.operations {
            Some(operations) => [operations.reads_per_1k, operations.writes_per_1k],
            None => [run.totals.last_reads_per_1k, run.totals.last_writes_per_1k],
        };
        // Where writes are not known, the reads decide.
        let pages = |run: &Run| pages(run).into_iter().filter(|pages| pages.is_finite()).sum::<f64>();
        // The sort is stable, so equal runs keep their order.
        runs.sort_by(|(_, a), (_, b)| pages(a).total_cmp(&pages(b)));
        let middle = runs.len().checked_sub(1)? / 2;
        let (_, shown) = runs.swap_remove(middle);
        Some(Run { repeats: if repeats.len() > 1 { repeats } else { Vec::new() }, ..shown })
    }

    /// The title that distinguishes this run from the others of the record: the name of the case if loads of
    /// several sizes are compared, otherwise the title of the strategy.
    pub fn title(&self) -> &str {
        if self.load.is_some() { &self.strategy.name } else { &self.strategy.title }
    }

    /// The number of runs.
    pub fn run_count(&self) -> usize {
        self.repeats.len().max(1)
    }

    /// The figures of the tree with this role.
    pub fn tree(&self, role: Role) -> Option<&TreeFigures> {
        self.trees.iter().find(|tree| tree.role == role)
    }

    /// The trees that are shown one by one, each with the name of its index.
    pub fn indexes(&self) -> impl Iterator<Item = (&str, &TreeFigures)> {
        self.trees.iter().filter_map(|tree| Some((tree.name.as_deref()?, tree)))
    }

    /// The figures that have no metric of their own.
    pub fn details(&self) -> Vec<Detail> {
        let counts = self.counts.iter();
        let counts =
            counts.map(|(name, value)| Detail { name: name.clone(), like: "reads_per_1k", value: *value });
        let indexes = self.indexes().flat_map(|(index, tree)| {
            let figures = [
                ("leaf_pages", "leaf_pages", tree.leaf_pages as f64),
                ("bytes", "leaf_pages", tree.bytes as f64),
                ("fill_mean", "fill_mean", tree.fill_mean),
                ("fill_p10", "fill_p10", tree.fill_p10),
            ];
            figures.map(|(name, like, value)| Detail { name: format!("{index} {name}"), like, value })
        });
        counts.chain(indexes).collect()
    }
}

impl Repeat {
    pub(crate) fn of(run: &Run, seed: u64) -> Self {
        let trees = run.trees.iter().map(|tree| TreeFigures { file: None, ..tree.clone() }).collect();
        Repeat {
            seed,
            totals: run.totals,
            latency: run.latency,
            clients: run.clients,
            operations: run.operations.clone(),
            windows: run.windows.clone(),
            trees,
        }
    }
}
