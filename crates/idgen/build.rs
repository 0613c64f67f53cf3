//! Sets conditions for the code:
//!
//! - `idgen_simd` where the feature `fast` is on and the compiler offers the AVX-512 instructions as stable: since Rust
//!   1.89. Older ones compile the portable codecs, and so do targets for the kernels of operating systems, which leave the vector
//!   registers of x86-64 and ARM alone.
//! - `idgen_shared_words` where forked children share counters with their parent: with the features `fast` and `std` on
//!   Unix, if the processor has 64-bit atomics. Atomics that a lock emulates would not be atomic between processes. Miri has no memory that
//!   processes share.
//! - `idgen_js` where JavaScript provides clock and randomness: with the feature `wasm-js` on wasm32-unknown-unknown.
//! - `idgen_cards` where the crate `mac_address` shows the network cards: the systems for which `Cargo.toml` names it.

/// The systems whose network cards `mac_address` shows.
const WITH_CARDS: [&str; 7] = ["android", "freebsd", "illumos", "macos", "netbsd", "openbsd", "windows"];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(idgen_simd, idgen_shared_words, idgen_js, idgen_cards)");
    if WITH_CARDS.contains(&target("OS").as_str()) {
        println!("cargo::rustc-cfg=idgen_cards");
    }
    if is_set("CARGO_FEATURE_WASM_JS") && target("FAMILY") == "wasm" && target("OS") == "unknown" {
        println!("cargo::rustc-cfg=idgen_js");
    }
    if !is_set("CARGO_FEATURE_FAST") {
        return;
    }
    let has = |wanted: &str| target("FEATURE").split(',').any(|feature| feature == wanted);
    let has_vectors = match target("ARCH").as_str() {
        "x86_64" => has("sse2"),
        "aarch64" => has("neon"),
        _ => true,
    };
    if has_vectors && rustc_minor().is_some_and(|minor| minor >= 89) {
        println!("cargo::rustc-cfg=idgen_simd");
    }
    let has_atomics = target("HAS_ATOMIC").split(',').any(|bits| bits == "64");
    if is_set("CARGO_FEATURE_STD") && is_set("CARGO_CFG_UNIX") && has_atomics && !is_set("CARGO_CFG_MIRI") {
        println!("cargo::rustc-cfg=idgen_shared_words");
    }
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some()
}

/// What the compiler says of the target: `CARGO_CFG_TARGET_…`.
fn target(property: &str) -> String {
    std::env::var(format!("CARGO_CFG_TARGET_{property}")).unwrap_or_default()
}

/// The second number of `rustc 1.89.0 (29483883e 2025-08-04)`.
fn rustc_minor() -> Option<u32> {
    let output = std::process::Command::new(std::env::var_os("RUSTC")?).arg("--version").output().ok()?;
    let version = String::from_utf8(output.stdout).ok()?;
    version.split('.').nth(1)?.parse().ok()
}
