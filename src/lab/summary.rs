//! Prints the end of a run: its results and the place of its report.

use std::io::Write;
use std::path::Path;

use idgen_record::Results;
use idgen_report as report;

use super::screen::wrapped;
use crate::output::Output;

/// The results for the terminal; `wanted` strategies were to be run, none where statements were.
pub fn summary(out: &mut Output, results: &Results, wanted: usize, directory: &Path) -> anyhow::Result<()> {
    writeln!(out, "{} {}: {}", results.engine.name, results.engine.version, results.question)?;
    if results.interrupted {
        match wanted {
            0 => writeln!(out, "Interrupted: {} cases were finished.", results.runs.len())?,
            _ => writeln!(out, "Interrupted: {} of {wanted} strategies were finished.", results.runs.len())?,
        }
    }
    if !results.runs.is_empty() {
        writeln!(out, "{}", report::table(results))?;
    }
    if let Some(published) = report::published(results) {
        writeln!(out, "{published}")?;
    }
    if let Some(met) = report::met(results) {
        writeln!(out, "\n{met}")?;
    }
    if let Some(answer) = report::answer(results) {
        writeln!(out)?;
        for part in &answer.parts {
            writeln!(out, "{}", wrapped(&part.lead))?;
            for finding in &part.findings {
                writeln!(out, "{}", wrapped(&format!("- {finding}")))?;
            }
        }
        if !answer.rest.is_empty() {
            writeln!(out, "{}", wrapped(&answer.rest))?;
        }
    }
    if results.has_any() && !results.notes.is_empty() {
        writeln!(out, "\n{}", wrapped(&results.notes))?;
    }
    // Nothing is saved before something was finished.
    if !results.interrupted || results.has_any() || !results.failures.is_empty() {
        writeln!(out, "\nReport: {}", directory.join("report.html").display())?;
    }
    Ok(())
}
