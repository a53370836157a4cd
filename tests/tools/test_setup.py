"""Claims about scripts/setup.sh and scripts/find_python.sh on simulated machines.

A machine is a folder `bin`, its whole PATH, with stand-ins for commands. The file `have` lists what the stand-ins find: headers of a
compiler (cc:stdio.h), modules of pkg-config and of Python. `log` gets the calls of apt-get and sudo. `store` has all packages; to
install one, the stand-in of apt-get copies its commands to `bin` and appends its lines to `have`.
"""

import os
import pty
import shutil
import subprocess
import sys
import unittest

sys.path[0] += "/.."
from support import PATIENCE, Folder, in_root

SCRIPTS = in_root("scripts")
COMPILER = """program=$(cat); name=${0##*/}
case "$program $*" in
*-fsanitize=*) grep -qx "$name:sanitizers" "$machine/have" ;;
*--target=wasm*) grep -qx "$name:wasi" "$machine/have" ;;
*) header=${program#*<} && grep -qx "$name:${header%>*}" "$machine/have" ;;
esac"""
# Stands in for the look-up of find_python.sh, too. OWN are the modules of this python3; `have` those of the packages.
PYTHON = """[ "$1" = -c ] && shift 2
for module; do
    case " OWN " in *" $module "*) ;; *) grep -qx "python:$module" "$machine/have" || lacking="$lacking${lacking:+, }$module" ;; esac
done
echo "$lacking" """
APT = """echo "apt-get $*${DEBIAN_FRONTEND:+ [$DEBIAN_FRONTEND]}" >>"$machine/log"
[ "$1" = -o ] && shift 2
echo "This is apt-get $1."
if [ -s "$machine/busy" ]; then
    sed 1d "$machine/busy" >"$machine/less" && cat "$machine/less" >"$machine/busy"
    echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 5 (apt-get)" >&2
    exit 100
fi
[ "$1" = install ] || exit 0
[ -e "$machine/fails" ] && exit 100
[ -e "$machine/does_nothing" ] && exit 0
for package; do
    [ -d "$machine/store/$package" ] && CP -R "$machine/store/$package/." "$machine/bin"
    grep "^$package " "$machine/contents" | sed 's/^[^ ]* //' >>"$machine/have"
done"""
SUDO = """if [ "$*" = '-n true' ]; then : >"$machine/sudo_asked"; [ ! -e "$machine/wants_password" ]
else echo "sudo $*" >>"$machine/log"; "$@"; fi"""

# {package: (its commands, what it adds to `have`)}.
COMMANDS = {
    "gcc": ("cc", COMPILER),
    "clang": ("clang", COMPILER),
    "clang-15": ("clang-15", COMPILER),
    "python3": ("python3", PYTHON),
    "pkg-config": ("pkg-config", '[ "$1" = --exists ] && grep -qx "pkg:$2" "$machine/have"'),
    "gcc-arm-none-eabi": ("arm-none-eabi-gcc", COMPILER),
    **{
        name: (name, "")
        for name in (
            "make",
            "ffmpeg",
            "clang-format",
            "clang-tidy",
            "cppcheck",
            "shellcheck",
            "black",
            "npm",
            "pyflakes3",
            "mypy",
        )
    },
}
CONTENTS = {
    "libc6-dev": "cc:stdio.h clang:stdio.h clang-15:stdio.h",
    "libclang-rt-dev": "clang:sanitizers",
    "libcjson-dev": "pkg:libcjson",
    "libnewlib-arm-none-eabi": "arm-none-eabi-gcc:math.h",
    "libclang-rt-dev-wasm32": "clang:wasi",
    "libhdf5-dev": "pkg:hdf5-serial",
    "libcmocka-dev": "pkg:cmocka",
    **{
        f"python3-{name}": f"python:{name}"
        for name in "numpy h5py matplotlib jsonschema nbclient ipykernel pandas".split()
    },
}

# Packages of the groups, in the order of the needs.
BUILD = "gcc libc6-dev make pkg-config libcjson-dev libhdf5-dev"
MODULES = "python3 python3-numpy python3-h5py python3-matplotlib"
TEST_MODULES = MODULES + " python3-jsonschema python3-nbclient python3-ipykernel python3-pandas"
TEST = f"{BUILD} ffmpeg {TEST_MODULES} libcmocka-dev"
ARM = "gcc-arm-none-eabi libnewlib-arm-none-eabi"
FORMAT = "clang-format black npm"
LINT = f"{ARM} {FORMAT} clang-tidy cppcheck shellcheck pyflakes3 mypy"
SPHINX = "python3-sphinx python3-myst-parser furo python3-breathe"
PACKAGING = "python3-pip python3-setuptools python3-wheel python3-jinja2 python3-yaml"
DEBIAN = "debhelper build-essential dh-python lintian debootstrap ruby"
GROUPS = {
    "core": "gcc libc6-dev make libcjson-dev",
    "build": BUILD,
    "demo": f"{BUILD} ffmpeg {MODULES}",
    "analyse": MODULES + " python3-scipy python3-pandas",
    "pip": f"{BUILD} {MODULES} python3-scipy python3-pandas python3-venv python3-setuptools python3-wheel",
    "test": TEST,
    "sanitize": TEST + " clang",
    "page": f"{BUILD} {MODULES} clang",
    "page-test": TEST + " clang chromium npm",
    "hash": BUILD + " clang",
    "mpi": TEST + " libopenmpi-dev openmpi-bin",
    "mpich": TEST + " libopenmpi-dev openmpi-bin mpich libmpich-dev",
    "format": FORMAT,
    "lint": f"{BUILD} clang {LINT} python3 python3-numpy",
    "machines": BUILD
    + " gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross musl-tools qemu-user",
    "firmware": f"{BUILD} {ARM}",
    "firmware-test": f"{BUILD} {ARM} nodejs npm cmake qemu-system-arm python3",
    "site": f"{BUILD} {MODULES} {SPHINX} clang doxygen",
    "release": f"{BUILD} ffmpeg {TEST_MODULES} python3-scipy {PACKAGING} libcmocka-dev libopenmpi-dev openmpi-bin clang {DEBIAN} npm",
    "check": f"{BUILD} ffmpeg {TEST_MODULES} python3-scipy {SPHINX} {PACKAGING} libcmocka-dev clang chromium npm {LINT.replace(' npm', '')} nodejs cmake "
    f"qemu-system-arm doxygen libopenmpi-dev openmpi-bin {DEBIAN} g++ groff ccache",
}
UPDATE = "apt-get -o DPkg::Lock::Timeout=300 update"
INSTALL = "apt-get -o DPkg::Lock::Timeout=300 install -y --no-install-recommends "
SYSTEMS = {
    "debian": "ID=debian",
    "mint": 'NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"',
    "fedora": "ID=fedora",
    "macos": "",
    "unknown": "ID=plan9",
}


def shown(packages, sudo=""):
    return f"    {sudo}{UPDATE} && {sudo}env DEBIAN_FRONTEND=noninteractive {INSTALL}{packages}\n"


def logged(*rounds):
    return "".join(f"{UPDATE}\n{INSTALL}{packages} [noninteractive]\n" for packages in rounds)


class Machine(Folder):
    def stand_in(self, name, body, folder="bin"):
        os.makedirs(self.path(folder), exist_ok=True)
        self.write(os.path.join(folder, name), f"#!/bin/sh\nmachine={self.folder}\n{body}\n")
        os.chmod(self.path(folder, name), 0o755)

    def give(self, *packages):
        for package in packages:
            if package in COMMANDS:
                self.stand_in(*COMMANDS[package])
            self.write(
                "have",
                self.read("have")
                + "".join(line + "\n" for line in CONTENTS.get(package, "").split()),
            )

    def begin(self, lacks=None, system="debian", is_root=True, has_sudo=False, files=()):
        """Simulate a machine with all packages except those in `lacks`, or with no packages."""
        for name in os.listdir(self.folder):
            (shutil.rmtree if os.path.isdir(self.path(name)) else os.remove)(self.path(name))
        for name in ("have", "log", *files):
            self.write(name, "")
        os.makedirs(self.path("bin"))
        for tool in "sh sed cat grep dirname mktemp rm env chmod".split():
            os.symlink(shutil.which(tool), self.path("bin", tool))
        self.write("os-release", SYSTEMS[system] + "\n")
        self.stand_in("uname", "echo " + ("Darwin" if system == "macos" else "Linux"))
        self.stand_in("sleep", 'echo "sleep $*" >>"$machine/log"')
        self.stand_in("id", f"echo {0 if is_root else 1000}")
        if system in ("debian", "mint"):
            self.stand_in("apt-get", APT.replace("CP", shutil.which("cp")))
            for package, command in COMMANDS.items():
                self.stand_in(*command, folder=os.path.join("store", package))
            self.write(
                "contents",
                "".join(
                    f"{package} {line}\n"
                    for package, lines in CONTENTS.items()
                    for line in lines.split()
                ),
            )
        if has_sudo:
            self.stand_in("sudo", SUDO)
        if lacks is not None:
            self.give(
                *(
                    set([*COMMANDS, *CONTENTS])
                    - {"clang-15", "libclang-rt-dev-wasm32", *lacks.split()}
                )
            )

    def call(self, script, *words, **more):
        """(status, stdout, stderr)"""
        done = subprocess.run(
            [shutil.which("sh"), os.path.join(SCRIPTS, script), *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            env={
                "PATH": self.path("bin"),
                "SETUP_OS_RELEASE": self.path("os-release"),
                "PYTHON_PLACES": self.path("places"),
                **more,
            },
        )
        return done.returncode, done.stdout, done.stderr

    def expect(self, words, status=0, out="", err="", log=None, lacks_in_out="\0", **more):
        found, stdout, stderr = self.call("setup.sh", *words.split(), **more)
        self.assertEqual(found, status, stdout + stderr)
        self.assertIn(out, stdout)
        self.assertIn(err, stderr)
        self.assertNotIn(lacks_in_out, stdout)
        if log is not None:
            self.assertEqual(self.read("log"), log)
        return stdout, stderr


class Setup(Machine):
    def test_it_is_silent_if_all_is_there(self):
        self.begin(lacks="")
        self.assertEqual(self.expect("build demo test sanitize lint", log=""), ("", ""))

    def test_it_installs_all_on_a_bare_debian(self):
        self.begin()
        packages = f"{TEST} clang {LINT}"
        self.assertEqual(self.expect("test lint", out=shown(packages), log=logged(packages))[1], "")

    def test_it_says_what_it_does_before_doing_it(self):
        self.begin(lacks="ffmpeg", system="mint")
        self.assertEqual(
            self.expect("demo")[0],
            "setup: missing, 1 of 7:\n    ffmpeg\nsetup: running:\n"
            + shown("ffmpeg")
            + "This is apt-get update.\nThis is apt-get install.\n",
        )

    def test_it_knows_what_belongs_to_each_group(self):
        self.begin()
        for group, packages in GROUPS.items():
            with self.subTest(group=group):
                self.expect("--check " + group, status=1, out=shown(packages), log="")

    def test_it_finds_what_is_missing(self):
        for lacks, gives, group, packages, *more in (
            ("libhdf5-dev", "pkg:hdf5", "build", []),
            ("libc6-dev", "", "build", ["gcc libc6-dev"]),
            ("cppcheck", "", "lint", ["cppcheck"]),
            ("gcc", "", "build", ["clang-15 libc6-dev"], "clang-15"),
            ("clang libclang-rt-dev", "", "sanitize", ["clang", "libclang-rt-dev"]),
            ("libclang-rt-dev", "", "page", ["lld wasi-libc libclang-rt-dev-wasm32"]),
        ):
            with self.subTest(lacks=lacks):
                self.begin(lacks=lacks)
                self.write("have", self.read("have") + gives + "\n")
                self.expect(group, log=logged(*packages), **({"CC": more[0]} if more else {}))

    def test_check_only_reports(self):
        self.begin(lacks="libcjson-dev python3-h5py")
        stdout, _ = self.expect(
            "--check test",
            status=1,
            out=shown("libcjson-dev " + TEST_MODULES),
            lacks_in_out="running",
            log="",
        )
        self.assertIn("cJSON", stdout)
        self.assertIn("python3 lacks h5py", stdout)
        self.begin(lacks="pkg-config gcc")  # nothing can find modules and headers
        self.expect(
            "--check build",
            status=1,
            out=shown("gcc libc6-dev pkg-config libcjson-dev libhdf5-dev"),
        )

    def test_the_words_of_cc_name_the_compiler(self):
        self.begin()
        for words in ("ccache gcc -m64", "/nowhere/gcc -pipe", "gcc", "cc"):
            self.expect("--check build", status=1, out=shown(BUILD), CC=words)

    def test_it_uses_sudo_if_it_is_needed_and_can_be(self):
        apt = logged("ffmpeg").splitlines(keepends=True)
        own = [f"sudo {UPDATE}\n", f"sudo env DEBIAN_FRONTEND=noninteractive {INSTALL}ffmpeg\n"]
        through_sudo = own[0] + apt[0] + own[1] + apt[1]
        for is_root, has_sudo, files, words, status, out, log in (
            (False, True, (), "demo", 0, shown("ffmpeg", "sudo "), through_sudo),
            (True, True, (), "demo", 0, shown("ffmpeg"), logged("ffmpeg")),
            (False, False, (), "demo", 1, "there is no sudo", ""),
            (False, True, ("wants_password",), "demo", 1, "wants a password", ""),
            (False, True, (), "--check demo", 1, shown("ffmpeg", "sudo "), ""),
        ):
            with self.subTest(words=words, is_root=is_root, has_sudo=has_sudo, files=files):
                self.begin("ffmpeg", is_root=is_root, has_sudo=has_sudo, files=files)
                self.expect(words, status=status, out=out, log=log)
        self.assertFalse(os.path.exists(self.path("sudo_asked")))

    def test_sudo_may_ask_at_a_terminal_but_not_with_y(self):
        for words, is_installed in (("demo", True), ("-y demo", False)):
            self.begin("ffmpeg", is_root=False, has_sudo=True, files=("wants_password",))
            ours, theirs = pty.openpty()
            done = subprocess.run(
                [shutil.which("sh"), os.path.join(SCRIPTS, "setup.sh"), *words.split()],
                stdin=theirs,
                capture_output=True,
                text=True,
                timeout=PATIENCE,
                env={"PATH": self.path("bin"), "SETUP_OS_RELEASE": self.path("os-release")},
            )
            os.close(ours)
            os.close(theirs)
            self.assertEqual(done.returncode, 0 if is_installed else 1, done.stderr)
            self.assertIn("running" if is_installed else "wants a password", done.stdout)
            self.assertEqual(os.path.exists(self.path("bin", "ffmpeg")), is_installed)

    def test_it_fails_if_apt_get_does(self):
        self.begin("ffmpeg", files=("fails",))
        self.expect("demo", status=1, err="status 100")
        self.begin("ffmpeg", files=("does_nothing",))
        _, stderr = self.expect("demo", status=1, err="still missing", log=logged("ffmpeg"))
        self.assertIn("ffmpeg", stderr)

    def test_it_waits_while_apt_is_busy_but_not_forever(self):
        self.begin("ffmpeg")
        self.write("busy", "once\ntwice\n")
        self.expect(
            "demo",
            out="apt-get is busy with something else; trying again in 5 seconds",
            err="Could not get lock",
            log=f"{UPDATE}\nsleep 5\n" * 2 + logged("ffmpeg"),
        )
        self.begin("ffmpeg")
        self.write("busy", "busy\n" * 100)
        self.expect("demo", status=1, err="status 100")
        self.assertEqual(self.read("log").count("sleep"), 60)

    def test_it_names_the_packages_on_other_systems(self):
        missing = f"ffmpeg {TEST_MODULES} libcmocka-dev"
        for system, advice in (
            ("fedora", "dnf install gcc"),
            ("macos", "brew install pkgconf"),
            ("unknown", "what Debian calls " + missing),
        ):
            self.begin("ffmpeg libcmocka-dev python3-h5py", system=system)
            self.expect(
                "test",
                status=1,
                out="    cmocka (cmocka in pkg-config)\n",
                err="setup: this is neither Debian nor Ubuntu; install it yourself: " + advice,
            )
        self.begin(system="unknown")
        os.remove(self.path("os-release"))
        self.expect(
            "build",
            status=1,
            out="    pkg-config\n",
            err=f"setup: this is neither Debian nor Ubuntu; install it yourself: what Debian calls {BUILD}\n",
        )

    def test_a_wrong_call_is_refused(self):
        self.begin()
        self.expect("build tests", status=2, err="tests is not a group", log="")
        self.expect("--check", status=2, err="Usage")


class FindPython(Machine):
    def test_it_takes_the_first_that_has_all_modules(self):
        for found, pythons, wanted, variables in (
            (
                "bin/python3",
                {"bin/python3": "numpy h5py", "places/python3": "numpy h5py"},
                "numpy h5py",
                {},
            ),
            (
                "mine/python3",
                {"bin/python3": "numpy", "mine/python3": "numpy"},
                "numpy",
                {"PYTHON": "mine/python3"},
            ),
            (
                "places/python3",
                {"mine/python3": "h5py", "bin/python3": "numpy", "places/python3": "numpy h5py"},
                "numpy h5py",
                {"PYTHON": "mine/python3"},
            ),
            (
                "bin/python3.12",
                {"bin/python3": "", "bin/python3.12": "numpy", "bin/python3.10-config": "*"},
                "numpy",
                {},
            ),
            ("places/python3", {"bin/python3": None, "places/python3": "numpy"}, "numpy", {}),
            (
                "a place/python3",
                {"a place/python3": "numpy"},
                "numpy",
                {"PYTHON_PLACES": "a place"},
            ),
        ):
            with self.subTest(pythons=pythons):
                self.begin()
                for path, modules in pythons.items():
                    body = {None: "exit 127", "*": "echo"}.get(
                        modules, PYTHON.replace("OWN", modules or "")
                    )
                    self.stand_in(os.path.basename(path), body, os.path.dirname(path))
                self.assertEqual(
                    self.call(
                        "find_python.sh",
                        *wanted.split(),
                        **{key: self.path(value) for key, value in variables.items()},
                    ),
                    (0, self.path(found) + "\n", ""),
                )

    def test_it_says_what_each_lacks(self):
        self.begin()
        self.stand_in("python3.12", PYTHON.replace("OWN", "numpy"), "shims")  # of pyenv
        self.assertEqual(
            self.call("find_python.sh", "numpy", PYTHON_PLACES=self.path("shims")),
            (1, "", "find_python: there is no python3 here that runs\n"),
        )
        self.stand_in("python3", PYTHON.replace("OWN", "numpy"))
        self.stand_in("python3", PYTHON.replace("OWN", "h5py"), "places")
        self.assertEqual(
            self.call("find_python.sh", "numpy", "h5py", "matplotlib"),
            (
                1,
                "",
                "find_python: no python3 here has all of numpy h5py matplotlib: "
                f"{self.path('bin/python3')} lacks h5py, matplotlib; {self.path('places/python3')} lacks numpy, matplotlib\n",
            ),
        )

    def test_a_real_python_looks_up_packages_but_not_folders_and_not_the_current_folder(self):
        for folder in ("a_folder", "a_package"):
            os.makedirs(self.path(folder))
        self.write("a_package/__init__.py", "")
        for modules, path, is_found in (
            (("json", "sys", "a_package"), self.folder, True),
            (("a_folder",), self.folder, False),
            (("a_package",), "", False),
        ):
            done = subprocess.run(
                ["sh", os.path.join(SCRIPTS, "find_python.sh"), *modules],
                cwd=self.folder,
                capture_output=True,
                text=True,
                env={
                    "PATH": "/usr/bin:/bin",
                    "PYTHON": sys.executable,
                    "PYTHONPATH": path,
                    "PYTHON_PLACES": "",
                },
            )
            self.assertEqual(
                (done.returncode == 0, sys.executable in done.stdout),
                (is_found, is_found),
                done.stderr,
            )


if __name__ == "__main__":
    unittest.main()
