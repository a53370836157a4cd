#!/bin/sh
# Flies flocks on several ranks; the last line, also written to SUMMARY, is "N passed, N failed". Where there is no mpirun it
# says so, and nothing failed.
#
#     tests/ranks/run.sh SUMMARY [cheap]
#
# BOIDS is the plain program, BOIDS_MPI the one for ranks, PYTHON a python3 with h5py.
set -u
summary=$1
shift
mkdir -p "$(dirname "$summary")"
if ! command -v mpirun >/dev/null 2>&1; then
    echo 'there is no mpirun: nothing was tested (sh scripts/setup.sh mpi installs it)'
    echo '0 passed, 0 failed' | tee "$summary"
    exit 0
fi
status=0
: >"$summary.log"
for tests in together writers; do
    "$PYTHON" "tests/ranks/$tests.py" -v "$@" >>"$summary.log" 2>&1 || status=1
done
cat "$summary.log"
ran=$(sed -n 's/^Ran \([0-9]*\) test.*/\1/p' "$summary.log" | awk '{ n += $1 } END { print n }')
failed=$(sed -n 's/^FAILED (//p' "$summary.log" | tr -c '0-9\n' ' ' | awk '{ for (k = 1; k <= NF; k++) n += $k } END { print n }')
[ $status -eq 0 ] || [ "${failed:-0}" -gt 0 ] || failed=1
ran=${ran:-0}
failed=${failed:-0}
[ "$failed" -le "$ran" ] || failed=$ran
echo "$((ran - failed)) passed, $failed failed" | tee "$summary"
exit $status
