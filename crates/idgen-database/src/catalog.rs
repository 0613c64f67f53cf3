//! The queries that read a catalog, and the meaning of their rows. They do not depend on who executes them: rows are texts, in which
//! `NULL` is the empty text.
//!
//! A query selects what each reader of a catalog needs. A reader that needs more names those columns, and finds their values
//! in `more` of each row. So a reader that does not need them does not make the server read them.

mod foreign;
mod grants;
pub mod mysql;
mod query;

pub use foreign::ForeignKey;
pub use grants::Grants;
pub use query::Query;
