#!/usr/bin/env bash
# Looks for what takes long to show: repeats among very many ids of each kind, made by threads and by
# forked children at the same time, and random bits that a statistical battery finds wanting.
#
#   IDS=1000000000   ids of each kind; 16 bytes of disk each, one kind after the other
#   FOLDER=...       where they are sorted; a new folder in the current directory's target/ otherwise
#   BLOCKS=10000     blocks of 20,000 bits for rngtest (FIPS 140-2; of 10,000 blocks about 8 fail by chance)
#   BATTERY=full     dieharder's whole battery as well: some hours
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
have rngtest || install_packages "testing random bits" rng-tools5
[ "${BATTERY:-}" != full ] || have dieharder || install_packages "testing random bits" dieharder
cd ..

cargo build --release --quiet -p idgen-bench
soak=target/release/idgen-bench
blocks=${BLOCKS:-10000}
for what in v4 v7 short; do
  echo "random bits of $what:"
  # rngtest's own verdict is that no block may fail; by chance 8 of 10,000 do, and 30 never.
  report=$("$soak" random-bytes "$what" | rngtest --blockcount="$blocks" 2>&1 || true)
  failed=$(sed -n 's/.*FIPS 140-2 failures: //p' <<<"$report")
  echo "  $failed of $blocks blocks failed"
  [ -n "$failed" ] && [ "$failed" -le $((blocks * 3 / 1000 + 5)) ] || die "too many: $report"
  if [ "${BATTERY:-}" = full ]; then
    "$soak" random-bytes "$what" | dieharder -a -g 200 | tee /dev/stderr | { ! grep -q FAILED; } || die "dieharder found $what wanting"
  fi
done
"$soak" repeats --ids "${IDS:-1000000000}" --folder "${FOLDER:-target/soak}"
