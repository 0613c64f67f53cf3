//! Signals that end a command early, from the user or from the system.

use anyhow::Context;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

/// The exit code of a command that any signal ended early: 128 + SIGINT, which a shell reports for a command that was
/// ended by Ctrl-C.
pub const INTERRUPTED: u8 = 130;

/// Listens for Ctrl-C, SIGTERM (`timeout`, or a canceled CI job) and SIGHUP (a closed terminal), which then no longer end the program.
pub fn listen() -> anyhow::Result<Signals> {
    let mut wanted = vec![SIGINT, SIGTERM];
    if !hangups_are_ignored() {
        wanted.push(SIGHUP);
    }
    Signals::new(wanted).context("cannot listen for Ctrl-C")
}

/// True under `nohup`, which a handler for SIGHUP would undo. Only Linux tells, see proc_pid_status(5).
fn hangups_are_ignored() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|digits| u64::from_str_radix(digits.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (SIGHUP - 1) & 1 == 1)
}
