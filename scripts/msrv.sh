#!/usr/bin/env bash
# Builds the library with the oldest compiler that it supports, as a dependency of a new package. Cargo then chooses
# versions of its dependencies that support that compiler too.
set -euo pipefail
cd "$(dirname "$0")/.."

library=$PWD/crates/idgen
version=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$library/Cargo.toml")
if ! command -v rustup >/dev/null; then
  echo "msrv: rustup is needed, to install Rust $version" >&2
  exit 1
fi
rustup toolchain list | grep -q "^$version.0-" || rustup toolchain install "$version.0" --profile minimal

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
cd "$folder"

# check FEATURES CODE: builds a package that uses the library with these features.
check() {
  cat >Cargo.toml <<TOML
[package]
name = "probe"
version = "0.0.0"
edition = "2021"
rust-version = "$version"

[workspace]
resolver = "3"

[dependencies]
idgen = { package = "idgen-keys", path = "$library", default-features = false, features = [$1] }
TOML
  echo "$2" >src/lib.rs
  echo "msrv: Rust $version, features [$1]"
  cargo "+$version.0" check --quiet
}

check '' 'pub fn id() -> idgen::Uuid { idgen::Uuid::nil() }'
check '"std"' 'pub fn id() -> idgen::Uuid { idgen::v7() }'
# All features except those that need a newer compiler according to docs/library.md.
check '"aes", "fast", "mac", "prefixed", "seal", "serde"' 'pub fn id() -> idgen::Uuid { idgen::v7() }'
