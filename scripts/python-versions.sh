#!/usr/bin/env bash
# Tests the wheels of bindings/python/dist on every interpreter that scripts/wheel.sh found: all that
# needs neither a framework nor a database.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
./wheel.sh
cd ../bindings/python

readonly TESTS=(tests/test_{kinds,codecs,real_uuid,batch,generators,inspect,standard,fork}.py)
for name in python3.{10..20}{,t}; do
  for candidate in "$name" "${PYENV_ROOT:-$HOME/.pyenv}"/versions/*/bin/"$name"; do
    "$candidate" -c '' 2>/dev/null || continue
    say "testing on $("$candidate" --version)"
    environment=.venv/of-$name
    "$candidate" -m venv "$environment"
    "$environment/bin/pip" install --quiet --disable-pip-version-check -r requirements-core.txt
    "$environment/bin/pip" install --quiet --disable-pip-version-check --no-index --find-links dist \
      --no-deps --force-reinstall idgen
    "$environment/bin/python" -m pytest "${TESTS[@]}"
    break
  done
done
