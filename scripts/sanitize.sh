#!/usr/bin/env bash
# Tests the library under the address sanitizer, on every code path of this processor, and what Miri can execute of it under Miri, which
# detects undefined behavior. Both need unstable features of the compiler.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

target=$(rustc -vV | sed -n 's/^host: //p')
# The sanitizer detects accesses to freed memory and out of bounds. It runs all tests, including the SIMD codecs,
# the forks and the shared memory. Interleavings are left out: their checker switches stacks, which the sanitizer does not follow.
tests=()
for file in crates/idgen/tests/*.rs; do tests+=(--test "$(basename "$file" .rs)"); done
RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitize \
  cargo test --package idgen-keys --features mac,prefixed,seal,serde,state-file --target "$target" --lib "${tests[@]}"

rustup toolchain list | grep -q ^nightly || rustup toolchain install nightly --profile minimal
rustup component add --toolchain nightly miri rust-src
# Under Miri, a program detects the instructions for which it was compiled: first none, then SSSE3, then AVX2.
for features in "" "-Ctarget-feature=+ssse3" "-Ctarget-feature=+avx2"; do
  RUSTFLAGS=$features PROPTEST_CASES=4 MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
    cargo +nightly miri test --package idgen-keys --lib codec
done

# The other places with unsafe code that Miri can execute. It has neither shared memory nor the instructions of AES, and tests of many
# values, such as those of sealing, take it hours.
PROPTEST_CASES=2 MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
  cargo +nightly miri test --package idgen-keys --lib -- facade fields generator::device_lease generator::mysql_servers generator::rows \
  generator::unit codec::typed
