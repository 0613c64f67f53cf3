#!/usr/bin/env bash
# Another language and the Rust library continue a state file in turn, and each is killed at each of its writes. The clock stands still in all
# runs, so that only the state keeps the ids apart.
#
#   scripts/state-turns.sh KILLER RUST COMMAND...
#
# KILLER is bindings/c/tests/kill.c as a library; RUST is the example `continue` of crates/idgen, and COMMAND takes the same arguments.
set -euo pipefail
killer=$1 rust=$2
shift 2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
clock=17952624001234567
fail() { printf 'failed: %s\n' "$*" >&2; exit 1; }

# killed_at NUMBER COMMAND...: 0 if it was killed there, 1 if it ended before.
killed_at() {
  local status=0
  # Without the words of the shell about a killed process.
  { IDGEN_KILL_AT=$1 IDGEN_KILL_IN=$folder/state LD_PRELOAD=$killer "${@:2}" >>"$folder/ids" 2>"$folder/errors"; } 2>/dev/null || status=$?
  case $status in
    137) return 0 ;;
    0) return 1 ;;
    *) cat "$folder/errors" >&2; fail "status $status of ${*:2}" ;;
  esac
}

for kind in v1 v6 v7 ulid short; do
  : >"$folder/ids"
  mkdir "$folder/state"
  arguments=("$kind" "$folder/state/ids.state" "$clock" 3)
  kills=0
  for turn in "$*" rust; do
    if [ "$turn" = rust ]; then command=("$rust") other=("$@"); else command=("$@") other=("$rust"); fi
    at=1
    while killed_at "$at" "${command[@]}" "${arguments[@]}" close; do
      kills=$((kills + 1)) at=$((at + 1))
      # The other language continues, and ends properly or not.
      "${other[@]}" "${arguments[@]}" "$([ $((at % 2)) = 0 ] && echo close || echo abort)" >>"$folder/ids"
    done
    # At least: half and whole of the file that is written ahead, its sync and its rename; the same at the end.
    [ "$at" -gt 4 ] || fail "$kind: only $((at - 1)) writes were seen of $turn"
  done
  [ -z "$(sort "$folder/ids" | uniq -d)" ] || fail "$kind: ids are repeated: $(sort "$folder/ids" | uniq -d)"
  case $kind in
    v6 | v7 | ulid) LC_ALL=C sort -c "$folder/ids" || fail "$kind: the order is broken" ;;
  esac
  printf '%s: %s ids in turn, %s kills\n' "$kind" "$(wc -l <"$folder/ids")" "$kills"
  rm -r "$folder/state"
done
