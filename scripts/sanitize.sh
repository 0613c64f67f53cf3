#!/usr/bin/env bash
# The library under the address sanitizer, on every path that this processor has, and its codecs under Miri,
# which knows what the language allows. Both need more of the compiler than is stable.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

target=$(rustc -vV | sed -n 's/^host: //p')
# Freed memory and borders: all tests, with the SIMD codecs, the forks and the shared memory.
RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitize \
  cargo test --package idgen --target "$target" --lib --tests

rustup toolchain list | grep -q ^nightly || rustup toolchain install nightly --profile minimal
rustup component add --toolchain nightly miri rust-src
# Miri tells a program of the instructions that it was compiled for: first the portable path, then SSSE3 and AVX2.
for features in "" "-Ctarget-feature=+ssse3" "-Ctarget-feature=+avx2"; do
  RUSTFLAGS=$features PROPTEST_CASES=4 MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
    cargo +nightly miri test --package idgen --lib codec
done
