//! 22 characters that sort like the bytes: the URL-safe characters in the order of their codes,
//! `-0-9A-Z_a-z`.
//!
//! This is the alphabet of draft-brown-davis-base64-sort ("A Sortable Base64 Alphabet"), byte for byte and without
//! padding; `base64sort` is another name of its format.
//!
//! For text columns that should keep the order of v6, v7 and prefixed ids; use a binary
//! collation (`ascii_bin`), because a case-insensitive one treats different ids as equal. The draft
//! is no standard yet: other base64 decoders return other bytes.
//!
//! ```
//! use idgen::codec::{hyphenated, ordered64};
//!
//! let id = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
//! let mut buf = [0; ordered64::LEN];
//! let text = ordered64::encode(&id, &mut buf);
//! assert_eq!(text, "QBps2Aeu31PKO4iBOL-Zqk");
//! assert_eq!(ordered64::decode(text)?, id);
//! # Ok::<(), idgen::Error>(())
//! ```

crate::codec::radix64::radix64_form!(
    "an ordered base64 UUID",
    crate::codec::alphabet::ORDERED_64,
    "one of - 0-9 A-Z _ a-z"
);
