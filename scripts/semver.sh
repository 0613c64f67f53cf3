#!/usr/bin/env bash
# Compares the public interface of the crates that are published with an earlier state of the repository, and fails if a
# change needs a higher version than the crate has.
#
#   scripts/semver.sh [REVISION [PACKAGE...]]   a commit or a tag, by default the last tag of a release; all packages by default
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

revision=${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2>/dev/null || true)}
[ -n "$revision" ] || die "no release is tagged yet, so name what to compare with, as in make semver REVISION=HEAD~20"
git rev-parse --verify --quiet "$revision^{commit}" >/dev/null || die "\"$revision\" is no revision of this repository"

cargo semver-checks --version >/dev/null 2>&1 || {
  say "installing cargo-semver-checks (minutes)"
  cargo install --quiet --locked cargo-semver-checks
}

packages=("${@:2}")
if [ ${#packages[@]} -eq 0 ]; then
  mapfile -t packages < <(published)
fi

options=()
for name in "${packages[@]}"; do
  if git grep --quiet -F "name = \"$name\"" "$revision" -- 'crates/*/Cargo.toml'; then
    options+=(--package "$name")
  else
    echo "semver: $name is new since $revision"
  fi
done
[ ${#options[@]} -gt 0 ] || die "none of these packages is in $revision: ${packages[*]}"
cargo semver-checks --baseline-rev "$revision" "${options[@]}"
