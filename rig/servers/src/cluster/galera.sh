# A node of a Galera cluster. $1 is `first` for the node that founds the cluster; options of the server follow.
set -eu
data=/var/lib/mysql
joined=$data/../.idgen-joined
server=$(command -v mariadbd || command -v mysqld)
role=$1
shift
mkdir -p /run/mysqld && chown mysql /run/mysqld
provider=$(ls /usr/lib/galera/libgalera_smm.so /usr/lib/*/libgalera_smm.so /usr/lib/libgalera_smm.so 2>/dev/null | head -n 1)
set -- --no-defaults --user=mysql --datadir="$data" --socket=/run/mysqld/mysqld.sock \
  --wsrep-provider="$provider" "$@"
if [ -e "$joined" ]; then
  # After a crash: tell the cluster how far this node had come, so that it gets only what it lacks.
  # It may not end after it has printed the position, and take memory until the machine has none.
  position=$(timeout -s KILL 15 "$server" "$@" --wsrep-recover --log-error=/dev/stdout | sed -n 's/.*Recovered position: *//p' | tail -n 1)
  [ -z "$position" ] || set -- "$@" --wsrep-start-position="$position"
elif [ "$role" = first ]; then
  touch "$joined"
  [ -d "$data/mysql" ] || mariadb-install-db --user=mysql --datadir="$data" \
    --auth-root-authentication-method=normal --skip-test-db
  umask 077
  {
    # MariaDB's installer leaves roots without a password, which would match first.
    echo "DROP USER IF EXISTS root@'127.0.0.1', root@'::1';"
    echo "ALTER USER root@localhost IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';"
    echo "CREATE USER root@'%' IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';"
    echo "GRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;"
  } >"$data/../idgen-init.sql"
  chown mysql "$data/../idgen-init.sql"
  set -- "$@" --init-file="$data/../idgen-init.sql" --wsrep-new-cluster
else
  touch "$joined"
  # A joiner gets all of its data from the cluster.
  find "$data" -mindepth 1 -delete
fi
exec "$server" "$@"
