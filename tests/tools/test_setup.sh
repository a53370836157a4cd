#!/bin/sh
# Claims about scripts/setup.sh and scripts/find_python.sh, on simulated machines: each is a folder `bin`, the whole PATH, with
# stand-ins for compilers, package managers and other commands.
#
#     machine/bin      the commands
#     machine/have     installed headers, libraries and modules, one per line: cc:stdio.h, pkg:libcjson, python:numpy
#     machine/log      the calls of package managers and sudo
#
# A stand-in package manager installs a package: it adds its files to `bin` and `have`.
set -u

scripts=$(cd "$(dirname "$0")/../../scripts" && pwd) || exit 1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
machine=$work/machine
passed=0
failed=0

# Making machines.

# stand_in NAME [FOLDER]: a command whose body is read from stdin.
stand_in() {
    {
        printf '#!/bin/sh\nmachine=%s\n' "$machine"
        cat
    } >"${2:-$machine/bin}/$1"
    chmod +x "${2:-$machine/bin}/$1"
}

give_compiler() {
    stand_in "$1" <<'END'
program=$(cat)
case "$program $*" in
*-fsanitize=*) grep -qx "${0##*/}:sanitizers" "$machine/have" ;;
*--target=wasm*) grep -qx "${0##*/}:wasi" "$machine/have" ;;
*) header=${program#*<} && grep -qx "${0##*/}:${header%>*}" "$machine/have" ;;
esac
END
}

give_pkg_config() {
    stand_in pkg-config <<'END'
[ "$1" = --exists ] && grep -qx "pkg:$2" "$machine/have"
END
}

# give_python NAME FOLDER MODULE...: stands in for the look-up too, which is tried on a real python3 below.
give_python() {
    name=$1 folder=$2
    shift 2
    stand_in "$name" "$folder" <<END
[ "\$1" = -c ] && shift 2
lacking=
for module; do
    case " $* " in
    *" \$module "*) ;;
    *) grep -qx "python:\$module" "\$machine/have" || lacking="\$lacking\${lacking:+, }\$module" ;;
    esac
done
echo "\$lacking"
END
}

# The contents of a package, by its name in any of the systems.
provide() {
    case $1 in
    gcc) give_compiler cc ;;
    libc6-dev) printf '%s:stdio.h\n' cc clang clang-15 >>"$machine/have" ;;
    clang) give_compiler clang ;;
    clang-15) give_compiler clang-15 ;;
    libclang-rt-dev) echo clang:sanitizers >>"$machine/have" ;;
    libclang-rt-dev-wasm32) echo clang:wasi >>"$machine/have" ;;
    pkg-config) give_pkg_config ;;
    libcjson-dev) echo pkg:libcjson >>"$machine/have" ;;
    libhdf5-dev) echo pkg:hdf5-serial >>"$machine/have" ;;
    hdf5-by-hand) echo pkg:hdf5 >>"$machine/have" ;;
    libcmocka-dev) echo pkg:cmocka >>"$machine/have" ;;
    python3) give_python python3 "$machine/bin" ;;
    python3-*) echo "python:${1#python3-}" >>"$machine/have" ;;
    make | ffmpeg | clang-format | clang-tidy | cppcheck | shellcheck) stand_in "$1" </dev/null ;;
    gcc-arm-none-eabi) stand_in arm-none-eabi-gcc </dev/null ;;
    esac
}

give_apt() {
    cat >"$work/provide.sh" <<END
#!/bin/sh
machine=$machine
$functions
for package; do provide "\$package"; done
END
    stand_in apt-get <<END
echo "apt-get \$*\${DEBIAN_FRONTEND:+ [\$DEBIAN_FRONTEND]}" >>"\$machine/log"
if [ "\$1" = -o ]; then shift 2; fi
echo "This is apt-get \$1."
if [ -s "\$machine/busy" ]; then
    sed 1d "\$machine/busy" >"\$machine/less_busy"
    cat "\$machine/less_busy" >"\$machine/busy"
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 5 (apt-get)" >&2
    exit 100
fi
if [ "\$1" = install ]; then
    if [ -e "\$machine/fails" ]; then exit 100; fi
    if [ -e "\$machine/does_nothing" ]; then exit 0; fi
    shift
    sh "$work/provide.sh" "\$@"
fi
END
}

# The functions above, for apt-get to call: this file from `stand_in` to the end of `provide`.
functions=$(sed -n '/^stand_in() {/,/^give_apt/{/^give_apt/!p;}' "$0")

give_sudo() {
    stand_in sudo <<'END'
if [ "$*" = '-n true' ]; then
    : >"$machine/sudo_asked"
    [ ! -e "$machine/wants_password" ]
else
    echo "sudo $*" >>"$machine/log"
    "$@"
fi
END
}

# new_machine SYSTEM USER: with nothing that boids needs.
new_machine() {
    rm -rf "$machine"
    mkdir -p "$machine/bin"
    : >"$machine/have" && : >"$machine/log"
    for tool in sh sed cat grep dirname mktemp rm env chmod; do
        ln -s "$(command -v "$tool")" "$machine/bin/$tool"
    done
    kernel=Linux
    case $1 in
    debian) echo 'ID=debian' && give_apt ;;
    ubuntu) printf 'ID=ubuntu\nID_LIKE=debian\n' && give_apt ;;
    mint) printf 'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n' && give_apt ;;
    fedora) echo 'ID=fedora' ;;
    macos) kernel=Darwin ;;
    unknown) echo 'ID=plan9' ;;
    esac >"$machine/os-release"
    echo "echo $kernel" | stand_in uname
    stand_in sleep <<'END'
echo "sleep $*" >>"$machine/log"
END
    case $2 in
    root) echo 'echo 0' | stand_in id ;;
    *) echo 'echo 1000' | stand_in id ;;
    esac
}

give() {
    for package; do provide "$package"; done
}

everything='gcc libc6-dev make pkg-config libcjson-dev libhdf5-dev ffmpeg python3 python3-numpy python3-h5py
    python3-matplotlib libcmocka-dev python3-jsonschema python3-nbclient python3-ipykernel python3-pandas clang libclang-rt-dev clang-format clang-tidy cppcheck
    shellcheck gcc-arm-none-eabi'

# give_all_but PACKAGE...
give_all_but() {
    for package in $everything; do
        case " $* " in *" $package "*) ;; *) provide "$package" ;; esac
    done
}

# Asking. Each leaves `status`, $work/out and $work/err.

on_machine() {
    env -i PATH="$machine/bin" SETUP_OS_RELEASE="$machine/os-release" PYTHON_PLACES="$machine/places" \
        "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

setup() {
    on_machine sh "$scripts/setup.sh" "$@"
}

# As setup, with a terminal on stdin.
setup_at_terminal() {
    env -i PATH="$machine/bin" SETUP_OS_RELEASE="$machine/os-release" PYTHON_PLACES= \
        "$(command -v script)" -qec "sh '$scripts/setup.sh' $*" /dev/null >"$work/out" 2>"$work/err" </dev/null
    status=$?
}

find_python() {
    on_machine sh "$scripts/find_python.sh" "$@"
}

# Checks. A claim holds if no check of it failed.

claim() {
    settle
    current=$1
    fault=
}

settle() {
    [ -n "${current-}" ] || return 0
    if [ -z "$fault" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s:%s\n' "$current" "$fault"
    fi
    current=
}

against() {
    fault="$fault
    $1"
}

status_is() {
    [ "$status" -eq "$1" ] || against "exit status $status, not $1; stderr: $(cat "$work/err")"
}

is() {
    [ "$2" = "$3" ] || against "$1 is '$2', not '$3'"
}

# file_has out TEXT: some line of it has the text.
file_has() {
    grep -qF -e "$2" "$work/$1" || against "no '$2' in $1: $(cat "$work/$1")"
}

file_lacks() {
    if grep -qF -e "$2" "$work/$1"; then against "'$2' in $1: $(cat "$work/$1")"; fi
}

is_empty() {
    if [ -s "$work/$1" ]; then against "$1 is not empty: $(cat "$work/$1")"; fi
}

log_is() {
    is 'what was run' "$(cat "$machine/log")" "$1"
}

# The command shown is, word for word, the one given.
shows() {
    grep -qxF -e "    $1" "$work/out" || against "the command shown is not '$1': $(cat "$work/out")"
}

# The package names a claim below expects, in the order of the needs.
apt_build='gcc libc6-dev make pkg-config libcjson-dev libhdf5-dev'
apt_modules='python3 python3-numpy python3-h5py python3-matplotlib'
apt_test_modules="$apt_modules python3-jsonschema python3-nbclient python3-ipykernel python3-pandas"
apt_test="$apt_build ffmpeg $apt_test_modules libcmocka-dev"
apt_lint='clang gcc-arm-none-eabi clang-format clang-tidy cppcheck shellcheck'
update='apt-get -o DPkg::Lock::Timeout=300 update'
install='apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends'
update_and_install="$update && env DEBIAN_FRONTEND=noninteractive $install"

claim setup_is_silent_when_all_is_there
new_machine debian root
give_all_but
setup build demo test sanitize lint
status_is 0
is_empty out
is_empty err
log_is ''

claim setup_installs_all_on_a_bare_debian
new_machine debian root
setup test lint
status_is 0
shows "$update_and_install $apt_test $apt_lint"
log_is "$update
$install $apt_test $apt_lint [noninteractive]"
is_empty err

claim setup_says_what_it_does_before_doing_it
new_machine ubuntu root
give_all_but ffmpeg
setup demo
status_is 0
is 'the output' "$(cat "$work/out")" "setup: missing, 1 of 7:
    ffmpeg
setup: running:
    $update_and_install ffmpeg
This is apt-get update.
This is apt-get install."

claim setup_knows_the_relatives_of_debian
new_machine mint root
give_all_but cppcheck
setup lint
status_is 0
shows "$update_and_install cppcheck"

for group in core build demo analyse test page page-test sanitize hash machines mpi firmware lint firmware-test release check; do
    claim "setup_knows_what_belongs_to_$group"
    new_machine debian root
    setup --check "$group"
    status_is 1
    case $group in
    core) shows "$update_and_install gcc libc6-dev make libcjson-dev" ;;
    build) shows "$update_and_install $apt_build" ;;
    demo) shows "$update_and_install $apt_build ffmpeg $apt_modules" ;;
    analyse) shows "$update_and_install $apt_modules python3-scipy" ;;
    test) shows "$update_and_install $apt_test" ;;
    sanitize) shows "$update_and_install $apt_test clang" ;;
    page) shows "$update_and_install $apt_build $apt_modules clang" ;;
    page-test) shows "$update_and_install $apt_test clang chromium npm" ;;
    hash) shows "$update_and_install $apt_build clang" ;;
    machines)
        shows "$update_and_install $apt_build gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
musl-tools qemu-user"
        ;;
    release) shows "$update_and_install $apt_build ffmpeg $apt_test_modules python3-scipy python3-pip python3-setuptools python3-wheel \
python3-jinja2 python3-yaml libcmocka-dev libopenmpi-dev openmpi-bin clang debhelper dh-python lintian debootstrap ruby npm" ;;
    mpi) shows "$update_and_install $apt_test libopenmpi-dev openmpi-bin" ;;
    lint) shows "$update_and_install $apt_build $apt_lint" ;;
    firmware) shows "$update_and_install $apt_build gcc-arm-none-eabi" ;;
    firmware-test) shows "$update_and_install $apt_build gcc-arm-none-eabi nodejs npm cmake qemu-system-arm python3 python3-unicorn" ;;
    check)
        shows "$update_and_install $apt_build ffmpeg $apt_test_modules python3-scipy python3-unicorn \
python3-pip python3-setuptools python3-wheel python3-jinja2 python3-yaml libcmocka-dev clang chromium npm ${apt_lint#clang } nodejs cmake qemu-system-arm libopenmpi-dev \
openmpi-bin debhelper dh-python lintian debootstrap ruby g++ groff"
        ;;
    esac
done

claim setup_check_only_reports
new_machine debian root
give_all_but libcjson-dev python3-h5py
setup --check test
status_is 1
file_has out 'cJSON'
file_has out "python3 lacks h5py"
shows "$update_and_install libcjson-dev $apt_test_modules"
file_lacks out 'running'
log_is ''

claim setup_check_leaves_sudo_alone
new_machine debian user
give_all_but ffmpeg
give_sudo
setup --check demo
status_is 1
shows "sudo $update && sudo env DEBIAN_FRONTEND=noninteractive $install ffmpeg"
[ ! -e "$machine/sudo_asked" ] || against 'sudo was asked whether it wants a password'

claim setup_takes_hdf5_by_either_name
new_machine debian root
give_all_but libhdf5-dev
give hdf5-by-hand
setup build
status_is 0
is_empty out

claim setup_takes_modules_and_headers_as_missing_when_nothing_can_find_them
new_machine debian root
give_all_but pkg-config gcc
setup --check build
status_is 1
shows "$update_and_install gcc libc6-dev pkg-config libcjson-dev libhdf5-dev"

claim setup_sees_a_compiler_without_the_headers_of_c
new_machine debian root
give_all_but libc6-dev
setup build
status_is 0
shows "$update_and_install gcc libc6-dev"

claim setup_asks_for_the_compiler_that_cc_names
new_machine debian root
give_all_but gcc
on_machine CC=clang-15 sh "$scripts/setup.sh" build
status_is 0
log_is "$update
$install clang-15 libc6-dev [noninteractive]"

claim setup_asks_for_clang_and_then_for_its_runtimes
new_machine debian root
give_all_but clang libclang-rt-dev
setup sanitize
status_is 0
log_is "$update
$install clang [noninteractive]
$update
$install libclang-rt-dev [noninteractive]"

claim setup_knows_what_clang_needs_for_webassembly
new_machine debian root
give_all_but libclang-rt-dev-wasm32
stand_in chromium </dev/null
setup page
status_is 0
log_is "$update
$install lld wasi-libc libclang-rt-dev-wasm32 [noninteractive]"

claim setup_knows_the_compiler_among_the_words_of_cc
new_machine debian root
for words in 'ccache gcc -m64' '/nowhere/gcc -pipe' gcc cc; do
    on_machine CC="$words" sh "$scripts/setup.sh" --check build
    status_is 1
    shows "$update_and_install $apt_build"
done

claim setup_goes_through_sudo_when_not_root
new_machine debian user
give_all_but ffmpeg
give_sudo
setup demo
status_is 0
shows "sudo $update && sudo env DEBIAN_FRONTEND=noninteractive $install ffmpeg"
log_is "sudo $update
$update
sudo env DEBIAN_FRONTEND=noninteractive $install ffmpeg
$install ffmpeg [noninteractive]"

claim setup_leaves_sudo_alone_as_root
new_machine debian root
give_all_but ffmpeg
give_sudo
setup demo
status_is 0
log_is "$update
$install ffmpeg [noninteractive]"

claim setup_prints_the_command_when_there_is_no_sudo
new_machine debian user
give_all_but ffmpeg
setup demo
status_is 1
file_has out 'there is no sudo'
shows "$update_and_install ffmpeg"
log_is ''

claim setup_prints_the_command_when_nobody_can_type_the_password
new_machine debian user
give_all_but ffmpeg
give_sudo
: >"$machine/wants_password"
setup demo
status_is 1
file_has out 'wants a password'
shows "sudo $update && sudo env DEBIAN_FRONTEND=noninteractive $install ffmpeg"
log_is ''

# Only util-linux's `script` takes -c.
if script -qec true /dev/null >"$work/out" 2>&1 </dev/null; then
    claim setup_lets_sudo_ask_at_a_terminal
    new_machine debian user
    give_all_but ffmpeg
    give_sudo
    : >"$machine/wants_password"
    setup_at_terminal demo
    status_is 0
    file_has out 'running'
    is 'ffmpeg, now' "$([ -e "$machine/bin/ffmpeg" ] && echo there)" there

    claim setup_y_asks_nobody_even_at_a_terminal
    new_machine debian user
    give_all_but ffmpeg
    give_sudo
    : >"$machine/wants_password"
    setup_at_terminal -y demo
    status_is 1
    file_has out 'wants a password'
    log_is ''
fi

claim setup_fails_when_the_package_manager_does
new_machine debian root
give_all_but ffmpeg
: >"$machine/fails"
setup demo
status_is 1
file_has err 'status 100'

claim setup_fails_when_something_is_still_missing
new_machine debian root
give_all_but ffmpeg
: >"$machine/does_nothing"
setup demo
status_is 1
file_has err 'still missing'
file_has err 'ffmpeg'
log_is "$update
$install ffmpeg [noninteractive]"

claim setup_tries_again_while_apt_is_busy
new_machine debian root
give_all_but ffmpeg
printf 'once\ntwice\n' >"$machine/busy"
setup demo
status_is 0
file_has out 'apt-get is busy with something else; trying again in 5 seconds'
file_has err 'Could not get lock'
log_is "$update
sleep 5
$update
sleep 5
$update
$install ffmpeg [noninteractive]"

claim setup_gives_up_when_apt_stays_busy
new_machine debian root
give_all_but ffmpeg
yes busy | head -n 100 >"$machine/busy"
setup demo
status_is 1
file_has err 'status 100'
is 'the number of times it waited' "$(grep -c sleep "$machine/log")" 60

claim setup_names_the_packages_on_other_systems
for system in 'fedora:dnf install gcc' 'macos:brew install pkgconf' \
    "unknown:what Debian calls ffmpeg $apt_test_modules libcmocka-dev"; do
    new_machine "${system%%:*}" root
    give_all_but ffmpeg libcmocka-dev python3-h5py
    setup test
    status_is 1
    shows 'ffmpeg'
    shows 'cmocka (cmocka in pkg-config)'
    file_has err "setup: this is neither Debian nor Ubuntu; install it yourself: ${system#*:}"
done

claim setup_names_what_is_missing_where_there_is_no_os_release
new_machine unknown root
rm "$machine/os-release"
setup build
status_is 1
shows 'pkg-config'
is 'stderr' "$(cat "$work/err")" \
    "setup: this is neither Debian nor Ubuntu; install it yourself: what Debian calls $apt_build"

claim setup_refuses_a_group_it_does_not_know
new_machine debian root
setup build tests
status_is 2
file_has err 'tests is not a group'
log_is ''

claim setup_wants_a_group
new_machine debian root
setup --check
status_is 2
file_has err 'Usage'

claim find_python_takes_the_first_on_path
new_machine debian root
mkdir "$machine/places"
give_python python3 "$machine/bin" numpy h5py
give_python python3 "$machine/places" numpy h5py
find_python numpy h5py
status_is 0
is 'the answer' "$(cat "$work/out")" "$machine/bin/python3"
is_empty err

claim find_python_prefers_the_one_asked_for
new_machine debian root
mkdir "$machine/mine"
give_python python3 "$machine/bin" numpy
give_python python3 "$machine/mine" numpy
on_machine PYTHON="$machine/mine/python3" sh "$scripts/find_python.sh" numpy
status_is 0
is 'the answer' "$(cat "$work/out")" "$machine/mine/python3"

claim find_python_passes_over_one_without_the_modules
new_machine debian root
mkdir "$machine/places" "$machine/mine"
give_python python3 "$machine/mine" h5py
give_python python3 "$machine/bin" numpy
give_python python3 "$machine/places" numpy h5py
on_machine PYTHON="$machine/mine/python3" sh "$scripts/find_python.sh" numpy h5py
status_is 0
is 'the answer' "$(cat "$work/out")" "$machine/places/python3"

claim find_python_passes_over_one_that_does_not_run
new_machine debian root
mkdir "$machine/places"
echo 'exit 127' | stand_in python3
give_python python3 "$machine/places" numpy
find_python numpy
status_is 0
is 'the answer' "$(cat "$work/out")" "$machine/places/python3"

claim find_python_tries_versions
new_machine debian root
give_python python3 "$machine/bin"
give_python python3.12 "$machine/bin" numpy
echo 'echo' | stand_in python3.10-config
find_python numpy
status_is 0
is 'the answer' "$(cat "$work/out")" "$machine/bin/python3.12"

claim find_python_finds_one_in_a_folder_with_a_space
new_machine debian root
mkdir "$machine/a place"
give_python python3 "$machine/a place" numpy
on_machine PYTHON_PLACES="$machine/a place" sh "$scripts/find_python.sh" numpy
status_is 0
is 'the answer' "$(cat "$work/out")" "$machine/a place/python3"

claim find_python_says_what_each_lacks
new_machine debian root
mkdir "$machine/places"
give_python python3 "$machine/bin" numpy
give_python python3 "$machine/places" h5py
find_python numpy h5py matplotlib
status_is 1
is_empty out
is 'the sentence' "$(cat "$work/err")" "find_python: no python3 here has all of numpy h5py matplotlib: \
$machine/bin/python3 lacks h5py, matplotlib; $machine/places/python3 lacks numpy, matplotlib"

claim find_python_says_when_there_is_none
new_machine debian root
find_python numpy
status_is 1
is_empty out
is 'the sentence' "$(cat "$work/err")" 'find_python: there is no python3 here that runs'

# The look-up itself, on this machine's python3 if it has one.
if python=$(sh "$scripts/find_python.sh" json 2>"$work/err"); then
    mkdir -p "$work/modules/a_folder" "$work/modules/a_package"
    : >"$work/modules/a_package/__init__.py"

    claim find_python_looks_modules_up
    answer=$(PYTHON=$python PYTHONPATH=$work/modules sh "$scripts/find_python.sh" json sys a_package 2>&1)
    is 'the answer' "$answer" "$python"

    claim find_python_does_not_take_a_mere_folder_for_a_module
    answer=$(PYTHON=$python PYTHONPATH=$work/modules sh "$scripts/find_python.sh" json a_folder 2>&1)
    is 'its exit status' "$?" 1
    case $answer in *"$python lacks a_folder"*) ;; *) against "the sentence is '$answer'" ;; esac

    claim find_python_does_not_look_in_the_current_folder
    answer=$(cd "$work/modules" && PYTHON=$python sh "$scripts/find_python.sh" a_package 2>&1)
    is 'its exit status' "$?" 1
fi

settle
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
