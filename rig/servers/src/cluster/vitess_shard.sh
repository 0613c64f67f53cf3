# One shard of a Vitess cluster: a MySQL server that nobody else reaches, and its vttablet.
# $1 number of the tablet, $2 keyspace, $3 shard, $4 address of etcd, $5 own address
set -eu
data=/var/lib/mysql
socket=/run/mysqld/mysqld.sock
mkdir -p /run/mysqld /var/lib/vitess && chown mysql /run/mysqld /var/lib/vitess
[ -d "$data/mysql" ] || mysqld --no-defaults --initialize-insecure --user=mysql --datadir="$data"
mysqld --no-defaults --user=mysql --datadir="$data" --socket="$socket" --skip-networking --mysqlx=OFF \
  --server-id="$1" --gtid-mode=ON --enforce-gtid-consistency=ON --innodb-buffer-pool-size=64M &
# vttablet wants a password. Nobody reaches this server but through a socket in this container.
setup="CREATE DATABASE IF NOT EXISTS vt_$2;
  CREATE USER IF NOT EXISTS vt@localhost IDENTIFIED BY 'vt'; GRANT ALL ON *.* TO vt@localhost WITH GRANT OPTION"
until mysql --no-defaults --socket="$socket" -u root -e "$setup" 2>/dev/null; do
  kill -0 $!
  sleep 0.2
done
# Vitess refuses to run as root.
exec setpriv --reuid=mysql --regid=mysql --clear-groups env VTDATAROOT=/var/lib/vitess \
  vttablet --unmanaged --db-socket="$socket" --db-app-user=vt --db-app-password=vt \
  --db-dba-user=vt --db-dba-password=vt --db-allprivs-user=vt --db-allprivs-password=vt \
  --db-repl-user=vt --db-repl-password=vt --db-filtered-user=vt --db-filtered-password=vt \
  --topo-implementation=etcd2 \
  --topo-global-server-address="$4:2379" --topo-global-root=/vitess/global --tablet-path="zone1-$1" \
  --tablet-hostname="$5" --init-keyspace="$2" --init-shard="$3" --init-tablet-type=replica --port=15100 \
  --grpc-port=16100 --service-map=grpc-queryservice,grpc-tabletmanager,grpc-updatestream --logtostderr
