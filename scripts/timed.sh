#!/usr/bin/env bash
# What the parts of `make test` take, and a table of it at the end.
#
#   scripts/timed.sh begin              begins an empty table
#   scripts/timed.sh run PART COMMAND   runs the command of a part, and notes its time and that of its processes
#   scripts/timed.sh table              prints the table, how long the processors had nothing to do, and why parts failed
#
# Processes in containers are not those of a part: the last line has their time together, where the engine counts it.
# In continuous integration, what still runs 87 minutes after the beginning ends with an error that names it. Otherwise one test
# that waits for ever would hide what all others said.
set -euo pipefail
cd "$(dirname "$0")/.."
readonly FOLDER=$PWD/target/timed
readonly LIMIT=${IDGEN_CI_SECONDS:-5220}

# The seconds since the start of the machine: all processors together, and how much of that they were idle.
processors() {
  awk -v ticks="$(getconf CLK_TCK)" '$1 == "cpu" { for (i = 2; i <= 9; i++) all += $i; print all / ticks, ($5 + $6) / ticks }' /proc/stat 2>/dev/null \
    || echo 0 0
}

# The seconds of all containers until now: control groups of version 1, then of version 2.
containers() {
  awk '{ print $1 / 1e9 }' /sys/fs/cgroup/cpuacct/docker/cpuacct.usage 2>/dev/null \
    || awk '$1 == "usage_usec" { print $2 / 1e6 }' /sys/fs/cgroup/docker/cpu.stat 2>/dev/null \
    || awk '$1 == "usage_usec" { print $2 / 1e6 }' /sys/fs/cgroup/system.slice/cpu.stat 2>/dev/null \
    || echo 0
}

now() { echo "$(date +%s) $(processors) $(containers)"; }

# Runs the command of a part in a process group of its own, until the time for all parts is over.
limited() {
  local part=$1 group end
  shift
  end=$(($(cut -d ' ' -f 1 "$FOLDER/begin") + LIMIT))
  # Without job control, a command in the background would ignore the signal of Ctrl-C, and so would what it tests.
  set -m
  "$@" &
  group=$!
  set +m
  while kill -0 "$group" 2>/dev/null; do
    if [ "$(date +%s)" -ge "$end" ]; then
      echo "$part has not ended $LIMIT seconds after the beginning of all parts. Its programs, and their threads, which have the names of tests:" >&2
      # Without the workers of tokio, which have no names of tests.
      ps -eLo pgid=,etime=,pid=,comm=,args= | awk -v group="$group" '$1 == group && !/tokio/' | cut -c 1-150 >&2
      kill -TERM -- "-$group" || :
      sleep 10
      kill -KILL -- "-$group" 2>/dev/null || :
      break
    fi
    sleep 0.5
  done
  wait "$group"
}

# The same, and keeps what it prints if it fails. Make prints the output of a part after its end, too.
recorded() {
  local output=$FOLDER/$1.output status=0
  limited "$@" >"$output" 2>&1 || status=$?
  cat "$output"
  [ "$status" != 0 ] || rm "$output"
  return "$status"
}

# What parts that failed say of it, which their own output may have thousands of lines before its end.
reasons() {
  local output
  for output in "$FOLDER"/*.output; do
    [ -e "$output" ] || continue
    echo "$(basename "$output" .output) failed:"
    grep -aE -A 12 "panicked at|^E  |^FAILED |^error(\[|:)|has not ended" "$output" | cut -c 1-500 | head -n 100 || tail -n 20 "$output"
  done
}

case ${1:-} in
  begin)
    rm -rf "$FOLDER" && mkdir -p "$FOLDER"
    now >"$FOLDER/begin"
    ;;
  run)
    part=$2 status=0
    shift 2
    [ -z "${CI:-}" ] || set -- recorded "$part" "$@"
    # The output of the command stays where it is; only what `time` says goes to the file.
    TIMEFORMAT='%R %U %S'
    exec 8>&1 9>&2
    { time "$@" >&8 2>&9 8>&- 9>&-; } 2>"$FOLDER/$part.part" || status=$?
    exit "$status"
    ;;
  table)
    echo '| part | minutes | processor minutes |'
    echo '|---|---:|---:|'
    for file in "$FOLDER"/*.part; do
      awk -v part="$(basename "$file" .part)" '{ printf "| %s | %.1f | %.1f |\n", part, $1 / 60, ($2 + $3) / 60 }' "$file"
    done | sort -t '|' -k 3 -rn
    paste -d ' ' "$FOLDER/begin" <(now) | awk '{
      printf "In %.1f minutes, the processors worked %.1f minutes and had %.1f minutes nothing to do. Containers took %.1f minutes.\n",
        ($5 - $1) / 60, ($6 - $2 - $7 + $3) / 60, ($7 - $3) / 60, ($8 - $4) / 60 }'
    reasons
    ;;
  *)
    echo "usage: scripts/timed.sh begin | run PART COMMAND... | table" >&2
    exit 2
    ;;
esac
