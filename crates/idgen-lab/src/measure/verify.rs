//! Checks that the rows in the table are those that were inserted. Until then, no figure is shown.

use crate::engine::{Contents, Table, Tree};
use crate::key::Key;
use crate::{Error, Result};
use idgen_record::Role;

/// The rank of each row in the order of the keys; the rows are in the order of the inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranks(Vec<u32>);

impl Ranks {
    /// Wraps the ranks themselves.
    #[cfg(test)]
    pub fn of(ranks: Vec<u32>) -> Self {
        Ranks(ranks)
    }

    /// The ranks, in the order of the inserts.
    pub fn as_slice(&self) -> &[u32] {
        &self.0
    }
}

/// Checks that a tree holds exactly these keys, which are given in the order of the inserts.
///
/// # Errors
/// A key is missing, foreign or out of order, or two inserted keys are the same.
pub fn keys(table: &mut dyn Table, role: Role, inserted: &[Key]) -> Result<Ranks> {
    keys_by(table, role, inserted, |row| inserted[row])
}

/// Checks, as [`keys`] does, a tree that is not sorted by the keys that it shows: `place` returns the value
/// by which the row with this number is sorted.
///
/// # Errors
/// The errors of [`keys`].
pub fn keys_by<P: Ord>(
    table: &mut dyn Table,
    role: Role,
    inserted: &[Key],
    place: impl Fn(usize) -> P,
) -> Result<Ranks> {
    let rows = inserted.len();
    let order = in_order(inserted, place)?;
    let mut next = 0;
    table.keys(role, &mut |found| {
        let expected = order.get(next).map(|row| inserted[*row as usize]);
        if expected != Some(found) {
            return Err(mismatch(next, expected, found));
        }
        next += 1;
        Ok(())
    })?;
    check_found(rows, next)?;
    let mut ranks = vec![0; rows];
    for (rank, row) in (0..).zip(&order) {
        ranks[*row as usize] = rank;
    }
    Ok(Ranks(ranks))
}

/// Checks that a tree holds exactly these keys, each once, in any order. Their ranks follow the order in which they are
/// found.
///
/// # Errors
/// A key is missing, foreign or present twice, or two inserted keys are the same.
pub fn keys_in_any_order(table: &mut dyn Table, role: Role, inserted: &[Key]) -> Result<Ranks> {
    let rows = inserted.len();
    let order = in_order(inserted, |row| inserted[row])?;
    let mut ranks = vec![u32::MAX; rows];
    let mut next = 0;
    table.keys(role, &mut |found| {
        let place = order.binary_search_by_key(&found, |row| inserted[*row as usize]);
        let rank = place.ok().and_then(|at| ranks.get_mut(order[at] as usize));
        let rank = rank.ok_or_else(|| mismatch(next, None, found))?;
        if *rank != u32::MAX {
            return Err(Error::unverified(format!("the table holds {found} twice")));
        }
        *rank = u32::try_from(next).unwrap_or(u32::MAX);
        next += 1;
        Ok(())
    })?;
    check_found(rows, next)?;
    Ok(Ranks(ranks))
}

/// Checks that a tree holds this many keys, each once. The server made them, each greater than the one before, so the
/// order of the inserts is that of the keys.
///
/// # Errors
/// A key is missing or present twice.
pub fn made_keys(table: &mut dyn Table, role: Role, rows: usize) -> Result<Ranks> {
    let mut before = None;
    let mut next = 0;
    table.keys(role, &mut |found| {
        if before.is_some_and(|before| before >= found) {
            return Err(Error::unverified(format!("the table holds {found} twice, or out of order")));
        }
        before = Some(found);
        next += 1;
        Ok(())
    })?;
    check_found(rows, next)?;
    let rows = u32::try_from(rows).map_err(|_| too_many(rows))?;
    Ok(Ranks((0..rows).collect()))
}

/// Checks that the pages of a tree hold this many rows.
///
/// # Errors
/// They hold more or fewer.
pub fn pages(tree: &Tree, rows: usize) -> Result<()> {
    if tree.rows() == rows as u64 {
        return Ok(());
    }
    Err(Error::unverified(format!(
        "{rows} rows were inserted, but the pages of the tree \"{:?}\" hold {}",
        tree.role,
        tree.rows()
    )))
}

fn check_found(rows: usize, found: usize) -> Result<()> {
    if found == rows {
        return Ok(());
    }
    Err(Error::unverified(format!("{rows} rows were inserted, but only {found} are in the table")))
}

/// Checks what this many rows contain besides their keys: each has a payload of this many bytes.
///
/// # Errors
/// Rows or bytes of payload are missing, or an entry of a map has no row.
pub fn contents(found: Contents, rows: u64, payload_bytes: u32) -> Result<()> {
    let expected = Contents { rows, payload_bytes: rows * u64::from(payload_bytes), unmapped: 0 };
    if found == expected {
        return Ok(());
    }
    Err(Error::unverified(format!(
        "the table should hold {} rows with {} bytes of payload, but holds {} with {}; {} entries of the map have no row",
        expected.rows, expected.payload_bytes, found.rows, found.payload_bytes, found.unmapped
    )))
}

/// The numbers of the rows, in the order of the tree.
fn in_order<P: Ord>(inserted: &[Key], place: impl Fn(usize) -> P) -> Result<Vec<u32>> {
    let count = u32::try_from(inserted.len()).map_err(|_| too_many(inserted.len()))?;
    let mut order: Vec<u32> = (0..count).collect();
    order.sort_unstable_by_key(|row| place(*row as usize));
    for pair in order.windows(2) {
        let (a, b) = (pair[0] as usize, pair[1] as usize);
        if place(a) == place(b) {
            return Err(Error::unverified(format!(
                "rows {a} and {b} were given the same key {}",
                inserted[a]
            )));
        }
    }
    Ok(order)
}

fn too_many(rows: usize) -> Error {
    Error::config(format!("{rows} rows are too many to check: at most 2^32 - 1"))
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
    use crate::engine::{Batch, Counters, Inserted, Leaf};
    use std::collections::BTreeMap;

    /// A table that returns the keys that it was given.
    struct Answers(Vec<Key>);

    impl Table for Answers {
        fn settings(&mut self) -> Result<BTreeMap<String, String>> {
            Ok(BTreeMap::new())
        }
        fn insert(&mut self, _: usize, _: &Batch<'_>) -> Result<Vec<Inserted>> {
            Ok(Vec::new())
        }
        fn counters(&mut self) -> Result<Counters> {
            Ok(Counters::default())
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

    fn uints(numbers: &[u64]) -> Vec<Key> {
        numbers.iter().map(|n| Key::Uint(*n)).collect()
    }

    fn tree(rows: usize) -> Tree {
        let leaves = vec![Leaf { rows: rows as u64, used_bytes: 0 }];
        Tree {
            role: Role::Rows,
            page_bytes: 16_384,
            leaves,
            inner_pages: 0,
            rows_between_leaves: 0,
            file: None,
        }
    }

    fn check(inserted: &[u64], found: &[u64]) -> Result<Ranks> {
        keys(&mut Answers(uints(found)), Role::Rows, &uints(inserted))
    }

    #[test]
    fn the_sort_order_of_the_tree_determines_the_ranks() {
        let by_last_digit = |inserted: &[u64], found: &[u64]| {
            let place = |row: usize| inserted[row] % 10;
            keys_by(&mut Answers(uints(found)), Role::Rows, &uints(inserted), place)
        };
        assert_eq!(by_last_digit(&[12, 41, 30], &[30, 41, 12]).unwrap().as_slice(), [2, 1, 0]);
        assert!(by_last_digit(&[12, 41, 30], &[12, 30, 41]).unwrap_err().is_unverified());
        let error = by_last_digit(&[12, 32, 30], &[30, 12, 32]).unwrap_err();
        assert!(error.to_string().contains("same key"), "{error}");
    }

    #[test]
    fn rows_without_a_key_are_ranked_as_they_are_found() {
        let check = |inserted: &[u64], found: &[u64]| {
            keys_in_any_order(&mut Answers(uints(found)), Role::Rows, &uints(inserted))
        };
        assert_eq!(check(&[30, 10, 20], &[10, 30, 20]).unwrap().as_slice(), [1, 0, 2]);
        for (found, says) in
            [(&[30, 10][..], "only 2"), (&[30, 10, 10], "10 twice"), (&[30, 10, 21], "21, which was not")]
        {
            let error = check(&[30, 10, 20], found).unwrap_err();
            assert!(error.is_unverified() && error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn keys_that_the_server_made_are_counted_and_have_to_ascend() {
        let check = |rows, found: &[u64]| made_keys(&mut Answers(uints(found)), Role::Rows, rows);
        assert_eq!(check(3, &[7, 8, 11]).unwrap().as_slice(), [0, 1, 2]);
        for (found, says) in [(&[7, 8][..], "only 2"), (&[7, 7, 8], "7 twice"), (&[7, 9, 8], "out of order")]
        {
            let error = check(3, found).unwrap_err();
            assert!(error.is_unverified() && error.to_string().contains(says), "{error}");
        }
    }

    #[test]
    fn pages_with_more_or_fewer_rows_are_refused() {
        assert!(pages(&tree(3), 3).is_ok());
        for rows in [2, 4] {
            let error = pages(&tree(rows), 3).unwrap_err();
            assert!(error.is_unverified() && error.to_string().contains("3 rows were inserted"), "{error}");
        }
    }

    #[test]
    fn the_same_keys_pass_and_get_their_ranks() {
        assert_eq!(check(&[30, 10, 20], &[10, 20, 30]).unwrap().as_slice(), [2, 0, 1]);
    }

    #[test]
    fn missing_foreign_and_repeated_keys_are_refused() {
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
