#!/bin/sh
# Flies flocks on several ranks; the last line, also written to SUMMARY, is "N passed, N failed". Where there is no mpirun it
# says so, and nothing failed.
#
#     tests/ranks/run.sh SUMMARY [cheap]
#
# BOIDS is the plain program, BOIDS_MPI the one for ranks, PYTHON a python3 with h5py; see tests/ranks/libraries.py for more.
set -u
summary=$1
shift
mkdir -p "$(dirname "$summary")"
if ! command -v mpirun >/dev/null 2>&1; then
    echo 'there is no mpirun: nothing was tested (sh scripts/setup.sh mpi installs it)'
    echo '0 passed, 0 failed' | tee "$summary"
    exit 0
fi
# Which have short ones. Those fly side by side: most of their time goes by while ranks find each other.
files='together output libraries machines' at_once=1
[ "${1-}" != cheap ] || files='together output' at_once=2
status=0
# shellcheck disable=SC2086,SC2016 # The files are words, and what they are called with is the inner shell's.
printf '%s\n' $files | xargs -P "$at_once" -I FILE sh -c '"$PYTHON" tests/ranks/FILE.py -v "$@" >"$0.FILE.log" 2>&1' "$summary" "$@" ||
    status=1
for file in $files; do
    cat "$summary.$file.log"
done | tee "$summary.log"
ran=$(sed -n 's/^Ran \([0-9]*\) test.*/\1/p' "$summary.log" | awk '{ n += $1 } END { print n + 0 }')
failed=$(sed -n 's/^FAILED (//p' "$summary.log" | tr ',' '\n' | sed '/skipped/d' | tr -c '0-9\n' ' ' | awk '{ n += $1 } END { print n + 0 }')
[ $status -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
[ "$failed" -le "$ran" ] || failed=$ran
echo "$((ran - failed)) passed, $failed failed" | tee "$summary"
exit $status
