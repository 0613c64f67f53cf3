//! Plans the change of a key and of all foreign keys that refer to it, as data that is written as SQL files.
//!
//! A [`Plan`] has steps; each [`Step`] has statements, the locks that they take, a way to stop and a way back.
//! [`Plan::write`] makes a folder of numbered files of them, which the server's own client executes.
//!
//! ```no_run
//! use idgen_migrate::plan::{Options, Target, plan};
//!
//! # async fn example() -> idgen_migrate::Result<()> {
//! let plan = plan("postgres://planner@db.example/shop", &Options::new("orders", Target::Uuid)).await?;
//! for step in &plan.steps {
//!     println!("{}: {} ({})", step.name, step.purpose, step.locks);
//! }
//! plan.write("orders-to-uuid".as_ref())?;
//! # Ok(())
//! # }
//! ```
//!
//! # What the library offers
//!
//! | to | use |
//! |---|---|
//! | plan a change | [`plan`] with [`Options`]: the table and its [`Target`] |
//! | read the steps, with locks, undo and a way to stop | [`Plan`], [`Step`], [`Statement`] |
//! | get the arguments of another tool | [`Options::tool`], [`Plan::command`] |
//! | write or list the files | [`Plan::write`], [`Plan::files`] |
//! | execute the files, and continue where they are | [`run`](mod@run) |
//! | see how far all plans of a server are | [`status`](mod@status) |

mod data;
mod duration;
mod ended;
mod folder;
mod identity;
mod make;
mod mysql;
mod options;
mod pace;
mod postgres;
mod reasons;
mod references;
pub mod run;
pub mod status;
mod terminal;

pub use data::{Command, Engine, Plan, Script, Statement, Step, Target, Tool};
pub use make::plan;
pub use options::Options;
