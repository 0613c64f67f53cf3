//! Reads how far the plans of a server are, by their ledgers. It changes nothing.
//!
//! ```no_run
//! # async fn example() -> idgen_migrate::Result<()> {
//! let mut reader = idgen_migrate::plan::status::Reader::open("postgres://owner@db.example/shop").await?;
//! for plan in reader.read().await? {
//!     println!("{}: the next file is {}", plan.id, plan.next.as_deref().unwrap_or("none"));
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What the library offers
//!
//! | to | use |
//! |---|---|
//! | read all plans, once or again and again | [`Reader`] |
//! | read the state of each step and of each copy | [`Status`], [`StepStatus`], [`Copied`] |

pub(super) mod ask;
pub(super) mod cells;
pub(super) mod data;
mod rate;
mod read;
mod terminal;

pub use data::{Copied, State, Status, StepStatus};
pub use read::Reader;
