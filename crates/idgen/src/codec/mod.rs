//! The formats of 128-bit ids: encoding and decoding.
//!
//! | [`Format`] | module | length | example | sorts like the bytes |
//! |---|---|---|---|---|
//! | `Hyphenated` | [`hyphenated`] | 36 | `6ccd780c-baba-1026-9564-5b8c656024db` | yes |
//! | `Simple` | [`simple`] | 32 | `6ccd780cbaba102695645b8c656024db` | yes |
//! | `Urn` | | 45 | `urn:uuid:6ccd780c-baba-1026-9564-5b8c656024db` | yes |
//! | `Braced` | | 38 | `{6ccd780c-baba-1026-9564-5b8c656024db}` | yes |
//! | `Base64` | [`base64`] | 22 | `bM14DLq6ECaVZFuMZWAk2w` | no |
//! | `Base64Url` | [`base64url`] | 22 | `bM14DLq6ECaVZFuMZWAk2w` | no |
//! | `Ordered64` | [`ordered64`] | 22 | `QBps2Aeu31PKO4iBOL-Zqk` | yes |
//! | `Base32` | [`base32`] | 26 | `3CSNW0SENT20K9AS2VHHJP096V` | yes |
//! | `Base32Hex` | [`base32hex`] | 26 | `DJ6NG35QN882D5B4BE66AO14RC` | yes |
//! | `Base32Human` | [`base32human`] | 26 | `DK6QG35TQ882D5B4BE66AR14VC` | yes |
//! | `Int` | [`int`] | 1 to 39 | `144623479298450090607906173242916742363` | as a number |
//! | `Binary` | | 16 bytes | `UUID_TO_BIN(u)` | yes |
//! | `Swapped` | [`swapped`] | 16 bytes | `UUID_TO_BIN(u, 1)` | no: like the time of a version 1 id |
//!
//! There are three ways to write an id. In the module of a text format, `encode` writes into the caller's buffer without
//! allocation, and `to_string` returns a `String` (feature `alloc`). [`Format`] does what all formats have in common: it
//! selects one at run time, encodes and decodes many ids at once, and detects the format of a text. The three formats
//! without a module are those that the crate `uuid` has: [`Uuid::urn`](crate::Uuid::urn),
//! [`Uuid::braced`](crate::Uuid::braced) and [`Uuid::into_bytes`](crate::Uuid::into_bytes) write them.
//!
//! TypeIDs, such as `user_01h455vb4pex5vsknk084sn02q`, have a module, [`typed`], and no [`Format`], because a text also needs
//! its prefix.
//!
//! `decode` is strict: it accepts only the text that `encode` writes, apart from the case of hexadecimal and base32
//! digits, and its error says where the text is wrong, and why. The most common formats also have `decode_into`, which is
//! the fastest way to decode one id.
//!
//! ```
//! use idgen::codec::{Format, base64};
//!
//! let ids = [idgen::v7(), idgen::v7()];
//! let mut buffer = [0; 2 * base64::LEN];
//! let text = Format::Base64.encode_batch(&ids, &mut buffer)?; // 44 characters without a separator
//! let mut read = [idgen::Uuid::nil(); 2];
//! assert_eq!(Format::Base64.decode_batch(text, &mut read)?, ids);
//! # Ok::<(), idgen::Error>(())
//! ```
//!
//! The bytes of a GUID in .NET and SQL Server are in [`guid`], those of ClickHouse and of MongoDB's old driver for Java in [`java_legacy`], and the orders in which databases compare ids in [`order`].
//! [`literal`] reads hexadecimal as servers print it.

pub(crate) mod alphabet;
mod arch;
mod batch;
mod binary;
pub(crate) mod braced;
pub(crate) mod decimal;
mod detect;
mod format;
mod hex;
mod many;
mod radix32;
mod radix64;
pub(crate) mod urn;

pub mod base32;
pub mod base32hex;
pub mod base32human;
pub mod base64;
pub mod base64url;
pub mod guid;
pub mod hyphenated;
pub mod int;
pub mod java_legacy;
pub mod literal;
pub mod order;
#[doc(alias = "base64sort")]
pub mod ordered64;
pub mod simple;
pub mod swapped;
pub mod typed;

pub use format::Format;

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
