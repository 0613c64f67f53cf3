//! Prints forecasts and advice for people.

use std::fmt;

use super::advise::named;
use super::{Advice, Forecast, Load};
use crate::advise::amounts::pool;
use crate::table::table;
use idgen_record::thousands;

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = self.windows.last().map_or(0, |window| window.rows);
        writeln!(f, "{}: {} rows", named(self.strategy, self.load.spread), thousands(all))?;
        writeln!(f, "{}", settings(&self.load))?;
        if self.scale > 1 {
            writeln!(f, "Computed with ranges {} times smaller, and as many.", thousands(self.scale))?;
        }
        let rows = self.windows.iter().map(|window| {
            [
                thousands(window.rows),
                thousands(window.ranges),
                percent(window.hottest_range),
                percent(window.hottest_node),
                format!("{:.1}", window.ranges_per_statement),
            ]
        });
        let head = ["rows", "ranges", "hottest\nrange, %", "hottest\nnode, %", "ranges per\nstatement"];
        writeln!(f, "{}", table(head, 0, rows))?;
        writeln!(
            f,
            "In the second half of the run, the hottest of {} nodes gets {} % of the inserts of a moment, and the hottest range {} %. \
             A statement of {} rows touches {:.1} ranges. In the whole run, {} ranges were split, and {} moved.",
            self.load.nodes,
            percent(self.late.hottest_node),
            percent(self.late.hottest_range),
            self.load.statement_rows,
            self.late.ranges_per_statement,
            thousands(self.splits),
            thousands(self.moves)
        )
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Take {}.\n", named(self.recommended, self.spread))?;
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        let rows = self.candidates.iter().map(|one| {
            [
                named(one.strategy, one.spread),
                percent(one.hottest_range),
                percent(one.hottest_node),
                format!("{:.1}", one.ranges_per_statement),
                thousands(one.ranges),
            ]
        });
        let head = ["strategy", "hottest\nrange, %", "hottest\nnode, %", "ranges per\nstatement", "ranges"];
        writeln!(f, "\n{}\n", table(head, 1, rows))?;
        for caveat in &self.caveats {
            writeln!(f, "- {caveat}")?;
        }
        writeln!(f, "\nThe manual of {} says:\n", self.load.engine.name)?;
        for rule in self.rules {
            writeln!(f, "- {} ({})", rule.says, rule.source)?;
        }
        write!(f, "\nPredicted by a model of ranges: {}", settings(&self.load))?;
        if self.scale > 1 {
            write!(f, " The model's ranges are {} times smaller, and as many.", thousands(self.scale))?;
        }
        writeln!(f)
    }
}

fn percent(share: f64) -> String {
    format!("{:.0}", 100.0 * share)
}

/// The load and the settings in a sentence.
fn settings(load: &Load) -> String {
    let writers = match load.writers {
        1 => "one writer".to_owned(),
        count => format!("{count} writers"),
    };
    let existing = match load.existing {
        Some((old, rows)) => format!(", into a table that holds {} rows of {}", thousands(rows), old.name),
        None => String::new(),
    };
    let ranges = if load.engine.splits_by_size {
        format!("ranges of {}", pool(load.range_bytes))
    } else {
        "a fixed range for each".to_owned()
    };
    format!("{} inserts per second by {writers}{existing}; {} nodes, {ranges}.", load.rate, load.nodes)
}
