#!/usr/bin/env bash
# Checks generators of other libraries, and writes docs/conformance.md.
#
#   scripts/conformance.sh all    installs and checks all of them (make conformance): a quarter of an hour
#   scripts/conformance.sh test   the tests, and three small libraries (make test-conformance): under a minute
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

[ -e /usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1 ] || install_packages "a clock that is set" libfaketime
have npm || install_packages "the libraries of npm" nodejs npm
cargo build --quiet

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
