#!/usr/bin/env bash
# Runs fuzz targets. The corpus of each is kept in fuzz/corpus, which is not in the repository; inputs that fail are kept
# in fuzz/artifacts.
#
#   scripts/fuzz.sh TARGET [SECONDS]              one target, or `all` one after the other, for SECONDS each (120)
#   scripts/fuzz.sh count EXECUTIONS [TARGET...]  these targets or all, until each has run so often since its corpus was begun
#
# After an interruption, `count` continues: fuzz/corpus/TARGET.executions has the number of executions. It leaves out AddressSanitizer,
# with which a target runs a tenth as often; the first form has it.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

targets=$(sed -n 's/^name = "\(.*\)"$/\1/p' fuzz/Cargo.toml | grep -v '^idgen-fuzz$')
target=${1:?name a target, or all, or count: $(echo $targets)}

rustup toolchain list | grep -q ^nightly || rustup toolchain install nightly --profile minimal
have c++ || install_packages "building the fuzzer" g++
cargo fuzz --version >/dev/null 2>&1 || { say "installing cargo-fuzz"; cargo install --quiet --locked cargo-fuzz; }

# fuzz TARGET SECONDS SANITIZER: one run, whose executions are added to the target's count.
fuzz() {
  local corpus=fuzz/corpus/$1 log count=fuzz/corpus/$1.executions options=(-max_len=256) folders=()
  # The seeds are small real files, because the reader refuses a file without a valid first page.
  [ "$1" != ibd_pages ] || options=(-max_len=65536)
  [ "$1" != decode_batch ] || options=(-max_len=1500)
  [ "$1" != records ] || options=(-max_len=4096)
  mkdir -p "$corpus"
  folders=("$corpus")
  [ ! -d "fuzz/seeds/$1" ] || folders+=("fuzz/seeds/$1")
  log=$(mktemp)
  if ! cargo +nightly fuzz run --sanitizer "$3" "$1" "${folders[@]}" -- \
    -max_total_time="$2" "${options[@]}" -timeout=10 -print_final_stats=1 >"$log" 2>&1; then
    cat "$log" >&2
    rm "$log"
    die "the target $1 failed: the input is in fuzz/artifacts/$1"
  fi
  local done
  done=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  rm "$log"
  echo $((done + $(cat "$count" 2>/dev/null || echo 0))) >"$count"
  echo "fuzz: $1: $done executions without a failure, $(cat "$count") in all"
}

case $target in
  all) for each in $targets; do fuzz "$each" "${2:-120}" address; done ;;
  count)
    wanted=${2:?say how many executions}
    [ $# -eq 2 ] || targets=${*:3}
    for each in $targets; do
      while [ "$(cat "fuzz/corpus/$each.executions" 2>/dev/null || echo 0)" -lt "$wanted" ]; do
        fuzz "$each" 300 none
      done
    done
    ;;
  *) fuzz "$target" "${2:-120}" address ;;
esac
