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
# Which have short ones.
files='together writers libraries machines'
[ "${1-}" != cheap ] || files='together writers'
status=0
for file in $files; do
    "$PYTHON" "tests/ranks/$file.py" -v "$@" || status=1
done >"$summary.log" 2>&1
cat "$summary.log"
ran=$(sed -n 's/^Ran \([0-9]*\) test.*/\1/p' "$summary.log" | awk '{ n += $1 } END { print n + 0 }')
failed=$(sed -n 's/^FAILED (//p' "$summary.log" | tr ',' '\n' | sed '/skipped/d' | tr -c '0-9\n' ' ' | awk '{ n += $1 } END { print n + 0 }')
[ $status -eq 0 ] || [ "$failed" -gt 0 ] || failed=1
[ "$failed" -le "$ran" ] || failed=$ran
echo "$((ran - failed)) passed, $failed failed" | tee "$summary"
exit $status
