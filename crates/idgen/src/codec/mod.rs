//! The formats of 128-bit ids: encoding and decoding.
//!
//! | module | length | example | sorts like the bytes |
//! |---|---|---|---|
//! | [`hyphenated`] | 36 | `6ccd780c-baba-1026-9564-5b8c656024db` | yes |
//! | [`simple`] | 32 | `6ccd780cbaba102695645b8c656024db` | yes |
//! | [`urn`] | 45 | `urn:uuid:6ccd780c-baba-1026-9564-5b8c656024db` | yes |
//! | [`braced`] | 38 | `{6ccd780c-baba-1026-9564-5b8c656024db}` | yes |
//! | [`base64`] | 22 | `bM14DLq6ECaVZFuMZWAk2w` | no |
//! | [`base64url`] | 22 | `bM14DLq6ECaVZFuMZWAk2w` | no |
//! | [`ordered64`] | 22 | `QBps2Aeu31PKO4iBOL-Zqk` | yes |
//! | [`base32`] | 26 | `3CSNW0SENT20K9AS2VHHJP096V` | yes |
//! | [`base32hex`] | 26 | `DJ6NG35QN882D5B4BE66AO14RC` | yes |
//! | [`base32human`] | 26 | `DK6QG35TQ882D5B4BE66AR14VC` | yes |
//! | [`int`] | 1 to 39 | `144623479298450090607906173242916742363` | as a number |
//! | [`binary`] | 16 bytes | `UUID_TO_BIN(u)` | yes |
//! | [`swapped`] | 16 bytes | `UUID_TO_BIN(u, 1)` | no: like the time of a version 1 id |
//!
//! All text modules have the same functions. `encode` writes into the caller's buffer without allocation, and `to_string`
//! returns a `String` (feature `alloc`). `decode` is strict: it accepts only the text that `encode` writes, apart from
//! the case of hexadecimal and base32 digits, and its error says where the text is wrong, and why. The most common
//! formats also have `encode_batch`, `encode_lines` and `decode_batch`, which choose the instruction set once for many
//! ids.
//!
//! ```
//! use idgen::codec::base64;
//!
//! let ids = [idgen::v7(), idgen::v7()];
//! let mut buffer = [0; 2 * base64::LEN];
//! let text = base64::encode_batch(&ids, &mut buffer)?; // 44 characters without a separator
//! let mut read = [idgen::Uuid::nil(); 2];
//! assert_eq!(base64::decode_batch(text, &mut read)?, ids);
//! # Ok::<(), idgen::Error>(())
//! ```
//!
//! The bytes of a GUID in .NET and SQL Server are in [`guid`], and the orders in which databases compare ids in [`order`].
//!
//! [`Format`] selects a format at run time, and detects the format of a text. [`literal`] reads hexadecimal as servers
//! print it.

mod alphabet;
mod arch;
mod batch;
pub(crate) mod decimal;
mod detect;
mod format;
mod hex;
mod radix32;
mod radix64;

pub mod base32;
pub mod base32hex;
pub mod base32human;
pub mod base64;
pub mod base64url;
pub mod binary;
pub mod braced;
pub mod guid;
pub mod hyphenated;
pub mod int;
pub mod literal;
pub mod order;
pub mod ordered64;
pub mod simple;
pub mod swapped;
pub mod urn;

pub use format::Format;
/// [`ordered64`] by the name that draft-brown-davis-base64-sort gives this alphabet.
#[doc(no_inline)]
pub use ordered64 as base64sort;

/// Only for the benchmarks of this repository: from now on, all codecs of this process use at most the instruction set
/// with this number: 0 portable, 1 SSSE3, 2 AVX2, 3 AVX-512 VBMI. This has no effect on machines other than x86-64,
/// where the compiler makes the choice.
#[cfg(any(test, feature = "_limit"))]
#[doc(hidden)]
pub fn limit_instruction_set(number: usize) {
    arch::Level::limit(number);
}

#[cfg(test)]
mod tests;
