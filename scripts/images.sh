#!/usr/bin/env bash
# Provides the images of the database servers. If a registry is reachable, use the official ones: name them in
# IDGEN_MYSQL_IMAGE, IDGEN_MARIADB_IMAGE, IDGEN_MARIADB_11_IMAGE and IDGEN_POSTGRES_IMAGE. Otherwise this script builds
# them from Debian's packages. It does not change an image that exists; remove it (docker rmi idgen-mysql:9.7) to build
# it again.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh

readonly MIRROR=${IDGEN_DEBIAN_MIRROR:-http://deb.debian.org/debian}

exists() { docker image inspect "$1" >/dev/null 2>&1; }

# build IMAGE SUITE PACKAGES: a minimal Debian with the server and a data directory that is ready to run.
build() {
  local image=$1 suite=$2 packages=$3 dir log
  may_build "$image"
  say "building the image $image from Debian $suite (about a minute)"
  dir=$(mktemp -d) log=$(mktemp)
  debootstrap --variant=minbase --include="$packages" "$suite" "$dir" "$MIRROR" >"$log" 2>&1 </dev/null \
    || { tail -n 20 "$log" >&2; die "debootstrap of $suite failed"; }
  chroot "$dir" useradd --system --no-create-home --shell /usr/sbin/nologin mysql 2>/dev/null || true
  mkdir -p "$dir"/var/lib/mysql-files "$dir"/run/mysqld
  rm -rf "$dir"/var/lib/mysql/*
  if [[ $packages == mariadb-server-core* ]]; then add_myrocks "$dir" "$log"; fi
  chroot "$dir" sh -c 'mkdir -p /var/lib/mysql && chown mysql:mysql /var/lib/mysql /var/lib/mysql-files /run/mysqld'
  finish "$image" "$dir" entrypoint.sh --change 'VOLUME /var/lib/mysql' --change 'EXPOSE 3306'
  rm -f "$log"
}

# add_myrocks DIR LOG: the storage engine MyRocks. Its package depends on more than the server needs, so it is unpacked without
# being installed. The plug-in must have the version of the server, which has the same source.
add_myrocks() {
  local dir=$1 log=$2
  chroot "$dir" sh -c '
    set -e
    cd /tmp
    apt-get -qq download mariadb-plugin-rocksdb libsnappy1v5
    for package in *.deb; do dpkg-deb -x "$package" /; done
    rm -f *.deb' >>"$log" 2>&1 </dev/null || { tail -n 20 "$log" >&2; die "could not add MyRocks"; }
}

# build_postgres IMAGE SUITE PACKAGE: the same for PostgreSQL. Its packages are unpacked without being configured,
# which takes a third of the time and creates no database.
build_postgres() {
  local image=$1 suite=$2 package=$3 dir log deb name
  may_build "$image"
  say "building the image $image from Debian $suite (half a minute)"
  dir=$(mktemp -d) log=$(mktemp)
  debootstrap --foreign --variant=minbase --include="$package" "$suite" "$dir" "$MIRROR" >"$log" 2>&1 </dev/null \
    || { tail -n 20 "$log" >&2; die "debootstrap of $suite failed"; }
  for deb in "$dir"/var/cache/apt/archives/*.deb; do
    name=$(basename "$deb")
    # The first stage has unpacked the packages that every Debian has.
    grep -qw -- "${name%%_*}" "$dir/debootstrap/required" && continue
    dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$dir" --keep-directory-symlink
  done
  rm -rf "$dir/debootstrap"
  # The users and groups that the scripts of the packages would have created.
  printf '%s\n' 'root:x:0:0::/root:/bin/sh' 'postgres:x:999:999::/var/lib/postgresql:/bin/sh' >"$dir/etc/passwd"
  printf '%s\n' 'root:x:0:' 'postgres:x:999:' >"$dir/etc/group"
  chroot "$dir" ldconfig
  install -d -m 700 -o 999 -g 999 "$dir/var/lib/postgresql/data"
  finish "$image" "$dir" postgres.sh --change 'VOLUME /var/lib/postgresql/data' --change 'EXPOSE 5432'
  rm -f "$log"
}

# may_build IMAGE: fails if this script cannot build images here.
may_build() {
  may_install || die "image $1 is missing. Name an image that can be pulled (IDGEN_MYSQL_IMAGE=mysql:9.7, IDGEN_MARIADB_IMAGE=mariadb:10.11, IDGEN_POSTGRES_IMAGE=postgres:18), or run scripts/images.sh as root on Debian, which builds it"
  install_packages "building the image $1" debootstrap
}

# finish IMAGE DIR ENTRYPOINT CHANGE...: makes the image from a root file system, which it removes.
finish() {
  local image=$1 dir=$2 entrypoint=$3 log container
  shift 3
  log=$(mktemp)
  rm -rf "$dir"/var/cache/apt/* "$dir"/var/lib/apt/lists/* "$dir"/usr/share/{doc,man,locale,info}
  install -D -m 755 "image/$entrypoint" "$dir/usr/local/bin/entrypoint.sh"
  tar -C "$dir" -c . | docker import - "$image-base" >/dev/null
  # The data directory is created once, here, which saves seconds at every later start.
  container=$(docker create --entrypoint /usr/local/bin/entrypoint.sh "$image-base" --idgen-initialise)
  docker start --attach "$container" >"$log" 2>&1 </dev/null \
    || { tail -n 20 "$log" >&2; docker rm -f "$container" >/dev/null; die "could not initialize $image"; }
  docker commit --change 'ENTRYPOINT ["/usr/local/bin/entrypoint.sh"]' --change 'CMD []' \
    "$@" "$container" "$image" >/dev/null
  docker rm "$container" >/dev/null
  docker rmi "$image-base" >/dev/null 2>&1 || true
  rm -rf "$dir" "$log"
}

# provide IMAGE OWN SUITE PACKAGES [BUILDER]
provide() {
  local image=$1 own=$2
  # An image of the user's is taken as it is; one of this script may be older than MyRocks in it.
  if exists "$image"; then
    [[ $image != "$own" || $4 != mariadb-server-core* ]] && return 0
    docker run --rm --entrypoint test "$image" -e /usr/lib/mysql/plugin/ha_rocksdb.so && return 0
  fi
  if [ "$image" = "$own" ]; then
    "${5:-build}" "$own" "$3" "$4"
  else
    say "pulling $image"
    docker pull -q "$image" </dev/null || die "$image is neither here nor can it be pulled"
  fi
}

# These images are needed even if single servers are named by URL, because clusters run in containers.
provide "${IDGEN_MYSQL_IMAGE:-idgen-mysql:9.7}" idgen-mysql:9.7 sid mysql-server-core,mysql-client-core
provide "${IDGEN_MARIADB_IMAGE:-idgen-mariadb:10.11}" idgen-mariadb:10.11 bookworm \
  mariadb-server-core,mariadb-client-core,galera-4,rsync
# A newer release, whose defaults differ: innodb_snapshot_isolation is on.
provide "${IDGEN_MARIADB_11_IMAGE:-idgen-mariadb:11.8}" idgen-mariadb:11.8 trixie \
  mariadb-server-core,mariadb-client-core
provide "${IDGEN_POSTGRES_IMAGE:-idgen-postgres:18}" idgen-postgres:18 sid postgresql-18 build_postgres

# The image of a Galera node: MariaDB's, and what one node needs to send another its data.
build_galera() {
  local image=$1 base=$2 container log
  log=$(mktemp)
  say "building the image $image from $base"
  container=$(docker create --user root --entrypoint sh "$base" -c '
    set -e
    apt-get -qq update
    apt-get -qq install -y --no-install-recommends rsync lsof procps
    if ! command -v wsrep_sst_rsync; then
      # Only the scripts of this package: its other parts exist already, or need systemd.
      cd "$(mktemp -d)"
      chmod 755 .
      apt-get -qq download mariadb-server
      dpkg-deb -x mariadb-server_*.deb .
      cp usr/bin/wsrep_sst_* /usr/bin/
    fi
    rm -rf /var/lib/apt/lists/* /var/cache/apt/*')
  docker start --attach "$container" >"$log" 2>&1 </dev/null \
    || { tail -n 20 "$log" >&2; docker rm -f "$container" >/dev/null; die "could not build $image"; }
  docker commit "$container" "$image" >/dev/null
  docker rm "$container" >/dev/null
  rm -f "$log"
}

galera=${IDGEN_GALERA_IMAGE:-idgen-galera:10.11}
exists "$galera" || build_galera "$galera" "${IDGEN_MARIADB_IMAGE:-idgen-mariadb:10.11}"
