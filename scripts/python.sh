#!/usr/bin/env bash
# Builds the Python wheel, installs it into a virtual environment and tests it there.
#
#   scripts/python.sh test    everything (make test-python): needs the database servers of scripts/setup.sh
#   scripts/python.sh bench   the speed table (make bench-python)
#   scripts/python.sh env     only build and install
#   scripts/python.sh tools   only the environment, with maturin
#   scripts/python.sh lint    the form of the Python files (make lint)
#
#   PYTHON   the interpreter, python3 by default; 3.10 or later
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ../bindings/python

readonly PYTHON=${PYTHON:-python3}
readonly VENV=$PWD/.venv

have "$PYTHON" || install_packages "the Python wheel" python3 python3-venv
"$PYTHON" -c 'import sys; sys.exit(sys.version_info < (3, 10))' \
  || die "$("$PYTHON" --version) is too old for the wheel: name a newer interpreter, such as PYTHON=python3.12"
# Debian's module venv is incomplete without the package python3-venv.
"$PYTHON" -c 'import ensurepip' 2>/dev/null || install_packages "an environment for the wheel" python3-venv

# `make test` makes the environment from two parts at the same time: the second waits here.
exec 9<requirements-test.txt
flock 9
# An environment of another interpreter would load the wrong wheel.
version=$("$PYTHON" -c 'import sys; print(sys.version)')
[ "$(cat "$VENV/.version" 2>/dev/null || true)" = "$version" ] || rm -rf "$VENV"
if ! [ -x "$VENV/bin/python" ]; then
  "$PYTHON" -m venv "$VENV"
  printf '%s\n' "$version" >"$VENV/.version"
fi
readonly PATH=$VENV/bin:$PATH
unset PYTHONPATH PYTHONHOME

# install REQUIREMENTS: installs them if the file has changed.
install() {
  local stamp=$VENV/.$(basename "$1")
  cmp -s "$1" "$stamp" && return 0
  pip install --quiet --disable-pip-version-check -r "$1"
  cp "$1" "$stamp"
}

install requirements-test.txt
exec 9<&-

build() {
  rm -rf "$VENV/wheel"
  maturin build --release --quiet -i python -o "$VENV/wheel"
  pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$VENV"/wheel/*.whl
}

lint() {
  ruff format --check --quiet python tests benchmarks
  ruff check --quiet python tests benchmarks
}

case ${1:-test} in
  lint) lint ;;
  env) build ;;
  tools) ;;
  test)
    lint
    build
    # For the drivers of other languages, in docs/drivers.md.
    have javac || install_packages "the tests of Java's drivers" default-jdk-headless
    php -m 2>/dev/null | grep -q pdo_pgsql || install_packages "the tests of PHP's drivers" php-cli php-mysql php-pgsql php-sqlite3
    python -m pytest "${@:2}"
    ;;
  bench)
    build
    install requirements-bench.txt
    python benchmarks/run.py "${@:2}"
    ;;
  *) die "unknown command $1: use test, lint, bench, env or tools" ;;
esac
