//! The metrics themselves.

use super::basis::{
    AT_ARRIVAL, AT_END, EXACT, LATENCY, LAYOUT, LONGEST, METRIC, PER_1K, SHARE, TIMED, TIMED_AT_END,
};
use super::operations::{
    DELETE, HIT_RATE, INSERT, PAGES_READ, PAGES_WRITTEN, PER_SEC, READ_RANDOM, READ_RECENT, REPEATED,
    TABLE_PAGES_READ, UPDATE,
};
use super::{Axis, Better, ChartOf, Group, Metric, Noise, Unit, Value};
use crate::figures::Figures;
use crate::tree::{FileMaps, Role, TreeFigures};

fn number(value: f64) -> Option<Value> {
    Some(Value::Number(value))
}

fn count(value: u64) -> Option<Value> {
    Some(Value::Count(value))
}

/// The tree of the rows, whose file a report shows.
fn rows_tree<'a>(figures: &Figures<'a>) -> Option<&'a TreeFigures> {
    figures.trees.iter().find(|tree| tree.role == Role::Rows)
}

fn rows_file<'a>(figures: &Figures<'a>) -> Option<&'a FileMaps> {
    rows_tree(figures)?.file.as_ref()
}

/// All metrics, in the order of every table and file.
pub static METRICS: &[Metric] = &[
    Metric {
        name: "rows",
        title: "rows",
        head: "rows",
        noise: EXACT,
        group: Group::Timed,
        run: |f| count(f.totals.rows).filter(|_| f.totals.rows > 0),
        window: Some(|w| count(w.rows)),
        ..METRIC
    },
    Metric {
        name: "secs",
        title: "seconds",
        head: "secs",
        unit: Unit::Decimals(3),
        better: Better::Lower,
        noise: TIMED,
        group: Group::Timed,
        run: |f| number(f.totals.secs),
        window: Some(|w| number(w.secs)),
        ..METRIC
    },
    Metric {
        name: "rows_per_sec",
        title: "rows per second, whole run",
        head: "rows/s\nwhole",
        better: Better::Higher,
        group: Group::Whole,
        noise: TIMED,
        run: |f| number(f.totals.rows_per_sec),
        window: Some(|w| number(w.rows_per_sec)),
        ..METRIC
    },
    Metric {
        name: "last_rows_per_sec",
        title: "rows per second, at the end",
        head: "rows/s\nat end",
        better: Better::Higher,
        group: Group::Figures,
        axis: Some(Axis::Log),
        instead: Some("rows_per_sec"),
        noise: TIMED_AT_END,
        run: |f| number(f.totals.last_rows_per_sec),
        ..METRIC
    },
    Metric {
        name: "reads_per_1k",
        title: "pages read per 1k, whole run",
        head: "read/1k\nwhole",
        group: Group::Whole,
        run: |f| number(f.totals.reads_per_1k),
        window: Some(|w| number(w.reads_per_1k)),
        ..PER_1K
    },
    Metric {
        name: "last_reads_per_1k",
        title: "pages read per 1k, at the end",
        head: "read/1k\nat end",
        group: Group::Figures,
        axis: Some(Axis::Log),
        chart: Some(ChartOf {
            file: "reads",
            title: "Pages read per 1,000 inserts",
            caption: "Logarithmic scale. Pages that the whole server read because they were not in its cache: those of the \
                      table, and its own.",
            embedded_caption: Some(
                "Logarithmic scale. Pages read from the file because they were no longer in the cache.",
            ),
            mark: None,
        }),
        instead: Some("reads_per_1k"),
        noise: AT_END,
        run: |f| number(f.totals.last_reads_per_1k),
        ..PER_1K
    },
    Metric {
        name: "disk_reads_per_1k",
        title: "waits for the disk per 1k",
        head: "waits\nper 1k",
        group: Group::Server,
        run: |f| f.totals.disk_reads_per_1k.and_then(number),
        window: Some(|w| w.disk_reads_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "writes_per_1k",
        title: "pages written per 1k, whole run",
        head: "writ./1k\nwhole",
        group: Group::Whole,
        run: |f| number(f.totals.writes_per_1k),
        window: Some(|w| number(w.writes_per_1k)),
        ..PER_1K
    },
    Metric {
        name: "last_writes_per_1k",
        title: "pages written per 1k, at the end",
        head: "writ./1k\nat end",
        group: Group::Figures,
        axis: Some(Axis::Log),
        chart: Some(ChartOf {
            file: "writes",
            title: "Pages written per 1,000 inserts",
            caption: "Logarithmic scale. Pages that the whole server wrote: those of the table, and its own. When it writes \
                      a page depends on its settings and on the time that the load takes.",
            embedded_caption: Some(
                "Logarithmic scale. Pages written to the file, at the commit, or earlier if the cache was \
                               full.",
            ),
            mark: None,
        }),
        instead: Some("writes_per_1k"),
        noise: AT_END,
        run: |f| number(f.totals.last_writes_per_1k),
        ..PER_1K
    },
    Metric {
        name: "flushed_per_1k",
        title: "pages written after the last insert per 1k",
        head: "flushed\nper 1k",
        group: Group::Figures,
        noise: AT_END,
        run: |f| f.totals.flushed_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "table_reads_per_1k",
        title: "pages read from the table's file per 1k",
        head: "table\nread/1k",
        group: Group::Server,
        run: |f| f.totals.table_reads_per_1k.and_then(number),
        window: Some(|w| w.table_reads_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "table_writes_per_1k",
        title: "pages written to the table's file per 1k, with the flush",
        head: "table\nwr./1k",
        group: Group::Server,
        run: |f| f.totals.table_writes_per_1k.and_then(number),
        window: Some(|w| w.table_writes_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "last_table_reads_per_1k",
        title: "pages read from the table's file per 1k, at the end",
        head: "table\nread/1k\nat end",
        group: Group::Figures,
        noise: AT_END,
        run: |f| f.totals.last_table_reads_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "last_table_writes_per_1k",
        title: "pages written to the table's file per 1k, at the end",
        head: "table\nwr./1k\nat end",
        group: Group::Figures,
        noise: AT_END,
        run: |f| f.totals.last_table_writes_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "doublewrites_per_1k",
        title: "pages written to the doublewrite buffer per 1k",
        head: "double\nper 1k",
        group: Group::Server,
        run: |f| f.totals.doublewrites_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "spills_per_1k",
        title: "pages written before the commit per 1k",
        head: "early\nper 1k",
        run: |f| f.totals.spills_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "created_per_1k",
        title: "pages created per 1k",
        head: "created\nper 1k",
        group: Group::Server,
        noise: Noise { floor: 0.1, share: 0.15 },
        run: |f| f.totals.created_per_1k.and_then(number),
        window: Some(|w| w.created_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "splits_per_1k",
        title: "page splits per 1k",
        head: "splits\nper 1k",
        unit: Unit::Decimals(2),
        group: Group::Server,
        noise: Noise { floor: 0.1, share: 0.05 },
        run: |f| f.totals.splits_per_1k.and_then(number),
        window: Some(|w| w.splits_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "tree_splits_per_1k",
        title: "pages added to the trees per 1k",
        head: "added\nper 1k",
        unit: Unit::Decimals(2),
        noise: Noise { floor: 0.1, share: 0.05 },
        group: Group::Server,
        // Beside what a server counts.
        run: |f| f.totals.splits_per_1k.and(f.tree_splits_per_1k()).and_then(number),
        ..PER_1K
    },
    Metric {
        name: "redo_bytes_per_row",
        title: "log bytes per row",
        head: "log B\nper row",
        better: Better::Lower,
        group: Group::Server,
        axis: Some(Axis::Linear),
        chart: Some(ChartOf {
            file: "log",
            title: "Bytes written to the log per row",
            caption: "The redo log of InnoDB, the write-ahead log of PostgreSQL: of the whole server, over the run.",
            embedded_caption: None,
            mark: None,
        }),
        noise: Noise { floor: 1.0, share: 0.06 },
        run: |f| f.totals.redo_bytes_per_row.and_then(number),
        window: Some(|w| w.redo_bytes_per_row.and_then(number)),
        ..METRIC
    },
    Metric {
        name: "page_images_per_1k",
        title: "full-page images per 1k",
        head: "images\nper 1k",
        group: Group::Server,
        run: |f| f.totals.page_images_per_1k.and_then(number),
        window: Some(|w| w.page_images_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "serialization_failures_per_1k",
        title: "serialization failures per 1k",
        head: "failures\nper 1k",
        group: Group::Server,
        run: |f| f.totals.serialization_failures_per_1k.and_then(number),
        window: Some(|w| w.serialization_failures_per_1k.and_then(number)),
        ..PER_1K
    },
    Metric {
        name: "binlog_bytes_per_row",
        title: "binary log bytes per row",
        head: "binlog B\nper row",
        better: Better::Lower,
        noise: Noise { floor: 1.0, share: 0.05 },
        group: Group::Server,
        run: |f| f.totals.binlog_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "hit_rate",
        title: "requests answered by the cache, %",
        head: "cache\nhits %",
        unit: Unit::Share(2),
        better: Better::Higher,
        noise: HIT_RATE.noise,
        group: Group::Server,
        run: |f| f.totals.hit_rate.and_then(number),
        window: Some(|w| w.hit_rate.and_then(number)),
        ..METRIC
    },
    Metric {
        name: "p50_micros",
        title: "milliseconds a statement, median",
        head: "ms\nmedian",
        run: |f| count(f.latency?.p50_micros),
        window: Some(|w| count(w.latency?.p50_micros)),
        ..LATENCY
    },
    Metric {
        name: "p95_micros",
        title: "milliseconds a statement, 95th percentile",
        head: "ms\np95",
        run: |f| count(f.latency?.p95_micros),
        window: Some(|w| count(w.latency?.p95_micros)),
        ..LATENCY
    },
    Metric {
        name: "p99_micros",
        title: "milliseconds a statement, 99th percentile",
        head: "ms\np99",
        run: |f| count(f.latency?.p99_micros),
        window: Some(|w| count(w.latency?.p99_micros)),
        ..LATENCY
    },
    Metric {
        name: "max_micros",
        title: "milliseconds a statement, longest",
        head: "ms\nlongest",
        noise: Noise { share: LONGEST, ..LATENCY.noise },
        run: |f| count(f.latency?.max_micros),
        window: Some(|w| count(w.latency?.max_micros)),
        ..LATENCY
    },
    Metric {
        name: "to_insert_p50_micros",
        title: "milliseconds from id to insert, median",
        head: "insert\nmedian",
        group: Group::Clients,
        run: |f| count(f.clients?.insert?.p50_micros),
        ..LATENCY
    },
    Metric {
        name: "to_insert_p95_micros",
        title: "milliseconds from id to insert, 95th percentile",
        head: "insert\np95",
        group: Group::Clients,
        run: |f| count(f.clients?.insert?.p95_micros),
        ..LATENCY
    },
    Metric {
        name: "to_insert_p99_micros",
        title: "milliseconds from id to insert, 99th percentile",
        head: "insert\np99",
        group: Group::Clients,
        run: |f| count(f.clients?.insert?.p99_micros),
        ..LATENCY
    },
    Metric {
        name: "to_insert_max_micros",
        title: "milliseconds from id to insert, longest",
        head: "insert\nlongest",
        noise: Noise { share: LONGEST, ..LATENCY.noise },
        group: Group::Clients,
        run: |f| count(f.clients?.insert?.max_micros),
        ..LATENCY
    },
    Metric {
        name: "span_p50_micros",
        title: "milliseconds from the first to the last row of a statement, median",
        head: "rows ms\nmedian",
        group: Group::Clients,
        run: |f| count(f.clients?.span.filter(|span| span.max_micros > 1)?.p50_micros),
        ..LATENCY
    },
    Metric {
        name: "span_p95_micros",
        title: "milliseconds from the first to the last row of a statement, 95th percentile",
        head: "rows ms\np95",
        group: Group::Clients,
        run: |f| count(f.clients?.span.filter(|span| span.max_micros > 1)?.p95_micros),
        ..LATENCY
    },
    Metric {
        name: "span_p99_micros",
        title: "milliseconds from the first to the last row of a statement, 99th percentile",
        head: "rows ms\np99",
        group: Group::Clients,
        run: |f| count(f.clients?.span.filter(|span| span.max_micros > 1)?.p99_micros),
        ..LATENCY
    },
    Metric {
        name: "span_max_micros",
        title: "milliseconds from the first to the last row of a statement, longest",
        head: "rows ms\nlongest",
        group: Group::Clients,
        run: |f| count(f.clients?.span.filter(|span| span.max_micros > 1)?.max_micros),
        ..LATENCY
    },
    Metric {
        name: "delay_p50_micros",
        title: "milliseconds from id to acknowledged insert, median",
        head: "delay ms\nmedian",
        group: Group::Clients,
        run: |f| count(f.clients?.delay?.p50_micros),
        ..LATENCY
    },
    Metric {
        name: "delay_p95_micros",
        title: "milliseconds from id to acknowledged insert, 95th percentile",
        head: "delay ms\np95",
        group: Group::Clients,
        run: |f| count(f.clients?.delay?.p95_micros),
        ..LATENCY
    },
    Metric {
        name: "delay_p99_micros",
        title: "milliseconds from id to acknowledged insert, 99th percentile",
        head: "delay ms\np99",
        group: Group::Clients,
        run: |f| count(f.clients?.delay?.p99_micros),
        ..LATENCY
    },
    Metric {
        name: "pace_kept",
        title: "share of the pace that was kept, %",
        head: "pace %",
        better: Better::Higher,
        group: Group::Clients,
        run: |f| number(f.clients?.pace_kept?),
        ..SHARE
    },
    Metric {
        name: "others_writes",
        title: "writes by other clients of the server",
        head: "others'\nwrites",
        better: Better::Lower,
        group: Group::Clients,
        run: |f| count(f.clients?.others?.writes),
        ..METRIC
    },
    Metric {
        name: "at_edge",
        title: "rows inserted at the right edge, %",
        head: "at edge\n%",
        unit: Unit::Share(1),
        noise: Noise { floor: 0.02, share: 0.1 },
        run: |f| number(f.clients?.edge?.at_edge),
        ..AT_ARRIVAL
    },
    Metric {
        name: "edge_p50_rows",
        title: "rows from the right edge at arrival, median",
        head: "to edge\nmedian",
        run: |f| count(f.clients?.edge?.p50_rows),
        ..AT_ARRIVAL
    },
    Metric {
        name: "edge_p95_rows",
        title: "rows from the right edge at arrival, 95th percentile",
        head: "to edge\np95",
        run: |f| count(f.clients?.edge?.p95_rows),
        ..AT_ARRIVAL
    },
    Metric {
        name: "edge_p99_rows",
        title: "rows from the right edge at arrival, 99th percentile",
        head: "to edge\np99",
        run: |f| count(f.clients?.edge?.p99_rows),
        ..AT_ARRIVAL
    },
    PAGES_READ,
    TABLE_PAGES_READ,
    PAGES_WRITTEN,
    HIT_RATE,
    REPEATED,
    PER_SEC,
    INSERT[0],
    INSERT[1],
    INSERT[2],
    READ_RECENT[0],
    READ_RECENT[1],
    READ_RECENT[2],
    READ_RANDOM[0],
    READ_RANDOM[1],
    READ_RANDOM[2],
    UPDATE[0],
    UPDATE[1],
    UPDATE[2],
    DELETE[0],
    DELETE[1],
    DELETE[2],
    Metric {
        name: "distinct_leaves_per_1k",
        title: "leaf pages per 1k",
        head: "leaves\nper 1k",
        group: Group::Figures,
        axis: Some(Axis::Log),
        chart: Some(ChartOf {
            file: "leaves",
            title: "Different leaf pages per 1,000 inserts",
            caption: "Logarithmic scale. The mean number of leaf pages that hold 1,000 consecutive rows after the run.",
            embedded_caption: None,
            mark: None,
        }),
        noise: Noise { floor: 1.0, share: 0.05 },
        run: |f| number(f.totals.distinct_leaves_per_1k),
        ..PER_1K
    },
    Metric {
        name: "fill_mean",
        title: "fill %, mean",
        head: "fill %\nmean",
        better: Better::Higher,
        group: Group::Figures,
        axis: Some(Axis::Percent),
        chart: Some(ChartOf {
            file: "fill",
            title: "Fill of the leaf pages, %",
            caption: "Bytes in use. The bar is the mean, and the vertical mark is the tenth percentile.",
            embedded_caption: None,
            mark: Some("fill_p10"),
        }),
        run: |f| number(f.totals.fill_mean),
        ..SHARE
    },
    Metric {
        name: "fill_p10",
        title: "fill %, tenth percentile",
        head: "fill %\np10",
        better: Better::Higher,
        group: Group::Figures,
        run: |f| number(f.totals.fill_p10),
        ..SHARE
    },
    Metric {
        name: "bytes_per_row",
        title: "bytes per row, pages in use",
        head: "used B\nper row",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Figures,
        axis: Some(Axis::Linear),
        chart: Some(ChartOf {
            file: "size",
            title: "Bytes per row, pages in use",
            caption: "All pages of all trees, per row; on PostgreSQL also those of the heap.",
            embedded_caption: None,
            mark: None,
        }),
        instead: Some("allocated_bytes_per_row"),
        noise: Noise { floor: 0.5, ..LAYOUT },
        run: |f| number(f.totals.bytes_per_row),
        ..METRIC
    },
    Metric {
        name: "allocated_bytes_per_row",
        title: "bytes per row, allocated by the server",
        head: "alloc. B\nper row",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Server,
        noise: Noise { floor: 0.5, share: 0.06 },
        run: |f| f.totals.allocated_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "write_amplification",
        title: "times that compactions and flushes wrote a byte",
        head: "times\nwritten",
        unit: Unit::Decimals(2),
        better: Better::Lower,
        group: Group::Figures,
        axis: Some(Axis::Linear),
        chart: Some(ChartOf {
            file: "write-amplification",
            title: "How often a row is written to the files of an LSM tree",
            caption: "Bytes that flushes and compactions wrote, divided by those that flushes wrote.",
            embedded_caption: None,
            mark: None,
        }),
        noise: Noise { floor: 0.05, share: 0.125 },
        run: |f| f.totals.write_amplification.and_then(number),
        ..METRIC
    },
    Metric {
        name: "written_bytes_per_row",
        title: "bytes per row written to the files of an LSM tree",
        head: "written\nB/row",
        unit: Unit::Decimals(0),
        better: Better::Lower,
        group: Group::Figures,
        noise: Noise { floor: 1.0, share: 0.125 },
        run: |f| f.totals.written_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "filters_per_1k",
        title: "filters asked per 1k",
        head: "filters\nper 1k",
        group: Group::Figures,
        noise: Noise { floor: 20.0, share: 0.11 },
        run: |f| f.totals.filters_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "false_positives_per_1k",
        title: "filters asked in vain per 1k",
        head: "in vain\nper 1k",
        unit: Unit::Decimals(1),
        noise: Noise { floor: 2.0, share: 0.35 },
        group: Group::Server,
        run: |f| f.totals.false_positives_per_1k.and_then(number),
        ..PER_1K
    },
    Metric {
        name: "moved_bytes_per_row",
        title: "bytes per row in files that moved without being written",
        head: "moved\nB/row",
        unit: Unit::Decimals(0),
        group: Group::Server,
        noise: Noise { floor: 1.0, share: 0.1 },
        run: |f| f.totals.moved_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "stall_secs_per_1m",
        title: "seconds that inserts waited for compactions per 1M",
        head: "stalls\ns per 1M",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Server,
        noise: Noise { floor: 1.0, share: 0.7 },
        run: |f| f.totals.stall_secs_per_1m.and_then(number),
        ..METRIC
    },
    Metric {
        name: "heap_bytes_per_row",
        title: "bytes per row of the heap",
        head: "heap B\nper row",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Server,
        run: |f| f.totals.heap_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "index_bytes_per_row",
        title: "bytes per row of the indexes",
        head: "index B\nper row",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Server,
        run: |f| number(f.totals.bytes_per_row - f.totals.heap_bytes_per_row?),
        ..METRIC
    },
    Metric {
        name: "map_bytes_per_row",
        title: "bytes per row of the map",
        head: "map's B\nper row",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Compared,
        noise: Noise { floor: 0.5, share: 0.1 },
        run: |f| f.totals.map_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "other_bytes_per_row",
        title: "bytes per row of secondary indexes and further tables",
        head: "other B\nper row",
        unit: Unit::Decimals(1),
        better: Better::Lower,
        group: Group::Compared,
        noise: Noise { floor: 0.5, ..LAYOUT },
        run: |f| f.totals.other_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "counted",
        title: "counted by the check",
        head: "counted",
        noise: EXACT,
        group: Group::Timed,
        run: |f| count(f.totals.counted?),
        ..METRIC
    },
    Metric {
        name: "key_bytes_per_row",
        title: "bytes of the copies of the key per row",
        head: "key B\nper row",
        better: Better::Lower,
        group: Group::Timed,
        noise: LAYOUT,
        run: |f| f.totals.key_bytes_per_row.and_then(number),
        ..METRIC
    },
    Metric {
        name: "key_share",
        title: "copies of the key, % of the pages",
        head: "key\n%",
        better: Better::Lower,
        group: Group::Timed,
        axis: Some(Axis::Percent),
        chart: Some(ChartOf {
            file: "copies",
            title: "Copies of the key, % of the pages",
            caption: "Each index of a table in the order of its key contains the key once. Where rows are in a heap, only the \
                      heap and the index of the primary key do.",
            embedded_caption: None,
            mark: None,
        }),
        run: |f| number(f.totals.key_bytes_per_row? / f.totals.bytes_per_row),
        ..SHARE
    },
    Metric {
        name: "fill_of_old_rows",
        title: "fill of the pages of old rows, %",
        head: "fill %\nold rows",
        better: Better::Higher,
        group: Group::Server,
        run: |f| rows_tree(f)?.fill_of_old_rows.and_then(number),
        ..SHARE
    },
    Metric {
        name: "fill_of_new_rows",
        title: "fill of the pages of new rows, %",
        head: "fill %\nnew rows",
        better: Better::Higher,
        group: Group::Server,
        run: |f| rows_tree(f)?.fill_of_new_rows.and_then(number),
        ..SHARE
    },
    Metric {
        name: "leaf_pages",
        title: "leaf pages",
        head: "leaf\npages",
        noise: Noise { floor: 1.0, ..LAYOUT },
        run: |f| count(f.trees.iter().map(|tree| tree.leaf_pages).sum()),
        ..METRIC
    },
    Metric {
        name: "inner_pages",
        title: "pages above the leaves",
        head: "inner\npages",
        noise: Noise { floor: 1.0, ..LAYOUT },
        run: |f| count(f.trees.iter().map(|tree| tree.inner_pages).sum()),
        ..METRIC
    },
    Metric {
        name: "recent_leaves",
        title: "leaves changed in the last tenth of the log, %",
        head: "recent\nleaves %",
        run: |f| number(rows_file(f)?.recent_leaves),
        ..SHARE
    },
    Metric {
        name: "age_p10",
        title: "age of a tenth of the leaves, % of the log",
        head: "age %\np10",
        run: |f| rows_file(f)?.p10_age.and_then(number),
        ..SHARE
    },
    Metric {
        name: "age_median",
        title: "age of half of the leaves, % of the log",
        head: "age %\nmedian",
        run: |f| number(rows_file(f)?.median_age),
        ..SHARE
    },
    Metric {
        name: "age_p90",
        title: "age of nine tenths of the leaves, % of the log",
        head: "age %\np90",
        run: |f| rows_file(f)?.p90_age.and_then(number),
        ..SHARE
    },
];
