#!/usr/bin/env bash
# Packages every crate that is published, and runs the tests of the library from its tarball, outside the workspace.
#
# Fails if a published crate needs one that is marked `publish = false`, because Cargo.toml names no version of those.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
mapfile -t published < <(published)
# Not verified here, because their dependencies are not in a registry before the library is.
cargo package "${published[@]/#/--package=}" --allow-dirty --no-verify --quiet
for name in "${published[@]}"; do
  for license in LICENSE-APACHE LICENSE-MIT; do
    tar -tzf "$(ls "$target/package/$name"-[0-9]*.crate)" | grep -q "/$license$" || die "the package $name has no $license"
  done
done
tarball=$(ls "$target"/package/idgen-keys-*.crate)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$tarball" -C "$folder" --strip-components 1
cd "$folder"
export CARGO_TARGET_DIR="$target/package-tests"
cargo test --quiet --all-features
rm -rf "$CARGO_TARGET_DIR"
echo "package: $(basename "$tarball") passes its tests"
