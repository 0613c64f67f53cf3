//! How full the pages are, and how many different ones a stretch of inserts goes to.

use idgen_record::TreeFigures;
use innodb_pages::Distribution;

use super::Ranks;
use crate::engine::Tree;

/// The figures of a tree whose rows came in this order.
pub fn tree_figures(tree: &Tree, ranks: &Ranks) -> TreeFigures {
    let fill = Distribution::of(tree.fills().collect());
    let pages = tree.leaves.len() as u64 + tree.inner_pages;
    TreeFigures {
        role: tree.role,
        rows: tree.rows(),
        leaf_pages: tree.leaves.len() as u64,
        inner_pages: tree.inner_pages,
        bytes: pages * u64::from(tree.page_bytes),
        fill_mean: fill.mean,
        fill_p10: fill.p10,
        fill_histogram: fill.histogram.into(),
        distinct_leaves_per_1k: distinct_leaves_per_1k(tree, ranks),
        file: tree.file.clone(),
    }
}

/// Lays each insert on the leaf page where its row lies after the run, and counts the different
/// pages in each 1,000 inserts; a last stretch below 1,000 is left out.
///
/// The pages are those of the finished tree: while it grew there were fewer, so the figure is that
/// of a table of the final size. Rows that a B-tree keeps above the leaves touch no leaf.
fn distinct_leaves_per_1k(tree: &Tree, ranks: &Ranks) -> f64 {
    const STRETCH: usize = 1_000;
    // The rank behind the last row of each leaf, and the rank of its first.
    let mut ends = Vec::with_capacity(tree.leaves.len());
    let mut starts = Vec::with_capacity(tree.leaves.len());
    let mut rank = 0;
    for leaf in &tree.leaves {
        starts.push(rank);
        rank += leaf.rows;
        ends.push(rank);
        rank += tree.rows_between_leaves;
    }
    // The stretch in which a leaf was last seen, so that no set is needed.
    let mut seen_in = vec![usize::MAX; tree.leaves.len()];
    let mut distinct = 0_u64;
    let mut stretches = 0_u64;
    for (number, stretch) in ranks.as_slice().chunks_exact(STRETCH).enumerate() {
        stretches += 1;
        for rank in stretch.iter().map(|rank| u64::from(*rank)) {
            let leaf = ends.partition_point(|end| *end <= rank);
            if leaf < starts.len() && starts[leaf] <= rank && seen_in[leaf] != number {
                seen_in[leaf] = number;
                distinct += 1;
            }
        }
    }
    distinct as f64 / stretches.max(1) as f64
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

    /// The naive twin: a set of pages, each found by counting up from the first.
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
        assert_eq!(distinct_leaves_per_1k(&tree, &ranks), 2.0);
    }

    #[test]
    fn scattered_inserts_agree_with_the_naive_count() {
        for between in [0, 1] {
            let tree = tree(&[7, 120, 33, 99, 240, 500, 1, 2_000, 1_000 - 7 * between], between);
            let rows = u32::try_from(tree.rows()).unwrap();
            // 1,009 and the number of rows share no factor: a permutation.
            let order: Vec<u32> = (0..rows).map(|i| i * 1_009 % rows).collect();
            let expected = naive(&tree, &order);
            assert!(expected > 5.0);
            assert_eq!(distinct_leaves_per_1k(&tree, &Ranks::of(order)), expected);
        }
    }
}
