#!/bin/sh
# Runs every suite and says at the end how many tests passed and failed.
#
#     tests/run.sh SUMMARY C_TEST...
#
# C_TEST are cmocka programs; the scripts are listed below. A suite's exit status is its verdict; its own closing line
# only tells how many tests it held. The last line, also written to SUMMARY, is "N passed, N failed".
#
# BOIDS is the program under test, BOIDS_SCHEMA_TOOL what prints the schema, PYTHON a python3 with the modules.
set -u

summary=$1
shift
logs=$(dirname "$summary")/logs
mkdir -p "$logs"
passed=0
failed=0

# How many tests a log counts, by the word that stands with the number: cmocka's "[  PASSED  ] 3 test(s).", unittest's
# "Ran 3 tests", our own "3 passed, 0 failed".
count_in() {
    sed -n -e 's/^\[  PASSED  \] \([0-9]*\) test.*/\1/p' -e 's/^Ran \([0-9]*\) test.*/\1/p' \
        -e 's/^\([0-9]*\) passed, [0-9]* failed$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}

failures_in() {
    sed -n -e 's/^\[  FAILED  \] \([0-9]*\) test(s), listed.*/\1/p' \
        -e 's/^FAILED (.*failures=\([0-9]*\).*/\1/p' -e 's/^FAILED (.*errors=\([0-9]*\).*/\1/p' \
        -e 's/^[0-9]* passed, \([0-9]*\) failed$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'
}

suite() {
    name=$1
    shift
    log=$logs/$(echo "$name" | tr '/ ' '__').log
    begun=$(date +%s)
    if "$@" >"$log" 2>&1 </dev/null; then
        bad=0
    else
        bad=$(failures_in "$log")
        [ "$bad" -gt 0 ] || bad=1
    fi
    good=$(count_in "$log")
    # unittest counts the failed ones among those it ran.
    if [ "$bad" -gt 0 ] && grep -q '^Ran ' "$log"; then
        good=$((good - bad))
    fi
    passed=$((passed + good))
    failed=$((failed + bad))
    if [ "$bad" -gt 0 ]; then
        sed 's/^/    /' "$log" | tail -n 60
        verdict=FAILED
    elif [ "$good" -eq 0 ]; then
        failed=$((failed + 1))
        verdict='FAILED: no test ran'
    else
        verdict=ok
    fi
    printf '%-34s %4d tests %4d s  %s\n' "$name" $((good + bad)) $(($(date +%s) - begun)) "$verdict"
}

for test in "$@"; do
    suite "$(basename "$test")" "$test"
done
for script in tests/test_*.sh tests/*/test_*.sh; do
    [ -f "$script" ] && suite "$script" sh "$script"
done
for script in tests/test_*.py tests/*/test_*.py; do
    [ -f "$script" ] && suite "$script" "$PYTHON" "$script"
done
suite tests/oracle/compare.py "$PYTHON" tests/oracle/compare.py --boids "$BOIDS"

echo "$passed passed, $failed failed" | tee "$summary"
[ "$failed" -eq 0 ]
