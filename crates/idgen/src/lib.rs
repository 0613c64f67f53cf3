//! Unique ids for database keys, and their encodings.
//!
//! ```
//! let id = idgen::v7();                                        // one line, any thread, before or after a fork
//! let text = idgen::codec::base64::to_string(&id);             // 22 characters for a CHAR(22) column
//! assert_eq!(idgen::codec::base64::decode(&text)?, id);
//! assert_eq!(idgen::inspect(&text)?.version, Some(7));
//! # Ok::<(), idgen::Error>(())
//! ```
//!
//! | function | kind | in an index |
//! |---|---|---|
//! | [`v7`], [`v6`], [`ulid`] | time first, ascending | fills pages as `AUTO_INCREMENT` does |
//! | [`prefixed`], [`generator::Prefixed`] | a prefix that stays the same for an interval, then an ascending or random tail | one small region at a time |
//! | [`week`] | the prefix that MySQL computes for this week, then random | the region of one week at a time |
//! | [`v4`] | random | another page for nearly every insert |
//! | [`v1`] | time with its low bits first | as random, unless stored [swapped](codec::swapped) |
//! | [`short`], [`mysql_short`] | 64 bits | half the bytes, `BIGINT UNSIGNED` |
//!
//! Each function has a batch form (`fill_v7`, …), and each kind a generator to build yourself, from a
//! clock, randomness, a node and a state file of your choice: see [`generator`] and [`source`]. The value
//! of a 128-bit id is the [`uuid`] crate's [`Uuid`].
//!
//! # Promises
//!
//! A generator never repeats an id: across threads, after a fork, after the clock steps back, when
//! a counter is full, and after a restart where a [state](source::State) is kept.
//!
//! Versions 6 and 7 and ULIDs strictly increase within a generator, ascending tails within a bucket. The
//! one-line functions keep a generator for each thread. If the clock is set back by more than ten seconds, they restart
//! at its time, and new ids sort before earlier ones. [`ClockPolicy`](source::ClockPolicy) is the one rule for this, and
//! generators that you build can have another policy.
//!
//! # Features
//!
//! - `std` (default): the system's clock and randomness, and the one-line functions. Without it the crate is `no_std`:
//!   values, codecs, and generators with sources that you provide.
//! - `alloc`: the forms that return a `String`.
//! - `fast` (default): SIMD codecs and the one-load fork check. Without it the crate forbids `unsafe`.
//! - `aes` (default): random bits from AES where the processor has instructions for it, else from ChaCha12.
//! - `mac`: `Node::mac`.
//! - `prefixed`: prefixed ids, and [`odds`].
//! - `seal`: `SealKey` and `SealRing`, which convert version 7 to ids that look like version 4, and back.
//! - `state-file`: `source::FileState`.
//! - `serde`: see the modules in `idgen::serde`.
//! - `wasm-js`: clock and randomness for `wasm32-unknown-unknown` in browsers and Node. Of no effect elsewhere.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(not(feature = "fast"), forbid(unsafe_code))]
// Without an allocator an error cannot be boxed, and it carries the offending value.
#![cfg_attr(not(feature = "alloc"), allow(clippy::result_large_err))]

#[cfg(all(feature = "std", not(feature = "wasm-js"), target_family = "wasm", target_os = "unknown"))]
compile_error!(
    "wasm32-unknown-unknown has neither a clock nor randomness: turn on the feature `wasm-js` of idgen-keys, which asks \
     JavaScript, or turn off its default features, and pass a clock and randomness of your own"
);

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

mod atomic;
pub mod bounds;
mod chunks;
pub mod codec;
mod error;
#[cfg(feature = "std")]
mod facade;
mod fields;
pub mod generator;
mod inspect;
mod interval;
mod kind;
mod node;
#[cfg(all(feature = "prefixed", feature = "std"))]
mod odds;
#[cfg(feature = "fast")]
mod place;
#[cfg(feature = "prefixed")]
mod prefix;
mod rfc3339;
#[cfg(feature = "seal")]
mod seal;
#[cfg(any(feature = "prefixed", feature = "seal"))]
mod secret;
#[cfg(feature = "serde")]
pub mod serde;
mod shared;
mod short_id;
pub mod source;
#[cfg_attr(
    not(feature = "prefixed"),
    allow(dead_code, reason = "only prefixed ids have tails; `inspect` reads them")
)]
mod tail;
mod timestamp;
mod typed;

pub use error::{Error, Result};
#[cfg(feature = "std")]
pub use facade::*;
pub use inspect::{
    AnyId, ForeignId, ForeignKind, Inspection, Nature, foreign_numbers, foreign_texts, inspect,
    inspect_decoded, inspect_short, inspect_ulid, inspect_uuid, weeks_between,
};
pub use interval::{Bucket, Interval};
#[doc(hidden)]
pub use kind::{Facts, Position, Span};
pub use kind::{Kind, Setting};
pub use node::Node;
#[cfg(all(feature = "prefixed", feature = "std"))]
pub use odds::{Fleet, Odds, odds, odds_prefixed};
#[cfg(feature = "prefixed")]
pub use prefix::{Prefix, PrefixKey, PrefixKind, Writer, md5_week_prefix};
#[cfg(feature = "seal")]
pub use seal::SealKey;
#[cfg(all(feature = "seal", feature = "alloc"))]
pub use seal::{SealRing, TypeSeal};
pub use short_id::{DeviceFields, MysqlShortFields, ShortId};
#[cfg(feature = "std")]
pub use source::fork::reseed;
pub use timestamp::{Civil, Timestamp};
pub use typed::{IdType, Typed};
pub use uuid::Uuid;

/// Runs the example of the page that crates.io shows.
#[cfg(all(doctest, feature = "std"))]
#[doc = include_str!("../README.md")]
struct Package;

/// Runs the examples of the README together with those of the documentation.
#[cfg(all(doctest, feature = "prefixed", feature = "seal", feature = "state-file"))]
#[doc = include_str!("../docs/README.md")]
struct Readme;

/// Runs the examples of the guide to this crate.
#[cfg(all(doctest, feature = "prefixed", feature = "seal", feature = "state-file"))]
#[doc = include_str!("../docs/library.md")]
struct Guide;

/// Runs the examples of the page about typed and sealed ids.
#[cfg(all(doctest, feature = "prefixed", feature = "seal", feature = "state-file"))]
#[doc = include_str!("../docs/outside.md")]
struct Outside;
