#!/usr/bin/env bash
# Tests a wheel on one interpreter, without the tests that need a framework or a database.
#
#   scripts/test-wheel.sh PYTHON FOLDER-WITH-WHEELS
set -euo pipefail
interpreter=$1
wheels=$(cd "$2" && pwd)
cd "$(dirname "$0")/../bindings/python"

environment=$(mktemp -d)
trap 'rm -rf "$environment"' EXIT
"$interpreter" -m venv "$environment"
python=$environment/bin/python
[ -x "$python" ] || python=$environment/Scripts/python
"$python" -m pip install --quiet --disable-pip-version-check -r requirements-core.txt
"$python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$wheels" --no-deps idgen-keys
"$python" -m pytest tests/test_{kinds,codecs,real_uuid,batch,generators,closed,short,inspect,standard,fork}.py
