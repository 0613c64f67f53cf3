#!/usr/bin/env bash
# Builds the wheels of scripts/wheel.sh, and tests each on its interpreter.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
./wheel.sh
for name in python3.{10..20}{,t}; do
  for candidate in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$name"; do
    "$candidate" -c '' 2>/dev/null || continue
    say "testing on $("$candidate" --version)"
    ./test-wheel.sh "$candidate" ../bindings/python/dist
    break
  done
done
