#!/usr/bin/env bash
# The documentation as one site with a search, in target/book/site: the pages of docs/, every recorded run, and the interfaces of Rust, TypeScript and
# Python from their sources. Opens from files, without a server.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

readonly MDBOOK=0.5.4 TYPEDOC=0.28.20 PDOC=16.0.0
readonly TOOLS=$PWD/target/tools BOOK=$PWD/target/book SITE=$PWD/target/book/site

if [ "$("$TOOLS/bin/mdbook" --version 2>/dev/null)" != "mdbook v$MDBOOK" ]; then
  say "installing mdbook $MDBOOK (minutes)"
  cargo install --quiet --locked --root "$TOOLS" "mdbook@$MDBOOK"
fi
scripts/book.py write "$BOOK"
"$TOOLS/bin/mdbook" build --dest-dir "$SITE" "$BOOK"

cargo run --quiet -- lab site docs/results --out "$SITE/results"

mapfile -t crates < <(published)
cargo doc --quiet --no-deps "${crates[@]/#/--package=}" --target-dir target/book/rust
mkdir -p "$SITE/api"
cp -r target/book/rust/doc "$SITE/api/rust"

scripts/js.sh build >/dev/null
mapfile -t entries < <(cd bindings/js && node -p 'Object.keys(require("./package.json").exports).filter((name) => name !== "./package.json")
  .map((name) => `src/${name === "." ? "index" : name.slice(2)}.ts`).join("\n")')
(cd bindings/js && npx --yes "typedoc@$TYPEDOC" --logLevel Error --readme none --excludeInternal --out "$SITE/api/typescript" "${entries[@]}")

scripts/python.sh env
if ! [ -x "$TOOLS/pdoc-$PDOC/bin/pdoc" ]; then
  bindings/python/.venv/bin/python -m venv --system-site-packages "$TOOLS/pdoc-$PDOC"
  "$TOOLS/pdoc-$PDOC/bin/pip" install --quiet --disable-pip-version-check "pdoc==$PDOC"
fi
PYTHONPATH=$(bindings/python/.venv/bin/python -c 'import idgen, pathlib; print(pathlib.Path(idgen.__file__).parent.parent)') \
  "$TOOLS/pdoc-$PDOC/bin/pdoc" --output-directory "$SITE/api/python" --no-show-source idgen

scripts/book.py check "$SITE"
echo "docs: $SITE/index.html"
