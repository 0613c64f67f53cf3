#!/bin/sh
# Lets the copy wait while a replica is behind: sh watch-replicas.sh DATABASE SOURCE:PORT REPLICA:PORT ...
# The renaming is refused while a transaction on a replica is older than the end of the copy there: it would read empty tables.
# The login is read from the section [client] of ~/.my.cnf. It needs the privilege PROCESS on the replicas. A replica that does not answer within 5 s counts as one that is
# behind. It ends with an error when the source does not answer within 60 s, and when the table of the plan is gone.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: sh $0 DATABASE SOURCE:PORT REPLICA:PORT ..." >&2
  exit 2
fi
database=$1
source=$2
shift 2

# The arguments are seconds, a server and a statement.
execute() {
  PROGRAM --host="${2%:*}" --port="${2##*:}" --batch --skip-column-names --connect-timeout="$1" "$database" --execute="$3"
}

while :; do
  execute 60 "$source" "UPDATE CONTROL SET beat = UTC_TIMESTAMP(6)"
  sleep 1
  oldest="UTC_TIMESTAMP(6)"
  ages=0
  for replica; do
    beat=$(execute 5 "$replica" "SELECT beat FROM CONTROL") || beat=unknown
    case $beat in
      '' | *[!0-9.:\ -]*) oldest="$oldest, NULL" ;;
      *) oldest="$oldest, TIMESTAMP'$beat'" ;;
    esac
    # A server repeats a list that others have just read. One with this transaction of a new session is not that old.
    for attempt in 1 2 3; do
      age=$(execute 5 "$replica" "START TRANSACTION WITH CONSISTENT SNAPSHOT; DO SLEEP(0.2); SELECT IF(SUM(trx_mysql_thread_id = CONNECTION_ID()), GREATEST(0,
        COALESCE(MAX(IF(trx_mysql_thread_id IN (0, CONNECTION_ID()), NULL, TIMESTAMPDIFF(SECOND, EARLIEST, UTC_TIMESTAMP()))), 0)), 'old')
        FROM information_schema.INNODB_TRX") || age=unknown
      [ "$age" = old ] || break
    done
    case $age in
      '' | *[!0-9]*) ages="$ages, NULL" ;;
      *) ages="$ages, $age" ;;
    esac
  done
  # LEAST is NULL if one of its values is, and then the copy waits.
  execute 60 "$source" "UPDATE CONTROL SET watched = UTC_TIMESTAMP(6),
    replica_lag = TIMESTAMPDIFF(MICROSECOND, LEAST($oldest), UTC_TIMESTAMP(6)) / 1000000,
    replica_snapshot = beat - INTERVAL GREATEST($ages, 0) + 1 SECOND,
    copy_arrived = (SELECT IF(SUM(state <> 'done') = 0 AND MAX(ended) < LEAST($oldest), IF(copy_arrived > MAX(ended), copy_arrived, UTC_TIMESTAMP(6)), NULL)
      FROM STEPS WHERE step LIKE 'copy-%')"
done
