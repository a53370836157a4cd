#!/bin/sh
# `make test-repro-aarch64`: compares the hashes of this machine with those of AArch64 (NEON and the scalar core), emulated by qemu.
#
#     tests/hash_aarch64.sh STATE_HASHES_HERE STATE_HASHES_AARCH64
set -eu
folder=$(dirname "$2")
export QEMU_LD_PREFIX=/usr/aarch64-linux-gnu # where Debian keeps the libraries

"$1" >"$folder/here"
qemu-aarch64 "$2" >"$folder/there"
BOIDS_ISA=scalar qemu-aarch64 "$2" >"$folder/there-scalar"
for found in there there-scalar; do
    diff "$folder/here" "$folder/$found" || {
        echo "test-repro-aarch64: the hashes of AArch64 differ" >&2
        exit 1
    }
done
echo "$(wc -l <"$folder/here") runs have the same bits on AArch64, with SIMD and without"
