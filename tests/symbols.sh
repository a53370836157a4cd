#!/bin/sh
# Checks the names in the objects of the core.
#
#     tests/symbols.sh OBJECT...
#
# Every global name that an object defines must start with flock_, so that the core can be linked into any program. It may refer
# only to the core itself, memcpy, memset, memmove and the runtime of the compiler (names that start with two underscores): no
# malloc, no stdio. sqrt and sqrtf are allowed for machines without the instruction; elsewhere -fno-math-errno avoids them. Builds
# with sanitizers refer to other names and cannot be checked.
#
# Prints every other name with its object, and fails if there is one.
set -u
export LC_ALL=C

if [ $# -eq 0 ]; then
    echo "usage: tests/symbols.sh OBJECT..." >&2
    exit 2
fi

# A line of `nm -P` has the name, the type and more. An upper-case type is global; U, v and w are references, v and w weak ones.
strangers() {
    awk -v object="$1" '
        function is_runtime(name) {
            # A fortified printf is __printf_chk, and scanf may be __isoc99_scanf: both are stdio.
            if (name ~ /_chk$/)
                return name ~ /^__mem(cpy|set|move)_chk$/
            return name ~ /^__/ && name !~ /^__isoc/
        }
        $2 ~ /^[Uvw]$/ {
            if ($1 !~ /^flock_/ && $1 !~ /^(mem(cpy|set|move)|sqrtf?|_GLOBAL_OFFSET_TABLE_)$/ && !is_runtime($1))
                print object ": refers to " $1 ", which the core must do without"
            next
        }
        $2 ~ /^[A-Z]$/ && $1 !~ /^flock_/ {
            print object ": defines " $1 ", which does not start with flock_"
        }'
}

failed=0
for object in "$@"; do
    if ! names=$(nm -P -g "$object"); then
        echo "$object: nm cannot read it" >&2
        failed=1
        continue
    fi
    found=$(echo "$names" | strangers "$object")
    if [ -n "$found" ]; then
        echo "$found" >&2
        failed=1
    fi
done
exit "$failed"
