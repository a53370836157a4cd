#!/bin/sh
# Claims about tests/hash_matrix.sh, with stand-in programs that print a given hash and, except for one, an empty CSV, whose checksum
# is 4294967295.
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
passed=0
failed=0

# program NAME: a build of that name, whose body is read from stdin; it has scalar, plain and v3 and is called with
# -n STEPS before --hash.
program() {
    mkdir -p "$work/$1"
    {
        echo '#!/bin/sh'
        # shellcheck disable=SC2016
        echo 'case $BOIDS_ISA in v4) exit 2 ;; esac'
        cat
    } >"$work/$1/boids"
    chmod +x "$work/$1/boids"
}

prints_one_hash() {
    echo 'echo "0 00" >&2; echo "10 a1" >&2'
}

# matrix NAME...: its status, output and messages in $status, out and err.
matrix() {
    cd "$work" || exit 1
    STEPS=10 THREADS='1 3' PRESETS=fish sh "$OLDPWD/tests/hash_matrix.sh" "$work/summary" "$@" >out 2>err
    status=$?
    cd "$OLDPWD" || exit 1
}

# claim NAME STATUS SUMMARY: and the messages are those on stdin.
claim() {
    cat >"$work/wanted"
    if [ "$status" -eq "$2" ] && [ "$(cat "$work/summary")" = "$3" ] && diff "$work/wanted" "$work/err"; then
        passed=$((passed + 1))
    else
        echo "FAILED $1: status $status, $(cat "$work/summary")"
        failed=$((failed + 1))
    fi
}

prints_one_hash | program one
prints_one_hash | program two
matrix one/boids two/boids
claim equal_hashes_pass 0 '3 passed, 0 failed' </dev/null

program two <<'END'
if [ "$BOIDS_ISA" = v3 ]; then case "$*" in *'arithmetic=float64 '*'-t 3'*) echo "10 b2" >&2; exit ;; esac; fi
echo "10 a1" >&2
END
matrix one/boids two/boids
claim a_run_with_another_hash_is_reported 1 '2 passed, 1 failed' <<'END'
hash_matrix: fish in float64: most of 12 runs end with a1.4294967295; these do not:
    b2.4294967295 two v3 -t 3
END

program two <<'END'
case "$*" in *'arithmetic=fixed '*'-t 3'*) echo 0,-0 ;; esac
echo "10 a1" >&2
END
matrix one/boids 'env LANG=C two/boids'
claim another_csv_of_an_emulated_program_is_reported 1 '2 passed, 1 failed' <<'END'
hash_matrix: fish in fixed: most of 12 runs end with a1.4294967295; these do not:
    a1.3959414740 env LANG=C two scalar -t 3
    a1.3959414740 env LANG=C two plain -t 3
    a1.3959414740 env LANG=C two v3 -t 3
END

# Programs that fail have equal results.
echo 'exit 1' | program one
echo 'echo "0 00" >&2' | program two
matrix one/boids two/boids
claim programs_that_fail_alike_are_no_pass 1 '0 passed, 3 failed' <<'END'
hash_matrix: fish in float32: most of 10 runs end with failed
hash_matrix: fish in float64: most of 10 runs end with failed
hash_matrix: fish in fixed: most of 10 runs end with failed
END

echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
