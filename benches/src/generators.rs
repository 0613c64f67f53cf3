//! Generators: one id per call, and batches of 1,024.

mod contention;
mod prefixed;
mod short;
mod uuids;

use crate::case::Section;
use crate::making::{batch, one};

/// The section of the report.
pub const SECTION: Section = Section {
    name: "generators",
    about: "The cases generate new ids, with one call for each id, or with one call for 1,024 (`batch`). All \
            of our ids come from cryptographic randomness, survive a fork and are never repeated; v6, v7, \
            ULID and the ascending prefixed ids ascend within a thread. Of the peers, uuid7 and uuid's \
            default survive a fork, and uuid's v1 and v6 do by chance; the name of a peer says what else it \
            leaves out. The targets that are missed have these causes: on this machine, reading the \
            processor's counter takes 10 ns, all but one of a v1, v6, v7 or ascending id. The kernel's \
            coarse clock takes 3 ns; the prefix of a random tail needs it, and so does the second of a \
            device id, of which at most 65,536 per second are generated anyway, one in 15,000 ns.",
    groups: || {
        [uuids::groups(), prefixed::groups(), short::groups(), contention::groups()]
            .into_iter()
            .flatten()
            .collect()
    },
    repeats_exactly: |group, case| {
        group.starts_with(prefixed::GROUPS)
            || group != contention::GROUP && (case == "idgen v4" || case == "idgen mysql_short")
    },
};
