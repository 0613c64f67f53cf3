#!/usr/bin/env bash
# Checks the licenses and the sources of all dependencies, and whether a vulnerability of one is known: deny.toml.
#
#   scripts/deny.sh [CHECK...]   advisories, bans, licenses, sources: all of them by default
#
# Only the advisories need more of the network than crates.io: the database of RustSec.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

cargo deny --version >/dev/null 2>&1 || { say "installing cargo-deny"; cargo install --quiet --locked cargo-deny; }
[ $# -gt 0 ] || set -- bans licenses sources advisories
# Neither the benchmarks nor the fuzz targets are passed on.
for manifest in Cargo.toml bindings/python/Cargo.toml bindings/c/Cargo.toml; do
  cargo deny --manifest-path "$manifest" --exclude idgen-bench check --hide-inclusion-graph "$@"
done
