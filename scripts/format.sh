#!/bin/sh
# `make format`: formats C, Python and JavaScript, also in files that git does not know yet. With --check, it changes nothing, and the
# status is 1 if a file is not formatted. The settings are in .clang-format, pyproject.toml and .editorconfig.
set -eu

# files PATTERN...: separated by null bytes.
files() {
    git ls-files -z --cached --others --exclude-standard -- "$@"
}

case ${1-} in
--check) c='--dry-run --Werror' python=--check javascript=--check ;;
*) c=-i python='' javascript=--write ;;
esac
# shellcheck disable=SC2086 # Options are words.
{
    files '*.[ch]' | xargs -0 clang-format $c
    files '*.py' | xargs -0 black --quiet $python
    files '*.js' '*.mjs' | xargs -0 node_modules/.bin/prettier --log-level warn $javascript
}
