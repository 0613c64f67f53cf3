//! base32hex (RFC 4648 section 7), 26 characters without padding: `DJ6NG35QN882D5B4BE66AO14RC`.
//!
//! The result of PostgreSQL's `rtrim(encode(uuid_send(id), 'base32hex'), '=')`, from version 19 on. The texts sort like the
//! bytes. This is not the text of a ULID, which [`base32`](super::base32) writes: it has other letters, and the two bits
//! of padding are at its end. A text of 26 characters does not say which of the two it is, so
//! [`Format::decode_any`](super::Format::decode_any) reads it as base32, and this format has to be named.
//!
//! ```
//! use idgen::codec::{base32hex, hyphenated};
//!
//! let id = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
//! assert_eq!(base32hex::encode(&id, &mut [0; base32hex::LEN]), "DJ6NG35QN882D5B4BE66AO14RC");
//! assert_eq!(base32hex::decode("dj6ng35qn882d5b4be66ao14rc")?, id);
//!
//! // 'D' has the same first three bits as 'C'; only one of them is the id's text.
//! let error = base32hex::decode("DJ6NG35QN882D5B4BE66AO14RD").unwrap_err();
//! assert_eq!(error.offset(), Some(25));
//! # Ok::<(), idgen::Error>(())
//! ```

crate::codec::radix32::radix32_form!(
    "a base32hex UUID",
    crate::codec::alphabet::BASE32_HEX,
    "one of 0-9 A-V"
);
