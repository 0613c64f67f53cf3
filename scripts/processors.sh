#!/usr/bin/env bash
# Tests the library on processors that this machine does not have: of 32 bits, with the other byte order, and 64-bit ARM. QEMU
# emulates them.
#
#   scripts/processors.sh test [NAME...]   runs its tests on these processors, all of the list by default; fails if they cannot run
#   scripts/processors.sh test-if-able     runs those of 64-bit ARM that the processor may change; if they cannot run, it says so and succeeds
#   scripts/processors.sh count            counts the codecs' instructions per id on 64-bit ARM: the portable path, then NEON
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

# The name, the compiler's target, the triple of Debian's packages, the architecture of the C library, the emulator, and the loader.
PROCESSORS='
aarch64 aarch64-unknown-linux-gnu     aarch64-linux-gnu     arm64   aarch64 ld-linux-aarch64.so.1
armv7   armv7-unknown-linux-gnueabihf arm-linux-gnueabihf   armhf   arm     ld-linux-armhf.so.3
i686    i686-unknown-linux-gnu        i686-linux-gnu        i386    i386    ld-linux.so.2
ppc64le powerpc64le-unknown-linux-gnu powerpc64le-linux-gnu ppc64el ppc64le ld64.so.2
s390x   s390x-unknown-linux-gnu       s390x-linux-gnu       s390x   s390x   ld64.so.1
'
# The benchmark's numbers of passes, and of ids per pass.
readonly PASSES=(1 6) IDS=1024

names() { sed -n 's/^\([^ ]*\) .*/\1/p' <<<"$PROCESSORS" | paste -sd ' '; }

not_tested() {
  say "$name was NOT tested: $*"
  [ "$mode" = test-if-able ]
  exit
}

# prepare NAME: sets what compiles for this processor and runs its programs.
prepare() {
  local triple architecture emulator loader libraries variable
  name=$1
  read -r target triple architecture emulator loader < <(sed -n "s/^$name  *//p" <<<"$PROCESSORS") \
    || die "unknown processor $name: use $(names)"
  # Asks the compiler in use, which may not be rustup's.
  has_target() { [ -d "$(rustc --print target-libdir --target "$target")" ]; }
  has_target || { have rustup && rustup target add "$target" >/dev/null 2>&1 && has_target; } \
    || not_tested "the compiler has no standard library for it. Install it: rustup target add $target"
  [ "$(uname -m)" = "$name" ] && return
  (install_packages "running programs of $name" "gcc-${triple//_/-}" "libc6-dev-$architecture-cross" qemu-user) \
    || not_tested "the linker, the C library or the emulator is missing"
  variable=CARGO_TARGET_$(tr a-z- A-Z_ <<<"$target")
  export "${variable}_LINKER=$triple-gcc"
  # The programs contain the path of their libraries, so that the emulator does not have to redirect paths. It does
  # so under a lock, which stays locked forever in a child that is forked while another thread opens a file.
  libraries=/usr/$triple/lib
  export "${variable}_RUSTFLAGS=-C link-arg=-Wl,-rpath,$libraries -C link-arg=-Wl,--dynamic-linker=$libraries/$loader"
  export QEMU_LD_PREFIX=/
  export "${variable}_RUNNER=qemu-$emulator"
  # The emulator may have other such locks, so no other test runs while a test forks.
  export RUST_TEST_THREADS=1
}

# library TEST...: optimized, because emulation is slow.
library() {
  CARGO_PROFILE_DEV_OPT_LEVEL=2 cargo test --package idgen-keys --features mac,prefixed,seal,serde,state-file --target "$target" "$@"
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
  local build=(cargo build --release --quiet --package idgen-bench --target "$target")
  local bench=target/$target/release/idgen-bench
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
case $mode in
  # All tests run, because the emulator passes forks, shared memory and process limits on to the kernel.
  test)
    shift $(($# > 0))
    for processor in ${*:-$(names)}; do
      prepare "$processor"
      library --lib --tests
    done
    ;;
  # The kernels of the codecs, the vectors of all kinds, threads and forks. The others take most of the seven minutes of
  # processor time, and are the same code on each processor.
  test-if-able)
    prepare aarch64
    library --lib --test codec_vectors --test shared_vectors --test standards --test threads --test fork
    ;;
  count) prepare aarch64 && count ;;
  *) die "unknown command $mode: use test, test-if-able or count" ;;
esac
