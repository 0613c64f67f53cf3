//! Cases that generate ids.

use std::collections::HashSet;
use std::fmt::Debug;
use std::hash::Hash;

use anyhow::{Result, ensure};

use crate::case::{Case, IDS, touch};

/// A case that generates one id after the other.
pub fn one<T: Copy + Debug + Eq + Hash + 'static>(
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
pub fn batch<T: Copy + Debug + Default + Eq + Hash + 'static>(
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
