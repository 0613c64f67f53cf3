//! The machine that measured.

use serde::{Deserialize, Serialize};

/// The machine of a run. Seconds depend on it; page counts do not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Machine {
    /// Operating system and architecture.
    pub system: String,
    /// The processor's name.
    pub processor: String,
    /// Logical processors.
    pub processors: u32,
    /// Main memory in bytes.
    pub memory_bytes: u64,
}
