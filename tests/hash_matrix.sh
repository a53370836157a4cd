#!/bin/sh
# `make hash-matrix`: every preset, arithmetic, instruction set, number of threads, compiler and optimisation level
# flies the same flock, or this says where it does not.
#
#     tests/hash_matrix.sh BOIDS...
#
# Each BOIDS is a build of the program; its folder names it. A hash is of the last of 100 steps at 17 digits. The table
# has a row a preset and arithmetic; a row is good when all programs, instruction sets and threads gave one hash.
set -u
presets=${PRESETS:-adams bees castor fish p5 murmuration school}
different=0
rows=0

# The program's hash of one flight; empty where this machine lacks the instructions.
hash_of() {
    BOIDS_ISA=$2 "$1" -c "$3" -n 100 --every 100 --digits 17 -s arithmetic="$4" -t "$5" 2>/dev/null |
        tail -n +2 | cksum | cut -d ' ' -f 1
}

printf '%-12s %-9s %-12s %s\n' preset arithmetic hash flights
for preset in $presets; do
    for arithmetic in float32 float64 fixed; do
        hashes=
        flights=0
        for boids in "$@"; do
            for isa in scalar plain v2 v3 v4; do
                BOIDS_ISA=$isa "$boids" -c "$preset" -n 0 -o none 2>/dev/null || continue
                for threads in 1 2 3 8; do
                    hashes="$hashes $(hash_of "$boids" $isa "$preset" $arithmetic $threads)"
                    flights=$((flights + 1))
                done
            done
        done
        distinct=$(echo "$hashes" | tr ' ' '\n' | sed '/^$/d' | sort -u)
        printf '%-12s %-9s %-12s %d\n' "$preset" $arithmetic "$(echo "$distinct" | tr '\n' ' ')" $flights
        rows=$((rows + 1))
        [ "$(echo "$distinct" | wc -l)" -eq 1 ] || different=$((different + 1))
    done
done
echo "$((rows - different)) passed, $different failed"
[ "$different" -eq 0 ]
