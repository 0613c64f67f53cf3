//! The operator of a plan on MySQL and MariaDB as a model, checked in all orders of its steps. No server is needed.
//!
//! A step is one statement of a file. Between any two of them clients write, others drop triggers, truncate or change
//! tables, and the session of the file is killed. The operator executes any file at any time, undo files included.
//! Three rows represent all: the one that is there, and two that clients insert. The checker
//! ([stateright](https://docs.rs/stateright)) visits every state. Each [`Defect`] takes a rule out of the ledger, and
//! the checker has to find what breaks then.
//!
//! A signature (numbers of tables, triggers with the times of their creation) is modeled as whether anything that it contains has
//! changed since it was recorded. Not modeled are several tables, waits for locks, and changes of the ledger by hand.

mod files;
mod operator;
mod world;

use map_model::Judged;
use stateright::{Checker, HasDiscoveries, Model};

pub use operator::Defect;
use operator::Operator;

/// The results of the checker.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of visited states.
    pub states: usize,
    /// The properties that are violated.
    pub violated: Vec<&'static str>,
    /// The states of interest that it did not reach.
    pub unreached: Vec<&'static str>,
    /// The steps that lead to the violations, for people.
    pub path: String,
}

/// Visits all states. With a defect, it ends when a property is violated.
///
/// ```
/// use plan_model::{Defect, check};
///
/// assert!(!check(Some(Defect::RenameWithoutVerify)).violated.is_empty());
/// ```
pub fn check(defect: Option<Defect>) -> Report {
    let operator = Operator { defect };
    let properties = operator.properties();
    let until = match defect {
        None => HasDiscoveries::All,
        Some(defect) => HasDiscoveries::AnyOf([defect.violates()].into()),
    };
    let checker = operator.checker().finish_when(until).spawn_bfs().join();
    let states = checker.unique_state_count();
    let Judged { violated, unreached, path } = Judged::of(&checker, &properties);
    Report { states, violated, unreached, path }
}
