//! What a command measures: on which database, which strategies, beside which published figures. The command line parses
//! and prints.

mod comparison;
mod fitting;
mod target;

pub use comparison::Comparison;
pub use fitting::Fitting;
pub use target::{Started, Target};
