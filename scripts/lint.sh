#!/bin/sh
# `make lint`: shell scripts, words, layout, JavaScript, names and types in Python, warnings of the compilers of this machine and of the board as errors, static analysis.
# Only the Makefile knows in which ways each source is compiled, so it also compiles here, into build/lint; clang writes its
# commands into a file for the analysers. If WERROR is set, as in CI, gcc has compiled build/release with warnings as errors, and
# here it compiles only what the tests do not build.
set -eu
: "${MAKE:?run this through make lint}"
unset MAKEFLAGS MFLAGS
folder=build/lint
jobs=$(getconf _NPROCESSORS_ONLN)
mkdir -p $folder

# compile NAME WORD...: into the folder of that name.
compile() {
    echo "$1 -Werror"
    name=$1
    shift
    $MAKE -s --no-print-directory --jobs="$jobs" BUILD="$folder/$name" FIRMWARE="$folder/firmware" CFLAGS=-O2 SIMD_CFLAGS=-O1 \
        WERROR=1 "$@" >/dev/null
}

echo "shellcheck"
git ls-files -z '*.sh' '*.slurm' .ci/run | xargs -0 shellcheck

echo "words"
python3 scripts/lint_words.py

echo "layout"
sh scripts/format.sh --check || {
    echo "lint: make format mends the layout" >&2
    exit 1
}

echo "eslint"
node_modules/.bin/eslint --max-warnings 0 web python/boids eslint.config.mjs

echo "pyflakes"
# Spack's recipes import all names of their package.
git ls-files -z '*.py' ':!packaging/spack' | xargs -0 pyflakes3

echo "mypy"
mypy --no-error-summary python/boids tests/release/user_types.py

if [ -n "${WERROR-}" ]; then
    $MAKE -s --no-print-directory build/release/bench build/release/firmware_config
    compile arm-none-eabi-gcc BUILD=build/release CC=gcc CFLAGS='-O2 -g' SIMD_CFLAGS= board_objects
else
    compile gcc CC=gcc objects $folder/gcc/bench
    compile arm-none-eabi-gcc BUILD=$folder/gcc CC=gcc board_objects
fi
# shellcheck disable=SC2016 # $@ is make's.
compile clang CC=clang CPPFLAGS='-MJ $@.json -Xclang -fsyntax-only' objects

# Each source is analysed once or twice, not in all its ways: the core as float64, SIMD code with the instructions of v3.
{
    echo '['
    find $folder/clang -name '*.o.json' ! -path '*/f32/*' ! -path '*/fixed/core/*' ! -path '*/plain/*' ! -path '*/v4/*' \
        -exec cat {} + | sed '$ s/,$//'
    echo ']'
} >$folder/compile_commands.json
sources=$(sed -n 's/.*"file": "\([^"]*\)".*/\1/p' $folder/compile_commands.json | sort -u |
    while read -r source; do [ ! -f "$source" ] || echo "$source"; done) # some may be gone since

# CI leaves out what a change cannot alter. At the exhaustive level, all are analysed.
changed=$(echo "$sources" | python3 tests/changed.py sources)
number=$(echo "$changed" | grep -c . || true) all=$(echo "$sources" | grep -c .)
echo "clang-tidy on $number of $all sources"
rm -f $folder/left
[ "$number" = "$all" ] || echo "clang-tidy on $((all - number)) sources" >$folder/left
# The analyser looks at changed sources, and all at the exhaustive level, as deeply as .clang-tidy says; if it cannot be known what has
# changed, at all of them less deeply, in a quarter of the time.
depth=75000
if [ "$number" = "$all" ] && [ "${BOIDS_TEST_LEVEL-}" != exhaustive ]; then
    depth=3000
    echo "clang-tidy beyond $depth nodes of a function" >$folder/left
fi
sed "s/max-nodes=75000/max-nodes=$depth/" .clang-tidy >$folder/clang-tidy
# On standard error, it prints the number of warnings that it does not show.
echo "$changed" | xargs -r -P "$jobs" -n 1 clang-tidy --quiet --config-file=$folder/clang-tidy -p $folder 2>$folder/tidy.log || {
    grep -v ' generated[.]$' $folder/tidy.log >&2
    exit 1
}

echo "cppcheck"
# shellcheck disable=SC2086
cppcheck --quiet -j "$jobs" --error-exitcode=1 --std=c11 --enable=warning,performance,portability --inline-suppr \
    --suppress=missingIncludeSystem -Iinclude -Isrc -Isrc/core -DFLOCK_FLOAT64_CORE -DBOIDS_VERSION='"lint"' \
    -DBOIDS_REVISION='"lint"' -DBOIDS_FLAGS='"lint"' $sources

echo "lint: clean"
