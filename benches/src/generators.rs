//! Generators: one id per call, and batches of 1,024.

mod contention;
mod short;
mod still;
mod uuids;

use crate::case::Section;
use crate::making::{batch, one};

/// The section of the report.
pub const SECTION: Section = Section {
    name: "generators",
    about: "The cases generate new ids, with one call for each id, or with one call for 1,024 (`batch`). All ids \
            of idgen come from cryptographic randomness and are never repeated, also after a fork; v6, v7, ULID \
            and the ascending prefixed ids ascend within a thread. Of the peers, uuid7 and uuid's default do not \
            repeat ids after a fork, and uuid's v1 and v6 usually do not, by chance. The name of a peer says \
            what else it leaves out. Some targets are missed because of the clock. On this machine, reading the \
            processor's counter takes 10 ns, which is all but one of the nanoseconds of a v1, v6, v7 or \
            ascending id. The kernel's coarse clock takes 3 ns; the prefix of a random tail needs it, and so \
            does the second of a device id. A device id cannot be generated more often than every 15,000 ns on \
            average anyway, because there are at most 65,536 per second.",
    groups: || {
        [uuids::groups(), still::groups(), short::groups(), contention::groups()]
            .into_iter()
            .flatten()
            .collect()
    },
    repeats_exactly: |group, case| {
        group.starts_with(still::GROUPS)
            || group != contention::GROUP && (case == "idgen v4" || case == "idgen mysql_short")
    },
};
