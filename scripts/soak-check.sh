#!/usr/bin/env bash
# Long test of idgen-check: ids of each kind of this repository have no fault, and ids of a secure generator have no source that is
# recognized. A run that was stopped continues where it was when it is started again.
#
#   CHECK_IDS=100000000   ids of each kind, and of each format in which sources are looked for
#   CHECK_STATE=FOLDER    what was done; target/soak-check by default. Remove it after a change of the sources
set -euo pipefail
cd "$(dirname "$0")/.."
ids=${CHECK_IDS:-100000000}
state=$(realpath -m "${CHECK_STATE:-target/soak-check}")
mkdir -p "$state"
touch "$state/kinds"
for kind in v7 ulid v4 v1_and_v6 week prefixed short; do
  if grep -qx "$kind $ids" "$state/kinds"; then
    echo "$kind: $ids ids were checked before"
    continue
  fi
  IDGEN_CHECK_IDS=$ids cargo test --release -p idgen-check --test own_kinds -- --nocapture --exact "$kind"
  echo "$kind $ids" >>"$state/kinds"
done
IDGEN_CHECK_IDS=$ids IDGEN_CHECK_STATE=$state/sources.json \
  cargo test --release -p idgen-check --test soak -- --nocapture --exact secure_ids_raise_no_alarm
