//! The 64-bit ids of the process.

use std::sync::OnceLock;

use idgen::ShortId;
use idgen::generator::DeviceShort;
use idgen::source::Csprng;
use pyo3::prelude::*;

use crate::clock::{self, DetachedClock};

/// The one device generator of this process and its forked children, as `idgen::short` has one: that
/// would keep the GIL while it waits for the next second.
///
/// # Panics
/// If the system provides no randomness; the caller's trampoline makes an exception of it.
#[inline]
pub(crate) fn short() -> &'static DeviceShort<DetachedClock> {
    static DEVICE: OnceLock<DeviceShort<DetachedClock>> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let device = Csprng::new().and_then(|random| DeviceShort::new(DetachedClock, random));
        device.unwrap_or_else(|error| panic!("{error}"))
    })
}

/// The next id of the process.
#[inline]
pub(crate) fn next_short() -> PyResult<ShortId> {
    // A wait that was interrupted fails: without an error there is nothing to look for.
    short().make().or_else(|error| clock::answer(Err(error)))
}
