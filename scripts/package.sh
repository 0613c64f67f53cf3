#!/usr/bin/env bash
# Packages every crate that is published, and runs the tests of the library from its tarball, outside the workspace.
set -euo pipefail
cd "$(dirname "$0")/.."

target=$(cargo metadata --no-deps --format-version 1 | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
# Not verified here, because their dependencies are not in a registry before the library is.
cargo package --workspace --exclude idgen-bench --exclude map-model --exclude plan-model --allow-dirty --no-verify --quiet
tarball=$(ls "$target"/package/idgen-keys-*.crate)

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tar -xzf "$tarball" -C "$folder" --strip-components 1
cd "$folder"
export CARGO_TARGET_DIR="$target/package-tests"
cargo test --quiet --all-features
rm -rf "$CARGO_TARGET_DIR"
echo "package: $(basename "$tarball") passes its tests"
