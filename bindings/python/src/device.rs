//! The 64-bit ids of the process.

use std::sync::OnceLock;

use idgen::ShortId;
use idgen::generator::DeviceShort;
use idgen::source::Csprng;
use pyo3::prelude::*;

use crate::clock::{self, DetachedClock};

/// The one device generator of this process and its forked children. That of `idgen::short` would keep the GIL while it
/// waits for the next second.
///
/// # Panics
/// If the system provides no randomness; the caller's trampoline converts the panic to an exception.
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
    // An interrupted wait returns an error, so without an error there is no exception to look for.
    short().make().or_else(|error| clock::answer(Err(error)))
}
