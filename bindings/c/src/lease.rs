//! Leased numbers of devices.

use idgen::Timestamp;
use idgen::generator::{AnyGenerator, DeviceLease};

use crate::boundary;
use crate::error::IdgenError;
use crate::generator::{IdgenGenerator, other_width, with};

/// Gives a generator of IDGEN_SHORT the number of its device that a server has leased, for the seconds from `not_before` to `not_after`, both in units of
/// 100 ns since 1970. A fraction of a second makes the lease shorter at its beginning, and counts as the whole second at its end. The number is the node,
/// and outside of the lease, the functions that generate ids return IDGEN_OUTSIDE_LEASE. Call it before the first id, and again with the renewed lease.
///
/// Keep a state beside the lease: without it, a restart after the clock was set back may repeat ids of this device itself. With a lease, a clock that
/// steps back further than the tolerance is an error also with IDGEN_RESTART, because a restart takes another node.
///
/// Returns IDGEN_CONFIG if no second lies in the lease, and IDGEN_TIME_OUT_OF_RANGE if a 64-bit id cannot hold one of the times. The lease before it then
/// stays. A generator of 128-bit ids returns IDGEN_ARGUMENT.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn idgen_generator_set_lease(
    generator: *const IdgenGenerator,
    number: u16,
    not_before: i64,
    not_after: i64,
    error: *mut IdgenError,
) -> i32 {
    boundary::status(error, || {
        let (begin, end) = (Timestamp::from_unix_ticks(not_before), Timestamp::from_unix_ticks(not_after));
        // SAFETY: the caller promises a living object.
        unsafe {
            with(generator, |any| match any {
                AnyGenerator::Shorts(generator) => {
                    Ok(generator.set_lease(DeviceLease::new(number, begin, end)?)?)
                }
                AnyGenerator::Uuids(_) => {
                    Err(other_width("64 bits: only IDGEN_SHORT has the number of a device"))
                }
            })
        }
    })
}
