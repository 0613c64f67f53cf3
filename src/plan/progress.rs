//! The output of `idgen plan run`: a line for each message of the server, and a progress bar if standard
//! error is a terminal.

use std::io::{self, Write};
use std::time::Duration;

use idgen_migrate::plan::status::{Copied, Reader};
use indicatif::{ProgressBar, ProgressStyle};

use crate::output::Output;

/// The time between two readings of the ledger.
const BETWEEN: Duration = Duration::from_secs(2);

/// Lines on standard output, and the bar of the file that is executed.
pub struct Progress {
    out: Output,
    bar: ProgressBar,
}

impl Progress {
    pub fn new() -> Progress {
        Progress { out: Output::open(), bar: ProgressBar::hidden() }
    }

    /// Shows the bar of a file that begins.
    pub fn begin(&mut self, file: &str) {
        self.bar = ProgressBar::new_spinner()
            .with_style(style("{spinner} {prefix}  {elapsed}"))
            .with_prefix(file.to_owned());
        self.bar.enable_steady_tick(Duration::from_millis(200));
    }

    /// The bar of the file, for another task.
    pub fn bar(&self) -> ProgressBar {
        self.bar.clone()
    }

    /// Removes the bar: the file has ended, or a person is asked.
    pub fn end(&mut self) {
        self.bar.finish_and_clear();
    }

    /// Prints lines, of a file if one is named.
    pub fn say(&mut self, of: Option<&str>, text: &str) -> io::Result<()> {
        let out = &mut self.out;
        self.bar.suspend(|| {
            for line in text.lines() {
                match of {
                    Some(file) => writeln!(out, "{file}: {line}")?,
                    None => writeln!(out, "{line}")?,
                }
            }
            out.flush()
        })
    }

    /// Writes the rest.
    pub fn finish(self) -> io::Result<()> {
        self.bar.finish_and_clear();
        self.out.finish()
    }
}

/// Shows how far the copy of a plan is, for ever. Without a terminal, nothing is read.
pub async fn of_copy(bar: ProgressBar, url: &str, id: &str) {
    // It may be dropped in the middle of a statement, so it has a session of its own.
    let mut reader = None;
    while !bar.is_hidden() {
        tokio::time::sleep(BETWEEN).await;
        // What cannot be read now may be read later; the file itself reports errors of the connection.
        let open = match reader.take() {
            Some(reader) => Ok(reader),
            None => Reader::open(url).await,
        };
        let Ok(mut open) = open else { continue };
        let Ok(Some(plan)) = open.read_one(id).await else { continue };
        reader = Some(open);
        if let Some(copy) = plan.tables.iter().find(|copy| copy.part.is_some() && !copy.is_finished) {
            bar.set_style(style("{spinner} {prefix}  {bar:24} {percent:>3} %  {msg}"));
            bar.set_length(1_000);
            bar.set_position((1_000.0 * copy.part.unwrap_or_default()) as u64);
            bar.set_message(message(copy));
        }
    }
    std::future::pending().await
}

fn message(copy: &Copied) -> String {
    let mut text = format!("{}: {} rows", copy.table, copy.rows);
    if let Some(rate) = copy.rows_per_second {
        text += &format!(", {rate:.0}/s");
    }
    if let Some(seconds) = copy.seconds_left {
        text += &format!(", {} left", indicatif::HumanDuration(Duration::from_secs(seconds)));
    }
    text
}

fn style(template: &str) -> ProgressStyle {
    // Falls back to the default style; the templates are constants.
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}
