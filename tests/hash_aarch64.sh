#!/bin/sh
# The engine on another machine: cross-compiled for AArch64 and run by qemu, packs of NEON and the scalar core, against
# the same flights on this one. FLAGS are those that correctness needs, OBJECTS those of the ordinary build.
#
#     FLAGS='...' OBJECTS='...' sh tests/hash_aarch64.sh FOLDER
set -eu
: "${FLAGS:?run this through make hash-aarch64}" "${OBJECTS:?run this through make hash-aarch64}"
folder=$1

for tool in aarch64-linux-gnu-gcc qemu-aarch64-static; do
    command -v "$tool" >/dev/null || {
        echo "hash-aarch64: $tool is missing; on Debian: apt install gcc-aarch64-linux-gnu qemu-user-static" >&2
        exit 1
    }
done

# build COMPILER NAME
build() {
    objects=$folder/$2
    mkdir -p "$objects"
    for type in FLOAT32 FLOAT64 FIXED; do
        sources="$(ls src/core/*.c src/library/*.c) src/engine/scalar.c"
        [ $type = FIXED ] || sources="$sources src/engine/packed.c src/engine/turns.c src/engine/pack_step.c"
        for source in $sources; do
            # shellcheck disable=SC2086
            "$1" $FLAGS -O3 -DFLOCK_${type}_CORE -Isrc/core -c -o "$objects/$type-$(basename "$source").o" "$source"
        done
    done
    for source in engine isa pace arena; do
        # shellcheck disable=SC2086
        "$1" $FLAGS -O2 -c -o "$objects/$source.o" "src/engine/$source.c"
    done
    # shellcheck disable=SC2086
    "$1" $FLAGS -O2 -static -o "$folder/flights-$2" tests/machines/flights.c src/fault.c "$objects"/*.o -lm 2>"$folder/$2.log"
}

# What this machine prints comes from the objects of the ordinary build.
# shellcheck disable=SC2086
gcc $FLAGS -O2 -o "$folder/flights" tests/machines/flights.c $OBJECTS -lm
build aarch64-linux-gnu-gcc aarch64
"$folder/flights" >"$folder/here"
qemu-aarch64-static "$folder/flights-aarch64" >"$folder/there"
BOIDS_ISA=scalar qemu-aarch64-static "$folder/flights-aarch64" >"$folder/there-scalar"
for found in there there-scalar; do
    diff "$folder/here" "$folder/$found" || {
        echo "hash-aarch64: AArch64 flies otherwise" >&2
        exit 1
    }
done
echo "$(wc -l <"$folder/here") flights, the same bits on AArch64, in packs and one by one"
