"""Puts libboids and the program `boids` into the package. pyproject.toml has all else.

make builds both, in the folder of every other build, so it compiles only what is not there yet. Without a compiler, a library of the
same version that is built or installed already is used. An editable package finds the library where make puts it.
"""

import os
import re
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist
from setuptools.dist import Distribution

try:
    from setuptools.command.bdist_wheel import bdist_wheel
except ImportError:
    try:
        from wheel.bdist_wheel import bdist_wheel
    except ImportError:
        sys.exit(
            "boids: this Python has no module wheel, which builds packages; install it with: pip install wheel"
        )

BUILD = os.path.join("build", "release")
SHIPPED = {
    "libboids.so.1": os.path.join(BUILD, "portable", "libboids.so.1"),
    "boids": os.path.join(BUILD, "boids-portable"),
}
SYSTEM = ("libc.so.6", "libm.so.6", "libpthread.so.0", "ld-linux")  # which manylinux promises


def output_of(*words):
    return subprocess.run(
        words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True
    ).stdout


def make(*targets):
    """True if make has built the targets, with HDF5 if the system has it."""
    try:
        has_hdf5 = (
            os.environ.get("HDF5") != "no"
            and subprocess.run(
                ["sh", "scripts/setup.sh", "--check", "build"],
                stdout=subprocess.DEVNULL,
                check=False,
            ).returncode
            == 0
        )
        subprocess.run(
            ["make", "-s", *(() if has_hdf5 else ("HDF5=no",)), *targets],
            stdout=sys.stderr,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def check_library():
    """End unless the package can load a library of its version."""
    sys.path.insert(0, "python")
    from boids.core import library as _library

    try:
        _library.load()
    except _library.LibraryError as error:
        sys.exit(
            f"boids: make could not build libboids, which needs a C compiler, make and cJSON (on Debian: apt-get install gcc make "
            f"libcjson-dev), and no library can be used in its place: {error}"
        )


class BuildWithMake(build_py):
    def run(self):
        folder = os.path.join(self.build_lib, "boids")
        shutil.rmtree(folder, ignore_errors=True)  # modules that were removed since the last build
        super().run()
        if getattr(self, "editable_mode", False):
            if not make("all"):
                check_library()
            return
        shutil.copy("VERSION", folder)
        for name in ("docs/python.md", "docs/rule.md", "include/boids/boids.h"):
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            shutil.copy(name, os.path.join(folder, name))
        if not make(*SHIPPED.values()):
            check_library()
            return
        for name, path in SHIPPED.items():
            shutil.copy(path, os.path.join(folder, name))
        cjson = re.search(r"libcjson\S* => (\S+)", output_of("ldd", SHIPPED["libboids.so.1"]))
        if cjson:  # else it is linked statically
            shutil.copy(cjson[1], os.path.join(folder, "libcjson.so.1"))


class Source(sdist):
    def make_release_tree(self, base_dir, files):
        """With the revision, which make cannot ask of git there."""
        super().make_release_tree(base_dir, files)
        if not os.path.exists(".revision"):
            with open(os.path.join(base_dir, ".revision"), "w", encoding="utf-8") as file:
                file.write(output_of("sh", "-c", "git describe --always --dirty || echo unknown"))


class Wheel(bdist_wheel):
    def get_tag(self):
        """For any Python 3, because ctypes loads the library; for the oldest C library that has all symbols."""
        platform = super().get_tag()[2]
        try:
            said = "".join(
                output_of("objdump", "-p", os.path.join(self.bdist_dir, "boids", name))
                for name in (*SHIPPED, "libcjson.so.1")
            )
        except (OSError, subprocess.CalledProcessError):
            return "py3", "none", platform
        needed = set(re.findall(r"NEEDED +(\S+)", said)) - {"libcjson.so.1"}
        versions = [
            tuple(map(int, found.split("."))) for found in re.findall(r"GLIBC_([\d.]+)", said)
        ]
        if versions and all(name.startswith(SYSTEM) for name in needed):
            platform = "manylinux_{}_{}_".format(*max(versions)[:2]) + platform.partition("_")[2]
        return "py3", "none", platform


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(
    distclass=WithLibrary,
    cmdclass={"bdist_wheel": Wheel, "build_py": BuildWithMake, "sdist": Source},
)
