#!/usr/bin/env bash
# Builds a wheel for each CPython of this machine from 3.10 on, into bindings/python/dist.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
./python.sh env
cd ../bindings/python

# An interpreter by its real path: version managers put programs of all versions on the path, of which
# only some run.
found=()
for name in python3.{10..20}{,t}; do
  for candidate in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$name"; do
    path=$("$candidate" -c 'import sys; print(sys.executable)' 2>/dev/null) || continue
    found+=("$path")
    break
  done
done
[ ${#found[@]} -gt 0 ] || die "no CPython from 3.10 on was found"
say "building wheels for ${found[*]}"
for interpreter in "${found[@]}"; do
  .venv/bin/maturin build --release --quiet -i "$interpreter" -o dist
done
ls dist/*.whl
