//! The one-line functions of prefixed ids.

use std::cell::RefCell;

use uuid::Uuid;

use super::{Slot, next, with};
use crate::generator::{Generate, Prefixed, Tail};
use crate::interval::Interval;
use crate::prefix::Prefix;
use crate::source::{SystemClock, ThreadEntropy};

per_thread! {
    /// A week-prefixed UUID, labeled version 4: the prefix that MySQL computes for this week in UTC, then a random tail.
    /// See [`Prefix::Md5Week`].
    ///
    /// ```
    /// let (a, b) = (idgen::week(), idgen::week());
    /// assert_ne!(a, b);
    /// assert_eq!(a.get_version_num(), 4);
    /// ```
    week, fill_week, LOCAL_WEEK: Prefixed<SystemClock, ThreadEntropy> =
        || Prefixed::new(SystemClock, ThreadEntropy, Prefix::MD5_WEEK_UTC, Interval::Week, Tail::RandomV4);

    /// A prefixed id that sorts by time: the number of the day in UTC, then an ascending tail.
    /// Strictly ascending within a thread, unless the clock is set back by more than ten seconds. Build a
    /// [`Prefixed`] for another prefix, interval or tail.
    ///
    /// ```
    /// let (a, b) = (idgen::prefixed(), idgen::prefixed());
    /// assert!(a < b);
    /// assert_eq!(a.get_version_num(), 8);
    /// ```
    prefixed, fill_prefixed, LOCAL_PREFIXED: Prefixed<SystemClock, ThreadEntropy> = || {
        let prefix = Prefix::Sequential { bits: 16 };
        Prefixed::new(SystemClock, ThreadEntropy, prefix, Interval::Day, Tail::Ascending)
    };
}
