//! Computes how far from the right edge of the table each row was inserted.

use idgen_record::Edge;

use super::Ranks;

/// Counts the rows with a greater key that were in the table when a row arrived: the distribution over the
/// rows that were inserted after the first `existing`. `None` without such rows.
///
/// Rows arrive in the order in which the database acknowledged them. Two statements that ran at the same time may have been
/// carried out in the other order, which moves a row by no more than the rows of the statements that ran then.
pub fn edge(ranks: &Ranks, existing: u64) -> Option<Edge> {
    let ranks = ranks.as_slice();
    let mut counts = Counts::new(ranks.len());
    let mut greater = Vec::new();
    for (row, rank) in ranks.iter().enumerate() {
        let rank = *rank as usize;
        if row as u64 >= existing {
            greater.push((row - counts.up_to(rank)) as u64);
        }
        counts.add(rank);
    }
    greater.sort_unstable();
    let at = |share: f64| {
        let place = (share * greater.len() as f64).ceil() as usize;
        greater.get(place.max(1) - 1).copied()
    };
    let last = greater.iter().take_while(|rows| **rows == 0).count();
    Some(Edge {
        at_edge: last as f64 / greater.len().max(1) as f64,
        p50_rows: at(0.5)?,
        p95_rows: at(0.95)?,
        p99_rows: at(0.99)?,
    })
}

/// Counts the ranks up to a certain one that were added: a Fenwick tree.
struct Counts(Vec<u32>);

impl Counts {
    fn new(ranks: usize) -> Self {
        Counts(vec![0; ranks + 1])
    }

    fn add(&mut self, rank: usize) {
        let mut place = rank + 1;
        while let Some(count) = self.0.get_mut(place) {
            *count += 1;
            place += place & place.wrapping_neg();
        }
    }

    fn up_to(&self, rank: usize) -> usize {
        let mut place = rank + 1;
        let mut sum = 0;
        while place > 0 {
            sum += self.0[place] as usize;
            place &= place - 1;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naive(ranks: &[u32], existing: usize) -> Vec<u64> {
        let greater = |row: usize| ranks[..row].iter().filter(|rank| **rank > ranks[row]).count() as u64;
        let mut all: Vec<u64> = (existing..ranks.len()).map(greater).collect();
        all.sort_unstable();
        all
    }

    #[test]
    fn rows_are_as_far_from_the_edge_as_a_count_says() {
        // 1,009 has no factor in common with the number of rows, so this is a permutation.
        let ranks: Vec<u32> = (0..4_000).map(|row| row * 1_009 % 4_000).collect();
        for existing in [0, 1_500] {
            let all = naive(&ranks, existing);
            let found = edge(&Ranks::of(ranks.clone()), existing as u64).unwrap();
            let at = |share: f64| all[(share * all.len() as f64).ceil() as usize - 1];
            assert_eq!((found.p50_rows, found.p95_rows, found.p99_rows), (at(0.5), at(0.95), at(0.99)));
            let last = all.iter().filter(|rows| **rows == 0).count() as f64 / all.len() as f64;
            assert!(found.p50_rows > 0 && found.at_edge == last, "{found:?}");
        }
    }

    #[test]
    fn ascending_rows_arrive_at_the_edge_and_one_that_waited_does_not() {
        let found = edge(&Ranks::of((0..1_000).collect()), 0).unwrap();
        assert_eq!(found, Edge { at_edge: 1.0, p50_rows: 0, p95_rows: 0, p99_rows: 0 });
        // Each second row arrives after its successor.
        let found = edge(&Ranks::of((0..1_000).map(|row| row ^ 1).collect()), 0).unwrap();
        assert_eq!(found, Edge { at_edge: 0.5, p50_rows: 0, p95_rows: 1, p99_rows: 1 });
        assert_eq!(edge(&Ranks::of((0..10).collect()), 10), None);
    }
}
