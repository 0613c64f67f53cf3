#!/usr/bin/env bash
# Builds the C library, and tests it with a program in C: on the vectors, on random cases of the Rust library, under valgrind, and with
# state files that both continue.
#
#   scripts/c.sh test    everything (make test-c): two to four minutes
#   scripts/c.sh build   the libraries alone, in bindings/c/target/release
#   scripts/c.sh install PREFIX   builds them, and installs header, libraries, pkg-config and CMake files, such as into /usr/local
#   scripts/c.sh archive DIR      the same as an archive of this platform, which can be unpacked anywhere
#
#   IDGEN_CASES         the number of random cases, 100,000 by default
#   IDGEN_CASES_SEED    their seed, by default the time
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

readonly OUT=bindings/c/target/c CFLAGS=(-std=c11 -D_GNU_SOURCE -O1 -g -Wall -Wextra -Werror)
readonly SOURCES=(bindings/c/tests/{main,json,generators,inspections,bounds,orders,rows,kinds,vectors,misuse}.c)

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
  scripts/quick-start.py bindings/c/README.md c 2 >"$folder/lease.c"
  (cd "$folder" && ${compile//example/lease} && ./lease >lease.out)
  [ "$(head -n 1 "$folder/lease.out")" = 55366 ] && grep -q 'renew the lease' "$folder/lease.out" \
    || die "the example of leases in bindings/c/README.md prints other lines: $(cat "$folder/lease.out")"
}

# What a package of a distribution has: the program that links the library finds it by the name without a number, and the running
# program by that with one.
install_into() {
  local prefix=$1 version number file
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' bindings/c/Cargo.toml | head -n 1)
  # Before version 1, each minor version may change the interface, as build.rs says.
  number=${version%.*}
  [ "${version%%.*}" = 0 ] || number=${version%%.*}
  mkdir -p "$prefix"/{include,lib/pkgconfig,lib/cmake/idgen}
  cp bindings/c/include/idgen.h "$prefix/include/"
  cp bindings/c/target/release/libidgen_c.a "$prefix/lib/"
  cp bindings/c/target/release/libidgen_c.so "$prefix/lib/libidgen_c.so.$version"
  ln -sf "libidgen_c.so.$version" "$prefix/lib/libidgen_c.so.$number"
  ln -sf "libidgen_c.so.$number" "$prefix/lib/libidgen_c.so"
  for file in idgen.pc:lib/pkgconfig idgen-config.cmake:lib/cmake/idgen idgen-config-version.cmake:lib/cmake/idgen; do
    sed "s/@VERSION@/$version/g; s/@SONUMBER@/$number/g" "bindings/c/${file%%:*}.in" >"$prefix/${file##*:}/${file%%:*}"
  done
}

archive() {
  local name folder
  name=idgen-c-$(sed -n 's/^version = "\(.*\)"/\1/p' bindings/c/Cargo.toml | head -n 1)-$(uname -s | tr '[:upper:]' '[:lower:]')-$(uname -m)
  folder=$(mktemp -d)
  install_into "$folder/$name"
  cp bindings/c/{LICENSE-APACHE,LICENSE-MIT,README.md} "$folder/$name/"
  mkdir -p "$1"
  tar -czf "$1/$name.tar.gz" -C "$folder" --owner 0 --group 0 --sort=name --mtime="@$(git log -1 --format=%ct)" "$name"
  rm -rf "$folder"
}

# Links the example of the README as other projects do, with what the archive has: with pkg-config, shared and static, and with CMake.
installed() {
  local prefix=$PWD/$OUT/prefix folder=$OUT/installed flags
  rm -rf "$prefix" "$folder" "$OUT/archive" && mkdir -p "$folder" "$prefix"
  archive "$OUT/archive"
  tar -xzf "$OUT"/archive/*.tar.gz -C "$prefix" --strip-components 1
  cp "$OUT/quick-start/example.c" "$folder/"
  export PKG_CONFIG_PATH=$prefix/lib/pkgconfig
  [ "$(pkg-config --modversion idgen)" = "$(sed -n 's/^#define IDGEN_VERSION "\(.*\)"/\1/p' "$prefix/include/idgen.h")" ] \
    || die "the version of idgen.pc is not that of idgen.h"
  (
    cd "$folder"
    read -ra flags < <(pkg-config --cflags --libs idgen)
    gcc -std=c11 -Wall -Wextra -Werror example.c "${flags[@]}" -Wl,-rpath,"$prefix/lib" -o shared
    read -ra flags < <(pkg-config --cflags --libs --static idgen | sed 's/-lidgen_c/-l:libidgen_c.a/')
    gcc -std=c11 -Wall -Wextra -Werror example.c "${flags[@]}" -o static
    readelf -d shared | grep -q 'NEEDED.*libidgen_c\.so\.[0-9]' || die "the shared library has no SONAME with a version"
    ./shared >first && ./static >second
  )
  cmake_project "$prefix" "$folder"
}

cmake_project() {
  printf '%s\n' 'cmake_minimum_required(VERSION 3.13)' 'project(app C)' 'find_package(idgen 0.1 REQUIRED)' \
    'add_executable(app example.c)' 'target_link_libraries(app idgen::idgen)' 'add_executable(app-static example.c)' \
    'target_link_libraries(app-static idgen::idgen-static)' >"$2/CMakeLists.txt"
  cmake -S "$2" -B "$2/build" -DCMAKE_PREFIX_PATH="$1" >/dev/null && cmake --build "$2/build" >/dev/null
  (cd "$2" && build/app >/dev/null && build/app-static >/dev/null)
}

case ${1:-test} in
  build) build ;;
  install)
    build
    install_into "$(realpath -m "${2:?the folder to install into, such as /usr/local}")"
    ;;
  archive)
    build
    archive "$(realpath -m "${2:?the folder of the archive}")"
    ;;
  # For the tests of Kotlin and Swift.
  tools) build && examples && killer ;;
  test)
    install_packages "the tests of the C library" gcc libc6-dev libjansson-dev valgrind pkg-config cmake
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
    installed
    ;;
  *) die "unknown command $1: use test, build, install, archive or tools" ;;
esac
