#!/usr/bin/env bash
# Runs the fuzz targets of FOLDERS (all where it is not set) beside a command that mostly waits, at the lowest
# priority, so that they take the time it leaves. Both have to succeed; what the
# fuzzing said is printed when the command is done.
#
#   scripts/beside.sh TIME COMMAND...
set -uo pipefail
cd "$(dirname "$0")/.."

time=$1
shift
said=$(mktemp)
trap 'rm -f "$said"' EXIT
# shellcheck disable=SC2086 # folders are words
nice -n 19 bash scripts/fuzz.sh "$time" ${FOLDERS:-} >"$said" 2>&1 &
fuzz=$!
trap 'kill "$fuzz" 2>/dev/null; exit 130' INT TERM
"$@"
status=$?
wait "$fuzz" || status=1
cat "$said"
exit "$status"
