//! Generators: one id for each call, and batches of 1,024.

mod contention;
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
    about: "New ids, one call for each, or one call for 1,024 (`batch`). All of ours come from cryptographic \
            randomness, survive a fork and never repeat; v6, v7, ULID and the ascending prefixed ones ascend \
            within a thread. Of the peers none survives a fork but uuid7, uuid's default and uuid's v1 and v6 with \
            luck; what else a peer leaves out stands in its name. \
            What stands in the way of the targets that are missed: on this machine reading the processor's counter \
            takes 10 ns, all but one of a v1, v6, v7 or ascending id, and the kernel's coarse clock 3 ns, which the \
            prefix of a random tail needs, and the second of a device id: of those no more than 65,536 a second are \
            made anyway, one in 15,000 ns.",
    groups: || [uuids::groups(), short::groups(), contention::groups()].into_iter().flatten().collect(),
    repeats_exactly: |group, case| {
        group != contention::GROUP && (case == "idgen v4" || case == "idgen mysql_short")
    },
};

/// A case that makes one id after the other.
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
        ensure!(is_right(&id), "{id:?} is not of its kind");
        ensure!(!seen.contains(&id), "{id:?} came twice");
        seen.insert(id);
    }
    Ok(())
}
