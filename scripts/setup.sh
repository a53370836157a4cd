#!/bin/sh
# Installs what boids needs and this machine lacks. `sh scripts/setup.sh --help` tells how to call it; the make
# targets call it themselves.
#
# It asks for what a build uses (a command, a module of pkg-config or Python, a header), never for a package,
# so anything installed by other means counts. When all is there it says nothing and takes a fraction of a
# second. Otherwise it says what is missing and which command it will run, runs that and looks again.
set -u

usage() {
    cat <<'END'
Usage: sh scripts/setup.sh [--check] [-y] GROUP...

Installs what is missing for each GROUP; silent when nothing is.

  build     C compiler with OpenMP, make, pkg-config, cJSON, HDF5
  demo      build, and ffmpeg and a python3 with numpy, h5py and matplotlib
  test      demo, and cmocka and Python's jsonschema
  sanitize  test, and the compiler's sanitizer runtimes
  lint      build, and cmocka, clang, clang-format, clang-tidy and cppcheck
  firmware  build, and gcc for the RP2040 (arm-none-eabi-gcc)
  firmware-test
            firmware, and node 18 or newer with npm

  --check   only say what is missing
  -y        never wait for a person: use sudo only if it wants no password

Debian and Ubuntu by apt-get, Fedora by dnf, macOS by brew; elsewhere it names what is missing.
CC is the compiler asked for (cc), PKG_CONFIG the pkg-config, PYTHON the python3 to try first.
Exit status: 0 all is there, 1 something is missing, 2 the call is wrong.
END
}

here=$(dirname "$0")
CC=${CC:-cc}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}
# Set by tests, to stand on another system.
SETUP_OS_RELEASE=${SETUP_OS_RELEASE:-/etc/os-release}

say() {
    printf 'setup: %s\n' "$*"
}

# One line each, indented under what was said before.
list() {
    printf '%s\n' "$1" | sed '/./!d; s/^/    /'
}

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# What is asked for: a list of needs, and one of Python modules, which one python3 must have together.

needs=
modules=

need() {
    for item; do
        case " $needs " in *" $item "*) ;; *) needs="$needs $item" ;; esac
    done
}

need_module() {
    need python
    for item; do
        case " $modules " in *" $item "*) ;; *) modules="$modules${modules:+ }$item" ;; esac
    done
}

need_group() {
    case $1 in
    build) need cc make pkg-config cjson hdf5 openmp ;;
    demo) need_group build && need ffmpeg && need_module numpy h5py matplotlib ;;
    test) need_group demo && need cmocka && need_module jsonschema ;;
    sanitize) need_group test && need sanitizers ;;
    lint) need_group build && need cmocka clang clang-openmp clang-format clang-tidy cppcheck ;;
    firmware) need_group build && need arm-none-eabi-gcc ;;
    firmware-test) need_group firmware && need node npm ;;
    *) return 1 ;;
    esac
}

# What is there.

have_command() {
    command -v "$1" >/dev/null 2>&1
}

have_pkg() {
    $PKG_CONFIG --exists "$1" 2>/dev/null
}

# have_header COMPILER HEADER [FLAG]: that a compiler is there does not mean that it finds its headers. Debian's
# gcc comes without stdio.h, its clang without omp.h.
have_header() {
    # shellcheck disable=SC2086 # CC may be several words, as in "ccache gcc".
    echo "#include <$2>" | $1 ${3-} -fsyntax-only -x c - 2>/dev/null
}

# Only linking tells whether the runtimes are there. Without a compiler there is no knowing; the second look,
# once it is installed, will tell.
have_sanitizers() {
    have_header "$CC" stdio.h || return 0
    folder=$(mktemp -d) || return 1
    # shellcheck disable=SC2086
    echo 'int main(void) { return 0; }' |
        $CC -fsanitize=address,undefined -x c - -o "$folder/probe" 2>/dev/null
    status=$?
    rm -rf "$folder"
    return "$status"
}

have() {
    # shellcheck disable=SC2086 # The modules are words.
    case $1 in
    cc) have_header "$CC" stdio.h ;;
    # Apple's cc knows no -fopenmp, whatever is installed.
    openmp) [ "$(uname -s)" = Darwin ] || have_header "$CC" omp.h -fopenmp ;;
    clang-openmp) [ "$(uname -s)" = Darwin ] || have_header clang omp.h -fopenmp ;;
    sanitizers) have_sanitizers ;;
    pkg-config) have_command "${PKG_CONFIG%% *}" ;;
    hdf5) have_pkg hdf5-serial || have_pkg hdf5 ;;
    cjson) have_pkg libcjson ;;
    cmocka) have_pkg cmocka ;;
    python) python_fault=$(sh "$here/find_python.sh" $modules 2>&1 >/dev/null) ;;
    node) node -e 'process.exit(parseInt(process.versions.node) >= 18 ? 0 : 1)' 2>/dev/null ;;
    *) have_command "$1" ;;
    esac
}

look() {
    missing=
    for item in $needs; do
        have "$item" || missing="$missing${missing:+ }$item"
    done
}

# What a need is called: `what` in words, then by apt, dnf and brew; `hand` is what brew leaves to do by hand.
# Quotes in `hand` stay as they are: it is a line for a person's shell.
# shellcheck disable=SC2016
describe() {
    what=$1 apt=$1 dnf=$1 brew=$1 hand=''
    # Compilers are packages by their own names, clang-15 as well as gcc; cc is gcc, or comes with Apple's tools.
    for word in $CC; do
        case $word in -*) ;; *) compiler=${word##*/} ;; esac
    done
    case $compiler in cc | c99) compiler=gcc ;; esac
    case $compiler in clang*) suffix=${compiler#clang} ;; *) suffix= ;; esac
    case $1 in
    cc)
        what="C compiler ($CC) and the C library's headers"
        apt="$compiler libc6-dev" dnf="$compiler glibc-devel" brew='' hand='xcode-select --install'
        ;;
    openmp)
        what="OpenMP for $CC (omp.h)"
        case $compiler in clang*) apt=libomp$suffix-dev dnf=libomp-devel ;; *) apt=$compiler dnf=$compiler ;; esac
        brew=
        ;;
    sanitizers)
        what="sanitizer runtimes of $CC"
        case $compiler in
        clang*) apt=libclang-rt$suffix-dev dnf=compiler-rt ;;
        *) apt=$compiler dnf='libasan libubsan' ;;
        esac
        brew='' hand='xcode-select --install'
        ;;
    pkg-config) dnf=pkgconf-pkg-config brew=pkgconf ;;
    make) brew='' hand='xcode-select --install' ;;
    cjson) what='cJSON (libcjson in pkg-config)' apt=libcjson-dev dnf=cjson-devel ;;
    hdf5) what='HDF5 (hdf5-serial or hdf5 in pkg-config)' apt=libhdf5-dev dnf=hdf5-devel ;;
    cmocka) what='cmocka (cmocka in pkg-config)' apt=libcmocka-dev dnf=libcmocka-devel ;;
    ffmpeg) dnf=ffmpeg-free ;;
    python)
        what="python3 with $modules (${python_fault#find_python: })"
        apt=python3 dnf=python3 brew=python3
        for item in $modules; do
            apt="$apt python3-$item" dnf="$dnf python3-$item"
        done
        hand="python3 -m venv .venv && . .venv/bin/activate && pip install $modules"
        ;;
    clang) brew=llvm ;;
    arm-none-eabi-gcc)
        what='gcc for ARM microcontrollers (arm-none-eabi-gcc)'
        apt=gcc-arm-none-eabi dnf='arm-none-eabi-gcc-cs' brew='' hand='brew install --cask gcc-arm-embedded'
        ;;
    node) what='node 18 or newer' apt=nodejs dnf=nodejs ;;
    npm) dnf=nodejs-npm brew=node ;;
    clang-openmp) what='OpenMP for clang (omp.h)' apt=libomp-dev dnf=libomp-devel brew= ;;
    clang-format) dnf=clang-tools-extra ;;
    clang-tidy) dnf=clang-tools-extra brew=llvm hand='PATH="$(brew --prefix llvm)/bin:$PATH"' ;;
    esac
}

# Sets, from the missing needs, `whats` and `hands`, one to a line, and `packages` for the package manager $1,
# less those already asked for.
describe_missing() {
    whats='' hands='' packages=''
    for lack in $missing; do
        describe "$lack"
        whats="$whats$what
"
        case $1 in apt-get) names=$apt ;; dnf) names=$dnf ;; brew) names=$brew ;; *) names= ;; esac
        for name in $names; do
            case " $asked $packages " in *" $name "*) ;; *) packages="$packages${packages:+ }$name" ;; esac
        done
        if [ "$1" = brew ] && [ -n "$hand" ]; then
            case $hands in *"$hand"*) ;; *) hands="$hands$hand
" ;; esac
        fi
    done
}

# The package manager this kind of system comes with, whether or not it is installed; empty when unknown.
find_manager() {
    manager=
    if [ "$(uname -s)" = Darwin ]; then
        manager=brew
    elif [ -r "$SETUP_OS_RELEASE" ]; then
        # shellcheck disable=SC1090
        case " $(. "$SETUP_OS_RELEASE" && echo "${ID-} ${ID_LIKE-}") " in
        *' debian '* | *' ubuntu '*) manager='apt-get' ;;
        *' fedora '*) manager=dnf ;;
        esac
    fi
}

# Sets `sudo` to what goes before a command that needs root, and `obstacle` to why it cannot be run, if so.
find_root() {
    sudo='' obstacle=''
    if ! have_command "$manager"; then
        obstacle="$manager is not there"
    elif [ "$manager" = brew ] || [ "$(id -u)" -eq 0 ]; then
        return
    elif ! have_command sudo; then
        obstacle='it takes root, and there is no sudo'
    else
        sudo='sudo '
        if $is_check || sudo -n true 2>/dev/null; then
            return
        fi
        if $is_quiet || ! [ -t 0 ]; then
            obstacle='it takes root, and sudo wants a password that nobody is there to type'
        fi
    fi
}

# Sets `command`, to be shown and run as it is; empty when there is nothing to ask of the package manager.
compose() {
    command=
    [ -n "$packages" ] || return 0
    case $manager in
    apt-get)
        command="${sudo}apt-get update && ${sudo}env DEBIAN_FRONTEND=noninteractive \
apt-get install -y --no-install-recommends $packages"
        ;;
    dnf) command="${sudo}dnf install -y $packages" ;;
    brew) command="brew install $packages" ;;
    esac
}

say_hands() {
    if [ -n "$hands" ]; then
        say 'brew cannot do this; run it yourself:'
        list "$hands"
    fi
}

is_check=false
is_quiet=false
while [ $# -gt 0 ]; do
    case $1 in
    --check) is_check=true ;;
    -y) is_quiet=true ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        if ! need_group "$1"; then
            echo "setup: $1 is not a group; the groups are build, demo, test, sanitize, lint, firmware and firmware-test" >&2
            exit 2
        fi
        ;;
    esac
    shift
done
if [ -z "$needs" ]; then
    usage >&2
    exit 2
fi

# A second round is for what could not be asked before the first: see have_sanitizers. When there is no package
# left to ask for, it is the last.
asked=
while look && [ -n "$missing" ]; do
    find_manager
    describe_missing "$manager"
    if [ -n "$asked" ] && [ -z "$packages" ]; then
        say_hands
        say 'still missing after that:' >&2
        list "$whats" >&2
        exit 1
    fi

    say 'missing:'
    list "$whats"
    if [ -z "$manager" ]; then
        fail 'this is neither Debian, Ubuntu, Fedora nor macOS; install these by its own means'
    fi
    find_root
    compose
    if $is_check || [ -n "$obstacle" ]; then
        [ -z "$obstacle" ] || say "cannot install it: $obstacle"
        if [ -n "$command" ]; then
            say 'this command installs it:'
            list "$command"
        fi
        say_hands
        exit 1
    fi
    if [ -n "$command" ]; then
        say 'running:'
        list "$command"
        eval "$command" </dev/null || fail "that command failed with status $?; what it said stands above"
    fi
    asked="$asked $packages"
done
