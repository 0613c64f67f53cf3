#!/usr/bin/env bash
# Builds everything with the oldest versions of its dependencies that the manifests allow, in a copy of the repository:
# if a manifest allows a version that is too old, the build fails. Only the resolver needs the nightly toolchain.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

rustup toolchain list | grep -q ^nightly || rustup toolchain install nightly --profile minimal
target=$PWD/target/minimal-versions
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git ls-files -z --cached --others --exclude-standard | xargs -0 cp --parents --no-dereference -t "$folder"
cd "$folder"
rm Cargo.lock
# The benchmarks are left out, because they compare with the newest versions of other libraries.
sed -i 's|^members = .*|members = ["crates/*"]|' Cargo.toml
cargo +nightly update --quiet -Z direct-minimal-versions
CARGO_TARGET_DIR=$target cargo check --quiet --workspace --lib --bins
echo "minimal-versions: the workspace builds with the oldest versions of its direct dependencies"
