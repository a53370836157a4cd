#!/bin/sh
# Prints a python3 that has every module named:
#
#     sh scripts/find_python.sh numpy h5py matplotlib
#
# The first python3 on PATH is often that of pyenv or conda, without the modules that apt or dnf installed for /usr/bin/python3. The
# order is: $PYTHON; each python3 on PATH and in PYTHON_PLACES (folders, separated by colons); then each python3.N there, except in
# the folder `shims` of pyenv, where each one takes a second, and python3 is the selected version.
#
# If none has all modules, it prints one sentence to standard error with what each lacks, and the exit status is 1.
#
# It looks the modules up without importing them: this takes 20 ms, while importing matplotlib takes a second.
set -u

PYTHON_PLACES=${PYTHON_PLACES-/usr/bin:/usr/local/bin:/opt/homebrew/bin}

# A folder without Python files is a module too (origin None, formerly "namespace"), so a folder `numpy` on the search path would
# pass; hence the check of the origin. The current folder, '', is left out.
probe='
import sys
from importlib.util import find_spec
sys.path = [p for p in sys.path if p]
def origin(name):
    try:
        spec = find_spec(name)
    except (ImportError, ValueError):
        spec = None
    return spec.origin if spec else None
print(", ".join(m for m in sys.argv[1:] if origin(m) in (None, "namespace")))
'

modules=$*
tried=

# Ends the search if $1 has all modules, otherwise notes what it lacks.
try() {
    case ";$tried;" in *"; $1 "* | *";$1 "*) return ;; esac
    # pyenv has a stub for python3 although none may be selected; it fails and is skipped.
    # shellcheck disable=SC2086 # The modules are words.
    lacking=$("$1" -c "$probe" $modules 2>/dev/null </dev/null) || return 0
    if [ -z "$lacking" ]; then
        printf '%s\n' "$1"
        exit 0
    fi
    tried="$tried${tried:+; }$1 lacks $lacking"
}

# Tries the files that match the pattern $1 in each folder. Links to folders are resolved, so that /bin and /usr/bin are not both
# tried if they are the same.
try_everywhere() {
    folders=$PATH:$PYTHON_PLACES
    split=$IFS
    IFS=:
    for folder in $folders; do
        IFS=$split
        for file in "$folder"/$1; do
            case $file in */shims/python3.*) continue ;; esac
            if [ -n "$folder" ] && [ -f "$file" ] && [ -x "$file" ]; then
                try "$(cd "$folder" && pwd -P)/${file##*/}"
            fi
        done
    done
    IFS=$split
}

if [ -n "${PYTHON-}" ]; then
    python=$(command -v "$PYTHON") || python=$PYTHON
    try "$python"
fi
try_everywhere 'python3'
try_everywhere 'python3.[0-9]'
try_everywhere 'python3.[0-9][0-9]'

if [ -n "$tried" ]; then
    echo "find_python: no python3 here has all of $modules: $tried" >&2
else
    echo 'find_python: there is no python3 here that runs' >&2
fi
exit 1
