//! A device's number for a limited time.

use crate::error::{Error, Kind as ErrorKind, Result};
use crate::timestamp::Timestamp;

/// The number of a device, and the seconds whose ids it may make with it.
///
/// The 16 bits of the device in a 64-bit id are too few to be drawn at random: `idgen odds short` computes how often two devices
/// get the same. A server that hands them out gives each device a number for a time, and gives no two devices one number for
/// the same second. Since the second is part of an id, ids of different leases then differ, whatever the clocks of the devices
/// do. `DeviceLeases` of the crate `idgen-mysql` is such a server.
///
/// ```
/// use idgen::{Timestamp, generator::{DeviceLease, DeviceShort, Generate}, source::{FixedClock, FixedEntropy}};
///
/// let (from, to) = (Timestamp::from_unix_secs(1_795_219_200), Timestamp::from_unix_secs(1_795_305_600));
/// let clock = FixedClock::new(from);
/// let mut ids = DeviceShort::new(&clock, FixedEntropy::new(1))?.with_lease(DeviceLease::new(0xD846, from, to)?);
/// assert_eq!(ids.next_id()?.device().node, 0xD846);
/// clock.set(Timestamp::from_unix_secs(1_795_305_601));
/// let error = ids.next_id().unwrap_err();
/// assert!(error.is_outside_lease());
/// assert!(error.to_string().contains("renew the lease"), "{error}");
/// # Ok::<(), idgen::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DeviceLease {
    number: u16,
    first_sec: u32,
    last_sec: u32,
}

impl DeviceLease {
    /// A lease of a number for the seconds from `not_before` to `not_after`, both included. A fraction of a second makes the
    /// lease shorter at its beginning, and counts as the whole second at its end.
    ///
    /// # Errors
    /// `not_before` is later than `not_after`, or a 64-bit id cannot hold one of the two: they are before 1970-01-01T00:00:01Z
    /// or after 2106-02-07.
    pub fn new(number: u16, not_before: Timestamp, not_after: Timestamp) -> Result<Self> {
        let secs = |time: Timestamp, secs: i64| {
            u32::try_from(secs).ok().filter(|secs| *secs > 0).ok_or_else(|| {
                let (first, last) =
                    (Timestamp::from_unix_secs(1), Timestamp::from_unix_secs(u32::MAX.into()));
                Error::out_of_range("short", time, first, last)
            })
        };
        let begun = i64::from(not_before.subsec_nanos() > 0);
        let first_sec = secs(not_before, not_before.unix_secs().saturating_add(begun))?;
        let last_sec = secs(not_after, not_after.unix_secs())?;
        if first_sec > last_sec {
            return Err(Error::config(
                "no second lies in the lease",
                format_args!("{not_before} to {not_after}"),
                "begin it before its end",
            ));
        }
        Ok(DeviceLease { number, first_sec, last_sec })
    }

    /// The number of the device.
    pub const fn number(self) -> u16 {
        self.number
    }

    /// The first second of the lease.
    pub const fn not_before(self) -> Timestamp {
        Timestamp::from_unix_secs(self.first_sec as i64)
    }

    /// The last second of the lease.
    pub const fn not_after(self) -> Timestamp {
        Timestamp::from_unix_secs(self.last_sec as i64)
    }

    /// Refuses an id of a second outside of the lease.
    #[inline]
    pub(super) fn check(self, secs: u64) -> Result<()> {
        if u64::from(self.first_sec) <= secs && secs <= u64::from(self.last_sec) {
            return Ok(());
        }
        Err(self.outside(secs))
    }

    #[cold]
    fn outside(self, secs: u64) -> Error {
        let time = Timestamp::from_unix_secs(secs as i64);
        Error::new(ErrorKind::OutsideLease {
            number: self.number,
            time,
            not_before: self.not_before(),
            not_after: self.not_after(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn millis(millis: i64) -> Timestamp {
        Timestamp::from_unix_millis(millis)
    }

    #[test]
    fn a_lease_has_whole_seconds() {
        let lease = DeviceLease::new(7, millis(1_001), millis(5_999)).unwrap();
        assert_eq!((lease.not_before(), lease.not_after()), (millis(2_000), millis(5_000)));
        for (secs, good) in
            [(0, false), (1, false), (2, true), (5, true), (6, false), (u64::MAX >> 32, false)]
        {
            assert_eq!(lease.check(secs).is_ok(), good, "{secs}");
        }
    }

    #[test]
    fn a_lease_without_a_second_is_refused() {
        for (from, to) in [(5_000, 4_999), (1_001, 1_999), (9_000, 2_000)] {
            assert!(DeviceLease::new(7, millis(from), millis(to)).unwrap_err().is_config(), "{from} {to}");
        }
        let last = i64::from(u32::MAX) * 1000;
        for (from, to) in [(0, 5_000), (-1, 5_000), (5_000, last + 1_000), (i64::MIN / 10_000_000, 1)] {
            let error = DeviceLease::new(7, millis(from), millis(to)).unwrap_err();
            assert!(error.is_time_out_of_range(), "{from} {to}");
        }
        assert!(DeviceLease::new(0, millis(1_000), millis(last)).is_ok());
    }
}
