//! Executes the files of a plan over our own connection, and continues where its ledger is.
//!
//! Each file has a session of its own, as with the server's client, and leaves the same ledger: both ways can be mixed.
//!
//! ```no_run
//! use idgen_migrate::plan::run::{Direction, Folder, execute};
//! use idgen_migrate::plan::status::Reader;
//!
//! # async fn example(url: &str) -> idgen_migrate::Result<()> {
//! let folder = Folder::open("orders-to-uuid".as_ref())?;
//! let (said, mut lines) = tokio::sync::mpsc::unbounded_channel();
//! let mut reader = Reader::open(url).await?;
//! let ledger = reader.read_one(&folder.plan().id).await?;
//! if let Some(at) = folder.next(ledger.as_ref(), None)? {
//!     execute(url, &folder, at, Direction::Forward, &said, std::future::pending()).await?;
//!     while let Ok(line) = lines.try_recv() {
//!         println!("{line}");
//!     }
//! }
//! # Ok(())
//! # }
//! ```
//!
//! # What the library offers
//!
//! | to | use |
//! |---|---|
//! | open the folder of a plan, and find a step | [`Folder`] |
//! | execute a file, and cancel it | [`execute`], [`Direction`], [`Outcome`] |
//! | let a copy wait, or change how fast it is | [`set`] |

mod cancel;
mod execute;
mod folder;
pub(super) mod settings;

pub use super::data::Direction;
pub use execute::{Outcome, execute};
pub use folder::Folder;
pub use settings::set;
