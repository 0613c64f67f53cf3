#!/usr/bin/env bash
# Builds the TypeScript package, checks what would be published, and tests it on Node and in Chromium.
#
#   scripts/js.sh test    everything (make test-js): one to three minutes, and some more where the Rust library is not built yet
#   scripts/js.sh build   installs what is needed and builds bindings/js/dist, and prints the sizes
#   scripts/js.sh bench   the speed table of docs/offline.md (make bench-js)
#
#   IDGEN_CHROMIUM   the browser of the tests, /usr/bin/chromium by default
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ../bindings/js

have node || install_packages "the TypeScript package" nodejs npm
have npm || install_packages "the TypeScript package" npm
node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' \
  || die "Node $(node --version) is too old for the TypeScript package: install version 20 or later"

# Installed again only if the list of packages has changed.
if ! cmp -s package-lock.json node_modules/.idgen-lock; then
  say "installing the tools of bindings/js with npm"
  npm ci --silent --no-progress
  cp package-lock.json node_modules/.idgen-lock
fi

# The published files, and whether their types are found.
check() {
  npx --no-install publint --strict .
  npx --no-install attw --pack . --profile node16 --quiet
  npm pack --dry-run --ignore-scripts --json >node_modules/.idgen-pack
  node scripts/check-pack.mjs node_modules/.idgen-pack
  npm publish --dry-run --ignore-scripts --provenance=false --silent >/dev/null || die "npm would refuse the package"
}

case ${1:-test} in
  build) npm run --silent build ;;
  test)
    npm run --silent build
    check
    if [ -z "${IDGEN_CHROMIUM:-}" ] && ! [ -x /usr/bin/chromium ]; then
      install_packages "the tests of the TypeScript package" chromium fonts-dejavu-core
    fi
    # The tests compare with the Rust library, and continue its state files.
    node test/rust.mjs
    have flock || install_packages "state files on Node" util-linux
    # A test that no longer makes progress fails, after much longer than the slowest one takes.
    node --test --test-timeout=900000 --test-reporter="$([ -n "${CI:-}" ] && echo dot || echo spec)" test/*.test.mjs
    ;;
  bench)
    npm run --silent build
    node bench/run.mjs "${@:2}"
    ;;
  *) die "unknown command $1: use test, build or bench" ;;
esac
