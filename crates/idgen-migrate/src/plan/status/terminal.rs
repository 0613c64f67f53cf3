//! The state of a plan as text for a terminal.

use std::fmt;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};

use super::data::{Copied, State, Status, StepStatus};

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Plan {} in {}: keys to {}", self.id, self.schema, self.target)?;
        let mut steps = plain(["step", "state", "ended (UTC)"]);
        for (first, last) in groups(&self.steps) {
            let ended = last.ended.as_deref().unwrap_or_default();
            let [from, to] = [first, last].map(|step| step.file.trim_end_matches(".sql"));
            let named = if from == to { from.to_owned() } else { format!("{from} to {to}") };
            steps.add_row([&named, first.state.name(), seconds(ended)]);
        }
        write_table(f, &steps)?;
        // Nothing was copied before the step that prepares it.
        if self.tables.iter().any(|copy| copy.part.is_some() || copy.is_finished) {
            let mut copies = plain(["copy of", "rows", "of about", "part", "rows/s", "time left"]);
            for at in [1, 2, 3, 4] {
                if let Some(column) = copies.column_mut(at) {
                    column.set_cell_alignment(CellAlignment::Right);
                }
            }
            let shown: Vec<_> =
                self.tables.iter().filter(|copy| self.tables.len() <= LINES || is_at_work(copy)).collect();
            shown.iter().for_each(|copy| _ = copies.add_row(row(copy)));
            write_table(f, &copies)?;
            let left_out = self.tables.len() - shown.len();
            if left_out > 0 {
                let finished = self.tables.iter().filter(|copy| copy.is_finished).count();
                writeln!(f, "\n  {finished} of {} tables are copied.", self.tables.len())?;
            }
        }
        writeln!(f)?;
        if let Some(session) = &self.session {
            writeln!(f, "  Session {session} executes a file of the plan.")?;
        }
        for line in self.blocked.iter().chain(&self.unread) {
            writeln!(f, "  {line}")?;
        }
        match &self.next {
            Some(next) if self.steps.iter().any(|step| step.state == State::Running) => {
                writeln!(f, "  At work: {next}")
            }
            Some(next) => writeln!(f, "  Next: {next}"),
            None => Ok(()),
        }
    }
}

/// The lines of a table that fit a screen.
const LINES: usize = 20;

/// The steps, or the first and the last one of neighbors in the same state if there are too many for a screen.
fn groups(steps: &[StepStatus]) -> Vec<(&StepStatus, &StepStatus)> {
    if steps.len() <= LINES {
        return steps.iter().map(|step| (step, step)).collect();
    }
    let same = steps.chunk_by(|a, b| a.state == b.state);
    same.filter_map(|group| Some((group.first()?, group.last()?))).collect()
}

fn is_at_work(copy: &Copied) -> bool {
    !copy.is_finished && copy.rows > 0
}

fn plain<const N: usize>(header: [&str; N]) -> Table {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    table
}

fn write_table(f: &mut fmt::Formatter<'_>, table: &Table) -> fmt::Result {
    writeln!(f)?;
    for line in table.lines() {
        writeln!(f, " {}", line.trim_end())?;
    }
    Ok(())
}

fn row(copy: &Copied) -> [String; 6] {
    let shown = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    let part = if copy.is_finished { Some(1.0) } else { copy.part };
    [
        copy.table.clone(),
        copy.rows.to_string(),
        shown(copy.of_rows.map(|rows| rows.to_string())),
        // An estimate may be too small, and then 100 % would be shown before the end.
        shown(
            part.map(|part| {
                format!("{:.0} %", if copy.is_finished { 100.0 } else { (100.0 * part).min(99.0) })
            }),
        ),
        shown(copy.rows_per_second.map(|rate| format!("{rate:.0}"))),
        shown(copy.seconds_left.map(time)),
    ]
}

/// A time in its two largest units.
fn time(seconds: u64) -> String {
    match (seconds / 3600, seconds / 60 % 60, seconds % 60) {
        (0, 0, seconds) => format!("{seconds} s"),
        (0, minutes, seconds) => format!("{minutes} min {seconds} s"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// A time without the parts of a second.
fn seconds(time: &str) -> &str {
    time.get(..19).unwrap_or(time)
}

#[cfg(test)]
mod tests {
    #[test]
    fn times_have_two_units() {
        assert_eq!([7, 61, 7_265].map(super::time), ["7 s", "1 min 1 s", "2 h 1 min"]);
    }
}
