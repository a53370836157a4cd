#!/bin/sh
# `make lint`: shell scripts, layout, warnings as errors from two compilers, static analysis. CFLAGS comes from the Makefile.
set -eu
: "${CFLAGS:?run this through make lint}"

sources=$(git ls-files 'src/*.[ch]' 'include/*.h' 'tests/*.[ch]' 'examples/*.c' 'firmware/*.[ch]' 2>/dev/null)
# What is compiled once per number type, and what for floats only.
core=$(git ls-files 'src/core/*.c' 'src/library/*.c' src/engine/scalar.c)
packed=$(git ls-files src/engine/packed.c src/engine/pack_step.c src/engine/turns.c)
fixed=src/tools/firmware_config.c
host=$(git ls-files 'src/*.c' | grep -v -F "$core
$packed
$fixed")
object=$(mktemp)
trap 'rm -f "$object"' EXIT

echo "shellcheck"
git ls-files -z '*.sh' '*.slurm' .ci/run | xargs -0 shellcheck

echo "clang-format"
# shellcheck disable=SC2086
clang-format --dry-run --Werror $sources

for compiler in gcc clang; do
    echo "$compiler -Werror"
    for file in $host; do
        # shellcheck disable=SC2086
        $compiler $CFLAGS -DBOIDS_VERSION='"lint"' -DBOIDS_REVISION='"lint"' -DBOIDS_FLAGS='"lint"' -O2 -Werror -c -o "$object" "$file"
    done
    for type in FLOAT32 FLOAT64 FIXED; do
        files=$core
        [ $type = FIXED ] && files="$files $fixed" || files="$files $packed"
        for file in $files; do
            # shellcheck disable=SC2086
            $compiler $CFLAGS "-DFLOCK_${type}_CORE" -Isrc/core -O2 -Werror -c -o "$object" "$file"
        done
    done
done

echo "cppcheck"
# shellcheck disable=SC2086
cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem -Iinclude -Isrc -Isrc/core -DFLOCK_FLOAT64_CORE -DBOIDS_VERSION='"lint"' \
    -DBOIDS_REVISION='"lint"' -DBOIDS_FLAGS='"lint"' $host $core $packed

echo "lint: clean"
