#!/usr/bin/env bash
# Makes `docker` usable: installs it if this is allowed, and starts the daemon if none is running.
set -euo pipefail
cd "$(dirname "$0")"
. ./lib.sh

readonly LOG=${IDGEN_DOCKERD_LOG:-/var/log/idgen-dockerd.log}
readonly PIDFILE=/var/run/docker.pid

answers() { docker version --format '{{.Server.Version}}' >/dev/null 2>&1; }

have docker && answers && exit 0

if ! have dockerd; then
  may_install || die "no container engine was found. Install and start Docker (on Debian: apt-get install docker.io iptables), or set IDGEN_MYSQL_URL, IDGEN_MARIADB_URL and IDGEN_POSTGRES_URL to the URLs of servers"
fi
# dockerd's bridge needs iptables, which Debian only recommends.
if may_install; then install_packages "running database servers in containers" docker.io iptables; fi
answers && exit 0

[ "$(id -u)" = 0 ] || die "the Docker daemon does not answer. Start it (systemctl start docker), and check that you may use it (group docker)"
if [ -d /run/systemd/system ] && systemctl start docker 2>/dev/null; then
  say "started the docker service"
else
  # After a hard stop of the machine, the old pid file would prevent the daemon from starting.
  if [ -f "$PIDFILE" ] && ! grep -qs dockerd "/proc/$(cat "$PIDFILE")/comm"; then rm -f "$PIDFILE"; fi
  say "starting dockerd, which logs to $LOG"
  setsid nohup dockerd >>"$LOG" 2>&1 </dev/null &
fi
for _ in $(seq 120); do
  answers && exit 0
  sleep 0.5
done
tail -n 20 "$LOG" >&2 || true
die "dockerd did not answer within a minute; its log is $LOG"
