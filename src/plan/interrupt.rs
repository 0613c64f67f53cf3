//! Ctrl-C, as a future.

use std::thread;

use tokio::sync::watch;

use crate::signals::listen;

/// Becomes true when a signal tells the command to end.
#[derive(Clone)]
pub struct Interrupt(watch::Receiver<bool>);

impl Interrupt {
    /// Listens for signals from now on.
    pub fn listen() -> anyhow::Result<Interrupt> {
        let mut signals = listen()?;
        let (sender, receiver) = watch::channel(false);
        thread::spawn(move || {
            for _ in signals.forever() {
                // Nobody waits for it when the command has ended.
                let _ = sender.send(true);
            }
        });
        Ok(Interrupt(receiver))
    }

    /// Waits for a signal.
    pub async fn wait(mut self) {
        if self.0.wait_for(|is_set| *is_set).await.is_err() {
            // The thread that listens has ended, so there is no signal any more.
            std::future::pending().await
        }
    }

    /// Returns whether there was a signal.
    pub fn is_set(&self) -> bool {
        *self.0.borrow()
    }
}
