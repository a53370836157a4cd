"""What the tests of trajectories share: running boids in a folder of their own, and looking at what is on disk."""

import hashlib
import os
import shlex
import subprocess
import tempfile
import unittest

import h5py
import numpy

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
BOIDS = os.path.abspath(os.environ.get("BOIDS", os.path.join(ROOT, "boids")))
LONG = os.environ.get("BOIDS_LONG", "") not in ("", "0")
# A busy machine may take this long; nothing here is measured by it.
PATIENCE = 240


def contents(folder):
    """Each file's bytes, as a digest, with its place and age."""
    found = {}
    for here, _, files in os.walk(folder):
        for name in files:
            path = os.path.join(here, name)
            with open(path, "rb") as file:
                found[path] = (hashlib.md5(file.read()).digest(), os.stat(path).st_ino, os.stat(path).st_mtime_ns)
    return found


def read_trajectory(path):
    """Steps of the whole frames of a file, and their positions and velocities, [frame, agent, x y vx vy]."""
    with h5py.File(path, "r") as file:
        steps = file["particles/boids/position/step"][:]
        whole = numpy.flatnonzero(steps >= 0)
        states = []
        for group in file["particles"].values():
            pairs = [group[name + "/value"][:][whole][:, :, :2] for name in ("position", "velocity")]
            states.append(numpy.concatenate(pairs, axis=2))
        return steps[whole], numpy.concatenate(states, axis=1)


def unproven(path):
    """A trajectory open to be changed on purpose: without its hashes, as 0.1.0 wrote it, for which no change is damage."""
    file = h5py.File(path, "r+")
    if "hashes" in file:
        del file["hashes"]
        del file["parameters"].attrs["hash"]
    return file


def parameters_hash(path):
    """The hash of what a run was asked for, as it stands in the file."""
    with h5py.File(path, "r") as file:
        return file["parameters"].attrs["hash"]


def build_shim(test_class, source, *words):
    """A library made of a source beside this file, to be loaded before the C library; its path, until the class is done."""
    folder = tempfile.TemporaryDirectory()
    test_class.addClassCleanup(folder.cleanup)
    shim = os.path.join(folder.name, source.replace(".c", ".so"))
    subprocess.run([*shlex.split(os.environ.get("CC", "cc")), "-O1", "-shared", "-fPIC", *words, "-o", shim,
                    os.path.join(HERE, source), "-ldl"], check=True)
    return shim


class Store(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def bytes(self, name):
        with open(self.path(name), "rb") as file:
            return file.read()

    def names(self):
        return sorted(os.listdir(self.folder))

    def run_boids(self, *words, **more):
        return subprocess.run([BOIDS, *map(str, words)], **{"cwd": self.folder, "stdin": subprocess.DEVNULL,
                                                            "stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                                                            "timeout": PATIENCE, **more})

    def good(self, *words, **more):
        done = self.run_boids(*words, **more)
        self.assertEqual((done.returncode, done.stderr), (0, b""), words)
        return done.stdout.decode()

    def refused(self, message, *words, status=2, **more):
        """Refused with one line, and nothing in the folder touched."""
        before = contents(self.folder)
        done = self.run_boids(*words, **more)
        self.assertEqual(done.stderr.decode(), "boids: %s\n" % message)
        self.assertEqual((done.returncode, done.stdout), (status, b""))
        self.assertEqual(contents(self.folder), before)

    def assertSameFile(self, one, other, told=""):
        """The same bytes; were they compared as text, a difference would take minutes to print."""
        same = self.bytes(one) == self.bytes(other)
        self.assertTrue(same, "%s and %s differ, of %d and %d bytes %s" % (
            one, other, os.path.getsize(self.path(one)), os.path.getsize(self.path(other)), told))
