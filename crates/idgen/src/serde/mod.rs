//! serde for every format: `#[serde(with = "idgen::serde::base64")]` on a field of type [`Uuid`](crate::Uuid) or
//! `Option<Uuid>`, where `None` is null.
//!
//! The text modules read and write text in every serde format, so that the stored form is always the named one. Reading is
//! as strict as the codec of the same name, whose error says what is wrong. Without any of these modules, the `uuid`
//! crate serializes a `Uuid`: as hyphenated text or as 16 bytes, and it reads all of its formats.
//!
//! ```
//! use idgen::Uuid;
//! use serde::{Deserialize, Serialize};
//!
//! #[derive(Serialize, Deserialize)]
//! struct Row {
//!     #[serde(with = "idgen::serde::base64")]
//!     id: Uuid,
//!     #[serde(with = "idgen::serde::base32")]
//!     parent: Option<Uuid>,
//! }
//!
//! let json = r#"{"id":"bM14DLq6ECaVZFuMZWAk2w","parent":null}"#;
//! let row: Row = serde_json::from_str(json)?;
//! assert_eq!(row.id.to_string(), "6ccd780c-baba-1026-9564-5b8c656024db");
//! assert_eq!(serde_json::to_string(&row)?, json);
//!
//! let twice = r#"{"id":"bM14DLq6ECaVZFuMZWAk2x","parent":null}"#;
//! assert!(serde_json::from_str::<Row>(twice).is_err_and(|e| e.to_string().contains("offset 21")));
//! # Ok::<(), serde_json::Error>(())
//! ```

mod bytes;
mod field;
mod short_id;
mod text;
mod typed;

text::text_module!(hyphenated, Hyphenated, LEN, "6ccd780c-baba-1026-9564-5b8c656024db");
text::text_module!(simple, Simple, LEN, "6ccd780cbaba102695645b8c656024db");
text::text_module!(urn, Urn, LEN, "urn:uuid:6ccd780c-baba-1026-9564-5b8c656024db");
text::text_module!(braced, Braced, LEN, "{6ccd780c-baba-1026-9564-5b8c656024db}");
text::text_module!(base64, Base64, LEN, "bM14DLq6ECaVZFuMZWAk2w");
text::text_module!(base64url, Base64Url, LEN, "bM14DLq6ECaVZFuMZWAk2w");
text::text_module!(ordered64, Ordered64, LEN, "QBps2Aeu31PKO4iBOL-Zqk");
text::text_module!(base32, Base32, LEN, "3CSNW0SENT20K9AS2VHHJP096V");
text::text_module!(base32hex, Base32Hex, LEN, "DJ6NG35QN882D5B4BE66AO14RC");
text::text_module!(base32human, Base32Human, LEN, "DK6QG35TQ882D5B4BE66AR14VC");
text::text_module!(int, Int, MAX_LEN, "144623479298450090607906173242916742363");
pub use bytes::numbers;
bytes::bytes_module!(
    binary,
    Binary,
    "The 16 bytes as they are, as a byte string.",
    "108,205,120,12,186,186,16,38"
);
bytes::bytes_module!(
    swapped,
    Swapped,
    "The 16 bytes of MySQL's `UUID_TO_BIN(u, 1)`, as a byte string.",
    "16,38,186,186,108,205,120,12"
);
