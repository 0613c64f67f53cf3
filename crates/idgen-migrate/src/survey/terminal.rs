//! A survey as text for a terminal.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use crate::survey::judge::dangers::{Finding, Level};
use crate::survey::report::Survey;
use crate::survey::sections::Section;

impl fmt::Display for Survey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary())?;
        for section in self.sections() {
            writeln!(f, "\n{}", section.heading)?;
            for line in &section.notes {
                writeln!(f, "{line}")?;
            }
            write(f, &table(&section))?;
        }
        self.findings(f)?;
        for (heading, lines) in self.lists() {
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

fn table(section: &Section) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(&section.head);
    for (at, column) in table.column_iter_mut().enumerate() {
        if !section.texts.contains(&at) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    for row in &section.rows {
        table.add_row(row);
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
