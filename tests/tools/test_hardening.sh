#!/bin/sh
# Hardening: BOIDS is position independent, resolves all symbols at its start and then makes the tables read-only, and checks the
# stack and, in an optimised build, the library calls that fill buffers.
#
#     tests/tools/test_hardening.sh
set -u
: "${BOIDS:?the program under test}"
passed=0
failed=0

# check NAME PATTERN COMMAND...: what the command prints has a line that matches.
check() {
    name=$1 pattern=$2
    shift 2
    if "$@" 2>/dev/null | grep -Eq "$pattern"; then
        passed=$((passed + 1))
    else
        echo "$BOIDS: $name: no line of '$*' matches $pattern"
        failed=$((failed + 1))
    fi
}

check is_position_independent 'Type: +DYN' readelf -h "$BOIDS"
check resolves_all_at_its_start 'FLAGS.*NOW' readelf -d "$BOIDS"
check has_read_only_relocations GNU_RELRO readelf -lW "$BOIDS"
check checks_the_stack '__stack_chk_fail|__asan' readelf -sW "$BOIDS"
check checks_library_calls '__(sn?printf|vsnprintf|memcpy|strcpy|read)_chk|__asan' readelf -sW "$BOIDS"

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
