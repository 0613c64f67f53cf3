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
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// How its clients worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// The order in which the server inserted the rows of several clients, if it reported the time of each.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arrival: Option<Arrival>,
    /// How long its operations took, where it did more than insert.
    #[serde(skip_serializing_if = "Option::is_none")]
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
    /// The figures of the tree with this role.
    pub fn tree(&self, role: Role) -> Option<&TreeFigures> {
        self.trees.iter().find(|tree| tree.role == role)
    }
}
