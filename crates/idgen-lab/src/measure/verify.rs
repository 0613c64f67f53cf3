//! Are the rows in the table those that were inserted? Before that is known no figure is shown.

use crate::engine::{Contents, Table, Tree};
use crate::key::Key;
use crate::{Error, Result, Workload};

/// For each row in the order of the inserts, its place in the order of the keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(Vec<u32>);

impl Ranks {
    /// From the places themselves.
    pub fn of(ranks: Vec<u32>) -> Self {
        Ranks(ranks)
    }

    /// The places, in the order of the inserts.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

/// Checks that a tree holds exactly these keys, given in the order of the inserts.
///
/// # Errors
/// Where a key is missing, foreign or out of order, or where two inserted keys are the same.
pub fn keys(table: &mut dyn Table, tree: &Tree, inserted: &[Key]) -> Result<Ranks> {
    let rows = inserted.len();
    if tree.rows() != rows as u64 {
        return Err(Error::unverified(format!(
            "{rows} rows were inserted, but the pages of the tree \"{:?}\" hold {}",
            tree.role,
            tree.rows()
        )));
    }
    let order = in_key_order(inserted)?;
    let mut place = 0;
    table.keys(tree.role, &mut |found| {
        let expected = order.get(place).map(|row| inserted[*row as usize]);
        if expected != Some(found) {
            return Err(mismatch(place, expected, found));
        }
        place += 1;
        Ok(())
    })?;
    if place != rows {
        return Err(Error::unverified(format!(
            "{rows} rows were inserted, but only {place} are in the table"
        )));
    }
    let mut ranks = vec![0; rows];
    for (rank, row) in (0..).zip(&order) {
        ranks[*row as usize] = rank;
    }
    Ok(Ranks(ranks))
}

/// Checks what the rows contain beyond their keys.
///
/// # Errors
/// Where rows or payload bytes are missing, or where a map leads nowhere.
pub fn contents(found: Contents, workload: &Workload) -> Result<()> {
    let expected = Contents {
        rows: workload.rows,
        payload_bytes: workload.rows * u64::from(workload.payload_bytes),
        unmapped: 0,
    };
    if found == expected {
        return Ok(());
    }
    Err(Error::unverified(format!(
        "the table should hold {} rows with {} bytes of payload, but holds {} with {}; the map leads nowhere {} times",
        expected.rows, expected.payload_bytes, found.rows, found.payload_bytes, found.unmapped
    )))
}

/// The numbers of the rows, in the order of their keys.
fn in_key_order(inserted: &[Key]) -> Result<Vec<u32>> {
    let count = u32::try_from(inserted.len()).map_err(|_| {
        Error::config(format!("{} rows are too many to check: at most 2^32 - 1", inserted.len()))
    })?;
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_unstable_by_key(|row| inserted[*row as usize]);
    for pair in order.windows(2) {
        let (a, b) = (pair[0] as usize, pair[1] as usize);
        if inserted[a] == inserted[b] {
            return Err(Error::unverified(format!(
                "rows {a} and {b} were given the same key {}",
                inserted[a]
            )));
        }
    }
    Ok(order)
}

fn mismatch(place: usize, expected: Option<Key>, found: Key) -> Error {
    Error::unverified(match expected {
        Some(expected) => format!("key number {place} should be {expected}, but the table holds {found}"),
        None => format!("the table holds {found}, which was not inserted"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::{Batch, Counters, Latency, Leaf, Role};
    use std::collections::BTreeMap;

    /// A table that answers with the keys it is given.
    struct Answers(Vec<Key>);

    impl Table for Answers {
        fn settings(&mut self) -> Result<BTreeMap<String, String>> {
            Ok(BTreeMap::new())
        }
        fn insert(&mut self, _: &Batch<'_>) -> Result<()> {
            Ok(())
        }
        fn counters(&mut self) -> Result<Counters> {
            Ok(Counters::default())
        }
        fn latency(&self) -> Option<Latency> {
            None
        }
        fn trees(&mut self) -> Result<Vec<Tree>> {
            Ok(Vec::new())
        }
        fn keys(&mut self, _: Role, visit: &mut dyn FnMut(Key) -> Result<()>) -> Result<()> {
            self.0.iter().try_for_each(|key| visit(*key))
        }
        fn contents(&mut self) -> Result<Contents> {
            Ok(Contents { rows: 0, payload_bytes: 0, unmapped: 0 })
        }
    }

    fn check(inserted: &[u64], found: &[u64]) -> Result<Ranks> {
        let uints = |numbers: &[u64]| numbers.iter().map(|n| Key::Uint(*n)).collect::<Vec<_>>();
        let leaves = vec![Leaf { rows: inserted.len() as u64, used_bytes: 0 }];
        let tree =
            Tree { role: Role::Rows, page_bytes: 16_384, leaves, inner_pages: 0, rows_between_leaves: 0 };
        keys(&mut Answers(uints(found)), &tree, &uints(inserted))
    }

    #[test]
    fn the_same_keys_pass_and_get_their_ranks() {
        assert_eq!(check(&[30, 10, 20], &[10, 20, 30]).unwrap().as_slice(), [2, 0, 1]);
    }

    #[test]
    fn whatever_differs_is_refused() {
        for (inserted, found, says) in [
            (&[1, 2, 3][..], &[1, 2][..], "only 2"),
            (&[1, 2, 3], &[1, 2, 4], "should be 3, but the table holds 4"),
            (&[1, 2, 3], &[1, 2, 3, 4], "holds 4, which was not inserted"),
            (&[1, 2, 2], &[1, 2, 2], "same key 2"),
            (&[1, 2, 3], &[2, 1, 3], "should be 1"),
        ] {
            let error = check(inserted, found).unwrap_err();
            assert!(error.is_unverified());
            assert!(error.to_string().contains(says), "{error}");
        }
    }
}
