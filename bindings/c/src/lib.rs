//! The C interface of idgen: `include/idgen.h` is written from this crate. Kotlin and Swift call the same functions.
//!
//! Nothing that a caller passes is trusted: null pointers, lengths, texts and numbers are checked, and a panic becomes a status.

mod boundary;
mod codec;
mod error;
mod fixed;
mod generator;
mod input;
mod inspect;
mod prefix_key;
mod seal;
mod settings;
mod short;

pub use codec::*;
pub use error::*;
pub use fixed::*;
pub use generator::*;
pub use inspect::*;
pub use prefix_key::*;
pub use seal::*;
pub use settings::*;
pub use short::*;
