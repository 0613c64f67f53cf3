//! Which machine measured.

use serde::{Deserialize, Serialize};

/// The machine of a run. It explains the seconds; the page counts don't depend on it.
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
