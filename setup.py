"""Builds libboids and the program `boids` with make, and puts both into the package. pyproject.toml has all else."""

import os
import shutil
import subprocess
import sys

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.dist import Distribution
from wheel.bdist_wheel import bdist_wheel

BUILD = "build/pip"
FILES = ("libboids.so.1", "boids")


class BuildWithMake(build_py):
    def run(self):
        super().run()
        folder = os.path.join(self.build_lib, "boids")
        shutil.copy("VERSION", folder)
        try:
            subprocess.run(["make", "-s", "HDF5=no", f"BUILD={BUILD}", *(f"{BUILD}/{name}" for name in FILES)], check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            print(f"boids: libboids was not built ({error}), so an installed one is used; a C compiler, make and cJSON build it", file=sys.stderr)
            return
        for name in FILES:
            shutil.copy(os.path.join(BUILD, name), folder)


class Wheel(bdist_wheel):
    def get_tag(self):
        """For any Python 3 on this kind of machine: ctypes loads the library."""
        return "py3", "none", super().get_tag()[2]


class WithLibrary(Distribution):
    def has_ext_modules(self):
        return True


setup(distclass=WithLibrary, cmdclass={"build_py": BuildWithMake, "bdist_wheel": Wheel})
