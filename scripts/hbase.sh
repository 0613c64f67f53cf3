#!/usr/bin/env bash
# Records loads on HBase with three region servers in one process (rig/hbase), from Maven Central alone. Takes a file like
# docs/results/ranges/set.tsv and prints a line of JSON for each load:
#   scripts/hbase.sh docs/results/ranges/set.tsv > recorded.jsonl
# `scripts/hbase.sh test` records two small loads, and compares them with the model. Needs Java 17, Maven and 2 GB of memory.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

have mvn && have javac || die "HBase needs Java 17 and Maven: install openjdk-17-jdk-headless and maven"

readonly BUILT=target/hbase
# Hadoop uses what Java 17 hides.
readonly HIDDEN=(java.lang java.lang.reflect java.io java.nio java.net java.util java.util.concurrent
  java.util.concurrent.atomic sun.nio.ch)

build() {
  mkdir -p "$BUILT/classes"
  if [ ! "$BUILT/classpath" -nt rig/hbase/pom.xml ]; then
    say "downloading HBase from Maven Central (134 MB the first time)" >&2
    mvn -q -B -f rig/hbase/pom.xml dependency:build-classpath -Dmdep.outputFile="$PWD/$BUILT/classpath" \
      -Dmdep.includeScope=runtime >&2
  fi
  javac -nowarn -d "$BUILT/classes" -cp "$(cat "$BUILT/classpath")" rig/hbase/*.java >&2
  cargo build -q -p idgen-lab --example keys
}

# Makes the keys of each load of a file, and prints the loads for the program.
loads() {
  local line=0 strategy spread writers rate rows statement value range
  while IFS=$'\t' read -r strategy spread writers rate rows statement value range; do
    line=$((line + 1))
    target/debug/examples/keys "$strategy" "$rows" "$rate" "$writers" "$spread" > "$BUILT/load-$line.hex"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "load-$line" "$BUILT/load-$line.hex" "$writers" "$statement" "$value" "$range"
  done < <(tail -n +2 "$1")
}

record() {
  local package open=()
  for package in "${HIDDEN[@]}"; do open+=("--add-opens" "java.base/$package=ALL-UNNAMED"); done
  rm -rf "$BUILT/data"
  loads "$1" > "$BUILT/loads"
  java -Xmx1600m "${open[@]}" -Dlog4j.configuration=file:rig/hbase/log4j.properties \
    -Dtest.build.data.basedirectory="$BUILT/data" -cp "$BUILT/classes:$(cat "$BUILT/classpath")" Ranges < "$BUILT/loads"
}

build
if [ "${1:?give a file of loads, or test}" = test ]; then
  mkdir -p "$BUILT/small"
  cp rig/hbase/small.tsv "$BUILT/small/set.tsv"
  record rig/hbase/small.tsv > "$BUILT/small/hbase.jsonl"
  IDGEN_RANGES=$PWD/$BUILT/small cargo test -p idgen-lab --test ranges -- --nocapture loads_recorded_now
else
  record "$1"
fi
