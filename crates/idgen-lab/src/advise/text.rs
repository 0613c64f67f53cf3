//! Advice for people.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::{Advice, bytes};

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Take {}.\n", self.recommended)?;
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        let mut table = Table::new();
        table.load_style(presets::UTF8_FULL_CONDENSED).set_content_arrangement(ContentArrangement::Dynamic);
        table.set_header([
            "strategy",
            "table in\nthe end",
            "fill %",
            "pages read\nper 1k",
            "pages written\nper 1k",
            "device pages\nper second",
        ]);
        for candidate in &self.candidates {
            table.add_row([
                candidate.strategy.to_owned(),
                bytes(candidate.table_bytes),
                format!("{:.0}", 100.0 * candidate.fill),
                format!("{:.1}", candidate.reads_per_1k),
                format!("{:.1}", candidate.writes_per_1k),
                format!("{:.0}", candidate.device_pages_per_sec),
            ]);
        }
        for column in table.column_iter_mut().skip(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        writeln!(f, "\n{table}\n")?;
        for caveat in &self.caveats {
            writeln!(f, "- {caveat}")?;
        }
        write!(f, "\nPredicted by a model of InnoDB on an empty server")?;
        if self.scale > 1 {
            write!(f, ", on a table {} times smaller", self.scale)?;
        }
        writeln!(f, "; idgen lab run measures it.")
    }
}
