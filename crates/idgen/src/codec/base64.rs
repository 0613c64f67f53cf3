//! Standard base64 (RFC 4648 section 4), 22 characters without padding: `bM14DLq6ECaVZFuMZWAk2w`.
//!
//! The result of MySQL's `TO_BASE64()` without the two `=`. Store it in a column
//! `CHAR(22) CHARACTER SET ascii COLLATE ascii_bin`: a case-insensitive collation treats different
//! ids as equal. The texts do not sort like the bytes; [`ordered64`](super::ordered64) does.
//!
//! ```
//! use idgen::codec::{base64, hyphenated};
//!
//! let id = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
//! assert_eq!(base64::encode(&id, &mut [0; base64::LEN]), "bM14DLq6ECaVZFuMZWAk2w");
//! assert_eq!(base64::decode("bM14DLq6ECaVZFuMZWAk2w")?, id);
//!
//! // 'x' has the same first two bits as 'w'; only one of them is the id's text.
//! let error = base64::decode("bM14DLq6ECaVZFuMZWAk2x").unwrap_err();
//! assert_eq!(error.offset(), Some(21));
//! # Ok::<(), idgen::Error>(())
//! ```

crate::codec::radix64::radix64_form!(
    "a base64 UUID",
    crate::codec::alphabet::BASE64,
    "one of A-Z a-z 0-9 + /"
);
