//! Column types for ids in PostgreSQL: one newtype for each way in which a column holds an id.
//!
//! A column of type `uuid` needs none of them: sqlx reads and writes [`uuid::Uuid`] there, and 16 bytes are the smallest
//! form. These types are for ids that are stored as bytes, as text, or as 64-bit numbers. They state how the column stores
//! an id, and refuse values that do not fit.
//!
//! ```
//! use idgen_postgres::Base64Text22;
//! use uuid::{Uuid, uuid};
//!
//! let id = Base64Text22::from(uuid!("6ccd780c-baba-1026-9564-5b8c656024db"));
//! assert_eq!(id.to_uuid(), uuid!("6ccd780c-baba-1026-9564-5b8c656024db"));
//! assert_eq!(Base64Text22::DEFINITION, "VARCHAR(22) COLLATE \"C\"");
//! // sqlx::query("SELECT id FROM orders WHERE id = $1").bind(id)
//! ```
//!
//! Text columns are `VARCHAR`, not `CHAR`: a `CHAR` column is compared with a text parameter without its index.

#![forbid(unsafe_code)]

mod numeric;
mod short;
mod uuids;

pub use short::{ShortBigint, ShortNumeric};
pub use uuids::{Base64Text22, Bytea16, Text36};
