//! Checks whether a generator of ids is right: a stream of UUIDs, ULIDs or 64-bit ids, in one pass and in bounded memory,
//! against the rules of RFC 9562.
//!
//! ```
//! use idgen_check::{Checker, Form, Limits, Options, Status};
//!
//! let mut text = String::new();
//! for _ in 0..2_000 {
//!     text += &format!("{}\n", idgen::v7());
//! }
//! let mut checker = Checker::new(Options::default());
//! let stream = checker.stream("idgen");
//! checker.read(stream, text.as_bytes(), Form::Lines, Limits::default())?;
//! let report = checker.finish()?;
//! assert_eq!(report.worst(), Status::Holds);
//! for requirement in ["v7", "monotonic", "no-duplicates", "random", "unguessable"] {
//!     assert_eq!(report.unmet(requirement.parse()?), None);
//! }
//! println!("{report}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`Checker::push`] takes ids that a program has already, for example a server that receives them from devices.
//!
//! What is checked, and by which section of the RFC, is in [`RULES`]. A [`Verdict`] says for each rule whether it holds,
//! where it does not, and what was found. Duplicates are found exactly: ids that do not fit the memory that
//! [`Options::duplicates`] allows are sorted in temporary files.
//!
//! A check judges the ids that it sees. It cannot show that a generator is right, and passing the tests of randomness proves
//! nothing.

#![forbid(unsafe_code)]

mod analysis;
mod checker;
mod claim;
mod counter;
mod drafts;
mod duplicates;
mod judge;
mod nodes;
mod numbers;
mod options;
mod order;
mod place;
mod predict;
mod random;
mod read;
mod report;
mod rules;
mod seen;
mod stats;
mod tally;
mod texts;
mod time;

pub use checker::Checker;
pub use claim::Reading;
pub use duplicates::{Duplicates, Pair};
#[doc(hidden)]
pub use numbers::grouped;
pub use options::Options;
pub use place::Place;
pub use predict::{Prediction, predict};
pub use read::{Form, Limits};
pub use report::{
    CounterReport, KindReport, OrderReport, RandomReport, Report, SourceReport, StreamReport, TimeReport,
    Verdict,
};
pub use rules::{RULES, Requirement, Rule, Status};
