//! "Base32 for Humans" (draft-crockford-davis-base32-for-humans), 26 characters: `DK6QG35TQ882D5B4BE66AR14VC`.
//!
//! Crockford's alphabet, as [`base32`](super::base32) has it, but with the two bits of padding at the end, as RFC 4648 does
//! for bytes, and not at the beginning: the same id has another text in each. The draft lets decoders read I and L as 1,
//! O as 0, and skip hyphens; this decoder refuses them, because two texts would then mean one id. The texts sort like the
//! bytes. [`Format::decode_any`](super::Format::decode_any) reads a text of 26 characters as base32, so this format has to be
//! named.
//!
//! ```
//! use idgen::codec::{base32, base32human, hyphenated};
//!
//! let id = hyphenated::decode("6ccd780c-baba-1026-9564-5b8c656024db")?;
//! assert_eq!(base32human::encode(&id, &mut [0; base32human::LEN]), "DK6QG35TQ882D5B4BE66AR14VC");
//! assert_eq!(base32human::decode("DK6QG35TQ882D5B4BE66AR14VC")?, id);
//! assert_eq!(base32::encode(&id, &mut [0; base32::LEN]), "3CSNW0SENT20K9AS2VHHJP096V");
//! # Ok::<(), idgen::Error>(())
//! ```

crate::codec::radix32::radix32_form!(
    "a Base32-for-Humans UUID",
    crate::codec::alphabet::CROCKFORD,
    "a Crockford base32 digit (0-9 and A-Z but I L O U)"
);
