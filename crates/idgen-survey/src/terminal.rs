//! A survey as text for a terminal.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::costs::Cost;
use crate::dangers::{Finding, Level};
use crate::report::{ColumnReport, Survey};

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} {}: {} tables, {} of them with ids or findings; {} rows read with {} statements",
            self.engine.name(),
            self.server,
            grouped(self.tables_seen as u64),
            grouped(self.tables.len() as u64),
            grouped(self.rows_read),
            grouped(self.statements.len() as u64)
        )?;
        self.columns(f)?;
        self.costs(f)?;
        self.findings(f)?;
        for (heading, lines) in [("Privileges used", &self.privileges), ("Not seen", &self.unseen)] {
            if !lines.is_empty() {
                writeln!(f, "\n{heading}")?;
            }
            for line in lines {
                writeln!(f, "  {line}")?;
            }
        }
        Ok(())
    }
}

fn table(headings: &[&str], right: &[usize]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings);
    for &at in right {
        if let Some(column) = table.column_mut(at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

fn write(f: &mut fmt::Formatter<'_>, table: &Table) -> fmt::Result {
    for line in table.lines() {
        writeln!(f, "{}", line.trim_end())?;
    }
    Ok(())
}

impl Survey {
    fn columns(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = table(&["table", "rows", "read", "column", "type", "kinds", "new ids"], &[1, 2]);
        for found in &self.tables {
            for column in &found.columns {
                shown.add_row([
                    found.table.clone(),
                    rows(found.rows, found.whole),
                    grouped(found.rows_read),
                    column.column.clone(),
                    typed(column),
                    kinds(column),
                    column.arrival.name().to_owned(),
                ]);
            }
        }
        if self.tables.iter().any(|table| !table.columns.is_empty()) {
            writeln!(f, "\nColumns of ids")?;
            write(f, &shown)?;
        }
        Ok(())
    }

    fn costs(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headings = [
            "key",
            "a value",
            "table",
            "indexes",
            "references",
            "together",
            "as 16 bytes",
            "as 8 bytes",
            "leaf pages",
            "fill",
        ];
        let mut shown = table(&headings, &[1, 2, 3, 4, 5, 6, 7, 8, 9]);
        let mut costs: Vec<(String, &Cost)> = Vec::new();
        for found in &self.tables {
            for column in &found.columns {
                if let Some(cost) = &column.cost {
                    costs.push((format!("{}.{}", found.table, column.column), cost));
                }
            }
        }
        costs.sort_by_key(|(_, cost)| {
            std::cmp::Reverse(cost.bytes() - cost.bytes_as_16.unwrap_or(cost.bytes()).min(cost.bytes()))
        });
        for (key, cost) in &costs {
            let or_dash = |bytes: Option<u64>| bytes.map_or("-".to_owned(), size);
            shown.add_row([
                key.clone(),
                format!("{:.1} B", cost.value_bytes),
                size(cost.table_bytes),
                format!("{} in {}", size(cost.index_bytes), cost.indexes),
                format!("{} in {}", size(cost.reference_bytes), cost.references),
                size(cost.bytes()),
                or_dash(cost.bytes_as_16),
                or_dash(cost.bytes_as_8),
                cost.leaf_pages.map_or("-".to_owned(), grouped),
                cost.fill.map_or("-".to_owned(), |fill| format!("about {:.0} %", fill * 100.0)),
            ]);
        }
        if !costs.is_empty() {
            writeln!(f, "\nBytes of keys, those first that would shrink most with 16 bytes")?;
            write(f, &shown)?;
        }
        Ok(())
    }

    fn findings(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = |level| self.findings.iter().filter(|finding| finding.level == level).count();
        let counted = |level: Level| {
            let count = count(level);
            format!("{count} {}{}", level.name(), if count == 1 { "" } else { "s" })
        };
        writeln!(f, "\n{}, {}", counted(Level::Danger), counted(Level::Warning))?;
        for Finding { level, code, table, column, what, statement, remedy, examples } in &self.findings {
            let column = column.as_ref().map_or(String::new(), |column| format!(".{column}"));
            writeln!(f, "\n{}: {} in {table}{column}", level.name(), code.name())?;
            writeln!(f, "  {what}")?;
            if !examples.is_empty() {
                writeln!(f, "  such as: {}", examples.join(", "))?;
            }
            writeln!(f, "  rows:   {statement};")?;
            writeln!(f, "  remedy: {remedy}")?;
        }
        Ok(())
    }
}

fn typed(column: &ColumnReport) -> String {
    match &column.collation {
        Some(collation) => format!("{} {collation}", column.type_text),
        None => column.type_text.clone(),
    }
}

fn kinds(column: &ColumnReport) -> String {
    let shares = column.kinds.iter().map(|share| match share.share {
        1.0 => share.kind.name().to_owned(),
        part => format!("{} {:.1} %", share.kind.name(), part * 100.0),
    });
    match shares.collect::<Vec<_>>().join(", ") {
        none if none.is_empty() => "no value was read".to_owned(),
        kinds => kinds,
    }
}

fn rows(rows: Option<u64>, exact: bool) -> String {
    match rows {
        Some(rows) if exact => grouped(rows),
        Some(rows) => format!("about {}", grouped(rows)),
        None => "unknown".to_owned(),
    }
}

fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut shown = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

fn size(bytes: u64) -> String {
    match bytes {
        0..10_240 => format!("{} B", grouped(bytes)),
        10_240..10_485_760 => format!("{} KiB", grouped(bytes >> 10)),
        10_485_760..10_737_418_240 => format!("{} MiB", grouped(bytes >> 20)),
        _ => format!("{} GiB", grouped(bytes >> 30)),
    }
}
