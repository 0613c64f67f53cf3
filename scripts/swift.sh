#!/usr/bin/env bash
# Builds and tests the Swift package in a container with the compiler of Debian, over the C library of this machine.
#
#   scripts/swift.sh test          everything (make test-swift): two to four minutes, and some more where the image is not built yet
#   scripts/swift.sh bench [PAGE]  the speed table; replaces the one of a page (make bench-swift)
#
#   IDGEN_SWIFT_IMAGE   an image with Swift 6, idgen-swift:6.0 by default, which this script builds; such as swift:6.0
#   IDGEN_CASES, IDGEN_CASES_SEED   as in scripts/c.sh
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh
cd ..

readonly IMAGE=${IDGEN_SWIFT_IMAGE:-idgen-swift:6.0} MIRROR=${IDGEN_DEBIAN_MIRROR:-http://deb.debian.org/debian}

# A minimal Debian 13 with its Swift 6.0: 0.5 GB to download, 3 GB on the disk.
build_image() {
  local dir log
  may_install || die "the image $IMAGE is missing. Name one that can be pulled (IDGEN_SWIFT_IMAGE=swift:6.0), or run this script as root on Debian, which builds it"
  install_packages "building the image $IMAGE" debootstrap
  say "building the image $IMAGE from Debian trixie (two to five minutes, 0.5 GB)"
  dir=$(mktemp -d) log=$(mktemp)
  debootstrap --variant=minbase --include=swiftlang,swiftlang-dev,libc6-dev,libstdc++-14-dev trixie "$dir" "$MIRROR" >"$log" 2>&1 </dev/null \
    || { tail -n 20 "$log" >&2; die "debootstrap of trixie failed"; }
  rm -rf "$dir"/var/cache/apt/* "$dir"/var/lib/apt/lists/* "$dir"/usr/share/{doc,man,locale,info}
  tar -C "$dir" -c . | docker import - "$IMAGE" >/dev/null
  rm -rf "$dir" "$log"
}

# Runs a command in the container, where the checkout has the same path. The container has no network.
inside() {
  docker run --rm --init --network none -v "$PWD:$PWD" -w "$PWD/bindings/swift" -e HOME=/tmp -e IDGEN_CASES -e IDGEN_CASES_FILE "$IMAGE" "$@"
}

readonly out=bindings/swift/target
readonly options=(--disable-sandbox --scratch-path target/build -Xlinker "-L$PWD/$out/lib" -Xswiftc -warnings-as-errors)

prepare() {
  [ -n "${IDGEN_SWIFT_IMAGE:-}" ] || docker image inspect "$IMAGE" >/dev/null 2>&1 || build_image
  scripts/c.sh tools
  mkdir -p "$out/lib"
  cp bindings/c/target/release/libidgen_c.a "$out/lib/"
}

# Follows the README as a new user would: an app of its own. The second run continues the ids of the first.
quick_start() {
  local folder=$PWD/bindings/swift/target/quick-start command
  rm -rf "$folder" && mkdir -p "$folder/app/Sources/app" "$folder/lib"
  ln -s "$PWD" "$folder/idgen"
  cp bindings/c/target/release/libidgen_c.a "$folder/lib/"
  scripts/quick-start.py bindings/swift/README.md swift 1 >"$folder/app/Package.swift"
  scripts/quick-start.py bindings/swift/README.md swift 2 >"$folder/app/Sources/app/main.swift"
  command=$(scripts/quick-start.py bindings/swift/README.md sh 2)
  # The options are those of a container without a network, which cannot nest another sandbox.
  command=${command/swift run/swift run --disable-sandbox}
  inside sh -ec "cd '$folder/app' && $command >first && $command >second"
  (
    cd "$folder/app"
    [ "$(wc -l <first)" = 7 ] || die "the example of bindings/swift/README.md prints other lines: $(cat first)"
    cat first second | grep '^id ' | LC_ALL=C sort -cu || die "the ids of bindings/swift/README.md do not ascend"
  )
}

case ${1:-test} in
  test)
    prepare
    export IDGEN_CASES=${IDGEN_CASES:-100000} IDGEN_CASES_FILE=$PWD/$out/cases.jsonl
    target/debug/examples/cases "$IDGEN_CASES" "${IDGEN_CASES_SEED:-$(date +%s)}" >"$IDGEN_CASES_FILE"
    inside swift test "${options[@]}"
    # In one container, because starting one takes longer than a run.
    inside "$PWD/scripts/state-turns.sh" "$PWD/bindings/c/target/c/kill.so" "$PWD/target/debug/examples/continue" \
      "$PWD/$out/build/debug/idgen-continue"
    quick_start
    ;;
  bench)
    prepare
    # The table goes to a page that the container sees.
    inside swift run --configuration release "${options[@]}" idgen-bench "${@:2}"
    ;;
  *) die "unknown command $1: use test or bench" ;;
esac
