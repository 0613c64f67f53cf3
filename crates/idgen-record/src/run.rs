//! One run of one strategy: its course, its totals, its trees.

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
pub struct RunRecord {
    /// What was compared.
    pub strategy: StrategyRecord,
    /// The settings that matter, as the database reported them.
    pub settings: BTreeMap<String, String>,
    /// The course of the run.
    pub windows: Vec<Window>,
    /// The whole run.
    pub totals: Totals,
    /// How long its statements took, on a server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// How its clients worked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// The order in which the server inserted the rows of several clients, if it reported the time of each.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
    /// How long its operations took, where it did more than insert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
    /// Each tree, the one with the rows first.
    pub trees: Vec<TreeFigures>,
    /// All runs in the order in which they were made, where there was more than one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub repeats: Vec<Repeat>,
}

/// A strategy, as a record describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StrategyRecord {
    /// Its name on the command line.
    pub name: String,
    /// A title of a few words.
    pub title: String,
    /// A description of one line.
    pub explains: String,
    /// Where its ids come from.
    pub ids: IdKind,
    /// What its column holds.
    pub column: Column,
    /// The family of its ids.
    pub family: Family,
}

impl RunRecord {
    /// Converts an older record to the current format. Figures of the last tenth of the run that it lacks are computed from
    /// the windows, if there are any. Its bytes per row of a server that did not show its pages are the allocated ones.
    pub fn complete(&mut self) {
        let tail = &self.windows[self.windows.len() - self.windows.len().div_ceil(10)..];
        let rows = tail.iter().map(|window| window.rows).sum::<u64>() as f64;
        let mean = |of: fn(&Window) -> f64| {
            tail.iter().map(|window| of(window) * window.rows as f64).sum::<f64>() / rows
        };
        let complete = |figure: &mut f64, of| {
            if figure.is_nan() {
                *figure = mean(of);
            }
        };
        complete(&mut self.totals.last_reads_per_1k, |window| window.reads_per_1k);
        complete(&mut self.totals.last_writes_per_1k, |window| window.writes_per_1k);
        let Totals { bytes_per_row, heap_bytes_per_row, allocated_bytes_per_row, .. } = self.totals;
        if self.trees.is_empty() && heap_bytes_per_row.or(allocated_bytes_per_row).is_none() {
            self.totals.bytes_per_row = f64::NAN;
            self.totals.allocated_bytes_per_row = Some(bytes_per_row).filter(|bytes| bytes.is_finite());
            self.totals.map_bytes_per_row = None;
        }
    }

    /// The figures of the tree with this role.
    pub fn tree(&self, role: Role) -> Option<&TreeFigures> {
        self.trees.iter().find(|tree| tree.role == role)
    }
}
