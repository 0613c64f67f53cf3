#!/usr/bin/env bash
# Tests the library on 64-bit ARM. QEMU emulates it if this machine has another processor.
#
#   scripts/arm.sh test          runs its tests; fails if they cannot run
#   scripts/arm.sh test-if-able  runs those that the processor may change; if they cannot run, it says so and succeeds
#   scripts/arm.sh count         counts the codecs' instructions per id: the portable path, then NEON
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..
readonly TARGET=aarch64-unknown-linux-gnu
# The benchmark's numbers of passes, and of ids per pass.
readonly PASSES=(1 6) IDS=1024

not_tested() {
  say "ARM was NOT tested: $*"
  [ "$mode" = test-if-able ]
  exit
}

prepare() {
  # Asks the compiler in use, which may not be rustup's.
  has_target() { [ -d "$(rustc --print target-libdir --target "$TARGET")" ]; }
  has_target || { have rustup && rustup target add "$TARGET" >/dev/null 2>&1 && has_target; } \
    || not_tested "the compiler has no standard library for it. Install it: rustup target add $TARGET"
  [ "$(uname -m)" = aarch64 ] && return
  (install_packages "running ARM programs" gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user) \
    || not_tested "the linker, the C library or the emulator is missing"
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc
  # The programs contain the path of their libraries, so that the emulator does not have to redirect paths. It does
  # so under a lock, which stays locked forever in a child that is forked while another thread opens a file.
  local libraries=/usr/aarch64-linux-gnu/lib
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUSTFLAGS="-C link-arg=-Wl,-rpath,$libraries
    -C link-arg=-Wl,--dynamic-linker=$libraries/ld-linux-aarch64.so.1"
  export QEMU_LD_PREFIX=/
  export CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_RUNNER=qemu-aarch64
  # The emulator may have other such locks, so no other test runs while a test forks.
  export RUST_TEST_THREADS=1
}

# executed PROGRAM GROUP CASE PASSES: counts the instructions of that run. The emulator translates each
# instruction separately, and logs it when it is executed.
executed() {
  qemu-aarch64 -singlestep -d exec,nochain -D /dev/stderr "$1" pass codecs "$2" "$3" "$4" 2>&1 >/dev/null \
    | grep -c '^Trace'
}

# each PROGRAM GROUP CASE: the instructions per id. Subtracting two runs removes everything except the passes.
each() {
  local few many
  few=$(executed "$@" "${PASSES[0]}")
  many=$(executed "$@" "${PASSES[1]}")
  awk "BEGIN { print ($many - $few) / (${PASSES[1]} - ${PASSES[0]}) / $IDS }"
}

count() {
  local group case portable neon
  # As `make bench`.
  export CARGO_PROFILE_RELEASE_LTO=thin
  local build=(cargo build --release --quiet --package idgen-bench --target "$TARGET")
  local bench=target/$TARGET/release/idgen-bench
  "${build[@]}" --no-default-features
  cp "$bench" "$bench-portable"
  "${build[@]}"
  echo '| operation | case | portable | NEON | ratio |'
  echo '|---|---|---:|---:|---:|'
  # The same cases as on x86-64, except those that have no kernels.
  grep -E '^codecs\s(simple|hyphenated|base)' benches/instructions.tsv | while IFS=$'\t' read -r _ group case _; do
    portable=$(each "$bench-portable" "$group" "$case")
    neon=$(each "$bench" "$group" "$case")
    awk "BEGIN { printf \"| ${group^} | $case | %.1f | %.1f | %.1f |\n\", $portable, $neon, $portable / $neon }"
  done
}

readonly mode=${1:-test}
prepare
case $mode in
  # Optimized, because emulation is slow. All tests run, because the emulator passes forks, shared memory and
  # process limits on to the kernel.
  test | test-if-able)
    tests=(--lib --tests)
    # The kernels of the codecs, the vectors of all kinds, threads and forks. The others take most of the seven minutes of
    # processor time, and are the same code on each processor.
    [ "$mode" = test ] || tests=(--lib --test codec_vectors --test shared_vectors --test standards --test threads --test fork)
    CARGO_PROFILE_DEV_OPT_LEVEL=2 cargo test --package idgen-keys --features mac,prefixed,seal,serde,state-file --target "$TARGET" "${tests[@]}"
    ;;
  count) count ;;
  *) die "unknown command $mode: use test, test-if-able or count" ;;
esac
