#!/usr/bin/env bash
# Builds RocksDB in pieces of many files, if that is not done, and prints the variables with which cargo links it in place of compiling its own:
#   eval "$(scripts/rocksdb.sh)"
# Elsewhere than on Linux it prints nothing, and cargo compiles RocksDB.
#
# The sources, and so the version, are those of the crate librocksdb-sys. That crate compiles each of 343 files alone, and most of
# what the compiler reads is the same headers again and again. Pieces take an eighth of the processor time.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh
[ "$(uname)" = Linux ] || exit 0

# Each needs up to 2 GB of memory.
readonly PIECES=6
# The defines of the crate's build.rs for Linux, with LZ4 alone.
readonly FLAGS=(-std=c++20 -O1 -fPIC -w -include cstdint -DNDEBUG -DLZ4=1 -DHAVE_ALIGNED_NEW -DHAVE_UINT128_EXTENSION -DOS_LINUX
  -DROCKSDB_PLATFORM_POSIX -DROCKSDB_LIB_IO_POSIX -DROCKSDB_SCHED_GETCPU_PRESENT -DROCKSDB_AUXV_GETAUXVAL_PRESENT
  -DROCKSDB_FALLOCATE_PRESENT -DROCKSDB_RANGESYNC_PRESENT)

# What it says is not for the shell that evaluates the output.
have g++ && compgen -G '/usr/lib/llvm-*/lib/libclang.so*' >/dev/null || install_packages "compiling RocksDB" g++ libclang-dev >&2

# source_of CRATE: the folder in which cargo keeps it.
source_of() {
  cargo metadata --format-version 1 --features rocksdb | python3 -c '
import json, os, sys
print(*(os.path.dirname(p["manifest_path"]) for p in json.load(sys.stdin)["packages"] if p["name"] == sys.argv[1]))' "$1"
}

crate=$(source_of librocksdb-sys)
lz4=$(source_of lz4-sys)/liblz4/lib
built=$PWD/target/rocksdb/$(basename "$crate")
if [ ! -e "$built/librocksdb.a" ]; then
  say "compiling RocksDB (minutes)" >&2
  mkdir -p "$built"
  grep -v 'util/build_version.cc' "$crate/rocksdb_lib_sources.txt" | sed 's/.*/#include "&"/' > "$built/all"
  split -n "l/$PIECES" -d --additional-suffix=.cc "$built/all" "$built/piece-"
  printf '%s\0' "$built"/piece-*.cc "$crate/build_version.cc" | xargs -0 -P "$(nproc)" -I{} bash -c '
    g++ "${@:3}" -c "$1" -o "$2/$(basename "$1" .cc).o"' - {} "$built" "${FLAGS[@]}" \
    -I"$crate/rocksdb/include" -I"$crate/rocksdb" -I"$crate" -I"$lz4" >&2
  ar crs "$built/new.a" "$built"/*.o
  mv "$built/new.a" "$built/librocksdb.a"
  rm "$built"/*.o
fi
printf 'export ROCKSDB_LIB_DIR=%q ROCKSDB_STATIC=1\n' "$built"
