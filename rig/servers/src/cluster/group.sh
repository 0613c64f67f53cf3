# A member of a MySQL replication group. $1 ... are options of the server.
set -eu
data=/var/lib/mysql
joined=$data/.idgen-joined
server=$(command -v mysqld)
mkdir -p /run/mysqld && chown mysql /run/mysqld
if [ -e "$joined" ]; then
  # After a crash the member comes back by itself.
  set -- --loose-group-replication-start-on-boot=ON "$@"
else
  [ -d "$data/mysql" ] || "$server" --no-defaults --initialize-insecure --user=mysql --datadir="$data"
  umask 077
  # Outside the binary log: the members make the same users, each by itself.
  {
    echo "SET SESSION sql_log_bin = 0;"
    echo "ALTER USER root@localhost IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';"
    echo "CREATE USER IF NOT EXISTS root@'%' IDENTIFIED BY '$MYSQL_ROOT_PASSWORD';"
    echo "GRANT ALL PRIVILEGES ON *.* TO root@'%' WITH GRANT OPTION;"
    echo "SET SESSION sql_log_bin = 1;"
  } >"$data/.idgen-init.sql"
  chown mysql "$data/.idgen-init.sql"
  touch "$joined"
  set -- --init-file="$data/.idgen-init.sql" --loose-group-replication-start-on-boot=OFF "$@"
fi
exec "$server" --no-defaults --user=mysql --datadir="$data" --socket=/run/mysqld/mysqld.sock "$@"
