//! Unique ids that databases like, and their encodings.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(not(feature = "fast"), forbid(unsafe_code))]
// Without an allocator an error cannot be boxed, and it carries the offending value.
#![cfg_attr(not(feature = "alloc"), allow(clippy::result_large_err))]

#[cfg(feature = "alloc")]
extern crate alloc;
#[cfg(any(feature = "std", test))]
extern crate std;

pub mod codec;
mod error;
#[cfg(feature = "std")]
mod facade;
mod fields;
pub mod generator;
mod inspect;
mod kind;
mod node;
#[cfg(feature = "std")]
mod odds;
mod prefix;
#[cfg(feature = "serde")]
pub mod serde;
mod short_id;
pub mod source;
mod timestamp;

pub use error::{Error, Result};
#[cfg(feature = "std")]
pub use facade::{
    fill_mysql_short, fill_prefixed, fill_short, fill_ulid, fill_v1, fill_v4, fill_v6, fill_v7, fill_week,
    mysql_short, prefixed, short, ulid, v1, v4, v6, v7, week,
};
pub use inspect::{AnyId, Inspection, Nature, inspect, inspect_short, inspect_uuid, weeks_of_prefix};
pub use kind::Kind;
pub use node::Node;
#[cfg(feature = "std")]
pub use odds::{Fleet, Odds, odds, odds_prefixed};
pub use prefix::{Bucket, Interval, Prefix, PrefixKey, Seconds, md5_week_prefix};
pub use short_id::{DeviceFields, MysqlShortFields, ShortId};
pub use timestamp::{Civil, Timestamp};
pub use uuid::Uuid;
