//! Fills in the records with what an engine counted and showed, after its rows were verified.

mod edge;
mod locality;
mod machine;
mod totals;
mod verify;
mod window;

use idgen_record::{EngineInfo, Results, Workload};

pub(crate) use edge::edge;
pub(crate) use locality::tree_figures;
pub use machine::this_machine;
pub(crate) use totals::{Counted, totals, totals_seen, with_bytes};
pub(crate) use verify::{Ranks, contents, keys, keys_by, keys_in_any_order, made_keys, pages};
pub(crate) use window::window;

/// Results without runs, begun now on this machine.
pub fn begin(question: &str, command: &str, engine: EngineInfo, workload: Workload) -> Results {
    let started = jiff::Timestamp::now().strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
    Results::new(question, command, engine, workload, this_machine(), started)
}
