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
#[cfg(feature = "serde")]
pub mod serde;
mod short_id;
mod timestamp;

pub use error::{Error, Result};
pub use short_id::{DeviceFields, MysqlShortFields, ShortId};
pub use timestamp::{Civil, Timestamp};
pub use uuid::Uuid;
