#!/usr/bin/env bash
# Prepares this machine for `make test`: the container engine, the images of the database servers, and the programs that
# the tests run. As root on Debian it installs what is missing and says so; otherwise it says what to install. It asks no
# questions, and does nothing if everything is installed.
#
#   IDGEN_MYSQL_IMAGE, IDGEN_MARIADB_IMAGE, IDGEN_MARIADB_11_IMAGE, IDGEN_POSTGRES_IMAGE
#                                            use these images (pulled when absent) instead of building
#   IDGEN_GALERA_IMAGE, IDGEN_VITESS_IMAGE   the same for the clusters of `make test-clusters`
#   IDGEN_CHROMIUM                           use this browser for the report's tests
#   IDGEN_MYSQL_URL, IDGEN_MARIADB_URL, IDGEN_POSTGRES_URL
#                                            use these single servers; clusters always run in containers
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh

have cargo || die "Rust is missing. Install it from https://rustup.rs"
have cc || install_packages "linking Rust programs" gcc libc6-dev
have valgrind || install_packages "counting instructions" valgrind
# Without a font, the browser draws no text.
have "${IDGEN_CHROMIUM:-chromium}" || have chromium-browser || have google-chrome \
  || install_packages "looking at the lab's report in a browser" chromium fonts-dejavu-core

./docker.sh
./images.sh
# Two servers run as plain processes in the tests too. The -core packages start no service.
if ! have mariadb-install-db || ! have my_print_defaults || ! { have mariadbd || have mysqld; }; then
  install_packages "running MariaDB as a private process" mariadb-server-core mariadb-client-core
fi
have_postgres() { have postgres || compgen -G '/usr/lib/postgresql/*/bin/postgres' >/dev/null; }
if ! have_postgres; then
  # Without this setting, the package creates a database and starts a service for it.
  readonly CLUSTERS=/etc/postgresql-common/createcluster.conf
  if may_install && [ ! -e "$CLUSTERS" ]; then
    mkdir -p "$(dirname "$CLUSTERS")"
    echo 'create_main_cluster = false' >"$CLUSTERS"
  fi
  install_packages "running PostgreSQL as a private process" postgresql
fi
for pooler in pgbouncer pgpool; do
  if ! have "$pooler" && [ ! -x "/usr/sbin/$pooler" ]; then
    package=${pooler/pgpool/pgpool2}
    # The tests run it as a private process; a service of its own would only take its port. Debian's script starts none with this.
    if may_install && [ ! -e "/etc/systemd/system/$package.service" ] && [ -d /etc/systemd/system ]; then
      ln -s /dev/null "/etc/systemd/system/$package.service"
    fi
    install_packages "testing sessions behind a connection pooler" "$package"
  fi
done
