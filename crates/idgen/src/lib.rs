//! Unique ids that databases like, and their encodings.
#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(not(feature = "fast"), forbid(unsafe_code))]

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
