//! The machine that the figures come from.

use sysinfo::{CpuRefreshKind, RefreshKind, System};

pub struct Machine {
    /// Operating system and architecture.
    pub system: String,
    pub processor: String,
    pub processors: usize,
}

impl Machine {
    pub fn this() -> Machine {
        let wanted = RefreshKind::nothing().with_cpu(CpuRefreshKind::nothing());
        // The benchmark also runs where the system does not name its processor.
        let system = System::new_with_specifics(wanted).ok();
        let cpus = system.as_ref().map_or(&[][..], System::cpus);
        let name = System::long_os_version().unwrap_or_else(|_| std::env::consts::OS.to_owned());
        let brand = cpus.first().map(|cpu| cpu.brand().trim().to_owned()).unwrap_or_default();
        Machine {
            system: format!("{name}, {}", std::env::consts::ARCH),
            processor: if brand.is_empty() { "processor of unknown name".into() } else { brand },
            processors: cpus.len(),
        }
    }
}
