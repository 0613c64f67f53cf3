//! What a command measures: on which database, which strategies, beside which published figures. The command line parses
//! and prints.

mod comparison;
mod target;

pub use comparison::Comparison;
pub use target::{Started, Target};
