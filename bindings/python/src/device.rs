//! The 64-bit ids of the process, and a clock that sleeps without the GIL.

use std::sync::OnceLock;
use std::time::Duration;

use idgen::Timestamp;
use idgen::generator::DeviceShort;
use idgen::source::{Clock, Csprng, SystemClock};
use pyo3::prelude::*;

/// The system's clock. Its sleep lets other Python threads run.
pub(crate) struct DetachedClock;

impl Clock for DetachedClock {
    #[inline]
    fn now(&self) -> Timestamp {
        SystemClock.now()
    }

    fn sleep(&self, span: Duration) {
        Python::attach(|py| py.detach(|| SystemClock.sleep(span)));
    }
}

/// The one device generator of this process and its forked children, as `idgen::short` has one: that
/// would keep the GIL while it waits for the next second.
///
/// # Panics
/// Where the system gives no randomness; the caller's trampoline makes an exception of it.
#[inline]
pub(crate) fn short() -> &'static DeviceShort<DetachedClock> {
    static DEVICE: OnceLock<DeviceShort<DetachedClock>> = OnceLock::new();
    DEVICE.get_or_init(|| {
        let device = Csprng::new().and_then(|random| DeviceShort::new(DetachedClock, random));
        device.unwrap_or_else(|error| panic!("{error}"))
    })
}
