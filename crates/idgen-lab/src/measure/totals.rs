//! Computes the figures of a whole run.

use idgen_record::{Role, Totals, TreeFigures, Window};
use innodb_pages::Distribution;

use super::window;
use crate::engine::{Counters, Seen, Tree};

/// The counters of a run.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Counted from the first insert to the last.
    pub inserts: Counters,
    /// Counted from the last insert until all changed pages were written; `None` if the lab did not wait for that.
    pub flush: Option<Counters>,
}

/// Summarizes a run on a table that held this many rows before.
pub fn totals(
    windows: &[Window],
    counted: &Counted,
    trees: &[Tree],
    figures: &[TreeFigures],
    existing: u64,
) -> Totals {
    let counters = &counted.inserts;
    let lsm = counters.lsm.map(|lsm| lsm.and(counted.flush.and_then(|flush| flush.lsm).unwrap_or_default()));
    let rows: u64 = windows.iter().map(|window| window.rows).sum();
    let secs: f64 = windows.iter().map(|window| window.secs).sum();
    let whole = window(counters, None, rows, rows, secs);
    let per_1k = |count: u64| count as f64 * 1_000.0 / rows as f64;
    let tail = &windows[windows.len() - windows.len().div_ceil(10)..];
    let tail_rows = tail.iter().map(|window| window.rows).sum::<u64>() as f64;
    let in_tail = |rate: fn(&Window) -> f64| {
        tail.iter().map(|window| rate(window) * window.rows as f64).sum::<f64>() / tail_rows
    };
    let known_in_tail = |rate: fn(&Window) -> Option<f64>| {
        let pages = tail.iter().map(|window| Some(rate(window)? * window.rows as f64)).sum::<Option<f64>>();
        pages.map(|pages| pages / tail_rows)
    };
    let all_leaves = Distribution::of(trees.iter().flat_map(Tree::fills).collect());
    let of_map = || figures.iter().filter(|tree| tree.role != Role::Rows).map(|tree| tree.bytes);
    Totals {
        rows,
        secs,
        rows_per_sec: whole.rows_per_sec,
        last_rows_per_sec: tail_rows / tail.iter().map(|window| window.secs).sum::<f64>().max(1e-9),
        reads_per_1k: whole.reads_per_1k,
        last_reads_per_1k: in_tail(|window| window.reads_per_1k),
        disk_reads_per_1k: whole.disk_reads_per_1k,
        writes_per_1k: whole.writes_per_1k,
        last_writes_per_1k: in_tail(|window| window.writes_per_1k),
        flushed_per_1k: counted.flush.and_then(|flush| flush.pages_written).map(per_1k),
        table_reads_per_1k: counters.table_pages.map(|pages| per_1k(pages.read)),
        table_writes_per_1k: counters.table_pages.map(|pages| {
            let flushed = counted.flush.and_then(|flush| flush.table_pages).unwrap_or_default();
            per_1k(pages.written + flushed.written)
        }),
        last_table_reads_per_1k: known_in_tail(|window| window.table_reads_per_1k),
        last_table_writes_per_1k: known_in_tail(|window| window.table_writes_per_1k),
        doublewrites_per_1k: counters.pages_doublewritten.map(per_1k),
        binlog_bytes_per_row: counters.binlog_bytes.map(|bytes| bytes as f64 / rows as f64),
        spills_per_1k: counters.pages_spilled.map(per_1k),
        created_per_1k: whole.created_per_1k,
        splits_per_1k: whole.splits_per_1k,
        redo_bytes_per_row: whole.redo_bytes_per_row,
        page_images_per_1k: whole.page_images_per_1k,
        serialization_failures_per_1k: whole.serialization_failures_per_1k,
        hit_rate: whole.hit_rate,
        written_bytes_per_row: lsm.map(|lsm| (lsm.flushed_bytes + lsm.compacted_bytes) as f64 / rows as f64),
        write_amplification: lsm
            .filter(|lsm| lsm.flushed_bytes > 0)
            .map(|lsm| 1.0 + lsm.compacted_bytes as f64 / lsm.flushed_bytes as f64),
        filters_per_1k: counters.lsm.map(|lsm| per_1k(lsm.filters)),
        false_positives_per_1k: counters.lsm.map(|lsm| per_1k(lsm.false_positives)),
        moved_bytes_per_row: lsm.map(|lsm| lsm.moved_bytes as f64 / rows as f64),
        stall_secs_per_1m: counters.lsm.map(|lsm| lsm.stall_micros as f64 / rows as f64),
        distinct_leaves_per_1k: figures.iter().map(|tree| tree.distinct_leaves_per_1k).sum(),
        fill_mean: all_leaves.mean,
        fill_p10: all_leaves.p10,
        bytes_per_row: figures.iter().map(|tree| tree.bytes).sum::<u64>() as f64 / (rows + existing) as f64,
        allocated_bytes_per_row: None,
        heap_bytes_per_row: None,
        map_bytes_per_row: of_map().next().map(|_| of_map().sum::<u64>() as f64 / (rows + existing) as f64),
        other_bytes_per_row: None,
        key_bytes_per_row: None,
        counted: None,
    }
}

/// Adds heaps of this many bytes, and secondary indexes with additional tables, to the figures of a table that held
/// `existing` rows before.
pub fn with_bytes(totals: Totals, heap: Option<u64>, others: Option<u64>, existing: u64) -> Totals {
    let per_row = |bytes: u64| bytes as f64 / (totals.rows + existing) as f64;
    let (heap, others) = (heap.map(per_row), others.map(per_row));
    Totals {
        bytes_per_row: totals.bytes_per_row + heap.unwrap_or(0.0) + others.unwrap_or(0.0),
        heap_bytes_per_row: heap,
        other_bytes_per_row: others,
        ..totals
    }
}

/// Summarizes a run on a database that does not show all of its pages.
pub fn totals_seen(windows: &[Window], counted: &Counted, seen: &Seen, existing: u64) -> Totals {
    let counted = totals(windows, counted, &[], &[], existing);
    let fill = Distribution::of(seen.fills.clone());
    let known = |fill| if seen.fills.is_empty() { f64::NAN } else { fill };
    let per_row = |bytes: u64| bytes as f64 / (counted.rows + existing) as f64;
    Totals {
        distinct_leaves_per_1k: f64::NAN,
        fill_mean: seen.mean_fill.unwrap_or(known(fill.mean)),
        fill_p10: known(fill.p10),
        bytes_per_row: seen.bytes.map_or(f64::NAN, per_row),
        map_bytes_per_row: seen.map_bytes.map(per_row),
        ..counted
    }
}
