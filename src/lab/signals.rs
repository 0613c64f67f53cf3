//! What ends a run early: the user, or the system.

use std::thread;

use anyhow::Context;
use idgen_lab::runner::Cancel;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::failure;

/// The exit code of a run that was ended early, by whichever signal: what a shell reports for a command that
/// Ctrl-C ended, 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Cancelled by Ctrl-C, by SIGTERM (`timeout`, a job of CI that is cancelled) and by SIGHUP (a terminal that is
/// closed): unheard, they would end the program on the spot, and a schema would stay on the user's server.
///
/// Such senders often send twice, so a second signal does no more than the first.
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
                failure::note("stopping: what is finished is kept, what was made on a server is removed");
            }
        }
    });
    Ok(cancel)
}

/// True under `nohup`: to listen for a hangup would undo it. Only Linux tells, see proc_pid_status(5).
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}
