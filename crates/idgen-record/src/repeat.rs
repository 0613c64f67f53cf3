//! Repeated runs of one load, as a record holds them.

use serde::{Deserialize, Serialize};

use crate::clients::Clients;
use crate::mix::Operations;
use crate::totals::{Latency, Totals};
use crate::tree::TreeFigures;
use crate::window::Window;

/// The repetitions and the order of the runs of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Protocol {
    /// The number of runs that each strategy or statement should have.
    pub repeats: u32,
    /// The seed of the order: each round has all of them, in a random order.
    pub order_seed: u64,
    /// The strategies in the order in which they ran; empty where statements were timed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub order: Vec<String>,
    /// A clause about the state that a run shares with the runs before it.
    pub isolation: String,
}

/// One of several runs, without its settings and the maps of its files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Repeat {
    /// The seed of the run: each run has its own keys and payloads.
    pub seed: u64,
    /// The whole run.
    pub totals: Totals,
    /// The duration of its statements; `None` where they were not timed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub latency: Option<Latency>,
    /// The figures of its clients; `None` where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clients: Option<Clients>,
    /// The figures of its operations; `None` where the run only inserted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub operations: Option<Operations>,
    /// The course of the run.
    pub windows: Vec<Window>,
    /// Each tree.
    pub trees: Vec<TreeFigures>,
}
