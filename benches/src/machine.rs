//! The machine, the day and the compiler of a measurement.

use std::process::Command;
use std::time::SystemTime;

/// One line for the report: processor, system, compiler, day.
pub fn line() -> String {
    let (system, machine) = (std::env::consts::OS, std::env::consts::ARCH);
    format!("{}, {system} {machine}, {}, {}", processor(), compiler(), day())
}

/// Today, in UTC.
pub fn day() -> String {
    let now = idgen::Timestamp::from(SystemTime::now()).to_string();
    now.split('T').next().unwrap_or_default().to_owned()
}

/// The processor's name and model.
pub fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = info.lines().find(|line| line.starts_with(name))?;
        line.split_once(':').map(|(_, value)| value.trim().to_owned())
    };
    let name = field("model name").unwrap_or_else(|| "unknown processor".to_owned());
    match (field("cpu family"), field("model\t")) {
        (Some(family), Some(model)) => format!("{name} (family {family}, model {model}{})", vector_sets()),
        _ => name,
    }
}

#[cfg(target_arch = "x86_64")]
fn vector_sets() -> &'static str {
    if std::arch::is_x86_feature_detected!("avx512vbmi") {
        ", with AVX-512 VBMI"
    } else if std::arch::is_x86_feature_detected!("avx2") {
        ", with AVX2 but without AVX-512 VBMI"
    } else {
        ", without AVX2"
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn vector_sets() -> &'static str {
    ""
}

/// The compiler's name and version.
pub fn compiler() -> String {
    let output = Command::new("rustc").arg("--version").output();
    let text =
        output.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned()).unwrap_or_default();
    // "rustc 1.95.0 (5980761 2026-04-14)": name and version.
    let short: Vec<_> = text.split(' ').take(2).collect();
    if short.len() == 2 { short.join(" ") } else { "unknown compiler".to_owned() }
}
