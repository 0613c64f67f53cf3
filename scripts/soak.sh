#!/usr/bin/env bash
# Long tests: looks for repeated ids among very many of each kind, which threads and forked children generate at
# the same time, and runs statistical tests on the random bits.
#
#   IDS=1000000000   ids of each kind; they take 16 bytes of disk each, one kind after the other
#   FOLDER=...       where the ids are sorted; target/soak by default
#   BLOCKS=10000     blocks of 20,000 bits for rngtest (FIPS 140-2; about 8 of 10,000 blocks fail by chance)
#   BATTERY=full     also run all tests of dieharder, which takes hours
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
  # rngtest itself allows no block to fail. By chance about 8 of 10,000 do, but never 30.
  report=$("$soak" random-bytes "$what" | rngtest --blockcount="$blocks" 2>&1 || true)
  failed=$(sed -n 's/.*FIPS 140-2 failures: //p' <<<"$report")
  echo "  $failed of $blocks blocks failed"
  [ -n "$failed" ] && [ "$failed" -le $((blocks * 3 / 1000 + 5)) ] || die "too many blocks failed: $report"
  if [ "${BATTERY:-}" = full ]; then
    "$soak" random-bytes "$what" | dieharder -a -g 200 | tee /dev/stderr | { ! grep -q FAILED; } || die "the random bits of $what failed a test of dieharder"
  fi
done
"$soak" repeats --ids "${IDS:-1000000000}" --folder "${FOLDER:-target/soak}"
