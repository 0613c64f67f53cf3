//! Which machine measured.

use serde::{Deserialize, Serialize};
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

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

impl Machine {
    /// This machine.
    pub fn this() -> Self {
        let wanted = RefreshKind::nothing()
            .with_cpu(CpuRefreshKind::nothing())
            .with_memory(MemoryRefreshKind::nothing().with_ram());
        // A system that tells nothing of itself is no reason not to measure on it.
        let system = System::new_with_specifics(wanted).ok();
        let cpus = system.as_ref().map_or(&[][..], System::cpus);
        let name = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
        let brand = cpus.first().map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default();
        Machine {
            system: format!("{name}, {}", std::env::consts::ARCH),
            processor: if brand.is_empty() { "processor of unknown name".into() } else { brand },
            processors: u32::try_from(cpus.len()).unwrap_or(0),
            memory_bytes: system.as_ref().map_or(0, System::total_memory),
        }
    }
}
