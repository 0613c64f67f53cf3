#!/usr/bin/env bash
# Checks the workflows: their form with actionlint, and what an attacker could use with zizmor. Both are installed into target/tools.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

# The versions that were read last; a newer one may find more.
readonly ACTIONLINT=1.7.12 ZIZMOR=1.32.0
readonly TOOLS=$PWD/target/tools

if ! [ -x "$TOOLS/actionlint-$ACTIONLINT" ]; then
  have go || install_packages "the check of the workflows" golang-go
  say "installing actionlint $ACTIONLINT"
  GOBIN=$TOOLS GOTOOLCHAIN=auto go install "github.com/rhysd/actionlint/cmd/actionlint@v$ACTIONLINT" 2>/dev/null || die "actionlint cannot be installed"
  mv "$TOOLS/actionlint" "$TOOLS/actionlint-$ACTIONLINT"
fi
if ! [ -x "$TOOLS/zizmor-$ZIZMOR/bin/zizmor" ]; then
  say "installing zizmor $ZIZMOR"
  python3 -m venv "$TOOLS/zizmor-$ZIZMOR"
  "$TOOLS/zizmor-$ZIZMOR/bin/pip" install --quiet --disable-pip-version-check "zizmor==$ZIZMOR"
fi
"$TOOLS/actionlint-$ACTIONLINT" .github/workflows/*.yml
"$TOOLS/zizmor-$ZIZMOR/bin/zizmor" --quiet --offline --no-progress --config /dev/stdin .github <<'YAML'
rules:
  # actionlint does not know the syntax that it asks for.
  self-repository:
    disable: true
YAML
