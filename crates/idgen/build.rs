//! Sets `idgen_simd` where the feature `fast` is on and the compiler offers the AVX-512 instructions as stable: since
//! Rust 1.89. Older ones compile the portable codecs.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(idgen_simd)");
    if std::env::var_os("CARGO_FEATURE_FAST").is_some() && rustc_minor().is_some_and(|minor| minor >= 89) {
        println!("cargo::rustc-cfg=idgen_simd");
    }
}

/// The second number of `rustc 1.89.0 (29483883e 2025-08-04)`.
fn rustc_minor() -> Option<u32> {
    let output = std::process::Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.split('.').nth(1)?.parse().ok()
}
