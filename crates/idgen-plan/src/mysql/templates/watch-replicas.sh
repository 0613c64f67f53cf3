#!/bin/sh
# Lets the copy wait while a replica is behind: sh watch-replicas.sh DATABASE SOURCE:PORT REPLICA:PORT ...
# The login is read from the section [client] of ~/.my.cnf. It ends with an error when the table of the plan is gone.
set -eu
if [ $# -lt 3 ]; then
  echo "usage: sh $0 DATABASE SOURCE:PORT REPLICA:PORT ..." >&2
  exit 2
fi
database=$1
source=$2
shift 2

execute() {
  PROGRAM --host="${1%:*}" --port="${1##*:}" --batch --skip-column-names --connect-timeout=5 "$database" --execute="$2"
}

while :; do
  execute "$source" "UPDATE idgen_plan_control SET beat = UTC_TIMESTAMP(6)"
  sleep 1
  oldest="UTC_TIMESTAMP(6)"
  for replica; do
    beat=$(execute "$replica" "SELECT beat FROM idgen_plan_control") || beat=unknown
    case $beat in
      '' | *[!0-9.:\ -]*) oldest="$oldest, NULL" ;;
      *) oldest="$oldest, TIMESTAMP'$beat'" ;;
    esac
  done
  # LEAST is NULL if one of its values is, and then the copy waits.
  execute "$source" "UPDATE idgen_plan_control SET watched = UTC_TIMESTAMP(6),
    replica_lag = TIMESTAMPDIFF(MICROSECOND, LEAST($oldest), UTC_TIMESTAMP(6)) / 1000000"
done
