//! The subject of a command: the database to measure, the strategies to run, and the published figures to
//! compare them with. The command line parses and prints.

mod comparison;
mod fitting;
mod target;

pub use comparison::Comparison;
pub use fitting::Fitting;
pub use target::{Started, Target};
