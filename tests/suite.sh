#!/bin/sh
# Runs one suite, says in a line how it went, and leaves its numbers of good and bad tests in a file.
#
#     tests/suite.sh LOGS SUITE
#
# SUITE is a cmocka program, a shell or a Python script. Its exit status is its verdict; its own closing line only tells how
# many tests it held. LOGS/NAME.log keeps what it said, LOGS/NAME.count the two numbers.
set -u
: "${PYTHON:?a python3 with the modules}"
suite=$2
log=$1/$(echo "${suite#build/*/}" | tr '/ ' '__')

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

run() {
    case $suite in
    *.sh) sh "$suite" ;;
    *.py) "$PYTHON" "$suite" ;;
    *) "$suite" ;;
    esac
}

begun=$(date +%s)
bad=0
if ! run >"$log.log" 2>&1 </dev/null; then
    bad=$(failures_in "$log.log")
    [ "$bad" -gt 0 ] || bad=1
fi
good=$(count_in "$log.log")
# unittest counts the failed ones among those it ran.
if [ "$bad" -gt 0 ] && grep -q '^Ran ' "$log.log"; then
    good=$((good - bad))
fi
verdict=ok
if [ "$bad" -gt 0 ]; then
    verdict=FAILED
elif [ "$good" -eq 0 ]; then
    bad=1
    verdict='FAILED: no test ran'
fi
echo "$good $bad" >"$log.count"

# In one piece, so that suites that run at the same time do not mix.
told=$(printf '%-34s %4d tests %4d s  %s' "${suite#build/*/tests/}" $((good + bad)) $(($(date +%s) - begun)) "$verdict")
[ "$bad" -eq 0 ] || told=$(sed 's/^/    /' "$log.log" | tail -n 60)'
'$told
printf '%s\n' "$told"
