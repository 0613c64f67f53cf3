#!/bin/sh
# Entry point of the database images that scripts/images.sh builds. It takes what the official images
# take: the root password in MYSQL_ROOT_PASSWORD (or MARIADB_ROOT_PASSWORD), server options as arguments.
set -eu
data=/var/lib/mysql
fresh=$data/.idgen-fresh
server=$(command -v mysqld || command -v mariadbd)

if [ "${1:-}" = --idgen-initialise ]; then
  if command -v mariadb-install-db >/dev/null; then
    mariadb-install-db --user=mysql --datadir="$data" --auth-root-authentication-method=normal --skip-test-db
  else
    "$server" --no-defaults --initialize-insecure --user=mysql --datadir="$data"
  fi
  # Each server needs an identity of its own.
  rm -f "$data/auto.cnf"
  touch "$fresh"
  exit 0
fi

if [ -e "$fresh" ]; then
  password=${MYSQL_ROOT_PASSWORD:-${MARIADB_ROOT_PASSWORD:?set MYSQL_ROOT_PASSWORD}}
  quoted=$(printf %s "$password" | sed "s/[\\\\']/\\\\&/g")
  umask 077
  {
    # MariaDB's installer leaves roots without a password, which would match first.
    echo "DROP USER IF EXISTS root@'127.0.0.1', root@'::1';"
    echo "ALTER USER root@localhost IDENTIFIED BY '$quoted';"
    echo "CREATE USER root@'%' IDENTIFIED BY '$quoted';"
    echo "GRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;"
  } >"$data/.idgen-init.sql"
  chown mysql "$data/.idgen-init.sql"
  rm "$fresh"
  set -- --init-file="$data/.idgen-init.sql" "$@"
fi
mkdir -p /run/mysqld && chown mysql /run/mysqld
exec "$server" --no-defaults --user=mysql --datadir="$data" --socket=/run/mysqld/mysqld.sock "$@"
