#!/bin/sh
# Runs every suite, as many at a time as there are processors, and says at the end how many tests passed and failed.
#
#     tests/run.sh SUMMARY C_TEST...
#
# C_TEST are cmocka programs; the scripts are found here. The last line, also written to SUMMARY, is "N passed, N failed".
#
# BOIDS is the program under test, BOIDS_SCHEMA_TOOL what prints the schema, PYTHON a python3 with the modules, JOBS how many
# suites run at a time, EXCEPT suites that do not.
set -u

summary=$1
shift
logs=$(dirname "$summary")/logs
rm -rf "$logs"
mkdir -p "$logs"

# The long ones first, so that none of them is alone at the end.
suites() {
    for suite in $LONG tests/*/test_*.py tests/*/test_*.sh "$@"; do
        echo "$suite"
    done | awk -v except="${EXCEPT:-}" 'BEGIN { split(except, left); for (i in left) seen[left[i]] = 1 } !seen[$0]++'
}
LONG='tests/oracle/compare.py tests/trajectory/test_kill.py tests/cli/test_cli.py tests/tools/test_build.py'

suites "$@" | xargs -n 1 -P "${JOBS:-$(getconf _NPROCESSORS_ONLN)}" sh tests/suite.sh "$logs"

counts=$(cat "$logs"/*.count | awk '{ good += $1; bad += $2 } END { print good + 0, bad + 0 }')
wanted=$(suites "$@" | wc -l)
ended=$(cat "$logs"/*.count | wc -l)
failed=$((${counts#* } + wanted - ended))
[ "$wanted" -eq "$ended" ] || echo "$((wanted - ended)) suites did not end"
echo "${counts% *} passed, $failed failed" | tee "$summary"
[ "$failed" -eq 0 ]
