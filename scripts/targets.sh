#!/usr/bin/env bash
# Builds the library for targets that differ from those of the other tests, as a dependency of a new package, and runs it
# where Node can: docs/library.md has the table.
#
#   scripts/targets.sh test          all targets; fails if one cannot be built (a few minutes the first time, one after that)
#   scripts/targets.sh test-if-able  Cortex-M and WebAssembly only; says so and succeeds if the compiler cannot get one
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

readonly FOLDER=$PWD/target/targets SOURCES=$PWD/scripts/targets
readonly mode=${1:-test}
case $mode in test | test-if-able) ;; *) die "unknown command $mode: use test or test-if-able" ;; esac

has_target() { [ -d "$(rustc --print target-libdir --target "$1")" ]; }

# on TARGET: whether the compiler has the target's standard library, or could install it.
on() {
  has_target "$1" || { have rustup && rustup target add "$1" >/dev/null 2>&1 && has_target "$1"; } && return
  say "$1 was NOT tested: the compiler has no standard library for it. Install it: rustup target add $1"
  [ "$mode" = test-if-able ] || exit 1
  return 1
}

# package CODE FEATURES [DEPENDENCY [KIND]]: makes a package with the code as a library.
package() {
  mkdir -p "$FOLDER/$1/src"
  cd "$FOLDER/$1"
  cat >Cargo.toml <<TOML
[package]
name = "probe"
version = "0.0.0"
edition = "2024"

[workspace]

[lib]
crate-type = ["${4:-rlib}"]

[dependencies]
idgen = { package = "idgen-keys", path = "$OLDPWD/crates/idgen", $2 }
${3:-}
TOML
  # The versions of this repository.
  cp "$OLDPWD/Cargo.lock" .
  cp "$SOURCES/$1.rs" src/lib.rs
  rm -f src/main.rs
  cd "$OLDPWD"
}

# build COMMAND CODE TARGET: builds or checks that package.
build() {
  say "$1 for $3"
  CARGO_TARGET_DIR=$FOLDER/build cargo "$1" --quiet --manifest-path "$FOLDER/$2/Cargo.toml" --target "$3"
}

# Processors without an operating system: nothing but the core library, then also what needs an allocator.
BARE=('' '"alloc", "fast", "prefixed", "seal", "serde"')
[ "$mode" = test-if-able ] || BARE+=('"alloc"' '"prefixed", "seal", "serde"')

# bare COMMAND TARGET [DEPENDENCY]
bare() {
  on "$2" || return 0
  for features in "${BARE[@]}"; do
    package bare "default-features = false, features = [$features]" "${3:-}"
    build "$1" bare "$2"
  done
}

readonly ALL='features = ["mac", "prefixed", "seal", "serde", "state-file"]'

# hosted TARGET: only checked, because linking takes tools of the system.
hosted() {
  on "$1" || return 0
  package hosted "$ALL"
  build check hosted "$1"
}

# Runs the program on Node, whose WASI passes the system's clock and randomness on.
wasi() {
  on wasm32-wasip1 || return 0
  package hosted "$ALL"
  cat >"$FOLDER/hosted/src/main.rs" <<'RUST'
fn main() {
    probe::check(std::env::args().nth(1).expect("the time").parse().expect("a number"));
}
RUST
  build build hosted wasm32-wasip1
  say "run on Node (wasm32-wasip1)"
  node --no-warnings "$SOURCES/run.mjs" wasi "$FOLDER/build/wasm32-wasip1/debug/probe.wasm"
}

# The same with JavaScript's clock and randomness. The tool that writes the JavaScript has the library's version.
browser() {
  on wasm32-unknown-unknown || return 0
  local version tools=$FOLDER/tools
  version=$(grep -A1 '^name = "wasm-bindgen"$' Cargo.lock | sed -n 's/^version = "\(.*\)"/\1/p')
  package hosted 'features = ["wasm-js", "mac", "prefixed", "seal", "serde", "state-file"]' "wasm-bindgen = \"=$version\"" cdylib
  cat >>"$FOLDER/hosted/src/lib.rs" <<'RUST'

/// For JavaScript.
#[wasm_bindgen::prelude::wasm_bindgen(js_name = check)]
pub fn check_now(now: i64) {
    check(now);
}
RUST
  build build hosted wasm32-unknown-unknown
  [ "$mode" = test ] || return 0
  "$tools/bin/wasm-bindgen" --version 2>/dev/null | grep -qF " $version" || {
    say "installing wasm-bindgen-cli $version"
    cargo install --quiet --root "$tools" wasm-bindgen-cli --version "$version"
  }
  "$tools/bin/wasm-bindgen" --target nodejs --out-dir "$FOLDER/js" "$FOLDER/build/wasm32-unknown-unknown/debug/probe.wasm"
  say "run on Node (wasm32-unknown-unknown, wasm-js)"
  node --no-warnings "$SOURCES/run.mjs" js "$FOLDER/js/probe.js"
}

# Without the feature, the error says which one is missing.
browser_without_feature() {
  on wasm32-unknown-unknown || return 0
  package hosted 'features = ["prefixed"]'
  if build check hosted wasm32-unknown-unknown 2>"$FOLDER/refused"; then
    die "the default features build on wasm32-unknown-unknown, where there is no clock"
  fi
  grep -q 'wasm_js\|wasm-js' "$FOLDER/refused" || die "the error names no feature: $(cat "$FOLDER/refused")"
}

bare build thumbv7em-none-eabihf
wasi
browser
[ "$mode" = test ] || exit 0
browser_without_feature
bare build riscv32imac-unknown-none-elf
# Kernels of operating systems leave the vector registers to programs.
bare build x86_64-unknown-none
bare build aarch64-unknown-none-softfloat
# They have no compare-and-swap either, so the program says that it has one core.
bare check thumbv6m-none-eabi 'portable-atomic = { version = "1", features = ["unsafe-assume-single-core"] }'
bare check riscv32imc-unknown-none-elf 'portable-atomic = { version = "1", features = ["unsafe-assume-single-core"] }'
# 32 bits, with an operating system and without 64-bit atomics.
hosted powerpc-unknown-linux-gnu
hosted aarch64-linux-android
hosted aarch64-apple-ios
hosted aarch64-apple-darwin
hosted x86_64-pc-windows-msvc
