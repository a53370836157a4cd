#!/bin/sh
# `make test-repro`: every preset gives the same hash and CSV in each arithmetic for all compilers, optimisation levels, instruction
# sets, numbers of threads, C libraries and byte orders; otherwise this prints which runs differ.
#
#     STEPS=100 THREADS='1 2 3 8' tests/hash_matrix.sh SUMMARY BOIDS...
#
# Each BOIDS is a build of the program, which its folder names. An emulator may precede it. The hash is that of the state
# after STEPS steps; after the dot is the checksum of the CSV of the first and last frame. The table has one row per preset and
# arithmetic; a row passes if all programs, instruction sets and numbers of threads give one hash and checksum. The last line, also
# written to SUMMARY, is "N passed, N failed".
set -u
: "${STEPS:?the number of steps}" "${THREADS:?the numbers of threads}"
presets=${PRESETS:-adams bees castor fish p5 parker processing murmuration school vicsek chate topological couzin couzin_unit mesa rocks hunt}
summary=$1
shift
mkdir -p "$(dirname "$summary")"
csv=$summary.csv

# shellcheck disable=SC2086 # A build may be several words.
# True if this machine has the instruction set. Every machine has scalar and plain: a program that refuses them fails below.
has() {
    case $2 in v*) BOIDS_ISA=$2 $1 -c "$3" -n 0 -o none -q 2>/dev/null ;; esac
}

# Prints the hash at the end of a run and the checksum of its CSV, or `failed`.
# shellcheck disable=SC2086
hash_of() {
    said=$(BOIDS_ISA=$2 $1 -c "$3" -s arithmetic="$4" -n "$STEPS" --every "$STEPS" -t "$5" --hash "$STEPS" -o - -q 2>&1 >"$csv") || said=
    sum=$(cksum <"$csv")
    case $said in *"$STEPS "*) echo "${said##* }.${sum%% *}" ;; *) echo failed ;; esac
}

# run_all PRESET ARITHMETIC BOIDS...: one line per run, with its hash, program, instruction set and number of threads.
run_all() {
    preset=$1 arithmetic=$2
    shift 2
    for boids; do
        for isa in scalar plain v3 v4; do
            has "$boids" $isa "$preset" || continue
            for threads in $THREADS; do
                echo "$(hash_of "$boids" $isa "$preset" "$arithmetic" "$threads") $(dirname "$boids") $isa -t $threads"
            done
        done
    done
}

# Prints the most frequent hash.
most_frequent() {
    cut -d ' ' -f 1 | sort | uniq -c | sort -rn | sed -n '1s/.* //p'
}

passed=0
failed=0
printf '%-12s %-9s %-27s %s\n' preset arithmetic hash.checksum runs
for preset in $presets; do
    for arithmetic in float32 float64 fixed; do
        case $preset.$arithmetic in cucker_smale.fixed) continue ;; esac # weights that fall off with the distance
        runs=$(run_all "$preset" $arithmetic "$@")
        all=$(echo "$runs" | wc -l)
        most=$(echo "$runs" | most_frequent)
        others=$(echo "$runs" | grep -v "^$most ")
        printf '%-12s %-9s %-27s %d\n' "$preset" $arithmetic "$most" "$all"
        if [ -z "$others" ] && [ "$most" != failed ]; then
            passed=$((passed + 1))
        else
            failed=$((failed + 1))
            echo "hash_matrix: $preset in $arithmetic: most of $all runs end with $most${others:+; these do not:}" >&2
            echo "$others" | sed '/./!d; s/^/    /' >&2
        fi
    done
done
echo "$passed passed, $failed failed" | tee "$summary"
[ "$failed" -eq 0 ]
