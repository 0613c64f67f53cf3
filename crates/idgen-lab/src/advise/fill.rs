//! Formulas for the page fill of keyed prefixes.
//!
//! The formulas were fitted to the pages of the model; the tests compare them with the model and with recorded servers.

/// Rows of this size on a page according to the formulas: 114 rows of 135 bytes. The size includes the row's header and
/// system columns.
pub fn rows_a_page(record_bytes: u32) -> f64 {
    114.0 * 135.0 / f64::from(record_bytes)
}

/// The page fill with an ascending tail. `end_fill` is the page fill of keys that ascend over the whole table.
///
/// A bucket of one visit costs half a page beside the pages of its rows, because its last page is half full on average.
/// From the second visit on it costs a whole page, whatever the number of visits.
pub fn ascending(pages_per_visit: f64, visits: f64, end_fill: f64) -> f64 {
    let pages = pages_per_visit * visits;
    (end_fill * pages / (pages + 0.5 * visits.min(2.0))).max(LEAST)
}

/// The page fill with a random tail, where pages split in the middle.
pub fn random(pages_per_visit: f64, visits: f64) -> f64 {
    let pages = pages_per_visit * visits;
    let end_fill = 0.615 + 0.02 * visits.min(2.0);
    (end_fill * pages / (pages + 0.07)).max(LEAST)
}

/// Buckets of less than half a page share pages. Such pages are at least this full on average, with either tail.
const LEAST: f64 = 0.48;

#[cfg(test)]
mod tests {
    use super::*;
    use btree_model::{Model, Server, Setup, Shape};
    use idgen::PrefixKey;
    use idgen::source::{Entropy, FixedEntropy};

    /// The page fill of ascending keys in the recorded runs.
    const END_FILL: f64 = 0.922;

    /// The naive version: a table of a few buckets, each visited once per round, in a new random order each time.
    fn simulated(is_ascending: bool, row_bytes: u32, rows_per_visit: u32, visits: u32, buckets: u32) -> f64 {
        let shape = Shape::clustered(16_384, 16, row_bytes).unwrap();
        let setup = Setup { shape, server: Server::mysql(64 << 20), rate: 20_000.0, commit_rows: 1 };
        let mut model = Model::new(&setup).unwrap();
        let key = PrefixKey::new(b"sixteen bytes or more").unwrap();
        let mut random = FixedEntropy::new(1);
        for round in 0..visits {
            for prefix in key.round(round.into()).into_iter().filter(|&prefix| u32::from(prefix) < buckets) {
                for row in 0..rows_per_visit {
                    let ascending = u64::from(round) << 32 | u64::from(row);
                    let tail = if is_ascending { ascending } else { random.next_u64().unwrap() };
                    let mut id = [0; 16];
                    id[..2].copy_from_slice(&prefix.to_be_bytes());
                    id[2..10].copy_from_slice(&tail.to_be_bytes());
                    model.insert(&id).unwrap();
                }
            }
        }
        model.tree().fill.mean
    }

    #[test]
    fn the_formulas_predict_the_model() {
        // Rows per visit, and visits: from a quarter of a page to thirty pages.
        for (rows, visits) in
            [(57, 1), (57, 2), (57, 8), (28, 16), (200, 1), (200, 4), (700, 1), (700, 2), (3_400, 1)]
        {
            let buckets = 60_000 / (rows * visits);
            let pages = f64::from(rows) / 114.0;
            let found = simulated(true, 101, rows, visits, buckets);
            let predicted = ascending(pages, visits.into(), END_FILL);
            assert!((found - predicted).abs() < 0.025, "{rows} x {visits}: {found} {predicted}");
            // Buckets with the same number of rows split their pages at about the same time, so their fill varies by
            // three percentage points.
            let found = simulated(false, 101, rows, visits, buckets);
            let predicted = random(pages, visits.into());
            assert!((found - predicted).abs() < 0.035, "random {rows} x {visits}: {found} {predicted}");
        }
    }

    #[test]
    fn the_formulas_hold_for_other_row_sizes() {
        for row_bytes in [20, 400] {
            let rows_a_page = rows_a_page(Shape::clustered(16_384, 16, row_bytes).unwrap().record_bytes());
            let end_fill = simulated(true, row_bytes, 20_000, 1, 1);
            for (pages, visits) in [(1.0, 1), (3.0, 4), (20.0, 1)] {
                let rows = (pages * rows_a_page).round() as u32;
                let found = simulated(true, row_bytes, rows, visits, 60_000 / (rows * visits));
                let predicted = ascending(pages, visits.into(), end_fill);
                assert!(
                    (found - predicted).abs() < 0.03,
                    "{row_bytes} {pages} x {visits}: {found} {predicted}"
                );
            }
        }
    }

    #[test]
    fn the_formulas_predict_the_recorded_servers() {
        let results = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/results/2026-11-22");
        for server in ["mysql", "mariadb"] {
            let table =
                std::fs::read_to_string(format!("{results}/{server}/prefix-revisits/visits.tsv")).unwrap();
            let mut compared = 0;
            for line in table.lines().skip(1) {
                let [strategy, _, visits, rows, _, _, _, fill, ..] = line.split('\t').collect::<Vec<_>>()[..]
                else {
                    panic!("{line}")
                };
                let (pages, visits) = (rows.parse::<f64>().unwrap() / 114.0, visits.parse().unwrap());
                let predicted = match strategy {
                    "minute-ascending" => ascending(pages, visits, END_FILL),
                    "minute-random" => random(pages, visits),
                    _ => continue,
                };
                let fill: f64 = fill.parse().unwrap();
                assert!((fill - predicted).abs() < 0.025, "{server}, {line}: {predicted}");
                compared += 1;
            }
            assert_eq!(compared, 38, "{server}");
        }
    }
}
