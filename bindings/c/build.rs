//! Names the shared library in the programs that link it, with the part of the version that a change of the interface increases.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    // Before version 1, each minor version may change the interface.
    let number = if major == "0" { format!("0.{minor}") } else { major };
    match std::env::var("CARGO_CFG_TARGET_OS").as_deref() {
        Ok("linux" | "android" | "freebsd") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libidgen_c.so.{number}");
        }
        Ok("macos" | "ios") => {
            println!("cargo::rustc-cdylib-link-arg=-Wl,-install_name,@rpath/libidgen_c.{number}.dylib");
        }
        _ => {}
    }
}

fn version(part: &str) -> String {
    std::env::var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default()
}
