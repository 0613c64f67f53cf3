# The front of a Vitess cluster: etcd, which knows the shards, and vtgate, which speaks MySQL's protocol.
# $1 own address; then, for each tablet in turn from number 100, its keyspace
set -eu
own=$1
shift
mkdir -p /var/lib/vitess && chown mysql /var/lib/vitess
as_mysql() { setpriv --reuid=mysql --regid=mysql --clear-groups env VTDATAROOT=/var/lib/vitess "$@"; }
topo="--topo-implementation=etcd2 --topo-global-server-address=$own:2379 --topo-global-root=/vitess/global"
ctl() { as_mysql vtctldclient --server=internal $topo "$@"; }

as_mysql etcd --data-dir=/var/lib/vitess/etcd --listen-client-urls="http://$own:2379" \
  --advertise-client-urls="http://$own:2379" --log-level=error &
if ! [ -e /var/lib/vitess/.ready ]; then
  until ctl AddCellInfo --root=/vitess/zone1 --server-address="$own:2379" zone1 2>/dev/null; do
    kill -0 $!
    sleep 0.2
  done
  ctl CreateKeyspace --durability-policy=none main
  ctl CreateKeyspace --durability-policy=none lookup
  ctl ApplyVSchema --vschema='{"sharded": true}' main
  ctl ApplyVSchema --vschema='{"sharded": false}' lookup
  # A tablet in front of an external MySQL has to be told that it is the primary of its shard.
  number=100
  for _ in "$@"; do
    until ctl TabletExternallyReparented "zone1-$number" 2>/dev/null; do sleep 0.5; done
    number=$((number + 1))
  done
  printf '{"root": [{"Password": "%s", "UserData": "root"}]}' "$MYSQL_ROOT_PASSWORD" >/var/lib/vitess/users.json
  chown mysql /var/lib/vitess/users.json && chmod 600 /var/lib/vitess/users.json
  touch /var/lib/vitess/.ready
fi
exec setpriv --reuid=mysql --regid=mysql --clear-groups env VTDATAROOT=/var/lib/vitess \
  vtgate $topo --cell=zone1 --cells-to-watch=zone1 --tablet-types-to-wait=PRIMARY --mysql-server-port=3306 \
  --mysql-auth-server-impl=static --mysql-auth-server-static-file=/var/lib/vitess/users.json \
  --vschema-ddl-authorized-users=% --port=15001 --grpc-port=15991 --logtostderr
