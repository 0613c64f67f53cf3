//! A progress bar that appears if the work takes longer than two seconds; none if standard error is not a terminal.

use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// The time until it appears.
const SHOWN_AFTER: Duration = Duration::from_secs(2);

/// The bar. It is removed when it is dropped.
pub struct Wait(ProgressBar);

impl Wait {
    /// Begins the bar for this many tables.
    pub fn begin(tables: usize) -> Wait {
        let style =
            ProgressStyle::with_template("predicting {msg:32} {bar:24} {pos}/{len}  {elapsed} so far")
                .unwrap_or_else(|_| ProgressStyle::default_bar());
        let bar = ProgressBar::with_draw_target(Some(tables as u64), ProgressDrawTarget::hidden())
            .with_style(style);
        let late = bar.downgrade();
        std::thread::spawn(move || {
            std::thread::sleep(SHOWN_AFTER);
            // It is gone if the work is done.
            if let Some(bar) = late.upgrade() {
                bar.set_draw_target(ProgressDrawTarget::stderr());
            }
        });
        bar.enable_steady_tick(Duration::from_millis(500));
        Wait(bar)
    }

    /// The next table begins.
    pub fn next(&self, table: &str) {
        if !self.0.message().is_empty() {
            self.0.inc(1);
        }
        self.0.set_message(table.to_owned());
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
