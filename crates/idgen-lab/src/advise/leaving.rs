//! Predicts when a table, or the index of its key, outgrows the buffer pool or page cache.

use idgen_record::thousands;

use super::amounts::{per_1k, pool, rate};
use super::{Candidate, Found};
use crate::forecast::Load;

const DAY: f64 = 86_400.0;
/// Pages read per 1,000 inserts that are few, whatever the size of the table is.
const FEW_READS: f64 = 20.0;
/// No table is planned for longer.
const MOST_DAYS: f64 = 36_525.0;

/// Says at which row, and when, the `tree` that the key orders outgrows its pool with random keys and with
/// the best ones. The rows that are in the table are counted, and the rate is that of the load from today on.
pub(super) fn sentence(found: &Found<'_>, tree: &str, pool_bytes: u64) -> String {
    let Found { best, load, .. } = *found;
    let first = found.random().unwrap_or(best);
    let (when, pool) = (when(first, load), pool(pool_bytes));
    let mut text = format!("With {} the {tree} outgrows the pool of {pool} {when}", first.strategy);
    if first.strategy != best.strategy {
        text += &format!("; with {} at {} rows", best.strategy, thousands(best.outgrows_pool_at_rows));
        let [reads, of_first] = [best, first].map(|one| one.pages.reads_per_1k);
        // Keys of several tenants arrive in all of the table, also if they ascend.
        if reads <= FEW_READS && reads * 10.0 <= of_first {
            text += &format!(", which matters little, because 1,000 inserts read {} pages", per_1k(reads));
        }
    }
    text + "."
}

/// Says at which row, and after how long at the rate of the load.
fn when(one: &Candidate, load: &Load) -> String {
    let rows = one.outgrows_pool_at_rows;
    let before = load.existing.map_or(0, |(_, rows)| rows);
    if rows <= before {
        return format!("already: it does at {} rows", thousands(rows));
    }
    let days = (rows - before) as f64 / load.rate / DAY;
    let at = format!("at {} rows", thousands(rows));
    let after = match days {
        days if days > MOST_DAYS => {
            return format!("{at}, which takes longer than a century at this rate");
        }
        days if days >= 2.0 => format!("{days:.0} days"),
        days if days >= 2.0 / 24.0 => format!("{:.0} hours", days * 24.0),
        days if days >= 1.5 / 24.0 / 60.0 => format!("{:.0} minutes", days * 24.0 * 60.0),
        _ => "one minute".to_owned(),
    };
    let date = jiff::Timestamp::now()
        .checked_add(jiff::SignedDuration::from_secs((days * DAY) as i64))
        .ok()
        .filter(|_| days >= 2.0)
        .map(|then| format!(", on {} if they begin today", then.strftime("%Y-%m-%d")));
    format!("{at}: after {after} at {} inserts per second{}", rate(load.rate), date.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::advise::PageCost;
    use crate::advise::tests::priced;
    use btree_model::Server;

    /// Tests that reads are only called few where they are: with many tenants, ascending keys read as random ones do.
    #[test]
    fn outgrowing_the_pool_matters_where_inserts_read() {
        let candidate = |strategy, reads_per_1k| Candidate {
            outgrows_pool_at_rows: 1_000_000,
            pages: PageCost { reads_per_1k, ..PageCost::default() },
            ..priced(strategy, 1e9)
        };
        let load = Load::new(10_000_000, Server::mysql(64 << 20));
        let said = |reads: f64| {
            let all = [candidate("v7-binary", reads), candidate("v4-binary", 1_012.0)];
            let found = Found { load: &load, best: &all[0], from_server: None, all: &all, stopped: &[] };
            sentence(&found, "table", 64 << 20)
        };
        let few = said(1.6);
        assert!(few.contains("which matters little, because 1,000 inserts read 1.6 pages"), "{few}");
        for reads in [30.0, 900.0, 1_012.0] {
            let text = said(reads);
            assert!(text.ends_with("with v7-binary at 1,000,000 rows."), "{text}");
        }
    }

    #[test]
    fn a_row_a_duration_and_a_date_are_named() {
        let candidate = |rows| Candidate {
            strategy: "v4-binary",
            tree_bytes: 1e9,
            heap_bytes: None,
            fill: 0.7,
            outgrows_pool_at_rows: rows,
            pages: PageCost::default(),
            log: None,
        };
        let load = Load { rate: 10.0, ..Load::new(10_000_000, Server::mysql(64 << 20)) };
        let said = when(&candidate(8_640_000), &load);
        assert!(
            said.starts_with("at 8,640,000 rows: after 10 days at 10 inserts per second, on 2"),
            "{said}"
        );
        assert!(when(&candidate(72_000), &load).ends_with("after 2 hours at 10 inserts per second"));
        for rows in [300, 600, 890] {
            let said = when(&candidate(rows), &load);
            assert!(said.contains("after one minute at"), "{rows}: {said}");
        }
        assert!(when(&candidate(910), &load).contains("after 2 minutes at"));
        let old = crate::strategy::find("v4-binary").unwrap();
        let held = Load { existing: Some((old, 9_000_000)), ..load };
        assert_eq!(when(&candidate(8_640_000), &held), "already: it does at 8,640,000 rows");
        assert!(when(&candidate(u64::MAX), &held).contains("longer than a century"));
    }
}
