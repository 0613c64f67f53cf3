//! Divides the cells of neighboring pages among as many pages as they need, as SQLite does (`balance_nonroot`
//! in `btree.c`).

/// Returns the end of each page: the number of the first cell behind it. In an index, and in pages above the
/// leaves, that cell goes to the page above, and the next page begins behind it.
///
/// `sizes` are the bytes of the cells, those between the old pages included, and `ends` the ends of the old
/// pages. `room` is the bytes that a page has for cells. With `data`, the pages are leaves of a table that is
/// sorted by row numbers: no cell moves up.
pub(super) fn divide(sizes: &[u32], ends: &[usize], room: u32, data: bool) -> Vec<usize> {
    let between = usize::from(!data);
    let mut ends = ends.to_vec();
    let mut used = Vec::with_capacity(ends.len() + 2);
    let mut from = 0;
    for &end in &ends {
        used.push(sizes[from..end].iter().map(|&size| i64::from(size)).sum::<i64>());
        from = end + between;
    }
    fill_from_the_left(sizes, &mut ends, &mut used, room.into(), data);
    even_out(sizes, &mut ends, &mut used, data);
    ends
}

/// Fills each page as far as possible, the first one first.
fn fill_from_the_left(sizes: &[u32], ends: &mut Vec<usize>, used: &mut Vec<i64>, room: i64, data: bool) {
    let all = sizes.len();
    // The cell that comes into the next page, or leaves it, if this one ends before `end`.
    let crosses = |end: usize, own: i64| match (data, end < all) {
        (true, _) => own,
        (false, true) => i64::from(sizes[end]),
        (false, false) => 0,
    };
    let mut page = 0;
    while page < ends.len() {
        while used[page] > room {
            if page + 1 == ends.len() {
                ends.push(all);
                used.push(0);
            }
            let own = i64::from(sizes[ends[page] - 1]);
            used[page] -= own;
            used[page + 1] += crosses(ends[page], own);
            ends[page] -= 1;
        }
        while ends[page] < all {
            let own = i64::from(sizes[ends[page]]);
            if used[page] + own > room {
                break;
            }
            used[page] += own;
            ends[page] += 1;
            let gone = crosses(ends[page], own);
            if let Some(next) = used.get_mut(page + 1) {
                *next -= gone;
            }
        }
        if ends[page] >= all {
            ends.truncate(page + 1);
            used.truncate(page + 1);
        }
        page += 1;
    }
}

/// Moves cells to the right, beginning with the last page, until each page has about as much as the next one.
fn even_out(sizes: &[u32], ends: &mut [usize], used: &mut [i64], data: bool) {
    let last = ends.len() - 1;
    for page in (1..=last).rev() {
        // For the last pair of pages, SQLite does not count the pointer of the cell that would move.
        let slack = if page == last { 2 } else { 0 };
        let (mut right, mut left) = (used[page], used[page - 1]);
        let mut moves = ends[page - 1];
        while moves > 0 {
            // The last cell of the left page moves up, and the one that was above moves to the right page.
            let leaves = i64::from(sizes[moves - 1]);
            let comes = if data { leaves } else { sizes[moves].into() };
            if right != 0 && right + comes > left - leaves + slack {
                break;
            }
            right += comes;
            left -= leaves;
            moves -= 1;
        }
        ends[page - 1] = moves;
        (used[page], used[page - 1]) = (right, left);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn bytes_of_pages(sizes: &[u32], ends: &[usize], data: bool) -> Vec<u32> {
        let mut from = 0;
        let page = |&end: &usize| {
            let bytes = sizes[from..end].iter().sum();
            from = end + usize::from(!data);
            bytes
        };
        ends.iter().map(page).collect()
    }

    #[test]
    fn one_full_page_becomes_two_halves() {
        assert_eq!(divide(&[10; 11], &[11], 100, false), [5, 11]);
        assert_eq!(divide(&[10; 11], &[11], 100, true), [6, 11]);
    }

    #[test]
    fn neighbors_with_room_take_cells_and_no_page_is_added() {
        // 11 cells, one between, 6, one between, 6: together 25, of which two stay between.
        assert_eq!(divide(&[10; 25], &[11, 18, 25], 100, false), [9, 18, 25]);
    }

    #[test]
    fn pages_that_fit_into_fewer_are_merged() {
        assert_eq!(divide(&[10; 17], &[11, 14, 17], 100, false).len(), 2);
    }

    proptest! {
        /// Cells of any size on three pages, of which one is too full.
        #[test]
        fn every_page_gets_cells_and_none_more_than_it_has_room_for(
            sizes in prop::collection::vec(4u32..250, 40..200),
            cuts in (0.2f64..0.45, 0.55f64..0.8),
            data in any::<bool>(),
        ) {
            let at = |share: f64| (share * sizes.len() as f64) as usize;
            let old = [at(cuts.0), at(cuts.1), sizes.len()];
            let largest = bytes_of_pages(&sizes, &old, data).into_iter().max().unwrap();
            let room = largest.max(1_100) - 1;
            let ends = divide(&sizes, &old, room, data);
            prop_assert_eq!(*ends.last().unwrap(), sizes.len());
            prop_assert!(ends.is_sorted_by(|a, b| a + usize::from(!data) < *b), "{:?}", ends);
            for bytes in bytes_of_pages(&sizes, &ends, data) {
                prop_assert!((1..=room).contains(&bytes), "{} of {}", bytes, room);
            }
        }
    }
}
