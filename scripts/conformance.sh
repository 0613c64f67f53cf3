#!/usr/bin/env bash
# Checks generators of other libraries, and writes docs/conformance.md.
#
#   scripts/conformance.sh all    installs and checks all of them (make conformance): half an hour
#   scripts/conformance.sh test   the tests, and three libraries (make test-conformance): under a minute
#
#   IDGEN   the program that checks, by default target/debug/idgen, which is built
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

compgen -G "/usr/lib/*/faketime/libfaketime.so.1" >/dev/null || install_packages "a clock that is set" libfaketime
have npm || install_packages "the libraries of npm" nodejs npm
if [ -z "${IDGEN:-}" ]; then
  cargo build --quiet
  export IDGEN=${CARGO_TARGET_DIR:-$PWD/target}/debug/idgen
fi

case ${1:-test} in
  all)
    have mvn && have javac || install_packages "the libraries of Maven Central" maven openjdk-17-jdk-headless
    have go || die "the libraries for Go need Go: install it"
    conformance/run.py record --install "${@:2}"
    conformance/table.py
    ;;
  test) python3 conformance/test_conformance.py ;;
  *) die "unknown command $1: use all or test" ;;
esac
