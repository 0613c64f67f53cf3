//! Sentences of advice about the device below a pool.

use super::amounts::{rate, whole};
use super::{Candidate, Found};

/// The work of the device for the best key and for random ones, and how many inserts of random keys it sustains if that is too much.
pub(super) fn reasons(found: &Found<'_>, random: &Candidate, iops: Option<u32>) -> Vec<String> {
    let mut reasons = vec![format!(
        "At {} inserts per second, the device does {} page reads and writes per second for {}, and {} for random UUIDs.",
        rate(found.load.rate),
        whole(found.best.pages.device_pages_per_sec),
        found.best.strategy,
        whole(random.pages.device_pages_per_sec)
    )];
    if let Some(iops) = iops.filter(|iops| random.pages.device_pages_per_sec > f64::from(*iops)) {
        reasons.push(format!(
            "A device with {iops} reads and writes per second sustains about {} inserts per second of random UUIDs.",
            whole(random.pages.rate_at(iops))
        ));
    }
    reasons
}

/// Says that the device is too slow even for the best key; `None` if it is not, or if its speed is not given.
pub(super) fn caveat(found: &Found<'_>, iops: Option<u32>) -> Option<String> {
    let pages = found.best.pages;
    let iops = iops.filter(|iops| pages.device_pages_per_sec > f64::from(*iops))?;
    Some(format!(
        "A device with {iops} page reads and writes per second is too slow for {} inserts per second with any of these keys: it \
         sustains about {}.",
        rate(found.load.rate),
        whole(pages.rate_at(iops))
    ))
}
