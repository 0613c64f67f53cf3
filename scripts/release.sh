#!/usr/bin/env bash
# From the version to the tag. Nothing is published here: the workflow release.yml does that for a tag.
#
#   scripts/release.sh check         rehearses the publication of every package; nothing leaves this machine (make test-publish)
#   scripts/release.sh tests         tests the library from its package (make test-package)
#   scripts/release.sh VERSION       writes the version, such as 0.2.0, into all files, runs what must pass, commits, and makes the tag
#   scripts/release.sh tagged TAG    fails if TAG is not that of the version of this tree, or CHANGELOG.md has no section of it
#   scripts/release.sh crates        publishes the crates that crates.io does not have in this version (release.yml)
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

VERSION=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
readonly VERSION

# The rehearsals, each in a folder of its own, so that other builds of this tree go on. Those of npm, Maven and C are with the tests of these
# packages, in scripts/js.sh, kotlin.sh and c.sh.
check() {
  local folder
  folder=$(mktemp -d)
  trap 'rm -rf "'"$folder"'"' EXIT
  check_version "$folder/version"
  check_crates "$folder/crates"
  check_source "$folder/source"
  echo "release: the crates and the source of the wheel could be published as $VERSION"
}

# The next version is in every file, in a copy of what is committed.
check_version() {
  git clone --quiet --depth 1 "file://$PWD" "$1"
  (cd "$1" && scripts/version.py 9.8.7 && scripts/release.sh tagged v9.8.7 && cargo metadata --locked --offline --format-version 1 >/dev/null) \
    || die "the version 9.8.7 cannot be written into all files"
}

# Each crate is built from its package, with the packages of the others in place of crates.io. Fails if one needs a crate that is marked
# `publish = false`.
check_crates() {
  local name file names
  mapfile -t names < <(published)
  mkdir "$1"
  CARGO_TARGET_DIR=$1 CARGO_PROFILE_DEV_DEBUG=0 cargo publish --dry-run --allow-dirty --quiet "${names[@]/#/--package=}" >"$1/log" 2>&1 \
    || die "crates.io would refuse the crates: $(cat "$1/log")"
  # What cargo has unpacked and built.
  for name in "${names[@]}"; do
    for file in LICENSE-APACHE LICENSE-MIT README.md; do
      [ -s "$1/package/$name-$VERSION/$file" ] || die "the package $name has no $file"
    done
  done
}

# Outside of the workspace, whose dependencies and settings it would have.
tests() {
  local folder
  folder=$(mktemp -d)
  trap 'rm -rf "'"$folder"'"' EXIT
  export CARGO_TARGET_DIR=$folder/target
  cargo package --package idgen-keys --allow-dirty --no-verify --quiet
  tar -xzf "$folder/target/package/idgen-keys-$VERSION.crate" -C "$folder"
  (cd "$folder/idgen-keys-$VERSION" && cargo test --quiet --all-features)
}

# The source of the wheel has all files of this repository that it needs: it is built in an empty folder, without a network, and installed.
check_source() {
  local python=$PWD/bindings/python/.venv/bin/python
  scripts/python.sh tools
  mkdir "$1"
  (cd bindings/python && .venv/bin/maturin sdist --out "$1" >"$1/log" 2>&1) || die "the source of the wheel cannot be packaged: $(cat "$1/log")"
  "$python" -m twine --no-color check --strict "$1"/*.tar.gz >"$1/twine" || die "PyPI would refuse the package: $(cat "$1/twine")"
  tar -xzf "$1"/*.tar.gz -C "$1"
  (
    cd "$1"/idgen_keys-"$VERSION"
    CARGO_TARGET_DIR=$1/target CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
      "${python%python}maturin" build --release --locked --offline --quiet -i "$python" --out "$1/wheel"
  )
  "$python" -m venv "$1/user"
  "$1/user/bin/pip" install --quiet --disable-pip-version-check --no-index "$1"/wheel/*.whl
  (cd "$1" && user/bin/python -c 'import idgen; assert idgen.v7().version == 7 and idgen.__version__ == "'"$VERSION"'"')
}

tagged() {
  [ "$1" = "v$VERSION" ] || die "the tag $1 is not v$VERSION, the version of this tree"
  scripts/version.py
  [ -n "$(scripts/version.py --notes "$VERSION")" ] || die "CHANGELOG.md has no section of $VERSION"
}

release() {
  local version=$1
  [ -z "$(git status --porcelain)" ] || die "there are changes that are not committed"
  [ "$(git branch --show-current)" = main ] || die "releases are made on main, not on $(git branch --show-current)"
  ! git rev-parse --quiet --verify "refs/tags/v$version" >/dev/null || die "the tag v$version exists"
  scripts/version.py "$version"
  # Continues with the version that was written.
  exec "$PWD/scripts/release.sh" commit-and-tag
}

# What release calls. A failure leaves the files for a look: git restore . takes them back.
commit_and_tag() {
  tagged "v$VERSION"
  make lint
  ! git describe --tags --abbrev=0 --match 'v[0-9]*' >/dev/null 2>&1 || scripts/semver.sh
  scripts/deny.sh
  check
  git commit --quiet --all --message "Version $VERSION"
  git tag --annotate "v$VERSION" --message "idgen $VERSION"
  echo "release: v$VERSION is committed and tagged here. git push --atomic origin main v$VERSION publishes it"
}

crates() {
  local name missing=()
  while read -r name; do
    cargo info --quiet --registry crates-io "$name@$VERSION" >/dev/null 2>&1 || missing+=("--package=$name")
  done < <(published)
  [ ${#missing[@]} -eq 0 ] || cargo publish --locked "${missing[@]}"
}

case ${1:-} in
  check) check ;;
  tests) tests ;;
  tagged) tagged "${2:?name the tag}" ;;
  crates) crates ;;
  commit-and-tag) commit_and_tag ;;
  [0-9]*) release "$1" ;;
  *) die "unknown command '${1:-}': use check, tests, tagged, crates or a version" ;;
esac
