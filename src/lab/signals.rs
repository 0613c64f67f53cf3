//! Signals that end a run early, from the user or from the system.

use std::thread;

use idgen_lab::runner::Cancel;

use crate::failure;
use crate::signals::listen;

pub use crate::signals::INTERRUPTED;

/// A value that signals cancel. Without a handler, these signals would end the program immediately, and a schema would stay on the
/// user's server.
///
/// Senders often send a signal twice, so a second one has no further effect.
pub fn cancel() -> anyhow::Result<Cancel> {
    let mut signals = listen()?;
    let cancel = Cancel::new();
    let on_signal = cancel.clone();
    thread::spawn(move || {
        for _ in signals.forever() {
            let first = !on_signal.is_cancelled();
            on_signal.cancel();
            if first {
                failure::note(
                    "stopping: finished results are kept, and everything that was created on a server is removed",
                );
            }
        }
    });
    Ok(cancel)
}
