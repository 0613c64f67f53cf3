//! Computes how full the pages are, and how many different pages a sequence of inserts goes to.

use idgen_record::TreeFigures;
use innodb_pages::Distribution;

use super::Ranks;
use crate::engine::Tree;

/// The figures of a tree whose rows were inserted in this order, this many of them before the run.
pub fn tree_figures(tree: &Tree, ranks: &Ranks, existing: u64) -> TreeFigures {
    let all = ranks.as_slice();
    let (old, new) = all.split_at(usize::try_from(existing).map_or(all.len(), |rows| rows.min(all.len())));
    let places = Places::of(tree);
    let fill_of = |rows: &[u32]| {
        let fills: Vec<f64> = tree.fills().collect();
        let pages = rows.iter().filter_map(|rank| places.leaf_of(u64::from(*rank)));
        let (sum, count) = pages.fold((0.0, 0_u64), |(sum, count), page| (sum + fills[page], count + 1));
        (existing > 0 && count > 0).then(|| sum / count as f64)
    };
    let fill = Distribution::of(tree.fills().collect());
    let pages = tree.leaves.len() as u64 + tree.inner_pages;
    TreeFigures {
        role: tree.role,
        name: None,
        rows: tree.rows(),
        leaf_pages: tree.leaves.len() as u64,
        inner_pages: tree.inner_pages,
        bytes: pages * u64::from(tree.page_bytes),
        fill_mean: fill.mean,
        fill_p10: fill.p10,
        fill_histogram: fill.histogram.into(),
        distinct_leaves_per_1k: distinct_leaves_per_1k(tree, &places, new),
        fill_of_old_rows: fill_of(old),
        fill_of_new_rows: fill_of(new),
        file: tree.file.clone(),
    }
}

/// Assigns each insert to the leaf page that holds its row after the run, and counts the different pages per 1,000
/// inserts. A remainder of fewer than 1,000 inserts is left out.
///
/// The pages are those of the finished tree. There were fewer while it grew, so the figure is that of a table of the
/// final size. Rows that a B-tree keeps above the leaves count no leaf.
fn distinct_leaves_per_1k(tree: &Tree, places: &Places, ranks: &[u32]) -> f64 {
    const STRETCH: usize = 1_000;
    // The last thousand in which each leaf was seen. This makes a set unnecessary.
    let mut seen_in = vec![usize::MAX; tree.leaves.len()];
    let mut distinct = 0_u64;
    let mut stretches = 0_u64;
    for (number, stretch) in ranks.chunks_exact(STRETCH).enumerate() {
        stretches += 1;
        for rank in stretch.iter().map(|rank| u64::from(*rank)) {
            if let Some(leaf) = places.leaf_of(rank).filter(|leaf| seen_in[*leaf] != number) {
                seen_in[leaf] = number;
                distinct += 1;
            }
        }
    }
    distinct as f64 / stretches.max(1) as f64
}

/// The rank of the first row of each leaf, and the rank after its last row.
struct Places {
    starts: Vec<u64>,
    ends: Vec<u64>,
}

impl Places {
    fn of(tree: &Tree) -> Self {
        let mut places = Places { starts: Vec::new(), ends: Vec::new() };
        let mut rank = 0;
        for leaf in &tree.leaves {
            places.starts.push(rank);
            rank += leaf.rows;
            places.ends.push(rank);
            rank += tree.rows_between_leaves;
        }
        places
    }

    /// The leaf of the row with this rank; `None` if the row is above the leaves.
    fn leaf_of(&self, rank: u64) -> Option<usize> {
        let leaf = self.ends.partition_point(|end| *end <= rank);
        self.starts.get(leaf).filter(|start| **start <= rank).map(|_| leaf)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::Leaf;
    use idgen_record::Role;

    fn tree(leaf_rows: &[u64], between: u64) -> Tree {
        let leaves = leaf_rows.iter().map(|rows| Leaf { rows: *rows, used_bytes: 4_096 }).collect();
        Tree {
            role: Role::Rows,
            page_bytes: 16_384,
            leaves,
            inner_pages: 1,
            rows_between_leaves: between,
            file: None,
        }
    }

    /// The naive version: a set of pages, each found by counting up from the first page.
    fn naive(tree: &Tree, ranks: &[u32]) -> f64 {
        let page_of = |rank: u64| {
            let mut first = 0;
            for (number, leaf) in tree.leaves.iter().enumerate() {
                if (first..first + leaf.rows).contains(&rank) {
                    return Some(number);
                }
                first += leaf.rows + tree.rows_between_leaves;
            }
            None
        };
        let counts: Vec<usize> = ranks
            .chunks_exact(1_000)
            .map(|chunk| {
                let pages: std::collections::BTreeSet<_> =
                    chunk.iter().filter_map(|rank| page_of(u64::from(*rank))).collect();
                pages.len()
            })
            .collect();
        counts.iter().sum::<usize>() as f64 / counts.len() as f64
    }

    #[test]
    fn ascending_inserts_touch_each_leaf_once() {
        let tree = tree(&[500; 8], 0);
        let ranks = Ranks::of((0..4_000).collect());
        assert_eq!(tree_figures(&tree, &ranks, 0).distinct_leaves_per_1k, 2.0);
    }

    #[test]
    fn scattered_inserts_agree_with_the_naive_count() {
        for between in [0, 1] {
            let tree = tree(&[7, 120, 33, 99, 240, 500, 1, 2_000, 1_000 - 7 * between], between);
            let rows = u32::try_from(tree.rows()).unwrap();
            // 1,009 has no factor in common with the number of rows, so this is a permutation.
            let order: Vec<u32> = (0..rows).map(|i| i * 1_009 % rows).collect();
            let expected = naive(&tree, &order);
            assert!(expected > 5.0);
            assert_eq!(tree_figures(&tree, &Ranks::of(order.clone()), 0).distinct_leaves_per_1k, expected);
            // Rows that were there before the run are not counted.
            let later = naive(&tree, &order[500..]);
            assert_eq!(tree_figures(&tree, &Ranks::of(order), 500).distinct_leaves_per_1k, later);
        }
    }

    #[test]
    fn pages_of_old_and_new_rows_are_counted_separately() {
        let mut tree = tree(&[100, 300], 0);
        tree.leaves[1].used_bytes = 16_384;
        // 100 of the old rows are on the first page, which is a quarter full, and 100 on the second.
        let figures = tree_figures(&tree, &Ranks::of((0..400).collect()), 200);
        assert_eq!((figures.fill_of_old_rows, figures.fill_of_new_rows), (Some(0.625), Some(1.0)));
        let figures = tree_figures(&tree, &Ranks::of((0..400).collect()), 0);
        assert_eq!((figures.fill_of_old_rows, figures.fill_of_new_rows), (None, None));
    }
}
