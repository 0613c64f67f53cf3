#!/usr/bin/env bash
# Builds the C library, and tests it with a program in C: on the vectors, on random cases of the Rust library, under valgrind, and with
# state files that both continue.
#
#   scripts/c.sh test    everything (make test-c): two to four minutes
#   scripts/c.sh build   the libraries alone, in bindings/c/target/release
#
#   IDGEN_CASES         the number of random cases, 100,000 by default
#   IDGEN_CASES_SEED    their seed, by default the time
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

readonly OUT=bindings/c/target/c CFLAGS=(-std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror)
readonly SOURCES=(bindings/c/tests/{main,json,generators,inspections,vectors,misuse}.c)

build() { cargo build --quiet --release --locked --manifest-path bindings/c/Cargo.toml; }

# The examples of the Rust library: with them others agree, and take turns.
examples() { cargo build --quiet -p idgen-keys --features prefixed,seal,state-file --example cases --example continue; }

killer() {
  mkdir -p "$OUT"
  gcc "${CFLAGS[@]}" -shared -fPIC bindings/c/tests/kill.c -o "$OUT/kill.so" -ldl
}

cases() { target/debug/examples/cases "${IDGEN_CASES:-100000}" "${IDGEN_CASES_SEED:-$(date +%s)}"; }

# Follows the README as a new user would: the second run continues the ids of the first.
quick_start() {
  local folder=$OUT/quick-start compile
  rm -rf "$folder" && mkdir -p "$folder"
  scripts/quick-start.py bindings/c/README.md c >"$folder/example.c"
  compile=$(scripts/quick-start.py bindings/c/README.md sh 2 | head -n 1)
  ln -s "$PWD/bindings" "$folder/bindings"
  (cd "$folder" && $compile && ./example >first && ./example >second)
  [ "$(cat "$folder/first" "$folder/second" | grep -c 'offset 35')" = 2 ] || die "the example of bindings/c/README.md prints no error"
  cat "$folder/first" "$folder/second" | grep -v offset | LC_ALL=C sort -cu || die "the ids of bindings/c/README.md do not ascend"
}

case ${1:-test} in
  build) build ;;
  # For the tests of Kotlin and Swift.
  tools) build && examples && killer ;;
  test)
    install_packages "the tests of the C library" gcc libc6-dev libjansson-dev valgrind
    # The header is that of the source, and the units that need no C.
    cargo test --quiet --locked --manifest-path bindings/c/Cargo.toml
    build
    examples
    killer
    gcc "${CFLAGS[@]}" "${SOURCES[@]}" bindings/c/target/release/libidgen_c.a -o "$OUT/test" -ljansson -lpthread -ldl -lm
    # The header is valid C++, too, where a C++ compiler is installed.
    ! have g++ || g++ -std=c++17 -Wall -Wextra -Werror -fsyntax-only -x c++ bindings/c/include/idgen.h
    "$OUT/test" vectors tests/vectors
    cases | "$OUT/test" cases
    scripts/state-turns.sh "$PWD/$OUT/kill.so" "$PWD/target/debug/examples/continue" "$PWD/$OUT/test" continue
    IDGEN_CASES=1000 cases >"$OUT/cases.jsonl"
    valgrind=(valgrind --quiet --error-exitcode=1 --leak-check=full --errors-for-leak-kinds=definite,indirect,possible)
    "${valgrind[@]}" "$OUT/test" misuse
    "${valgrind[@]}" "$OUT/test" cases <"$OUT/cases.jsonl"
    quick_start
    ;;
  *) die "unknown command $1: use test, build or tools" ;;
esac
