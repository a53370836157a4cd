#!/bin/sh
# Runs the harnesses that `make fuzz` has built, on new inputs.
#
#     tests/fuzz/run.sh BUILD SECONDS NAME...
#
# Inputs that reach new code are kept in BUILD/corpus/NAME for the next time. Prints for each harness how many inputs it ran and how
# many edges of the program they reached; the exit status is 1 if one of them found a fault.
set -u
build=$1
seconds=$2
shift 2
status=0
mkdir -p "$build/found"
# Small quarantines and short stack traces, because an input takes microseconds.
export ASAN_OPTIONS="${ASAN_OPTIONS:-quarantine_size_mb=8:malloc_context_size=4}"
# The words of keys, values and options, from the tables.
{
    grep -o '"[a-z_0-9]*"' data/boids.schema.json
    sed -n 's/^OPTION([^"]*"\([a-z-]*\)".*/"--\1"/p' src/cli/options/options.def
} | sort -u >"$build/words.dict"
for name in "$@"; do
    learnt=$build/corpus/$name
    mkdir -p "$learnt"
    log=$build/$name.log
    # libhdf5 keeps freed memory for reuse, which looks like a leak.
    leaks=$([ "$name" = hdf5 ] && echo 0 || echo 1)
    if ! "$build/fuzz_$name" -max_total_time="$seconds" -max_len=512 -reload=0 -detect_leaks="$leaks" -timeout=20 \
        -rss_limit_mb=4096 -print_final_stats=1 -verbosity=1 \
        -artifact_prefix="$build/found/$name-" -dict="$build/words.dict" "$learnt" "tests/fuzz/corpus/$name" >"$log" 2>&1; then
        status=1
        echo "$name: found something, see $log:"
        grep -a -m 3 'ERROR\|does not hold\|runtime error\|Test unit written' "$log"
    fi
    runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
    edges=$(sed -n 's/.*cov: \([0-9]*\).*/\1/p' "$log" | tail -n 1)
    echo "$name: ${runs:-0} inputs, ${edges:-0} edges"
done
exit $status
