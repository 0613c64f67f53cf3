#!/usr/bin/env bash
# Builds the wheel twice, each time with all crates of this repository compiled again, and compares the bytes. Also checks
# that the wheel contains the list of its crates.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
[ -x ../bindings/python/.venv/bin/maturin ] || ./python.sh env
cd ../bindings/python

python=$PWD/.venv/bin/python
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
# The archive has the time of the commit in place of the current time.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
for build in first second; do
  cargo clean --quiet --release -p idgen-python -p idgen-keys -p idgen-mysql
  .venv/bin/maturin build --release --locked --quiet -i "$python" -o "$folder/$build"
done
first=$(ls "$folder"/first/*.whl)
second=$(ls "$folder"/second/*.whl)
"$python" -m zipfile -l "$first" | grep 'sboms/.*\.cyclonedx\.json' || die "the wheel has no list of its crates"
if ! cmp "$first" "$second"; then
  for build in first second; do "$python" -m zipfile -e "$folder/$build"/*.whl "$folder/$build/content"; done
  diff -rq "$folder/first/content" "$folder/second/content" || true
  die "two builds of the same commit differ"
fi
echo "reproducible: two builds of $(basename "$first") are equal: $(sha256sum "$first" | cut -c1-64)"
