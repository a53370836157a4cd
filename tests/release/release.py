"""Claims about what `make dist` and the other targets of a release write. BOIDS names the program of the same build.

`make test-release` runs this suite.
"""

import glob
import os
import shutil
import subprocess
import sys
import tarfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.dirname(HERE), os.path.join(os.path.dirname(HERE), "tools")]

import inner_make
from support import BOIDS, ROOT, Folder

VERSION = "1.0.0"


def run(*words, folder=ROOT, **environment):
    done = subprocess.run(words, cwd=folder, env={**inner_make.environment(), **environment}, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(f"{words}: {done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def only(pattern):
    (path,) = glob.glob(os.path.join(ROOT, pattern))
    return path


def content(path):
    with open(path, "rb") as file:
        return file.read()


@unittest.skipUnless(os.path.exists(os.path.join(ROOT, ".git")), "there is no git here")
class Source(Folder):
    def test_the_source_has_equal_bytes_and_builds_tests_and_installs_without_git(self):
        path = run("make", "-s", "dist").strip()
        first = content(os.path.join(ROOT, path))
        run("make", "-s", "dist")
        self.assertEqual(first, content(os.path.join(ROOT, path)))
        with tarfile.open(os.path.join(ROOT, path)) as archive:
            archive.extractall(self.folder)
        source = self.path(f"boids-{VERSION}")
        no_git = self.path("bin")
        os.mkdir(no_git)
        self.write("bin/git", "#!/bin/sh\nexit 1\n")
        os.chmod(self.path("bin/git"), 0o755)
        where = {"folder": source, "PATH": no_git + os.pathsep + os.environ["PATH"]}
        run("make", "CFLAGS=-O1", "SIMD_CFLAGS=-O1", "test", "ROOM=config", **where)
        run("make", "CFLAGS=-O1", "SIMD_CFLAGS=-O1", "install", "PREFIX=" + self.path("installed"), **where)
        self.assertRegex(run(self.path("installed/bin/boids"), "--version"), rf"^boids {VERSION} \([0-9a-f]+\)\n$")


if __name__ == "__main__":
    unittest.main()
