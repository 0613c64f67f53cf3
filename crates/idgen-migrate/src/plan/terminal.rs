//! A plan as text for a terminal: its steps as a table, and what was measured.

use std::fmt;

use comfy_table::{ContentArrangement, Table, presets};

use crate::plan::data::Plan;

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Change of keys to {}: {}", self.target.name(), self.tables.join(", "))?;
        let mut table = Table::new();
        table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
        table.set_header(["step", "statements", "way back", "time"]);
        for (at, step) in self.steps.iter().enumerate() {
            table.add_row([
                self.numbered(at, &step.name),
                step.statements.len().to_string(),
                if step.undo.is_empty() { "-" } else { "undo/" }.to_owned(),
                step.duration.clone().unwrap_or_else(|| "-".to_owned()),
            ]);
        }
        if let Some(command) = &self.command {
            table.add_row([self.script_name(command).trim_end_matches(".sh"), "-", "-", "-"]);
        }
        writeln!(f)?;
        for line in table.lines() {
            writeln!(f, "{}", line.trim_end())?;
        }
        let before: Vec<_> = self.notes.iter().chain(&self.unread).collect();
        for (heading, lines) in [("Measured", self.facts.iter().collect()), ("Before you begin", before)] {
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
