#!/usr/bin/env bash
# Tests the library under the address sanitizer, on every code path of this processor, its threads under the thread sanitizer, and what
# Miri can execute of it under Miri, which detects undefined behavior. All need unstable features of the compiler.
#
#   scripts/sanitize.sh [address | thread | miri]...    all three by default
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

target=$(rustc -vV | sed -n 's/^host: //p')
features=mac,prefixed,seal,serde,state-file

# It detects accesses to freed memory and out of bounds. It runs all tests, including the SIMD codecs,
# the forks and the shared memory. Interleavings are left out: their checker switches stacks, which the sanitizer does not follow. Leaks are
# not searched for: tests of crashes leave generators behind on purpose.
address() {
  local file tests=()
  for file in crates/idgen/tests/*.rs; do tests+=(--test "$(basename "$file" .rs)"); done
  ASAN_OPTIONS=detect_leaks=0 RUSTC_BOOTSTRAP=1 RUSTFLAGS=-Zsanitizer=address CARGO_TARGET_DIR=target/sanitize \
    cargo test --package idgen-keys --features "$features" --target "$target" --lib "${tests[@]}"
}

# It detects data races, here of the tests with several threads. The standard library is built with it, too.
thread() {
  rustup component add --toolchain nightly rust-src
  RUSTFLAGS=-Zsanitizer=thread CARGO_TARGET_DIR=target/sanitize-threads \
    cargo +nightly test -Zbuild-std --package idgen-keys --features "$features" --target "$target" \
    --lib --test threads --test short --test prefixed --test named_writers -- thread generators_with_one_name
}

miri() {
  local flags
  rustup component add --toolchain nightly miri rust-src
  # Under Miri, a program detects the instructions for which it was compiled: first none, then SSSE3, then AVX2.
  for flags in "" "-Ctarget-feature=+ssse3" "-Ctarget-feature=+avx2"; do
    RUSTFLAGS=$flags PROPTEST_CASES=4 MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
      cargo +nightly miri test --package idgen-keys --lib codec
  done
  # The other places with unsafe code that Miri can execute. It has neither shared memory nor the instructions of AES, and tests of many
  # values, such as those of sealing, take it hours.
  PROPTEST_CASES=2 MIRIFLAGS=-Zmiri-disable-isolation CARGO_TARGET_DIR=target/miri \
    cargo +nightly miri test --package idgen-keys --lib -- facade fields generator::device_lease generator::mysql_servers generator::rows \
    generator::unit codec::typed
}

rustup toolchain list | grep -q ^nightly || rustup toolchain install nightly --profile minimal
[ $# -gt 0 ] || set -- address thread miri
for each; do
  case $each in
    address | thread | miri) "$each" ;;
    *) die "unknown sanitizer $each: use address, thread or miri" ;;
  esac
done
