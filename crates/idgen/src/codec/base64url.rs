//! URL-safe base64 (RFC 4648 section 5), 22 characters without padding: `-_4AAAAAEACAAAAAAAAAAA`.
//!
//! Differs from [`base64`](super::base64) in two characters: `-` for `+` and `_` for `/`.
//!
//! ```
//! use idgen::codec::{base64url, hyphenated};
//!
//! let id = hyphenated::decode("fbfe0000-0000-1000-8000-000000000000")?;
//! assert_eq!(base64url::encode(&id, &mut [0; base64url::LEN]), "-_4AAAAAEACAAAAAAAAAAA");
//! assert_eq!(base64url::decode("-_4AAAAAEACAAAAAAAAAAA")?, id);
//! assert!(base64url::decode("+/4AAAAAEACAAAAAAAAAAA").unwrap_err().is_parse());
//! # Ok::<(), idgen::Error>(())
//! ```

crate::codec::radix64::radix64_form!(
    "a URL-safe base64 UUID",
    crate::codec::alphabet::BASE64_URL,
    "one of A-Z a-z 0-9 - _"
);
