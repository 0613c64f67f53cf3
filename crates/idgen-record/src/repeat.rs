//! Repeated runs of one load, as a record holds them.

use serde::{Deserialize, Serialize};

use crate::clients::Clients;
use crate::mix::Operations;
use crate::run::Run;
use crate::totals::{Latency, Totals};
use crate::tree::TreeFigures;
use crate::window::Window;

/// How the runs of a file were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// How often each strategy or statement should run.
    pub repeats: u32,
    /// The seed of the order: each round has all of them, in a random order.
    pub order_seed: u64,
    /// The strategies in the order in which they ran; empty where statements were timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// What a run shares with the runs before it, as a clause.
    pub isolation: String,
}

/// One of several runs, without its settings and the maps of its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// Its seed: each run has its own keys and payloads.
    pub seed: u64,
    /// The whole run.
    pub totals: Totals,
    /// How long its statements took.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// How its clients worked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// How long its operations took, where it did more than insert.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
    /// The course of the run.
    pub windows: Vec<Window>,
    /// Each tree.
    pub trees: Vec<TreeFigures>,
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
