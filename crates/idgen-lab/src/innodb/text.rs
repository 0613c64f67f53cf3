//! A survey for people.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::format::Writer;
use super::stats::Distribution;
use super::survey::{IndexTree, Survey};

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let writer = match self.format.writer {
            Writer::Mysql => "MySQL 8.0 or later",
            Writer::Mariadb => "MariaDB 10.4 or later",
            Writer::Either => "MySQL before 8.0, or MariaDB with innodb_checksum_algorithm=crc32",
        };
        writeln!(f, "Written by {writer}; {} pages of {} bytes.", self.pages, self.format.page_size)?;
        let kinds: Vec<_> = self.kinds.iter().map(|(kind, pages)| format!("{pages} {kind}")).collect();
        writeln!(f, "In use: {}. Free: {}.", kinds.join(", "), self.free_pages)?;
        for index in &self.indexes {
            write!(f, "\n{index}")?;
        }
        Ok(())
    }
}

impl fmt::Display for IndexTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.clustered { "clustered index" } else { "secondary index" };
        let name = self.name.as_deref().map(|name| format!(" {name}")).unwrap_or_default();
        writeln!(
            f,
            "{kind}{name} (number {}, root page {}):\n{} records of {:.1} bytes, {:.1} bytes of pages each",
            self.id, self.root, self.records, self.record_bytes, self.page_bytes_per_record
        )?;
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header([
            "level",
            "pages",
            "records",
            "fill %\nmean",
            "fill %\np10",
            "fill %\nmedian",
            "MB of redo\nsince, median",
            "MB\np90",
        ]);
        for level in self.levels.iter().rev() {
            let percent = |share: f64| format!("{:.1}", 100.0 * share);
            let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / 1e6);
            let name = match level.level {
                0 => "0, leaves".to_owned(),
                above => above.to_string(),
            };
            table.add_row([
                name,
                level.pages.to_string(),
                level.records.to_string(),
                percent(level.fill.mean),
                percent(level.fill.p10),
                percent(level.fill.median),
                megabytes(level.age.median),
                megabytes(level.age.p90),
            ]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(f, "{table}")?;
        writeln!(f, "Leaves by fill, 0 to 100 %:  {}", sparkline(&self.leaf().fill))?;
        writeln!(f, "Leaves followed by their neighbour in the file: {:.0} %", 100.0 * self.in_file_order)
    }
}

/// The histogram as twenty small bars; a bar that isn't empty shows.
fn sparkline(fill: &Distribution) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let most = fill.histogram.iter().copied().max().unwrap_or(0).max(1);
    fill.histogram
        .iter()
        .map(
            |&pages| {
                if pages == 0 { '·' } else { BARS[((pages * 8).div_ceil(most) as usize).clamp(1, 8) - 1] }
            },
        )
        .collect()
}
