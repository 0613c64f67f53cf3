#!/usr/bin/env bash
# The command as a wheel, and as a program with fewer commands.
#
#   scripts/program.sh wheel   builds the wheel into bindings/program/dist (make program-wheel)
#   scripts/program.sh test    installs a wheel with the program of the tests, and builds the program of the ids (make test-program)
#   scripts/program.sh ids     only the second (make test-ids)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

root=$PWD
readonly PYTHON=${PYTHON:-python3} PACKAGE=$root/bindings/program
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# wheel FOLDER [PROFILE]
wheel() {
  scripts/python.sh tools
  (cd "$PACKAGE" && "$root/bindings/python/.venv/bin/maturin" build --quiet --profile "${2:-release}" --out "$1")
}

# is TEXT EXPECTED: fails unless the text contains what is expected.
is() { grep -qe "$2" <<<"$1" || die "expected '$2', but got: $1"; }

# try PROGRAM: makes an id, and reads it again.
try() {
  local id
  id=$("$1" new v7)
  is "$("$1" inspect "$id" --json)" '"kind":"v7"'
}

test_wheel() {
  wheel "$folder/dist" dev
  "$PYTHON" -m venv "$folder/user"
  "$folder/user/bin/pip" install --quiet --disable-pip-version-check --no-index "$folder"/dist/*.whl
  local idgen=$folder/user/bin/idgen
  try "$idgen"
  is "$("$idgen" lab list)" v7
  is "$("$idgen" survey --help)" mysql://
  "$folder/user/bin/pip" uninstall --quiet --yes idgen-tool
  [ ! -e "$idgen" ] || die "the program is left after its package was removed"
}

# Without databases and the lab, the program has fewer crates and says which feature brings an absent command.
test_ids() {
  # A folder of its own: with other features, shared crates of the workspace would be compiled again for both.
  cargo build --quiet --no-default-features --features ids --target-dir target/ids
  local idgen=target/ids/debug/idgen feature name crates
  crates=$(cargo tree --quiet --no-default-features --features ids -e normal,build --prefix none | sed 's/ (\*)$//' | sort -u | wc -l)
  [ "$crates" -lt 60 ] || die "the program of the ids needs $crates crates: docs/install.md promises fewer than 60"
  try "$idgen"
  "$idgen" new v4 -n 2000 | "$idgen" check --require v4 >/dev/null
  for name in map sql survey plan lab; do
    feature=$([ $name = lab ] && echo lab || echo databases)
    is "$("$idgen" $name 2>&1 || true)" "--features $feature\$"
    ! "$idgen" --help | grep -qwE "idgen $name|^ +$name" || die "the help names $name"
  done
}

case ${1:-} in
  wheel) rm -rf "$PACKAGE/dist"; wheel "$PACKAGE/dist"; ls "$PACKAGE"/dist/*.whl ;;
  test) test_wheel; test_ids; echo "program: the wheel and the program of the ids work" ;;
  ids) test_ids; echo "program: the program of the ids works" ;;
  *) die "unknown command '${1:-}': use wheel, test or ids" ;;
esac
