#!/bin/sh
# Entry point of the PostgreSQL image that scripts/images.sh builds. It takes what the official image takes: the
# password of the user postgres in POSTGRES_PASSWORD, server options as arguments.
set -eu
export PGDATA=/var/lib/postgresql/data LANG=C.UTF-8
fresh=$PGDATA/idgen-fresh
bin=$(echo /usr/lib/postgresql/*/bin)
as_postgres() { setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; }

if [ "${1:-}" = --idgen-initialise ]; then
  as_postgres "$bin/initdb" --username=postgres --auth-local=peer --auth-host=scram-sha-256 --encoding=UTF8 \
    --no-locale
  # Where the port is forwarded, connections come from outside the container.
  echo 'host all all all scram-sha-256' >>"$PGDATA/pg_hba.conf"
  as_postgres touch "$fresh"
  exit 0
fi

if [ -e "$fresh" ]; then
  quoted=$(printf %s "${POSTGRES_PASSWORD:?set POSTGRES_PASSWORD}" | sed "s/'/''/g")
  # A server without connections, which reads statements from its input: the password is in no process list.
  echo "ALTER ROLE postgres PASSWORD '$quoted'" | as_postgres "$bin/postgres" --single -D "$PGDATA" postgres >/dev/null
  rm "$fresh"
fi
unset POSTGRES_PASSWORD
exec setpriv --reuid=postgres --regid=postgres --clear-groups "$bin/postgres" -c unix_socket_directories= "$@"
