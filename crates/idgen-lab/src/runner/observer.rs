//! Reports the progress of runs.

use idgen_record::{Failure, Results};

use crate::Result;
use crate::strategy::Strategy;

/// Receives the progress of the runs. By default it ignores everything except failures. Clients that insert at the same time
/// have threads of their own, which report what they inserted.
pub trait Observer: Send {
    /// The run of a strategy begins.
    fn started(&mut self, _strategy: &Strategy) {}
    /// This many of its rows are inserted.
    fn inserted(&mut self, _rows: u64) {}
    /// All rows are inserted; they are being checked, and the pages are read.
    fn verifying(&mut self) {}
    /// A run is finished and recorded. These are all results so far, so they can be saved here.
    ///
    /// # Errors
    /// The results cannot be saved. The runs end with this error.
    fn recorded(&mut self, _results: &Results) -> Result<()> {
        Ok(())
    }
    /// A run failed; the next one begins.
    fn failed(&mut self, failure: &Failure);
}
