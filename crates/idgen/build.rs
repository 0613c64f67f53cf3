//! Sets `idgen_simd` where the feature `fast` is on and the compiler offers the AVX-512 instructions as stable: since
//! Rust 1.89. Older ones compile the portable codecs. Sets `idgen_aes` if the feature `aes` is on, too, and the random bits
//! can come from AES instructions.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(idgen_simd)");
    println!("cargo::rustc-check-cfg=cfg(idgen_aes)");
    let has = |feature: &str| std::env::var_os(format!("CARGO_FEATURE_{feature}")).is_some();
    if !has("FAST") || rustc_minor().is_none_or(|minor| minor < 89) {
        return;
    }
    println!("cargo::rustc-cfg=idgen_simd");
    let target = |what: &str| std::env::var(format!("CARGO_CFG_TARGET_{what}")).unwrap_or_default();
    if has("AES") && ["x86_64", "aarch64"].contains(&&*target("ARCH")) && target("ENDIAN") == "little" {
        println!("cargo::rustc-cfg=idgen_aes");
    }
}

/// The second number of `rustc 1.89.0 (29483883e 2025-08-04)`.
fn rustc_minor() -> Option<u32> {
    let output = std::process::Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.split('.').nth(1)?.parse().ok()
}
