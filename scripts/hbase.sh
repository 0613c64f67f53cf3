#!/usr/bin/env bash
# Records loads on HBase with three region servers in one process (rig/hbase), from Maven Central alone. Takes a file like
# docs/results/ranges/set.tsv and prints lines of JSON, 50 for each load, under the number of its line:
#   scripts/hbase.sh docs/results/ranges/set.tsv > recorded.jsonl
# `scripts/hbase.sh test` records two small loads and checks that HBase does what the model says of them. Needs Java 17, Maven and
# 2 GB of memory.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/lib.sh

have mvn && have javac || die "HBase needs Java 17 and Maven: install openjdk-17-jdk-headless and maven"

readonly BUILT=target/hbase
# HBase and Hadoop call what Java 17 hides.
readonly OPEN=(java.lang java.lang.reflect java.io java.nio java.net java.util java.util.concurrent
  java.util.concurrent.atomic sun.nio.ch)

build() {
  mkdir -p "$BUILT/classes"
  [ -s "$BUILT/classpath" ] && [ "$BUILT/classpath" -nt rig/hbase/pom.xml ] || {
    say "downloading HBase from Maven Central (134 MB the first time)" >&2
    mvn -q -B -f rig/hbase/pom.xml dependency:build-classpath -Dmdep.outputFile="$PWD/$BUILT/classpath" -Dmdep.includeScope=runtime >&2
  }
  javac -nowarn -d "$BUILT/classes" -cp "$(cat "$BUILT/classpath")" rig/hbase/*.java 2>&1 | grep -v '^Note:' >&2 || true
  cargo build -q -p idgen-lab --example keys
}

# Prints the load of each line of a file, for the program, and makes its keys.
loads() {
  local line=0 strategy spread writers rate rows statement value range
  while IFS=$'\t' read -r strategy spread writers rate rows statement value range; do
    line=$((line + 1))
    target/debug/examples/keys "$strategy" "$rows" "$rate" "$writers" "$spread" > "$BUILT/keys-$line"
    printf '%s\t%s\t%s\t%s\t%s\t%s\n' "load-$line" "$BUILT/keys-$line" "$writers" "$statement" "$value" "$range"
  done < <(tail -n +2 "$1")
}

record() {
  loads "$1" | java -Xmx1600m "${OPENED[@]}" -Dlog4j.configuration=file:rig/hbase/log4j.properties \
    -Dtest.build.data.basedirectory="$BUILT/data" -cp "$BUILT/classes:$(cat "$BUILT/classpath")" Ranges
}

# Each of these packages is open to all code.
OPENED=()
for package in "${OPEN[@]}"; do OPENED+=("--add-opens" "java.base/$package=ALL-UNNAMED"); done

build
if [ "${1:?give a file of loads, or test}" = test ]; then
  record rig/hbase/small.tsv > "$BUILT/small.jsonl"
  python3 rig/hbase/check.py "$BUILT/small.jsonl"
else
  record "$1"
fi
