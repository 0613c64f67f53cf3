//! Running the checker.

use std::fmt::Debug;
use std::hash::Hash;

use stateright::{Checker, Expectation, HasDiscoveries, Model, Property};

use crate::defect::Defect;
use crate::map::Map;
use crate::scope::Scope;
use crate::world::Index;

/// The results of the checker.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of visited states. States that differ only in the names of clients and UUIDs count once.
    pub states: usize,
    /// The largest number of steps from the beginning.
    pub steps: usize,
    /// The properties that are violated.
    pub violated: Vec<&'static str>,
    /// The states of interest that it did not reach.
    pub unreached: Vec<&'static str>,
    /// The steps that lead to the first violation, for people.
    pub path: String,
}

/// Visits all states. With a defect, it ends when the property that this defect violates is violated.
///
/// ```
/// use map_model::{Defect, Index, Scope, check};
///
/// let found = check(Index::Dedup, Scope::Calls, Some(Defect::LookBeforeClaim));
/// assert!(found.violated.contains(&Defect::LookBeforeClaim.violates()));
/// ```
pub fn check(index: Index, scope: Scope, defect: Option<Defect>) -> Report {
    let map = Map { index, scope, defect };
    let properties = map.properties();
    match defect {
        // Depth first needs the least memory, breadth first finds short paths.
        None => report(map.checker().spawn_dfs().join(), &properties),
        Some(defect) => {
            let until = HasDiscoveries::AnyOf([defect.violates()].into());
            report(map.checker().finish_when(until).spawn_bfs().join(), &properties)
        }
    }
}

fn report(checker: impl Checker<Map>, properties: &[Property<Map>]) -> Report {
    let (states, steps) = (checker.unique_state_count(), checker.max_depth());
    let Judged { violated, unreached, path } = Judged::of(&checker, properties);
    Report { states, steps, violated, unreached, path }
}

/// The discoveries of a checker, in the order of the properties. All models of this repository are judged by them.
pub struct Judged {
    /// The properties that are violated.
    pub violated: Vec<&'static str>,
    /// The states of interest that it did not reach.
    pub unreached: Vec<&'static str>,
    /// The steps that lead to the violations, for people.
    pub path: String,
}

impl Judged {
    /// Reads them from a checker that has ended.
    pub fn of<M: Model<State: Clone + Debug + Hash + PartialEq, Action: Clone + Debug + PartialEq>>(
        checker: &impl Checker<M>,
        properties: &[Property<M>],
    ) -> Judged {
        let mut found = checker.discoveries();
        let mut judged = Judged { violated: Vec::new(), unreached: Vec::new(), path: String::new() };
        for property in properties {
            match (&property.expectation, found.remove(property.name)) {
                (Expectation::Sometimes, None) => judged.unreached.push(property.name),
                (Expectation::Always, Some(path)) => {
                    judged.violated.push(property.name);
                    judged.path += &format!("{}: {:?}\n", property.name, path.into_actions());
                }
                _ => {}
            }
        }
        judged
    }
}
