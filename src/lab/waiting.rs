//! Shows on a terminal that a prediction goes on, if it takes longer than a moment.

use std::io::{IsTerminal, stderr};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

/// Quicker answers need no sign of progress.
const MOMENT: Duration = Duration::from_secs(2);

/// Shows a line on the terminal from two seconds after its beginning until it is dropped; nothing if standard error is not a
/// terminal.
pub struct Waiting {
    thread: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Waiting {
    /// Begins to wait for this.
    pub fn begin(what: &'static str) -> Waiting {
        if !stderr().is_terminal() {
            return Waiting { thread: None };
        }
        let (done, ended) = channel();
        let thread = spawn(move || {
            if goes_on(&ended, MOMENT) {
                let bar = ProgressBar::new_spinner().with_message(what).with_elapsed(MOMENT);
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}: {elapsed} so far") {
                    bar.set_style(style);
                }
                bar.enable_steady_tick(Duration::from_millis(200));
                let _ = ended.recv();
                bar.finish_and_clear();
            }
        });
        Waiting { thread: Some((done, thread)) }
    }
}

/// Waits, and returns whether the work has not ended after this time.
fn goes_on(ended: &Receiver<()>, moment: Duration) -> bool {
    ended.recv_timeout(moment) == Err(RecvTimeoutError::Timeout)
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if let Some((done, thread)) = self.thread.take() {
            drop(done);
            // The line is gone before anything else is printed.
            let _ = thread.join();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_work_that_goes_on_is_shown() {
        let (done, ended) = channel();
        assert!(goes_on(&ended, Duration::from_millis(1)));
        drop(done);
        assert!(!goes_on(&ended, Duration::from_secs(60)));
    }
}
