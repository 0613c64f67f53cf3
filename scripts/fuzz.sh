#!/usr/bin/env bash
# Runs a fuzz target. Its corpus is kept in fuzz/corpus, which is not in the repository; inputs that fail are kept
# in fuzz/artifacts.
#
#   scripts/fuzz.sh TARGET [SECONDS]
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

target=${1:?name a target: $(cd fuzz/fuzz_targets && echo *.rs)}
seconds=${2:-120}

rustup toolchain list | grep -q ^nightly || rustup toolchain install nightly --profile minimal
have c++ || install_packages "building the fuzzer" g++
cargo fuzz --version >/dev/null 2>&1 || { say "installing cargo-fuzz"; cargo install --quiet --locked cargo-fuzz; }

# The seeds are small real files: without a valid first page the reader does not look at the others.
mkdir -p "fuzz/corpus/$target"
cargo +nightly fuzz run "$target" "fuzz/corpus/$target" "fuzz/seeds/$target" -- \
  -max_total_time="$seconds" -max_len=65536 -timeout=10 -print_final_stats=1
