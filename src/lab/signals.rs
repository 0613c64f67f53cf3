//! Signals that end a run early, from the user or from the system.

use std::thread;

use anyhow::Context;
use idgen_lab::runner::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure;

/// The exit code of a run that any signal ended early: 128 + SIGINT, which a shell reports for a command that was
/// ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// A value that Ctrl-C, SIGTERM (`timeout`, or a canceled CI job) and SIGHUP (a closed terminal) cancel. Without a
/// handler, these signals would end the program immediately, and a schema would stay on the user's server.
///
/// Senders often send a signal twice, so a second one has no further effect.
pub fn cancel() -> anyhow::Result<Cancel> {
    let mut wanted = vec![SIGINT, SIGTERM];
    if !hangups_are_ignored() {
        wanted.push(SIGHUP);
    }
    let mut signals = Signals::new(wanted).context("cannot listen for Ctrl-C")?;
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

/// True under `nohup`, which a handler for SIGHUP would undo. Only Linux tells, see proc_pid_status(5).
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}
