#!/bin/sh
# Installs what boids needs and this machine lacks. `sh scripts/setup.sh --help` explains the call; the make targets call it
# themselves.
#
# It looks for the things that a build uses (a command, a module of pkg-config or Python, a header), not for packages, so it also finds
# software that was installed in other ways. If nothing is missing, it prints nothing and takes a fraction of a second. Otherwise it prints
# what is missing and which command it will run, runs the command and looks again.
#
# It installs with apt-get only. On other systems it prints what is missing, and the packages if they are known.
set -u
export LC_ALL=C # busy() reads what apt-get says

usage() {
    cat <<'END'
Usage: sh scripts/setup.sh [--check] [-y] GROUP...

Installs what is missing for each GROUP; prints nothing if nothing is missing.

  core      C compiler, make, cJSON: enough for `make HDF5=no`
  build     core, and pkg-config and HDF5
  demo      build, and ffmpeg and a python3 with numpy, h5py and matplotlib
  analyse   a python3 with numpy, h5py, matplotlib, scipy and pandas: what all commands use
  pip       build, analyse, and Python's venv, setuptools and wheel: what `pip install .` uses (docs/python.md)
  test      demo, and cmocka and Python's jsonschema, nbclient, ipykernel and pandas
  page      build, and clang, lld and wasi-libc for WebAssembly, and the Python modules of demo: what a release uses
  page-test page, test, and the browser chromium and npm
  sanitize  test, and clang and its sanitizer runtimes
  hash      build, and clang
  machines  build, and gcc for AArch64, s390x and the C library musl, and emulators
  mpi       test, and Open MPI, for flocks on several processes
  mpich     mpi, and a second library of MPI, for make check-all
  firmware  build, and gcc and the C library for the RP2040 (arm-none-eabi-gcc, newlib)
  format    clang-format, black, and npm, which installs prettier and eslint
  lint      hash, firmware, format, and clang-tidy, cppcheck, shellcheck, pyflakes3, mypy and numpy for its types
  firmware-test
            firmware, and node 18 or newer with npm, CMake, QEMU's ARM boards and python3
  site      page, and Sphinx with MyST and Furo, Doxygen and Breathe
  release   mpi, and debhelper, build-essential, dh-python, lintian, debootstrap, ruby, npm and pip, for packages
  check     page-test, analyse, sanitize, lint, firmware-test, site, release, a C++ compiler, groff and ccache: what `make check` uses

  --check   only print what is missing
  -y        never wait for a person: use sudo only if it wants no password

Debian and Ubuntu by apt-get; elsewhere it prints what is missing.
CC is the compiler asked for (cc), PKG_CONFIG the pkg-config, PYTHON the python3 to try first.
Exit status: 0 all is there, 1 something is missing, 2 the call is wrong.
END
}

here=$(dirname "$0")
CC=${CC:-cc}
PKG_CONFIG=${PKG_CONFIG:-pkg-config}
# Set by tests, to simulate another system.
SETUP_OS_RELEASE=${SETUP_OS_RELEASE:-/etc/os-release}
patience=300 # seconds that another apt-get may take

say() {
    printf 'setup: %s\n' "$*"
}

# Prints lines, indented.
list() {
    printf '%s\n' "$1" | sed '/./!d; s/^/    /'
}

fail() {
    printf 'setup: %s\n' "$*" >&2
    exit 1
}

# The needs of the groups, and the Python modules, which one python3 must have together.

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
    core) need cc make cjson ;;
    build) need cc make pkg-config cjson hdf5 ;;
    demo) need_group build && need ffmpeg && need_module numpy h5py matplotlib ;;
    analyse) need_module numpy h5py matplotlib scipy pandas ;;
    pip) need_group build && need_group analyse && need_module ensurepip setuptools wheel ;;
    test) need_group demo && need cmocka && need_module jsonschema nbclient ipykernel pandas ;;
    page) need_group build && need_module numpy h5py matplotlib && need clang wasi ;;
    page-test) need_group test && need_group page && need chromium npm ;;
    sanitize) need_group test && need clang sanitizers ;;
    hash) need_group build && need clang ;;
    machines) need_group build && need aarch64-linux-gnu-gcc s390x-linux-gnu-gcc musl-gcc qemu-aarch64 qemu-s390x ;;
    mpi) need_group test && need mpicc mpirun ;;
    mpich) need_group mpi && need mpicc.mpich ;;
    site) need_group page && need doxygen && need_module sphinx myst_parser furo breathe ;;
    release) need_group mpi && need_group page && need dh dh_python3 lintian debootstrap ruby npm && need_module scipy pip setuptools wheel jinja2 yaml ;;
    firmware) need_group build && need arm-none-eabi-gcc ;;
    format) need clang-format black npm ;;
    lint) need_group hash && need_group firmware && need_group format && need clang-tidy cppcheck shellcheck pyflakes3 mypy && need_module numpy ;;
    firmware-test) need_group firmware && need node npm cmake qemu-system-arm python3 ;;
    check)
        need_group page-test && need_group analyse && need_group sanitize && need_group lint && need_group firmware-test &&
            need_group site && need_group release && need g++ groff ccache
        ;;
    *) return 1 ;;
    esac
}

count() {
    echo $#
}

# Looking for a need.

have_command() {
    command -v "$1" >/dev/null 2>&1
}

have_pkg() {
    $PKG_CONFIG --exists "$1" 2>/dev/null
}

# compiles COMPILER TEXT
compiles() {
    # shellcheck disable=SC2086 # CC may be several words, as in "ccache gcc".
    echo "$2" | $1 -fsyntax-only -x c - 2>/dev/null
}

# have_header COMPILER HEADER: an installed compiler does not always find its headers. Debian's gcc comes without stdio.h.
have_header() {
    compiles "$1" "#include <$2>"
}

# Only linking shows whether the runtimes are installed. Without a compiler this is unknown until the second look, after the
# compiler was installed.
have_sanitizers() {
    have_header clang stdio.h || return 0
    folder=$(mktemp -d) || return 1
    echo 'int main(void) { return 0; }' |
        clang -fsanitize=address,undefined -x c - -o "$folder/probe" 2>/dev/null
    status=$?
    rm -rf "$folder"
    return "$status"
}

# The same for WebAssembly: clang, the linker wasm-ld, the C library and the runtime of the compiler.
have_wasi() {
    have_header clang stdio.h || return 0
    folder=$(mktemp -d) || return 1
    printf '#include <stdlib.h>\nint main(void) { return abs(-1); }\n' |
        clang --target=wasm32-wasi -x c - -o "$folder/probe" 2>/dev/null
    status=$?
    rm -rf "$folder"
    return "$status"
}

have() {
    # shellcheck disable=SC2086 # The modules are words.
    case $1 in
    cc) have_header "$CC" stdio.h ;;
    *-linux-gnu-gcc | musl-gcc) have_header "$1" stdio.h ;;
    mpicc | mpicc.mpich) have_header "$1" mpi.h ;;
    arm-none-eabi-gcc) have_header "$1" math.h ;;
    sanitizers) have_sanitizers ;;
    wasi) have_wasi ;;
    pkg-config) have_command "${PKG_CONFIG%% *}" ;;
    hdf5) have_pkg hdf5-serial || have_pkg hdf5 ;;
    cjson) have_pkg libcjson || { ! have pkg-config && have_header "$CC" cjson/cJSON.h; } ;;
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

# Sets `what` to a need in words and `apt` to its packages.
describe() {
    what=$1 apt=$1
    # The package of a compiler has its name, clang-15 as well as gcc; cc is gcc.
    for word in $CC; do
        case $word in -*) ;; *) compiler=${word##*/} ;; esac
    done
    case $compiler in cc | c99) compiler=gcc ;; esac
    case $1 in
    cc) what="C compiler ($CC) and the C library's headers" apt="$compiler libc6-dev" ;;
    sanitizers) what='sanitizer runtimes of clang' apt=libclang-rt-dev ;;
    wasi) what='lld, wasi-libc and the runtime of clang, for WebAssembly' apt='lld wasi-libc libclang-rt-dev-wasm32' ;;
    cjson) what='cJSON (cjson/cJSON.h)' apt=libcjson-dev ;;
    hdf5) what='HDF5 (hdf5-serial or hdf5 in pkg-config)' apt=libhdf5-dev ;;
    cmocka) what='cmocka (cmocka in pkg-config)' apt=libcmocka-dev ;;
    python)
        what="python3 with $modules (${python_fault#find_python: })"
        apt=python3
        for item in $modules; do
            case $item in
            ensurepip) apt="$apt python3-venv" ;; # which Debian has apart from Python
            furo) apt="$apt furo" ;;
            myst_parser) apt="$apt python3-myst-parser" ;;
            *) apt="$apt python3-$item" ;;
            esac
        done
        ;;
    aarch64-linux-gnu-gcc)
        what='gcc for AArch64 (aarch64-linux-gnu-gcc) and its C library'
        apt='gcc-aarch64-linux-gnu libc6-dev-arm64-cross'
        ;;
    s390x-linux-gnu-gcc)
        what='gcc for s390x (s390x-linux-gnu-gcc) and its C library'
        apt='gcc-s390x-linux-gnu libc6-dev-s390x-cross'
        ;;
    musl-gcc) what='gcc for the C library musl (musl-gcc)' apt=musl-tools ;;
    qemu-system-arm) what='an emulator of ARM boards (qemu-system-arm)' ;;
    qemu-*) what="an emulator of ${1#qemu-} ($1)" apt=qemu-user ;;
    mpicc) what='MPI (mpicc and mpi.h)' apt=libopenmpi-dev ;;
    mpicc.mpich) what='a second library of MPI (mpicc.mpich and mpi.h)' apt='mpich libmpich-dev' ;;
    mpirun) what='what starts programs of MPI (mpirun)' apt=openmpi-bin ;;
    arm-none-eabi-gcc)
        what='gcc for ARM microcontrollers (arm-none-eabi-gcc) and its C library'
        apt='gcc-arm-none-eabi libnewlib-arm-none-eabi'
        ;;
    node) what='node 18 or newer' apt=nodejs ;;
    dh) apt='debhelper build-essential' ;; # dpkg-buildpackage wants both
    dh_python3) apt=dh-python ;;
    g++) what='C++ compiler (g++)' ;;
    esac
}

# Sets `whats`, the missing needs, one per line, and `packages`, without those that were installed before.
describe_missing() {
    whats='' packages=''
    for lack in $missing; do
        describe "$lack"
        whats="$whats$what
"
        for name in $apt; do
            case " $asked $packages " in *" $name "*) ;; *) packages="$packages${packages:+ }$name" ;; esac
        done
    done
}

# The names of this kind of system, for example "ubuntu debian".
system_names() {
    if [ "$(uname -s)" = Darwin ]; then
        echo macos
    elif [ -r "$SETUP_OS_RELEASE" ]; then
        # shellcheck disable=SC1090
        (. "$SETUP_OS_RELEASE" && echo "${ID-} ${ID_LIKE-}")
    fi
}

# The packages of `make demo` and `make test` on systems without apt-get. These lines are not tested.
refuse_other_system() {
    case " $(system_names) " in
    *' debian '* | *' ubuntu '*) return ;;
    *' fedora '*)
        line='dnf install gcc make pkgconf-pkg-config cjson-devel hdf5-devel libcmocka-devel ffmpeg-free'
        line="$line python3-h5py python3-matplotlib python3-jsonschema python3-nbclient python3-ipykernel python3-pandas"
        ;;
    *' arch '*)
        line='pacman -S gcc make pkgconf cjson hdf5 cmocka ffmpeg python-h5py python-matplotlib python-jsonschema python-nbclient python-ipykernel python-pandas'
        ;;
    *' macos '*) line='brew install pkgconf cjson hdf5 cmocka ffmpeg && pip install h5py matplotlib jsonschema nbclient ipykernel pandas' ;;
    *) line="what Debian calls $packages" ;;
    esac
    fail "this is neither Debian nor Ubuntu; install it yourself: $line"
}

# Sets `sudo` to the prefix of a command that needs root, and `obstacle` to the reason if it cannot be run.
find_root() {
    sudo='' obstacle=''
    if ! have_command apt-get; then
        obstacle='apt-get is not there'
    elif [ "$(id -u)" -eq 0 ]; then
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

# Sets `command`, which is printed and run.
compose() {
    wait="-o DPkg::Lock::Timeout=$patience"
    command="${sudo}apt-get $wait update && ${sudo}env DEBIAN_FRONTEND=noninteractive apt-get $wait \
install -y --no-install-recommends $packages"
}

# True if apt-get failed because another one is running, as on a machine that has just been started. apt-get itself waits for the
# lock of dpkg, but not for the locks of its lists and downloads.
busy() {
    grep -q 'Could not get lock' "$said"
}

# Runs the command, repeats it while apt-get is busy, and returns its status.
install() {
    said=$(mktemp) || fail 'there is no room for a temporary file'
    trap 'rm -f "$said"' EXIT
    waited=0
    until
        eval "$command" </dev/null 2>"$said"
        status=$?
        cat "$said" >&2
        [ "$status" -eq 0 ] || [ "$waited" -ge "$patience" ] || ! busy
    do
        say 'apt-get is busy with something else; trying again in 5 seconds'
        sleep 5
        waited=$((waited + 5))
    done
    return "$status"
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
            echo "setup: $1 is not a group; the groups are core, build, demo, analyse, pip, test, page, page-test, sanitize, hash, machines, mpi, mpich, firmware, format, lint, firmware-test, release and check" >&2
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

# The second round is for needs that were unknown before the first: see have_sanitizers. There is no further round if no package is
# left to install.
asked=
while look && [ -n "$missing" ]; do
    describe_missing
    if [ -n "$asked" ] && [ -z "$packages" ]; then
        say 'still missing after that:' >&2
        list "$whats" >&2
        exit 1
    fi

    # shellcheck disable=SC2086 # Both are words.
    say "missing, $(count $missing) of $(count $needs):"
    list "$whats"
    refuse_other_system
    find_root
    compose
    if $is_check || [ -n "$obstacle" ]; then
        [ -z "$obstacle" ] || say "cannot install it: $obstacle"
        say 'this command installs it:'
        list "$command"
        exit 1
    fi
    say 'running:'
    list "$command"
    install || fail "that command failed with status $?; what it said stands above"
    asked="$asked $packages"
done
# A person gets a closing line; make, which calls this for each goal, and scripts do not.
if [ -t 1 ] && [ -z "${MAKELEVEL-}" ] && ! $is_check; then
    # shellcheck disable=SC2086 # The needs are words.
    say "all $(count $needs) needs are there; next: make demo, then make test"
fi
