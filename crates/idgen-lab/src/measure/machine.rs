//! Describes the machine that measured.

use idgen_record::Machine;
use sysinfo::{CpuRefreshKind, MemoryRefreshKind, RefreshKind, System};

/// The description of this machine.
pub fn this_machine() -> Machine {
    let wanted = RefreshKind::nothing()
        .with_cpu(CpuRefreshKind::nothing())
        .with_memory(MemoryRefreshKind::nothing().with_ram());
    // Measurements are possible even if the system does not describe itself.
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
