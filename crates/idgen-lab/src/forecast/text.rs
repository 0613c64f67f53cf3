//! A forecast for people.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::{Forecast, Load, PostgresForecast};

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} rows of {} bytes", self.strategy, self.tree.rows, self.record_bytes)?;
        let Load { rate, writers, ref server, .. } = self.load;
        let writers = if writers == 1 { "one writer".to_owned() } else { format!("{writers} writers") };
        write!(f, "{rate} inserts per second by {writers}, a pool of {} MiB", server.pool_bytes >> 20)?;
        match server.device_iops {
            Some(iops) => writeln!(f, ", {iops} page reads and writes per second")?,
            None => writeln!(f)?,
        }
        if self.parts > 1 {
            writeln!(f, "Computed from a sample: one of {} parts of the keys.", self.parts)?;
        }
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header([
            "rows",
            "pages read\nper 1k",
            "pages written\nper 1k",
            "splits\nper 1k",
            "leaves\nper 1k",
        ]);
        for window in &self.windows {
            table.add_row([
                window.rows.to_string(),
                format!("{:.1}", window.reads_per_1k),
                format!("{:.1}", window.writes_per_1k),
                format!("{:.2}", window.splits_per_1k),
                format!("{:.1}", window.distinct_leaves_per_1k),
            ]);
        }
        for column in table.column_iter_mut() {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "At the end: {} leaf pages, {:.1} % full (10th percentile {:.1} %), {:.1} bytes of pages per row.",
            self.tree.leaf_pages,
            100.0 * self.tree.fill.mean,
            100.0 * self.tree.fill.p10,
            self.tree.page_bytes_per_row
        )
    }
}

impl fmt::Display for PostgresForecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let load = &self.load;
        writeln!(f, "{}: {} rows with {} bytes beside the key", self.strategy, load.rows, load.row_bytes)?;
        let writers =
            if load.writers == 1 { "one writer".to_owned() } else { format!("{} writers", load.writers) };
        writeln!(
            f,
            "{} inserts per second by {writers}, a checkpoint every {} s",
            load.rate, load.checkpoint_secs
        )?;
        if let Some((strategy, rows)) = load.existing {
            writeln!(f, "into a table that holds {rows} rows of {}", strategy.name)?;
        }
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header([
            "rows",
            "log bytes\nper row",
            "images\nper 1k",
            "splits\nper 1k",
            "leaves\nper 1k",
        ]);
        for stretch in &self.stretches {
            table.add_row([
                stretch.rows.to_string(),
                format!("{:.0}", stretch.log_bytes_per_row),
                format!("{:.1}", stretch.images_per_1k),
                format!("{:.2}", stretch.splits_per_1k),
                format!("{:.1}", stretch.leaves_per_1k),
            ]);
        }
        for column in table.column_iter_mut() {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(f, "{table}")?;
        writeln!(
            f,
            "At the end: {} leaf pages of the index, {:.1} % full (10th percentile {:.1} %); {:.1} bytes of index and {:.1} \
             bytes of heap per row.",
            self.index.leaf_pages,
            100.0 * self.index.fill.mean,
            100.0 * self.index.fill.p10,
            self.index.page_bytes_per_row,
            self.heap_bytes_per_row
        )
    }
}
