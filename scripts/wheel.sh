#!/usr/bin/env bash
# Builds a wheel for each CPython of this machine, 3.10 or later, in bindings/python/dist.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
./python.sh env
cd ../bindings/python

# Uses the real path of each interpreter: version managers put all versions on the PATH, but only some of them
# run.
found=()
for name in python3.{10..20}{,t}; do
  for candidate in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$name"; do
    path=$("$candidate" -c 'import sys; print(sys.executable)' 2>/dev/null) || continue
    found+=("$path")
    break
  done
done
[ ${#found[@]} -gt 0 ] || die "found no CPython 3.10 or later"
say "building wheels for ${found[*]}"
for interpreter in "${found[@]}"; do
  .venv/bin/maturin build --release --quiet -i "$interpreter" -o dist
done
ls dist/*.whl
