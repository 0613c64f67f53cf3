//! The floor under everything that meets a live database.
//!
//! | to | use |
//! |---|---|
//! | name a database, and ask what it can do | [`Database`] |
//! | find out which database a URL is of | [`DatabaseUrl`] |
//! | read a catalog, over whichever connection | [`catalog`] |
//! | read, and leave nothing behind | `Session`, with the feature `session` |
//! | connect to a server, and set nothing in the session | `connect`, with the same feature |

#![forbid(unsafe_code)]

pub mod catalog;
#[cfg(feature = "session")]
pub mod connect;
mod database;
mod error;
#[cfg(feature = "session")]
mod session;
mod url;

pub use database::Database;
pub use error::{Error, Result};
#[cfg(feature = "session")]
pub use session::{Cell, Limits, Refused, Rows, Session, Statement};
pub use url::DatabaseUrl;
