#!/usr/bin/env bash
# Builds the image of a sharded Vitess: MySQL's image, with Vitess and etcd built from their Go modules, whose
# versions and checksums are in scripts/vitess/go.mod and go.sum. An existing image is kept; IDGEN_VITESS_IMAGE
# names another one.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh

readonly IMAGE=${IDGEN_VITESS_IMAGE:-idgen-vitess:0.24}
readonly BASE=${IDGEN_MYSQL_IMAGE:-idgen-mysql:9.7}
readonly TOOLS=(vttablet vtgate vtctldclient)

docker image inspect "$IMAGE" >/dev/null 2>&1 && exit 0
have go || die "building Vitess needs Go 1.26 (https://go.dev/dl), or name an image in IDGEN_VITESS_IMAGE"

say "building Vitess from its Go module (takes a few minutes the first time)"
programs=$(mktemp -d)
trap 'rm -rf "$programs"' EXIT
# Without C code, the programs run in any image.
(cd vitess && CGO_ENABLED=0 go build -trimpath -ldflags='-s -w' -o "$programs/" tool)
mv "$programs/server" "$programs/etcd"

container=$(docker create --user root --entrypoint sh "$BASE" -c true)
for program in "${TOOLS[@]}" etcd; do
  docker cp -q "$programs/$program" "$container:/usr/local/bin/$program"
done
docker commit "$container" "$IMAGE" >/dev/null
docker rm "$container" >/dev/null
say "built the image $IMAGE from $BASE"
