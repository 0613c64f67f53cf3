//! Generators: one id per call, and batches of 1,024.

mod contention;
mod prefixed;
mod short;
mod uuids;

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

use anyhow::{Result, ensure};

use crate::case::{Case, IDS, Section, touch};

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

/// A case that generates one id after the other.
fn one<T: Copy + Debug + Eq + Hash + 'static>(
    name: &'static str,
    make: impl Fn() -> T + Clone + 'static,
    is_right: fn(&T) -> bool,
) -> Case {
    let checked = make.clone();
    Case {
        name,
        pass: Box::new(move || {
            for _ in 0..IDS {
                touch(&mut make());
            }
        }),
        check: Box::new(move || all_right((0..4 * IDS).map(|_| checked()), is_right)),
    }
}

/// A case that fills a slice.
fn batch<T: Copy + Debug + Default + Eq + Hash + 'static>(
    name: &'static str,
    fill: impl Fn(&mut [T]) + Clone + 'static,
    is_right: fn(&T) -> bool,
) -> Case {
    let checked = fill.clone();
    let mut ids = vec![T::default(); IDS];
    Case {
        name,
        pass: Box::new(move || {
            fill(&mut ids);
            touch(ids.as_mut_slice());
        }),
        check: Box::new(move || {
            let mut ids = vec![T::default(); 4 * IDS];
            checked(&mut ids[..100]);
            checked(&mut ids[100..]);
            all_right(ids, is_right)
        }),
    }
}

fn all_right<T: Debug + Eq + Hash>(ids: impl IntoIterator<Item = T>, is_right: fn(&T) -> bool) -> Result<()> {
    let mut seen = HashSet::new();
    for id in ids {
        ensure!(is_right(&id), "{id:?} is not an id of this kind");
        ensure!(!seen.contains(&id), "{id:?} was generated twice");
        seen.insert(id);
    }
    Ok(())
}
