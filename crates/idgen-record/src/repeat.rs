//! Repeated runs of one load, as a record holds them.

use serde::{Deserialize, Serialize};

use crate::clients::Clients;
use crate::mix::Operations;
use crate::totals::{Latency, Totals};
use crate::tree::TreeFigures;
use crate::window::Window;

/// How the runs of a file were made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// How often each strategy or case should run.
    pub repeats: u32,
    /// The seed of the order: each round has all strategies or cases, in a random order.
    pub order_seed: u64,
    /// The strategies in the order in which they ran; empty where cases were timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// What a run shares with the runs before it, as a clause.
    pub isolation: String,
}

/// One of the runs of a strategy, without its settings and the maps of its files.
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
