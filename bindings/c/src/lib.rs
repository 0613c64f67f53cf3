//! The C interface of idgen: `include/idgen.h` is written from this crate. Kotlin and Swift call the same functions.
//!
//! Nothing that a caller passes is trusted: null pointers, lengths, texts and numbers are checked, and a panic becomes a status.

mod boundary;
mod bounds;
mod codec;
mod error;
mod fixed;
mod foreign;
mod generator;
mod input;
mod inspect;
mod lease;
mod named;
mod orders;
mod prefix_key;
mod rows;
mod seal;
mod settings;
mod short;

pub use bounds::*;
pub use codec::*;
pub use error::*;
pub use fixed::*;
pub use foreign::*;
pub use generator::*;
pub use inspect::*;
pub use lease::*;
pub use named::*;
pub use orders::*;
pub use prefix_key::*;
pub use rows::*;
pub use seal::*;
pub use settings::*;
pub use short::*;

/// The version of the library, such as "0.1.0": that of the header is IDGEN_VERSION.
#[unsafe(no_mangle)]
pub extern "C" fn idgen_version() -> *const std::ffi::c_char {
    const VERSION: &std::ffi::CStr =
        match std::ffi::CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
            Ok(version) => version,
            Err(_) => c"",
        };
    VERSION.as_ptr()
}
