#!/usr/bin/env bash
# Measures what each feature of the library costs a program that uses it: the number of crates, the processor time to
# compile them, and the bytes of the program. Writes the table into docs/library.md.
#
# Each program is a package of its own with the default release profile, compiled from nothing; its bytes are those of the
# stripped program less those of a program that prints a line.
set -euo pipefail
cd "$(dirname "$0")/.."

root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir "$folder/src"
# The versions of this repository.
cp Cargo.lock "$folder"
cd "$folder"
unset RUSTFLAGS CARGO_ENCODED_RUSTFLAGS CARGO_BUILD_RUSTFLAGS CARGO_TARGET_DIR

# program FEATURES EXPRESSION: makes the package; without a library if FEATURES is "none".
program() {
  {
    printf '[package]\nname = "probe"\nversion = "0.1.0"\nedition = "2024"\n\n[dependencies]\n'
    [ "$1" = none ] || printf 'idgen = { package = "idgen-keys", path = "%s/crates/idgen", %s }\n' "$root" "$1"
  } >Cargo.toml
  printf 'fn main() {\n    println!("{:?}", %s);\n}\n' "$2" >src/main.rs
  rm -rf target
  cargo fetch --quiet
  # Processor time instead of elapsed time, because other programs affect it less.
  TIMEFORMAT='%U %S'
  seconds=$( { time cargo build --release --quiet --jobs 2 >&2; } 2>&1 | tail -1 | awk '{ print $1 + $2 }')
  crates=$(cargo tree --quiet -e normal --prefix none | sed 's/ (.*//' | sort -u | grep -vc '^probe ' || true)
  strip -o stripped target/release/probe
  bytes=$(stat -c %s stripped)
}

program none '"nothing"'
readonly BASE=$bytes

# row TITLE FEATURES EXPRESSION
row() {
  program "$2" "$3"
  awk -v title="$1" -v crates="$crates" -v seconds="$seconds" -v bytes="$((bytes - BASE))" \
    'BEGIN { printf "| %s | %d | %.1f s | %.0f KiB |\n", title, crates, seconds, bytes / 1024 }'
}

readonly DEFAULT='default-features = true'
{
  echo "| features | crates | processor time | bytes |"
  echo "|---|---:|---:|---:|"
  row '`std`' 'default-features = false, features = ["std"]' 'idgen::v7()'
  row '`std`, `fast`' 'default-features = false, features = ["std", "fast"]' 'idgen::v7()'
  row 'default: `std`, `fast`, `aes`' "$DEFAULT" 'idgen::v7()'
  row 'default, `prefixed`' "$DEFAULT, features = [\"prefixed\"]" '(idgen::v7(), idgen::prefixed())'
  row 'default, `seal`' "$DEFAULT, features = [\"seal\"]" 'idgen::SealKey::new(&[7; 32]).unwrap().seal(idgen::v7()).unwrap()'
  row 'default, `serde`' "$DEFAULT, features = [\"serde\"]" 'idgen::v7()'
  row 'default, `state-file`' "$DEFAULT, features = [\"state-file\"]" '(idgen::v7(), idgen::source::FileState::open("state").is_ok())'
} >table

{
  echo
  echo "Measured with $(rustc --version | cut -d' ' -f1-2) on $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -1), $(date -u +%F)."
} >>table

cd "$root"
awk -v table="$folder/table" '
  /^<!-- end of features -->$/ { inside = 0 }
  !inside { print }
  /^<!-- features: make features -->$/ {
    inside = 1
    while ((getline line <table) > 0) print line
  }
' docs/library.md >"$folder/page"
grep -q '^<!-- features: make features -->$' docs/library.md || { echo "docs/library.md has no place for the table" >&2; exit 1; }
cp "$folder/page" docs/library.md
cat "$folder/table"
