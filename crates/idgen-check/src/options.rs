//! The settings of a check.

use std::path::PathBuf;
use std::time::Duration;

use idgen::Timestamp;

/// The settings of a [`Checker`](crate::Checker).
///
/// ```
/// use idgen_check::Options;
///
/// let options = Options { duplicates: None, ..Options::default() }; // no search for duplicates
/// assert!(options.not_before < options.latest());
/// ```
#[derive(Clone, Debug)]
pub struct Options {
    /// The memory of the search for duplicates, 1 GiB by default, in bytes. Ids that do not fit go to temporary files, 24 bytes for
    /// each. Without a number, duplicates are not searched for.
    pub duplicates: Option<u64>,
    /// The folder of the temporary files; by default that of the system.
    pub folder: PathBuf,
    /// The time of the check: no id can be from later. By default, it is the system's time when ids are added.
    pub now: Option<Timestamp>,
    /// A time that is at most this much after the clock's is accepted, because clocks differ; 10 ms by default.
    pub tolerance: Duration,
    /// Earlier times are reported; 2000-01-01 by default.
    pub not_before: Timestamp,
    /// Ids to predict if their source is recognized; 1 by default.
    pub predict: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            duplicates: Some(1 << 30),
            folder: std::env::temp_dir(),
            now: None,
            tolerance: Duration::from_millis(10),
            not_before: Timestamp::from_date(2000, 1, 1),
            predict: 1,
        }
    }
}

impl Options {
    /// The latest credible time at this moment.
    pub fn latest(&self) -> Timestamp {
        let now = self.now.unwrap_or_else(|| Timestamp::from(std::time::SystemTime::now()));
        now.saturating_add(self.tolerance)
    }
}
