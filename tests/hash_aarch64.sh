#!/bin/sh
# `make test-repro-aarch64`: the engine on another machine, NEON and the scalar core, run by qemu, against the same
# flights on this one.
#
#     tests/hash_aarch64.sh FLIGHTS_HERE FLIGHTS_THERE
set -eu
folder=$(dirname "$2")
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu # where Debian keeps the libraries

"$1" >"$folder/here"
qemu-aarch64-static "$2" >"$folder/there"
BOIDS_ISA=scalar qemu-aarch64-static "$2" >"$folder/there-scalar"
for found in there there-scalar; do
    diff "$folder/here" "$folder/$found" || {
        echo "test-repro-aarch64: the hashes of AArch64 differ" >&2
        exit 1
    }
done
echo "$(wc -l <"$folder/here") flights, the same bits on AArch64, in packs and one by one"
