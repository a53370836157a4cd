#!/bin/sh
# Runs the tests of the firmware in emulators; the last line, also written to SUMMARY, is "N passed, N failed".
# BOIDS_TEST_LEVEL=exhaustive runs all of them at full length, which takes half an hour.
#
#     tests/firmware/run.sh SUMMARY
set -u
summary=$1
mkdir -p "$(dirname "$summary")"
here=$(dirname "$0")
[ -d "$here/node_modules/rp2040js" ] || (cd "$here" && npm ci --silent) || exit 1
node --test --test-concurrency="$(getconf _NPROCESSORS_ONLN)" --test-reporter=tap "$here"/test_*.mjs >"$summary.log" 2>&1
status=$?
grep -E '^( *)(not )?ok ' "$summary.log" | sed 's/^ *//'
[ $status -eq 0 ] || grep -E -A 30 '^ *not ok ' "$summary.log"
passed=$(sed -n 's/^# pass //p' "$summary.log")
failed=$(sed -n 's/^# fail //p' "$summary.log")
echo "${passed:-0} passed, ${failed:-1} failed" | tee "$summary"
exit $status
