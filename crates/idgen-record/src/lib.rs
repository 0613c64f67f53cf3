//! The types of `results.json`, the record that `idgen lab` writes.
//!
//! Engines and the runner of `idgen-lab` fill them in; `idgen-report` reads them and nothing else. This crate has no
//! I/O and depends on neither.
//!
//! ```
//! use idgen_record::Workload;
//!
//! let load: Workload = serde_json::from_str(&serde_json::to_string(&Workload::of_rows(50_000)?).unwrap()).unwrap();
//! assert_eq!(load.rows, 50_000);
//! # Ok::<(), idgen_record::Error>(())
//! ```

#![forbid(unsafe_code)]

mod arrival;
mod clients;
mod cost;
mod database;
mod error;
mod figures;
mod known;
mod lsm;
mod machine;
mod metrics;
mod mix;
mod order;
mod published;
mod rank;
mod repeat;
mod results;
mod run;
mod sample;
mod skew;
mod strategy;
mod thousands;
mod totals;
mod tree;
mod window;
mod workload;

pub use arrival::Arrival;
pub use clients::{Clients, Edge, Others};
pub use cost::Cost;
pub use database::EngineInfo;
pub use error::{Error, Result};
pub use figures::Figures;
pub use idgen_database::Database;
pub use lsm::LsmOptions;
pub use machine::Machine;
pub use metrics::{Axis, Better, ChartOf, Group, METRICS, Metric, Unit, Value};
pub use mix::{Mix, Operation, OperationLatency, Operations};
pub use order::{OrderEffect, order_effect};
pub use published::{Published, TIMES_FIRST, Tolerance};
pub use rank::{rank_test, smallest_p, stratified_rank_test};
pub use repeat::{Protocol, Repeat};
pub use results::{Failure, Results};
pub use run::{Detail, Key, Load, Run, StrategyRecord};
pub use sample::{Difference, Noise, Sample};
pub use skew::Skew;
pub use strategy::{Column, Family, IdKind};
pub use thousands::thousands;
pub use totals::{Latency, Totals};
pub use tree::{FileMaps, Role, TreeFigures};
pub use window::Window;
pub use workload::{Existing, OwnTable, Workload};
