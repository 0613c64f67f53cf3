//! Prints forecasts and advice for people.

use std::fmt;

use super::{Advice, Forecast, Load};
use crate::advise::amounts::{bytes, pool};
use crate::table::table;
use idgen_record::thousands;

impl fmt::Display for Forecast {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}: {} rows", self.strategy, thousands(self.whole.rows))?;
        writeln!(f, "{}", settings(&self.load))?;
        if self.scale > 1 {
            writeln!(f, "Computed on a tree {} times smaller, with as many files.", self.scale)?;
        }
        let rows = self.windows.iter().map(|window| {
            [
                thousands(window.rows),
                format!("{:.2}", window.write_amplification),
                format!("{:.0}", window.written_bytes_per_row),
                filters(window.filters_per_1k),
                window.sorted_runs.to_string(),
            ]
        });
        let head = ["rows", "times\nwritten", "bytes written\nper row", "filters\nper 1k", "sorted\nruns"];
        writeln!(f, "{}", table(head, 0, rows))?;
        writeln!(
            f,
            "In the whole run: a row is written {:.2} times ({:.0} bytes, the log not included), and the check for an equal key \
             asks {:.2} filters. At the end: {} in files, and {} sorted runs.",
            self.whole.write_amplification,
            self.whole.written_bytes_per_row,
            self.whole.filters_per_1k / 1_000.0,
            bytes(self.file_bytes),
            self.whole.sorted_runs
        )
    }
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "Take {}.", self.recommended)?;
        if self.hiding != self.recommended {
            writeln!(f, "If ids must not reveal when they were made, use {}.", self.hiding)?;
        }
        writeln!(f)?;
        for reason in &self.reasons {
            writeln!(f, "- {reason}")?;
        }
        let rows = self.candidates.iter().map(|one| {
            [
                one.strategy.to_owned(),
                format!("{:.1}", one.write_amplification),
                format!("{:.1}", one.written_bytes_per_sec / 1e6),
                filters(one.filters_per_1k),
                one.sorted_runs.to_string(),
                bytes(one.file_bytes),
            ]
        });
        let head = [
            "strategy",
            "times\nwritten",
            "MB written\nper second",
            "filters\nper 1k",
            "sorted\nruns",
            "files in\nthe end",
        ];
        writeln!(f, "\n{}\n", table(head, 1, rows))?;
        for caveat in &self.caveats {
            writeln!(f, "- {caveat}")?;
        }
        write!(
            f,
            "\nPredicted by a model of {}'s compactions: {}",
            self.load.engine.name(),
            settings(&self.load)
        )?;
        if self.scale > 1 {
            write!(f, " The model's trees are {} times smaller, with as many files.", self.scale)?;
        }
        writeln!(f)
    }
}

fn filters(per_1k: f64) -> String {
    thousands(per_1k.round() as u64)
}

/// The load and the settings in a sentence.
fn settings(load: &Load) -> String {
    let writers = match load.writers {
        1 => "one writer".to_owned(),
        count => format!("{count} writers"),
    };
    let set = &load.settings;
    let compressed = match set.compressed_share {
        1.0 => "no compression".to_owned(),
        share => format!("files compressed to {:.0} %", 100.0 * share),
    };
    let existing = match load.existing {
        Some((old, rows)) => format!(", into a table that holds {} rows of {}", thousands(rows), old.name),
        None => String::new(),
    };
    format!(
        "{} inserts per second by {writers}{existing}; a memtable of {}, a first level of {}, {compressed}.",
        load.rate,
        pool(set.memtable_bytes),
        pool(set.level_base_bytes)
    )
}
